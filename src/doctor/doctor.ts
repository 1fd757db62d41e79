import type { World } from '../base/world.ts'
import type { Check } from './doctor-check.ts'
import { localChecks } from './doctor-local.ts'
import { networkChecks } from './doctor-network.ts'
import type { DoctorOptions } from './doctor-options.ts'

/**
 * Checks everything that a download needs, one check after the other, each with its own timeout; a failed check does not stop
 * the others. Downloads nothing and uses no allowance.
 */
export async function* runChecks(world: World, options: DoctorOptions): AsyncGenerator<Check, void> {
  const secret = yield* localChecks(world, options)
  yield* networkChecks(world, options, secret)
}
