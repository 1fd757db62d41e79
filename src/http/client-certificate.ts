import type { PeerCertificate } from 'node:tls'
import { type Fault, networkFault } from './fault.ts'

interface Words {
  readonly message: string
  readonly hint: string
  readonly options: readonly string[]
}

const ALERTS =
  /ALERT_(?:(?:BAD_|NO_|UNSUPPORTED_)?CERTIFICATE(?:_REQUIRED|_REVOKED|_EXPIRED|_UNKNOWN)?|UNKNOWN_CA|ACCESS_DENIED|DECRYPT_ERROR)$/

/** The message for a server that requires a client certificate, or rejected it. */
export function clientCertificateWords(server: string, isMissing: boolean): Words {
  return {
    message: `${server}: the server ${isMissing ? 'requires a client certificate' : 'rejected the client certificate'}`,
    hint: isMissing
      ? 'configure the certificate that the provider issued, and its key'
      : 'check that the certificate is the one the provider issued and has not expired',
    options: ['client-cert', 'client-key'],
  }
}

/** The fault behind a TLS alert about our certificate; undefined for any other code. Never retried. */
export function clientCertificateRefusal(
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

/** The client certificate problem in the body of a 400 (nginx and its derivatives), or undefined. */
export function clientCertificateInText(server: string, text: string): Words | undefined {
  if (/no required ssl certificate was sent/i.test(text)) return clientCertificateWords(server, true)
  if (/the ssl certificate error/i.test(text)) return clientCertificateWords(server, false)
  return undefined
}
