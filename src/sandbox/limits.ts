import type { Clock } from '../base/world.ts'

/** The limits of the service: requests per minute and per year. */
interface Limits {
  /** Counts a request; returns the text of the refusal when it exceeds a limit. */
  readonly admit: () => string | undefined
  /** Counts a completed request against the yearly quota. */
  readonly use: () => void
  readonly used: () => number
  /** The headers of every response. */
  readonly headers: () => Readonly<Record<string, string>>
}

const WINDOW_MS = 60_000

/** Limits since the start of the process; a minute begins with its first request. */
export function createLimits(ratePerMinute: number, quota: number, clock: Clock): Limits {
  let windowStartMs = clock.nowMs()
  let inWindow = 0
  let used = 0
  const roll = (): void => {
    const nowMs = clock.nowMs()
    if (nowMs >= windowStartMs && nowMs < windowStartMs + WINDOW_MS && inWindow > 0) return
    windowStartMs = nowMs
    inWindow = 0
  }
  return {
    admit: () => {
      roll()
      if (inWindow >= ratePerMinute) return 'rate limit exceeded, try again later'
      inWindow += 1
      return used >= quota ? 'yearly limit of requests reached' : undefined
    },
    use: () => {
      used += 1
    },
    used: () => used,
    headers: () => {
      roll()
      return {
        'X-RateLimit-Limit': String(ratePerMinute),
        'X-RateLimit-Remaining': String(Math.max(0, ratePerMinute - inWindow)),
        'X-RateLimit-Reset': new Date(windowStartMs + WINDOW_MS).toISOString(),
      }
    },
  }
}
