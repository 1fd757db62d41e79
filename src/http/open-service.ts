import type { World } from '../base/world.ts'
import { proxySecrets } from './proxy.ts'
import type { Service, ServiceOptions } from './service.ts'

export type { Service, ServiceOptions }
export { proxySecrets }

/** Opens the service; nothing is sent. Rejects for mistakes in proxies, certificates and the environment. */
export async function connect(world: World, options: ServiceOptions): Promise<Service> {
  // Loads undici, the largest part of the program, which a plan does not need.
  const { openService } = await import('./service.ts')
  return openService(world, options)
}
