import { describe, expect, test } from 'vitest'
import { ARCHIVE, fetching, request, TOKEN, withService } from '../support/fetching.ts'
import { answer, head, rawServer } from '../support/raw-server.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)
const never = new AbortController().signal

describe('a request', () => {
  test('goes out as it was written, byte for byte, with the bearer token', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE))
    const path = '/v2/download?format=1752A&partNumbers[]=A%20B&partNumbers[]=%C3%A9%27%28%29%2F..%2F&x=|^'
    await fetching(server.url, { request: { ...request(server.url), url: `${server.url}${path}` } })
    expect(server.requests[0]).toMatchObject({ method: 'GET', path, body: '' })
    expect(server.requests[0]!.headers).toEqual({
      host: new URL(server.url).host,
      connection: 'keep-alive',
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/zip',
      'accept-encoding': 'identity',
      'user-agent': 'matdecl/0.0.0-test',
    })
    await server.close()
  })

  test('of v1 carries its key in the body and no bearer token', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE))
    const body = '{"apikey":"k","partNumbers":"\\"é\\""}'
    const v1 = {
      method: 'POST' as const,
      url: `${server.url}/api/download`,
      headers: { 'Content-Type': 'application/json' },
      body,
    }
    const run = await fetching(server.url, { request: v1, token: undefined })
    expect(run.failure).toBeUndefined()
    expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/api/download', body })
    expect(server.requests[0]!.headers.authorization).toBeUndefined()
    await server.close()
  })

  test('after another reuses its connection', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE))
    await withService(server.url, {}, async (_, fetchOne) => {
      for (let times = 0; times < 3; times += 1) expect((await fetchOne()).failure).toBeUndefined()
    })
    expect([server.requests.length, server.connections()]).toEqual([3, 1])
    await server.close()
  })
})

describe('a side question', () => {
  test('returns value, status and headers', async () => {
    const server = await rawServer((_, socket) =>
      socket.write(
        answer(
          200,
          ['Content-Type: application/json', 'X-Thing: a\tb', 'X-Thing: c', 'Set-Cookie: s=1'],
          '{"message":"OK"}',
        ),
      ),
    )
    await withService(`${server.url}`, {}, async (service) => {
      const found = await service.getJson('/v2/ping', { signal: never })
      expect(found).toMatchObject({ value: { message: 'OK' }, status: 200 })
      expect(found?.headers['x-thing']).toBe('a b, c')
      expect(found?.headers['set-cookie']).toBeUndefined()
    })
    expect(server.requests[0]!.path).toBe('/v2/ping')
    await server.close()
  })

  test.each([
    [404, '{"message":"no"}', undefined, /x/],
    [401, '{"message":"bad"}', 'auth', /rejected the token \(status 401\): bad/],
    [500, '', 'unavailable', /is failing/],
    [200, 'hello', 'rejected', /sent no JSON for \/v2\/ping/],
    [200, '', 'rejected', /with JSON/],
  ] as const)('a response %s "%s" is %s', async (status, body, kind, says) => {
    const server = await rawServer((_, socket) => socket.write(answer(status, [], body)))
    await withService(server.url, {}, async (service) => {
      const asked = service.getJson('/v2/ping', { signal: never })
      if (kind === undefined) expect(await asked).toBeUndefined()
      else await expect(asked).rejects.toMatchObject({ kind, message: expect.stringMatching(says) })
    })
    expect(server.requests.length).toBe(1)
    await server.close()
  })

  test('under a base address with a path keeps the path', async () => {
    const server = await rawServer((_, socket) => socket.write(answer(200, [], '1')))
    await withService(`${server.url}/compliance/`, {}, async (service) => {
      await service.getJson('/v2/ping', { signal: never })
    })
    expect(server.requests[0]!.path).toBe('/compliance/v2/ping')
    await server.close()
  })
})

describe('the trace', () => {
  test('shows every header of request and response, without any secret, whoever sends it', async () => {
    const echo = `Bearer ${TOKEN}`
    const server = await rawServer((_, socket) =>
      socket.write(
        Buffer.concat([
          Buffer.from(
            head(200, [
              `X-Echo: ${echo}`,
              `X-Encoded: ${encodeURIComponent(TOKEN)} ${Buffer.from(TOKEN).toString('base64')}`,
              'Set-Cookie: session=abc123',
              'X-Odd: \u202eevil',
              `Content-Length: ${ARCHIVE.length}`,
            ]),
          ),
          ARCHIVE,
        ]),
      ),
    )
    const run = await fetching(server.url)
    const lines = run.notices.filter(({ level }) => level === 'trace').map(({ message }) => message)
    expect(lines).toEqual(
      expect.arrayContaining([
        '> GET /v2/download?format=1752A&partNumbers[]=A%20B HTTP/1.1',
        `> host: ${new URL(server.url).host}`,
        '> Authorization: Bearer ***',
        '> Accept: application/zip',
        '< 200',
        '< X-Echo: Bearer ***',
        '< X-Encoded: *** ***',
        '< Set-Cookie: ***',
        '< X-Odd: \\u202eevil',
        `< Content-Length: ${ARCHIVE.length}`,
      ]),
    )
    for (const secret of [
      TOKEN,
      encodeURIComponent(TOKEN),
      Buffer.from(TOKEN).toString('base64'),
      'abc123',
    ]) {
      expect(lines.join('\n')).not.toContain(secret)
    }
    await server.close()
  })
})

test('a request that is stopped while its connection is made ends at once', async () => {
  const stop = new AbortController()
  const silent = await rawServer(() => undefined, { onConnection: () => stop.abort(new Error('stopped')) })
  const url = silent.url.replace('http:', 'https:')
  await withService(url, { connectTimeoutMs: 600_000 }, async (service) => {
    await expect(service.send(request(url), { signal: stop.signal })).rejects.toThrow('stopped')
  })
  await silent.close()
})

test('a closed service leaves no connection', async () => {
  let isClosed = false
  let onClosed: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve
  })
  const watched = await rawServer((_, socket) => socket.write(WHOLE), {
    onConnection: (socket) =>
      socket.on('close', () => {
        isClosed = true
        onClosed()
      }),
  })
  await withService(watched.url, {}, async (_, fetchOne) => {
    await fetchOne()
    expect(isClosed).toBe(false)
  })
  await closed
  await watched.close()
})
