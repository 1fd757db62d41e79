import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

/** A certificate with its key, both in PEM. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

export interface Authority extends TestCertificate {
  readonly name: string
  readonly privateKey: KeyObject
}

interface CertificateOptions {
  /** DNS names and IPv4 addresses it is for. */
  readonly names?: readonly string[]
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** Who signs it; itself when absent. */
  readonly authority?: Authority
}

const DAY_MS = 86_400_000

/** A new certificate authority. */
export function createAuthority(name: string): Authority {
  const { privateKey, publicKey } = keyPair()
  const cert = certificate({ subject: name, issuer: name, publicKey, signer: privateKey, isAuthority: true })
  return { name, cert, key: pemKey(privateKey), privateKey }
}

/** A certificate for `names` (127.0.0.1 and localhost unless given), valid today unless given. */
export function createCertificate(options: CertificateOptions = {}): TestCertificate {
  const { names = ['localhost', '127.0.0.1'], authority } = options
  const { privateKey, publicKey } = keyPair()
  const subject = names[0] ?? 'nobody'
  const cert = certificate({
    ...options,
    subject,
    issuer: authority?.name ?? subject,
    publicKey,
    signer: authority?.privateKey ?? privateKey,
    names,
  })
  return { cert, key: pemKey(privateKey) }
}

function keyPair(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function pemKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

// X.509 v3 (RFC 5280 §4.1) in DER, just what a TLS client looks at.
function certificate(options: {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly signer: KeyObject
  readonly names?: readonly string[]
  readonly isAuthority?: boolean
  readonly notBefore?: Date
  readonly notAfter?: Date
}): string {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'))
  const notBefore = options.notBefore ?? new Date(Date.now() - DAY_MS)
  const notAfter = options.notAfter ?? new Date(Date.now() + 30 * DAY_MS)
  const extensions = [
    extension('2.5.29.19', true, sequence(...(options.isAuthority ? [der(0x01, Buffer.from([0xff]))] : []))),
    ...(options.names ? [extension('2.5.29.17', false, sequence(...options.names.map(generalName)))] : []),
  ]
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    algorithm,
    distinguishedName(options.issuer),
    sequence(time(notBefore), time(notAfter)),
    distinguishedName(options.subject),
    options.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = createSign('sha256').update(toBeSigned).sign(options.signer)
  const whole = sequence(toBeSigned, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value))
}

function generalName(name: string): Buffer {
  return /^\d+(?:\.\d+){3}$/.test(name)
    ? der(0x87, Buffer.from(name.split('.').map(Number)))
    : der(0x82, Buffer.from(name))
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(commonName)))))
}

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`))
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest.flatMap(base128)]
  return der(0x06, Buffer.from(bytes))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length =
    content.length < 0x80
      ? [content.length]
      : content.length < 0x100
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
