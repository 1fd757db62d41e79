import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { openConnection, targetOf } from '../../src/http/connector.ts'
import { proxyFor } from '../../src/http/proxy.ts'
import { ARCHIVE, fetching, TOKEN } from '../support/fetching.ts'
import { answer, rawServer } from '../support/raw-server.ts'
import { testWorld } from '../support/world.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)
const OPTIONS = {
  clock: testWorld().clock,
  timeoutMs: 10_000,
  userAgent: 'u',
  secureContext: async () => createSecureContext(),
  hasClientCertificate: false,
}

describe('a connection', () => {
  test('that is refused is retried, and named with host and port', async () => {
    const run = await fetching(`http://127.0.0.1:${await closedPort()}`)
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(/^127\.0\.0\.1:\d+ refused the connection \(3 attempts/)
    expect(run.world.fakeClock.slept.length).toBe(2)
    expect(run.files).toEqual([])
    expect(run.words).not.toContain(TOKEN)
  })

  test('to an unknown name is retried once', async () => {
    const run = await fetching('http://no-such-host.invalid', { retries: 5 })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(/cannot resolve the host name no-such-host\.invalid/)
    expect(run.world.fakeClock.slept.length).toBeGreaterThanOrEqual(1)
    expect(run.files).toEqual([])
  })

  test('that an IPv6 address refuses is reported with brackets', async () => {
    const run = await fetching(`http://[::1]:${await closedPort()}`, { retries: 0 })
    expect(run.failure?.message).toMatch(/^\[::1\]:\d+ refused the connection$/)
  })

  test('to an IPv6 address works', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE), { host: '::1' })
    const run = await fetching(server.url)
    expect(run.bytes?.equals(ARCHIVE)).toBe(true)
    await server.close()
  })

  test('to a name with only one listening address works', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE))
    const run = await fetching(`http://localhost:${server.port}`)
    expect(run.bytes?.equals(ARCHIVE)).toBe(true)
    await server.close()
  })

  test('that is never completed ends at the connect timeout', async () => {
    const { port, close } = await deafTlsPort()
    const run = await fetching(`https://127.0.0.1:${port}`, {
      connectTimeoutMs: 100,
      hasSocketTimeouts: true,
      retries: 1,
    })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(/no connection to 127\.0\.0\.1:\d+ within 0\.1 s \(2 attempts/)
    expect(run.failure?.details.options).toEqual(['connect-timeout'])
    expect(run.files).toEqual([])
    await close()
  })

  test('that is given up while it is made rejects with the reason and leaves no socket', async () => {
    const stop = new AbortController()
    const { port, close, closed } = await deafTlsPort(() => stop.abort(new Error('stopped')))
    const target = { protocol: 'https:', hostname: '127.0.0.1', port, proxy: undefined }
    await expect(openConnection(target, OPTIONS, stop.signal)).rejects.toThrow('stopped')
    await closed
    await close()
  })

  test('to a proxy that refuses a tunnel is closed, even where the proxy keeps it open', async () => {
    const { port, close, closed } = await deafTlsPort((socket) => {
      socket.once('data', () => socket.write('HTTP/1.1 403 No\r\n\r\n'))
    })
    const url = new URL('https://service.test')
    const proxy = proxyFor(url, { env: { HTTPS_PROXY: `http://127.0.0.1:${port}` }, explicit: undefined })
    await expect(openConnection(targetOf(url, proxy), OPTIONS, new AbortController().signal)).rejects.toThrow(
      'refused to connect to service.test:443 (status 403)',
    )
    await closed
    await close()
  })
})

async function closedPort(): Promise<number> {
  const server = await listening(createServer())
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Accepts connections and never says a word by itself. `closed` resolves when the first one has ended. */
async function deafTlsPort(
  onConnection?: (socket: Socket) => void,
): Promise<{ port: number; close: () => Promise<void>; closed: Promise<void> }> {
  const sockets = new Set<Socket>()
  let onClosed: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve
  })
  const server = await listening(
    createServer((socket) => {
      sockets.add(socket)
      socket.resume()
      socket.on('error', () => undefined)
      socket.on('close', onClosed)
      onConnection?.(socket)
    }),
  )
  return {
    port: (server.address() as { port: number }).port,
    closed,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
