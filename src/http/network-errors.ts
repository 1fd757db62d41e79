import type { PeerCertificate } from 'node:tls'
import { errors } from 'undici'
import { cleanText } from '../base/clean-text.ts'
import {
  type FailureKind,
  type FailureOptions,
  isFailure,
  scarceResource,
  systemCode,
} from '../base/failure.ts'
import { formatCount, monthNumber } from '../base/units.ts'
import { clientCertificateWords, Fault, networkFault, type RetryRule } from './outcome.ts'
import { authority, type ProxyServer, proxyLabel } from './proxy.ts'
import { readsSystemStore } from './tls.ts'

/** One end of a connection, as messages name it. */
export interface Peer {
  readonly host: string
  readonly port: number
  /** Set when this end is the proxy. */
  readonly proxy?: ProxyServer | undefined
  /** The proxy that the connection leads through. */
  readonly via?: ProxyServer | undefined
  /** The peer's certificate, as far as the handshake got. */
  readonly certificate?: PeerCertificate | undefined
  readonly hasClientCertificate: boolean
}

interface Row {
  readonly retry: RetryRule
  readonly message: string
  readonly hint: string
  readonly kind?: FailureKind
  readonly options?: readonly string[]
  readonly isDns?: true
}

const CHECK_NETWORK = 'check the network, VPN and proxy settings'
const CHECK_DNS = "check this machine's DNS and network"
const UNKNOWN_NAME: Row = {
  retry: 'once',
  message: 'cannot resolve the host name HOST',
  hint: "check the host name, and this machine's DNS",
  isDns: true,
}
const NO_DNS: Row = {
  retry: 'always',
  message: 'cannot resolve the host name HOST at the moment',
  hint: CHECK_DNS,
  isDns: true,
}
const UNREACHABLE: Row = { retry: 'always', message: 'PEER cannot be reached (CODE)', hint: CHECK_NETWORK }
const TOO_MANY_FILES: Row = {
  kind: 'io',
  retry: 'always',
  message: 'too many open files (CODE)',
  hint: 'raise the limit (ulimit -n); a download can use fewer connections',
  options: ['concurrency'],
}

/** System error codes before a request is sent. */
const SYSTEM_ERRORS: Readonly<Record<string, Row>> = {
  ENOTFOUND: UNKNOWN_NAME,
  ENODATA: UNKNOWN_NAME,
  EAI_AGAIN: NO_DNS,
  ESERVFAIL: NO_DNS,
  ETIMEOUT: NO_DNS,
  ECONNREFUSED: {
    retry: 'always',
    message: 'PEER refused the connection',
    hint: 'nothing listens there: check the host and the port',
  },
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENETDOWN: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: {
    retry: 'always',
    message: 'PEER did not respond to the connection attempt',
    hint: CHECK_NETWORK,
  },
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
}

/** Translates an error of opening a connection. */
export function connectError(error: unknown, peer: Peer): Fault {
  if (error instanceof Fault) return error
  const cause = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error
  const code = systemCode(cause) ?? ''
  const name = peer.proxy ? proxyLabel(peer.proxy) : authority(peer.host, peer.port)
  const row = SYSTEM_ERRORS[code]
  if (row) {
    const { kind = 'unavailable', retry, message: template, isDns, ...rest } = row
    const advice = isDns === true ? dnsAdvice(peer, rest.hint) : rest
    const host = `${cleanText(peer.host)}${peer.proxy ? `, a proxy from ${peer.proxy.source}` : ''}`
    const message = template.replace('HOST', host).replace('PEER', name).replace('CODE', code)
    return new Fault(kind, retry, message, { cause, ...advice })
  }
  const scarce = scarceResource(cause)
  if (scarce !== undefined) {
    const { hint = '', details, message } = scarce
    return new Fault('io', 'never', message, { cause, hint, ...details })
  }
  return (
    clientCertificateRefusal(code, name, peer, cause) ??
    certificateError(code, peer, cause) ??
    handshakeError(code, name, peer, cause)
  )
}

/** What to do about a name without an address; in a network with a proxy, often only the proxy can resolve it. */
export function dnsAdvice(
  { proxy }: Pick<Peer, 'proxy'>,
  hint = CHECK_DNS,
): { readonly hint: string; readonly options?: readonly string[] } {
  if (proxy !== undefined) return { hint }
  return { hint: `${hint}; behind a proxy, set HTTPS_PROXY or use the option`, options: ['proxy'] }
}

function handshakeError(code: string, name: string, peer: Peer, cause: unknown): Fault {
  if (/ALERT_HANDSHAKE_FAILURE$/.test(code)) {
    return networkFault('never', `${name} refused the TLS handshake (${code})`, {
      cause,
      hint: 'it has no TLS version or cipher in common with this tool, or requires a client certificate',
      options: ['client-cert', 'client-key'],
    })
  }
  if (/ALERT_PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$/.test(code)) {
    return networkFault('never', `${name} supports only outdated versions of TLS (${code})`, {
      cause,
      hint: 'TLS 1.2 or 1.3 is required; report it to the provider',
    })
  }
  if (/NO_APPLICATION_PROTOCOL$/.test(code)) return http2Only(name, cause)
  if (peer.via !== undefined && /^ERR_SSL_(?:WRONG_VERSION|PACKET|HTTP)/.test(code)) {
    return networkFault(
      'never',
      `${proxyLabel(peer.via)} did not connect to ${name}, but sent a page of its own`,
      {
        cause,
        hint: 'it may require a login in a browser; contact its administrator, or exempt the service with NO_PROXY',
      },
    )
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO' || code.startsWith('ERR_TLS_')) {
    return networkFault('never', `${name} does not speak TLS correctly (${cleanText(code, 80)})`, {
      cause,
      hint: 'check the port and the scheme: https: needs a TLS port',
    })
  }
  if (cause instanceof errors.HTTPParserError) {
    if (isHttp2(cause)) return http2Only(name, cause)
    return networkFault('once', `${name} did not send an HTTP response`, {
      cause,
      hint: `check the ${peer.proxy ? "proxy's host and port" : 'port'}`,
    })
  }
  const isClosed = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code)
  const how = isClosed ? 'closed the connection' : 'failed'
  return networkFault(
    'always',
    `${name} ${how} before a request could be sent${code ? ` (${cleanText(code, 60)})` : ''}`,
    { cause, hint: 'check the network and the proxy settings, or try again later' },
  )
}

function http2Only(name: string, cause: unknown): Fault {
  return networkFault('never', `${name} supports HTTP/2 only`, {
    cause,
    hint: 'HTTP/1.1 is required; check the port, or report it to the provider',
  })
}

/** The first frame of an HTTP/2 server (SETTINGS, or GOAWAY to a request in HTTP/1.1). */
const FIRST_FRAME = /^\0\0[\0-\x7f][\x04\x07][\0\x01]\0/

const TLS_ALERT = /^\x15\x03[\0-\x04]\0\x02/

function isHttp2(error: Error): boolean {
  return FIRST_FRAME.test(unparsed(error))
}

// undici does not declare what the parser had before it.
function unparsed(error: Error): string {
  return String((error as { readonly data?: unknown }).data ?? '')
}

const ALERTS =
  /ALERT_(?:(?:BAD_|NO_|UNSUPPORTED_)?CERTIFICATE(?:_REQUIRED|_REVOKED|_EXPIRED|_UNKNOWN)?|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR)$/

/** The fault behind a TLS alert about our certificate; undefined for any other code. Never retried. */
function clientCertificateRefusal(
  code: string,
  server: string,
  peer: { readonly certificate?: PeerCertificate | undefined; readonly hasClientCertificate: boolean },
  cause: unknown,
): Fault | undefined {
  // TLS 1.2 reports a missing certificate as a handshake failure, after the server sent its own.
  const isTls12 = /ALERT_HANDSHAKE_FAILURE$/.test(code) && peer.certificate !== undefined
  if (!ALERTS.test(code) && !isTls12) return undefined
  const { message, ...advice } = clientCertificateWords(server, !peer.hasClientCertificate)
  return networkFault('never', message, { cause, ...advice })
}

interface Handshake {
  readonly host: string
  /** The server's certificate, as far as the handshake got. */
  readonly certificate?: PeerCertificate | undefined
}

const OTHER_CODES =
  /^(?:CERT_|UNABLE_TO_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH|EE_KEY|CA_|ERROR_IN_CERT|CRL_)/
const TRUST = {
  hint: readsSystemStore()
    ? 'if a company proxy or a private authority issued it, add its certificate'
    : 'this version of Node does not read the certificate store of the system: add that of the authority with NODE_EXTRA_CA_CERTS or the option, or use Node 22.15 or newer',
  options: ['ca-file'],
}

/** The fault for OpenSSL's code of a rejected certificate; undefined for any other code. Never retried. */
function certificateError(code: string, { host, certificate }: Handshake, cause: unknown): Fault | undefined {
  const refuse = (message: string, advice: { hint: string; options?: readonly string[] }): Fault =>
    networkFault('never', `the certificate of ${host} ${message}`, { cause, ...advice })
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return refuse(`expired${dated(' on ', certificate?.valid_to)}`, {
        hint: `if the date of this machine, ${today()}, is correct, the service must renew its certificate`,
      })
    case 'CERT_NOT_YET_VALID':
      return refuse(`is not valid yet${dated(', only from ', certificate?.valid_from)}`, {
        hint: `check the date of this machine: ${today()}`,
      })
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return refuse('is self-signed', TRUST)
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return refuse(`has an unknown issuer${issuer(certificate)}: its chain ends self-signed`, TRUST)
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return refuse(`has an unknown issuer${issuer(certificate)}`, TRUST)
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return refuse(`is for another host: ${names(certificate)}`, {
        hint: 'check the host name in the URL; a proxy in between may intercept the connection',
      })
    case 'CERT_REVOKED':
      return refuse('has been revoked', { hint: 'report it to the provider' })
    default:
      return OTHER_CODES.test(code) ? refuse(`was refused (${code})`, TRUST) : undefined
  }
}

/** `2021-01-01` of OpenSSL's `Jan  1 00:00:00 2021 GMT`, or undefined. */
export function certificateDay(text: string | undefined): string | undefined {
  const match = /^([A-Z][a-z]{2})\s+(\d{1,2}) [\d:]+ (\d{4}) GMT$/.exec(text ?? '')
  const month = monthNumber(match?.[1] ?? '')
  if (!match || month === undefined) return undefined
  return `${match[3]}-${String(month).padStart(2, '0')}-${match[2]!.padStart(2, '0')}`
}

function names(certificate: PeerCertificate | undefined): string {
  const listed = (certificate?.subjectaltname ?? '')
    .split(/,\s*/)
    .map((name) => name.replace(/^(?:DNS|IP Address):/, ''))
    .filter((name) => name !== '')
  const all = listed.length > 0 ? listed : [String(certificate?.subject?.CN ?? 'no name')]
  const more = all.length > 5 ? ` and ${all.length - 5} more` : ''
  return cleanText(`${all.slice(0, 5).join(', ')}${more}`)
}

function issuer(certificate: PeerCertificate | undefined): string {
  const name = certificate?.issuer?.CN ?? certificate?.issuer?.O
  return name === undefined ? '' : ` ("${cleanText(String(name), 100)}")`
}

function dated(before: string, openSslDate: string | undefined): string {
  const day = certificateDay(openSslDate)
  return day === undefined ? '' : `${before}${day}`
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** The state of a response when it failed. */
interface Transfer extends Peer {
  /** The host, with its port unless it is the scheme's default. */
  readonly name: string
  readonly received: number
  readonly total: number | undefined
  readonly isChunked: boolean
  /** True without TLS. */
  readonly isPlain: boolean
  /** True after the head of the response. */
  readonly isStarted: boolean
  /** True when the server had closed a kept connection before it got the request. */
  readonly isStale: boolean
  /** Of a response whose headers could not be read. */
  readonly status: number | undefined
  /** The server closed the connection. */
  readonly isClosed: boolean
}

const CHECK_ADDRESS = { hint: 'check the service URL', options: ['base-url'] }

/** Translates an error between sending a request and the last byte of its response; unknown ones are returned unchanged. */
export function transferError(error: unknown, transfer: Transfer): unknown {
  if (isFailure(error)) return error
  const { name, isStarted } = transfer
  const code = systemCode(error) ?? ''
  if (error instanceof errors.HTTPParserError) return invalidHttp(error, transfer)
  switch (code) {
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return isStarted
        ? cutShort('the connection closed early', error, transfer)
        : invalidHead(error, transfer)
    case 'UND_ERR_HEADERS_OVERFLOW':
      return networkFault('never', `the response headers of ${name} are too large (over 16 KiB)`, {
        cause: error,
        ...CHECK_ADDRESS,
      })
    case 'UND_ERR_SOCKET':
      return socketError(error, transfer)
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return isStarted
        ? cutShort('the connection was reset', error, transfer)
        : noResponse('reset', error, transfer)
    // undici asserts that a status is at least 100.
    case 'ERR_ASSERTION':
      return new InvalidHead('once', `${name} did not send a valid HTTP response`, undefined, {
        cause: error,
        ...CHECK_ADDRESS,
      })
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return networkFault('always', `the connection to ${name} was lost${progress(transfer)} (${code})`, {
        cause: error,
        hint: 'check the network, then run the command again',
      })
    default:
      return code === '' || code.startsWith('UND_ERR_INVALID') ? error : connectError(error, transfer)
  }
}

// undici has one code for all of these; only the text differs.
function socketError(error: unknown, transfer: Transfer): Fault {
  const text = error instanceof Error ? error.message : ''
  const { name } = transfer
  if (text === 'bad upgrade') {
    return networkFault('never', `${name} switched protocols without a request to do so (status 101)`, {
      cause: error,
      ...CHECK_ADDRESS,
    })
  }
  if (text === 'bad response') {
    return networkFault('once', `${name} sent an unexpected response (such as 100 Continue)`, {
      cause: error,
      ...CHECK_ADDRESS,
    })
  }
  return transfer.isStarted
    ? cutShort(howClosed(transfer), error, transfer)
    : noResponse('closed', error, transfer)
}

// The parser's reason is only in the message, in brackets at the end.
function invalidHttp(error: Error, transfer: Transfer): Fault {
  const { name } = transfer
  const reason = cleanText(/\(([^()]*)\)$/.exec(error.message)?.[1] ?? 'unreadable', 100)
  if (/EOF/.test(reason)) {
    return transfer.isStarted
      ? cutShort(howClosed(transfer), error, transfer)
      : noResponse('closed', error, transfer)
  }
  if (transfer.isStarted) {
    return networkFault('twice', `${name} sent invalid HTTP in the body: ${reason}${progress(transfer)}`, {
      cause: error,
      hint: 'something between here and the service damages the transfer',
    })
  }
  if (/content-length/i.test(reason)) return invalidHead(error, transfer)
  if (isHttp2(error)) return http2Only(name, error)
  if (transfer.isPlain && TLS_ALERT.test(unparsed(error))) {
    const hint = 'write the service URL with https:, or check the port'
    return networkFault('never', `${name} expects TLS`, { cause: error, hint, options: ['base-url'] })
  }
  const rule = /^Expected HTTP/.test(reason) ? 'once' : 'never'
  return new InvalidHead(rule, `${name} did not send a valid HTTP response: ${reason}`, transfer.status, {
    cause: error,
    hint: 'check the port, the scheme (https:) and the proxy settings',
  })
}

/** The headers of a response cannot be read; its status, where that much is known, still says what it means. */
export class InvalidHead extends Fault {
  readonly status: number | undefined

  constructor(retry: RetryRule, message: string, status: number | undefined, options: FailureOptions) {
    super('unavailable', retry, message, options)
    this.status = status
  }
}

// undici names the length for anything that is wrong with the headers after Content-Length.
function invalidHead(cause: unknown, transfer: Transfer): Fault {
  const { name, status, isClosed } = transfer
  if (isClosed) return noResponse('closed', cause, transfer)
  const of = status === undefined ? '' : ` of a response with status ${status}`
  return new InvalidHead('twice', `${name} sent invalid HTTP in the headers${of}`, status, {
    cause,
    hint: 'something between here and the service damages the response; report it to the provider',
  })
}

function cutShort(how: string, cause: unknown, transfer: Transfer): Fault {
  return networkFault(
    'always',
    `the transfer from ${transfer.name} was cut short: ${how}${progress(transfer)}`,
    {
      cause,
      again: {},
      fewerParts: true,
    },
  )
}

function noResponse(how: 'closed' | 'reset', cause: unknown, transfer: Transfer): Fault {
  const { name, isStale, isPlain, hasClientCertificate } = transfer
  const more = isPlain ? ', expect https:,' : hasClientCertificate ? ', refuse the client certificate,' : ','
  return networkFault('always', `${name} ${how} the connection without a response`, {
    cause,
    isStale,
    hint: `the service may be overloaded${more} or accept HTTP/2 only; try again later`,
  })
}

function howClosed({ isChunked }: Transfer): string {
  return isChunked ? 'the transfer ended before the last chunk' : 'the connection closed early'
}

function progress({ received, total }: Transfer): string {
  const of = total === undefined ? '' : ` of ${formatCount(total)}`
  return ` after ${formatCount(received)}${of} bytes`
}
