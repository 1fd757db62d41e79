import { cleanText } from '../base/clean-text.ts'
import { isFailure } from '../base/failure.ts'
import { parseJson } from '../base/json-text.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import type { Secrets } from '../base/redact.ts'
import type { World } from '../base/world.ts'
import type { ServiceRequest } from '../request/request.ts'
import { type BodyPreview, previewBody, readStart } from './body-preview.ts'
import { createAgent } from './connector.ts'
import { type ExchangeOptions, exchange, type ServiceResponse } from './exchange.ts'
import { Fault, networkFault, refusal } from './outcome.ts'
import { proxyFor } from './proxy.ts'
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

interface RequestOptions {
  readonly signal: AbortSignal
  /** Called when bytes of the request leave on a connection, and again for each redirect. */
  readonly onSent?: () => void
  /** Further headers of this attempt (`Range`, `If-Range`, a stronger `Accept-Encoding`). */
  readonly headers?: Headers
  /** Where the service has said that the archive of this request is, in an earlier attempt. */
  readonly place?: ArchivePlace | undefined
  /** Called when the service says where the archive is, or will be, before anything is received from there. */
  readonly onPlace?: (place: ArchivePlace) => void
}

/** Where an archive is, or will be, that was asked for and need not be asked for again. */
export interface ArchivePlace {
  /** The request that gets it; for an archive that is prepared at no location of its own, the one that asked for it. */
  readonly request: ServiceRequest
  /** When the service said so. */
  readonly answered: ServiceResponse['answered']
}

interface JsonOptions extends Pick<RequestOptions, 'signal'> {
  /** Called with the response before its body is read. */
  readonly onHead?: (response: ServiceResponse) => void
}

type Headers = Readonly<Record<string, string>>

// `/v2/ping` and `/v2/quota` respond at once or are not worth waiting for.
const QUICK_TIMEOUT_MS = 15_000
const FOREIGN_HEADERS: readonly string[] = ['accept', 'accept-encoding', 'user-agent', 'range', 'if-range']

/** Opens the service: settings are checked and certificates read, nothing is sent. */
export async function openService(world: World, options: ServiceOptions): Promise<Service> {
  refuseDisabledChecks(world.env)
  const choice = { env: world.env, explicit: options.proxy, source: options.proxySource }
  const { baseUrl, caFile, clientCert, reporter = SILENT } = options
  const secureContext = once(() => loadSecureContext(world, options, reporter.notice))
  proxyFor(new URL(baseUrl), choice)
  if (originOf(baseUrl).startsWith('https:') || caFile || clientCert) await secureContext()
  const closing = new AbortController()
  const connecting = {
    clock: world.clock,
    timeoutMs: options.connectTimeoutMs,
    userAgent: options.userAgent,
    hasClientCertificate: clientCert !== undefined,
    secureContext,
  }
  return new Service(world, options, createAgent(connecting, choice, closing.signal), closing)
}

/**
 * The bearer token. It may expire during a long run: then it is read again, once after it was accepted, by the first of the requests that
 * need it.
 */
class BearerToken {
  readonly #options: ServiceOptions
  #current: string | undefined
  /** Whether the service has accepted it. */
  #isAccepted = false
  #renewing: Promise<void> | undefined

  constructor(options: ServiceOptions) {
    this.#options = options
    this.#current = options.token
    options.secrets.add(options.token ?? '')
  }

  get current(): string | undefined {
    return this.#current
  }

  accepted(used: string | undefined): void {
    this.#isAccepted ||= used === this.#current
  }

  /** True when there is another one than that which was refused. */
  async hasNew(used: string | undefined): Promise<boolean> {
    if (used !== this.#current) return true
    const { readTokenAgain } = this.#options
    if (this.#isAccepted && readTokenAgain !== undefined) {
      this.#renewing ??= this.#renew(readTokenAgain).finally(() => {
        this.#renewing = undefined
      })
    }
    await this.#renewing
    return used !== this.#current
  }

  async #renew(read: () => Promise<string>): Promise<void> {
    const { reporter = SILENT, secrets, secretSource } = this.#options
    this.#isAccepted = false
    const next = await read().catch((error: unknown) => {
      if (!isFailure(error)) throw error
      const message = `the token could not be read again: ${error.message}`
      reporter.notice({ level: 'warning', event: 'token.unreadable', message })
      return undefined
    })
    if (next === undefined || next === this.#current) return
    this.#current = next
    secrets.add(next)
    const message = `the service no longer accepts the token; continuing with a new one from ${secretSource}`
    reporter.notice({ level: 'info', event: 'token.renewed', message })
  }
}

/** The service over HTTP; use `openService`. Rejects with a Failure; a `Fault` knows whether a retry may help. */
export class Service {
  /** What the token is called, and where it comes from, for messages. */
  readonly secretName: 'API key' | 'token'
  readonly secretSource: string | undefined
  readonly responseTimeoutMs: number
  /** What this run has learned about the service. */
  readonly traits = { compresses: false, isBehind: false, hasUnreadTimes: false }
  readonly redact: (text: string) => string
  readonly #options: ServiceOptions
  readonly #reporter: Reporter
  readonly #agent: ReturnType<typeof createAgent>
  readonly #closing: AbortController
  readonly #origin: string
  readonly #token: BearerToken
  readonly #limits: ExchangeOptions
  readonly #quickLimits: ExchangeOptions

  constructor(
    { clock }: Pick<World, 'clock'>,
    options: ServiceOptions,
    agent: ReturnType<typeof createAgent>,
    closing: AbortController,
  ) {
    const { reporter = SILENT, responseTimeoutMs, stallTimeoutMs, secrets } = options
    this.secretName = options.token === undefined ? 'API key' : 'token'
    this.secretSource = options.secretSource
    this.responseTimeoutMs = responseTimeoutMs
    this.redact = secrets.redact
    this.#options = options
    this.#reporter = reporter
    this.#agent = agent
    this.#closing = closing
    this.#origin = originOf(options.baseUrl)
    this.#token = new BearerToken(options)
    this.#limits = {
      clock,
      responseTimeoutMs,
      stallTimeoutMs,
      slowWindowMs: options.slowWindowMs ?? Math.max(60_000, stallTimeoutMs),
      hasClientCertificate: options.clientCert !== undefined,
      reporter,
      redact: secrets.redact,
    }
    this.#quickLimits = {
      ...this.#limits,
      responseTimeoutMs: Math.min(responseTimeoutMs, QUICK_TIMEOUT_MS),
      stallTimeoutMs: Math.min(stallTimeoutMs, QUICK_TIMEOUT_MS),
    }
  }

  /**
   * Sends a request, or the one for the place of its archive, follows its redirects, and resolves with any response that has a head,
   * whatever its status. A 202 has a place too.
   */
  async send(request: ServiceRequest, options: RequestOptions): Promise<ServiceResponse> {
    const { place, onPlace } = options
    const sent = place?.request ?? request
    const response = await this.#follow(sent, options, this.#limits, sent.url !== request.url)
    const { status, headers, finalUrl, answered } = response
    if (status !== 202) return response
    const { location } = headers
    if (location !== undefined)
      onPlace?.({ request: preparedRequest(sent, finalUrl, location, status), answered })
    else if (!response.isRedirected) onPlace?.({ request: sent, answered })
    return response
  }

  async #follow(
    request: ServiceRequest,
    { signal, headers, place, onPlace, onSent }: RequestOptions,
    within: ExchangeOptions,
    wasRedirected = false,
  ): Promise<ServiceResponse> {
    const trail = [request.url]
    const given = { ...request.headers, ...headers }
    let method = request.method
    let answered = place?.answered
    let setsCookie = false
    while (true) {
      const url = new URL(trail.at(-1)!)
      const isForeign = url.origin !== this.#origin
      const token = this.#token.current
      const response = await exchange(
        this.#agent,
        {
          url,
          path: pathOf(url, request.url),
          method,
          headers: isForeign ? foreignHeaders(given) : ownHeaders(given, token),
          body: method === 'POST' && !isForeign ? (request.body ?? null) : null,
          signal,
          onSent,
          foreign: isForeign,
          isRedirected: wasRedirected || trail.length > 1,
        },
        within,
      )
      const {
        status,
        headers: { location },
      } = response
      if (status < 300 && !isForeign) this.#token.accepted(token)
      if (status === 401 && !isForeign && (await this.#token.hasNew(token))) {
        await response.drain()
        continue
      }
      if (!isForeign && (status < 300 || isRedirect(status))) answered ??= response.answered
      if (!isRedirect(status)) return { ...response, answered: answered ?? response.answered }
      const hop = nextHop({ trail, method, status, location })
      await response.drain()
      setsCookie ||= response.setsCookie
      if ('reason' in hop) throw redirectFault(url.host, status, hop.reason, setsCookie)
      this.#reportRedirect(url, new URL(hop.url))
      trail.push(hop.url)
      method = hop.method
      onPlace?.({ request: { ...request, url: hop.url, method }, answered: answered ?? response.answered })
    }
  }

  #reportRedirect(from: URL, to: URL): void {
    const message = `redirected from ${cleanText(this.redact(from.host))} to ${cleanText(this.redact(to.host))}`
    this.#reporter.notice({ level: 'detail', event: 'request.redirect', message })
  }

  /** Gets JSON from `{base}{path}`; undefined where the service does not have it (404). */
  async getJson(
    path: string,
    { signal, onHead }: JsonOptions,
  ): Promise<{ readonly value: unknown } | undefined> {
    const { baseUrl, userAgent } = this.#options
    const request: ServiceRequest = {
      method: 'GET',
      url: `${baseUrl.replace(/\/+$/, '')}${path}`,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'User-Agent': userAgent,
      },
    }
    const response = await this.#follow(request, { signal }, this.#quickLimits)
    onHead?.(response)
    const { status } = response
    const start = await readStart(response)
    if (status === 404 || status === 405) return undefined
    const preview = previewBody(start, this.redact, response)
    if (status < 200 || status > 299) throw refusal(response, preview, this)
    const parsed = parseJson(Buffer.from(start).toString('utf8'))
    if (status === 200 && 'value' in parsed) return { value: parsed.value }
    throw notJson(path, response, preview)
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the service was closed'))
    await this.#agent.destroy()
  }
}

/** Headers for the configured service. */
function ownHeaders(headers: Headers, token: string | undefined): Headers {
  return token === undefined ? headers : { Authorization: `Bearer ${token}`, ...headers }
}

/** Headers for any other server, which gets no secret. */
function foreignHeaders(headers: Headers): Headers {
  const kept = Object.entries(headers).filter(([name]) => FOREIGN_HEADERS.includes(name.toLowerCase()))
  return Object.fromEntries(kept)
}

function notJson(path: string, { host, status }: ServiceResponse, { kind, words }: BodyPreview): Fault {
  const what = kind === 'html' ? 'a web page' : 'something else'
  const said = words === '' ? '' : `: "${words}"`
  return new Fault('rejected', 'never', `${host} responded to ${path} with ${what} instead of JSON${said}`, {
    httpStatus: status,
    hint: 'check the service URL; a network that requires a login responds like this too',
    options: ['base-url'],
  })
}

// The URL parser would normalize the path of the request; only a redirect goes through it.
function pathOf(url: URL, requested: string): string {
  const path = requested.replace(/^[^/]*\/\/[^/?#]*/, '')
  return new URL(requested).href === url.href && path.startsWith('/') ? path : `${url.pathname}${url.search}`
}

/** The request for an archive that is being prepared, under the rules of redirects. */
function preparedRequest(
  request: ServiceRequest,
  from: string,
  location: string,
  status: number,
): ServiceRequest {
  const hop = nextHop({ trail: [from], method: request.method, status, location, isPoll: true })
  if ('reason' in hop) throw redirectFault(new URL(from).host, status, hop.reason, false)
  return { ...request, method: hop.method, url: hop.url }
}

function redirectFault(host: string, status: number, reason: string, setsCookie: boolean): Fault {
  return networkFault('never', `a redirect of ${host} cannot be followed: ${reason}`, {
    httpStatus: status,
    hint: setsCookie
      ? 'it sets a cookie and expects it back, as a sign-in page or a load balancer does; ask the provider for a service URL that needs no cookies'
      : `at most ${MAX_REDIRECTS} redirects are followed, never to plain http; check the service URL`,
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
