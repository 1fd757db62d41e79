import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { systemCode } from '../base/failure.ts'
import type { World } from '../base/world.ts'

/** The next address is tried after this time (RFC 8305), while those before go on. */
const NEXT_ADDRESS_MS = 250
const HIGH_WATER_MARK = 64 * 1024
/** Codes that say nothing about the service: a machine without IPv6 has them for every IPv6 address. */
const NO_ROUTE: readonly unknown[] = ['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']

/**
 * Opens a TCP connection to the first address of a name that answers. Node's own way gives each address 250 ms and then gives it up:
 * too little for a service on the other side of the world. Rejects with the errors of all addresses, or with the signal's reason.
 */
export async function connectTo(
  { host, port }: { readonly host: string; readonly port: number },
  clock: Pick<World['clock'], 'every'>,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = isIP(host) === 0 ? alternating(await lookUp(host)) : [host]
  signal.throwIfAborted()
  return race(addresses, (address) => openSocket(address, port, signal), clock)
}

const lookups = new Map<string, Promise<LookupAddress[]>>()

// The system's resolver cannot be stopped, and the process does not end before it returns: connections share the lookup of a name, also
// with one that has given up. See docs/decisions/http.md.
function lookUp(host: string): Promise<LookupAddress[]> {
  const running = lookups.get(host)
  if (running !== undefined) return running
  const started = lookup(host, { all: true }).finally(() => lookups.delete(host))
  lookups.set(host, started)
  return started
}

// The families in turn, beginning with that of the system's first address.
function alternating(found: readonly LookupAddress[]): string[] {
  const first = found.filter(({ family }) => family === found[0]!.family)
  const rest = found.filter(({ family }) => family !== found[0]!.family)
  const rounds = Array.from({ length: Math.max(first.length, rest.length) }, (_, at) => [first[at], rest[at]])
  return rounds.flat().flatMap((each) => each?.address ?? [])
}

/** A connection that is being opened. */
interface Opening {
  readonly connected: Promise<Socket>
  readonly giveUp: () => void
}

function openSocket(address: string, port: number, signal: AbortSignal): Opening {
  const options = { host: address, port, signal, autoSelectFamily: false, highWaterMark: HIGH_WATER_MARK }
  const socket = connect(options)
  const connected = new Promise<Socket>((resolve, reject) => {
    // The listener stays: an error without one would end the process.
    socket.on('error', reject)
    socket.once('connect', () => resolve(socket.setNoDelay(true).setKeepAlive(true, 60_000)))
  })
  return { connected, giveUp: () => void socket.destroy() }
}

/** Resolves with the first that connects, and gives up the others. */
export function race(
  addresses: readonly string[],
  open: (address: string) => Opening,
  clock: Pick<World['clock'], 'every'>,
): Promise<Socket> {
  const waiting = [...addresses]
  const openings: Opening[] = []
  const errors: unknown[] = []
  return new Promise((resolve, reject) => {
    const next = (): void => {
      const address = waiting.shift()
      if (address === undefined) return
      const opening = open(address)
      openings.push(opening)
      opening.connected.then(
        (socket) => {
          stop()
          waiting.length = 0
          for (const other of openings) if (other !== opening) other.giveUp()
          resolve(socket)
        },
        (error: unknown) => {
          errors.push(error)
          if (errors.length < addresses.length) return next()
          stop()
          errors.sort((one, other) => Number(isNoRoute(one)) - Number(isNoRoute(other)))
          reject(new AggregateError(errors))
        },
      )
    }
    const stop = clock.every(NEXT_ADDRESS_MS, next)
    next()
  })
}

function isNoRoute(error: unknown): boolean {
  return NO_ROUTE.includes(systemCode(error))
}
