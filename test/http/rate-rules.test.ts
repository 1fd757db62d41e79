import { describe, expect, test } from 'vitest'
import {
  allowedRate,
  claimStart,
  limitStated,
  movedState,
  type RateState,
  startAccepted,
  startRefused,
  UNKNOWN_RATE,
} from '../../src/http/rate-rules.ts'
import { LIMITS, simulate } from '../support/rate-limits.ts'
import { seeded } from '../support/seeded.ts'

const MINUTE = 60_000

/** Starts `count` requests as early as the rules allow, each accepted at once; returns when each started. */
function starts(ratePerMinute: number, count: number, from: RateState = UNKNOWN_RATE, fromMs = 0): number[] {
  const times: number[] = []
  let state = from
  let now = fromMs
  while (times.length < count) {
    const claimed = claimStart(state, ratePerMinute, now)
    state = claimed.state
    now += claimed.waitMs
    if (claimed.waitMs === 0) {
      times.push(now)
      state = startAccepted(state, ratePerMinute, now)
    }
  }
  return times
}

function refusedAt(state: RateState, startMs: number, nowMs: number, more = {}): RateState {
  const facts = { startMs, nowMs, isSilent: true, random: 0, longestMs: Number.POSITIVE_INFINITY, ...more }
  return startRefused(state, 100, facts)
}

const waitAt = (state: RateState, nowMs: number): number => claimStart(state, 100, nowMs).waitMs

describe('starts', () => {
  test('at the default rate: four at once, then evenly', () => {
    expect(starts(100, 7)).toEqual([0, 0, 0, 0, 600, 1200, 1800])
  })

  test.each([
    [10, [0, 6000, 12_000]],
    [50, [0, 0, 1200]],
    [60_000, [0, 0, 0]],
  ])('at %i a minute are at %j ms', (rate, expected) => {
    expect(starts(rate, 3)).toEqual(expected)
  })

  test('may burst again after a pause', () => {
    const first = claimStart(UNKNOWN_RATE, 100, 0).state
    expect(starts(100, 5, first, 10_000)).toEqual([10_000, 10_000, 10_000, 10_000, 10_600])
  })

  test.each([1, 3, 10, 100, 250])('are at most %i in any minute', (rate) => {
    const times = starts(rate, rate * 5)
    times.forEach((time, index) => {
      const later = times[index + rate]
      if (later !== undefined) expect(later - time).toBeGreaterThanOrEqual(MINUTE)
    })
    expect(times.at(-1)).toBeLessThanOrEqual(5 * MINUTE)
  })
})

describe('the limit in a response', () => {
  const at = { nowMs: 0, inFlight: 0, maxWaitMs: MINUTE }

  test('lowers the rate to a smaller limit a minute, and never raises it', () => {
    const ten = limitStated(UNKNOWN_RATE, { limit: 10 }, at)
    expect(allowedRate(ten, 100)).toBe(10)
    expect(allowedRate(limitStated(ten, { limit: 1_000 }, at), 100)).toBe(10)
  })

  test('does not lower it when its window is not a minute', () => {
    expect(allowedRate(limitStated(UNKNOWN_RATE, { limit: 10, resetMs: 3_600_000 }, at), 100)).toBe(100)
  })

  test('lets what remains start at once, less the requests in flight, then waits for the reset', () => {
    const state = limitStated(UNKNOWN_RATE, { remaining: 24, resetMs: 20_000 }, { ...at, inFlight: 4 })
    expect(starts(100, 21, state)).toEqual([...Array(20).fill(0), 21_000])
  })

  test('does not allow more than the rate in a minute', () => {
    const state = limitStated(UNKNOWN_RATE, { remaining: 5_000, resetMs: 60_000 }, at)
    expect(starts(100, 101, state)).toEqual([...Array(100).fill(0), MINUTE])
  })

  test('is not waited for beyond the longest wait: the next response decides', () => {
    const state = limitStated(UNKNOWN_RATE, { remaining: 0, resetMs: MINUTE + 1 }, at)
    expect(waitAt(state, 0)).toBe(0)
  })
})

describe('a refusal', () => {
  const started = claimStart(UNKNOWN_RATE, 100, 0).state

  test('stops all starts, for longer each time', () => {
    let state = refusedAt(started, 0, 10)
    expect(waitAt(state, 10)).toBe(1_000)
    state = refusedAt(state, 1_010, 1_020)
    expect(waitAt(state, 1_020)).toBe(6_000)
    state = refusedAt(state, 7_020, 7_030)
    expect(waitAt(state, 7_030)).toBe(25_000)
    state = refusedAt(state, 32_030, 32_040)
    expect(waitAt(state, 32_040)).toBe(60_000)
  })

  test('of requests in flight together is one refusal', () => {
    let state = started
    for (let count = 0; count < 3; count += 1) state = claimStart(state, 100, 0).state
    for (const nowMs of [10, 11, 12]) state = refusedAt(state, 0, nowMs)
    expect(state.refusal).toMatchObject({ count: 1, refusedStarts: 3, accepted: 1, untilMs: 1_010 })
  })

  test('waits as long as the service requests, however short or long', () => {
    expect(waitAt(refusedAt(started, 0, 0, { requestedMs: 200 }), 0)).toBe(200)
    expect(waitAt(refusedAt(started, 0, 0, { requestedMs: 200_000 }), 0)).toBe(200_000)
  })

  test('waits no longer than the rest of the maximum wait', () => {
    expect(waitAt(refusedAt(started, 0, 0, { longestMs: 300 }), 0)).toBe(300)
  })

  test('of many starts in a short time waits for the next minute, then learns the limit a minute', () => {
    let state = UNKNOWN_RATE
    const times = starts(100, 10)
    for (const time of times) state = claimStart(state, 100, time).state
    state = claimStart(state, 100, 4_200).state
    state = refusedAt(state, 4_200, 4_200)
    state = refusedAt(state, 5_200, 5_200)
    state = refusedAt(state, 11_200, 11_200)
    const { untilMs } = state.refusal!
    expect(untilMs).toBeGreaterThan(MINUTE)
    expect(untilMs).toBeLessThan(1.4 * MINUTE)
    const learned = startAccepted(state, 100, untilMs)
    expect(allowedRate(learned, 100)).toBeCloseTo(9)
    expect(waitAt(learned, untilMs)).toBeCloseTo(MINUTE / 9, -1)
  })

  test('teaches nothing when the service states its limit', () => {
    const state = startAccepted(refusedAt(started, 0, 0, { requestedMs: 500, isSilent: false }), 100, 600)
    expect(allowedRate(state, 100)).toBe(100)
    expect(state.refusal).toBeUndefined()
  })

  test('is not ended by the success of an earlier start', () => {
    const state = refusedAt(claimStart(started, 100, 1).state, 1, 10)
    expect(startAccepted(state, 100, 0).refusal).toBe(state.refusal)
  })

  test('is recovered from slowly, up to what is allowed', () => {
    let state: RateState = { ...UNKNOWN_RATE, learned: 50, raise: 0.06 / 50 }
    const minutes: number[] = []
    for (let count = 0; count < 600; count += 1) {
      if (count % 50 === 0) minutes.push(Math.round(allowedRate(state, 100)))
      state = startAccepted(state, 100, count)
    }
    expect(minutes.slice(0, 3)).toEqual([50, 53, 56])
    expect(allowedRate(state, 100)).toBe(100)
  })
})

describe('21 requests under a limit of 10 a minute that is not stated', () => {
  const kinds = Object.entries(LIMITS)
  const cases = kinds.flatMap(([kind, limit]) =>
    [100, 15, 10].flatMap((rate) => [50, 1_000].map((latencyMs) => ({ kind, limit, rate, latencyMs }))),
  )

  test.each(cases)('by $kind, at --rate $rate and $latencyMs ms', ({ limit, rate, latencyMs }) => {
    for (let seed = 0; seed < 12; seed += 1) {
      const random = seeded(seed)
      const run = simulate(limit(10, seed / 12), { count: 21, ratePerMinute: rate, latencyMs, random })
      expect(run.endedMs, `seed ${seed}`).toBeLessThanOrEqual(1.3 * 2 * MINUTE + latencyMs)
      expect(run.refused, `seed ${seed}`).toBeLessThanOrEqual(5)
    }
  })
})

describe('long runs under a limit that is not stated', () => {
  test.each(Object.entries(LIMITS))('by %s waste little time and few requests', (_, limit) => {
    for (const [perMinute, count] of [
      [10, 100],
      [100, 400],
    ] as const) {
      const run = simulate(limit(perMinute, 0.3), {
        count,
        ratePerMinute: 1_000,
        latencyMs: 200,
        random: seeded(perMinute),
      })
      expect(run.endedMs).toBeLessThanOrEqual((1.6 * count * MINUTE) / perMinute)
      expect(run.refused / count).toBeLessThanOrEqual(0.16)
    }
  })
})

describe('any sequence of events', () => {
  test('leaves finite waits, starts within the rate, and a state that survives JSON', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const random = seeded(seed)
      const rate = [1, 7, 100, 100_000][seed % 4]!
      let state = UNKNOWN_RATE
      let nowMs = 0
      const open: number[] = []
      const all: number[] = []
      for (let step = 0; step < 60; step += 1) {
        const claimed = claimStart(state, rate, nowMs)
        expect(Number.isSafeInteger(claimed.waitMs) && claimed.waitMs >= 0, `seed ${seed}`).toBe(true)
        expect(claimed.waitMs).toBeLessThanOrEqual(20 * MINUTE)
        state = claimed.state
        if (claimed.waitMs === 0) {
          open.push(nowMs)
          all.push(nowMs)
        }
        const startMs = open.splice(Math.floor(random() * open.length), 1)[0] ?? nowMs
        const choice = random()
        const facts = { startMs, nowMs, isSilent: random() < 0.7, random: random(), longestMs: 5 * MINUTE }
        if (choice < 0.4) state = startAccepted(state, rate, startMs)
        else if (choice < 0.6) state = startRefused(state, rate, facts)
        else if (choice < 0.7) state = startRefused(state, rate, { ...facts, requestedMs: random() * MINUTE })
        else if (choice < 0.8) {
          const stated = {
            limit: Math.floor(random() * 50),
            remaining: Math.floor(random() * 9),
            resetMs: 9_000,
          }
          state = limitStated(state, stated, { nowMs, inFlight: open.length, maxWaitMs: MINUTE })
        }
        expect(allowedRate(state, rate)).toBeGreaterThan(0)
        expect(allowedRate(state, rate)).toBeLessThanOrEqual(rate)
        if (Number.isFinite(state.learnedFromMs)) {
          expect(JSON.parse(JSON.stringify(state))).toEqual(JSON.parse(JSON.stringify(movedState(state, 0))))
        }
        nowMs += Math.ceil(random() * (random() < 0.2 ? 2 * MINUTE : 1_000))
      }
      for (const time of all) {
        const within = all.filter((each) => each >= time && each < time + MINUTE)
        expect(within.length).toBeLessThanOrEqual(rate)
      }
    }
  })
})
