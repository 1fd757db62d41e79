import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openService } from '../../src/http/service.ts'
import { ARCHIVE, type Fetching, fetching, TOKEN } from '../support/fetching.ts'
import { answer, type RawServer, rawServer } from '../support/raw-server.ts'
import { type Authority, createAuthority, createCertificate, type TestCertificate } from '../support/tls.ts'
import { testWorld, withFolder } from '../support/world.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)
const DAY_MS = 86_400_000
let authority: Authority

beforeAll(() => {
  authority = createAuthority('Test Authority')
})

describe('a certificate', () => {
  test('of an authority in --ca-file is accepted', async () => {
    await withTls(createCertificate({ authority }), { trusted: true }, (run) => {
      expect(run.failure).toBeUndefined()
      expect(run.bytes?.equals(ARCHIVE)).toBe(true)
    })
  })

  test.each(['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'])('of an authority in %s is accepted', async (name) => {
    await withTls(createCertificate({ authority }), { trustedBy: name }, (run) => {
      expect(run.failure).toBeUndefined()
    })
  })

  test.each([
    [
      'expired',
      { notAfter: new Date('2021-01-01T00:00:00Z'), notBefore: new Date('2020-01-01T00:00:00Z') },
      [/certificate of 127\.0\.0\.1 expired on 2021-01-01/, /clock says 20\d\d-/],
    ],
    [
      'not yet valid',
      { notBefore: new Date(Date.now() + 10 * DAY_MS) },
      [/is not valid yet, only from 20\d\d-/, /clock/],
    ],
    [
      'for another host',
      { names: ['example.test', '10.0.0.1'] },
      [/is for another host: example\.test, 10\.0\.0\.1/],
    ],
    ['without any name', { names: [] }, [/is for another host: nobody/]],
  ] as const)('that is %s is refused once, in these words', async (_, options, says) => {
    await withTls(createCertificate({ ...options, authority }), { trusted: true }, (run, server) => {
      expect(run.failure?.kind).toBe('unavailable')
      for (const pattern of says) expect(run.words).toMatch(pattern)
      expectNothingSent(run, server)
      expect(server.connections()).toBeLessThanOrEqual(1)
    })
  })

  test('that signed itself is refused, with --ca-file as the way and no way to turn checks off', async () => {
    await withTls(createCertificate(), {}, (run, server) => {
      expect(run.failure?.message).toMatch(/certificate of 127\.0\.0\.1 is self-signed/)
      expect(run.failure?.hint).toMatch(/--ca-file/)
      expect(run.words).not.toMatch(/REJECT_UNAUTHORIZED|insecure/i)
      expectNothingSent(run, server)
    })
  })

  test('of an unknown authority is refused with its name', async () => {
    await withTls(createCertificate({ authority }), {}, (run, server) => {
      expect(run.failure?.message).toMatch(/comes from an unknown authority \("Test Authority"\)/)
      expectNothingSent(run, server)
    })
  })
})

describe('TLS checks', () => {
  test('that the environment turns off end the run before anything is sent', async () => {
    const world = testWorld({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })
    await withTls(createCertificate(), { world }, (run, server) => {
      expect(run.failure?.kind).toBe('usage')
      expect(run.failure?.message).toMatch(/NODE_TLS_REJECT_UNAUTHORIZED=0 turns TLS checks off/)
      expectNothingSent(run, server)
      expect(server.connections()).toBe(0)
    })
  })

  test('stay on whatever the process believes', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      await withTls(createCertificate(), {}, (run, server) => {
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
  test('https to a port that speaks plain http is told so', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE), {
      onConnection: (socket) => setTimeout(() => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 20),
    })
    const run = await fetching(server.url.replace('http:', 'https:'))
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.words).toMatch(/does not speak TLS as it should/)
    expect(run.words).toMatch(/wrong port or scheme/)
    expectNothingSent(run, server)
    await server.close()
  })

  test('http to a port that speaks TLS ends without the archive', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE), { tls: createCertificate() })
    const run = await fetching(server.url.replace('https:', 'http:'), { retries: 0 })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.files).toEqual([])
    await server.close()
  })
})

describe('https to http', () => {
  test('is not followed as a redirect, and the token does not travel', async () => {
    const plain = await rawServer((_, socket) => socket.write(WHOLE))
    await withTls(
      createCertificate({ authority }),
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
  test('is shown when --client-cert and --client-key name it; files that do not fit are told before anything is sent', async () => {
    const client = createCertificate({ names: ['client'], authority })
    const tls = {
      ...createCertificate({ authority }),
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
        writeFile(path('other.pem'), createCertificate().key),
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
      expect(noPem.failure?.message).toMatch(/^--ca-file: .*none\.pem holds no certificate in PEM form$/)
      const keyless = await fetching(server.url, { caFile: path('ca.pem'), clientCert: path('cert.pem') })
      expect(keyless.failure?.message).toMatch(
        /^--client-cert: .*cert\.pem holds no private key in PEM form$/,
      )
      expect(keyless.failure?.hint).toBe('name its key with --client-key')
      const missing = await fetching(server.url, { caFile: path('nothing-there.pem') })
      expect(missing.failure).toMatchObject({ kind: 'config' })
      expect(missing.failure?.message).toMatch(/^--ca-file: .*nothing-there\.pem does not exist$/)
    })
    await server.close()
  })
})

test('settings are checked when the service is opened, before any request', async () => {
  const world = testWorld()
  const options = {
    baseUrl: 'http://127.0.0.1:9',
    token: TOKEN,
    secrets: [],
    userAgent: 'u',
    connectTimeoutMs: 1,
    responseTimeoutMs: 1,
    stallTimeoutMs: 1,
  }
  await expect(openService(world, { ...options, clientCert: '/nothing/there' })).rejects.toMatchObject({
    kind: 'config',
  })
  await expect(openService(world, { ...options, proxy: 'socks5://h:1' })).rejects.toMatchObject({
    kind: 'usage',
  })
})

interface TlsOptions {
  readonly trusted?: boolean
  readonly trustedBy?: string
  readonly world?: ReturnType<typeof testWorld>
  readonly reply?: Buffer
}

async function withTls(
  certificate: TestCertificate,
  { trusted = false, trustedBy, world, reply = WHOLE }: TlsOptions,
  body: (run: Fetching, server: RawServer) => void,
): Promise<void> {
  const server = await rawServer((_, socket) => socket.write(reply), { tls: certificate })
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
