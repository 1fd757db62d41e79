import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expect, test } from 'vitest'
import { probeConnection, probeTls, routeTo } from '../../src/http/probe.ts'
import { createAuthority, createCertificate } from '../support/tls.ts'
import { testWorld, withFolder } from '../support/world.ts'

const OPTIONS = { connectTimeoutMs: 5_000, userAgent: 'u', proxy: '' }

/** A server; `closed` resolves when its only connection has ended. */
async function watched(server: Server) {
  const closes: Promise<void>[] = []
  server.on('tlsClientError', () => undefined)
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    closes.push(new Promise((resolve) => socket.once('close', () => resolve())))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    closed: async () => {
      await expect.poll(() => closes.length).toBe(1)
      await Promise.all(closes)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('a probe of a connection closes it', async () => {
  const { host, closed } = await watched(createServer((socket) => socket.resume()))
  const world = testWorld()
  expect(await probeConnection(world, routeTo(world, `http://${host}`, OPTIONS), OPTIONS)).toBe('127.0.0.1')
  await closed()
})

test('a probe of TLS names the certificate and closes the connection', () =>
  withFolder(async (folder) => {
    const authority = await createAuthority('Test Authority')
    const tls = await createCertificate({ authority, names: ['127.0.0.1'] })
    const caFile = join(folder, 'ca.pem')
    await writeFile(caFile, authority.cert)
    const { host, closed } = await watched(createTlsServer(tls))
    const world = testWorld()
    const facts = await probeTls(world, routeTo(world, `https://${host}`, OPTIONS), { ...OPTIONS, caFile })
    expect(facts).toMatchObject({ protocol: 'TLSv1.3', issuer: 'Test Authority' })
    await closed()
  }))
