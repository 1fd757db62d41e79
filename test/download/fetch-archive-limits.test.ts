import { describe, expect, test } from 'vitest'
import { Admission } from '../../src/http/admission.ts'
import { type FaultRow, testFaults } from '../support/fault-table.ts'
import { ARCHIVE, fetching, withService } from '../support/fetching.ts'
import { answer, type RawHandler, rawServer } from '../support/raw-server.ts'
import { testWorld } from '../support/world.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)
const NOW = Date.parse('2026-03-04T05:06:07Z')
const DATE = 'Date: Wed, 04 Mar 2026 05:06:07 GMT'

describe('a busy or failing service', () => {
  testFaults([
    ...[408, 425, 500, 502, 503, 504, 522, 524].map(
      (status): FaultRow => ({
        title: `${status} is asked again, and the archive saved when it comes`,
        serve: downloads(({ number }) => (number === 1 ? answer(status, [], '{"message":"busy"}') : WHOLE)),
        ends: 'saved',
        requests: 2,
        says: /status \d+\): busy; retrying in 0\.5 s \(attempt 2 of 3\)/,
      }),
    ),
    {
      title: 'always 503 ends with host, attempts, time and the request’s id, cleaned',
      serve: downloads(() => answer(503, ['X-Request-Id: ab\u202ec'], '')),
      ends: 'unavailable',
      requests: 6,
      status: 503,
      says: /^127\.0\.0\.1:\d+ is failing \(status 503\) \(request id ab\\u202ec\) \(6 attempts in 16 s\)$/m,
      options: { retries: 5 },
      also: ({ world, failure }) => {
        expect(world.fakeClock.slept).toEqual([500, 1000, 2000, 4000, 8000])
        expect(failure?.details.attempts).toBe(6)
      },
    },
    {
      title: 'refusals for the rate leave all retries for what fails afterwards',
      serve: downloads(({ number }) =>
        number < 4 ? answer(429, [], '') : number === 4 ? answer(500, [], '') : WHOLE,
      ),
      ends: 'saved',
      // One of them asks for the quota.
      requests: 6,
      options: { retries: 1 },
    },
    {
      title: 'waits are jittered over the whole range',
      serve: downloads(() => answer(503, [], '')),
      ends: 'unavailable',
      requests: 3,
      options: { world: testWorld({ random: () => 0.9 }) },
      also: ({ world }) => expect(world.fakeClock.slept).toEqual([900, 1800]),
    },
    {
      title: 'a header that may mean several times is named once, and not used',
      serve: downloads(({ number }) =>
        number < 3 ? answer(503, ['X-RateLimit-Reset: 12:30:00'], '') : WHOLE,
      ),
      ends: 'saved',
      requests: 3,
      also: ({ world, words }) => {
        expect(world.fakeClock.slept).toEqual([500, 1000])
        const named =
          /the header "x-ratelimit-reset: 12:30:00" of 127\.0\.0\.1:\d+ is not understood, and not used/g
        expect(words.match(named)).toHaveLength(1)
      },
    },
    {
      title: '503 with Retry-After waits that long and a little more',
      serve: downloads(({ number }) => (number === 1 ? answer(503, ['Retry-After: 7'], '') : WHOLE)),
      ends: 'saved',
      requests: 2,
      also: ({ world }) => expect(world.fakeClock.slept).toEqual([7500]),
    },
    {
      title: '503 with a reset waits for it',
      serve: downloads(({ number }) =>
        number === 1 ? answer(503, [DATE, 'X-RateLimit-Remaining: 0', 'X-RateLimit-Reset: 7'], '') : WHOLE,
      ),
      ends: 'saved',
      requests: 2,
      also: ({ world }) => expect(world.fakeClock.slept).toEqual([7500]),
    },
    {
      title: '503 with a reset while requests are left waits as it sees fit',
      serve: downloads(({ number }) =>
        number === 1 ? answer(503, [DATE, 'X-RateLimit-Remaining: 9', 'X-RateLimit-Reset: 7'], '') : WHOLE,
      ),
      ends: 'saved',
      requests: 2,
      also: ({ world }) => expect(world.fakeClock.slept).toEqual([500]),
    },
    {
      title: '503 with Retry-After beyond the maximum wait ends as limited, with the time to retry',
      serve: downloads(() => answer(503, ['Retry-After: 3600'], '')),
      ends: 'limited',
      requests: 1,
      status: 503,
      says: [/requests a wait of 1 h, longer than the maximum of 5 min/, /retry at 2026-03-04T06:06:07Z/],
      also: ({ failure, world }) => {
        expect(failure?.details.retryAtMs).toBe(NOW + 3_600_000)
        expect(world.fakeClock.slept).toEqual([])
      },
    },
  ])
})

describe('a rate limit', () => {
  testFaults([
    {
      title: 'with Retry-After in seconds is waited for',
      serve: downloads(({ number }) => (number === 1 ? answer(429, ['Retry-After: 3'], '') : WHOLE)),
      ends: 'saved',
      requests: 3,
      says: /is limiting the request rate \(status 429\); retrying in 3\.4 s \(attempt 2\)/,
      also: ({ world }, server) => {
        expect(world.fakeClock.slept).toEqual([3375])
        expect(server.requests.map(({ path }) => path.split('?')[0])).toEqual([
          '/v2/download',
          '/v2/quota',
          '/v2/download',
        ])
      },
    },
    ...waits(
      'with Retry-After as a date is measured by the server’s own clock',
      ['Date: Mon, 01 Jan 2024 00:00:00 GMT', 'Retry-After: Mon, 01 Jan 2024 00:00:05 GMT'],
      5_500,
    ),
    ...waits(
      'with Retry-After as a date and no Date is measured by ours',
      ['Retry-After: Wed, 04 Mar 2026 05:06:12 GMT'],
      5_500,
    ),
    ...waits(
      'with a date-time as reset is waited for',
      [DATE, 'X-RateLimit-Reset: 2026-03-04T05:06:17Z'],
      10_500,
    ),
    ...waits(
      'with epoch seconds as reset is waited for',
      [DATE, `X-RateLimit-Reset: ${NOW / 1000 + 10}`],
      10_500,
    ),
    ...waits(
      'with epoch milliseconds as reset is waited for',
      [DATE, `X-RateLimit-Reset: ${NOW + 10_000}`],
      10_500,
    ),
    ...waits('with seconds from now as reset is waited for', [DATE, 'X-RateLimit-Reset: 10'], 10_500),
    ...waits(
      'with a reset that is past waits as it sees fit',
      [DATE, `X-RateLimit-Reset: ${NOW / 1000 - 10}`],
      1_050,
    ),
    ...waits(
      'with Retry-After and a reset listens to Retry-After',
      [DATE, 'Retry-After: 2', 'X-RateLimit-Reset: 100'],
      2_250,
    ),
    ...[['-5'], ['soon'], [''], ['Mon, 01 Jan 2024 00:00:00 GMT'], ['0']].flatMap(([value]) =>
      waits(
        `with Retry-After "${value}" waits as it sees fit, never not at all`,
        [`Retry-After: ${value}`],
        1_050,
      ),
    ),
    ...waits('with no word on when waits as it sees fit', [], 1_050),
    ...['1000000000', '9'.repeat(30), 'Fri, 01 Jan 2055 00:00:00 GMT'].map(
      (value): FaultRow => ({
        title: `with Retry-After ${value} ends at once as limited`,
        serve: downloads(() => answer(429, [`Retry-After: ${value}`], '')),
        ends: 'limited',
        requests: 2,
        status: 429,
        says: /longer than the maximum of 5 min[\s\S]*retry at (?:a date|\+?\d{4,6}-)/,
      }),
    ),
    {
      title: 'with a reset beyond the maximum wait ends as limited, with the time to retry',
      serve: downloads(() => answer(429, [DATE, 'X-RateLimit-Reset: 2026-03-04T07:06:07Z'], '')),
      ends: 'limited',
      requests: 2,
      says: /retry at 2026-03-04T07:06:07Z/,
    },
    {
      title: 'whose Retry-After is always too short ends as one that says nothing, with the service’s words',
      serve: downloads(() => answer(429, ['Retry-After: 1'], '{"message":"too many requests"}')),
      ends: 'limited',
      requests: 10,
      status: 429,
      says: [/status 429\): too many requests; no request was accepted within the maximum wait/],
      also: ({ world }) => expect(world.fakeClock.slept.slice(0, 3)).toEqual([1125, 1125, 6300]),
    },
    {
      title: 'that says nothing is waited out, without being counted',
      serve: downloads(({ number }) => (number < 4 ? answer(429, [], '') : WHOLE)),
      ends: 'saved',
      requests: 5,
      says: [/status 429\); retrying in 1\.1 s \(attempt 2\)$/m, /retrying in 6\.3 s \(attempt 3\)$/m],
      options: { retries: 1 },
      also: ({ world }) => expect(world.fakeClock.slept).toEqual([1_050, 6_300, 56_150]),
    },
    {
      title: 'that says nothing ends as limited when the maximum wait is over',
      serve: downloads(() => answer(429, [], '{"message":"slow down"}')),
      ends: 'limited',
      requests: 9,
      status: 429,
      says: [
        /status 429\): slow down; no request was accepted within the maximum wait of 5 min/,
        /send fewer requests per minute, or raise the maximum wait.*--rate.*--max-wait/,
      ],
      also: ({ world }) => {
        expect(world.fakeClock.slept.reduce((sum, waitMs) => sum + waitMs)).toBe(300_000)
      },
    },
    {
      title: 'that says nothing is one try with no retries',
      serve: downloads(() => answer(429, [], '')),
      ends: 'unavailable',
      requests: 2,
      status: 429,
      options: { retries: 0 },
      also: ({ world }) => expect(world.fakeClock.slept).toEqual([]),
    },
    {
      title: 'that is the yearly allowance ends at once as limited',
      serve: downloads(() => answer(429, ['Retry-After: 1'], ''), quota(1000, 1000)),
      ends: 'limited',
      requests: 2,
      status: 429,
      says: [
        /the allowance of 1,000 requests is used up \(1,000 used\)/,
        /no header says until when: ask the provider when it is renewed, or for a larger one; matdecl doctor/,
      ],
      options: { retries: 5 },
      also: ({ world }) => expect(world.fakeClock.slept).toEqual([]),
    },
    {
      title: 'that is the yearly allowance says until when, if the service does',
      serve: downloads(
        () => answer(429, [DATE, 'X-RateLimit-Reset: 2026-12-31T23:00:00Z'], ''),
        quota(1000, 1000),
      ),
      ends: 'limited',
      requests: 2,
      status: 429,
      says: /used up[\s\S]*retry at 2026-12-31T23:00:00Z, as the service requests, or ask the provider for a larger one/,
    },
    {
      title: 'is not the allowance of a token that may not download',
      serve: downloads(
        ({ number }) => (number === 1 ? answer(429, ['Retry-After: 1'], '') : WHOLE),
        quota(0, 0, false),
      ),
      ends: 'saved',
      requests: 3,
    },
    {
      title: 'with allowance left is retried, and the quota is requested once',
      serve: downloads(
        ({ number }) => (number < 4 ? answer(429, ['Retry-After: 1'], '') : WHOLE),
        quota(1000, 999),
      ),
      ends: 'saved',
      requests: 5,
      options: { retries: 5 },
    },
    ...(
      [
        ['no such address', answer(404, [], '')],
        ['an error', answer(500, [], '')],
        ['no JSON', answer(200, [], 'hello')],
        ['other JSON', answer(200, [], '{"api:consume":{"tier_limit":"many"}}')],
      ] as const
    ).map(
      ([what, bytes]): FaultRow => ({
        title: `is waited for when the allowance question brings ${what}`,
        serve: downloads(({ number }) => (number === 1 ? answer(429, ['Retry-After: 1'], '') : WHOLE), bytes),
        ends: 'saved',
        requests: 3,
      }),
    ),
  ])

  test('of v1 does not ask for the allowance of v2', async () => {
    const server = await rawServer(downloads(({ number }) => (number === 1 ? answer(429, [], '') : WHOLE)))
    const request = { method: 'POST' as const, url: `${server.url}/api/download`, headers: {}, body: '{}' }
    const run = await fetching(server.url, { request, token: undefined })
    expect(run.bytes?.equals(ARCHIVE)).toBe(true)
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/download', '/api/download'])
    await server.close()
  })

  test('in the words of a 503 is waited out in a run in which other requests succeed', async () => {
    const server = await rawServer(
      downloads(({ number }) => (number === 1 || number > 4 ? WHOLE : answer(503, [], ''))),
    )
    const world = testWorld()
    const admission = new Admission(world, { ratePerMinute: 1_000, concurrency: 4, maxWaitMs: 300_000 })
    await withService(server.url, { world }, async (_, fetchOne) => {
      await fetchOne({ admission })
      const second = await fetchOne({ admission, retries: 1 })
      expect(second.bytes?.equals(ARCHIVE)).toBe(true)
      expect(world.fakeClock.slept).toEqual([1_050, 6_300, 56_150])
    })
    await server.close()
  })

  test('in a repeated 503 ends as unavailable', async () => {
    const server = await rawServer(downloads(({ number }) => (number === 1 ? WHOLE : answer(503, [], ''))))
    const world = testWorld()
    const admission = new Admission(world, { ratePerMinute: 1_000, concurrency: 4, maxWaitMs: 20_000 })
    await withService(server.url, { world }, async (_, fetchOne) => {
      await fetchOne({ admission })
      const { failure, files } = await fetchOne({ admission, maxWaitMs: 20_000 })
      expect(failure).toMatchObject({ kind: 'unavailable', details: { httpStatus: 503, attempts: 4 } })
      expect(failure!.message).toMatch(/no request was accepted within the maximum wait of 20 s/)
      expect(files).toEqual([])
    })
    await server.close()
  })

  test('for one request pauses all requests of the run', async () => {
    const server = await rawServer(
      downloads(({ number }) => (number === 1 ? answer(429, ['Retry-After: 60'], '') : WHOLE)),
    )
    const world = testWorld()
    const admission = new Admission(world, { ratePerMinute: 1_000, concurrency: 4, maxWaitMs: 300_000 })
    await withService(server.url, { world }, async (_, fetchOne) => {
      await fetchOne({ admission, retries: 1 })
      expect(world.fakeClock.slept).toEqual([60_500])
      const signal = new AbortController().signal
      const other = admission.begin()
      await other.admit({ signal, onWait: () => undefined })
      other.refused({ limit: undefined, requestedMs: 90_000 })
      other.over()
      const before = world.fakeClock.slept.length
      await fetchOne({ admission })
      expect(world.fakeClock.slept.slice(before)).toEqual([90_500])
    })
    await server.close()
  })

  test('that announces its end is closed before it breaks', async () => {
    const lines = ['X-RateLimit-Limit: 100', 'X-RateLimit-Remaining: 0', 'X-RateLimit-Reset: 20']
    const server = await rawServer(
      downloads(({ number }) => (number === 1 ? answer(200, lines, ARCHIVE) : WHOLE)),
    )
    const world = testWorld()
    const admission = new Admission(world, { ratePerMinute: 1_000, concurrency: 4, maxWaitMs: 300_000 })
    await withService(server.url, { world }, async (_, fetchOne) => {
      const first = await fetchOne({ admission })
      expect(first.got?.rateLimit).toEqual({ limit: 100, remaining: 0, resetMs: 20_000 })
      await fetchOne({ admission })
    })
    expect(world.fakeClock.slept).toEqual([21_000])
    await server.close()
  })
})

/** Serves `/v2/quota` apart (404 unless given); everything else is numbered on its own. */
function downloads(
  bytes: (request: { readonly number: number }) => Buffer,
  quotaAnswer: Buffer = answer(404, [], ''),
): RawHandler {
  let number = 0
  return (request, socket) => {
    if (request.path === '/v2/quota') {
      socket.write(quotaAnswer)
      return
    }
    number += 1
    socket.write(bytes({ number }))
  }
}

function quota(limit: number, used: number, authorized = true): Buffer {
  const body = {
    company: { name: 'A', duns: '1' },
    'api:consume': { authorized, tier_limit: limit, tier_usage: used },
  }
  return answer(200, ['Content-Type: application/json'], JSON.stringify(body))
}

/** One 429 with these headers, after which exactly this wait must follow. */
function waits(title: string, lines: readonly string[], waitMs: number): FaultRow[] {
  return [
    {
      title,
      serve: downloads(({ number }) => (number === 1 ? answer(429, lines, '') : WHOLE)),
      ends: 'saved',
      requests: 3,
      also: ({ world }) => expect(world.fakeClock.slept).toEqual([waitMs]),
    },
  ]
}
