import { writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { probeConnection, probeTls, routeTo } from '../../src/http/probe.ts'
import { rawServer } from '../support/raw-server.ts'
import { createAuthority, createCertificate } from '../support/tls.ts'
import { testWorld, withFolder } from '../support/world.ts'

const OPTIONS = { connectTimeoutMs: 5_000, userAgent: 'u', proxy: '' }

/** The sockets of a server; `closed` resolves when all of them have ended. */
function watched() {
  const closes: Promise<void>[] = []
  return {
    onConnection: (socket: Socket) =>
      void closes.push(new Promise<void>((resolve) => socket.once('close', () => resolve()))),
    closed: async () => {
      // The server is done with the handshake later than the client.
      await expect.poll(() => closes.length).toBe(1)
      await Promise.all(closes)
    },
  }
}

test('a probe of a connection closes it', async () => {
  const { onConnection, closed } = watched()
  const server = await rawServer(() => undefined, { onConnection })
  const world = testWorld()
  expect(await probeConnection(world, routeTo(world, server.url, OPTIONS), OPTIONS)).toBe('127.0.0.1')
  await closed()
  await server.close()
})

test('a probe of TLS names the certificate and closes the connection', () =>
  withFolder(async (folder) => {
    const { onConnection, closed } = watched()
    const authority = await createAuthority('Test Authority')
    const tls = await createCertificate({ authority, names: ['127.0.0.1'] })
    const caFile = join(folder, 'ca.pem')
    await writeFile(caFile, authority.cert)
    const server = await rawServer(() => undefined, { tls, onConnection })
    const world = testWorld()
    const facts = await probeTls(world, routeTo(world, server.url, OPTIONS), { ...OPTIONS, caFile })
    expect(facts).toMatchObject({ protocol: 'TLSv1.3', issuer: 'Test Authority' })
    await closed()
    await server.close()
  }))
