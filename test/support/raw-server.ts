import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** One request as received. */
export interface RawRequest {
  /** Number of the request, from 1. */
  readonly number: number
  readonly method: string
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Number of its connection, from 1. */
  readonly connection: number
}

export type RawHandler = (request: RawRequest, socket: Socket) => void

export interface RawServer {
  readonly port: number
  /** `http://127.0.0.1:PORT`, or https. */
  readonly url: string
  readonly requests: readonly RawRequest[]
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** A server that parses requests and leaves every byte of the responses to `handler`, without node:http in between. */
export async function rawServer(
  handler: RawHandler,
  options: {
    readonly tls?: TlsOptions
    readonly host?: string
    readonly onConnection?: (socket: Socket) => void
  } = {},
): Promise<RawServer> {
  const requests: RawRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0

  function accept(socket: Socket): void {
    connections += 1
    const connection = connections
    let pending: Buffer = Buffer.alloc(0)
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    options.onConnection?.(socket)
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk])
      let parsed = parseRequest(pending, requests.length + 1, connection)
      while (parsed) {
        pending = parsed.rest
        requests.push(parsed.request)
        handler(parsed.request, socket)
        parsed = parseRequest(pending, requests.length + 1, connection)
      }
    })
  }

  const server: Server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept)
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, options.host ?? '127.0.0.1', resolve)
  })
  const { port } = server.address() as { port: number }
  const host = options.host?.includes(':') ? `[${options.host}]` : (options.host ?? '127.0.0.1')
  return {
    port,
    url: `${options.tls ? 'https' : 'http'}://${host}:${port}`,
    requests,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The bytes of a response head: the status line and these header lines, in order. */
export function head(status: number, headers: readonly string[] = [], reason = 'Status'): string {
  return [`HTTP/1.1 ${status} ${reason}`, ...headers, '', ''].join('\r\n')
}

/** A complete response with its length. */
export function answer(status: number, headers: readonly string[], body: Buffer | string): Buffer {
  const bytes = Buffer.from(body)
  return Buffer.concat([Buffer.from(head(status, [...headers, `Content-Length: ${bytes.length}`])), bytes])
}

/** Writes `chunk` again and again, as fast as it is taken, until the connection closes. */
export function writeForever(socket: Socket, chunk: Buffer | string): void {
  if (socket.writable) socket.write(chunk, (error) => error ?? writeForever(socket, chunk))
}

/** Ends a connection the hard way. */
export function reset(socket: Socket): void {
  socket.resetAndDestroy()
}

function parseRequest(
  bytes: Buffer,
  number: number,
  connection: number,
): { readonly request: RawRequest; readonly rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = Object.fromEntries(
    lines.map((text) => [
      text.slice(0, text.indexOf(':')).toLowerCase(),
      text.slice(text.indexOf(':') + 1).trim(),
    ]),
  )
  const length = Number(headers['content-length'] ?? 0)
  if (bytes.length < end + 4 + length) return undefined
  const body = bytes.subarray(end + 4, end + 4 + length).toString('utf8')
  return {
    request: { number, method, path, headers, body, connection },
    rest: bytes.subarray(end + 4 + length),
  }
}
