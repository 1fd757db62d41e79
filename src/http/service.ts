import { cleanText } from '../base/clean-text.ts'
import { isFailure } from '../base/failure.ts'
import { parseJson } from '../base/json-text.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import type { Secrets } from '../base/redact.ts'
import { formatDuration } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { ServiceRequest } from '../request/request.ts'
import { previewBody, readStart } from './body-preview.ts'
import { createAgent } from './connector.ts'
import { type ExchangeOptions, exchange, type ServiceResponse } from './exchange.ts'
import { Fault, networkFault, refusal } from './outcome.ts'
import { proxyFor } from './proxy.ts'
import { parseRetryAfter } from './rate-headers.ts'
import { isRedirect, MAX_REDIRECTS, nextHop, originOf } from './redirect.ts'
import { loadSecureContext, refuseDisabledChecks, type TlsFiles } from './tls.ts'

export interface ServiceOptions extends TlsFiles {
  /** Only its scheme, host and port ever get the token or an API key. */
  readonly baseUrl: string
  /** The bearer token of v2, already checked. */
  readonly token?: string | undefined
  /** Reads the token again when the service refuses it after it was accepted; undefined where it cannot change. */
  readonly readTokenAgain?: (() => Promise<string>) | undefined
  /** What is masked in every notice; the token is added. */
  readonly secrets: Secrets
  readonly userAgent: string
  readonly connectTimeoutMs: number
  /** From sending the request to the head of the response. */
  readonly responseTimeoutMs: number
  /** Between bytes of a body. */
  readonly stallTimeoutMs: number
  /** The window in which a body must average 1 kB/s; by default the larger of a minute and the stall timeout. */
  readonly slowWindowMs?: number | undefined
  /** Takes precedence over the environment; '' means a direct connection. */
  readonly proxy?: string | undefined
  /** Where `proxy` comes from, unless it is an option on the command line. */
  readonly proxySource?: string | undefined
  /** Where the token or API key comes from, for messages. */
  readonly secretSource?: string | undefined
  readonly reporter?: Reporter | undefined
}

export interface RequestOptions {
  readonly signal: AbortSignal
  /** Further headers of this attempt (`Range`, `If-Range`, a stronger `Accept-Encoding`). */
  readonly headers?: Headers
  /** Where the service has said that the archive of this request is, in an earlier attempt. */
  readonly preparedAt?: PreparedArchive | undefined
  /** Waits before each check for an archive that the service is preparing; gets where it will be if that is known. */
  readonly onPreparing?: (waitMs: number, place?: PreparedArchive) => Promise<void>
}

/** Where an archive is, or will be, that was asked for and need not be asked for again. */
export interface PreparedArchive {
  readonly url: string
  /** When the service said so. */
  readonly answered: ServiceResponse['answered']
}

interface JsonOptions extends Pick<RequestOptions, 'signal'> {
  /** Called with the response before its body is read. */
  readonly onHead?: (response: ServiceResponse) => void
}

/** The service over HTTP. Rejects with a Failure; a `Fault` knows whether a retry may help. */
export type Service = Awaited<ReturnType<typeof openService>>

type Headers = Readonly<Record<string, string>>

// The waits between checks of an archive that is being prepared.
const FIRST_POLL_MS = 2_000
const LONGEST_POLL_MS = 60_000
const SHORTEST_POLL_MS = 1_000
// `/v2/ping` and `/v2/quota` respond at once or are not worth waiting for.
const QUICK_TIMEOUT_MS = 15_000
const FOREIGN_HEADERS: readonly string[] = ['accept', 'accept-encoding', 'user-agent', 'range', 'if-range']

/** Opens the service: settings are checked and certificates read, nothing is sent. */
export async function openService(world: World, options: ServiceOptions) {
  refuseDisabledChecks(world.env)
  const choice = { env: world.env, explicit: options.proxy, source: options.proxySource }
  const origin = originOf(options.baseUrl)
  const { secrets } = options
  const { redact } = secrets
  secrets.add(options.token ?? '')
  const secret = {
    secretName: options.token === undefined ? 'API key' : 'token',
    secretSource: options.secretSource,
  }
  /** What this run has learned about the service. */
  const traits = { compresses: false }
  let { token } = options
  // Whether the service has accepted this token.
  let isAccepted = false
  let renewing: Promise<void> | undefined
  const reporter = options.reporter ?? SILENT
  const secureContext = once(() => loadSecureContext(world, options, reporter.notice))
  proxyFor(new URL(options.baseUrl), choice)
  if (origin.startsWith('https:') || options.caFile || options.clientCert) await secureContext()

  const closing = new AbortController()
  const { clock } = world
  const { connectTimeoutMs: timeoutMs, userAgent, stallTimeoutMs } = options
  const hasClientCertificate = options.clientCert !== undefined
  const connecting = { clock, timeoutMs, userAgent, hasClientCertificate, secureContext }
  const agent = createAgent(connecting, choice, closing.signal)
  const limits: ExchangeOptions = {
    clock,
    responseTimeoutMs: options.responseTimeoutMs,
    stallTimeoutMs,
    slowWindowMs: options.slowWindowMs ?? Math.max(60_000, stallTimeoutMs),
    hasClientCertificate,
    reporter,
    redact,
  }
  const quickLimits: ExchangeOptions = {
    ...limits,
    responseTimeoutMs: Math.min(limits.responseTimeoutMs, QUICK_TIMEOUT_MS),
    stallTimeoutMs: Math.min(stallTimeoutMs, QUICK_TIMEOUT_MS),
  }

  /**
   * Sends a request, follows its redirects, waits while the service prepares the archive (202), and resolves with any response that
   * has a head, whatever its status.
   */
  async function send(request: ServiceRequest, requestOptions: RequestOptions): Promise<ServiceResponse> {
    const startedMs = world.clock.monotonicMs()
    const { preparedAt } = requestOptions
    const next =
      preparedAt === undefined ? request : preparedRequest(request, request.url, preparedAt.url, 202)
    const followed = await follow(next, requestOptions, limits, preparedAt !== undefined)
    const response = preparedAt === undefined ? followed : { ...followed, answered: preparedAt.answered }
    return isPreparing(response) ? poll(next, response, startedMs, requestOptions) : response
  }

  async function follow(
    request: ServiceRequest,
    { signal, headers }: Pick<RequestOptions, 'signal' | 'headers'>,
    within: ExchangeOptions,
    wasRedirected = false,
  ): Promise<ServiceResponse> {
    const trail = [request.url]
    let method = request.method
    let answered: ServiceResponse['answered'] | undefined
    while (true) {
      const url = new URL(trail.at(-1)!)
      const isForeign = url.origin !== origin
      const sentToken = token
      const response = await exchange(
        agent,
        {
          url,
          path: pathOf(url, request.url),
          method,
          headers: headersFor({ ...request.headers, ...headers }, isForeign),
          body: method === 'POST' && !isForeign ? (request.body ?? null) : null,
          signal,
          foreign: isForeign,
          isRedirected: wasRedirected || trail.length > 1,
        },
        within,
      )
      const {
        status,
        headers: { location },
      } = response
      if (status < 300 && !isForeign) isAccepted ||= sentToken === token
      if (status === 401 && !isForeign && (await hasNewToken(sentToken))) {
        await response.drain()
        continue
      }
      if (!isForeign && (status < 300 || isRedirect(status))) answered ??= response.answered
      if (!isRedirect(status)) return { ...response, answered: answered ?? response.answered }
      const hop = nextHop({ trail, method, status, location })
      await response.drain()
      if ('reason' in hop) throw redirectFault(url.host, status, hop.reason)
      reportRedirect(url, new URL(hop.url))
      trail.push(hop.url)
      method = hop.method
    }
  }

  // Tokens expire during long runs. One is read again once after it was accepted, by the first of the requests that need it.
  async function hasNewToken(used: string | undefined): Promise<boolean> {
    if (used !== token) return true
    if (isAccepted && options.readTokenAgain !== undefined) {
      renewing ??= renew(options.readTokenAgain).finally(() => {
        renewing = undefined
      })
    }
    await renewing
    return used !== token
  }

  async function renew(read: () => Promise<string>): Promise<void> {
    isAccepted = false
    const next = await read().catch((error: unknown) => {
      if (!isFailure(error)) throw error
      const message = `the token could not be read again: ${error.message}`
      reporter.notice({ level: 'warning', event: 'token.unreadable', message })
      return token
    })
    if (next === undefined || next === token) return
    token = next
    secrets.add(next)
    const message = `the service no longer accepts the token; continuing with a new one from ${options.secretSource}`
    reporter.notice({ level: 'info', event: 'token.renewed', message })
  }

  // The checks are spaced by `Retry-After` or growing waits, within the response timeout; they go on after temporary failures.
  async function poll(
    request: ServiceRequest,
    accepted: ServiceResponse,
    startedMs: number,
    requestOptions: RequestOptions,
  ): Promise<ServiceResponse> {
    const { signal, onPreparing } = requestOptions
    const { host } = accepted
    const endsMs = startedMs + options.responseTimeoutMs
    let last: ServiceResponse | Fault = accepted
    let next = request
    let hasLocation = requestOptions.preparedAt !== undefined
    let ownWaitMs = FIRST_POLL_MS
    while (true) {
      const response = last instanceof Fault ? undefined : last
      const requestedMs = response && requestedWaitMs(response)
      if (response?.status === 202 && (response.isRedirected || response.headers.location !== undefined)) {
        next = placeOf(next, response)
        hasLocation = true
      }
      const waitMs = Math.max(SHORTEST_POLL_MS, requestedMs ?? ownWaitMs)
      ownWaitMs = Math.min(LONGEST_POLL_MS, ownWaitMs * 2)
      if (world.clock.monotonicMs() + waitMs > endsMs) {
        if (last instanceof Fault) throw last
        if (last.status !== 202) return last
        last.abandon()
        throw notPrepared(host, options.responseTimeoutMs)
      }
      await response?.drain()
      await onPreparing?.(waitMs, hasLocation ? { url: next.url, answered: accepted.answered } : undefined)
      try {
        const sent = await follow(next, requestOptions, limits, hasLocation)
        last = { ...sent, answered: accepted.answered }
        if (!isPreparing(last) && last.outcome.retry !== 'always') return last
      } catch (error) {
        if (signal.aborted || !(error instanceof Fault) || error.retry !== 'always') throw error
        last = error
      }
    }
  }

  function requestedWaitMs({ headers, serverDateMs }: ServiceResponse): number | undefined {
    return parseRetryAfter(headers['retry-after'], serverDateMs, world.clock.nowMs())
  }

  // Where the archive will be: the location in the response, else where a redirect led.
  function placeOf(request: ServiceRequest, { finalUrl, status, headers }: ServiceResponse): ServiceRequest {
    const { location } = headers
    if (location === undefined) return { method: 'GET', url: finalUrl, headers: request.headers }
    return preparedRequest(request, finalUrl, location, status)
  }

  function headersFor(headers: Headers, isForeign: boolean): Record<string, string> {
    if (isForeign) {
      const kept = Object.entries(headers).filter(([name]) => FOREIGN_HEADERS.includes(name.toLowerCase()))
      return Object.fromEntries(kept)
    }
    return {
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    }
  }

  function reportRedirect(from: URL, to: URL): void {
    const message = `redirected from ${cleanText(redact(from.host))} to ${cleanText(redact(to.host))}`
    reporter.notice({ level: 'detail', event: 'request.redirect', message })
  }

  /** Gets JSON from `{base}{path}`; undefined where the service does not have it (404). */
  async function getJson(
    path: string,
    { signal, onHead }: JsonOptions,
  ): Promise<{ readonly value: unknown } | undefined> {
    const request: ServiceRequest = {
      method: 'GET',
      url: `${options.baseUrl.replace(/\/+$/, '')}${path}`,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'User-Agent': userAgent,
      },
    }
    const response = await follow(request, { signal }, quickLimits)
    onHead?.(response)
    const { status, host } = response
    const start = await readStart(response)
    if (status === 404 || status === 405) return undefined
    const preview = previewBody(start, redact)
    if (status !== 200) throw refusal(response, preview, { redact, ...secret })
    const parsed = parseJson(Buffer.from(start).toString('utf8'))
    if ('value' in parsed) return { value: parsed.value }
    const what = preview.kind === 'html' ? 'a web page' : 'something else'
    const words = preview.words === '' ? '' : `: "${preview.words}"`
    throw new Fault(
      'rejected',
      'never',
      `${host} responded to ${path} with ${what} instead of JSON${words}`,
      {
        httpStatus: status,
        hint: 'check the service URL; a network that requires a login responds like this too',
        options: ['base-url'],
      },
    )
  }

  async function close(): Promise<void> {
    closing.abort(new Error('the service was closed'))
    await agent.destroy()
  }

  return { ...secret, traits, send, getJson, redact, close }
}

// The URL parser would normalize the path of the request; only a redirect goes through it.
function pathOf(url: URL, requested: string): string {
  const path = requested.replace(/^[^/]*\/\/[^/?#]*/, '')
  return new URL(requested).href === url.href && path.startsWith('/') ? path : `${url.pathname}${url.search}`
}

// The service prepares the archive, and says where it will be or when to ask again.
function isPreparing({ status, headers }: ServiceResponse): boolean {
  return status === 202 && (headers.location !== undefined || headers['retry-after'] !== undefined)
}

/** The request for an archive that is being prepared, under the rules of redirects. */
function preparedRequest(
  { method, headers }: ServiceRequest,
  from: string,
  location: string,
  status: number,
): ServiceRequest {
  const hop = nextHop({ trail: [from], method, status, location, isPoll: true })
  if ('reason' in hop) throw redirectFault(new URL(from).host, status, hop.reason)
  return { method: hop.method, url: hop.url, headers }
}

function notPrepared(host: string, limitMs: number): Fault {
  return networkFault(
    'never',
    `${host} did not finish preparing the archive within ${formatDuration(limitMs)}`,
    {
      httpStatus: 202,
      hint: 'run the command again later, request fewer parts at once, or raise the response timeout',
      options: ['response-timeout'],
    },
  )
}

function redirectFault(host: string, status: number, reason: string): Fault {
  return networkFault('never', `a redirect of ${host} cannot be followed: ${reason}`, {
    httpStatus: status,
    hint: `at most ${MAX_REDIRECTS} redirects are followed, never to plain http; check the service URL`,
    options: ['base-url'],
  })
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
