import type { Socket } from 'node:net'
import { type PeerCertificate, type SecureContext, TLSSocket } from 'node:tls'
import { buildConnector, Client } from 'undici'
import { formatDuration } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { connectError, type Peer } from './connect-errors.ts'
import { networkFault } from './fault.ts'
import { authority, type ProxyServer, proxyLabel, proxyRefusal } from './proxy.ts'
import { withDeadline } from './watchdog.ts'

/** Where a connection ends, and the proxy on the way. */
export interface Target {
  readonly protocol: string
  /** Without brackets. */
  readonly hostname: string
  readonly port: number
  readonly proxy: ProxyServer | undefined
}

/** The target of a URL, through `proxy`. */
export function targetOf({ protocol, hostname, port }: URL, proxy?: ProxyServer): Target {
  return {
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    proxy,
  }
}

export interface ConnectOptions {
  readonly clock: World['clock']
  readonly timeoutMs: number
  readonly userAgent: string
  readonly secureContext: () => Promise<SecureContext>
  readonly hasClientCertificate: boolean
}

const bytesReadBefore = new WeakMap<Error, number>()

/** True when the connection that ended with this error had brought bytes before. */
export function wasReused(error: unknown): boolean {
  return error instanceof Error && (bytesReadBefore.get(error) ?? 0) > 0
}

/**
 * A connection ready for HTTP: through the proxy where there is one, its certificate checked. The timeout covers all of it.
 * Rejects with a Fault that names host and port, or the signal's reason.
 */
export function openConnection(
  target: Target,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const peer: Peer = {
    host: target.hostname,
    port: target.port,
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
  const connect = buildConnector({
    timeout: 0,
    signal,
    autoSelectFamily: true,
    ...(protocol === 'https:'
      ? { secureContext: await options.secureContext(), rejectUnauthorized: true }
      : {}),
  })
  const to = {
    protocol,
    hostname: peer.host,
    host: authority(peer.host, peer.port),
    port: String(peer.port),
    ...(tunnel ? { httpSocket: tunnel } : {}),
  }
  return new Promise((resolve, reject) => {
    let certificate: PeerCertificate | undefined
    const socket: unknown = connect(to, (error, connected) => {
      if (error) reject(connectError(error, { ...peer, certificate }))
      else resolve(rememberEnd(connected))
    })
    // undici returns the socket it makes, undeclared. It forgets the certificate when it is refused, which the message needs.
    if (!(socket instanceof TLSSocket)) return
    const keep = (): void => {
      const seen: PeerCertificate | null = socket.getPeerCertificate()
      if (seen?.subject !== undefined) certificate ??= seen
    }
    socket.prependOnceListener('secure', keep)
    socket.prependOnceListener('error', keep)
  })
}

/** Asks the proxy for a tunnel (CONNECT). */
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
    const { statusCode, socket } = await client.connect({
      path: host,
      headers: { Host: host, 'User-Agent': options.userAgent, ...login },
      signal,
    })
    if (statusCode >= 200 && statusCode <= 299) return socket as Socket
    socket.destroy()
    throw proxyRefusal(statusCode, proxy, host)
  } catch (error) {
    throw connectError(error, peer)
  } finally {
    // The tunnel is no longer the client's: only what did not become one is closed.
    client.destroy().catch(() => undefined)
  }
}

// undici reports the end of a connection by the event that comes last; a TLS alert comes before it and says why.
function rememberEnd(socket: Socket): Socket {
  return socket.once('error', (error) => {
    bytesReadBefore.set(error, socket.bytesRead)
    socket.destroy(error)
  })
}
