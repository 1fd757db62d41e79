import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { cleanText } from '../base/clean-text.ts'
import { isFailure } from '../base/failure.ts'
import { formatDuration } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { openConnection, type Target, targetOf } from './connector.ts'
import { certificateDay, connectError, dnsAdvice } from './network-errors.ts'
import { networkFault } from './outcome.ts'
import { proxyFor } from './proxy.ts'
import type { ServiceOptions } from './service.ts'
import { loadSecureContext, refuseDisabledChecks, type TlsFiles } from './tls.ts'
import { withDeadline } from './watchdog.ts'

type ProbeWorld = Pick<World, 'clock' | 'disk' | 'env' | 'host' | 'interrupt' | 'syncDisk'>

type ProbeOptions = TlsFiles &
  Pick<ServiceOptions, 'connectTimeoutMs' | 'userAgent' | 'proxy' | 'proxySource'>

/** The result of a TLS handshake. */
interface TlsFacts {
  readonly protocol: string
  readonly issuer: string
  /** The certificate's last day, YYYY-MM-DD, and that moment in milliseconds since the epoch. */
  readonly lastDay: string
  readonly endsAtMs: number
}

/** The route to an address; an invalid proxy address is `usage` or `config`. */
export function routeTo(world: Pick<World, 'env'>, baseUrl: string, options: ProbeOptions): Target {
  const url = new URL(baseUrl)
  return targetOf(
    url,
    proxyFor(url, { env: world.env, explicit: options.proxy, source: options.proxySource }),
  )
}

/** Resolves the host that a route connects to, the proxy if there is one. Rejects with a Fault, also after the connect timeout. */
export async function lookUp(
  world: ProbeWorld,
  { hostname, proxy }: Target,
  { connectTimeoutMs }: ProbeOptions,
): Promise<readonly string[]> {
  const host = proxy?.hostname ?? hostname
  if (isIP(host) !== 0) return [host]
  const overdue = (): Error =>
    networkFault(
      'always',
      `no DNS response for ${cleanText(host)} within ${formatDuration(connectTimeoutMs)}`,
      dnsAdvice({ proxy }),
    )
  const work = (): Promise<readonly LookupAddress[]> => lookup(host, { all: true })
  try {
    const found = await withDeadline(world.clock, connectTimeoutMs, overdue, world.interrupt, work)
    return found.map(({ address }) => address)
  } catch (error) {
    if (isFailure(error)) throw error
    throw connectError(error, { host, port: 0, proxy, hasClientCertificate: false })
  }
}

/** Opens and closes a TCP connection to the first host of the route. Resolves with its address. */
export async function probeConnection(
  world: ProbeWorld,
  { hostname, port, proxy }: Target,
  options: ProbeOptions,
): Promise<string> {
  const first = proxy ?? { hostname, port }
  const target = { protocol: 'http:', hostname: first.hostname, port: first.port, proxy: undefined }
  const socket = await connect(world, target, options)
  const address = socket.remoteAddress ?? hostname
  socket.destroy()
  return address
}

/** Connects along the whole route, completes the TLS handshake, and closes. */
export async function probeTls(world: ProbeWorld, route: Target, options: ProbeOptions): Promise<TlsFacts> {
  refuseDisabledChecks(world.env)
  const socket = (await connect(world, route, options)) as TLSSocket
  const certificate = socket.getPeerCertificate()
  const protocol = socket.getProtocol() ?? 'TLS'
  socket.destroy()
  return {
    protocol,
    issuer: cleanText(String(certificate.issuer?.CN ?? certificate.issuer?.O ?? 'an unnamed authority'), 100),
    lastDay: certificateDay(certificate.valid_to) ?? 'unknown',
    endsAtMs: Date.parse(certificate.valid_to),
  }
}

function connect(
  world: ProbeWorld,
  target: Target,
  options: ProbeOptions,
): ReturnType<typeof openConnection> {
  return openConnection(
    target,
    {
      clock: world.clock,
      timeoutMs: options.connectTimeoutMs,
      hasClientCertificate: options.clientCert !== undefined,
      userAgent: options.userAgent,
      secureContext: () => loadSecureContext(world, options),
    },
    world.interrupt,
  )
}
