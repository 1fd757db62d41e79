import { type FailureKind, isFailure } from '../base/failure.ts'
import { withOptions } from '../base/option-names.ts'
import type { World } from '../base/world.ts'
import { localChecks } from './doctor-local.ts'
import { networkChecks } from './doctor-network.ts'
import type { DoctorWish, Examination } from './doctor-options.ts'

/** One thing that was looked at. */
export interface Check {
  readonly name: string
  readonly status: 'pass' | 'fail' | 'skip'
  /** What was found, one line. */
  readonly message: string
  /** What to do about it. */
  readonly mend?: string
  /** Which exit code a failure stands for. */
  readonly kind?: FailureKind
  readonly seconds: number
}

/**
 * Looks at everything a download needs, one thing after the other, each with a limit of its own; a check that fails stops no
 * other. Nothing is downloaded and no allowance is used. `onCheck` hears each result at once.
 */
export async function examine(
  world: World,
  wish: DoctorWish,
  onCheck: (check: Check) => Promise<void>,
): Promise<readonly Check[]> {
  const network = networkChecks(world, wish)
  const checks: Check[] = []
  try {
    for (const examination of [...localChecks(world, wish), ...network.examinations]) {
      world.interrupt.throwIfAborted()
      const check = await lookAt(world, examination)
      checks.push(check)
      await onCheck(check)
    }
  } finally {
    await network.close()
  }
  return checks
}

async function lookAt(world: World, { name, look }: Examination): Promise<Check> {
  const startedMs = world.clock.monotonicMs()
  const seconds = (): number => Math.round(world.clock.monotonicMs() - startedMs) / 1000
  try {
    return { name, ...(await look()), seconds: seconds() }
  } catch (error) {
    if (!isFailure(error) || error.kind === 'interrupted') throw error
    return {
      name,
      status: 'fail',
      message: [error.message, ...(error.details.problems ?? [])].join('; '),
      ...(error.hint === undefined ? {} : { mend: withOptions(error.hint, error.details.options) }),
      kind: error.kind,
      seconds: seconds(),
    }
  }
}
