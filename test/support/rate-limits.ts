import { RateControl, type Start } from '../../src/http/rate-control.ts'
import { readRateLimit, requestedWaitMs } from '../../src/http/rate-headers.ts'
import { seeded } from './seeded.ts'

const MINUTE = 60_000

/** A limit of a service. Times are those at the service, in order. */
export interface Limit {
  /** Whether a request is accepted that arrives while the service works on `busy` others. */
  readonly accepts: (atMs: number, busy: number) => boolean
  readonly took?: (atMs: number, isAccepted: boolean) => void
  /** When a request would be accepted at the earliest, if the service is done with the next of its requests at `freeMs`. */
  readonly freeAtMs: (atMs: number, busy: number, freeMs: number) => number
  /** For headers: how many are left, until when. */
  readonly left?: (atMs: number) => {
    readonly limit: number
    readonly remaining: number
    readonly untilMs: number
    readonly windowMs: number
  }
}

type Make = (random: () => number) => Limit

/** `count` in each window of the service's own clock, which began `phase` of a window before the first request. */
export const fixedWindow =
  (count: number, windowMs = MINUTE, phase = 0): Make =>
  () => {
    let window = -1
    let used = 0
    const turn = (atMs: number): void => {
      const now = Math.floor(atMs / windowMs + phase)
      if (now !== window) used = 0
      window = now
    }
    return {
      accepts: (atMs) => {
        turn(atMs)
        return used < count
      },
      took: (_, isAccepted) => {
        if (isAccepted) used += 1
      },
      freeAtMs: (atMs) => {
        turn(atMs)
        return used < count ? atMs : (window + 1 - phase) * windowMs
      },
      left: () => ({
        limit: count,
        remaining: Math.max(0, count - used),
        untilMs: (window + 1 - phase) * windowMs,
        windowMs,
      }),
    }
  }

/** `count` in any time of a window's length; some services count refused requests too. */
export const slidingWindow =
  (count: number, windowMs = MINUTE, countsRefused = false): Make =>
  () => {
    let taken: number[] = []
    const recent = (atMs: number): number[] => {
      taken = taken.filter((each) => each > atMs - windowMs)
      return taken
    }
    const freeAtMs = (atMs: number): number => {
      const before = recent(atMs)
      return before.length < count ? atMs : before.at(-count)! + windowMs + 0.01
    }
    return {
      accepts: (atMs) => recent(atMs).length < count,
      took: (atMs, isAccepted) => {
        if (isAccepted || countsRefused) taken.push(atMs)
      },
      freeAtMs,
      left: (atMs) => ({
        limit: count,
        remaining: Math.max(0, count - recent(atMs).length),
        untilMs: freeAtMs(atMs),
        windowMs,
      }),
    }
  }

/** nginx: `limit_req` with a burst and nodelay. */
export const bucket =
  (perMinute: number, burst: number): Make =>
  () => {
    let tokens = burst
    let filledMs = 0
    const fill = (atMs: number): number => {
      tokens = Math.min(burst, tokens + ((atMs - filledMs) * perMinute) / MINUTE)
      filledMs = atMs
      return tokens
    }
    return {
      accepts: (atMs) => fill(atMs) > 1 - 1e-9,
      took: (_, isAccepted) => {
        if (isAccepted) tokens -= 1
      },
      freeAtMs: (atMs) => atMs + Math.max(0, ((1 - fill(atMs)) * MINUTE) / perMinute),
    }
  }

/** nginx: `limit_req` without a burst. */
export const spacing = (perMinute: number): Make => bucket(perMinute, 1)

/** haproxy: `http_req_rate(60s)`, which counts refused requests and weighs the minute before. */
export const stickTable =
  (count: number): Make =>
  () => {
    let current = 0
    let previous = 0
    let sinceMs = -1
    const turn = (atMs: number): void => {
      if (sinceMs < 0) sinceMs = atMs
      if (atMs - sinceMs < MINUTE) return
      const isNext = atMs - sinceMs < 2 * MINUTE
      previous = isNext ? current : 0
      current = 0
      sinceMs = isNext ? sinceMs + MINUTE : atMs
    }
    const rateAt = (atMs: number): number =>
      current + 1 + (previous * Math.max(0, sinceMs + MINUTE - atMs)) / MINUTE
    return {
      accepts: (atMs) => {
        turn(atMs)
        return rateAt(atMs) <= count
      },
      took: () => {
        current += 1
      },
      freeAtMs: (atMs) => {
        turn(atMs)
        if (rateAt(atMs) <= count) return atMs
        const share = current < count && previous > 0 ? (count - current - 1) / previous : 0
        return share > 0
          ? Math.max(atMs, sinceMs + MINUTE * (1 - share) + 0.1)
          : sinceMs + MINUTE * (2 - (count - 1) / Math.max(1, current)) + 0.1
      },
    }
  }

/** `count` in any time of a window's length; one more, and nothing is accepted for a while, which may begin again with each attempt. */
export const penaltyBox =
  (count: number, windowMs: number, shutMs: number, isExtended = false): Make =>
  (random) => {
    const window = slidingWindow(count, windowMs)(random)
    let shutUntilMs = Number.NEGATIVE_INFINITY
    return {
      accepts: (atMs, busy) => atMs >= shutUntilMs && window.accepts(atMs, busy),
      took: (atMs, isAccepted) => {
        if (isAccepted) window.took!(atMs, true)
        else if (isExtended || atMs >= shutUntilMs) shutUntilMs = atMs + shutMs
      },
      freeAtMs: (atMs, busy, freeMs) => Math.max(shutUntilMs, window.freeAtMs(atMs, busy, freeMs)),
    }
  }

/** nginx: `limit_conn`. */
export const inFlight =
  (count: number): Make =>
  () => ({
    accepts: (_, busy) => busy < count,
    freeAtMs: (atMs, busy, freeMs) => (busy < count ? atMs : freeMs + 0.01),
  })

/** Refuses this share of all requests, for no reason. */
export const strays =
  (share: number): Make =>
  (random) => ({ accepts: () => random() >= share, freeAtMs: (atMs) => atMs })

export const outage =
  (fromMs: number, forMs: number): Make =>
  () => {
    const isOut = (atMs: number): boolean => atMs >= fromMs && atMs < fromMs + forMs
    return { accepts: (atMs) => !isOut(atMs), freeAtMs: (atMs) => (isOut(atMs) ? fromMs + forMs : atMs) }
  }

export interface SimulatedService {
  readonly limits: readonly Make[]
  readonly count: number
  readonly answerMs?: number
  readonly latencyMs?: number
  /** Of the client. */
  readonly ratePerMinute?: number
  readonly concurrency?: number
  /** The `Retry-After` of a refusal, by when the service would accept again. */
  readonly retryAfterMs?: (freeInMs: number) => number
  /** Every response has headers about the first limit, as the service knows them when a request arrives or is answered. */
  readonly headers?: Headers
  readonly isStatedAtAnswer?: boolean
  /** Of the client. */
  readonly maxWaitMs?: number
}

interface Figures {
  readonly limit: number
  readonly remaining: number
  /** When the window ends, by the clock of the service, and in how many milliseconds. */
  readonly untilMs: number
  readonly inMs: number
  readonly windowMs: number
}
export type Headers = (figures: Figures) => Record<string, string>

const headerSet =
  (prefix: string, reset: (figures: Figures) => number | string): Headers =>
  (figures) => ({
    [`${prefix}-limit`]: String(figures.limit),
    [`${prefix}-remaining`]: String(figures.remaining),
    [`${prefix}-reset`]: String(reset(figures)),
  })

const UNIT_NAMES: Record<number, string> = { 1000: 'second', 60000: 'minute', 3600000: 'hour' }

const seconds = headerSet('ratelimit', ({ inMs }) => Math.max(1, Math.ceil(inMs / 1000)))

/** The headers that services send. */
export const HEADERS = {
  date: headerSet('x-ratelimit', ({ untilMs }) => `${new Date(untilMs).toISOString().slice(0, 19)}Z`),
  epoch: headerSet('x-ratelimit', ({ untilMs }) => Math.ceil(untilMs / 1000)),
  epochMs: headerSet('x-ratelimit', ({ untilMs }) => Math.round(untilMs)),
  floored: headerSet('x-ratelimit', ({ inMs }) => Math.floor(inMs / 1000)),
  seconds,
  fractions: headerSet('x-ratelimit', ({ inMs }) => (inMs / 1000).toFixed(3)),
  /** draft-ietf-httpapi-ratelimit-headers-03 to -06 */
  policy: (figures) => ({
    ...seconds(figures),
    'ratelimit-policy': `${figures.limit};w=${figures.windowMs / 1000}`,
  }),
  /** -08 and later */
  structured: ({ limit, remaining, inMs, windowMs }) => ({
    ratelimit: `"default";r=${remaining};t=${Math.ceil(inMs / 1000)}`,
    'ratelimit-policy': `"default";q=${limit};w=${windowMs / 1000}`,
  }),
  kong: (figures) => {
    const unit = UNIT_NAMES[figures.windowMs] ?? 'minute'
    return {
      ...seconds(figures),
      [`x-ratelimit-limit-${unit}`]: String(figures.limit),
      [`x-ratelimit-remaining-${unit}`]: String(figures.remaining),
    }
  },
  oldKong: ({ limit, remaining, windowMs }) => {
    const unit = UNIT_NAMES[windowMs] ?? 'minute'
    return {
      [`x-ratelimit-limit-${unit}`]: String(limit),
      [`x-ratelimit-remaining-${unit}`]: String(remaining),
    }
  },
} satisfies Record<string, Headers>

export interface Simulated {
  readonly endedMs: number
  readonly refused: number
  readonly startsMs: readonly number[]
  readonly isOver: boolean
}

const MOST_WAIT_MS = 5 * MINUTE
/** When a simulation begins, by the clock of the service. */
const EPOCH_MS = Date.parse('2026-03-04T05:06:07.300Z')

/** Sends requests by the rules of `RateControl`, on a clock of its own. An ideal client knows the limit, and no time passes on the way. */
export function simulate(
  service: SimulatedService,
  seed: number,
  isIdeal = false,
  watch: (
    what: 'sent' | 'answered' | 'refused',
    start: Start,
    nowMs: number,
    control: RateControl,
  ) => void = () => undefined,
): Simulated {
  const {
    count,
    answerMs = 500,
    latencyMs = 20,
    ratePerMinute = 100,
    concurrency = 4,
    maxWaitMs = MOST_WAIT_MS,
  } = service
  const random = seeded(seed)
  const limits = service.limits.map((make) => make(seeded(seed + 1_000)))
  const control = new RateControl({ perMinute: ratePerMinute, inFlight: concurrency, waitMs: maxWaitMs })
  const events: { readonly atMs: number; readonly run: () => void }[] = []
  const doneMs: number[] = []
  const startsMs: number[] = []
  let nowMs = 0
  let busy = 0
  let unsent = count
  let answered = 0
  let refused = 0
  let isOver = false
  const jittered = (ms: number): number => (isIdeal ? ms : ms * (0.7 + 0.6 * random()))
  const after = (ms: number, run: () => void): void => void events.push({ atMs: nowMs + ms, run })
  const freeAtMs = (): number =>
    Math.max(nowMs, ...limits.map((limit) => limit.freeAtMs(nowMs, busy, Math.min(...doneMs))))

  function headers(): Record<string, string> {
    const [limit] = limits
    if (service.headers === undefined || limit?.left === undefined) return {}
    const { untilMs, ...left } = limit.left(nowMs)
    return service.headers({ ...left, untilMs: EPOCH_MS + untilMs, inMs: Math.max(0, untilMs - nowMs) })
  }

  const response = (status: number, stated: Record<string, string>) => ({
    status,
    headers: stated,
    serverDateMs: Math.floor((EPOCH_MS + nowMs) / 1000) * 1000,
  })

  function send(): void {
    unsent -= 1
    startsMs.push(nowMs)
    const start = control.start(nowMs)
    watch('sent', start, nowMs, control)
    const sent = isIdeal ? (_: number, arrive: () => void): void => arrive() : after
    sent(jittered(latencyMs / 2), () => {
      const isAccepted = isIdeal || limits.every((limit) => limit.accepts(nowMs, busy))
      for (const limit of limits) limit.took?.(nowMs, isAccepted)
      if (isAccepted) {
        busy += 1
        const workMs = jittered(answerMs + (isIdeal ? latencyMs : 0))
        doneMs.push(nowMs + workMs)
        const early = headers()
        after(workMs, () => {
          busy -= 1
          const sent = response(200, service.isStatedAtAnswer === true ? headers() : early)
          doneMs.splice(doneMs.indexOf(nowMs), 1)
          after(isIdeal ? 0 : jittered(latencyMs / 2), () => {
            answered += 1
            control.accept(start, nowMs, readRateLimit(sent.headers, sent.serverDateMs, 0))
            control.end(start)
            watch('answered', start, nowMs, control)
          })
        })
        return
      }
      refused += 1
      const retryAfterMs = service.retryAfterMs?.(freeAtMs() - nowMs)
      const sent = response(429, {
        ...headers(),
        ...(retryAfterMs !== undefined && { 'retry-after': String(retryAfterMs / 1000) }),
      })
      after(5 + jittered(latencyMs / 2), () => {
        unsent += 1
        const limit = readRateLimit(sent.headers, sent.serverDateMs, 0)
        const requestedMs = requestedWaitMs(sent, 0)
        isOver ||= control.refuse(start, nowMs, { requestedMs, limit, random: random() }).isOver
        watch('refused', start, nowMs, control)
      })
    })
  }

  while (answered < count && !isOver) {
    let dueMs = unsent > 0 && control.inFlight < concurrency ? control.nextMs(nowMs) : undefined
    if (isIdeal && dueMs !== undefined && dueMs <= nowMs) dueMs = freeAtMs()
    if (dueMs !== undefined && dueMs <= nowMs) {
      send()
      continue
    }
    const next = events.toSorted((one, other) => one.atMs - other.atMs)[0]
    if (dueMs !== undefined && dueMs > nowMs && (next === undefined || dueMs < next.atMs)) {
      nowMs = dueMs
      continue
    }
    if (next === undefined) throw new Error('nothing is left to wait for')
    nowMs = Math.max(nowMs, next.atMs)
    events.splice(events.indexOf(next), 1)
    next.run()
  }
  return { endedMs: nowMs, refused, startsMs, isOver }
}

/** The time of a client that knows the limits, without strays. */
export function idealMs(service: SimulatedService): number {
  return simulate(service, 0, true).endedMs
}
