import { execFileSync } from 'node:child_process'
import * as realDisk from 'node:fs/promises'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import type { Notice } from '../../src/base/notice.ts'
import type { Disk } from '../../src/base/world.ts'
import { loadSecureContext, readsSystemStore, readTlsIdentity } from '../../src/http/tls.ts'
import { needs } from '../support/programs.ts'
import { createAuthority, createCertificate } from '../support/tls.ts'
import { testWorld, windowsWorld, withFolder } from '../support/world.ts'

const blocks = (texts: readonly string[] | undefined): string[] =>
  (texts ?? []).map((pem) => pem.replace(/\s+/g, ''))

test('authorities add up: those of Node, of the variables and of the CA file, each once', () =>
  withFolder(async (folder) => {
    const pems = await Promise.all(['A', 'B', 'C'].map(async (name) => (await createAuthority(name)).cert))
    const path = (name: string): string => join(folder, name)
    await writeFile(path('extra'), pems[0]!)
    await writeFile(path('bundle'), `${pems[0]}\n# comment\n${pems[1]!.replaceAll('\n', '\r\n')}`)
    await writeFile(path('own'), pems[2]!)
    const world = testWorld({ env: { NODE_EXTRA_CA_CERTS: path('extra'), SSL_CERT_FILE: path('bundle') } })
    const found = blocks((await readTlsIdentity(world, { caFile: path('own') })).ca)
    expect(found).toEqual(expect.arrayContaining([...blocks(pems), ...blocks(rootCertificates)]))
    expect(new Set(found).size).toBe(found.length)
  }))

test('the authorities of the system are in the first of its bundles that exists', () =>
  withFolder(async (folder) => {
    const [first, second] = await Promise.all(['A', 'B'].map((name) => createAuthority(name)))
    const bundles = new Map([
      ['/etc/pki/tls/certs/ca-bundle.crt', join(folder, 'first')],
      ['/etc/ssl/cert.pem', join(folder, 'second')],
    ])
    await writeFile(join(folder, 'first'), first!.cert)
    await writeFile(join(folder, 'second'), second!.cert)
    const at = (path: string): string => bundles.get(path) ?? join(folder, 'none')
    const stat = ((path: string) => realDisk.stat(at(path))) as Disk['stat']
    const open = ((path: string, ...rest: [number]) => realDisk.open(at(path), ...rest)) as Disk['open']
    const world = testWorld({ disk: { ...realDisk, open, stat } })
    const linux = { ...world, host: { ...world.host, platform: 'linux' as const } }
    const found = blocks((await readTlsIdentity(linux, {})).ca)
    expect(found).toContain(blocks([first!.cert])[0])
    expect(found).not.toContain(blocks([second!.cert])[0])
  }))

test('on Windows the bundle of a directory \\\\etc, which anybody can create, is not read', async () => {
  const opened: string[] = []
  const open = ((path: string, ...rest: [number]) => {
    opened.push(path)
    return realDisk.open(path, ...rest)
  }) as Disk['open']
  const stat = ((path: string) => {
    opened.push(path)
    return realDisk.stat(path)
  }) as Disk['stat']
  const elsewhere = testWorld({ disk: { ...realDisk, open, stat } })
  await readTlsIdentity(elsewhere, {})
  expect(opened).toContain('/etc/ssl/certs/ca-certificates.crt')
  opened.length = 0
  const { ca } = await readTlsIdentity({ ...elsewhere, host: windowsWorld().host }, {})
  expect(opened).toEqual([])
  expect(ca !== undefined).toBe(readsSystemStore('win32'))
  expect(readsSystemStore('linux')).toBe(true)
})

test('a file of a variable that is missing is skipped, one of a setting is an error', async () => {
  const world = testWorld({ env: { NODE_EXTRA_CA_CERTS: '/nothing/there', SSL_CERT_FILE: '' } })
  await expect(readTlsIdentity(world, {})).resolves.toMatchObject({ cert: undefined, key: undefined })
  await expect(readTlsIdentity(world, { caFile: '/nothing/there' })).rejects.toMatchObject({
    kind: 'config',
    details: { options: ['ca-file'] },
  })
})

test('the key is read from the file of the certificate unless it has its own', () =>
  withFolder(async (folder) => {
    const { cert, key } = await createAuthority('A')
    const path = join(folder, 'both.pem')
    await writeFile(path, `${cert}${key}`)
    const identity = await readTlsIdentity(testWorld(), { clientCert: path })
    expect(identity.key?.toString()).toBe(`${cert}${key}`)
    expect(identity.cert).toEqual(identity.key)
  }))

describe.skipIf(!needs('openssl'))('a client certificate whose key is encrypted', () => {
  /** A PKCS#12 file and an encrypted PEM key, both with the password `p w`, as openssl writes them. */
  async function encrypted(
    folder: string,
  ): Promise<Record<'p12' | 'cert' | 'key' | 'password' | 'wrong', string>> {
    const { cert, key } = await createCertificate({ names: ['client'] })
    const at = (name: string): string => join(folder, name)
    const files = { 'cert.pem': cert, 'plain.pem': key, password: 'p w\n', wrong: 'other\n' }
    for (const [name, text] of Object.entries(files)) await writeFile(at(name), text, { mode: 0o600 })
    const openssl = (...args: string[]): void =>
      void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
    openssl(
      'pkcs12',
      '-export',
      '-in',
      'cert.pem',
      '-inkey',
      'plain.pem',
      '-out',
      'id.p12',
      '-passout',
      'pass:p w',
    )
    openssl('pkcs8', '-topk8', '-in', 'plain.pem', '-out', 'key.pem', '-v2', 'aes256', '-passout', 'pass:p w')
    return {
      p12: at('id.p12'),
      cert: at('cert.pem'),
      key: at('key.pem'),
      password: at('password'),
      wrong: at('wrong'),
    }
  }

  test('is used with the password, and refused without it or with another one', () =>
    withFolder(async (folder) => {
      const { p12, cert, key, password, wrong } = await encrypted(folder)
      for (const files of [{ clientCert: p12 }, { clientCert: cert, clientKey: key }]) {
        const load = (clientKeyPasswordFile?: string): Promise<unknown> =>
          loadSecureContext(testWorld(), { ...files, clientKeyPasswordFile })
        await expect(load(password)).resolves.toBeDefined()
        await expect(load()).rejects.toMatchObject({
          kind: 'config',
          message: 'the key of the client certificate is encrypted, and there is no password',
          details: { options: ['client-key-password-file'] },
        })
        await expect(load(wrong)).rejects.toMatchObject({
          kind: 'config',
          message: 'the password of the client key is wrong',
        })
        await expect(load(join(folder, 'none'))).rejects.toMatchObject({
          kind: 'config',
          details: { options: ['client-key-password-file'] },
        })
      }
    }))

  test('warns when others can read the password', () =>
    withFolder(async (folder) => {
      const { p12, password } = await encrypted(folder)
      await chmod(password, 0o644)
      const notices: Notice[] = []
      const files = { clientCert: p12, clientKeyPasswordFile: password }
      await loadSecureContext(testWorld(), files, (notice) => notices.push(notice))
      expect(notices.map(({ message }) => message)).toEqual([
        `others can read the password file ${password}; run: chmod 600 ${password}`,
      ])
    }))

  test('and cut short is refused', () =>
    withFolder(async (folder) => {
      const { p12, password } = await encrypted(folder)
      await writeFile(p12, (await readFile(p12)).subarray(0, 500))
      const files = { clientCert: p12, clientKeyPasswordFile: password }
      await expect(loadSecureContext(testWorld(), files)).rejects.toMatchObject({ kind: 'config' })
    }))
})
