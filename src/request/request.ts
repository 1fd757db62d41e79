import { Failure } from '../base/failure.ts'

/** What one run asks the service for, but for the parts. Values are exact: nothing is trimmed, split or case-folded. */
export interface Criteria {
  readonly api: 'v1' | 'v2'
  /** v2: `1752A` or `1752B`, or what `--query format=…` put in its place; v1: `XML` or `CSV`. */
  readonly format: string
  readonly formatClass?: string | undefined
  readonly supplier?: string | undefined
  /** `YYYY-MM-DD`. */
  readonly startDate?: string | undefined
  /** Further query parameters, v2 only, in the order given. */
  readonly query?: readonly (readonly [name: string, value: string])[]
}

/** One HTTP request, complete but for the bearer token. A v1 body carries the API key: treat it as a secret. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Parameter names the tool sets itself or must never send; `--query` may not use them (but `format`). */
export const RESERVED_PARAMETERS: readonly string[] = [
  'formatClass',
  'supplier',
  'partNumbers[]',
  'partNumbers',
  'startDate',
  'apikey',
]

const PART_NAME = 'partNumbers[]='

/**
 * The v2 download address for these parts: parameters in the order of the interface document, `partNumbers[]` with
 * plain brackets, values percent-encoded by RFC 3986 (a space is `%20`). `baseUrl` is an origin with an optional path and
 * no version (see `parseBaseUrl`).
 */
export function downloadUrl(baseUrl: string, criteria: Criteria, parts: readonly string[]): string {
  const head = queryHead(criteria)
  // Looking at all parts at once is several times faster than at each, and nearly all of them stay as they are.
  const values = areUnreserved(parts) ? parts : parts.map(percentEncode)
  const listed = parts.length === 0 ? [] : [PART_NAME + values.join(`&${PART_NAME}`)]
  const pairs = [...head, ...listed, ...queryTail(criteria)]
  return `${baseUrl}/v2/download?${pairs.join('&')}`
}

/** Bytes of the URL without any part; each part adds `partParameterBytes` and nothing else. */
export function emptyUrlBytes(baseUrl: string, criteria: Criteria): number {
  return Buffer.byteLength(downloadUrl(baseUrl, criteria, []))
}

/** Bytes that one part adds to the URL, its `&` included. */
export function partParameterBytes(part: string): number {
  return partParameter(part).length + 1
}

/** The request for these parts. v1 needs the API key, which goes into its body. */
export function serviceRequest(
  baseUrl: string,
  criteria: Criteria,
  parts: readonly string[],
  userAgent: string,
  apiKey?: string,
): ServiceRequest {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/zip',
    'Accept-Encoding': 'identity',
    'User-Agent': userAgent,
  }
  if (criteria.api === 'v2') return { method: 'GET', url: downloadUrl(baseUrl, criteria, parts), headers }
  const body = JSON.stringify(legacyPayload(criteria, parts, apiKey ?? ''))
  return { method: 'POST', url: requestUrl(baseUrl, criteria, parts), headers, body }
}

/** The address of the request for these parts: v2 has everything in it, v1 has one address for all. */
export function requestUrl(baseUrl: string, criteria: Criteria, parts: readonly string[]): string {
  return criteria.api === 'v2' ? downloadUrl(baseUrl, criteria, parts) : `${baseUrl}/api/download`
}

/** The v1 JSON payload: all values strings, parts comma-separated each in double quotes, absent criteria left out. */
export function legacyPayload(
  criteria: Criteria,
  parts: readonly string[],
  apiKey: string,
): Readonly<Record<string, string>> {
  return {
    apikey: apiKey,
    format: criteria.format,
    ...(criteria.formatClass === undefined ? {} : { formatClass: criteria.formatClass }),
    ...(criteria.supplier === undefined ? {} : { supplier: criteria.supplier }),
    ...(parts.length === 0 ? {} : { partNumbers: parts.map((part) => `"${part}"`).join(',') }),
    ...(criteria.startDate === undefined ? {} : { startdate: criteria.startDate }),
  }
}

/**
 * The base address without its version: a trailing `/`, `/v2` or `/v2/` is forgiven. Returns a reason when the text is no
 * usable address: not http(s), http off loopback, user information, a query or a fragment.
 */
export function parseBaseUrl(text: string): { readonly baseUrl: string } | { readonly reason: string } {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return { reason: 'it is not an absolute address such as https://api.example.com' }
  }
  if (url.username !== '' || url.password !== '') return { reason: 'it contains a user name or password' }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { reason: 'it is neither https: nor http:' }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return { reason: 'http: would send the token unprotected; only https: is accepted off this machine' }
  }
  if (url.port === '0') return { reason: 'port 0 can not be connected to' }
  if (url.search !== '' || url.hash !== '' || text.includes('?') || text.includes('#')) {
    return { reason: 'it has a query or a fragment; give the address alone' }
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v2$/, '').replace(/\/+$/, '')
  return { baseUrl: `${url.origin}${path}` }
}

/** True for `localhost`, 127.0.0.0/8 and ::1, as `URL.hostname` writes them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || /^127(?:\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]'
}

const RESERVED = /[^A-Za-z0-9\-._~]/

/** True when percent-encoding leaves all of these values as they are. */
export function areUnreserved(values: readonly string[]): boolean {
  return !RESERVED.test(values.join(''))
}

/** RFC 3986 percent-encoding of everything but unreserved characters. Unpaired surrogates can't be sent: `usage`. */
export function percentEncode(value: string): string {
  if (!RESERVED.test(value)) return value
  if (!value.isWellFormed()) throw new Failure('usage', 'a value is not valid Unicode and can not be sent')
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function queryHead(criteria: Criteria): string[] {
  return [
    `format=${percentEncode(criteria.format)}`,
    ...(criteria.formatClass === undefined ? [] : [`formatClass=${percentEncode(criteria.formatClass)}`]),
    ...(criteria.supplier === undefined ? [] : [`supplier=${percentEncode(criteria.supplier)}`]),
  ]
}

function queryTail(criteria: Criteria): string[] {
  return [
    ...(criteria.startDate === undefined ? [] : [`startDate=${percentEncode(criteria.startDate)}`]),
    ...(criteria.query ?? []).map(([name, value]) => `${parameterName(name)}=${percentEncode(value)}`),
  ]
}

function partParameter(part: string): string {
  return PART_NAME + percentEncode(part)
}

// Brackets stay plain in names, as the service writes them.
function parameterName(name: string): string {
  return percentEncode(name).replaceAll('%5B', '[').replaceAll('%5D', ']')
}
