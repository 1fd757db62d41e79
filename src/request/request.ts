import { Failure } from '../base/failure.ts'
import type { Criteria } from './criteria.ts'

export type { Criteria }

/** One HTTP request without its bearer token. A v1 body contains the API key: treat it as a secret. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * The v2 download URL for these parts: parameters in the order of the interface document, `partNumbers[]` with plain
 * brackets, values percent-encoded by RFC 3986 (a space is `%20`). `baseUrl` comes from `parseBaseUrl`.
 */
export function downloadUrl(baseUrl: string, criteria: Criteria, parts: readonly string[]): string {
  const { format, formatClass, supplier, startDate, query = [] } = criteria
  const parameters = [
    parameter('format', format),
    parameter('formatClass', formatClass),
    parameter('supplier', supplier),
    parts.map(partParameter).join('&'),
    parameter('startDate', startDate),
    ...query.map(([name, value]) => parameter(parameterName(name), value)),
  ]
  return `${baseUrl}/v2/download?${parameters.filter((text) => text !== '').join('&')}`
}

/** Bytes of the URL without parts; each part adds exactly `partParameterBytes`. */
export function emptyUrlBytes(baseUrl: string, criteria: Criteria): number {
  return Buffer.byteLength(downloadUrl(baseUrl, criteria, []))
}

/** Bytes that a part adds to the URL, including its `&`. */
export function partParameterBytes(part: string): number {
  return 1 + PART_PARAMETER.length + percentEncode(part).length
}

/** The request for these parts. v1 needs the API key in its body. */
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

/** The URL of the request for these parts; in v1 it is always the same. */
export function requestUrl(baseUrl: string, criteria: Criteria, parts: readonly string[]): string {
  return criteria.api === 'v2' ? downloadUrl(baseUrl, criteria, parts) : `${baseUrl}/api/download`
}

/** The v1 JSON payload: all values are strings, parts comma-separated, each in double quotes. */
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
 * The base URL without its version: a trailing `/`, `/v2` or `/v2/` is dropped. Returns a reason when it is invalid: not
 * http(s), http except on localhost, user information, a query or a fragment.
 */
export function parseBaseUrl(text: string): { readonly baseUrl: string } | { readonly reason: string } {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return { reason: 'it is not an absolute URL such as https://api.example.com' }
  }
  if (url.username !== '' || url.password !== '') return { reason: 'it contains a user name or password' }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return { reason: 'it is neither https: nor http:' }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return { reason: 'http: would send the token unencrypted; use https: except on localhost' }
  }
  if (url.port === '0') return { reason: 'port 0 cannot be connected to' }
  if (url.search !== '' || url.hash !== '' || text.includes('?') || text.includes('#')) {
    return { reason: 'it has a query or a fragment' }
  }
  // What was pasted may be the address of an operation.
  const path = url.pathname
    .replace(/\/+$/, '')
    .replace(/\/v2(?:\/(?:download|ping|quota))?$/, '')
    .replace(/\/+$/, '')
  return { baseUrl: `${url.origin}${path}` }
}

/** True for `localhost`, 127.0.0.0/8 and ::1, as `URL.hostname` writes them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || /^127(?:\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]'
}

const RESERVED = /[^A-Za-z0-9\-._~]/

/** Percent-encodes all but unreserved characters (RFC 3986). Throws `usage` for unpaired surrogates. */
export function percentEncode(value: string): string {
  if (!RESERVED.test(value)) return value
  if (!value.isWellFormed()) throw new Failure('usage', 'a value is not valid Unicode and cannot be sent')
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function parameter(name: string, value: string | undefined): string {
  return value === undefined ? '' : `${name}=${percentEncode(value)}`
}

const PART_PARAMETER = 'partNumbers[]='

function partParameter(part: string): string {
  return PART_PARAMETER + percentEncode(part)
}

// Brackets stay plain in names, as the service writes them.
function parameterName(name: string): string {
  return percentEncode(name).replaceAll('%5B', '[').replaceAll('%5D', ']')
}
