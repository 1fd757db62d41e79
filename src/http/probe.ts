import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { cleanText } from '../base/clean-text.ts'
import { formatDuration } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { certificateDay } from './certificate-date.ts'
import { openConnection, type Target } from './connect.ts'
import { connectFault } from './connect-fault.ts'
import { networkFault } from './fault.ts'
import { type ProxyServer, proxyFor } from './proxy.ts'
import { loadSecureContext, refuseDisabledChecks } from './secure-context.ts'
import type { ServiceOptions } from './service.ts'

/** The settings a way to the service is probed with. */
export type ProbeOptions = Pick<
  ServiceOptions,
  'connectTimeoutMs' | 'userAgent' | 'proxy' | 'caFile' | 'clientCert' | 'clientKey'
>

/** The way to an address: its host, and the proxy in between, if any. */
export interface Way {
  readonly isTls: boolean
  readonly host: string
  readonly port: number
  readonly proxy: ProxyServer | undefined
}

/** What a TLS handshake showed, checked as every request checks it. */
export interface TlsFacts {
  readonly protocol: string
  readonly issuer: string
  /** The certificate's last day, YYYY-MM-DD, and that moment in milliseconds since the epoch. */
  readonly lastDay: string
  readonly endsAtMs: number
}

/** Works out the way to an address; a proxy that can not be read is `usage` or `config`. */
export function wayTo(world: Pick<World, 'env'>, baseUrl: string, options: ProbeOptions): Way {
  const url = new URL(baseUrl)
  const isTls = url.protocol === 'https:'
  return {
    isTls,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isTls ? 443 : 80)),
    proxy: proxyFor(url, { env: world.env, explicit: options.proxy }),
  }
}

/** The addresses of a host name, as the system resolves it; an address is its own. Rejects with a Fault, also when it takes too long. */
export async function lookUp(host: string, { connectTimeoutMs }: ProbeOptions): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          networkFault(
            'always',
            `no answer about ${cleanText(host)} from DNS within ${formatDuration(connectTimeoutMs)}`,
            { hint: "check this machine's DNS and network" },
          ),
        ),
      connectTimeoutMs,
    )
  })
  try {
    const found = await Promise.race([lookup(host, { all: true }), overdue])
    return found.map(({ address }) => address)
  } catch (error) {
    throw connectFault(error, { host, port: 0 })
  } finally {
    clearTimeout(timer)
  }
}

/** Opens a bare connection to the first end of the way, the proxy or the host, and closes it. Resolves with the address that answered. */
export async function probeConnection(
  world: Pick<World, 'disk' | 'env' | 'interrupt'>,
  way: Way,
  options: ProbeOptions,
): Promise<string> {
  const { host, port, proxy } = way
  const hostname = proxy?.hostname ?? host
  const target: Target = { protocol: 'http:', hostname, port: proxy?.port ?? port, proxy: undefined }
  const socket = await connect(world, target, options)
  const address = socket.remoteAddress ?? host
  socket.destroy()
  return address
}

/** Goes the whole way, through the proxy where there is one, shakes hands, and closes again. */
export async function probeTls(
  world: Pick<World, 'disk' | 'env' | 'interrupt'>,
  way: Way,
  options: ProbeOptions,
): Promise<TlsFacts> {
  refuseDisabledChecks(world.env)
  const { host, port, proxy } = way
  const socket = (await connect(
    world,
    { protocol: 'https:', hostname: host, port, proxy },
    options,
  )) as TLSSocket
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
  world: Pick<World, 'disk' | 'env' | 'interrupt'>,
  target: Target,
  options: ProbeOptions,
): ReturnType<typeof openConnection> {
  return openConnection(
    target,
    {
      timeoutMs: options.connectTimeoutMs,
      userAgent: options.userAgent,
      secureContext: () => loadSecureContext(world, options),
    },
    world.interrupt,
  )
}
