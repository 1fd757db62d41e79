import type { Socket } from 'node:net'
import { Agent } from 'undici'
import { type ConnectOptions, openConnection, targetOf } from './connector.ts'
import { authority, proxyFor } from './proxy.ts'

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
        (socket) => done(null, socket),
        (error: Error) => done(error, null),
      )
    },
  })
}
