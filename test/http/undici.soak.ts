import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Agent, buildConnector, ProxyAgent } from 'undici'
import { describe, expect, test } from 'vitest'
import { needs } from '../support/programs.ts'
import { startProxy } from '../support/proxy.ts'
import { head, rawServer, reset } from '../support/raw-server.ts'
import { createAuthority, createCertificate } from '../support/tls.ts'

// Why src/http has code beside undici: docs/decisions/http.md. A test that fails here says which of it can go.
describe('undici', () => {
  test('has no timeout for a proxy that never responds to CONNECT', async () => {
    const proxy = await startProxy({ silentFor: 1 })
    const limits = { headersTimeout: 50, bodyTimeout: 50, connectTimeout: 50 }
    const tls = { timeout: 50 }
    const agent = new ProxyAgent({ uri: proxy.url, ...limits, proxyTls: tls, requestTls: tls })
    const request = agent.request({ origin: 'https://service.test', path: '/', method: 'GET' })
    let settled = false
    void request.then(
      () => (settled = true),
      () => (settled = true),
    )
    // A server that never responds meets the same limit.
    const server = await rawServer(() => undefined)
    const direct = new Agent(limits)
    await expect(direct.request({ origin: server.url, path: '/', method: 'GET' })).rejects.toMatchObject({
      code: 'UND_ERR_HEADERS_TIMEOUT',
    })
    expect(settled).toBe(false)
    await agent.destroy()
    await direct.destroy()
    await proxy.close()
    await server.close()
  })

  test('gives the status of a proxy that refused only in the text of an error', async () => {
    const proxy = await startProxy({ status: 502 })
    const agent = new ProxyAgent(proxy.url)
    const error: unknown = await agent
      .request({ origin: 'https://service.test', path: '/', method: 'GET' })
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ message: 'Proxy response (502) !== 200 when HTTP Tunneling' })
    expect(Object.values(error as object)).not.toContain(502)
    await agent.destroy()
    await proxy.close()
  })

  test('takes a 100 (Continue) that was not asked for as a bad response', async () => {
    const server = await rawServer((_, socket) => {
      socket.write(`HTTP/1.1 100 Continue\r\n\r\n${head(200, ['Content-Length: 0'])}`)
    })
    const agent = new Agent()
    const request = agent.request({ origin: server.url, path: '/', method: 'GET' })
    await expect(request).rejects.toThrow('bad response')
    await agent.destroy()
    await server.close()
  })

  test('drops the bytes of a body that were not read when the connection broke', async () => {
    const server = await rawServer((_, socket) => {
      socket.write(`${head(200, ['Content-Length: 1000'])}${'x'.repeat(500)}`, () => reset(socket))
    })
    const agent = new Agent()
    const { body } = await agent.request({ origin: server.url, path: '/', method: 'GET' })
    await new Promise((resolve) => body.once('error', resolve))
    let read = 0
    await expect(async () => {
      for await (const chunk of body) read += chunk.length
    }).rejects.toThrow()
    expect(read).toBe(0)
    await agent.destroy()
    await server.close()
  })

  test('ends the process when a connection ends while its body waits for its reader', async () => {
    const server = await rawServer((_, socket) => {
      socket.end(`${head(200, ['Connection: close', 'Content-Length: 80000'])}${'x'.repeat(80_000)}`)
    })
    // In a process of its own: the error cannot be caught.
    const program = `
      const { Agent } = require('undici')
      const { body } = await new Agent().request({ origin: '${server.url}', path: '/', method: 'GET' })
      setTimeout(() => process.exit(), 2_000)
      body.on('error', () => {})`
    const stderr = await new Promise<string>((resolve) => {
      const args = ['-e', `(async () => {${program}})()`]
      const cwd = fileURLToPath(new URL('../..', import.meta.url))
      execFile(process.execPath, args, { cwd }, (_, __, text) => resolve(text))
    })
    expect(stderr).toMatch(/AssertionError[\s\S]*assert\(!this\.paused\)/)
    await server.close()
  })

  test('reports the end of a connection in place of the TLS alert before it', async () => {
    const authority = await createAuthority('Test Authority')
    const tls = { ...(await createCertificate({ authority })), ca: authority.cert, requestCert: true }
    const server = await rawServer(() => undefined, { tls: { ...tls, rejectUnauthorized: true } })
    const agent = new Agent({ connect: { ca: authority.cert } })
    await expect(agent.request({ origin: server.url, path: '/', method: 'GET' })).rejects.toMatchObject({
      code: 'UND_ERR_SOCKET',
      message: 'other side closed',
    })
    await agent.destroy()
    await server.close()
  })

  test('does not keep the certificate that was refused', async () => {
    const server = await rawServer(() => undefined, { tls: await createCertificate() })
    const agent = new Agent()
    const error: unknown = await agent
      .request({ origin: server.url, path: '/', method: 'GET' })
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(error).not.toHaveProperty('cert')
    await agent.destroy()
    await server.close()
  })

  // Not own code: it holds that a dead address costs a quarter of a second, not the connect timeout.
  test.skipIf(!needs('python3'))(
    'tries the next address of a name when the first does not respond',
    async () => {
      const server = await rawServer(() => undefined)
      // Its queue of connections is full, so the kernel drops further ones.
      const deaf = `
import socket, sys
server = socket.socket()
server.bind(('127.0.0.2', ${server.port}))
server.listen(0)
clients = [socket.socket() for _ in range(4)]
for client in clients:
    client.setblocking(False)
    client.connect_ex(('127.0.0.2', ${server.port}))
print('ready', flush=True)
sys.stdin.read()`
      const program = spawn('python3', ['-c', deaf], { stdio: ['pipe', 'pipe', 'inherit'] })
      await once(program.stdout, 'data')
      const connect = buildConnector({
        timeout: 60_000,
        autoSelectFamily: true,
        lookup: (_, __, found) =>
          found(null, [
            { address: '127.0.0.2', family: 4 },
            { address: '127.0.0.1', family: 4 },
          ]),
      })
      const host = `service.test:${server.port}`
      const remote = await new Promise((resolve, reject) => {
        const to = { protocol: 'http:', hostname: 'service.test', host, port: String(server.port) }
        connect(to, (error, socket) => {
          if (error) return reject(error)
          resolve(socket.remoteAddress)
          socket.destroy()
        })
      })
      expect(remote).toBe('127.0.0.1')
      program.stdin.end()
      await server.close()
    },
  )
})
