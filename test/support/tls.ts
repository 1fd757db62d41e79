import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

/** A certificate with its key, both in PEM. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

export interface Authority extends TestCertificate {
  readonly name: string
  readonly privateKey: webcrypto.CryptoKey
}

interface CertificateOptions {
  /** The DNS names and IPv4 addresses of its subject. */
  readonly names?: readonly string[]
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** The issuer; self-signed without one. */
  readonly authority?: Authority
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

/** A new certificate authority. */
export async function createAuthority(name: string): Promise<Authority> {
  const keys = await createKeys()
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity({}),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  })
  return { name, cert: `${cert.toString('pem')}\n`, key: await pemKey(keys), privateKey: keys.privateKey }
}

/** A certificate for `names` (127.0.0.1 and localhost unless given), valid today unless given. */
export async function createCertificate(options: CertificateOptions = {}): Promise<TestCertificate> {
  const { names = ['localhost', '127.0.0.1'], authority } = options
  const keys = await createKeys()
  const subject = names[0] ?? 'nobody'
  const alternatives = names.map((value) => new x509.GeneralName(isAddress(value) ? 'ip' : 'dns', value))
  const cert = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [subject] }],
    issuer: [{ CN: [authority?.name ?? subject] }],
    publicKey: keys.publicKey,
    signingKey: authority?.privateKey ?? keys.privateKey,
    signingAlgorithm: ALGORITHM,
    ...validity(options),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(alternatives)]),
    ],
  })
  return { cert: `${cert.toString('pem')}\n`, key: await pemKey(keys) }
}

function validity({ notBefore, notAfter }: CertificateOptions): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: notBefore ?? new Date(Date.now() - DAY_MS),
    notAfter: notAfter ?? new Date(Date.now() + 30 * DAY_MS),
  }
}

function createKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

async function pemKey({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  return `${x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')}\n`
}

function isAddress(name: string): boolean {
  return /^\d+(?:\.\d+){3}$/.test(name)
}
