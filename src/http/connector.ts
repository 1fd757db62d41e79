import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type PeerCertificate, type SecureContext, TLSSocket } from 'node:tls'
import { Agent, buildConnector, Client } from 'undici'
import { formatDuration } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { connectError, type Peer } from './network-errors.ts'
import { networkFault } from './outcome.ts'
import { authority, type ProxyServer, proxyFor, proxyLabel, proxyRefusal } from './proxy.ts'
import { connectTo } from './race-addresses.ts'
import { withDeadline } from './watchdog.ts'

/** Where a connection leads, and the proxy in between. */
export interface Target {
  readonly protocol: string
  /** Without brackets. */
  readonly hostname: string
  readonly port: number
  readonly proxy: ProxyServer | undefined
}

export function targetOf({ protocol, hostname, port }: URL, proxy?: ProxyServer): Target {
  return {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    proxy,
  }
}

interface ConnectOptions {
  readonly clock: World['clock']
  readonly timeoutMs: number
  readonly userAgent: string
  readonly secureContext: () => Promise<SecureContext>
  readonly hasClientCertificate: boolean
}

/**
 * Opens a connection for HTTP: through the proxy, if there is one, with the certificate checked, all within the timeout. Rejects
 * with a Fault that names host and port, or with the signal's reason.
 */
export function openConnection(
  target: Target,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const peer: Peer = {
    host: target.hostname,
    port: target.port,
    via: target.proxy,
    hasClientCertificate: options.hasClientCertificate,
  }
  const overdue = (): Error => {
    const via = target.proxy ? ` through ${proxyLabel(target.proxy)}` : ''
    return networkFault(
      'always',
      `no connection to ${authority(peer.host, peer.port)}${via} within ${formatDuration(options.timeoutMs)}`,
      { hint: 'check the network, or raise the connect timeout', options: ['connect-timeout'] },
    )
  }
  return withDeadline(options.clock, options.timeoutMs, overdue, signal, async (stop) => {
    const tunnel = target.proxy && (await openTunnel(target, target.proxy, options, stop))
    return connectSocket(target.protocol, peer, options, stop, tunnel)
  })
}

async function connectSocket(
  protocol: string,
  peer: Peer,
  options: ConnectOptions,
  signal: AbortSignal,
  tunnel?: Socket,
): Promise<Socket> {
  const httpSocket =
    tunnel ??
    (await connectTo(peer, options.clock, signal).catch((error: unknown) => {
      throw connectError(error, peer)
    }))
  if (protocol !== 'https:') return httpSocket
  const connect = buildConnector({
    timeout: 0,
    signal,
    secureContext: await options.secureContext(),
    rejectUnauthorized: true,
  })
  const to = {
    protocol,
    hostname: peer.host,
    host: authority(peer.host, peer.port),
    port: String(peer.port),
    httpSocket,
  }
  return new Promise((resolve, reject) => {
    let certificate: PeerCertificate | undefined
    const socket: unknown = connect(to, (error, connected) => {
      if (error) reject(connectError(error, { ...peer, certificate }))
      else resolve(connected)
    })
    // undici's connector returns its socket, though undeclared; the message about a rejected certificate needs it.
    if (!(socket instanceof TLSSocket)) return
    const keep = (): void => {
      const seen: PeerCertificate | null = socket.getPeerCertificate()
      if (seen?.subject !== undefined) certificate ??= seen
    }
    socket.prependOnceListener('secure', keep)
    socket.prependOnceListener('error', keep)
  })
}

/** Opens a tunnel through the proxy (CONNECT). */
async function openTunnel(
  target: Target,
  proxy: ProxyServer,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const peer: Peer = { host: proxy.hostname, port: proxy.port, proxy, hasClientCertificate: false }
  const client = new Client(proxy.origin, {
    headersTimeout: 0,
    connect: (_, done) => {
      connectSocket(proxy.protocol, peer, options, signal).then(
        (socket) => done(null, socket),
        (error: Error) => done(error, null),
      )
    },
  })
  const host = authority(target.hostname, target.port)
  const login = proxy.authorization === undefined ? {} : { 'Proxy-Authorization': proxy.authorization }
  try {
    const { statusCode, headers, socket } = await client.connect({
      path: host,
      headers: { Host: host, 'User-Agent': options.userAgent, ...login },
      signal,
    })
    if (statusCode >= 200 && statusCode <= 299) return socket as Socket
    socket.destroy()
    throw proxyRefusal(statusCode, proxy, host, [headers['proxy-authenticate'] ?? []].flat())
  } catch (error) {
    throw connectError(error, peer)
  } finally {
    // This does not close the tunnel, which no longer belongs to the client.
    client.destroy().catch(() => undefined)
  }
}

/** What a connection knew of the last response when it failed. */
interface BrokenResponse {
  /** The connection had answered other requests, and nothing of this one. */
  readonly isUnanswered: boolean
  /** Of the response that had begun, interim ones aside. */
  readonly status: number | undefined
  /** The server closed the connection. */
  readonly isClosed: boolean
}

const broken = new WeakMap<Error, BrokenResponse>()

/** What the connection of this error knew of the response. */
export function brokenResponse(error: unknown): BrokenResponse {
  const known = error instanceof Error ? broken.get(error) : undefined
  return known ?? { isUnanswered: false, status: undefined, isClosed: false }
}

/**
 * undici's agent, with connections opened through the proxy of each origin. undici's timeouts are off: they are coarse, and count
 * the time in which the process was suspended.
 */
export function createAgent(
  options: ConnectOptions,
  proxies: Parameters<typeof proxyFor>[1],
  signal: AbortSignal,
): Agent {
  async function open(protocol: string, hostname: string, port: string): Promise<Socket> {
    const host = authority(hostname, Number(port) || (protocol === 'https:' ? 443 : 80))
    const url = new URL(`${protocol}//${host}`)
    return openConnection(targetOf(url, proxyFor(url, proxies)), options, signal)
  }
  return new Agent({
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
    connect: ({ protocol, hostname, port }, done) => {
      open(protocol, hostname, port).then(
        (socket) => done(null, new PausableConnection(socket) as unknown as Socket),
        (error: Error) => done(error, null),
      )
    },
  })
}

const CONTINUE = 'HTTP/1.1 100 '
const MAX_INTERIM_BYTES = 1024
const FINAL_STATUS = /^HTTP\/1\.[01] ([2-9]\d\d)/

/**
 * A connection whose end and errors reach undici only once it has read everything before them and asks for more. undici 7 throws an
 * uncatchable AssertionError when a connection ends while a body waits for its reader: `docs/decisions/connection-end.md`.
 */
class PausableConnection extends Duplex {
  readonly #socket: Socket
  #end: { readonly error: Error | undefined } | undefined
  /** The last read returned nothing, so undici is not paused. */
  #isAwaited = false
  #isWanted = false
  /** The bytes received so far, and before the last request was written. */
  #received = 0
  #receivedBefore = 0
  /** The beginning of the response to it, while it may be that of an interim one. */
  #interim: Buffer | undefined
  /** Of the response to it. */
  #status: number | undefined

  constructor(socket: Socket) {
    super({
      allowHalfOpen: false,
      readableHighWaterMark: socket.readableHighWaterMark,
      writableHighWaterMark: socket.writableHighWaterMark,
    })
    this.#socket = socket
    const ended = (error?: Error): void => {
      this.#end ??= { error }
      this.#forward()
      this.#settle()
    }
    socket.on('readable', () => this.#forward())
    socket.once('error', ended).once('end', () => ended())
    // Without a listener, a later error would end the process.
    socket.once('close', () => ended()).on('error', () => undefined)
    this.once('error', (error) => {
      const isUnanswered = this.#receivedBefore > 0 && this.#received === this.#receivedBefore
      broken.set(error, { isUnanswered, status: this.#status, isClosed: this.readableEnded })
    })
  }

  get bytesRead(): number {
    return this.#socket.bytesRead
  }

  ref(): this {
    this.#socket.ref()
    return this
  }

  unref(): this {
    this.#socket.unref()
    return this
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size)
    if (size === 0) return chunk
    this.#isAwaited = chunk === null
    this.#settle()
    return chunk
  }

  override _read(): void {
    this.#isWanted = true
    this.#forward()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#receivedBefore = this.#received
    this.#interim ??= Buffer.alloc(0)
    this.#status = undefined
    // The socket emits an error of this write.
    this.#socket.write(chunk, () => done())
  }

  override _final(done: () => void): void {
    this.#socket.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  #forward(): void {
    while (this.#isWanted) {
      const chunk: Buffer | null = this.#socket.read()
      if (chunk === null) return
      this.#received += chunk.length
      const rest = this.#interim === undefined ? chunk : this.#withoutContinue(this.#interim, chunk)
      if (rest.length > 0) this.#isWanted = this.push(rest)
    }
  }

  // To undici, a 100 (Continue) that was not asked for is a bad response, and the request would be paid for again.
  #withoutContinue(before: Buffer, chunk: Buffer): Buffer {
    const start = Buffer.concat([before, chunk])
    const head = start.toString('latin1', 0, MAX_INTERIM_BYTES)
    const isContinue = CONTINUE.startsWith(head.slice(0, CONTINUE.length)) || head.startsWith(CONTINUE)
    const end = head.indexOf('\r\n\r\n')
    if (isContinue && end < 0 && start.length < MAX_INTERIM_BYTES) {
      this.#interim = start
      return Buffer.alloc(0)
    }
    this.#interim = undefined
    if (!isContinue) this.#status = Number(FINAL_STATUS.exec(head)?.[1]) || undefined
    return isContinue && end >= 0 ? this.#withoutContinue(Buffer.alloc(0), start.subarray(end + 4)) : start
  }

  #settle(): void {
    if (this.#end === undefined || !this.#isAwaited || this.readableLength > 0) return
    if (this.#end.error) this.destroy(this.#end.error)
    else this.push(null)
  }
}
