import { describe, expect, test } from 'vitest'
import { createRateLimiter, type RateLimiter } from '../../src/http/rate-limiter.ts'

const MINUTE = 60_000

/** Starts `count` requests as early as the pace allows, answering each at once; returns when each started. */
function starts(pace: RateLimiter, count: number, fromMs = 0): number[] {
  const times: number[] = []
  let now = fromMs
  while (times.length < count) {
    const waitMs = pace.claim(now)
    if (waitMs > 0) {
      now += waitMs
    } else {
      times.push(now)
      pace.record(undefined, now)
    }
  }
  return times
}

describe('a rate limiter', () => {
  test('lets the first requests start at once', () => {
    expect(starts(createRateLimiter({ ratePerMinute: 3, maxWaitMs: MINUTE }), 3)).toEqual([0, 0, 0])
  })

  test('never has more starts than the rate in any minute', () => {
    for (const rate of [1, 3, 10, 100]) {
      const times = starts(createRateLimiter({ ratePerMinute: rate, maxWaitMs: MINUTE }), rate * 5)
      for (const time of times) {
        expect(times.filter((other) => other >= time && other < time + MINUTE).length).toBeLessThanOrEqual(
          rate,
        )
      }
      expect(times.at(-1)).toBe(4 * MINUTE)
    }
  })

  test('without a limit never waits', () => {
    const times = starts(
      createRateLimiter({ ratePerMinute: Number.POSITIVE_INFINITY, maxWaitMs: MINUTE }),
      10_000,
    )
    expect(times.at(-1)).toBe(0)
  })
})

describe('the limit in a response', () => {
  test('lowers the rate to a smaller limit a minute, and never raises it', () => {
    const pace = createRateLimiter({ ratePerMinute: 100, maxWaitMs: MINUTE })
    pace.claim(0)
    pace.record({ limit: 10 }, 0)
    expect(pace.ratePerMinute()).toBe(10)
    pace.claim(1)
    pace.record({ limit: 1_000 }, 1)
    expect(pace.ratePerMinute()).toBe(10)
  })

  test('does not lower it by a limit whose window is not a minute', () => {
    const pace = createRateLimiter({ ratePerMinute: 100, maxWaitMs: MINUTE })
    pace.claim(0)
    pace.record({ limit: 10, resetMs: 3_600_000 }, 0)
    expect(pace.ratePerMinute()).toBe(100)
  })

  test('stops starts when none remain until the reset', () => {
    const pace = createRateLimiter({ ratePerMinute: 100, maxWaitMs: MINUTE })
    pace.claim(0)
    pace.record({ remaining: 0, resetMs: 20_000 }, 0)
    expect(pace.claim(5_000)).toBe(16_000)
    expect(pace.claim(21_000)).toBe(0)
  })

  test('spends what remains, less the requests in flight', () => {
    const pace = createRateLimiter({ ratePerMinute: 100, maxWaitMs: MINUTE })
    for (let times = 0; times < 3; times += 1) expect(pace.claim(0)).toBe(0)
    pace.record({ remaining: 4, resetMs: 20_000 }, 0)
    expect(pace.claim(0)).toBe(0)
    expect(pace.claim(0)).toBe(0)
    expect(pace.claim(0)).toBe(21_000)
  })

  test('is not waited for beyond the longest wait: the next response decides', () => {
    const pace = createRateLimiter({ ratePerMinute: 100, maxWaitMs: MINUTE })
    pace.claim(0)
    pace.record({ remaining: 0, resetMs: MINUTE + 1 }, 0)
    expect(pace.claim(0)).toBe(0)
  })
})

describe('a refusal', () => {
  test('stops all starts for its wait, the longest counting', () => {
    const pace = createRateLimiter({ ratePerMinute: 100, maxWaitMs: MINUTE })
    pace.claim(0)
    pace.refused(10_000, 0)
    pace.refused(3_000, 1_000)
    expect(pace.claim(1_000)).toBe(9_000)
    expect(pace.claim(10_000)).toBe(0)
  })

  test('halves the rate, once a minute however many bursts are refused', () => {
    const pace = createRateLimiter({ ratePerMinute: 100, maxWaitMs: MINUTE })
    pace.refused(10_000, 0)
    pace.refused(10_000, 1_000)
    expect(pace.ratePerMinute()).toBe(50)
    pace.refused(1_000, 12_000)
    pace.refused(1_000, 20_000)
    expect(pace.ratePerMinute()).toBe(50)
    pace.refused(10_000, MINUTE)
    expect(pace.ratePerMinute()).toBe(25)
  })

  test('leaves at least one start a minute', () => {
    const pace = createRateLimiter({ ratePerMinute: 1, maxWaitMs: MINUTE })
    pace.refused(1_000, 0)
    expect(pace.ratePerMinute()).toBe(1)
  })

  test('is recovered from by a tenth a minute, up to what is allowed', () => {
    const pace = createRateLimiter({ ratePerMinute: 100, maxWaitMs: MINUTE })
    pace.refused(0, 0)
    expect(pace.ratePerMinute()).toBe(50)
    for (let minute = 1; minute <= 8; minute += 1) {
      pace.claim(minute * MINUTE)
      pace.record(undefined, minute * MINUTE)
    }
    expect(pace.ratePerMinute()).toBe(100)
  })
})
