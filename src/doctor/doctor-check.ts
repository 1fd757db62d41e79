import { type FailureKind, isFailure } from '../base/failure.ts'
import type { World } from '../base/world.ts'

/** The result of a check. */
export interface Check {
  readonly name: string
  readonly status: 'pass' | 'fail' | 'skip'
  /** The finding, one line. */
  readonly message: string
  /** How to fix a failure. */
  readonly fix?: string
  /** Long names of options that help, without dashes. */
  readonly options?: readonly string[]
  /** The kind of a failure, which has its exit code. */
  readonly kind?: FailureKind
  readonly seconds: number
}

/** What a check found without a failure; with `pass`, also a value for later checks. */
export interface Found<T = undefined> {
  readonly status: 'pass' | 'skip'
  readonly message: string
  readonly value?: T
}

/** Runs a check, yields its result and returns its value. A Failure is the result `fail`. */
export async function* check<T>(
  { clock, interrupt }: World,
  name: string,
  run: () => Found<T> | Promise<Found<T>>,
): AsyncGenerator<Check, T | undefined> {
  interrupt.throwIfAborted()
  const startMs = clock.monotonicMs()
  const seconds = (): number => Math.round(clock.monotonicMs() - startMs) / 1000
  let found: Found<T>
  try {
    found = await run()
  } catch (error) {
    if (!isFailure(error) || error.kind === 'interrupted') throw error
    const { problems = [], options } = error.details
    yield {
      name,
      status: 'fail',
      message: [error.message, ...problems].join('; '),
      ...(error.hint === undefined ? {} : { fix: error.hint }),
      ...(options === undefined ? {} : { options }),
      kind: error.kind,
      seconds: seconds(),
    }
    return undefined
  }
  const { status, message, value } = found
  yield { name, status, message, seconds: seconds() }
  return value
}

export function pass(message: string): Found
export function pass<T>(message: string, value: T): Found<T>
export function pass<T>(message: string, value?: T): Found<T | undefined> {
  return { status: 'pass', message, value }
}

/** A check that cannot run, and why that is not a failure. */
export function skip(message: string): Found<never> {
  return { status: 'skip', message }
}
