import type { Progress } from '../base/notice.ts'
import type { World } from '../base/world.ts'

/** What the clock adds to progress. */
export interface Meter {
  /** Over the last few seconds. */
  readonly bytesPerSecond: number | undefined
  /** Until the phase, or the job of many requests, is done. */
  readonly leftMs: number | undefined
  /** Since the last progress of another phase. */
  readonly phaseMs: number
  /** The monotonic clock. */
  readonly nowMs: number
}

/** Measures the progress of one run. */
interface ProgressMeter {
  readonly count: (progress: Progress) => void
  readonly read: () => Meter
}

const WINDOW_MS = 5_000
const SAMPLE_MS = 100
// A shorter time says nothing about a speed.
const LEAST_MS = 500

export function createMeter({ clock }: Pick<World, 'clock'>): ProgressMeter {
  let latest: Progress | undefined
  let task = ''
  let phaseAt = clock.monotonicMs()
  let samples: { readonly at: number; readonly bytes: number }[] = []

  function leftMs(now: number, bytesPerSecond: number | undefined): number | undefined {
    const { endMs, bytes, totalBytes, waitUntilMs = now } = latest ?? {}
    // Later than that, it is not known any more.
    if (endMs !== undefined) return endMs > now ? endMs - now : undefined
    if (bytes === undefined || totalBytes === undefined || !bytesPerSecond) return undefined
    return Math.max(0, waitUntilMs - now) + (Math.max(0, totalBytes - bytes) / bytesPerSecond) * 1000
  }

  return {
    count(progress) {
      const now = clock.monotonicMs()
      if (progress.phase !== latest?.phase) phaseAt = now
      if (taskOf(progress) !== task) {
        task = taskOf(progress)
        samples = []
      }
      latest = progress
      if (progress.bytes === undefined) return
      const last = samples.at(-1)
      // Bytes of a failed request count no longer.
      if (last !== undefined && progress.bytes < last.bytes) samples = []
      if (last === undefined || now - last.at >= SAMPLE_MS) samples.push({ at: now, bytes: progress.bytes })
    },
    read() {
      const now = clock.monotonicMs()
      while (samples.length > 1 && samples[1]!.at <= now - WINDOW_MS) samples.shift()
      const [from, to] = [samples[0], samples.at(-1)]
      const isKnown = from !== undefined && to !== undefined && now - from.at >= LEAST_MS
      const bytesPerSecond = isKnown ? ((to.bytes - from.bytes) / (now - from.at)) * 1000 : undefined
      return {
        bytesPerSecond,
        leftMs: leftMs(now, bytesPerSecond),
        phaseMs: now - phaseAt,
        nowMs: now,
      }
    },
  }
}

// Phases alternate between requesting, receiving and waiting.
function taskOf({ phase }: Progress): string {
  return phase === 'asking' || phase === 'waiting' ? 'receiving' : phase
}
