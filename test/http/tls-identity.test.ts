import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { readTlsIdentity } from '../../src/http/tls.ts'
import { createAuthority } from '../support/tls.ts'
import { testWorld, withFolder } from '../support/world.ts'

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
