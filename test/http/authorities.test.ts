import * as realDisk from 'node:fs/promises'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import type { Disk } from '../../src/base/world.ts'
import { readsSystemStore, readTlsIdentity } from '../../src/http/authorities.ts'
import { createAuthority } from '../support/tls.ts'
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
