import type { Socket } from 'node:net'
import { Agent } from 'undici'
import { type ConnectOptions, openConnection } from './connector.ts'
import { authority, proxyFor } from './proxy.ts'

/**
 * undici's agent: it pools connections by origin, each opened through the proxy that its origin needs, until `signal` aborts.
 * Its own timeouts are off: they are coarse and fire after the process was suspended.
 */
export function createAgent(
  options: ConnectOptions,
  proxies: Parameters<typeof proxyFor>[1],
  signal: AbortSignal,
): Agent {
  async function connect(protocol: string, hostname: string, port: number): Promise<Socket> {
    const host = `${protocol}//${authority(hostname, port)}`
    return openConnection(
      { protocol, hostname, port, proxy: proxyFor(new URL(host), proxies) },
      options,
      signal,
    )
  }
  return new Agent({
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 16_384,
    connect: ({ protocol, hostname, port }, done) => {
      connect(protocol, hostname, Number(port || (protocol === 'https:' ? 443 : 80))).then(
        (socket) => done(null, socket),
        (error: Error) => done(error, null),
      )
    },
  })
}
