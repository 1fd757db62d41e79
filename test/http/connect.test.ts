import { createServer, type Server } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openConnection } from '../../src/http/connect.ts'
import { connectFault } from '../../src/http/connect-fault.ts'
import { ARCHIVE, fetching, TOKEN } from '../support/fetching.ts'
import { answer, rawServer } from '../support/raw-server.ts'

const WHOLE = answer(200, ['Content-Type: application/zip'], ARCHIVE)

describe('a connection', () => {
  test('refused is tried again, with host and port in the words', async () => {
    const run = await fetching(`http://127.0.0.1:${await closedPort()}`)
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(/^127\.0\.0\.1:\d+ refused the connection \(3 attempts/)
    expect(run.world.fakeClock.slept.length).toBe(2)
    expect(run.files).toEqual([])
    expect(run.words).not.toContain(TOKEN)
  })

  test('to a name nobody knows is tried again once only', async () => {
    const run = await fetching('http://no-such-host.invalid', { retries: 5 })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(/can not resolve the host name no-such-host\.invalid/)
    expect(run.world.fakeClock.slept.length).toBeGreaterThanOrEqual(1)
    expect(run.files).toEqual([])
  })

  test('refused at an IPv6 address names it in brackets', async () => {
    const run = await fetching(`http://[::1]:${await closedPort()}`, { retries: 0 })
    expect(run.failure?.message).toMatch(/^\[::1\]:\d+ refused the connection$/)
  })

  test('to an IPv6 address alone works', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE), { host: '::1' })
    const run = await fetching(server.url)
    expect(run.bytes?.equals(ARCHIVE)).toBe(true)
    await server.close()
  })

  test('to a name of which only one address listens works', async () => {
    const server = await rawServer((_, socket) => socket.write(WHOLE))
    const run = await fetching(`http://localhost:${server.port}`)
    expect(run.bytes?.equals(ARCHIVE)).toBe(true)
    await server.close()
  })

  test('that is never completed ends at --connect-timeout', async () => {
    const { port, close } = await deafTlsPort()
    const run = await fetching(`https://127.0.0.1:${port}`, { connectTimeoutMs: 100, retries: 1 })
    expect(run.failure?.kind).toBe('unavailable')
    expect(run.failure?.message).toMatch(/no connection to 127\.0\.0\.1:\d+ within 0\.1 s \(2 attempts/)
    expect(run.failure?.hint).toMatch(/--connect-timeout/)
    expect(run.files).toEqual([])
    await close()
  })

  test('that is given up while it is made rejects with the reason and leaves no socket', async () => {
    const { port, close, open } = await deafTlsPort()
    const stop = new AbortController()
    const target = { protocol: 'https:', hostname: '127.0.0.1', port, proxy: undefined }
    const { createSecureContext } = await import('node:tls')
    const options = { timeoutMs: 10_000, userAgent: 'u', secureContext: async () => createSecureContext() }
    const pending = openConnection(target, options, stop.signal)
    setTimeout(() => stop.abort(new Error('stopped')), 50)
    await expect(pending).rejects.toThrow('stopped')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(open()).toBe(0)
    await close()
  })
})

describe('the words for a failed connection', () => {
  const endpoint = { host: 'api.example.com', port: 443 }

  test.each([
    ['ENOTFOUND', 'once', /can not resolve/],
    ['EAI_AGAIN', 'always', /can not resolve .* at the moment/],
    ['ECONNREFUSED', 'always', /refused the connection/],
    ['EHOSTUNREACH', 'always', /can not be reached/],
    ['ENETUNREACH', 'always', /can not be reached/],
    ['ETIMEDOUT', 'always', /did not answer/],
    ['ECONNRESET', 'always', /closed the connection before a request/],
    ['CERT_HAS_EXPIRED', 'never', /certificate of api\.example\.com expired/],
    ['CERT_REVOKED', 'never', /revoked/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'never', /unknown authority/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'never', /unknown authority, self-signed/],
    ['INVALID_CA', 'never', /was refused \(INVALID_CA\)/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'never', /does not speak TLS/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'never', /refused the TLS handshake/],
  ])('%s is tried again %s', (code, retry, says) => {
    const fault = connectFault(Object.assign(new Error('x'), { code }), endpoint)
    expect(fault.kind).toBe('unavailable')
    expect(fault.retry).toBe(retry)
    expect(fault.message).toMatch(says)
    expect(fault.hint).not.toBe('')
  })

  test('a missing client certificate points to the flags', () => {
    const error = Object.assign(new Error('x'), { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' })
    expect(connectFault(error, endpoint).hint).toMatch(/--client-cert and --client-key/)
  })

  test('of many addresses that failed, the first speaks', () => {
    const errors = ['ECONNREFUSED', 'ENETUNREACH'].map((code) => Object.assign(new Error('x'), { code }))
    expect(connectFault(new AggregateError(errors), endpoint).message).toMatch(/refused the connection/)
  })

  test('too many open files is a matter of this machine', () => {
    const error = Object.assign(new Error('x'), { code: 'EMFILE' })
    expect(connectFault(error, endpoint)).toMatchObject({ kind: 'io' })
  })
})

async function closedPort(): Promise<number> {
  const server = await listening(createServer())
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Accepts connections and never says a word. */
async function deafTlsPort(): Promise<{ port: number; close: () => Promise<void>; open: () => number }> {
  const sockets = new Set<import('node:net').Socket>()
  const server = await listening(
    createServer((socket) => {
      sockets.add(socket)
      socket.resume()
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }),
  )
  return {
    port: (server.address() as { port: number }).port,
    open: () => sockets.size,
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
