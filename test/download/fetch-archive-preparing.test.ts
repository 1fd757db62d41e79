import { describe, expect, test } from 'vitest'
import { testFaults } from '../support/fault-table.ts'
import { ARCHIVE, fetching, TOKEN } from '../support/fetching.ts'
import { answer, head, type RawHandler, type RawRequest, reset } from '../support/raw-server.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)
const options = { responseTimeoutMs: 600_000 }
const preparing = (lines: readonly string[]): Buffer => answer(202, lines, '{"status":"accepted"}')

/** Responds to the n-th request with the n-th of these, to later ones with the last. */
const inTurn =
  (...replies: readonly (Buffer | string | ((request: RawRequest) => Buffer))[]): RawHandler =>
  (request, socket) => {
    const reply = replies[Math.min(request.number, replies.length) - 1]!
    socket.write(typeof reply === 'function' ? reply(request) : reply)
  }

describe('an archive that the service is preparing (202)', () => {
  testFaults([
    {
      title: 'is awaited at its location, with the token, after growing waits',
      serve: inTurn(
        preparing(['Location: /jobs/1']),
        preparing(['Location: /jobs/1']),
        preparing(['Location: /jobs/1', 'Retry-After: 7']),
        WHOLE,
      ),
      ends: 'saved',
      requests: 4,
      options,
      says: /request 1: the service is preparing the archive; checking again in 2\.0 s/,
      also: (run, server) => {
        expect(server.requests.slice(1).map(({ path }) => path)).toEqual(['/jobs/1', '/jobs/1', '/jobs/1'])
        expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
          Array(4).fill(`Bearer ${TOKEN}`),
        )
        expect(run.world.fakeClock.slept).toEqual([2_000, 4_000, 7_000])
        // One attempt, of which one notice tells.
        expect(run.got).toMatchObject({ attempts: 1 })
        expect(run.words.match(/preparing/g)).toHaveLength(1)
      },
    },
    {
      title: 'is asked for again at the same URL without a location',
      serve: inTurn(preparing(['Retry-After: 3']), preparing(['Retry-After: 3']), WHOLE),
      ends: 'saved',
      requests: 3,
      options,
      also: (run, server) => {
        expect(new Set(server.requests.map(({ path }) => path)).size).toBe(1)
        expect(run.world.fakeClock.slept).toEqual([3_000, 3_000])
      },
    },
    {
      title: 'behind a redirect (303) is awaited where that led, and found behind another',
      serve: inTurn(
        answer(303, ['Location: /jobs/1'], ''),
        preparing(['Retry-After: 1']),
        preparing(['Retry-After: 1']),
        answer(303, ['Location: /files/1.zip'], ''),
        WHOLE,
      ),
      ends: 'saved',
      requests: 5,
      options,
      also: (_, server) =>
        expect(server.requests.slice(1).map(({ path }) => path)).toEqual([
          '/jobs/1',
          '/jobs/1',
          '/jobs/1',
          '/files/1.zip',
        ]),
    },
    {
      title: 'is awaited through errors that may pass',
      serve: (request, socket) => {
        if (request.number === 1) socket.write(preparing(['Location: /jobs/1']))
        else if (request.number === 2) reset(socket)
        else if (request.number === 3) socket.write(answer(503, [], ''))
        else if (request.number === 4) socket.write(answer(404, [], ''))
        else socket.write(WHOLE)
      },
      ends: 'saved',
      requests: 5,
      options,
      also: (run) => expect(run.got).toMatchObject({ attempts: 1 }),
    },
    {
      title: 'is awaited for at most a minute at a time, and the last error counts',
      serve: (request, socket) =>
        request.number === 1 ? socket.write(preparing(['Location: /jobs/1'])) : reset(socket),
      ends: 'unavailable',
      // The first check is sent again at once, because it was on the kept connection.
      requests: 9,
      options: { responseTimeoutMs: 240_000, retries: 0 },
      says: /closed the connection|reset/,
      also: (run) =>
        expect(run.world.fakeClock.slept.map((ms) => ms / 1000)).toEqual([2, 4, 8, 16, 32, 60, 60]),
    },
    {
      title: 'is asked for again after a second at the soonest',
      serve: inTurn(preparing(['Retry-After: 0']), WHOLE),
      ends: 'saved',
      requests: 2,
      options,
      also: (run) => expect(run.world.fakeClock.slept).toEqual([1_000]),
    },
    {
      title: 'is not awaited through errors that stay',
      serve: inTurn(preparing(['Location: /jobs/1']), answer(410, [], '')),
      ends: 'rejected',
      requests: 2,
      status: 410,
      options,
    },
    {
      title: 'is awaited within the response timeout, and not requested again',
      serve: inTurn(preparing(['Location: /jobs/1', 'Retry-After: 25'])),
      ends: 'unavailable',
      requests: 3,
      status: 202,
      options: { responseTimeoutMs: 60_000 },
      says: [/did not finish preparing the archive within 1 min/, /--response-timeout/],
      also: (run) => expect(run.failure?.message).not.toMatch(/attempts/),
    },
    {
      title: 'is not awaited for longer than the response timeout, and says how long that would be',
      serve: inTurn(preparing(['Location: /jobs/1', 'Retry-After: 7200'])),
      ends: 'unavailable',
      requests: 1,
      status: 202,
      options: { responseTimeoutMs: 60_000 },
      says: [/requests a wait of 2 h, longer than the response timeout of 1 min/, /--response-timeout/],
      also: ({ world }) => expect(world.fakeClock.slept).toEqual([]),
    },
    {
      title: 'whose location is a file is not followed',
      serve: inTurn(preparing(['Location: file:///etc/passwd'])),
      ends: 'unavailable',
      requests: 1,
      options,
      says: /it leads to file:/,
    },
    {
      title: 'and has the archive in its body is not asked for again',
      serve: inTurn(answer(202, ['Retry-After: 3', 'Location: /jobs/1'], ARCHIVE)),
      ends: 'saved',
      requests: 1,
      options,
      also: ({ got, world }) => {
        expect(got).toMatchObject({ status: 202 })
        expect(world.fakeClock.slept).toEqual([])
      },
    },
    {
      title: 'has the archive in its body in the end',
      serve: inTurn(preparing(['Location: /jobs/1']), answer(202, ['Location: /jobs/1'], ARCHIVE)),
      ends: 'saved',
      requests: 2,
      options,
    },
    {
      title: 'without a location or a time is asked for again after growing waits',
      serve: inTurn(preparing([]), preparing([]), preparing([]), WHOLE),
      ends: 'saved',
      requests: 4,
      options,
      says: /checking again in 2\.0 s with the same request, which may use allowance twice/,
      also: (run) => {
        expect(run.world.fakeClock.slept).toEqual([2_000, 4_000, 8_000])
        expect(run.got).toMatchObject({ attempts: 1 })
      },
    },
    {
      title: 'without a location or a time is awaited within the response timeout',
      serve: inTurn(preparing([])),
      ends: 'unavailable',
      requests: 4,
      status: 202,
      options: { responseTimeoutMs: 20_000 },
    },
    {
      title: 'and is damaged is fetched again where it is, before it is asked for again',
      serve: (request, socket) => {
        const damaged = answer(200, [], Buffer.concat([ARCHIVE.subarray(0, 900), Buffer.alloc(74)]))
        if (request.path === '/jobs/1') socket.write(request.number === 2 ? damaged : WHOLE)
        else socket.write(preparing(['Location: /jobs/1']))
      },
      ends: 'saved',
      requests: 3,
      options,
      also: (run, server) => {
        expect(server.requests[2]!.path).toBe('/jobs/1')
        expect(run.words).not.toMatch(/twice/)
      },
    },
  ])
})

describe('a store behind a redirect', () => {
  const redirect = answer(302, ['Location: /store/a.zip'], '')
  const damaged = answer(200, [], Buffer.concat([ARCHIVE.subarray(0, 900), Buffer.alloc(74)]))
  const asked = (server: { readonly requests: readonly RawRequest[] }): number =>
    server.requests.filter(({ path }) => path !== '/store/a.zip').length

  testFaults(
    (
      [
        ['429', answer(429, ['Retry-After: 1'], '')],
        ['500', answer(500, [], '')],
        ['503', answer(503, [], '')],
        ['a connection that is dropped', 'reset'],
        ['a damaged archive', damaged],
        ['a transfer that is cut short', answer(200, [], ARCHIVE).subarray(0, 500)],
      ] as const
    ).map(([what, reply]) => ({
      title: `is asked again after ${what}, and the service is not`,
      serve: ((request, socket) => {
        if (request.path !== '/store/a.zip') socket.write(redirect)
        else if (request.number > 2) socket.write(WHOLE)
        else if (reply === 'reset') reset(socket)
        else if (reply.length === 500) socket.end(reply)
        else socket.write(reply)
      }) as RawHandler,
      ends: 'saved' as const,
      requests: 3,
      also: (run: { readonly words: string }, server: { readonly requests: readonly RawRequest[] }) => {
        expect(asked(server)).toBe(1)
        expect(run.words).not.toMatch(/twice/)
      },
    })),
  )

  testFaults(
    [403, 404, 410].map((status) => ({
      title: `that no longer has the archive (${status}) costs a second request, which is said`,
      serve: ((request, socket) => {
        if (request.path !== '/store/a.zip') socket.write(redirect)
        else if (request.number === 2) socket.write(answer(503, [], ''))
        else socket.write(request.number === 3 ? answer(status, [], '') : WHOLE)
      }) as RawHandler,
      ends: 'saved' as const,
      requests: 5,
      says: /no longer where the service had put it \(status 4\d\d\); requesting it again, which may use allowance twice/,
    })),
  )
})

describe('a store behind a redirect that does not resume', () => {
  const strong = ['ETag: "v1"', 'Accept-Ranges: bytes']
  testFaults(
    (
      [
        ['answers 416', answer(416, [], '')],
        ['sends the whole, as where a proxy strips Range', answer(200, strong, ARCHIVE)],
      ] as const
    ).map(([what, reply]) => ({
      title: `but ${what} is asked for the whole, and the service is not asked again`,
      serve: ((request, socket) => {
        if (request.path !== '/store/a.zip') socket.write(answer(302, ['Location: /store/a.zip'], ''))
        else if (request.number === 2) socket.end(answer(200, strong, ARCHIVE).subarray(0, 600))
        else socket.write(request.headers.range === undefined ? answer(200, strong, ARCHIVE) : reply)
      }) as RawHandler,
      ends: 'saved' as const,
      requests: reply.length < ARCHIVE.length ? 4 : 3,
      also: (run: { readonly words: string }, server: { readonly requests: readonly RawRequest[] }) => {
        const [service, , third] = server.requests
        expect([service!.path === '/store/a.zip', third!.headers.range !== undefined]).toEqual([false, true])
        expect(server.requests.slice(1).every(({ path }) => path === '/store/a.zip')).toBe(true)
        expect(run.words).not.toMatch(/twice/)
      },
    })),
  )
})

describe('what costs allowance a second time', () => {
  testFaults([
    {
      title: 'is said when a response is requested again',
      serve: inTurn(answer(200, [], Buffer.concat([ARCHIVE.subarray(0, 900), Buffer.alloc(74)])), WHOLE),
      ends: 'saved',
      requests: 2,
      says: /retrying in .* \(attempt 2 of 3\), which may use allowance twice/,
    },
    {
      title: 'is said when the service has the request, and closes the connection',
      serve: (request, socket) =>
        request.number === 1 ? void socket.end() : void socket.end(answer(200, [], ARCHIVE)),
      ends: 'saved',
      requests: 2,
      says: /without a response; retrying in .* \(attempt 2 of 3\), which may use allowance twice/,
    },
    {
      title: 'is not said after a refusal',
      serve: inTurn(answer(503, [], ''), WHOLE),
      ends: 'saved',
      requests: 2,
      also: (run) => expect(run.words).not.toMatch(/twice/),
    },
  ])

  test('is not said where there was no connection', async () => {
    const { words, failure } = await fetching('http://127.0.0.1:1')
    expect(failure?.kind).toBe('unavailable')
    expect(words).toContain('retrying in')
    expect(words).not.toContain('twice')
  })
})

describe('a store that does not have the archive yet', () => {
  const redirect = answer(302, ['Location: /store/a.zip'], '')
  testFaults([
    {
      title: 'behind a redirect is asked again through a new redirect (404)',
      serve: inTurn(redirect, answer(404, [], '<Error>'), redirect, WHOLE),
      ends: 'saved',
      requests: 4,
      says: /a redirect led to 127\.0\.0\.1:\d+, which does not have the archive yet \(status 404\).*retrying/,
    },
    {
      title: 'behind a redirect is given up after all retries',
      serve: (request, socket) =>
        socket.write(request.path === '/store/a.zip' ? answer(404, [], '') : redirect),
      ends: 'unavailable',
      requests: 6,
      status: 404,
    },
    {
      title: 'is asked again over connections that close',
      serve: (request, socket) => {
        const close = ['Connection: close']
        if (request.number === 4) socket.end(answer(200, close, ARCHIVE))
        else if (request.path === '/store/a.zip') socket.end(answer(404, close, '<Error>'.repeat(20_000)))
        else socket.end(answer(302, ['Location: /store/a.zip', ...close], 'moved'.repeat(20_000)))
      },
      ends: 'saved',
      requests: 4,
    },
    {
      title: 'and never ends its message does not delay that for long',
      serve: (request, socket) => {
        if (request.number === 4) socket.write(WHOLE)
        else if (request.path === '/store/a.zip')
          socket.write(`${head(404, ['Content-Length: 1000'])}<Error>`)
        else socket.write(redirect)
      },
      ends: 'saved',
      requests: 4,
      options: { stallTimeoutMs: 60_000, slowWindowMs: 60_000, hasSocketTimeouts: true },
    },
  ])
})
