import type { RateLimit } from './rate-limit.ts'

const MINUTE_MS = 60_000
// Reset times are truncated to seconds.
const RESET_PAD_MS = 1_000

/** Limits how fast the requests of a run start. Never waits itself; times are monotonic milliseconds. */
export interface RateLimiter {
  /** 0 when a request may start now, which counts as a start; else the milliseconds until the next try. */
  readonly claim: (nowMs: number) => number
  /** Call once for each start, with the limits in its response, if there was one. */
  readonly record: (limit: RateLimit | undefined, nowMs: number) => void
  /** Call after a 429: nothing starts for `waitMs`, and the rate is halved, at most once a minute. */
  readonly refused: (waitMs: number, nowMs: number) => void
  /** Starts per minute that are allowed now. */
  readonly ratePerMinute: () => number
}

/**
 * Allows at most `ratePerMinute` starts in any minute. The service can lower that: with `X-RateLimit-Limit` when its window is a
 * minute, with `Remaining` until `Reset` when that is within `maxWaitMs`, and with a 429, after which the rate recovers by a tenth
 * a minute.
 */
export function createRateLimiter(options: {
  readonly ratePerMinute: number
  readonly maxWaitMs: number
}): RateLimiter {
  const maximum = Math.max(1, options.ratePerMinute)
  let ceiling = maximum
  let rate = maximum
  let starts: number[] = []
  let inFlight = 0
  let pausedUntilMs = Number.NEGATIVE_INFINITY
  let raisedAtMs = Number.NEGATIVE_INFINITY
  let loweredAtMs = Number.NEGATIVE_INFINITY
  let budget: { left: number; readonly untilMs: number } | undefined

  function claim(nowMs: number): number {
    recover(nowMs)
    const waitMs = Math.max(pausedUntilMs - nowMs, rateWaitMs(nowMs), budgetWaitMs(nowMs))
    if (waitMs > 0) return Math.ceil(waitMs)
    starts.push(nowMs)
    inFlight += 1
    if (budget) budget.left -= 1
    return 0
  }

  function rateWaitMs(nowMs: number): number {
    if (!Number.isFinite(rate)) {
      starts = []
      return 0
    }
    const stale = starts.findIndex((startMs) => startMs > nowMs - MINUTE_MS)
    starts = stale < 0 ? [] : stale === 0 ? starts : starts.slice(stale)
    return starts.length < rate ? 0 : starts[starts.length - rate]! + MINUTE_MS - nowMs
  }

  function budgetWaitMs(nowMs: number): number {
    if (budget && nowMs >= budget.untilMs) budget = undefined
    return budget && budget.left <= 0 ? budget.untilMs - nowMs : 0
  }

  function recover(nowMs: number): void {
    if (rate >= ceiling || nowMs - raisedAtMs < MINUTE_MS) return
    rate = Math.min(ceiling, rate + Math.max(1, Math.floor(ceiling / 10)))
    raisedAtMs = nowMs
  }

  function record(limit: RateLimit | undefined, nowMs: number): void {
    inFlight = Math.max(0, inFlight - 1)
    if (!limit) return
    const { resetMs } = limit
    if (limit.limit !== undefined && limit.limit >= 1 && (resetMs ?? 0) <= MINUTE_MS + 5_000) {
      ceiling = Math.min(maximum, limit.limit)
      rate = Math.min(rate, ceiling)
    }
    if (limit.remaining === undefined || resetMs === undefined || resetMs > options.maxWaitMs) return
    budget = { left: Math.max(0, limit.remaining - inFlight), untilMs: nowMs + resetMs + RESET_PAD_MS }
  }

  function refused(waitMs: number, nowMs: number): void {
    if (nowMs >= pausedUntilMs && nowMs - loweredAtMs >= MINUTE_MS) {
      const current = Number.isFinite(rate) ? rate : Math.max(2, starts.length)
      rate = Math.max(1, Math.floor(current / 2))
      raisedAtMs = nowMs
      loweredAtMs = nowMs
    }
    pausedUntilMs = Math.max(pausedUntilMs, nowMs + waitMs)
  }

  return { claim, record, refused, ratePerMinute: () => rate }
}
