import { cleanText } from '../base/clean-text.ts'
import { Failure, type FailureKind, type FailureOptions, isFailure } from '../base/failure.ts'
import type { BodyPreview } from './body-preview.ts'

/** How often a fault is retried within the configured retries; `once` and `twice` are for faults that rarely pass. */
export type RetryRule = 'never' | 'once' | 'twice' | 'always'

/** What a failure of one request means for the others; `request-of-many`: for itself only if others succeed. */
export type Scope = 'run' | 'request' | 'request-of-many' | 'divide'

/**
 * Of a 400 or 404, the body may say that the request was too long: then a shorter one may succeed if none as long was answered
 * (`divide-longest`). If it gives no reason, one is tried (`divide-once`).
 */
export type FailureScope = Scope | 'divide-longest' | 'divide-once'

/** One row of the table: what a response status means. */
export interface Outcome {
  /** The exit code when no retry helps. */
  readonly kind: FailureKind
  readonly retry: RetryRule
  readonly scope: Scope
  /** The rate limiter waits and such responses do not count as retries; `of-many`: only while other requests succeed. */
  readonly rate?: 'always' | 'of-many'
  /** HOST, STATUS, RANGE and SECRET (where the token comes from) are replaced. */
  readonly message: string
  readonly hint: string
  readonly options?: readonly string[]
  readonly fewerParts?: boolean
  /** True when the body is not worth quoting. */
  readonly skipsBody?: boolean
}

const TRY_LATER = 'try again later'
const CHECK_URL = { hint: 'check the service URL', options: ['base-url', 'api'] }
const REPORT_GATEWAY = 'a proxy or gateway changes responses; report it to the provider'

const rejected = { kind: 'rejected', retry: 'never', scope: 'request' } as const
const busy = { kind: 'unavailable', retry: 'always', scope: 'request' } as const
const broken = { kind: 'unavailable', retry: 'never', scope: 'request' } as const

const TOO_LONG: Outcome = {
  kind: 'rejected',
  retry: 'never',
  scope: 'divide',
  message: 'the request is too long for HOST',
  fewerParts: true,
  hint: 'allow shorter URLs only',
  options: ['max-url-length'],
}
const INVALID: Outcome = {
  ...rejected,
  message: 'HOST refused the request as invalid',
  hint: 'check the criteria',
  options: ['supplier', 'part', 'start-date', 'format', 'format-class'],
}
const FAILING: Outcome = {
  ...busy,
  message: 'HOST is failing',
  hint: 'try again later; if it persists, report it to the provider',
}
const UNSUPPORTED: Outcome = { ...broken, message: 'HOST does not support this request', ...CHECK_URL }

/** Whether the body is the archive, if it is one. */
export function isWhole({
  status,
  hasArchive = false,
}: {
  readonly status: number
  readonly hasArchive?: boolean
}): boolean {
  return status === 200 || status === 201 || status === 203 || hasArchive
}

/** Every status with a row of its own. Those of an archive, 204, redirects and 206 of a resumed transfer are no refusals. */
const STATUSES: Readonly<Record<number, Outcome>> = {
  206: {
    kind: 'archive',
    retry: 'once',
    scope: 'request',
    message: 'HOST sent a partial response (RANGE) to a request for the whole file',
    hint: REPORT_GATEWAY,
    skipsBody: true,
  },
  304: {
    kind: 'archive',
    retry: 'never',
    scope: 'request',
    message: 'HOST sent an unexpected 304 (not modified)',
    hint: 'a cache in front of the service is misconfigured; report it to its administrator',
    skipsBody: true,
  },
  400: INVALID,
  401: {
    kind: 'auth',
    retry: 'never',
    scope: 'run',
    message: 'HOST rejected the token',
    hint: 'check SECRET: the token may have expired or belong to another service; the provider issues them',
  },
  403: {
    kind: 'auth',
    retry: 'never',
    scope: 'request-of-many',
    message: 'HOST does not allow this request with this token',
    hint: 'the token lacks the privilege or tier for this; contact the provider, or check with: matdecl doctor',
  },
  404: {
    ...rejected,
    message: 'HOST did not find what was requested',
    hint: 'check the supplier, the parts and the service URL (without /v2)',
    options: ['base-url'],
  },
  405: { ...rejected, message: 'HOST does not accept this kind of request', ...CHECK_URL },
  407: {
    kind: 'auth',
    retry: 'never',
    scope: 'run',
    message: 'a proxy requires a login',
    hint: 'include the login in the proxy URL: http://USER:PASSWORD@HOST:PORT',
    options: ['proxy'],
  },
  408: { ...busy, message: 'HOST timed out waiting for the request', hint: TRY_LATER },
  410: {
    ...rejected,
    message: 'HOST no longer has what was requested',
    hint: 'check the parts and the service URL',
    options: ['base-url'],
  },
  413: TOO_LONG,
  414: TOO_LONG,
  415: {
    ...rejected,
    message: 'HOST refused the format of the request',
    hint: 'check the format',
    options: ['format', 'format-class', 'api'],
  },
  422: INVALID,
  425: { ...busy, message: 'HOST is not ready for this request yet', hint: TRY_LATER },
  429: {
    ...busy,
    rate: 'always',
    message: 'HOST is limiting the request rate',
    hint: 'no header says until when: try again in a few minutes, or lower the rate',
    options: ['rate'],
  },
  431: TOO_LONG,
  500: FAILING,
  501: UNSUPPORTED,
  502: FAILING,
  503: { ...FAILING, rate: 'of-many' },
  504: FAILING,
  505: UNSUPPORTED,
  511: {
    ...broken,
    message: 'the network requires a login',
    hint: 'sign in to the network, then try again',
  },
}

/** Statuses without a row. */
const OTHERS: readonly (readonly [from: number, to: number, Outcome])[] = [
  [
    200,
    299,
    {
      ...rejected,
      message: 'HOST sent no archive',
      hint: 'check the service URL and the API version',
      options: ['base-url', 'api'],
    },
  ],
  [
    400,
    499,
    {
      ...rejected,
      message: 'HOST refused the request',
      hint: 'check the criteria and the service URL',
      options: ['base-url'],
    },
  ],
  // Those of a proxy in front of the service, such as Cloudflare's.
  [520, 530, FAILING],
  [500, 599, { ...FAILING, retry: 'never' }],
]
const UNUSABLE: Outcome = {
  ...broken,
  message: 'HOST responded with an unusable status (STATUS)',
  ...CHECK_URL,
}

const NO_ACCESS: Outcome = {
  kind: 'auth',
  retry: 'never',
  scope: 'run',
  message: 'a redirect led to HOST, which refused access',
  hint: 'the token is sent to the configured service only; check its URL',
  options: ['base-url'],
}

/** Statuses that mean something else after a redirect to another origin, where no secret was sent. */
const AFTER_FOREIGN_REDIRECT: Readonly<Record<number, Outcome>> = {
  401: NO_ACCESS,
  // A signed URL has expired: the next attempt is redirected to a new one.
  403: { ...NO_ACCESS, retry: 'once', scope: 'request-of-many' },
  410: {
    ...busy,
    retry: 'once',
    message: 'a redirect led to HOST, which no longer has the archive',
    hint: 'try again later; if it persists, report it to the provider',
  },
}

/** Statuses that mean something else after any redirect: the service names a file that its store does not have yet. */
const AFTER_REDIRECT: Readonly<Record<number, Outcome>> = {
  404: {
    ...busy,
    message: 'a redirect led to HOST, which does not have the archive yet',
    hint: 'try again later; if it persists, report it to the provider',
  },
}

/** Where a response came from. */
interface Origin {
  /** True when a redirect led here. */
  readonly isRedirected?: boolean
  /** True when a redirect led to another origin. */
  readonly foreign?: boolean
}

/** The row of a status. */
export function outcomeOf(status: number, { isRedirected = false, foreign = false }: Origin = {}): Outcome {
  return (
    (foreign ? AFTER_FOREIGN_REDIRECT[status] : undefined) ??
    (isRedirected || foreign ? AFTER_REDIRECT[status] : undefined) ??
    STATUSES[status] ??
    OTHERS.find(([from, to]) => status >= from && status <= to)?.[2] ??
    UNUSABLE
  )
}

/** The rows for the documentation. */
export function outcomeRows(): readonly { readonly status: string; readonly outcome: Outcome }[] {
  const rows = Object.entries(STATUSES).map(([status, outcome]) => ({ status, outcome }))
  const redirected = [
    ...Object.entries(AFTER_REDIRECT).map(([status, outcome]) => ({
      status: `${status} after a redirect`,
      outcome,
    })),
    ...Object.entries(AFTER_FOREIGN_REDIRECT).map(([status, outcome]) => ({
      status: `${status} after a redirect to another host`,
      outcome,
    })),
  ]
  const others = OTHERS.map(([from, to, outcome]) => ({
    status: from % 100 === 0 ? `other ${String(from)[0]}xx` : `${from} to ${to}`,
    outcome,
  }))
  return [...rows, ...redirected, ...others, { status: 'any other', outcome: UNUSABLE }]
}

/** What a failed request means for the others of its run. */
export function scopeOf(failure: Failure): FailureScope {
  const { kind } = failure
  const scope = faultBehind(failure)?.scope
  if (scope !== undefined && kind !== 'limited') return scope
  return kind === 'rejected' || kind === 'unavailable' || kind === 'archive' ? 'request' : 'run'
}

function faultBehind(failure: unknown): Fault | undefined {
  if (failure instanceof Fault) return failure
  return isFailure(failure) ? faultBehind(failure.cause) : undefined
}

interface FaultOptions extends FailureOptions {
  /** The server had closed the kept connection. */
  readonly isStale?: boolean
  /** By the status, and by the body where that says more. */
  readonly scope?: FailureScope | undefined
}

/** A Failure with a retry rule, for the code that retries. */
export class Fault extends Failure {
  readonly retry: RetryRule
  readonly isStale: boolean
  readonly scope: FailureScope | undefined

  constructor(kind: FailureKind, retry: RetryRule, message: string, options: FaultOptions = {}) {
    const { isStale = false, scope, ...rest } = options
    super(kind, message, rest)
    this.retry = retry
    this.isStale = isStale
    this.scope = scope
  }
}

/** A network fault: exit 7, retried as often as `retry` allows. */
export function networkFault(retry: RetryRule, message: string, options: FaultOptions = {}): Fault {
  return new Fault('unavailable', retry, message, options)
}

/** A response that is refused, as messages name it. */
interface Refused {
  readonly status: number
  readonly outcome: Outcome
  readonly foreign?: boolean
  readonly host: string
  readonly finalUrl: string
  readonly headers: Readonly<Record<string, string>>
}

/** What messages must not show, and what the token or API key is called and where it comes from. */
interface Secrets {
  readonly redact: (text: string) => string
  /** What v1 has in place of the token; by default `token`. */
  readonly secretName?: string
  readonly secretSource: string | undefined
}

const REQUEST_ID_HEADERS = [
  'x-request-id',
  'x-amzn-requestid',
  'x-amz-request-id',
  'x-correlation-id',
  'cf-ray',
]

/** The fault for an error status, with the service's own words, and its ID of this request if it sent one. */
export function refusal(
  response: Refused,
  preview: BodyPreview,
  { redact, secretName = 'token', secretSource = 'MATDECL_TOKEN' }: Secrets,
): Fault {
  const { status, host, headers, finalUrl, foreign = false } = response
  const { kind, retry, message: template, scope: ownScope } = response.outcome
  const certificate = status === 400 ? clientCertificateInText(host, preview.words) : undefined
  if (certificate) {
    const { message, ...advice } = certificate
    return new Fault('rejected', 'never', redact(message), { ...advice, httpStatus: status })
  }
  const named = (text: string): string => text.replace(/\btoken\b/g, secretName)
  const what = named(template)
    .replace('HOST', host)
    .replace('STATUS', String(status))
    .replace('RANGE', cleanText(headers['content-range'] ?? 'no range', 80))
  const said = template.includes('STATUS') || template.includes(`${status}`) ? '' : ` (status ${status})`
  const requested = status === 404 ? `: ${shownUrl(finalUrl, foreign, redact)}` : ''
  const requestId = REQUEST_ID_HEADERS.map((name) => headers[name]).find((value) => value !== undefined)
  const id = requestId ? ` (request id ${cleanText(redact(requestId), 100)})` : ''
  const scope = (foreign ? undefined : lengthScope(status, preview)) ?? ownScope
  const { hint, options, fewerParts } = scope === 'divide-longest' ? TOO_LONG : response.outcome
  const words = wordsOf(preview) || challengeWords(headers['www-authenticate'])
  return new Fault(kind, retry, redact(`${what}${said}${requested}${words}${id}`), {
    hint: named(hint).replace('SECRET', secretSource),
    options,
    fewerParts,
    httpStatus: status,
    scope,
  })
}

const LONG =
  /\b(?:line|ur[il]|query|request|header|path|string)s?\b.{0,60}\b(?:long|large|big|exceed\w{0,3}|limit\w{0,3})\b/i

// gunicorn refuses a request line of more than 4,094 bytes with 400, IIS a query of more than 2,048 with 404, and a page that does not
// say why. Pages are of servers in front of the service, whose own reason is not on them.
function lengthScope(status: number, preview: BodyPreview): FailureScope | undefined {
  if (status !== 400 && status !== 404) return undefined
  if (LONG.test(preview.words)) return 'divide-longest'
  const hasReason = preview.kind !== 'html' && preview.words !== '' && preview.saysStatusOnly !== true
  return hasReason ? undefined : 'divide-once'
}

const KINDS: Readonly<Record<BodyPreview['kind'], string>> = {
  nothing: 'an empty response',
  html: 'a web page',
  json: 'a JSON message',
  xml: 'an XML document',
  text: 'text',
  binary: 'unknown bytes',
  zip: 'an archive',
}
const KIND_HINTS: Partial<Record<BodyPreview['kind'], string>> = {
  html: 'an expired token, a wrong URL or a network that requires a login responds like this; open it in a browser',
  nothing: 'report it to the provider',
  json: 'fix the problem in the message',
  text: 'fix the problem in the message, or check the service URL',
}

/** The fault for a 200 without an archive: exit 5, with its type and first words. */
export function notAnArchive(
  { host, status, headers }: Pick<Refused, 'host' | 'status' | 'headers'>,
  preview: BodyPreview,
  redact: (text: string) => string,
): Fault {
  const contentType = headers['content-type']
  const type = contentType ? `, ${contentType}` : ', no content type'
  const looks = preview.isPending
    ? '; it looks like the state of an archive that is still being prepared'
    : ''
  const message = `${host} sent ${KINDS[preview.kind]} instead of a ZIP archive (status ${status}${type})${wordsOf(preview)}${looks}`
  return new Fault('rejected', 'never', redact(message), {
    hint: preview.isPending
      ? 'only a 202 response is waited for; ask the provider how to get the archive'
      : (KIND_HINTS[preview.kind] ?? 'check the service URL'),
    ...(preview.kind === 'nothing' ? { fewerParts: true } : { options: ['base-url', 'api'] }),
    httpStatus: status,
  })
}

const MOST_URL_CHARACTERS = 200

/** A URL for messages: cleaned, redacted, shortened. That of another origin has no query, which may hold a signature. */
export function shownUrl(url: string, foreign: boolean, redact: (text: string) => string): string {
  const { origin, pathname, search } = new URL(url)
  const query = foreign && search !== '' ? '?…' : search
  return cleanText(redact(`${origin}${pathname}${query}`), MOST_URL_CHARACTERS)
}

function wordsOf(preview: BodyPreview): string {
  return preview.words === '' ? '' : `: ${preview.kind === 'html' ? `"${preview.words}"` : preview.words}`
}

// The challenge of a bearer token says why (RFC 6750 3) where the body does not.
function challengeWords(challenge = ''): string {
  const said = /\berror_description="([^"]{1,300})"/i.exec(challenge)?.[1]
  return said === undefined ? '' : `: ${said}`
}

interface CertificateWords {
  readonly message: string
  readonly hint: string
  readonly options: readonly string[]
}

/** The message for a server that requires a client certificate, or rejected it. */
export function clientCertificateWords(server: string, isMissing: boolean): CertificateWords {
  return {
    message: `${server}: the server ${isMissing ? 'requires a client certificate' : 'rejected the client certificate'}`,
    hint: isMissing
      ? 'configure the certificate that the provider issued, and its key'
      : 'check that the certificate is the one the provider issued and has not expired',
    options: ['client-cert', 'client-key'],
  }
}

// nginx and its derivatives say it in the body of a 400.
function clientCertificateInText(server: string, text: string): CertificateWords | undefined {
  if (/no required ssl certificate was sent/i.test(text)) return clientCertificateWords(server, true)
  if (/the ssl certificate error/i.test(text)) return clientCertificateWords(server, false)
  return undefined
}

/** The limit for attempts that each receive some bytes: a server that sends one byte at a time would never end. */
export const MOST_ATTEMPTS = 200

const FIRST_WAIT_MS = 1_000
const LONGEST_OWN_WAIT_MS = 60_000
const SHORTEST_WAIT_MS = 100

/** What has happened to one request so far. */
interface Tally {
  readonly attempts: number
  /** Failed attempts that received no new bytes. */
  readonly failures: number
  /** Failed attempts under the rule of the last fault. */
  readonly sameRule: number
}

/** Whether to retry after a fault with `rule`; `tally` includes the failed attempt. */
export function mayRetry(rule: RetryRule, tally: Tally, retries: number): boolean {
  if (rule === 'never' || retries <= 0 || tally.attempts >= MOST_ATTEMPTS) return false
  const allowed = rule === 'once' ? Math.min(1, retries) : rule === 'twice' ? Math.min(2, retries) : retries
  const counted = rule === 'once' || rule === 'twice' ? tally.sameRule : tally.failures
  return counted <= allowed && tally.failures <= retries
}

/**
 * The wait before the next attempt, in milliseconds: full jitter under a doubling ceiling of 1 s to 60 s, or what the server
 * requested plus up to a second, so that clients do not retry in lockstep. `random` is in [0, 1); `failures` counts failures from 1.
 */
export function retryWaitMs(
  failures: number,
  random: number,
  options: {
    readonly requestedMs?: number | undefined
    readonly maxWaitMs: number
  },
): number {
  const { requestedMs = 0, maxWaitMs } = options
  const ceiling = Math.min(LONGEST_OWN_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(Math.max(0, failures - 1), 10))
  const own = Math.max(SHORTEST_WAIT_MS, random * ceiling)
  const waitMs =
    requestedMs > 0
      ? Math.max(requestedMs + random * Math.min(FIRST_WAIT_MS, requestedMs), SHORTEST_WAIT_MS)
      : own
  return Math.round(Math.min(waitMs, Math.max(maxWaitMs, requestedMs)))
}
