import { Failure } from '../base/failure.ts'
import { formatCount, formatDuration, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { lookUp, probeConnection, probeTls, type Route, routeTo } from '../http/probe.ts'
import { readQuota } from '../http/quota.ts'
import type { RateLimit } from '../http/rate-headers.ts'
import { readsSystemStore } from '../http/tls.ts'
import { type Check, check, type Found, pass, skip } from './doctor-check.ts'
import type { DoctorOptions } from './doctor-options.ts'
import { type Clocks, openSession, type Session } from './doctor-session.ts'

const LARGEST_CLOCK_ERROR_MS = 5 * 60_000
const DAY_MS = 86_400_000
const PING = '/v2/ping'
const QUOTA = '/v2/quota'
const NO_TOKEN = 'it requires a token, and there is none'
const REFUSED = 'the service responds, but refuses the token'

/**
 * The network checks: DNS, connection, TLS, the two requests that use no allowance, and with them whether the service accepts the
 * token. `secret` is the check that found it, if one did.
 */
export async function* networkChecks(
  world: World,
  options: DoctorOptions,
  secret: Check | undefined,
): AsyncGenerator<Check, void> {
  const session = openSession(world, options)
  try {
    const route = yield* check(world, 'proxy', () => proxy(world, options))
    const resolved = yield* check(world, 'dns', () => dns(world, options, route))
    const connected = yield* check(world, 'connect', () => connection(world, options, resolved))
    const secured = yield* check(world, 'tls', () => tls(world, options, connected))
    const noRequests =
      secured === undefined ? 'no connection' : options.api === 'v1' ? 'v1 has none' : undefined
    if (secret !== undefined) {
      yield* check(world, secret.name, async () => {
        if (noRequests === undefined) await requireAccepted(session)
        return pass(secret.message)
      })
    }
    yield* check(world, 'ping', () => (noRequests === undefined ? ping(session) : skip(noRequests)))
    yield* check(world, 'quota', () => {
      if (noRequests !== undefined) return skip(noRequests)
      return secret === undefined ? skip(NO_TOKEN) : quota(session)
    })
    yield* check(world, 'rate limit', () => rateLimit(secured, session.rateLimit()))
    yield* check(world, 'clock', () => clock(secured, session.clocks()))
  } finally {
    await session.close()
  }
}

function proxy(world: World, { baseUrl, network }: DoctorOptions): Found<Route> {
  if (baseUrl === undefined) return skip('no service URL')
  const route = routeTo(world, baseUrl, network)
  const { proxy: found } = route
  return pass(found === undefined ? 'none' : `${found.hostname}:${found.port}, from ${found.source}`, route)
}

async function dns(
  world: World,
  { baseUrl, network }: DoctorOptions,
  route: Route | undefined,
): Promise<Found<Route>> {
  if (route === undefined) return skip(baseUrl === undefined ? 'no service URL' : 'no valid proxy')
  const host = route.proxy?.hostname ?? route.host
  const addresses = await lookUp(world, route, network)
  if (addresses.length === 1 && addresses[0] === host) return pass(`${host} is an IP address`, route)
  const shown = addresses.slice(0, 4).join(', ')
  return pass(`${host} resolves to ${shown}${addresses.length > 4 ? ' …' : ''}`, route)
}

async function connection(
  world: World,
  { baseUrl, network }: DoctorOptions,
  route: Route | undefined,
): Promise<Found<Route>> {
  if (route === undefined) return skip(baseUrl === undefined ? 'no service URL' : 'no address')
  const address = await probeConnection(world, route, network)
  const target = route.proxy === undefined ? '' : 'the proxy, '
  return pass(`${target}${address}, port ${route.proxy?.port ?? route.port}`, route)
}

async function tls(
  world: World,
  { network }: DoctorOptions,
  route: Route | undefined,
): Promise<Found<Route>> {
  if (route === undefined) return skip('no connection')
  if (!route.isTls) return pass('none: http on this machine', route)
  const { protocol, issuer, lastDay, endsAtMs } = await probeTls(world, route, network)
  const days = Math.floor((endsAtMs - world.clock.nowMs()) / DAY_MS)
  const left = Number.isFinite(days) ? `, in ${plural(days, 'day')}` : ''
  const store = readsSystemStore(world.host.platform)
    ? ''
    : '; this version of Node does not read the certificates of Windows, only NODE_EXTRA_CA_CERTS and ca-file'
  return pass(`${protocol}, certificate by ${issuer}, expires ${lastDay}${left}${store}`, route)
}

// A request that fails for another reason is reported by its own check.
async function requireAccepted(session: Session): Promise<void> {
  for (const path of [PING, QUOTA]) {
    const reply = await session.ask(path).catch(() => undefined)
    if (reply?.kind === 'refused') throw reply.failure
  }
}

async function ping(session: Session): Promise<Found> {
  const reply = await session.ask(PING)
  if (reply.kind === 'no token') return skip(NO_TOKEN)
  if (reply.kind === 'refused') return skip(REFUSED)
  return reply.kind === 'absent'
    ? skip('the service has no ping, but it responds')
    : pass('the service responds')
}

async function quota(session: Session): Promise<Found> {
  const reply = await session.ask(QUOTA)
  if (reply.kind === 'refused') return skip(REFUSED)
  const found = reply.kind === 'json' ? readQuota(reply.value) : undefined
  if (found === undefined) return skip('the service does not report it')
  if (found.isForbidden) {
    throw new Failure('auth', 'the service says that this token may not download (api:consume)', {
      hint: 'ask the provider for the tier or privilege for downloads',
    })
  }
  const left = `${formatCount(found.left)} of ${formatCount(found.limit)} requests left this year`
  if (found.left > 0) return pass(left)
  throw new Failure('limited', left, {
    hint: 'the allowance is per year: ask the provider for a larger one',
  })
}

function rateLimit(route: Route | undefined, limit: RateLimit | undefined): Found {
  if (route === undefined) return skip('no connection')
  if (limit === undefined) return skip('the service does not report it')
  const { remaining, limit: most, resetMs } = limit
  const words = [
    ...(remaining === undefined ? [] : [`${formatCount(remaining)} left`]),
    ...(most === undefined ? [] : [`of ${formatCount(most)} requests`]),
  ]
  const reset = resetMs === undefined ? [] : [`resets in ${formatDuration(resetMs)}`]
  return pass([words.join(' '), ...reset].filter((text) => text !== '').join(', '))
}

function clock(route: Route | undefined, clocks: Clocks | undefined): Found {
  if (route === undefined) return skip('no connection')
  if (clocks === undefined) return skip('the service does not report its time')
  const errorMs = clocks.ours - clocks.theirs
  if (Math.abs(errorMs) < 2_000) return pass('same as the service')
  const amount = formatDuration(Math.abs(errorMs))
  const difference = `${amount} ${errorMs > 0 ? 'ahead of' : 'behind'} the service`
  if (Math.abs(errorMs) <= LARGEST_CLOCK_ERROR_MS) return pass(difference)
  throw new Failure('config', `this machine's clock is ${difference}`, {
    hint: 'set the clock, preferably by NTP: certificates and dates depend on it',
  })
}
