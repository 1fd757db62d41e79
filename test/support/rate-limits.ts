import {
  claimStart,
  type RateState,
  startAccepted,
  startRefused,
  UNKNOWN_RATE,
} from '../../src/http/rate-rules.ts'

/** A rate limit of a service that sends no headers: whether it accepts a request that arrives at this time. */
export type Limit = (arrivedMs: number) => boolean

const MINUTE = 60_000

/** The kinds of limit in use, each of `count` requests a minute; `phase` in [0, 1) is where in its minute the first one arrives. */
export const LIMITS: Readonly<Record<string, (count: number, phase: number) => Limit>> = {
  // nginx: limit_req without a burst.
  'even spacing': (count) => {
    let lastMs = Number.NEGATIVE_INFINITY
    return (at) => {
      if (at - lastMs < MINUTE / count) return false
      lastMs = at
      return true
    }
  },
  // nginx: limit_req with burst and nodelay.
  'a bucket': (count) => {
    let tokens = count
    let filledMs = 0
    return (at) => {
      tokens = Math.min(count, tokens + ((at - filledMs) * count) / MINUTE)
      filledMs = at
      if (tokens < 1) return false
      tokens -= 1
      return true
    }
  },
  'a fixed minute': (count, phase) => {
    let minute = -1
    let used = 0
    return (at) => {
      const now = Math.floor(at / MINUTE + phase)
      if (now !== minute) used = 0
      minute = now
      used += 1
      return used <= count
    }
  },
  'a sliding minute': (count) => {
    let accepted: number[] = []
    return (at) => {
      accepted = accepted.filter((each) => each > at - MINUTE)
      if (accepted.length >= count) return false
      accepted.push(at)
      return true
    }
  },
  'a sliding minute that counts refused requests': (count) => {
    let all: number[] = []
    return (at) => {
      all = [...all.filter((each) => each > at - MINUTE), at]
      return all.length <= count
    }
  },
  // haproxy: http_req_rate(60s), which weighs the requests of the minute before.
  'a stick table': (count) => {
    let current = 0
    let previous = 0
    let sinceMs = -1
    return (at) => {
      if (sinceMs < 0) sinceMs = at
      if (at - sinceMs >= MINUTE) {
        previous = at - sinceMs < 2 * MINUTE ? current : 0
        current = 0
        sinceMs = at - sinceMs < 2 * MINUTE ? sinceMs + MINUTE : at
      }
      current += 1
      return current + (previous * (sinceMs + MINUTE - at)) / MINUTE <= count
    }
  },
}

/** What a run did: when requests started, how many were refused, and when the last was answered. */
export interface Simulated {
  readonly startsMs: readonly number[]
  readonly refused: number
  readonly endedMs: number
}

/** Sends `count` requests under the rules, on a clock of its own: the service accepts at once and answers after `latencyMs`. */
export function simulate(
  limit: Limit,
  options: {
    readonly count: number
    readonly ratePerMinute: number
    readonly latencyMs: number
    readonly random: () => number
    readonly concurrency?: number
  },
): Simulated {
  const { ratePerMinute, latencyMs, random, concurrency = 4 } = options
  const inFlight: { readonly atMs: number; readonly startMs: number; readonly isAccepted: boolean }[] = []
  const startsMs: number[] = []
  let state: RateState = UNKNOWN_RATE
  let nowMs = 0
  let unsent = options.count
  let answered = 0
  let refused = 0
  const isProbing = (): boolean =>
    inFlight.some(({ startMs }) => startMs > (state.refusal?.lastMs ?? Infinity))

  while (answered < options.count) {
    let nextStartMs = Number.POSITIVE_INFINITY
    while (unsent > 0 && inFlight.length < concurrency && !isProbing()) {
      const claimed = claimStart(state, ratePerMinute, nowMs)
      state = claimed.state
      if (claimed.waitMs > 0) {
        nextStartMs = nowMs + claimed.waitMs
        break
      }
      unsent -= 1
      startsMs.push(nowMs)
      const isAccepted = limit(nowMs + 5 + random() * 10)
      inFlight.push({
        atMs: nowMs + (isAccepted ? latencyMs * (0.7 + 0.6 * random()) : 20),
        startMs: nowMs,
        isAccepted,
      })
    }
    const first = inFlight.toSorted((a, b) => a.atMs - b.atMs)[0]
    if (first === undefined || first.atMs > nextStartMs) {
      nowMs = nextStartMs
      continue
    }
    nowMs = Math.max(nowMs, first.atMs)
    inFlight.splice(inFlight.indexOf(first), 1)
    const { startMs } = first
    if (first.isAccepted) {
      answered += 1
      state = startAccepted(state, ratePerMinute, startMs)
    } else {
      refused += 1
      unsent += 1
      const facts = { startMs, nowMs, isSilent: true, random: random(), longestMs: Number.POSITIVE_INFINITY }
      state = startRefused(state, ratePerMinute, facts)
    }
  }
  return { startsMs, refused, endedMs: nowMs }
}
