import { type Failure, type FailureKind, isFailure } from '../failure.ts'
import type { World } from '../world.ts'
import { localChecks } from './doctor-local.ts'
import { networkChecks } from './doctor-network.ts'
import type { ServiceOptions } from './open-service.ts'

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

/** What is to be looked at, and with which settings. */
export interface DoctorWish {
  readonly settings: {
    /** The file that was read. */
    readonly path: string | undefined
    /** Where it would have been. */
    readonly usualPath: string | undefined
    readonly profile: string | undefined
    readonly failure: Failure | undefined
  }
  readonly isSandbox: boolean
  readonly api: 'v1' | 'v2'
  readonly baseUrl: string | undefined
  readonly secret: {
    readonly name: 'token' | 'API key'
    /** Where it comes from; undefined when there is none. */
    readonly source: string | undefined
    readonly read: () => Promise<string>
  }
  /** Files that hold a secret. */
  readonly secretFiles: readonly string[]
  readonly network: Omit<ServiceOptions, 'baseUrl' | 'token'>
}

/** What a check found when nothing is wrong; a Failure is thrown when something is. */
export interface Found {
  readonly status: 'pass' | 'skip'
  readonly message: string
}

/** A check that can be run. Earlier ones leave in `facts` what later ones need. */
export interface Examination {
  readonly name: string
  readonly look: () => Promise<Found>
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

/** A thing that was looked at and is in order. */
export function pass(message: string): Found {
  return { status: 'pass', message }
}

/** A thing that can not be looked at, and why that is no fault. */
export function skip(message: string): Found {
  return { status: 'skip', message }
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
      ...(error.hint === undefined ? {} : { mend: error.hint }),
      kind: error.kind,
      seconds: seconds(),
    }
  }
}
