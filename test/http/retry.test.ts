import { describe, expect, test } from 'vitest'
import {
  MOST_ATTEMPTS,
  mayRetry,
  RETRIED_STATUSES,
  type RetryRule,
  retryWaitMs,
} from '../../src/http/retry.ts'

describe('a retry', () => {
  test.each([
    ['never', 1, 1, 1, 5, false],
    ['always', 1, 1, 1, 5, true],
    ['always', 5, 5, 5, 5, true],
    ['always', 6, 6, 6, 5, false],
    ['always', 1, 1, 1, 0, false],
    ['always', 40, 2, 40, 5, true],
    ['once', 1, 1, 1, 5, true],
    ['once', 2, 2, 2, 5, false],
    ['once', 3, 3, 1, 5, true],
    ['once', 7, 6, 1, 5, false],
    ['twice', 2, 2, 2, 5, true],
    ['twice', 3, 3, 3, 5, false],
    ['twice', 2, 2, 2, 1, false],
    ['always', MOST_ATTEMPTS, 0, 1, 5, false],
  ] as const)(
    'under "%s" after %s attempts, %s fruitless, %s of its kind, --retries %s: %s',
    (rule, attempts, fruitless, sameRule, retries, expected) => {
      expect(mayRetry(rule as RetryRule, { attempts, fruitless, sameRule }, retries)).toBe(expected)
    },
  )

  test('is due for temporary statuses only', () => {
    expect(RETRIED_STATUSES.filter((status) => status < 520)).toEqual([408, 425, 429, 500, 502, 503, 504])
  })
})

describe('the wait before it', () => {
  const maxWaitMs = 300_000

  test('is anywhere under a ceiling that doubles up to a minute', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((times) => retryWaitMs(times, 0.999_999, { maxWaitMs }))
    expect(ceilings).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
    expect(retryWaitMs(5, 0.25, { maxWaitMs })).toBe(4_000)
  })

  test('is never zero', () => {
    expect(retryWaitMs(1, 0, { maxWaitMs })).toBe(100)
    expect(retryWaitMs(1, 0, { maxWaitMs, atLeastMs: 1_000 })).toBe(1_000)
  })

  test('is what was asked for and up to a second more', () => {
    expect(retryWaitMs(1, 0, { maxWaitMs, requestedMs: 3_000 })).toBe(3_000)
    expect(retryWaitMs(9, 0.999_999, { maxWaitMs, requestedMs: 3_000 })).toBe(4_000)
    expect(retryWaitMs(1, 0.5, { maxWaitMs, requestedMs: 20 })).toBe(100)
  })

  test('is not longer than the longest wait, except when asked for', () => {
    expect(retryWaitMs(9, 0.9, { maxWaitMs: 5_000 })).toBe(5_000)
    expect(retryWaitMs(1, 0.9, { maxWaitMs: 3_000, requestedMs: 3_000 })).toBe(3_000)
    expect(retryWaitMs(1, 0.5, { maxWaitMs: 0 })).toBe(0)
  })
})
