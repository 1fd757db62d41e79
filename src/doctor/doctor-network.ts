import { Failure } from '../base/failure.ts'
import { formatCount, formatDuration, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { type Answer, readStart } from '../http/answer.ts'
import { refusalOf } from '../http/answer-refusal.ts'
import { previewBody } from '../http/body-preview.ts'
import { connect, type Service } from '../http/open-service.ts'
import { lookUp, probeConnection, probeTls, type Route, routeTo } from '../http/probe.ts'
import { readQuota } from '../http/quota.ts'
import { type RateLimit, readRateLimit } from '../http/rate-limit.ts'
import { type DoctorWish, type Examination, type Found, pass, skip } from './doctor-options.ts'

const FARTHEST_CLOCK_MS = 5 * 60_000
const DAY_MS = 86_400_000

/** What one check leaves for those after it. */
interface Memory {
  way: Route | undefined
  isResolved: boolean
  isConnected: boolean
  token: string | undefined
  service: Service | undefined
  rateLimit: RateLimit | undefined
  /** The server's clock and ours at the same moment. */
  clocks: { readonly theirs: number; readonly ours: number } | undefined
}

interface NetworkChecks {
  readonly examinations: readonly Examination[]
  readonly close: () => Promise<void>
}

/** What can be looked at on the way to the service: name, connection, TLS, and the two questions that cost no allowance. */
export function networkChecks(world: World, wish: DoctorWish): NetworkChecks {
  const memory: Memory = {
    way: undefined,
    isResolved: false,
    isConnected: false,
    token: undefined,
    service: undefined,
    rateLimit: undefined,
    clocks: undefined,
  }
  return {
    examinations: [
      { name: 'proxy', look: async () => proxy(world, wish, memory) },
      { name: 'dns', look: () => dns(world, wish, memory) },
      { name: 'connect', look: () => connection(world, wish, memory) },
      { name: 'tls', look: () => tls(world, wish, memory) },
      { name: 'ping', look: () => ping(world, wish, memory) },
      { name: 'quota', look: () => quota(world, wish, memory) },
      { name: 'rate limit', look: async () => rateLimit(memory) },
      { name: 'clock', look: async () => clock(memory) },
    ],
    close: async () => memory.service?.close(),
  }
}

function proxy(world: World, { baseUrl, network }: DoctorWish, memory: Memory): Found {
  if (baseUrl === undefined) return skip('no address to go to')
  memory.way = routeTo(world, baseUrl, network)
  const { proxy: found } = memory.way
  return pass(found === undefined ? 'none' : `${found.hostname}:${found.port}, from ${found.source}`)
}

async function dns(world: World, { network }: DoctorWish, memory: Memory): Promise<Found> {
  const { way } = memory
  if (way === undefined) return skip('no address to go to')
  const host = way.proxy?.hostname ?? way.host
  const addresses = await lookUp(world, host, network)
  memory.isResolved = true
  if (addresses.length === 1 && addresses[0] === host) return pass(`${host} is an address already`)
  const shown = addresses.slice(0, 4).join(', ')
  return pass(`${host} is ${shown}${addresses.length > 4 ? ' …' : ''}`)
}

async function connection(world: World, { network }: DoctorWish, memory: Memory): Promise<Found> {
  const { way } = memory
  if (way === undefined || !memory.isResolved) return skip('no address to go to')
  const address = await probeConnection(world, way, network)
  memory.isConnected = true
  const whose = way.proxy === undefined ? '' : 'the proxy, '
  return pass(`${whose}${address}, port ${way.proxy?.port ?? way.port}`)
}

async function tls(world: World, { network }: DoctorWish, memory: Memory): Promise<Found> {
  const { way } = memory
  if (way === undefined || !memory.isConnected) return skip('no connection')
  if (!way.isTls) return pass('none: http on this machine')
  memory.isConnected = false
  const { protocol, issuer, lastDay, endsAtMs } = await probeTls(world, way, network)
  memory.isConnected = true
  const days = Math.floor((endsAtMs - world.clock.nowMs()) / DAY_MS)
  const left = Number.isFinite(days) ? `, in ${plural(days, 'day')}` : ''
  return pass(`${protocol}; the certificate, by ${issuer}, ends ${lastDay}${left}`)
}

async function ping(world: World, wish: DoctorWish, memory: Memory): Promise<Found> {
  if (wish.baseUrl === undefined || !memory.isConnected) return skip('no connection')
  if (wish.api === 'v1') return skip('v1 has none')
  // What is wrong with the token was told where it was looked at.
  memory.token = await wish.secret.read().catch((error: unknown) => {
    if (error instanceof Failure && error.kind !== 'interrupted') return undefined
    throw error
  })
  memory.service = await connect(world, { ...wish.network, baseUrl: wish.baseUrl, token: memory.token })
  const answer = await ask(world, wish, memory, '/v2/ping')
  if (answer === 'no token') return skip('it wants a token, and there is none')
  return answer === undefined
    ? skip('the service has none; it answers all the same')
    : pass('the service answers')
}

async function quota(world: World, wish: DoctorWish, memory: Memory): Promise<Found> {
  if (memory.service === undefined) return skip(wish.api === 'v1' ? 'v1 has none' : 'no connection')
  if (memory.token === undefined) return skip('it wants a token, and there is none')
  const found = readQuota(await ask(world, wish, memory, '/v2/quota'))
  if (found === undefined) return skip('the service does not tell')
  const left = `${formatCount(found.left)} of ${formatCount(found.limit)} requests left this year`
  if (found.left > 0) return pass(left)
  throw new Failure('limited', left, {
    hint: 'waiting does not help: ask the provider for a larger allowance',
  })
}

function rateLimit({ rateLimit: limit, isConnected }: Memory): Found {
  if (!isConnected) return skip('no connection')
  if (limit === undefined) return skip('the service does not tell')
  const { remaining, limit: most, resetMs } = limit
  const words = [
    ...(remaining === undefined ? [] : [`${formatCount(remaining)} left`]),
    ...(most === undefined ? [] : [`of ${formatCount(most)} requests`]),
  ]
  const anew = resetMs === undefined ? '' : `, all again in ${formatDuration(resetMs)}`
  return pass(`${words.join(' ')}${anew}`.replace(/^, /, ''))
}

function clock({ clocks, isConnected }: Memory): Found {
  if (!isConnected) return skip('no connection')
  if (clocks === undefined) return skip('the service does not say what time it is')
  const offMs = clocks.ours - clocks.theirs
  const off = formatDuration(Math.abs(offMs))
  if (Math.abs(offMs) < 2_000) return pass('as the service has it')
  const what = `${off} ${offMs > 0 ? 'ahead of' : 'behind'} the service`
  if (Math.abs(offMs) <= FARTHEST_CLOCK_MS) return pass(what)
  throw new Failure('config', `this machine's clock is ${what}`, {
    hint: 'set the clock, best by NTP: certificates and dates are judged by it',
  })
}

// Undefined where the service does not have it (404); every other refusal is a Failure.
async function ask(
  world: World,
  { baseUrl, network }: DoctorWish,
  memory: Memory,
  path: string,
): Promise<unknown> {
  const request = {
    method: 'GET' as const,
    url: `${baseUrl}${path}`,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': network.userAgent,
    },
  }
  const service = memory.service!
  const answer = await service.ask(request, { signal: world.interrupt })
  remember(world, memory, answer)
  const start = await readStart(answer)
  const { status, host, foreign } = answer
  if (status === 404) return undefined
  if (status === 401 && memory.token === undefined) return 'no token'
  if (status === 200) return parseJson(start, host, path)
  const { kind, message, ...advice } = refusalOf({ status, host, foreign, preview: previewBody(start) })
  throw new Failure(kind, service.redact(message), { ...advice, httpStatus: status })
}

function remember(world: World, memory: Memory, { headers, serverDateMs }: Answer): void {
  const ours = world.clock.nowMs()
  memory.rateLimit = readRateLimit(headers, serverDateMs, ours) ?? memory.rateLimit
  if (serverDateMs !== undefined) memory.clocks = { theirs: serverDateMs, ours }
}

function parseJson(start: Uint8Array, host: string, path: string): unknown {
  try {
    return JSON.parse(Buffer.from(start).toString('utf8'))
  } catch (cause) {
    const { kind, words } = previewBody(start)
    const shown = words === '' ? '' : `: "${words}"`
    const what = kind === 'html' ? 'a web page' : 'something else'
    throw new Failure('rejected', `${host} answered ${path} with ${what} instead of JSON${shown}`, {
      cause,
      hint: 'check --base-url; a network that wants a login answers like this too',
    })
  }
}
