import type { World } from '../base/world.ts'
import { proxySecrets } from './proxy.ts'
import type { Service, ServiceOptions } from './service.ts'

export type { Service, ServiceOptions }
export { proxySecrets }

/** Opens the way to the service; nothing is sent. Mistakes in proxies, certificates and the environment are told here. */
export async function connect(world: World, options: ServiceOptions): Promise<Service> {
  // The largest piece of the program, which a plan and a mistake in the arguments never need.
  const { openService } = await import('./service.ts')
  return openService(world, options)
}
