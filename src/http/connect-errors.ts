import type { PeerCertificate } from 'node:tls'
import { errors } from 'undici'
import { cleanText } from '../base/clean-text.ts'
import { type FailureKind, systemCode } from '../base/failure.ts'
import { scarceResource } from '../base/resource-limits.ts'
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
  hint: 'raise the limit (ulimit -n), or use fewer connections',
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
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO' || code.startsWith('ERR_TLS_')) {
    return networkFault('never', `${name} does not speak TLS correctly (${cleanText(code, 80)})`, {
      cause,
      hint: 'check the port and the scheme: https: needs a TLS port',
    })
  }
  if (cause instanceof errors.HTTPParserError) {
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
