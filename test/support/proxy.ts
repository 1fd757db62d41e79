import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
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

/**
 * A proxy that tunnels and forwards. With `login` (`user:password`) others get a 407; with `status` every request gets that.
 */
export async function startProxy(
  options: { readonly login?: string; readonly status?: number } = {},
): Promise<TestProxy> {
  const asked: string[] = []
  const logins: (string | undefined)[] = []
  const sockets = new Set<Socket>()

  function refuse(request: IncomingMessage): number | undefined {
    const login = request.headers['proxy-authorization']
    asked.push(`${request.method} ${request.url}`)
    logins.push(login)
    if (options.status !== undefined) return options.status
    const wanted = `Basic ${Buffer.from(options.login ?? '').toString('base64')}`
    return options.login === undefined || login === wanted ? undefined : 407
  }

  const server = createServer((request, response) => {
    const status = refuse(request)
    if (status !== undefined) {
      response.writeHead(status, { 'Proxy-Authenticate': 'Basic realm="proxy"' }).end()
      return
    }
    const { 'proxy-authorization': _, ...headers } = request.headers
    const onward = httpRequest(request.url!, { method: request.method!, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders)
      answer.pipe(response)
    })
    onward.on('error', () => response.writeHead(502).end())
    request.pipe(onward)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('connect', (request, client: Socket) => {
    client.on('error', () => undefined)
    const status = refuse(request)
    if (status !== undefined) {
      client.end(
        `HTTP/1.1 ${status} No\r\nProxy-Authenticate: Basic realm="proxy"\r\nContent-Length: 0\r\n\r\n`,
      )
      return
    }
    const [host, port] = request.url!.split(':')
    const onward = connect(Number(port), host!, () => {
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
