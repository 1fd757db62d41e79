import { describe, expect, test } from 'vitest'
import { Secrets } from '../../src/base/redact.ts'
import { testFaults } from '../support/fault-table.ts'
import { ARCHIVE, fetching, TOKEN } from '../support/fetching.ts'
import { answer, head, type RawHandler, type RawServer, rawServer } from '../support/raw-server.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)

describe('a redirect', () => {
  testFaults([
    ...[301, 302, 303, 307, 308].map((status) => ({
      title: `${status} within the origin is followed with the token`,
      serve: ((request, socket) =>
        socket.write(
          request.path === '/moved/here?a=%20b'
            ? WHOLE
            : answer(status, ['Location: /moved/here?a=%20b'], 'moved'),
        )) as RawHandler,
      ends: 'saved' as const,
      requests: 2,
      also: (_run: unknown, server: RawServer) => {
        expect(server.connections()).toBe(1)
        expect(server.requests[1]!.headers.authorization).toBe(`Bearer ${TOKEN}`)
      },
    })),
    {
      title: 'a relative address is taken against the one before',
      serve: (request, socket) =>
        socket.write(request.path === '/v2/other' ? WHOLE : answer(302, ['Location: other'], '')),
      ends: 'saved',
      requests: 2,
    },
    {
      title: 'five in a row are followed',
      serve: (request, socket) =>
        socket.write(request.number === 6 ? WHOLE : answer(302, [`Location: /${request.number}`], '')),
      ends: 'saved',
      requests: 6,
    },
    {
      title: 'a sixth in a row is not',
      serve: (request, socket) => socket.write(answer(302, [`Location: /${request.number}`], '')),
      ends: 'unavailable',
      requests: 6,
      says: [
        /a redirect of 127\.0\.0\.1:\d+ cannot be followed: it is the 6th in a row/,
        /at most 5 redirects/,
      ],
    },
    {
      title: 'a loop is reported as a loop',
      serve: (request, socket) =>
        socket.write(answer(302, [`Location: ${request.path === '/a' ? '/b' : '/a'}`], '')),
      ends: 'unavailable',
      requests: 3,
      says: /it is a loop, back to 127\.0\.0\.1/,
    },
    ...(
      [
        ['without an address', [], /it names no URL/],
        ['to file:', ['Location: file:///etc/passwd'], /it leads to file:/],
        ['to data:', ['Location: data:application/zip;base64,UEsFBg=='], /it leads to data:/],
        ['to javascript:', ['Location: javascript:alert(1)'], /it leads to javascript:/],
        ['with a user name', ['Location: http://user:pa55word@127.0.0.1/'], /has a user name or password/],
        ['to plain http elsewhere', ['Location: http://example.com/a.zip'], /it leads to unprotected http:/],
        ['to no address at all', ['Location: http://[::'], /is not valid/],
      ] as const
    ).map(([what, lines, says]) => ({
      title: `${what} is not followed`,
      serve: ((_, socket) => socket.write(answer(302, lines, ''))) as RawHandler,
      ends: 'unavailable' as const,
      requests: 1,
      status: 302,
      says,
    })),
    {
      title: 'to itself with a cookie names the cookie',
      serve: (request, socket) =>
        socket.write(answer(302, [`Location: ${request.path}`, 'Set-Cookie: session=1; HttpOnly'], '')),
      ends: 'unavailable',
      requests: 1,
      says: /it sets a cookie and expects it back, as a sign-in page or a load balancer does/,
    },
    {
      title: 'one whose body never ends is followed without waiting for it',
      serve: (request, socket) =>
        request.number === 1
          ? socket.write(`${head(302, ['Location: /there', 'Content-Length: 1000000'])}${'x'.repeat(50_000)}`)
          : socket.write(WHOLE),
      ends: 'saved',
      requests: 2,
    },
  ])

  test('to another origin forwards neither the token nor our own headers', async () => {
    await withTwo(
      (_, socket) => socket.write(WHOLE),
      (other) => answer(302, [`Location: ${other.url}/bucket/a.zip?signature=abc123`, 'Set-Cookie: s=1'], ''),
      async (first, other) => {
        const run = await fetching(first.url)
        expect(run.bytes?.equals(ARCHIVE)).toBe(true)
        expect(Object.keys(other.requests[0]!.headers).sort()).toEqual([
          'accept',
          'accept-encoding',
          'connection',
          'host',
          'user-agent',
        ])
        expect(run.words).toContain(
          `redirected from ${new URL(first.url).host} to ${new URL(other.url).host}`,
        )
        expect(run.words).not.toContain('abc123')
      },
    )
  })

  test('to another origin and back brings the token to the first origin only', async () => {
    let home = ''
    await withTwo(
      (_, socket) => socket.write(answer(302, [`Location: ${home}/again`], '')),
      (other) => answer(302, [`Location: ${other.url}/there`], ''),
      async (first, other) => {
        home = first.url
        const run = await fetching(first.url)
        expect(run.bytes?.equals(ARCHIVE)).toBe(true)
        expect(first.requests[1]!.headers.authorization).toBe(`Bearer ${TOKEN}`)
        expect(other.requests[0]!.headers.authorization).toBeUndefined()
      },
    )
  })

  test('to another origin that refuses is an auth failure that does not blame the token', async () => {
    await withTwo(
      (_, socket) => socket.write(answer(401, [], '')),
      (other) => answer(302, [`Location: ${other.url}/login`], ''),
      async (first, other) => {
        const run = await fetching(first.url)
        expect(run.failure?.kind).toBe('auth')
        expect(run.failure?.message).toContain(
          `a redirect led to ${new URL(other.url).host}, which refused access`,
        )
        expect(other.requests.length).toBe(1)
        expect(run.files).toEqual([])
      },
    )
  })

  test.each([403, 410])('to an expired address (%d) is requested again once', async (status) => {
    await withTwo(
      (request, socket) => socket.write(request.number === 1 ? answer(status, [], 'expired') : WHOLE),
      (other) => answer(302, [`Location: ${other.url}/signed`], ''),
      async (first, other) => {
        const run = await fetching(first.url, { retries: 5 })
        expect(run.bytes?.equals(ARCHIVE)).toBe(true)
        expect([first.requests.length, other.requests.length]).toEqual([2, 2])
      },
    )
  })

  test('of a v1 request keeps its body, with the API key, at the first origin', async () => {
    const body = '{"apikey":"k-secret"}'
    await withTwo(
      (_, socket) => socket.write(WHOLE),
      (other) => answer(307, [`Location: ${other.url}/api/download`], ''),
      async (first, other) => {
        const request = { method: 'POST' as const, url: `${first.url}/api/download`, headers: {}, body }
        const run = await fetching(first.url, { request, token: undefined, secrets: new Secrets('k-secret') })
        expect(run.failure?.kind).toBe('unavailable')
        expect(run.failure?.message).toContain('it would send the API key to another host')
        expect(other.requests).toEqual([])
        expect(first.requests[0]!.body).toBe(body)
        expect(run.words).not.toContain('k-secret')
      },
    )
  })

  test('307 of a v1 request within the origin repeats the body, 303 becomes a GET without one', async () => {
    for (const [status, method] of [
      [307, 'POST'],
      [303, 'GET'],
    ] as const) {
      const server = await rawServer((request, socket) =>
        socket.write(request.path === '/there' ? WHOLE : answer(status, ['Location: /there'], '')),
      )
      const request = {
        method: 'POST' as const,
        url: `${server.url}/api/download`,
        headers: {},
        body: '{"a":1}',
      }
      const run = await fetching(server.url, { request, token: undefined })
      expect(run.bytes?.equals(ARCHIVE)).toBe(true)
      expect(server.requests[1]!.method).toBe(method)
      expect(server.requests[1]!.body).toBe(method === 'POST' ? '{"a":1}' : '')
      await server.close()
    }
  })
})

async function withTwo(
  serveOther: RawHandler,
  firstAnswer: (other: RawServer) => Buffer,
  body: (first: RawServer, other: RawServer) => Promise<void>,
): Promise<void> {
  const other = await rawServer(serveOther)
  const first = await rawServer((request, socket) =>
    socket.write(request.path === '/again' ? WHOLE : firstAnswer(other)),
  )
  try {
    await body(first, other)
  } finally {
    await Promise.all([first.close(), other.close()])
  }
}
