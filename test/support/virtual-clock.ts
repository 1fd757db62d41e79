import type { Clock } from '../../src/base/world.ts'

/** A clock that several tasks wait on at once; it moves to the next wait when all of them stand still. */
export interface VirtualClock extends Clock {
  /** Runs the work until it settles. Rejects when nothing is left that could end it. */
  readonly run: <T>(work: Promise<T>) => Promise<T>
}

interface Wait {
  readonly atMs: number
  readonly end: () => void
}

// Promises settle within a turn of the event loop; others are for what starts its work with `setImmediate`.
const TURNS = 2
// What takes real time, such as loading a module, has so many turns.
const MOST_TURNS = 1_000_000

// Shorter intervals tick when a wait ends.
const SHORT_MS = 500

export function virtualClock(epochMs = Date.parse('2026-03-04T05:06:07Z')): VirtualClock {
  const startMs = 1_000
  let monotonicMs = startMs
  const waits = new Set<Wait>()
  const intervals = new Set<{ nextMs: number; readonly ms: number; readonly tick: () => void }>()

  function moveTo(atMs: number): void {
    monotonicMs = Math.max(monotonicMs, atMs)
    for (const interval of [...intervals]) {
      if (monotonicMs < interval.nextMs) continue
      interval.nextMs = monotonicMs + interval.ms
      interval.tick()
    }
  }

  return {
    nowMs: () => epochMs + monotonicMs - startMs,
    monotonicMs: () => monotonicMs,
    every(ms, tick) {
      const interval = { nextMs: monotonicMs + ms, ms, tick }
      intervals.add(interval)
      return () => void intervals.delete(interval)
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const wait: Wait = {
          atMs: monotonicMs + ms,
          end: () => {
            waits.delete(wait)
            signal?.removeEventListener('abort', stop)
            resolve()
          },
        }
        const stop = (): void => {
          waits.delete(wait)
          reject(signal?.reason)
        }
        waits.add(wait)
        signal?.addEventListener('abort', stop, { once: true })
      }),
    async run(work) {
      let isSettled = false
      const settled = work.finally(() => {
        isSettled = true
      })
      settled.catch(() => undefined)
      while (true) {
        for (let turn = 0; !isSettled && turn < (waits.size > 0 ? TURNS : MOST_TURNS); turn += 1)
          await new Promise(setImmediate)
        if (isSettled) return settled
        const next = [...waits].reduce<Wait | undefined>(
          (first, each) => (first === undefined || each.atMs < first.atMs ? each : first),
          undefined,
        )
        if (next === undefined) throw new Error('nothing is left to wait for, and there is no result')
        const tickMs = Math.min(
          ...[...intervals].filter(({ ms }) => ms >= SHORT_MS).map((each) => each.nextMs),
        )
        moveTo(Math.min(next.atMs, tickMs))
        if (next.atMs <= monotonicMs) next.end()
      }
    },
  }
}
