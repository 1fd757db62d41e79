import { describe, expect, test } from 'vitest'
import {
  LONGEST_WAIT_MS,
  parseHttpDate,
  parseRetryAfter,
  parseTimestamp,
  readRateLimit,
  requestedWaitMs,
  unreadTimes,
} from '../../src/http/rate-headers.ts'

const NOW = Date.parse('2026-03-04T05:06:07Z')

describe('Retry-After', () => {
  test.each([
    ['3', 3_000],
    [' 120 ', 120_000],
    ['1.5', 1_500],
    ['120, 120', 120_000],
    ['5,60', 60_000],
    ['5, soon', undefined],
    ['0', 0],
    ['1000000000', 1e12],
    ['9'.repeat(400), LONGEST_WAIT_MS],
    ['Fri, 31 Dec 9999 23:59:59 GMT', LONGEST_WAIT_MS],
    ['Wed, 04 Mar 2026 05:06:12 GMT', 5_000],
    ['Wednesday, 04-Mar-26 05:06:12 GMT', 5_000],
    ['Wed Mar  4 05:06:12 2026', 5_000],
    ['2026-03-04T05:06:12Z', 5_000],
    ['Wed, 04 Mar 2026 05:06:07 GMT', undefined],
    ['Wed, 04 Mar 2020 05:06:12 GMT', undefined],
    ['-5', undefined],
    ['soon', undefined],
    ['1e9', undefined],
    ['0x10', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('"%s" means to wait %s ms', (value, expected) => {
    expect(parseRetryAfter(value, undefined, NOW)).toBe(expected)
  })

  test('as a date is relative to the Date of the response, not to our clock', () => {
    const serverMs = Date.parse('2024-01-01T00:00:00Z')
    expect(parseRetryAfter('Mon, 01 Jan 2024 00:00:05 GMT', serverMs, NOW)).toBe(5_000)
    expect(parseRetryAfter('Wed, 04 Mar 2026 05:06:12 GMT', NOW + 600_000, NOW)).toBeUndefined()
  })
})

describe('an HTTP date', () => {
  test.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Thursday, 01-Jan-70 23:59:59 GMT', '1970-01-01T23:59:59.000Z'],
    ['Tuesday, 01-Jan-69 00:00:00 GMT', '2069-01-01T00:00:00.000Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    ['Sun, 31 Dec 2034 23:59:60 GMT', '2035-01-01T00:00:00.000Z'],
  ])('%s is read', (text, expected) => {
    expect(new Date(parseHttpDate(text)!).toISOString()).toBe(expected)
  })

  test.each([
    'Sun, 30 Feb 2026 00:00:00 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 23:60:00 GMT',
    'Sun, 06 Nov 1994 23:59:61 GMT',
    'Sun, 00 Nov 1994 00:00:00 GMT',
    'tomorrow',
    '',
  ])('%s is none', (text) => {
    expect(parseHttpDate(text)).toBeUndefined()
  })
})

describe('a date-time', () => {
  test.each([
    ['2026-03-04T05:06:07Z', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04t05:06:07.123z', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04 05:06:07 UTC', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04T05:06:07+02:00', '2026-03-04T03:06:07.000Z'],
    ['2026-03-04T05:06-0530', '2026-03-04T10:36:00.000Z'],
  ])('%s is read', (text, expected) => {
    expect(new Date(parseTimestamp(text)!).toISOString()).toBe(expected)
  })

  test.each(['2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-03-04T05:06:07', '2026-03-04'])(
    '%s is none',
    (text) => {
      expect(parseTimestamp(text)).toBeUndefined()
    },
  )
})

describe('the rate limit in a response', () => {
  test('has all three figures when they are there', () => {
    const headers = { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '42', 'x-ratelimit-reset': '30' }
    expect(readRateLimit(headers, undefined, NOW)).toEqual({ limit: 100, remaining: 42, resetMs: 30_000 })
  })

  test.each(['x-ratelimit', 'ratelimit', 'x-rate-limit'])('may be in headers of %s', (name) => {
    const headers = { [`${name}-limit`]: '100', [`${name}-remaining`]: '0', [`${name}-reset`]: '30' }
    expect(readRateLimit(headers, undefined, NOW)).toEqual({ limit: 100, remaining: 0, resetMs: 30_000 })
  })

  test('is none when no header can be read', () => {
    expect(readRateLimit({}, undefined, NOW)).toBeUndefined()
    expect(
      readRateLimit({ 'x-ratelimit-limit': 'lots', 'x-ratelimit-reset': 'soon' }, undefined, NOW),
    ).toBeUndefined()
  })

  test('has its limit even with a policy behind it', () => {
    expect(readRateLimit({ 'x-ratelimit-limit': '100, 100;w=60' }, undefined, NOW)).toEqual({
      limit: 100,
      windowMs: 60_000,
    })
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
    ['30, 30', 30_000],
    [`${NOW / 1000 + 30}.5`, 30_500],
    ['2026-03-04T08:06:07Z', 3 * 3_600_000],
    ['0', 0],
    ['0.25', 250],
    ['2026-03-04T05:06:07Z', 0],
    ['2026-03-04T05:06:06Z', undefined],
    [String(NOW / 1000 - 30), undefined],
    ['34560000', 400 * 86_400_000],
    ['34560001', undefined],
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

test.each([
  [{ 'x-ratelimit-reset': '12:30:00' }, ['x-ratelimit-reset: 12:30:00']],
  [{ 'ratelimit-reset': '30s', 'retry-after': 'soon' }, ['retry-after: soon', 'ratelimit-reset: 30s']],
  [{ 'retry-after': '1.5', 'x-ratelimit-reset': '2020-03-04T05:06:37Z', 'ratelimit-reset': ' ' }, []],
  [{ 'retry-after': 'Wed, 04 Mar 2020 05:06:12 GMT', 'x-ratelimit-limit': 'lots' }, []],
])('of %j not understood: %j', (headers, unread) => {
  expect(unreadTimes(headers)).toEqual(unread)
})

describe('the headers of the IETF', () => {
  test.each([
    [
      { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '7', 'ratelimit-reset': '30' },
      100,
      7,
      30_000,
      60_000,
    ],
    [
      { 'ratelimit-limit': '5', 'ratelimit-remaining': '4', 'ratelimit-policy': '1000;w=3600, 5;w=1' },
      5,
      4,
      undefined,
      1_000,
    ],
    [{ 'x-ratelimit-limit': '5', 'ratelimit-policy': '1000;w=3600' }, 5, undefined, undefined],
    [{ ratelimit: 'limit=100, remaining=7, reset=30' }, 100, 7, 30_000],
    [
      { ratelimit: 'limit=100, remaining=7, reset=30', 'ratelimit-policy': '100;w=60' },
      100,
      7,
      30_000,
      60_000,
    ],
    [{ ratelimit: '"default";r=7;t=30', 'ratelimit-policy': '"default";q=100;w=60' }, 100, 7, 30_000, 60_000],
    [
      {
        ratelimit: '"day";r=900;t=3600, "burst";r=5;t=1',
        'ratelimit-policy': '"day";q=1000;w=86400,"burst";q=10;w=1',
      },
      10,
      5,
      1_000,
      1_000,
    ],
    [
      { ratelimit: '"a, b";r=5;t=1', 'ratelimit-policy': '"c";q=9;w=9, "a, b";q=10;w=2' },
      10,
      5,
      1_000,
      2_000,
    ],
    [
      {
        ratelimit: '"size";r=1;t=9, "rate";r=5;t=0.5',
        'ratelimit-policy': '"size";q=9;qu="content-bytes";w=9, "rate";q=10;qu="requests";w=0.5',
      },
      10,
      5,
      500,
      500,
    ],
    [{ 'ratelimit-policy': '"default";q=100;w=0' }, 100, undefined, undefined],
    [{ ratelimit: '"default";r=0' }, undefined, 0, undefined],
  ])('%j', (headers, limit, remaining, resetMs, windowMs?: number) => {
    expect(readRateLimit(headers, undefined, NOW)).toEqual({ limit, remaining, resetMs, windowMs })
  })

  test.each([{ ratelimit: 'soon' }, { ratelimit: '' }, { 'ratelimit-policy': '"default"' }])(
    '%j says nothing',
    (headers) => {
      expect(readRateLimit(headers, undefined, NOW)).toBeUndefined()
    },
  )
})

describe('the headers of Kong', () => {
  const second = { 'x-ratelimit-limit-second': '5', 'x-ratelimit-remaining-second': '4' }
  const hour = { 'x-ratelimit-limit-hour': '100', 'x-ratelimit-remaining-hour': '3' }

  test.each([
    [second, { limit: 5, remaining: 4, windowMs: 1_000 }],
    [
      { ...second, ...hour },
      { limit: 100, remaining: 3, windowMs: 3_600_000 },
    ],
    [
      { ...second, ...hour, 'ratelimit-limit': '5', 'ratelimit-remaining': '4', 'ratelimit-reset': '1' },
      { limit: 5, remaining: 4, resetMs: 1_000, windowMs: 1_000 },
    ],
  ])('%j', (headers, expected) => {
    expect(readRateLimit(headers, undefined, NOW)).toEqual(expected)
  })
})

describe('a refused request', () => {
  const DATE = Date.parse('2026-03-04T05:06:07Z')
  test.each([
    [429, { 'retry-after': '2', 'x-ratelimit-reset': '9' }, 2_000],
    [429, { 'x-ratelimit-reset': '9', 'x-ratelimit-remaining': '3' }, 9_000],
    [429, { 'x-ratelimit-reset': '0' }, 1_000],
    [429, { 'x-ratelimit-reset': '0.2' }, 200],
    [503, { 'x-ratelimit-reset': '9' }, 9_000],
    [503, { 'x-ratelimit-reset': '9', 'x-ratelimit-remaining': '0' }, 9_000],
    [503, { 'x-ratelimit-reset': '9', 'x-ratelimit-remaining': '3' }, undefined],
    [503, {}, undefined],
  ])('with %i and %j waits %s ms', (status, headers, expected) => {
    expect(requestedWaitMs({ status, headers, serverDateMs: DATE }, NOW)).toBe(expected)
  })
})
