import type { PeerCertificate } from 'node:tls'
import { cleanText } from '../base/clean-text.ts'
import { readsSystemStore } from './authorities.ts'
import { type Fault, networkFault } from './fault.ts'

interface Handshake {
  readonly host: string
  /** The server's certificate, as far as the handshake got. */
  readonly certificate?: PeerCertificate | undefined
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const OTHER_CODES =
  /^(?:CERT_|UNABLE_TO_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH|EE_KEY|CA_|ERROR_IN_CERT|CRL_)/
const TRUST = {
  hint: readsSystemStore()
    ? 'if a company proxy or a private authority issued it, add its certificate'
    : 'this version of Node does not read the certificates of Windows: add that of the authority with NODE_EXTRA_CA_CERTS or the option, or use Node 22.15 or newer',
  options: ['ca-file'],
}

/** The fault for OpenSSL's code of a rejected certificate; undefined for any other code. Never retried. */
export function certificateError(
  code: string,
  { host, certificate }: Handshake,
  cause: unknown,
): Fault | undefined {
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
  const month = match ? MONTHS.indexOf(match[1]!) : -1
  if (!match || month < 0) return undefined
  return `${match[3]}-${String(month + 1).padStart(2, '0')}-${match[2]!.padStart(2, '0')}`
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
