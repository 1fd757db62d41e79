import type { PeerCertificate } from 'node:tls'
import { errors } from 'undici'
import { cleanText } from '../base/clean-text.ts'
import { type FailureKind, isFailure, systemCode } from '../base/failure.ts'
import { formatCount } from '../base/units.ts'
import { certificateError } from './certificate-errors.ts'
import { clientCertificateRefusal } from './client-certificate.ts'
import { Fault, networkFault } from './fault.ts'
import { authority, type ProxyServer, proxyLabel } from './proxy.ts'
import type { RetryRule } from './retry.ts'

/** One end of a connection, as messages name it. */
export interface Peer {
  readonly host: string
  readonly port: number
  /** Set when this end is the proxy. */
  readonly proxy?: ProxyServer | undefined
  /** What the peer presented, as far as the handshake got. */
  readonly certificate?: PeerCertificate | undefined
  readonly hasClientCertificate: boolean
}

/** How far a response had come when it failed. */
export interface Transfer extends Peer {
  /** The host, with its port where that is not the scheme's own. */
  readonly name: string
  readonly received: number
  readonly total: number | undefined
  readonly isChunked: boolean
  /** True once the head of the response was there. */
  readonly isStarted: boolean
  /** True on a connection that had served another request before. */
  readonly isReused: boolean
}

interface Row {
  readonly retry: RetryRule
  readonly says: string
  readonly hint: string
  readonly kind?: FailureKind
  readonly options?: readonly string[]
}

const CHECK_NETWORK = 'check the network, VPN and proxy settings'
const CHECK_ADDRESS = { hint: 'check the address', options: ['base-url'] }
const UNKNOWN_NAME: Row = {
  retry: 'once',
  says: 'cannot resolve the host name HOST',
  hint: "check the address, and this machine's DNS",
}
const NO_DNS: Row = {
  retry: 'always',
  says: 'cannot resolve the host name HOST at the moment',
  hint: "check this machine's DNS and network",
}
const UNREACHABLE: Row = { retry: 'always', says: 'PEER cannot be reached (CODE)', hint: CHECK_NETWORK }
const TOO_MANY_FILES: Row = {
  kind: 'io',
  retry: 'always',
  says: 'too many open files (CODE)',
  hint: 'raise the limit (ulimit -n), or send fewer requests at once',
  options: ['concurrency'],
}

/** What the codes of the system mean before a request could be sent. */
const SYSTEM_ERRORS: Readonly<Record<string, Row>> = {
  ENOTFOUND: UNKNOWN_NAME,
  ENODATA: UNKNOWN_NAME,
  EAI_AGAIN: NO_DNS,
  ESERVFAIL: NO_DNS,
  ETIMEOUT: NO_DNS,
  ECONNREFUSED: {
    retry: 'always',
    says: 'PEER refused the connection',
    hint: 'nothing listens there: check the address and its port',
  },
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENETDOWN: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: { retry: 'always', says: 'PEER did not answer the connection attempt', hint: CHECK_NETWORK },
  EMFILE: TOO_MANY_FILES,
  ENFILE: TOO_MANY_FILES,
}

/** What went wrong before a request could be sent. */
export function connectError(error: unknown, peer: Peer): Fault {
  if (error instanceof Fault) return error
  const cause = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error
  const code = systemCode(cause) ?? ''
  const name = peer.proxy ? proxyLabel(peer.proxy) : authority(peer.host, peer.port)
  const row = SYSTEM_ERRORS[code]
  if (row) {
    const { kind = 'unavailable', retry, says, ...advice } = row
    const host = `${cleanText(peer.host)}${peer.proxy ? `, a proxy from ${peer.proxy.source}` : ''}`
    const message = says.replace('HOST', host).replace('PEER', name).replace('CODE', code)
    return new Fault(kind, retry, message, { cause, ...advice })
  }
  return (
    clientCertificateRefusal(code, name, peer, cause) ??
    certificateError(code, peer, cause) ??
    handshakeError(code, name, peer, cause)
  )
}

/** What went wrong between sending a request and the last byte of its response; what no table knows comes back as it is. */
export function transferError(error: unknown, transfer: Transfer): unknown {
  if (isFailure(error)) return error
  const { name, isStarted } = transfer
  const code = systemCode(error) ?? ''
  if (error instanceof errors.HTTPParserError) return invalidHttp(error, transfer)
  switch (code) {
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return isStarted
        ? cutShort('the connection closed early', error, transfer)
        : invalidLength(error, transfer)
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
        : noAnswer('reset', error, transfer)
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return networkFault('always', `the connection to ${name} was lost${progress(transfer)} (${code})`, {
        cause: error,
        hint: 'check the network, then run the command again to resume',
      })
    default:
      return code === '' || code.startsWith('UND_ERR_INVALID') ? error : connectError(error, transfer)
  }
}

function handshakeError(code: string, name: string, peer: Peer, cause: unknown): Fault {
  if (/ALERT_HANDSHAKE_FAILURE$/.test(code)) {
    return networkFault('never', `${name} refused the TLS handshake (${code})`, {
      cause,
      hint: 'it shares no TLS version or cipher with this tool, or wants a client certificate',
      options: ['client-cert', 'client-key'],
    })
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO' || code.startsWith('ERR_TLS_')) {
    return networkFault('never', `${name} does not speak TLS correctly (${cleanText(code, 80)})`, {
      cause,
      hint: 'wrong port or scheme? https: needs a port that speaks TLS',
    })
  }
  if (cause instanceof errors.HTTPParserError) {
    return networkFault('once', `${name} did not give an HTTP response`, {
      cause,
      hint: `check the ${peer.proxy ? "proxy's address and port" : 'port'}`,
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

// undici has one code for all of these: only the text differs.
function socketError(error: unknown, transfer: Transfer): Fault {
  const text = error instanceof Error ? error.message : ''
  const { name } = transfer
  if (text === 'bad upgrade') {
    return networkFault('never', `${name} switched protocols although not asked (status 101)`, {
      cause: error,
      ...CHECK_ADDRESS,
    })
  }
  if (text === 'bad response') {
    return networkFault('once', `${name} sent a response that was not asked for (such as 100 Continue)`, {
      cause: error,
      ...CHECK_ADDRESS,
    })
  }
  return transfer.isStarted
    ? cutShort(howClosed(transfer), error, transfer)
    : noAnswer('closed', error, transfer)
}

// The parser gives its reason only in words, in brackets at the end.
function invalidHttp(error: Error, transfer: Transfer): Fault {
  const { name } = transfer
  const reason = cleanText(/\(([^()]*)\)$/.exec(error.message)?.[1] ?? 'unreadable', 100)
  if (/EOF/.test(reason)) {
    return transfer.isStarted
      ? cutShort(howClosed(transfer), error, transfer)
      : noAnswer('closed', error, transfer)
  }
  if (transfer.isStarted) {
    return networkFault('twice', `${name} sent invalid HTTP in the body: ${reason}${progress(transfer)}`, {
      cause: error,
      hint: 'something between here and the service damages the transfer',
    })
  }
  if (/content-length/i.test(reason)) return invalidLength(error, transfer)
  return networkFault(
    /^Expected HTTP/.test(reason) ? 'once' : 'never',
    `${name} did not give a valid HTTP response: ${reason}`,
    { cause: error, hint: 'wrong port, wrong scheme (https:?) or a proxy in between?' },
  )
}

function invalidLength(cause: unknown, { name }: Transfer): Fault {
  return networkFault('twice', `${name} sent invalid HTTP (Content-Length)`, {
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
      hint: 'run the command again; if it persists, ask for fewer parts at once',
      options: ['batch-size'],
    },
  )
}

function noAnswer(how: 'closed' | 'reset', cause: unknown, transfer: Transfer): Fault {
  const { name, isReused, hasClientCertificate } = transfer
  return networkFault('always', `${name} ${how} the connection without a response`, {
    cause,
    isStale: isReused,
    hint: hasClientCertificate
      ? 'the service may be overloaded, or refuse the client certificate; try again later'
      : 'the service may be overloaded; try again later',
  })
}

function howClosed({ isChunked }: Transfer): string {
  return isChunked ? 'the transfer ended before the last chunk' : 'the connection closed early'
}

function progress({ received, total }: Transfer): string {
  const of = total === undefined ? '' : ` of ${formatCount(total)}`
  return ` after ${formatCount(received)}${of} bytes`
}
