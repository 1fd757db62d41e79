import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'

export interface TestProxy {
  readonly port: number
  readonly url: string
  /** `CONNECT host:port` or `GET http://…`, in order. */
  readonly asked: readonly string[]
  /** The login of each request, or undefined. */
  readonly logins: readonly (string | undefined)[]
  readonly close: () => Promise<void>
}

interface Options {
  /** `user:password`; without it a request gets a 407. */
  readonly login?: string
  /** The response to every request. */
  readonly status?: number
  /** Sent with status 200 in place of a tunnel. */
  readonly page?: string
  /** The number of first requests that get no response. */
  readonly silentFor?: number
}

/** A proxy that tunnels every host name to loopback. */
export async function startProxy(options: Options = {}): Promise<TestProxy> {
  const asked: string[] = []
  const logins: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const wanted = `Basic ${Buffer.from(options.login ?? '').toString('base64')}`

  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(502).end()
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('connect', (request, client: Socket) => {
    client.on('error', () => undefined)
    const login = request.headers['proxy-authorization']
    asked.push(`CONNECT ${request.url}`)
    logins.push(login)
    if (asked.length <= (options.silentFor ?? 0)) return
    if (options.page !== undefined) {
      client.end(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${options.page}`)
      return
    }
    const status = options.status ?? (options.login === undefined || login === wanted ? undefined : 407)
    if (status !== undefined) {
      client.end(
        `HTTP/1.1 ${status} No\r\nProxy-Authenticate: Basic realm="proxy"\r\nContent-Length: 0\r\n\r\n`,
      )
      return
    }
    const port = Number(request.url!.split(':').at(-1))
    const onward = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(client).pipe(onward)
    })
    sockets.add(onward)
    onward.on('close', () => sockets.delete(onward))
    onward.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked,
    logins,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
