import type { World } from '../base/world.ts'
import { proxyFor, proxySecrets, proxyVariable } from './proxy.ts'
import type { Service, ServiceOptions } from './service.ts'

export type { Service, ServiceOptions }
export { proxyFor, proxySecrets, proxyVariable }

/** Opens the service without sending anything. Rejects for mistakes in proxies, certificates and the environment. */
export async function connect(world: World, options: ServiceOptions): Promise<Service> {
  // A plan does not need undici, the largest package.
  const { openService } = await import('./service.ts')
  return openService(world, options)
}
