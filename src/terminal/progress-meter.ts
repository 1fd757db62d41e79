import type { Progress } from '../base/notice.ts'
import type { World } from '../base/world.ts'

/** What the clock adds to progress. */
export interface Meter {
  /** Over the last few seconds. */
  readonly bytesPerSecond: number | undefined
  /** Until the phase is done, at the speed so far, and not before the allowed rate lets it. */
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
const LEAST_SHARE = 0.02

/** How much is done, from 0 to 1; undefined while that is not known. */
export function shareOf({
  share,
  bytes,
  totalBytes,
  requestsDone,
  requestsTotal,
}: Progress): number | undefined {
  const known =
    share ??
    (bytes !== undefined && totalBytes ? bytes / totalBytes : undefined) ??
    (requestsDone !== undefined && requestsTotal !== undefined && requestsTotal > 1
      ? requestsDone / requestsTotal
      : undefined)
  return known === undefined ? undefined : Math.min(1, known)
}

export function createMeter({ clock }: Pick<World, 'clock'>): ProgressMeter {
  let latest: Progress | undefined
  let task = ''
  let phaseAt = clock.monotonicMs()
  // Waits say nothing about the speed: the allowed rate is known beside it.
  let activeMs = 0
  let countedAt = phaseAt
  let first: { readonly activeMs: number; readonly share: number } | undefined
  let samples: { readonly at: number; readonly bytes: number }[] = []

  function activeUntil(now: number): number {
    return activeMs + (latest === undefined || latest.phase === 'waiting' ? 0 : now - countedAt)
  }

  function leftMs(now: number, bytesPerSecond: number | undefined): number | undefined {
    const { lastStartMs, waitUntilMs = now } = latest ?? {}
    const own = ownLeftMs(now, bytesPerSecond)
    if (own === undefined && lastStartMs === undefined) return undefined
    return Math.max((lastStartMs ?? now) - now, Math.max(0, waitUntilMs - now) + (own ?? 0))
  }

  // What earlier runs kept was not received at this speed.
  function ownLeftMs(now: number, bytesPerSecond: number | undefined): number | undefined {
    if (latest === undefined) return undefined
    const { bytes, totalBytes } = latest
    if (bytes !== undefined && totalBytes !== undefined) {
      return bytesPerSecond ? (Math.max(0, totalBytes - bytes) / bytesPerSecond) * 1000 : undefined
    }
    const share = shareOf(latest)
    if (share === undefined || first === undefined || share < first.share + LEAST_SHARE) return undefined
    return ((activeUntil(now) - first.activeMs) * (1 - share)) / (share - first.share)
  }

  return {
    count(progress) {
      const now = clock.monotonicMs()
      activeMs = activeUntil(now)
      countedAt = now
      if (progress.phase !== latest?.phase) phaseAt = now
      if (taskOf(progress) !== task) {
        task = taskOf(progress)
        first = undefined
        samples = []
      }
      latest = progress
      const share = shareOf(progress)
      if (share !== undefined && (first === undefined || share < first.share)) first = { activeMs, share }
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
