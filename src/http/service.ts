import { type Reporter, SILENT } from '../base/notice.ts'
import { redactor } from '../base/redact.ts'
import type { World } from '../base/world.ts'
import type { ServiceRequest } from '../request/request.ts'
import { type Answer, readStart, toAnswer } from './answer.ts'
import { refusalOf } from './answer-refusal.ts'
import { exchange, type WireAnswer, type WireLimits } from './exchange.ts'
import { Fault, networkFault } from './fault.ts'
import { glimpse } from './glimpse.ts'
import { createLanes } from './lanes.ts'
import { proxyFor, proxySecrets } from './proxy.ts'
import { isRedirect, MOST_REDIRECTS, nextHop, originOf } from './redirect.ts'
import { loadSecureContext, refuseDisabledChecks } from './secure-context.ts'
import { createTrace } from './trace.ts'

export interface ServiceOptions {
  /** Scheme, host and port of this address are the only ones that ever get the token or an API key. */
  readonly baseUrl: string
  /** v2's bearer token, already checked. */
  readonly token?: string | undefined
  /** What must not appear in any notice; the token and the proxies' logins are added. */
  readonly secrets: readonly string[]
  readonly userAgent: string
  readonly connectTimeoutMs: number
  /** From the request sent to the head of the answer. */
  readonly responseTimeoutMs: number
  /** Between bytes of a body. */
  readonly stallTimeoutMs: number
  /** The window in which a body must bring 1 kB for each second; the larger of a minute and the stall time-out. */
  readonly slowWindowMs?: number | undefined
  /** Above the environment; '' means a direct way. */
  readonly proxy?: string | undefined
  readonly caFile?: string | undefined
  readonly clientCert?: string | undefined
  readonly clientKey?: string | undefined
  readonly reporter?: Reporter | undefined
}

export interface AskOptions {
  readonly signal: AbortSignal
  /** Further headers of this attempt (`Range`, `If-Range`, a stronger `Accept-Encoding`). */
  readonly headers?: Readonly<Record<string, string>>
}

/** What a side question such as `/v2/ping` was answered with. */
export interface JsonAnswer {
  readonly value: unknown
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** The way to the service. Every rejection is a Failure that says whether trying again may help (`Fault`). */
export interface Service {
  readonly origin: string
  /** Sends a request, follows its redirects, and resolves with any answer that has a head, whatever its status. */
  readonly ask: (request: ServiceRequest, options: AskOptions) => Promise<Answer>
  /** Asks `{base}{path}` for JSON; undefined where the service does not have it (404). */
  readonly getJson: (path: string, options: AskOptions) => Promise<JsonAnswer | undefined>
  /** Takes every secret this service knows out of a text. */
  readonly redact: (text: string) => string
  readonly close: () => Promise<void>
}

// Stale kept connections in a row; beyond it something else is wrong.
const MOST_STALE = 3
// `/v2/ping` and `/v2/quota` answer at once or are not worth waiting for.
const SIDE_QUESTION_MS = 15_000
const FOREIGN_HEADERS: readonly string[] = ['accept', 'accept-encoding', 'user-agent', 'range', 'if-range']

/** Opens the way to the service: settings are checked and certificates read, nothing is sent. */
export async function openService(world: World, options: ServiceOptions): Promise<Service> {
  refuseDisabledChecks(world.env)
  const choice = { env: world.env, explicit: options.proxy }
  const origin = originOf(options.baseUrl)
  const redact = redactor([...options.secrets, options.token ?? '', ...proxySecrets(choice)])
  const trace = createTrace(options.reporter ?? SILENT, redact)
  const secureContext = once(() => loadSecureContext(world, options))
  proxyFor(new URL(options.baseUrl), choice)
  if (originOf(options.baseUrl).startsWith('https:') || options.caFile || options.clientCert)
    await secureContext()
  const lanes = createLanes({ ...options, secureContext })
  const limits = {
    responseTimeoutMs: options.responseTimeoutMs,
    stallTimeoutMs: options.stallTimeoutMs,
    slowWindowMs: options.slowWindowMs ?? Math.max(60_000, options.stallTimeoutMs),
  }

  const sideLimits = {
    ...limits,
    responseTimeoutMs: Math.min(limits.responseTimeoutMs, SIDE_QUESTION_MS),
    stallTimeoutMs: Math.min(limits.stallTimeoutMs, SIDE_QUESTION_MS),
  }

  async function ask(
    request: ServiceRequest,
    { signal, headers = {} }: AskOptions,
    within: WireLimits = limits,
  ): Promise<Answer> {
    const trail = [request.url]
    let method = request.method
    while (true) {
      const url = new URL(trail.at(-1)!)
      const ours = url.origin === origin
      const wanted = { ...request.headers, ...headers }
      const wire = await send(
        url,
        method,
        ours ? withToken(wanted) : forStrangers(wanted),
        ours,
        request,
        within,
        signal,
      )
      const answer = toAnswer(wire, url, !ours)
      if (!isRedirect(answer.status)) return answer
      const hop = nextHop({ trail, method, status: answer.status, location: answer.headers.location })
      await answer.drain()
      if ('reason' in hop) throw redirectFault(url.host, answer.status, hop.reason)
      trace.redirect(url, new URL(hop.url))
      trail.push(hop.url)
      method = hop.method
    }
  }

  async function send(
    url: URL,
    method: 'GET' | 'POST',
    headers: Readonly<Record<string, string>>,
    ours: boolean,
    request: ServiceRequest,
    within: WireLimits,
    signal: AbortSignal,
  ): Promise<WireAnswer> {
    const proxy = proxyFor(url, choice)
    const inPlain = proxy !== undefined && url.protocol === 'http:'
    const login = inPlain && proxy.authorization ? { 'Proxy-Authorization': proxy.authorization } : {}
    const path = rawPath(url, request.url)
    const wire = {
      method,
      origin: url.origin,
      path: inPlain ? `${url.origin}${path}` : path,
      host: url.host,
      port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
      headers: { ...headers, ...login },
      body: method === 'POST' && ours ? request.body : undefined,
    }
    for (let stale = 0; ; stale += 1) {
      const lane = lanes.take(url, proxy)
      const before = lane.connections()
      trace.request(wire, url)
      try {
        const answer = await exchange(lane, wire, within, signal)
        trace.response(answer)
        return answer
      } catch (error) {
        const wasKept = before > 0 && lane.connections() === before
        if (
          !wasKept ||
          stale >= MOST_STALE ||
          signal.aborted ||
          !(error instanceof Fault && error.unanswered)
        )
          throw error
      }
    }
  }

  function withToken(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return options.token === undefined ? headers : { Authorization: `Bearer ${options.token}`, ...headers }
  }

  async function getJson(path: string, askOptions: AskOptions): Promise<JsonAnswer | undefined> {
    const request: ServiceRequest = {
      method: 'GET',
      url: `${options.baseUrl.replace(/\/+$/, '')}${path}`,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        'Accept-Encoding': 'identity',
        'User-Agent': options.userAgent,
      },
    }
    const answer = await ask(request, askOptions, sideLimits)
    const start = await readStart(answer)
    if (answer.status === 404) return undefined
    const facts = {
      status: answer.status,
      host: answer.host,
      foreign: answer.foreign,
      glimpse: glimpse(start),
    }
    if (answer.status !== 200) {
      const { kind, message, hint } = refusalOf(facts)
      throw new Fault(kind, 'never', redact(message), { hint, httpStatus: answer.status })
    }
    try {
      const value: unknown = JSON.parse(Buffer.from(start).toString('utf8'))
      return { value, status: answer.status, headers: answer.headers }
    } catch (cause) {
      throw new Fault('rejected', 'never', `${answer.host} did not answer ${path} with JSON`, {
        cause,
        httpStatus: answer.status,
        hint: 'check --base-url',
      })
    }
  }

  return {
    origin,
    ask: (request, askOptions) => ask(request, askOptions),
    getJson,
    redact,
    close: lanes.close,
  }
}

function forStrangers(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => FOREIGN_HEADERS.includes(name.toLowerCase())),
  )
}

// The address goes out as it was written: the URL parser would keep it, but for what it normalises.
function rawPath(url: URL, asked: string): string {
  const written = asked.slice(originLength(asked))
  return new URL(asked).href === url.href && written.startsWith('/')
    ? written
    : `${url.pathname}${url.search}`
}

function originLength(url: string): number {
  const start = url.indexOf('://') + 3
  const end = url.slice(start).search(/[/?#]/)
  return end < 0 ? url.length : start + end
}

function redirectFault(host: string, status: number, reason: string): Fault {
  return networkFault('never', `a redirect of ${host} can not be followed: ${reason}`, {
    httpStatus: status,
    hint: `check --base-url; at most ${MOST_REDIRECTS} redirects are followed, never to plain http`,
  })
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
