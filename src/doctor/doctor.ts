import * as z from 'zod/mini'
import { cleanText } from '../base/clean-text.ts'
import { Failure, type FailureKind, isFailure } from '../base/failure.ts'
import { shellQuote } from '../base/shell-words.ts'
import { formatBytes, formatCount, formatDuration, formatInstant, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { secretFileExposure } from '../fs/input-file.ts'
import { freeBytes, requireWritableDirectory } from '../fs/output-target.ts'
import { checkOwnDirectory, STATE_DIRECTORY, stateDirectory, unknownHome } from '../fs/user-files.ts'
import type { Target } from '../http/connector.ts'
import type { ServiceResponse } from '../http/exchange.ts'
import { lookUp, probeConnection, probeTls, routeTo } from '../http/probe.ts'
import { readQuota } from '../http/quota.ts'
import { type RateLimit, readRateLimit, requestedWaitMs } from '../http/rate-headers.ts'
import type { Service, ServiceOptions } from '../http/service.ts'
import { readsSystemStore } from '../http/tls.ts'

/** What to check, with which configuration. */
export interface DoctorOptions {
  readonly settings: {
    /** The file that was read. */
    readonly path: string | undefined
    /** The default path. */
    readonly usualPath: string | undefined
    readonly profile: string | undefined
    readonly failure: Failure | undefined
  }
  readonly isSandbox: boolean
  readonly api: 'v1' | 'v2'
  readonly baseUrl: string | undefined
  readonly secret: {
    readonly name: 'token' | 'API key'
    /** Where it comes from; undefined when there is none. */
    readonly source: string | undefined
    readonly read: () => Promise<string>
  }
  /** Files that contain a secret. */
  readonly secretFiles: readonly string[]
  readonly network: Omit<ServiceOptions, 'baseUrl' | 'token'>
}

/**
 * Checks everything that a download needs, one check after the other, each with its own timeout; a failed check does not stop
 * the others. Downloads nothing and uses no allowance.
 */
export async function* runChecks(world: World, options: DoctorOptions): AsyncGenerator<Check, void> {
  const secret = yield* localChecks(world, options)
  yield* networkChecks(world, options, secret)
}

/** The result of a check. */
export interface Check {
  readonly name: string
  readonly status: 'pass' | 'fail' | 'skip'
  /** The finding, one line. */
  readonly message: string
  /** How to fix a failure. */
  readonly fix?: string
  /** Long names of options that help, without dashes. */
  readonly options?: readonly string[]
  /** The kind of a failure, which has its exit code. */
  readonly kind?: FailureKind
  readonly seconds: number
}

/** What a check found without a failure; with `pass`, also a value for later checks. */
export interface Found<T = undefined> {
  readonly status: 'pass' | 'skip'
  readonly message: string
  readonly value?: T
}

/** Runs a check, yields its result and returns its value. A Failure is the result `fail`. */
export async function* check<T>(
  { clock, interrupt }: World,
  name: string,
  run: () => Found<T> | Promise<Found<T>>,
): AsyncGenerator<Check, T | undefined> {
  interrupt.throwIfAborted()
  const startMs = clock.monotonicMs()
  const seconds = (): number => Math.round(clock.monotonicMs() - startMs) / 1000
  let found: Found<T>
  try {
    found = await run()
  } catch (error) {
    if (!isFailure(error) || error.kind === 'interrupted') throw error
    const { problems = [], options } = error.details
    yield {
      name,
      status: 'fail',
      message: [error.message, ...problems].join('; '),
      ...(error.hint === undefined ? {} : { fix: error.hint }),
      ...(options === undefined ? {} : { options }),
      kind: error.kind,
      seconds: seconds(),
    }
    return undefined
  }
  const { status, message, value } = found
  yield { name, status, message, seconds: seconds() }
  return value
}

export function pass(message: string): Found
export function pass<T>(message: string, value: T): Found<T>
export function pass<T>(message: string, value?: T): Found<T | undefined> {
  return { status: 'pass', message, value }
}

/** A check that cannot run, and why that is not a failure. */
export function skip(message: string): Found<never> {
  return { status: 'skip', message }
}

const OLDEST_NODE = [20, 18] as const
const LEAST_FREE_BYTES = 256 * 1024 * 1024

/**
 * The checks that need no network. Returns the check of the token or API key where it passed: its line is for `networkChecks` to
 * yield, because the service may refuse what was found.
 */
async function* localChecks(world: World, options: DoctorOptions): AsyncGenerator<Check, Check | undefined> {
  yield* check(world, 'node', () => nodeVersion(world))
  yield* check(world, 'settings', () => settings(world, options))
  yield* check(world, 'address', () => address(options))
  let found: Check | undefined
  for await (const one of check(world, options.secret.name, () => secret(options))) {
    if (one.status === 'pass') found = one
    else yield one
  }
  yield* check(world, 'file modes', () => fileModes(world, options))
  yield* check(world, 'state folder', () => state(world))
  yield* check(world, 'disk', () => disk(world))
  return found
}

function nodeVersion({ host }: World): Found {
  const [major = 0, minor = 0] = host.nodeVersion.split('.').map(Number)
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
  if (!isOld) return pass(`${host.nodeVersion}, on ${host.platform}`)
  throw new Failure('config', `Node ${host.nodeVersion} is too old`, {
    hint: `install Node ${OLDEST_NODE.join('.')} or newer`,
  })
}

function settings(
  { host }: World,
  { settings: { path, usualPath, profile, failure } }: DoctorOptions,
): Found {
  if (failure !== undefined) throw failure
  const used = profile === undefined ? '' : `, profile ${profile}`
  if (path !== undefined) return pass(`${path}${used}`)
  const where = usualPath === undefined ? unknownHome(host.platform) : `${usualPath} does not exist`
  return pass(`no config file (${where}), only options and environment`)
}

function address({ baseUrl, isSandbox, settings: { failure } }: DoctorOptions): Found {
  if (isSandbox) return pass(`${baseUrl}, the mock service in this process`)
  if (baseUrl !== undefined) return pass(baseUrl)
  if (failure !== undefined) return skip('the configuration cannot be read')
  throw new Failure('config', 'the service URL is not set', {
    hint: 'run matdecl login, set MATDECL_BASE_URL, or use the option',
    options: ['base-url'],
  })
}

async function secret(options: DoctorOptions): Promise<Found> {
  const { name, source, read } = options.secret
  if (source === undefined && options.settings.failure !== undefined)
    return skip('the configuration cannot be read')
  await read()
  return pass(`found ${name === 'token' ? 'a token' : 'an API key'} in ${source}`)
}

async function fileModes(world: World, { secretFiles }: DoctorOptions): Promise<Found> {
  const checked: string[] = []
  for (const path of secretFiles) {
    const exposure = await secretFileExposure(world.disk, path)
    if (exposure === 'exposed') {
      throw new Failure('config', `others can read or change ${path}`, {
        file: path,
        hint: `run: chmod 600 ${shellQuote(path)}`,
      })
    }
    if (exposure === 'none') checked.push(path)
  }
  if (checked.length === 0) return skip('no file contains a secret')
  if (world.host.platform === 'win32') {
    return skip(
      `not checked: who can read ${checked.join(', ')} (see Properties, Security in Explorer, or run icacls)`,
    )
  }
  return pass(`only the owner can read ${checked.join(', ')}`)
}

async function state(world: World): Promise<Found> {
  const directory = stateDirectory(world)
  if (directory === undefined)
    return skip('HOME is not set, so runs at the same time do not share their rate')
  await checkOwnDirectory(world, directory, STATE_DIRECTORY)
  await requireWritableDirectory(world.disk, directory, STATE_DIRECTORY.alternative)
  return pass(`${directory} is writable`)
}

async function disk(world: World): Promise<Found> {
  const directory = world.cwd()
  const free = await freeBytes(world.disk, directory)
  if (free === undefined) return skip('the free space is not known')
  if (free >= LEAST_FREE_BYTES) return pass(`${formatBytes(free)} free in ${directory}`)
  throw new Failure('io', `only ${formatBytes(free)} free in ${directory}`, {
    hint: 'free some space, or choose another path',
    options: ['output'],
  })
}

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
async function* networkChecks(
  world: World,
  options: DoctorOptions,
  secret: Check | undefined,
): AsyncGenerator<Check, void> {
  await using session = new Session(world, options)
  const route = yield* check(world, 'proxy', () => proxy(world, options))
  const resolved = yield* check(world, 'dns', () => dns(world, options, route))
  const connected = yield* check(world, 'connect', () => connection(world, options, resolved))
  const secured = yield* check(world, 'tls', () => tls(world, options, connected))
  const noRequests =
    secured === undefined ? 'no connection' : options.api === 'v1' ? 'v1 has none' : undefined
  if (secret !== undefined) {
    yield* check(world, secret.name, async () => {
      const isChecked = noRequests === undefined && (await isAccepted(session))
      return pass(isChecked ? secret.message : `${secret.message}; nothing has checked it`)
    })
  }
  yield* check(world, 'ping', () => (noRequests === undefined ? ping(session) : skip(noRequests)))
  yield* check(world, 'quota', () => {
    if (noRequests !== undefined) return skip(noRequests)
    return secret === undefined ? skip(NO_TOKEN) : quota(session)
  })
  yield* check(world, 'rate limit', () => rateLimit(secured, session.rateLimit))
  yield* check(world, 'clock', () => clock(secured, session.clocks))
}

function proxy(world: World, { baseUrl, network }: DoctorOptions): Found<Target> {
  if (baseUrl === undefined) return skip('no service URL')
  const route = routeTo(world, baseUrl, network)
  const { proxy: found } = route
  return pass(found === undefined ? 'none' : `${found.hostname}:${found.port}, from ${found.source}`, route)
}

async function dns(
  world: World,
  { baseUrl, network }: DoctorOptions,
  route: Target | undefined,
): Promise<Found<Target>> {
  if (route === undefined) return skip(baseUrl === undefined ? 'no service URL' : 'no valid proxy')
  const host = (route.proxy ?? route).hostname
  const addresses = await lookUp(world, route, network)
  if (addresses.length === 1 && addresses[0] === host) return pass(`${host} is an IP address`, route)
  const shown = addresses.slice(0, 4).join(', ')
  return pass(`${host} resolves to ${shown}${addresses.length > 4 ? ' …' : ''}`, route)
}

async function connection(
  world: World,
  { baseUrl, network }: DoctorOptions,
  route: Target | undefined,
): Promise<Found<Target>> {
  if (route === undefined) return skip(baseUrl === undefined ? 'no service URL' : 'no address')
  const address = await probeConnection(world, route, network)
  const target = route.proxy === undefined ? '' : 'the proxy, '
  return pass(`${target}${address}, port ${(route.proxy ?? route).port}`, route)
}

async function tls(
  world: World,
  { network }: DoctorOptions,
  route: Target | undefined,
): Promise<Found<Target>> {
  if (route === undefined) return skip('no connection')
  if (route.protocol !== 'https:') return pass('none: http on this machine', route)
  const { protocol, issuer, lastDay, endsAtMs } = await probeTls(world, route, network)
  const days = Math.floor((endsAtMs - world.clock.nowMs()) / DAY_MS)
  const left = Number.isFinite(days) ? `, in ${plural(days, 'day')}` : ''
  const store = readsSystemStore(world.host.platform)
    ? ''
    : '; this version of Node does not read the certificate store of the system, only NODE_EXTRA_CA_CERTS and ca-file'
  return pass(`${protocol}, certificate by ${issuer}, expires ${lastDay}${left}${store}`, route)
}

// A ping may succeed without a token; the quota belongs to one. What fails for another reason is reported by its own check.
async function isAccepted(session: Session): Promise<boolean> {
  let hasQuota = false
  for (const path of [PING, QUOTA]) {
    const reply = await session.ask(path).catch(() => undefined)
    if (reply?.kind === 'refused') throw reply.failure
    hasQuota = path === QUOTA && reply?.kind === 'json' && readQuota(reply.value) !== undefined
  }
  return hasQuota
}

async function ping(session: Session): Promise<Found> {
  const reply = await session.ask(PING)
  if (reply.kind === 'no token') return skip(NO_TOKEN)
  if (reply.kind === 'refused') return skip(REFUSED)
  if (reply.kind !== 'json') return skip('the service has no ping, but it responds')
  const { data } = PONG.safeParse(reply.value)
  if (data !== undefined && /^ok$/i.test(data.message.trim())) return pass('the service responds')
  const said = data === undefined ? '' : `: ${cleanText(data.message, 80)}`
  return skip(`the service responds, but does not say that it is well${said}`)
}

const PONG = z.object({ message: z.string() })

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

function rateLimit(route: Target | undefined, limit: RateLimit | undefined): Found {
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

function clock(route: Target | undefined, clocks: Session['clocks']): Found {
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

/** What the service replies: JSON, nothing at that path (404), or a refusal of the token or of a request without one. */
type Reply =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'absent' | 'no token' }
  | { readonly kind: 'refused'; readonly failure: unknown }

/** Requests that use no allowance, with the token where there is one, and what the headers of the responses report. */
export class Session implements AsyncDisposable {
  rateLimit: RateLimit | undefined
  /** The time of the service and of this machine at the same moment. */
  clocks: { readonly theirs: number; readonly ours: number } | undefined
  readonly #world: World
  readonly #options: Pick<DoctorOptions, 'baseUrl' | 'network' | 'secret'>
  readonly #replies = new Map<string, Promise<Reply>>()
  #opened: Promise<{ readonly service: Service; readonly token: string | undefined }> | undefined

  /** The first request opens the connection. */
  constructor(world: World, options: Pick<DoctorOptions, 'baseUrl' | 'network' | 'secret'>) {
    this.#world = world
    this.#options = options
  }

  /** Requests a path, once. Any other refusal, and a connection that cannot be opened, is a Failure. */
  ask(path: string): Promise<Reply> {
    const reply = this.#replies.get(path) ?? this.#send(path)
    this.#replies.set(path, reply)
    return reply
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined)
    await opened?.service.close()
  }

  async #open(): Promise<{ readonly service: Service; readonly token: string | undefined }> {
    const { baseUrl = '', network, secret } = this.#options
    // The token check reports its problems.
    const token = await secret.read().catch((error: unknown) => {
      if (error instanceof Failure && error.kind !== 'interrupted') return undefined
      throw error
    })
    const { openService } = await import('../http/service.ts')
    return { service: await openService(this.#world, { ...network, baseUrl, token }), token }
  }

  async #send(path: string): Promise<Reply> {
    this.#opened ??= this.#open()
    const { service, token } = await this.#opened
    let refused: Reply | undefined
    let untilMs: number | undefined
    const onHead = ({ status, headers, foreign, serverDateMs }: ServiceResponse): void => {
      const ours = this.#world.clock.nowMs()
      this.rateLimit = readRateLimit(headers, serverDateMs, ours) ?? this.rateLimit
      if (serverDateMs !== undefined) this.clocks = { theirs: serverDateMs, ours }
      const waitMs = status === 429 ? requestedWaitMs({ status, headers, serverDateMs }, ours) : undefined
      untilMs = waitMs === undefined ? undefined : ours + waitMs
      if (token === undefined && status === 401) refused = { kind: 'no token' }
      else if (token !== undefined && !foreign && (status === 401 || status === 403))
        refused = { kind: 'refused', failure: undefined }
    }
    try {
      const json = await service.getJson(path, { signal: this.#world.interrupt, onHead })
      return json === undefined ? { kind: 'absent' } : { kind: 'json', ...json }
    } catch (failure) {
      if (untilMs !== undefined && isFailure(failure)) {
        throw new Failure('limited', failure.message, { hint: `try again at ${formatInstant(untilMs)}` })
      }
      if (refused === undefined) throw failure
      return refused.kind === 'refused' ? { ...refused, failure } : refused
    }
  }
}
