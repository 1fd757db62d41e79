import { performance } from 'node:perf_hooks'

/** Counts the time in which nothing happens on a connection. */
export interface Watchdog {
  /** Something came: the count starts again. `bytes` feeds the slowness check. */
  readonly touch: (bytes?: number) => void
  /** While we ourselves do not read, silence is not the other side's. */
  readonly pause: () => void
  readonly resume: () => void
  readonly stop: () => void
}

interface Limits {
  readonly idleMs: number
  readonly onIdle: () => void
  /** Fewer than `leastBytes` in `windowMs` of listening counts as too slow. */
  readonly slow?: { readonly windowMs: number; readonly leastBytes: number; readonly onSlow: () => void }
}

/**
 * Watches for silence by short ticks, and counts of each tick no more than twice its length: a process that was suspended
 * (a closed laptop, Ctrl-Z) wakes to one late tick, not to a time-out, and finds what came meanwhile still in the socket.
 */
export function watch({ idleMs, onIdle, slow }: Limits): Watchdog {
  const tickMs = Math.min(1_000, Math.max(5, idleMs / 10, 0))
  let idle = 0
  let listened = 0
  let received = 0
  let paused = false
  let lastTick = performance.now()

  const timer = setInterval(() => {
    const now = performance.now()
    const elapsed = Math.min(now - lastTick, tickMs * 2)
    lastTick = now
    if (paused) return
    idle += elapsed
    listened += elapsed
    if (idle >= idleMs) {
      stop()
      onIdle()
    } else if (slow && listened >= slow.windowMs) {
      const tooSlow = received < slow.leastBytes
      listened = 0
      received = 0
      if (tooSlow) {
        stop()
        slow.onSlow()
      }
    }
  }, tickMs)

  function stop(): void {
    clearInterval(timer)
  }

  return {
    touch: (bytes = 0) => {
      idle = 0
      received += bytes
    },
    pause: () => {
      paused = true
    },
    resume: () => {
      paused = false
      idle = 0
    },
    stop,
  }
}
