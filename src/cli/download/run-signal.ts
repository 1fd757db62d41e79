import { Failure } from '../../base/failure.ts'
import { formatDuration } from '../../base/units.ts'
import type { World } from '../../base/world.ts'

/** The signal that ends a run: the user's, or the end of `--timeout`. */
export interface RunSignal extends Disposable {
  readonly signal: AbortSignal
}

/** Starts the clock of `--timeout`, when there is one; its end is a Failure of kind `unavailable`. */
export function startRunSignal(world: World, timeoutMs: number | undefined): RunSignal {
  if (timeoutMs === undefined) return { signal: world.interrupt, [Symbol.dispose]: () => undefined }
  const timer = new AbortController()
  const done = new AbortController()
  world.clock.sleep(timeoutMs, done.signal).then(
    () =>
      timer.abort(
        new Failure('unavailable', `the run took longer than ${formatDuration(timeoutMs)} (--timeout)`, {
          hint: 'or give it more time',
        }),
      ),
    () => undefined,
  )
  return {
    signal: AbortSignal.any([world.interrupt, timer.signal]),
    [Symbol.dispose]: () => done.abort(new Error('the run is over')),
  }
}
