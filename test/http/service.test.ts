import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/base/failure.ts'
import type { ServiceResponse } from '../../src/http/exchange.ts'
import { ARCHIVE, fetching, request, TOKEN, withService } from '../support/fetching.ts'
import { answer, head, type RawRequest, rawServer } from '../support/raw-server.ts'

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

describe('a token that expires during a run', () => {
  const NEXT = 'tok-next-0123456789abcdef'
  /** Accepts `accepted` of the requests with the first token, and all with one of `others`. */
  const expiring = (accepted: number, others: readonly string[]) => {
    let count = 0
    return rawServer(({ headers }, socket) => {
      const token = headers.authorization?.replace('Bearer ', '') ?? ''
      if (token === TOKEN) count += 1
      const isValid = token === TOKEN ? count <= accepted : others.includes(token)
      socket.write(isValid ? WHOLE : answer(401, [], '{"message":"expired"}'))
    })
  }
  const tokensOf = (server: { readonly requests: readonly RawRequest[] }): string[] =>
    server.requests.map(({ headers }) => headers.authorization!.replace('Bearer ', ''))

  test('is read again, and the requests continue with the new one', async () => {
    const server = await expiring(1, [NEXT])
    let reads = 0
    const readTokenAgain = async (): Promise<string> => {
      reads += 1
      return NEXT
    }
    await withService(
      server.url,
      { readTokenAgain, secretSource: 'the file t' },
      async (service, fetchOne, notices) => {
        await fetchOne()
        const runs = await Promise.all([fetchOne(), fetchOne(), fetchOne()])
        expect(runs.map(({ got }) => got?.attempts)).toEqual([1, 1, 1])
        const words = notices.map(({ message }) => message).join('\n')
        expect(words).toContain('continuing with a new one from the file t')
        expect(words).not.toMatch(new RegExp(`${NEXT}|${TOKEN}`))
        expect(service.redact(NEXT)).toBe('***')
      },
    )
    expect(reads).toBe(1)
    expect(tokensOf(server).filter((token) => token === NEXT)).toHaveLength(3)
    await server.close()
  })

  test('ends the run when the source still has the same one', async () => {
    const server = await expiring(1, [])
    let reads = 0
    const readTokenAgain = async (): Promise<string> => {
      reads += 1
      return TOKEN
    }
    await withService(server.url, { readTokenAgain }, async (_, fetchOne) => {
      await fetchOne()
      const runs = await Promise.all([fetchOne(), fetchOne()])
      expect(runs.map(({ failure }) => failure?.kind)).toEqual(['auth', 'auth'])
    })
    expect([reads, server.requests.length]).toEqual([1, 3])
    await server.close()
  })

  test('ends the run when the new one is refused too, or cannot be read', async () => {
    for (const readTokenAgain of [
      async () => NEXT,
      async () => Promise.reject(new Failure('config', 'the secret file t does not exist')),
    ]) {
      const server = await expiring(1, [])
      await withService(server.url, { readTokenAgain }, async (_, fetchOne) => {
        await fetchOne()
        expect((await fetchOne()).failure?.kind).toBe('auth')
      })
      expect(server.requests.length).toBeLessThanOrEqual(3)
      await server.close()
    }
  })

  test('is not read again when the service never accepted it, or where it cannot change', async () => {
    for (const [accepted, readTokenAgain] of [
      [0, async () => NEXT],
      [1, undefined],
    ] as const) {
      const server = await expiring(accepted, [NEXT])
      await withService(server.url, { readTokenAgain }, async (_, fetchOne) => {
        if (accepted > 0) await fetchOne()
        expect((await fetchOne()).failure?.kind).toBe('auth')
      })
      expect(server.requests).toHaveLength(accepted + 1)
      await server.close()
    }
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
      const heads: ServiceResponse[] = []
      const onHead = (response: ServiceResponse): void => void heads.push(response)
      expect(await service.getJson('/v2/ping', { signal: never, onHead })).toEqual({
        value: { message: 'OK' },
      })
      expect(heads).toMatchObject([{ status: 200, headers: { 'x-thing': 'a b, c' } }])
      expect(heads[0]!.headers['set-cookie']).toBeUndefined()
    })
    expect(server.requests[0]!.path).toBe('/v2/ping')
    await server.close()
  })

  test.each([
    [404, '{"message":"no"}', undefined, /x/],
    [401, '{"message":"bad"}', 'auth', /rejected the token \(status 401\): bad/],
    [500, '', 'unavailable', /is failing/],
    [200, 'hello', 'rejected', /responded to \/v2\/ping with something else instead of JSON: "hello"/],
    [200, '', 'rejected', /instead of JSON$/],
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
