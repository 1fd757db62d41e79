import type { SecureContext } from 'node:tls'
import Client from 'undici/lib/dispatcher/client.js'
import { openConnection } from './connect.ts'
import type { ProxyServer } from './proxy.ts'
import { skipInterim } from './skip-interim.ts'

/** One connection to one host, used by one request at a time. */
export interface Lane {
  readonly client: Client
  /** Connections opened so far: unchanged over a request means that it used one that was kept. */
  readonly connections: () => number
  /** A request goes out: the next bytes are the start of its answer. */
  readonly awaitAnswer: () => void
  /** Ready for the next request. */
  readonly giveBack: () => void
  /** The connection is in an unknown state: never use it again. */
  readonly drop: () => void
}

export interface Lanes {
  /** A lane to the URL's host, a kept one when there is. */
  readonly take: (url: URL, proxy: ProxyServer | undefined) => Lane
  readonly close: () => Promise<void>
}

interface LaneOptions {
  readonly connectTimeoutMs: number
  readonly userAgent: string
  readonly secureContext: () => Promise<SecureContext>
}

/**
 * Connections by host and proxy. A lane serves one request at a time, so that a fault can be told from a kept connection
 * that had gone stale. Plain http through a proxy asks the proxy itself, with the whole URL as path.
 */
export function createLanes(options: LaneOptions): Lanes {
  const idle = new Map<string, Lane[]>()
  const clients = new Set<Client>()

  function take(url: URL, proxy: ProxyServer | undefined): Lane {
    const key = `${url.origin} ${proxy?.origin ?? ''}`
    return idle.get(key)?.pop() ?? create(key, url, proxy)
  }

  function create(key: string, url: URL, proxy: ProxyServer | undefined): Lane {
    const abort = new AbortController()
    let connections = 0
    let awaitAnswer: () => void = () => undefined
    const target = {
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      proxy,
    }
    const client = new Client(url.origin, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 16_384,
      connect: (_, done) => {
        connections += 1
        const { connectTimeoutMs, userAgent, secureContext } = options
        openConnection(target, { timeoutMs: connectTimeoutMs, userAgent, secureContext }, abort.signal).then(
          (socket) => {
            awaitAnswer = skipInterim(socket)
            done(null, socket)
          },
          (error: Error) => done(error, null),
        )
      },
    })
    clients.add(client)
    const drop = (): void => {
      clients.delete(client)
      abort.abort(new Error('the lane was given up'))
      client.destroy().catch(() => undefined)
    }
    const lane: Lane = {
      client,
      connections: () => connections,
      awaitAnswer: () => awaitAnswer(),
      giveBack: () => {
        if (client.destroyed) return
        const others = idle.get(key)
        if (others) others.push(lane)
        else idle.set(key, [lane])
      },
      drop,
    }
    return lane
  }

  async function close(): Promise<void> {
    idle.clear()
    await Promise.all([...clients].map((client) => client.destroy().catch(() => undefined)))
    clients.clear()
  }

  return { take, close }
}
