import { request as httpRequest } from 'node:http'
import { isIP, connect as netConnect, type Socket } from 'node:net'
import { type PeerCertificate, type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls'
import { isFailure } from '../base/failure.ts'
import { formatDuration } from '../base/units.ts'
import { authority, connectFault, type Endpoint, proxyAnswerFault } from './connect-fault.ts'
import { networkFault } from './fault.ts'
import type { ProxyServer } from './proxy.ts'
import { watch } from './watchdog.ts'

/** Where a connection ends, and the proxy on the way. */
export interface Target {
  readonly protocol: string
  /** Without brackets. */
  readonly hostname: string
  readonly port: number
  readonly proxy: ProxyServer | undefined
}

export interface ConnectOptions {
  readonly timeoutMs: number
  readonly userAgent: string
  readonly secureContext: () => Promise<SecureContext>
}

/**
 * A connection ready for HTTP: name looked up, addresses of both families tried (RFC 8305), through the proxy where there is
 * one, certificate checked. The time-out covers all of it. Rejects with a Fault that names host and port.
 */
export async function openConnection(
  target: Target,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const opened: Socket[] = []
  const endpoint: Endpoint = { host: target.hostname, port: target.port, proxy: target.proxy }
  let reject: (reason: unknown) => void = () => undefined
  const overdue = new Promise<never>((_, refuse) => {
    reject = refuse
  })
  const watchdog = watch({ idleMs: options.timeoutMs, onIdle: () => reject(timeOutFault(endpoint, options)) })
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    signal.throwIfAborted()
    return await Promise.race([
      overdue,
      establish(target, options, endpoint, (socket) => opened.push(socket)),
    ])
  } catch (error) {
    for (const socket of opened) socket.destroy()
    throw error
  } finally {
    watchdog.stop()
    signal.removeEventListener('abort', onAbort)
    overdue.catch(() => undefined)
  }
}

type Keep = (socket: Socket) => void

async function establish(
  target: Target,
  options: ConnectOptions,
  endpoint: Endpoint,
  keep: Keep,
): Promise<Socket> {
  const { proxy } = target
  if (!proxy) {
    const socket = await connectTcp(target.hostname, target.port, endpoint, keep)
    return target.protocol === 'https:'
      ? connectTls(socket, target.hostname, await options.secureContext(), endpoint, keep)
      : socket
  }
  const viaProxy: Endpoint = { host: proxy.hostname, port: proxy.port, isProxy: true, proxy }
  const plain = await connectTcp(proxy.hostname, proxy.port, viaProxy, keep)
  const toProxy =
    proxy.protocol === 'https:'
      ? await connectTls(plain, proxy.hostname, await options.secureContext(), viaProxy, keep)
      : plain
  if (target.protocol !== 'https:') return toProxy
  const tunnel = await openTunnel(toProxy, target, proxy, options.userAgent)
  return connectTls(tunnel, target.hostname, await options.secureContext(), endpoint, keep)
}

function connectTcp(host: string, port: number, endpoint: Endpoint, keep: Keep): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = netConnect({
      host,
      port,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 250,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    })
    keep(socket)
    const onError = (error: Error): void => reject(connectFault(error, endpoint))
    socket.once('error', onError)
    socket.once('connect', () => {
      socket.off('error', onError)
      resolve(socket)
    })
  })
}

function connectTls(
  socket: Socket,
  hostname: string,
  secureContext: SecureContext,
  endpoint: Endpoint,
  keep: Keep,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    let certificate: PeerCertificate | undefined
    const secured = tlsConnect({
      socket,
      secureContext,
      host: hostname,
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    })
    keep(secured)
    // Before the check of the certificate destroys the socket, and with it what the message wants to say.
    secured.prependListener('secure', () => {
      certificate = secured.getPeerCertificate()
    })
    const onError = (error: Error): void => reject(connectFault(error, { ...endpoint, certificate }))
    secured.once('error', onError)
    secured.once('secureConnect', () => {
      secured.off('error', onError)
      resolve(secured)
    })
  })
}

function openTunnel(socket: Socket, target: Target, proxy: ProxyServer, userAgent: string): Promise<Socket> {
  const destination = authority(target.hostname, target.port)
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket,
      method: 'CONNECT',
      path: destination,
      setHost: false,
      headers: {
        Host: destination,
        'User-Agent': userAgent,
        ...(proxy.authorization === undefined ? {} : { 'Proxy-Authorization': proxy.authorization }),
      },
    })
    request.once('connect', (response, tunnel: Socket, head: Buffer) => {
      const status = response.statusCode ?? 0
      if (status < 200 || status > 299) {
        tunnel.destroy()
        reject(proxyAnswerFault(status, proxy))
        return
      }
      if (head.length > 0) tunnel.unshift(head)
      resolve(tunnel)
    })
    request.once('error', (error) =>
      reject(
        isFailure(error)
          ? error
          : connectFault(error, { host: proxy.hostname, port: proxy.port, isProxy: true, proxy }),
      ),
    )
    request.end()
  })
}

function timeOutFault(endpoint: Endpoint, options: ConnectOptions): Error {
  const via = endpoint.proxy
    ? ` through the proxy ${authority(endpoint.proxy.hostname, endpoint.proxy.port)}`
    : ''
  return networkFault(
    'always',
    `no connection to ${authority(endpoint.host, endpoint.port)}${via} within ${formatDuration(options.timeoutMs)}`,
    { hint: 'check the network, or raise --connect-timeout' },
  )
}
