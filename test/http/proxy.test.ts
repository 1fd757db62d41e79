import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isExempt, proxyFor, proxySecrets } from '../../src/http/proxy.ts'
import { ARCHIVE, type Fetching, fetching, TOKEN } from '../support/fetching.ts'
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { answer, type RawServer, rawServer } from '../support/raw-server.ts'
import { createCertificate } from '../support/tls.ts'
import { testWorld, withFolder } from '../support/world.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)

describe('a request through a proxy', () => {
  test.each(['HTTPS_PROXY', 'https_proxy'])(
    '%s: https goes through a tunnel that sees no token',
    async (name) => {
      await through(
        { tls: true },
        (proxy) => ({ [name]: proxy.url }),
        (run, proxy, server) => {
          expect(run.bytes?.equals(ARCHIVE)).toBe(true)
          expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${server.port}`])
          expect(server.requests[0]!.headers['proxy-authorization']).toBeUndefined()
        },
      )
    },
  )

  test.each(['HTTP_PROXY', 'http_proxy'])(
    '%s: plain http is asked of the proxy with its whole address',
    async (name) => {
      await through(
        {},
        (proxy) => ({ [name]: proxy.url }),
        (run, proxy, server) => {
          expect(run.bytes?.equals(ARCHIVE)).toBe(true)
          expect(proxy.asked).toEqual([`GET ${server.url}/v2/download?format=1752A&partNumbers[]=A%20B`])
          expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`)
        },
      )
    },
  )

  test('an empty lower-case variable does not hide the upper-case one', async () => {
    await through(
      {},
      (proxy) => ({ http_proxy: '', HTTP_PROXY: proxy.url }),
      (_, proxy) => {
        expect(proxy.asked.length).toBe(1)
      },
    )
  })

  test('NO_PROXY in either spelling goes the direct way', async () => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      await through(
        {},
        (proxy) => ({ HTTP_PROXY: proxy.url, [name]: 'example.com, 127.0.0.1' }),
        (run, proxy) => {
          expect(run.failure).toBeUndefined()
          expect(proxy.asked).toEqual([])
        },
      )
    }
  })

  test('--proxy wins over the environment, and NO_PROXY does not touch it', async () => {
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' }
    await through(
      { explicit: true },
      () => env,
      (run, proxy) => {
        expect(run.failure).toBeUndefined()
        expect(proxy.asked.length).toBe(1)
      },
    )
  })

  test('an empty --proxy is the direct way', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE))
    const world = testWorld({ env: { HTTP_PROXY: 'http://127.0.0.1:9' } })
    const run = await fetching(server.url, { world, proxy: '' })
    expect(run.failure).toBeUndefined()
    await server.close()
  })
})

describe('a proxy that wants a login', () => {
  const login = 'user:p%40ss w\u00f6rd'
  const typed = 'user:p%2540ss%20w%C3%B6rd'

  test.each([false, true])('gets it from its address (tls: %s), and nobody else sees it', async (tls) => {
    await through(
      { tls, login },
      (proxy) => ({ HTTPS_PROXY: withLogin(proxy, typed), HTTP_PROXY: withLogin(proxy, typed) }),
      (run, proxy, server) => {
        expect(run.failure).toBeUndefined()
        expect(proxy.logins[0]).toBe(`Basic ${Buffer.from(login).toString('base64')}`)
        expect(JSON.stringify(server.requests)).not.toContain('proxy-authorization')
        expectNoLogin(run)
      },
    )
  })

  test.each([false, true])(
    'and is given none ends as auth in one try (tls: %s), with the cure',
    async (tls) => {
      await through(
        { tls, login },
        (proxy) => ({ HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url }),
        (run, proxy, server) => {
          expect(run.failure?.kind).toBe('auth')
          expect(run.failure?.message).toMatch(/proxy .*wants a login \(status 407\)/)
          expect(run.failure?.details.httpStatus).toBe(407)
          expect(run.failure?.hint).toMatch(/http:\/\/USER:PASSWORD@/)
          expect(proxy.asked.length).toBe(1)
          expect(server.requests).toEqual([])
          expect(run.files).toEqual([])
        },
      )
    },
  )

  test.each([false, true])(
    'and is given a wrong one ends as auth without saying it (tls: %s)',
    async (tls) => {
      const env = (proxy: TestProxy) => ({
        HTTPS_PROXY: withLogin(proxy, 'user:wr0ngpass'),
        HTTP_PROXY: withLogin(proxy, 'user:wr0ngpass'),
      })
      await through({ tls, login }, env, (run) => {
        expect(run.failure?.kind).toBe('auth')
        expect(run.words).not.toContain('wr0ngpass')
        expect(run.words).not.toContain(Buffer.from('user:wr0ngpass').toString('base64'))
      })
    },
  )

  function expectNoLogin(run: Fetching): void {
    for (const form of [login, typed, 'p%40ss', Buffer.from(login).toString('base64')]) {
      expect(run.words).not.toContain(form)
    }
  }
})

describe('a proxy that does not work', () => {
  test('because it is down is tried again, and named with its variable', async () => {
    const world = testWorld({ env: { HTTPS_PROXY: 'http://127.0.0.1:9' } })
    const run = await fetching('https://127.0.0.1:1', { world })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(/the proxy 127\.0\.0\.1:9 refused the connection \(3 attempts/)
    expect(run.failure?.hint).toMatch(/HTTPS_PROXY/)
    expect(run.files).toEqual([])
  })

  test.each([
    [403, 1],
    [502, 3],
  ])('because it answers %s to a tunnel is asked %s times', async (status, times) => {
    await through(
      { tls: true, status },
      (proxy) => ({ HTTPS_PROXY: proxy.url }),
      (run, proxy, server) => {
        expect(run.failure?.kind).toBe('unavailable')
        expect(run.failure?.message).toMatch(
          new RegExp(`the proxy 127\\.0\\.0\\.1:\\d+ refused to connect \\(status ${status}\\)`),
        )
        expect(proxy.asked.length).toBe(times)
        expect(server.connections()).toBe(0)
      },
    )
  })

  test('because it is no HTTP proxy is told so', async () => {
    const odd = await rawServer(() => undefined, { onConnection: (socket) => socket.write('SSH-2.0-x\r\n') })
    const world = testWorld({ env: { HTTPS_PROXY: `127.0.0.1:${odd.port}` } })
    const run = await fetching('https://127.0.0.1:1', { world })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(/the proxy 127\.0\.0\.1:\d+ did not give an HTTP answer/)
    await odd.close()
  })

  test.each([
    ['socks5://127.0.0.1:1080', /is socks5, only http and https/],
    ['http://[', /can not be read/],
  ])('because its address is %s is refused before anything is sent', async (address, says) => {
    const run = await fetching('https://127.0.0.1:1', { world: testWorld({ env: { HTTPS_PROXY: address } }) })
    expect(run.failure?.kind).toBe('config')
    expect(run.failure?.message).toMatch(says)
    expect((await fetching('https://127.0.0.1:1', { proxy: address })).failure?.kind).toBe('usage')
  })
})

describe('NO_PROXY', () => {
  test.each([
    ['*', 'https://a.example.com', true],
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://a.example.com', true],
    ['.example.com', 'https://a.example.com', true],
    ['*.example.com', 'https://a.example.com', true],
    ['example.com', 'https://badexample.com', false],
    ['EXAMPLE.com.', 'https://example.com', true],
    ['example.com:8443', 'https://example.com:8443', true],
    ['example.com:8443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['example.com:80', 'http://example.com', true],
    ['a.com b.com,c.com', 'https://b.com', true],
    ['127.0.0.1', 'http://127.0.0.1:8080', true],
    ['127.0.0.1:8080', 'http://127.0.0.1:8081', false],
    ['10.0.0.0/8', 'http://10.20.30.40', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['0.0.1', 'http://127.0.0.1', false],
    ['::1', 'http://[::1]:8080', true],
    ['[::1]:8080', 'http://[::1]:8080', true],
    ['[::1]:8080', 'http://[::1]:8081', false],
    ['fe80::/10', 'http://[fe80::1]', true],
    ['localhost', 'http://localhost:3000', true],
    ['', 'https://example.com', false],
    [undefined, 'https://example.com', false],
  ])('"%s" for %s: %s', (rule, url, expected) => {
    expect(isExempt(new URL(url), rule)).toBe(expected)
  })
})

describe('a proxy address', () => {
  test('without a scheme is http, and its port is its scheme’s', () => {
    const url = new URL('https://api.example.com')
    const proxy = proxyFor(url, { env: { https_proxy: 'proxy.example' }, explicit: undefined })
    expect(proxy).toMatchObject({
      hostname: 'proxy.example',
      port: 80,
      protocol: 'http:',
      source: 'https_proxy',
    })
    expect(proxyFor(url, { env: { HTTPS_PROXY: 'https://p' }, explicit: undefined })?.port).toBe(443)
    expect(proxyFor(url, { env: { HTTP_PROXY: 'http://p' }, explicit: undefined })).toBeUndefined()
  })

  test('gives up its secrets for masking in every form they take', () => {
    const secrets = proxySecrets({ env: { HTTPS_PROXY: 'http://me:s%40cret@proxy:1' }, explicit: undefined })
    expect(secrets).toEqual(
      expect.arrayContaining([
        'me:s%40cret',
        's%40cret',
        's@cret',
        Buffer.from('me:s@cret').toString('base64'),
      ]),
    )
    expect(proxySecrets({ env: { HTTPS_PROXY: 'http://proxy:1' }, explicit: undefined })).toEqual([])
  })
})

function withLogin(proxy: TestProxy, typed: string): string {
  return proxy.url.replace('http://', `http://${typed}@`)
}

interface ThroughOptions {
  readonly tls?: boolean
  readonly login?: string
  readonly status?: number
  readonly explicit?: boolean
}

async function through(
  { tls = false, explicit = false, ...options }: ThroughOptions,
  env: (proxy: TestProxy) => Readonly<Record<string, string>>,
  body: (run: Fetching, proxy: TestProxy, server: RawServer) => void,
): Promise<void> {
  const certificate = createCertificate()
  const proxy = await startProxy(options)
  const server = await rawServer((_, socket) => socket.write(WHOLE), tls ? { tls: certificate } : {})
  try {
    await withFolder(async (folder) => {
      const caFile = join(folder, 'ca.pem')
      await writeFile(caFile, certificate.cert)
      const world = testWorld({ env: env(proxy) })
      body(
        await fetching(server.url, { world, caFile, ...(explicit ? { proxy: proxy.url } : {}) }),
        proxy,
        server,
      )
    })
  } finally {
    await Promise.all([server.close(), proxy.close()])
  }
}
