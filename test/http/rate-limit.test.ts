import { describe, expect, test } from 'vitest'
import { readRateLimit } from '../../src/http/rate-limit.ts'

const NOW = Date.parse('2026-03-04T05:06:07Z')

describe('the rate limit in a response', () => {
  test('has all three figures when they are there', () => {
    const headers = { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '42', 'x-ratelimit-reset': '30' }
    expect(readRateLimit(headers, undefined, NOW)).toEqual({ limit: 100, remaining: 42, resetMs: 30_000 })
  })

  test('is none when no header can be read', () => {
    expect(readRateLimit({}, undefined, NOW)).toBeUndefined()
    expect(
      readRateLimit({ 'x-ratelimit-limit': 'lots', 'x-ratelimit-reset': 'soon' }, undefined, NOW),
    ).toBeUndefined()
  })

  test('has its limit even with a policy behind it', () => {
    expect(readRateLimit({ 'x-ratelimit-limit': '100, 100;w=60' }, undefined, NOW)).toEqual({ limit: 100 })
    expect(readRateLimit({ 'x-ratelimit-remaining': '-1' }, undefined, NOW)).toBeUndefined()
  })
})

describe('the reset', () => {
  test.each([
    ['2026-03-04T05:06:37Z', 30_000],
    ['2026-03-04T07:06:37+02:00', 30_000],
    ['Wed, 04 Mar 2026 05:06:37 GMT', 30_000],
    [String(NOW / 1000 + 30), 30_000],
    [String(NOW + 30_000), 30_000],
    ['30', 30_000],
    [`${NOW / 1000 + 30}.5`, 30_500],
    ['2026-03-04T08:06:07Z', 3 * 3_600_000],
    ['0', undefined],
    ['2026-03-04T05:06:07Z', undefined],
    [String(NOW / 1000 - 30), undefined],
    ['9999999999999999', undefined],
    ['99999999999999999999', undefined],
    ['2055-01-01T00:00:00Z', undefined],
    ['-30', undefined],
    ['', undefined],
  ])('"%s" lies %s ms ahead', (value, expected) => {
    expect(readRateLimit({ 'x-ratelimit-reset': value }, undefined, NOW)?.resetMs).toBe(expected)
  })

  test('is relative to the Date of the response', () => {
    const serverMs = NOW + 600_000
    const headers = { 'x-ratelimit-reset': new Date(serverMs + 5_000).toISOString() }
    expect(readRateLimit(headers, serverMs, NOW)?.resetMs).toBe(5_000)
  })
})
