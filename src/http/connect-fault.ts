import { isIP } from 'node:net'
import type { PeerCertificate } from 'node:tls'
import { cleanText } from '../base/clean-text.ts'
import { systemCode } from '../base/failure.ts'
import { certificateDay } from './certificate-date.ts'
import { Fault, networkFault } from './fault.ts'
import type { ProxyServer } from './proxy.ts'

/** The end of a connection that failed. */
export interface Endpoint {
  readonly host: string
  readonly port: number
  /** True when this end is the proxy itself. */
  readonly isProxy?: boolean
  readonly proxy?: ProxyServer | undefined
  /** What the other side showed before it was refused. */
  readonly certificate?: PeerCertificate | undefined
}

/** What went wrong before a request could be sent, in words, with what to do about it. */
export function connectFault(error: unknown, endpoint: Endpoint): Fault {
  if (error instanceof Fault) return error
  const first = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error
  const code = systemCode(first) ?? ''
  const place = `${endpoint.isProxy ? 'the proxy ' : ''}${authority(endpoint.host, endpoint.port)}`
  return (
    addressFault(code, place, endpoint, first) ??
    certificateFault(code, endpoint, first) ??
    handshakeFault(code, place, endpoint, first)
  )
}

/** What a proxy's refusal of a tunnel means. */
export function proxyAnswerFault(status: number, proxy: ProxyServer): Fault {
  const place = authority(proxy.hostname, proxy.port)
  if (status === 407) {
    return new Fault('auth', 'never', `the proxy ${place} wants a login (status 407)`, {
      httpStatus: 407,
      hint: `give it in ${proxy.source}: http://USER:PASSWORD@${place}`,
    })
  }
  const passing = status === 408 || status === 429 || status === 502 || status === 503 || status === 504
  return networkFault(
    passing ? 'always' : 'never',
    `the proxy ${place} refused to connect (status ${status})`,
    {
      httpStatus: status,
      hint: passing ? 'try again later' : `ask who runs the proxy, or exempt the service with NO_PROXY`,
    },
  )
}

function addressFault(code: string, place: string, endpoint: Endpoint, cause: unknown): Fault | undefined {
  const whose = endpoint.isProxy ? `the proxy's address (${endpoint.proxy?.source})` : 'the address'
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return networkFault('once', `can not resolve the host name ${cleanText(endpoint.host)}`, {
        cause,
        hint: `check ${whose}, and this machine's DNS`,
      })
    case 'EAI_AGAIN':
    case 'ESERVFAIL':
    case 'ETIMEOUT':
      return networkFault(
        'always',
        `can not resolve the host name ${cleanText(endpoint.host)} at the moment`,
        {
          cause,
          hint: "check this machine's DNS and network",
        },
      )
    case 'ECONNREFUSED':
      return networkFault('always', `${place} refused the connection`, {
        cause,
        hint: `nothing listens there: check ${whose} and its port`,
      })
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
      return networkFault('always', `${place} can not be reached (${code})`, {
        cause,
        hint: 'check the network, VPN and proxy settings',
      })
    case 'ETIMEDOUT':
      return networkFault('always', `${place} did not answer the connection attempt`, {
        cause,
        hint: 'check the network, VPN and proxy settings',
      })
    case 'EMFILE':
    case 'ENFILE':
      return new Fault('io', 'always', `too many open files (${code})`, {
        cause,
        hint: 'raise the limit (ulimit -n) or lower --concurrency',
      })
    default:
      return undefined
  }
}

const OTHER_AUTHORITY =
  'if a company proxy or private authority is in between, name its certificate with --ca-file'

function certificateFault(code: string, endpoint: Endpoint, cause: unknown): Fault | undefined {
  const { host, certificate } = endpoint
  const refuse = (message: string, hint: string): Fault =>
    networkFault('never', `the certificate of ${host} ${message}`, { cause, hint })
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return refuse(
        `expired${dated(certificate?.valid_to)}`,
        `this machine's clock says ${today()}; if that is right, the service must renew its certificate`,
      )
    case 'CERT_NOT_YET_VALID':
      return refuse(
        `is not valid yet${dated(certificate?.valid_from, ', only from')}`,
        `this machine's clock says ${today()}; check it`,
      )
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return refuse('is self-signed', OTHER_AUTHORITY)
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return refuse(
        `comes from an unknown authority${issuer(certificate)}, self-signed at the end of its chain`,
        OTHER_AUTHORITY,
      )
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return refuse(`comes from an unknown authority${issuer(certificate)}`, OTHER_AUTHORITY)
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return refuse(
        `is for another host: ${names(certificate)}`,
        'check the address; something in between may answer for the service',
      )
    case 'CERT_REVOKED':
      return refuse('has been revoked', 'tell the provider')
    default:
      return /^(?:CERT_|UNABLE_TO_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH|EE_KEY|CA_|ERROR_IN_CERT|CRL_)/.test(
        code,
      )
        ? refuse(`was refused (${code})`, OTHER_AUTHORITY)
        : undefined
  }
}

function handshakeFault(code: string, place: string, endpoint: Endpoint, cause: unknown): Fault {
  const text = cause instanceof Error ? cause.message : String(cause)
  if (
    /ALERT_CERTIFICATE_REQUIRED|ALERT_HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED|alert bad certificate/i.test(
      `${code} ${text}`,
    )
  ) {
    return networkFault('never', `${place} refused the TLS handshake (${cleanText(code, 80)})`, {
      cause,
      hint: 'it may want a client certificate: --client-cert and --client-key',
    })
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO' || code.startsWith('ERR_TLS_')) {
    return networkFault('never', `${place} does not speak TLS as it should (${cleanText(code, 80)})`, {
      cause,
      hint: 'wrong port or scheme? https: needs a port that speaks TLS',
    })
  }
  if (code.startsWith('HPE_')) {
    return networkFault('once', `${place} did not give an HTTP answer`, {
      cause,
      hint: endpoint.isProxy
        ? `check the proxy's address and port (${endpoint.proxy?.source})`
        : 'check the port',
    })
  }
  const how = code === 'ECONNRESET' || code === 'EPIPE' ? 'closed the connection' : 'failed'
  return networkFault(
    'always',
    `${place} ${how} before a request could be sent${code ? ` (${cleanText(code, 60)})` : ''}`,
    {
      cause,
      hint: 'check the network and the proxy settings; it may pass',
    },
  )
}

function names(certificate: PeerCertificate | undefined): string {
  const listed = (certificate?.subjectaltname ?? '')
    .split(/,\s*/)
    .map((name) => name.replace(/^(?:DNS|IP Address):/, ''))
    .filter((name) => name !== '')
  const all = listed.length > 0 ? listed : [String(certificate?.subject?.CN ?? 'no name at all')]
  const more = all.length > 5 ? ` and ${all.length - 5} more` : ''
  return cleanText(`${all.slice(0, 5).join(', ')}${more}`)
}

function issuer(certificate: PeerCertificate | undefined): string {
  const name = certificate?.issuer?.CN ?? certificate?.issuer?.O
  return name === undefined ? '' : ` ("${cleanText(String(name), 100)}")`
}

function dated(openSslDate: string | undefined, before = ' on'): string {
  const day = certificateDay(openSslDate)
  return day === undefined ? '' : `${before} ${day}`
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

/** Host and port as an address has them: an IPv6 address in brackets. */
export function authority(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
