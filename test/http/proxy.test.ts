import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isExempt, proxyFor, proxyRefusal, proxySecrets } from '../../src/http/proxy.ts'
import { ARCHIVE, type Fetching, fetching, TOKEN } from '../support/fetching.ts'
import { startProxy, type TestProxy } from '../support/proxy.ts'
import { answer, type RawServer, rawServer } from '../support/raw-server.ts'
import { createCertificate } from '../support/tls.ts'
import { testWorld, withFolder } from '../support/world.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)

describe('a request through a proxy', () => {
  test.each(['HTTPS_PROXY', 'https_proxy'])('%s: goes through a tunnel that sees no token', async (name) => {
    await through(
      {},
      (proxy) => ({ [name]: proxy.url }),
      (run, proxy, server) => {
        expect(run.bytes?.equals(ARCHIVE)).toBe(true)
        expect(proxy.asked).toEqual([`CONNECT service.test:${server.port}`])
        expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`)
        expect(server.requests[0]!.headers['proxy-authorization']).toBeUndefined()
      },
    )
  })

  test('an empty lower-case variable does not hide the upper-case one', async () => {
    await through(
      {},
      (proxy) => ({ https_proxy: '', HTTPS_PROXY: proxy.url }),
      (_, proxy) => expect(proxy.asked.length).toBe(1),
    )
  })

  test('the option wins over the environment, and NO_PROXY does not touch it', async () => {
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' }
    await through(
      { explicit: true },
      () => env,
      (run, proxy) => {
        expect(run.failure).toBeUndefined()
        expect(proxy.asked.length).toBe(1)
      },
    )
  })

  test('a rejected certificate is reported as without a proxy', async () => {
    await through(
      { certificate: { notBefore: new Date(0), notAfter: new Date('2021-01-01T00:00:00Z') } },
      (proxy) => ({ HTTPS_PROXY: proxy.url }),
      (run, proxy, server) => {
        expect(run.failure?.message).toBe('the certificate of service.test expired on 2021-01-01')
        expect(proxy.asked.length).toBe(1)
        expect(server.requests).toEqual([])
      },
    )
  })
})

// The first frame of such a server, with which undici's parser fails.
test.each([
  ['a SETTINGS frame', '000000040000000000'],
  ['a GOAWAY frame', '0000080700000000000000000000000001'],
])('a proxy, or a service, that speaks HTTP/2 only is said to: %s', async (_, frame) => {
  const server = await rawServer((_request, socket) => socket.end(Buffer.from(frame, 'hex')))
  const throughProxy = await fetching('https://service.test', { proxy: server.url })
  expect(throughProxy.failure?.message).toBe(
    `the proxy 127.0.0.1:${server.port} (from the proxy option) supports HTTP/2 only`,
  )
  const direct = await fetching(server.url)
  expect(direct.failure?.message).toBe(`127.0.0.1:${server.port} supports HTTP/2 only`)
  expect(server.requests).toHaveLength(2)
  await server.close()
})

describe('a direct connection', () => {
  test.each(['127.0.0.1', 'localhost'])('is what %s gets, whatever names a proxy', async (host) => {
    const server = await rawServer((_, socket) => socket.write(WHOLE))
    const proxy = await startProxy()
    const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }
    const url = server.url.replace('127.0.0.1', host)
    expect((await fetching(url, { world: testWorld({ env }) })).failure).toBeUndefined()
    expect((await fetching(url, { proxy: proxy.url })).failure).toBeUndefined()
    expect(proxy.asked).toEqual([])
    await Promise.all([server.close(), proxy.close()])
  })

  test.each(['https://localhost', 'https://127.0.0.1', 'https://127.9.8.7', 'https://[::1]'])(
    'is chosen for %s',
    (url) => {
      const env = { HTTPS_PROXY: 'http://proxy.example' }
      expect(proxyFor(new URL(url), { env, explicit: undefined })).toBeUndefined()
      expect(proxyFor(new URL(url), { env: {}, explicit: 'http://proxy.example' })).toBeUndefined()
    },
  )

  test('is what NO_PROXY, in either spelling, and an empty option ask for', () => {
    const url = new URL('https://api.example.com')
    const HTTPS_PROXY = 'http://proxy.example'
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const env = { HTTPS_PROXY, [name]: 'other.example, example.com' }
      expect(proxyFor(url, { env, explicit: undefined })).toBeUndefined()
    }
    expect(proxyFor(url, { env: { HTTPS_PROXY }, explicit: '' })).toBeUndefined()
  })
})

describe('plain http through a proxy', () => {
  test.each([
    [{ env: { http_proxy: 'http://proxy.example:3128' }, explicit: undefined }, 'config', 'http_proxy'],
    [{ env: {}, explicit: 'proxy.example:3128' }, 'usage', 'the proxy option'],
  ])('is refused before anything is sent: %o', (choice, kind, source) => {
    const refused = (): unknown => proxyFor(new URL('http://api.example.com/v2'), choice)
    expect(refused).toThrow(
      `the proxy proxy.example:3128 (from ${source}) could read a request to api.example.com over http:`,
    )
    expect(refused).toThrow(
      expect.objectContaining({ kind, details: expect.objectContaining({ options: ['base-url', 'proxy'] }) }),
    )
  })
})

describe('a proxy that requires a login', () => {
  const login = 'user:p%40ss w\u00f6rd'
  const typed = 'user:p%2540ss%20w%C3%B6rd'

  test('gets the login from its address, and no other server does', async () => {
    await through(
      { login },
      (proxy) => ({ HTTPS_PROXY: withLogin(proxy, typed) }),
      (run, proxy, server) => {
        expect(run.failure).toBeUndefined()
        expect(proxy.logins[0]).toBe(`Basic ${Buffer.from(login).toString('base64')}`)
        expect(JSON.stringify(server.requests)).not.toContain('proxy-authorization')
        expectNoLogin(run)
      },
    )
  })

  test('and gets none ends as auth in one try, with the fix', async () => {
    await through(
      { login },
      (proxy) => ({ HTTPS_PROXY: proxy.url }),
      (run, proxy, server) => {
        expect(run.failure?.kind).toBe('auth')
        expect(run.failure?.message).toBe(
          `the proxy 127.0.0.1:${proxy.port} (from HTTPS_PROXY) requires a login (status 407)`,
        )
        expect(run.failure?.details.httpStatus).toBe(407)
        expect(run.failure?.hint).toMatch(/http:\/\/USER:PASSWORD@/)
        expect(proxy.asked.length).toBe(1)
        expect(server.requests).toEqual([])
        expect(run.files).toEqual([])
      },
    )
  })

  test('and gets a wrong one ends as auth without printing it', async () => {
    const env = (proxy: TestProxy) => ({ HTTPS_PROXY: withLogin(proxy, 'user:wr0ngpass') })
    await through({ login }, env, (run) => {
      expect(run.failure?.kind).toBe('auth')
      expect(run.words).not.toContain('wr0ngpass')
      expect(run.words).not.toContain(Buffer.from('user:wr0ngpass').toString('base64'))
    })
  })

  function expectNoLogin(run: Fetching): void {
    for (const form of [login, typed, 'p%40ss', Buffer.from(login).toString('base64')]) {
      expect(run.words).not.toContain(form)
    }
  }
})

describe('a proxy that does not work', () => {
  test('because it is down is retried, and named with its variable', async () => {
    const world = testWorld({ env: { HTTPS_PROXY: 'http://127.0.0.1:9' } })
    const run = await fetching('https://service.test', { world })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(
      /^the proxy 127\.0\.0\.1:9 \(from HTTPS_PROXY\) refused the connection \(3 attempts/,
    )
    expect(run.files).toEqual([])
  })

  test.each([
    [403, 1],
    [502, 3],
    [503, 3],
    [504, 3],
  ])('that responds %s to a tunnel gets %s requests', async (status, times) => {
    await through(
      { status, explicit: true },
      () => ({}),
      (run, proxy, server) => {
        expect(run.failure?.kind).toBe('unavailable')
        expect(run.failure?.message).toContain(
          `the proxy 127.0.0.1:${proxy.port} (from the proxy option) refused to connect to service.test:${server.port} (status ${status})`,
        )
        expect(run.failure?.details.options).toEqual(['proxy'])
        expect(proxy.asked.length).toBe(times)
        expect(server.connections()).toBe(0)
      },
    )
  })

  test('that never responds ends at the connect timeout; the next attempt starts again', async () => {
    await through(
      { silentFor: 1 },
      (proxy) => ({ HTTPS_PROXY: proxy.url }),
      (run, proxy) => {
        expect(run.failure).toBeUndefined()
        expect(run.words).toMatch(
          /no connection to service\.test:\d+ through the proxy 127\.0\.0\.1:\d+ \(from HTTPS_PROXY\) within 0\.5 s/,
        )
        expect(proxy.asked.length).toBe(2)
      },
    )
  })

  test('because it is not an HTTP proxy is reported as that', async () => {
    const odd = await rawServer(() => undefined, { onConnection: (socket) => socket.write('SSH-2.0-x\r\n') })
    const world = testWorld({ env: { HTTPS_PROXY: `127.0.0.1:${odd.port}` } })
    const run = await fetching('https://service.test', { world })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(
      /the proxy 127\.0\.0\.1:\d+ \(from HTTPS_PROXY\) did not send an HTTP response/,
    )
    await odd.close()
  })

  test.each([
    ['socks5://127.0.0.1:1080', /is a SOCKS proxy, which is not supported/],
    ['socks5h://user:pass@127.0.0.1:1080', /from [^:]* is a SOCKS proxy/],
    ['ftp://127.0.0.1', /is ftp, only http and https/],
    ['http://corp.test/proxy.pac', /is a PAC file/],
    ['http://wpad/wpad.dat', /is a PAC file/],
    ['pac+http://corp.test/x', /is a PAC file/],
    ['file:///etc/proxy.pac', /is a PAC file/],
    ['http://[', /is not valid/],
  ])('because its address is %s is refused before anything is sent', async (address, says) => {
    const world = testWorld({ env: { HTTPS_PROXY: address } })
    const run = await fetching('https://service.test', { world })
    expect(run.failure?.kind).toBe('config')
    expect(run.failure?.message).toMatch(says)
    expect((await fetching('https://service.test', { proxy: address })).failure?.kind).toBe('usage')
  })
})

describe('ALL_PROXY', () => {
  const url = new URL('https://service.test')
  test.each([
    [{ ALL_PROXY: 'http://all:1' }, 'all'],
    [{ all_proxy: 'all:1' }, 'all'],
    [{ ALL_PROXY: 'http://all:1', HTTPS_PROXY: 'http://own:1' }, 'own'],
    [{ ALL_PROXY: 'socks5://all:1', https_proxy: 'http://own:1' }, 'own'],
    [{ ALL_PROXY: 'http://all:1', HTTP_PROXY: 'http://other:1' }, 'all'],
    [{ ALL_PROXY: 'http://all:1', NO_PROXY: 'service.test' }, undefined],
    [{ ALL_PROXY: '' }, undefined],
  ])('%j gives %s', (env, hostname) => {
    expect(proxyFor(url, { env, explicit: undefined })?.hostname).toBe(hostname)
  })

  test('with a SOCKS proxy is refused with a way round', async () => {
    const world = testWorld({ env: { ALL_PROXY: 'socks5://127.0.0.1:1080' } })
    const { failure } = await fetching('https://service.test', { world })
    expect(failure).toMatchObject({
      kind: 'config',
      message: 'the proxy from ALL_PROXY is a SOCKS proxy, which is not supported',
    })
    expect(failure?.hint).toMatch(/HTTPS_PROXY/)
  })
})

describe('a proxy that requires a login by', () => {
  test.each([
    [['NTLM'], /requires a login by NTLM, only Basic is supported/],
    [['Negotiate', 'NTLM'], /requires a login by Negotiate or NTLM, only/],
    [['Negotiate, NTLM'], /requires a login by Negotiate or NTLM, only/],
    [['Digest realm="a, b", nonce="c"'], /requires a login by Digest, only/],
    [['Negotiate', 'Basic realm="proxy, x"'], /refused the login/],
    [[], /refused the login/],
  ])('%j', (challenges, says) => {
    const proxy = proxyFor(new URL('https://a'), {
      env: { HTTPS_PROXY: 'http://u:p@h:1' },
      explicit: undefined,
    })!
    const fault = proxyRefusal(407, proxy, 'a:443', challenges)
    expect(fault.message).toMatch(says)
    expect(fault).toMatchObject({ kind: 'auth', retry: 'never' })
    if (/only/.test(says.source)) expect(fault.hint).toMatch(/cntlm or px/)
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
    ['10.0.0.1', 'http://10.0.0.2', false],
    ['10.0.0.1', 'http://example.com', false],
    ['2001:db8::1', 'http://[2001:db8::2]', false],
    ['2001:db8::1', 'http://[2001:db8:0::1]', true],
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

type ThroughOptions = Parameters<typeof startProxy>[0] & {
  readonly explicit?: boolean
  readonly certificate?: Parameters<typeof createCertificate>[0]
}

/** One request to a service that only the proxy can reach. */
async function through(
  { explicit = false, certificate: validity, ...options }: ThroughOptions,
  env: (proxy: TestProxy) => Readonly<Record<string, string>>,
  body: (run: Fetching, proxy: TestProxy, server: RawServer) => void,
): Promise<void> {
  const certificate = await createCertificate({ names: ['service.test'], ...validity })
  const proxy = await startProxy(options)
  const server = await rawServer((_, socket) => socket.write(WHOLE), { tls: certificate })
  try {
    await withFolder(async (folder) => {
      const caFile = join(folder, 'ca.pem')
      await writeFile(caFile, certificate.cert)
      const run = await fetching(`https://service.test:${server.port}`, {
        world: testWorld({ env: env(proxy) }),
        caFile,
        connectTimeoutMs: 500,
        hasSocketTimeouts: options.silentFor !== undefined,
        ...(explicit ? { proxy: proxy.url } : {}),
      })
      body(run, proxy, server)
    })
  } finally {
    await Promise.all([server.close(), proxy.close()])
  }
}

describe('a login with special characters in the URL of a proxy', () => {
  const url = new URL('https://service.test')
  const proxyOf = (address: string) => proxyFor(url, { env: { HTTPS_PROXY: address }, explicit: undefined })

  test('may have an @', () => {
    const proxy = proxyOf('http://user:p@ss@proxy.test:3128')
    expect(proxy?.hostname).toBe('proxy.test')
    expect(proxy?.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`)
  })

  test.each([
    ['http://user@proxy.test:3128', 'user:'],
    ['http://:only@proxy.test:3128', ':only'],
  ])('may have a name or a password only: %s', (address, login) => {
    expect(proxyOf(address)?.authorization).toBe(`Basic ${Buffer.from(login).toString('base64')}`)
  })

  test.each(['http://user:p@ss#1@proxy.test:3128', 'http://u:pa/ss@proxy.test', 'u:pa?ss@proxy.test'])(
    'is refused where the URL would end within it: %s',
    (address) => {
      const error = thrownBy(() => proxyOf(address))
      expect(error).toMatchObject({
        kind: 'config',
        message: 'the proxy URL from HTTPS_PROXY has a login with special characters',
        hint: expect.stringContaining('@ is %40, / is %2F'),
      })
      expect(proxySecrets({ env: { HTTPS_PROXY: address }, explicit: undefined })[0]).toMatch(/s$|1$/)
    },
  )
})

test('a proxy that answers CONNECT with a page of its own is named', async () => {
  const proxy = await startProxy({ page: '<html>Please log in</html>' })
  const run = await fetching('https://service.test', {
    world: testWorld({ env: { HTTPS_PROXY: proxy.url } }),
    retries: 0,
  })
  expect(run.failure?.message).toBe(
    `the proxy 127.0.0.1:${proxy.port} (from HTTPS_PROXY) did not connect to service.test:443, but sent a page of its own`,
  )
  expect(proxy.asked).toHaveLength(1)
  await proxy.close()
})

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
