import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { Secrets } from '../../src/base/redact.ts'
import { openService } from '../../src/http/service.ts'
import { ARCHIVE, type Fetching, fetching, TOKEN } from '../support/fetching.ts'
import { answer, type RawServer, rawServer } from '../support/raw-server.ts'
import { type Authority, createAuthority, createCertificate, type TestCertificate } from '../support/tls.ts'
import { testWorld, withFolder } from '../support/world.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)
const DAY_MS = 86_400_000
let authority: Authority

beforeAll(async () => {
  authority = await createAuthority('Test Authority')
})

describe('a certificate', () => {
  test('of an authority in the CA file is accepted', async () => {
    await withTls(await createCertificate({ authority }), { trusted: true }, (run) => {
      expect(run.failure).toBeUndefined()
      expect(run.bytes?.equals(ARCHIVE)).toBe(true)
    })
  })

  test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])('of an authority in %s is accepted', async (name) => {
    await withTls(await createCertificate({ authority }), { trustedBy: name }, (run) => {
      expect(run.failure).toBeUndefined()
    })
  })

  test.each([
    [
      'expired',
      { notAfter: new Date('2021-01-01T00:00:00Z'), notBefore: new Date('2020-01-01T00:00:00Z') },
      [/certificate of 127\.0\.0\.1 expired on 2021-01-01/, /date of this machine, 20\d\d-/],
    ],
    [
      'not yet valid',
      { notBefore: new Date(Date.now() + 10 * DAY_MS) },
      [/is not valid yet, only from 20\d\d-/, /date of this machine/],
    ],
    [
      'for another host',
      { names: ['example.test', '10.0.0.1'] },
      [/is for another host: example\.test, 10\.0\.0\.1/],
    ],
    [
      'for others, of which five are named',
      { names: ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'] },
      [/is for another host: a\.test, b\.test, c\.test, d\.test, e\.test$/m],
    ],
    ['without any name', { names: [] }, [/is for another host: nobody/]],
  ] as const)('that is %s is refused once, in these words', async (_, options, says) => {
    await withTls(await createCertificate({ ...options, authority }), { trusted: true }, (run, server) => {
      expect(run.failure?.kind).toBe('unavailable')
      for (const pattern of says) expect(run.words).toMatch(pattern)
      expectNothingSent(run, server)
      expect(server.connections()).toBeLessThanOrEqual(1)
    })
  })

  test('that signed itself is refused; the CA file is the fix, and nothing turns checks off', async () => {
    await withTls(await createCertificate(), {}, (run, server) => {
      expect(run.failure?.message).toMatch(/certificate of 127\.0\.0\.1 is self-signed/)
      expect(run.failure?.details.options).toEqual(['ca-file'])
      expect(run.words).not.toMatch(/REJECT_UNAUTHORIZED|insecure/i)
      expectNothingSent(run, server)
    })
  })

  test('of an unknown issuer is refused with its name', async () => {
    await withTls(await createCertificate({ authority }), {}, (run, server) => {
      expect(run.failure?.message).toMatch(/has an unknown issuer \("Test Authority"\)/)
      expectNothingSent(run, server)
    })
  })
})

describe('TLS checks', () => {
  test('that the environment turns off end the run before anything is sent', async () => {
    const world = testWorld({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })
    await withTls(await createCertificate(), { world }, (run, server) => {
      expect(run.failure?.kind).toBe('config')
      expect(run.failure?.message).toMatch(/NODE_TLS_REJECT_UNAUTHORIZED=0 turns off TLS checks/)
      expectNothingSent(run, server)
      expect(server.connections()).toBe(0)
    })
  })

  test('cannot be turned off by the environment of the process', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      await withTls(await createCertificate(), {}, (run, server) => {
        expect(run.failure?.kind).toBe('unavailable')
        expectNothingSent(run, server)
      })
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })
})

describe('the wrong protocol', () => {
  test('https to a plain http port is reported', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE), {
      onConnection: (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    })
    const run = await fetching(server.url.replace('http:', 'https:'))
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.words).toMatch(/does not speak TLS correctly/)
    expect(run.words).toMatch(/check the port and the scheme/)
    expectNothingSent(run, server)
    await server.close()
  })

  test('http to a port that speaks TLS ends without the archive', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE), { tls: await createCertificate() })
    const run = await fetching(server.url.replace('https:', 'http:'), { retries: 0 })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.files).toEqual([])
    expect(run.words).toContain('the service may be overloaded, expect https:, or accept HTTP/2 only')
    await server.close()
  })

  test('http to a port that answers with an alert of TLS is not tried again', async () => {
    const server = await rawServer((_, socket) => socket.end(Buffer.from('15030100020246', 'hex')))
    const run = await fetching(server.url, { retries: 5 })
    expect(run.words).toMatch(/expects TLS.*write the service URL with https:/s)
    expect(run.files).toEqual([])
    expect(server.requests).toHaveLength(1)
    await server.close()
  })
})

describe('https to http', () => {
  test('is not followed as a redirect, and the token does not travel', async () => {
    const plain = await rawServer((_, socket) => socket.write(WHOLE))
    await withTls(
      await createCertificate({ authority }),
      { trusted: true, reply: answer(302, [`Location: ${plain.url}/a.zip`], '') },
      (run) => {
        expect(run.failure?.kind).toBe('unavailable')
        expect(run.failure?.message).toMatch(/it leads from https to http/)
        expect(run.files).toEqual([])
      },
    )
    expect(plain.connections()).toBe(0)
    await plain.close()
  })
})

describe('a client certificate', () => {
  test.each([
    ['TLSv1.2', 'requires a client certificate'],
    ['TLSv1.3', 'requires a client certificate'],
  ] as const)('that is missing in %s is reported once, in one message', async (version, says) => {
    const tls = {
      ...(await createCertificate({ authority })),
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: version,
      maxVersion: version,
    }
    await withTls(tls, { trusted: true }, (run, server) => {
      expect(run.failure?.kind).toBe('unavailable')
      expect(run.failure?.message).toBe(`127.0.0.1:${server.port}: the server ${says}`)
      expect(run.failure?.details.options).toEqual(['client-cert', 'client-key'])
      expect(run.world.fakeClock.slept).toEqual([])
      expectNothingSent(run, server)
      expect(server.connections()).toBeLessThanOrEqual(1)
    })
  })

  test('is not blamed when there is no TLS version in common', async () => {
    const tls = { ...(await createCertificate({ authority })), ciphers: 'TLS_AES_128_CCM_SHA256' }
    await withTls({ ...tls, minVersion: 'TLSv1.3' }, { trusted: true }, (run, server) => {
      expect(run.failure?.message).toMatch(/^127\.0\.0\.1:\d+ refused the TLS handshake/)
      expectNothingSent(run, server)
    })
  })

  test.each([
    ['400 No required SSL certificate was sent', 'requires a client certificate'],
    ['400 The SSL certificate error', 'rejected the client certificate'],
  ])('that nginx reports with "%s" gives the same message', async (title, says) => {
    const page = `<html><head><title>${title}</title></head><body></body></html>`
    const reply = answer(400, ['Content-Type: text/html'], page)
    await withTls(await createCertificate({ authority }), { trusted: true, reply }, (run, server) => {
      expect(run.failure?.kind).toBe('rejected')
      expect(run.failure?.message).toBe(`127.0.0.1:${server.port}: the server ${says}`)
      expect(run.failure?.details.options).toEqual(['client-cert', 'client-key'])
      expect(server.requests.length).toBe(1)
    })
  })

  test('is sent when settings name it; files that do not match are refused before anything is sent', async () => {
    const client = await createCertificate({ names: ['client'], authority })
    const tls = {
      ...(await createCertificate({ authority })),
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
    }
    const server = await rawServer((_, socket) => socket.write(WHOLE), { tls })
    await withFolder(async (folder) => {
      const path = (name: string): string => join(folder, name)
      await Promise.all([
        writeFile(path('ca.pem'), authority.cert),
        writeFile(path('cert.pem'), client.cert),
        writeFile(path('key.pem'), client.key),
        writeFile(path('both.pem'), client.cert + client.key),
        writeFile(path('other.pem'), (await createCertificate()).key),
        writeFile(path('none.pem'), 'no certificate'),
      ])
      const files = { caFile: path('ca.pem'), clientCert: path('cert.pem'), clientKey: path('key.pem') }
      expect((await fetching(server.url, files)).bytes?.equals(ARCHIVE)).toBe(true)
      const both = { caFile: path('ca.pem'), clientCert: path('both.pem') }
      expect((await fetching(server.url, both)).failure).toBeUndefined()

      const without = await fetching(server.url, { caFile: path('ca.pem'), retries: 0 })
      expect(without.failure?.kind).toBe('unavailable')
      expect(without.files).toEqual([])

      const wrongPair = await fetching(server.url, { ...files, clientKey: path('other.pem') })
      expect(wrongPair.failure?.kind).toBe('config')
      const noPem = await fetching(server.url, { caFile: path('none.pem') })
      expect(noPem.failure).toMatchObject({ kind: 'config', details: { file: path('none.pem') } })
      expect(noPem.failure?.message).toMatch(/^the CA file .*none\.pem has no certificate in PEM format$/)
      const keyless = await fetching(server.url, { caFile: path('ca.pem'), clientCert: path('cert.pem') })
      expect(keyless.failure?.message).toMatch(
        /^the client key .*cert\.pem has no private key in PEM format$/,
      )
      expect(keyless.failure?.details.options).toEqual(['client-key'])
      const certless = await fetching(server.url, { caFile: path('ca.pem'), clientKey: path('other.pem') })
      expect(certless.failure?.message).toBe('there is a client key without a client certificate')
      const missing = await fetching(server.url, { caFile: path('nothing-there.pem') })
      expect(missing.failure).toMatchObject({ kind: 'config' })
      expect(missing.failure?.message).toMatch(/^the CA file .*nothing-there\.pem does not exist$/)
    })
    await server.close()
  })
})

test('settings are checked when the service is opened, before any request', async () => {
  const world = testWorld()
  const options = {
    baseUrl: 'http://127.0.0.1:9',
    token: TOKEN,
    secrets: new Secrets(),
    userAgent: 'u',
    connectTimeoutMs: 1,
    responseTimeoutMs: 1,
    stallTimeoutMs: 1,
  }
  await expect(openService(world, { ...options, clientCert: '/nothing/there' })).rejects.toMatchObject({
    kind: 'config',
  })
  for (const baseUrl of [options.baseUrl, 'https://service.test']) {
    const unreadable = { ...options, baseUrl, caFile: '/nothing/there' }
    await expect(openService(world, unreadable)).rejects.toMatchObject({ kind: 'config' })
  }
  await expect(openService(world, { ...options, proxy: 'socks5://h:1' })).rejects.toMatchObject({
    kind: 'usage',
  })
})

type RawTls = NonNullable<NonNullable<Parameters<typeof rawServer>[1]>['tls']>

interface TlsOptions {
  readonly trusted?: boolean
  readonly trustedBy?: string
  readonly world?: ReturnType<typeof testWorld>
  readonly reply?: Buffer
}

async function withTls(
  tls: TestCertificate & RawTls,
  { trusted = false, trustedBy, world, reply = WHOLE }: TlsOptions,
  body: (run: Fetching, server: RawServer) => void,
): Promise<void> {
  const server = await rawServer((_, socket) => socket.write(reply), { tls })
  try {
    await withFolder(async (folder) => {
      const caFile = join(folder, 'ca.pem')
      await writeFile(caFile, authority.cert)
      const run = await fetching(server.url, {
        ...(trusted ? { caFile } : {}),
        world: world ?? testWorld({ env: trustedBy === undefined ? {} : { [trustedBy]: caFile } }),
      })
      body(run, server)
    })
  } finally {
    await server.close()
  }
}

function expectNothingSent(run: Fetching, server: RawServer): void {
  expect(server.requests).toEqual([])
  expect(run.files).toEqual([])
  expect(run.words).not.toContain(TOKEN)
}
