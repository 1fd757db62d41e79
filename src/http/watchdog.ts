import { orAborted } from '../base/aborted.ts'
import type { World } from '../base/world.ts'

type Clock = Pick<World['clock'], 'every'>

/** Measures how long a connection has been idle. */
export type Watchdog = ReturnType<typeof watch>

interface Limits {
  readonly idleMs: number
  readonly onIdle: () => void
  /** True while nothing is read: then the idle time does not count. */
  readonly isPaused?: () => boolean
  /** Fewer than `minBytes` in `windowMs` of reading are too slow. */
  readonly slow?: { readonly windowMs: number; readonly minBytes: number; readonly onSlow: () => void }
}

/**
 * Detects stalled and slow connections by counting short ticks: a process that was suspended gets a single late tick and no
 * timeout, and can read what arrived in the meantime.
 */
export function watch(clock: Clock, { idleMs, onIdle, isPaused, slow }: Limits) {
  const tickMs = Math.min(1_000, Math.max(5, idleMs / 10))
  let idle = 0
  let listened = 0
  let received = 0

  const stop = clock.every(tickMs, () => {
    if (isPaused?.()) {
      idle = 0
      return
    }
    idle += tickMs
    listened += tickMs
    if (idle >= idleMs) {
      stop()
      onIdle()
    } else if (slow && listened >= slow.windowMs) {
      const isTooSlow = received < slow.minBytes
      listened = 0
      received = 0
      if (!isTooSlow) return
      stop()
      slow.onSlow()
    }
  })

  return {
    /** Call when bytes arrive. */
    touch: (bytes: number): void => {
      idle = 0
      received += bytes
    },
    stop,
  }
}

/** Runs `work` with a signal. Rejects with `overdue()` after `limitMs`, or with the reason of `signal`. */
export async function withDeadline<T>(
  clock: Clock,
  limitMs: number,
  overdue: () => Error,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const either = AbortSignal.any([signal, late.signal])
  either.throwIfAborted()
  const watchdog = watch(clock, { idleMs: limitMs, onIdle: () => late.abort(overdue()) })
  try {
    return await orAborted(work(either), either)
  } finally {
    watchdog.stop()
  }
}
