import { proxySecrets } from '../service/proxy.ts'
import { openService, type Service, type ServiceOptions } from '../service/service.ts'
import type { World } from '../world.ts'

export type { Service, ServiceOptions }
export { proxySecrets }

/** Opens the way to the service; nothing is sent. Mistakes in proxies, certificates and the environment are told here. */
export function connect(world: World, options: ServiceOptions): Promise<Service> {
  return openService(world, options)
}
