import * as tls from 'node:tls'
import { Failure, systemCode } from '../base/failure.ts'
import type { Notice } from '../base/notice.ts'
import { shellQuote } from '../base/shell-words.ts'
import type { World } from '../base/world.ts'
import { unreadableInput } from '../fs/disk-failure.ts'
import { type InputWorld, readInputFile, readSmallFile } from '../fs/input-file.ts'

/** Throws `config` when the environment turns off TLS checks, which protect the token. */
export function refuseDisabledChecks(env: World['env']): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return
  throw new Failure(
    'config',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off TLS checks; nothing is sent without them',
    { hint: 'unset it; add the certificate of a private authority', options: ['ca-file'] },
  )
}

/** The context of all TLS connections. Certificates and keys that are unreadable or do not match are `config`. */
export async function loadSecureContext(
  world: TlsWorld,
  files: TlsFiles,
  warn: (notice: Notice) => void = () => undefined,
): Promise<tls.SecureContext> {
  const identity = await readTlsIdentity(world, files, warn)
  try {
    return tls.createSecureContext(identity)
  } catch (cause) {
    const { pfx, key, passphrase } = identity
    throw unusableIdentity(cause, pfx !== undefined || isEncrypted(key), passphrase !== undefined)
  }
}

function unusableIdentity(cause: unknown, isKeyEncrypted: boolean, hasPassword: boolean): Failure {
  const text = cause instanceof Error ? `${systemCode(cause) ?? ''} ${cause.message}` : ''
  const options = ['client-cert', 'client-key', 'client-key-password-file']
  // OpenSSL 3 does not read outdated ciphers.
  if (/unsupported/i.test(text)) {
    return new Failure('config', 'the client certificate or its key is encrypted in an outdated way', {
      cause,
      hint: 'convert it: openssl pkcs12 -legacy -in OLD.p12 -nodes -out NEW.pem; protect the new file',
      options,
    })
  }
  if (isKeyEncrypted && !hasPassword) {
    return new Failure('config', 'the key of the client certificate is encrypted, and there is no password', {
      cause,
      hint: 'write the password into a file that only you can read, and name it',
      options: ['client-key-password-file'],
    })
  }
  if (
    isKeyEncrypted &&
    /mac verify|bad decrypt|bad_decrypt|bad password|wrong password|passphrase/i.test(text)
  ) {
    return new Failure('config', 'the password of the client key is wrong', {
      cause,
      hint: 'check the first line of the password file',
      options: ['client-key-password-file'],
    })
  }
  return new Failure('config', 'the certificates or the key cannot be used', {
    cause,
    hint: 'use PEM files or PKCS#12 (.p12, .pfx), and a key that matches the certificate',
    options: ['ca-file', ...options],
  })
}

type TlsWorld = InputWorld & Pick<World, 'env' | 'host'>

/** The trusted authorities, and the client certificate with its key: two PEM texts, or a PKCS#12 file. `passphrase` is a secret. */
interface TlsIdentity extends tls.SecureContextOptions {
  readonly ca: string[] | undefined
  readonly cert: Buffer | undefined
  readonly key: Buffer | undefined
  readonly pfx: Buffer | undefined
  readonly passphrase: string | undefined
}

/** Paths from settings. */
export interface TlsFiles {
  readonly caFile?: string | undefined
  readonly clientCert?: string | undefined
  readonly clientKey?: string | undefined
  readonly clientKeyPasswordFile?: string | undefined
}

const NAMES = {
  'ca-file': 'the CA file',
  'client-cert': 'the client certificate',
  'client-key': 'the client key',
  'client-key-password-file': 'the password file',
}

/** The bundles of systems have less than 1 MiB. */
const LARGEST_BYTES = 16 * 1024 * 1024

// The bundles of common systems; the first that exists is used. Never on Windows, where anybody can create a directory \\etc.
const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/**
 * Reads the certificates of settings and environment. Authorities are added up: Node's own, the system's (a bundle, and the store of Windows or
 * macOS, where Node can read it), `SSL_CERT_FILE`, `NODE_EXTRA_CA_CERTS` and the CA file. A missing file of a variable is skipped, as
 * by Node; a missing file of a setting is `config`.
 */
export async function readTlsIdentity(
  world: TlsWorld,
  files: TlsFiles,
  warn: (notice: Notice) => void = () => undefined,
): Promise<TlsIdentity> {
  const { caFile, clientCert, clientKey, clientKeyPasswordFile } = files
  if (clientKey !== undefined && clientCert === undefined) {
    throw new Failure('config', 'there is a client key without a client certificate', {
      hint: 'name the certificate of the key too',
      options: ['client-cert', 'client-key'],
    })
  }
  const [own, fromEnv, system, certificate, passphrase] = await Promise.all([
    readSetting(world, caFile, 'ca-file'),
    Promise.all(
      [world.env.NODE_EXTRA_CA_CERTS, world.env.SSL_CERT_FILE].map((path) => readQuietly(world, path)),
    ),
    readSystem(world),
    readSetting(world, clientCert, 'client-cert'),
    readPassword(world, clientKeyPasswordFile, warn),
  ])
  if (own !== undefined) requirePem(own, caFile!, 'ca-file', /CERTIFICATE-----/)
  const extra = [own?.toString('latin1'), ...fromEnv, ...system].filter((pem) => pem !== undefined)
  const ca = extra.length === 0 ? undefined : distinct([...tls.rootCertificates, ...extra])
  // PKCS#12 has the key too.
  if (certificate !== undefined && isDer(certificate)) {
    return { ca, cert: undefined, key: undefined, pfx: certificate, passphrase }
  }
  if (certificate !== undefined) requirePem(certificate, clientCert!, 'client-cert', /CERTIFICATE-----/)
  const key = clientKey === undefined ? certificate : await readSetting(world, clientKey, 'client-key')
  if (key !== undefined) requirePem(key, (clientKey ?? clientCert)!, 'client-key', /PRIVATE KEY-----/)
  return { ca, cert: certificate, key, pfx: undefined, passphrase }
}

/** False on Windows and macOS with a version of Node that cannot read their certificate stores. */
export function readsSystemStore(platform: NodeJS.Platform = process.platform): boolean {
  return !hasStore(platform) || systemStore() !== undefined
}

function hasStore(platform: NodeJS.Platform): boolean {
  return platform === 'win32' || platform === 'darwin'
}

async function readSystem(world: TlsWorld): Promise<readonly (string | undefined)[]> {
  const { platform } = world.host
  const store = hasStore(platform) ? systemStore() : undefined
  return platform === 'win32' ? [store] : [store, await readFirst(world, SYSTEM_BUNDLES)]
}

// Since Node 22.15; the types are older.
function systemStore(): string | undefined {
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: 'system') => readonly string[] }
  return getCACertificates?.('system').join('\n')
}

function requirePem(bytes: Buffer, path: string, option: keyof typeof NAMES, label: RegExp): void {
  if (label.test(bytes.toString('latin1'))) return
  const name = label.source.replaceAll('-', '')
  throw new Failure('config', `${NAMES[option]} ${path} has no ${name.toLowerCase()} in PEM format`, {
    file: path,
    hint: `name a PEM file with a line -----BEGIN ${name}-----`,
    options: [option],
  })
}

// The start of a DER sequence with a length of two bytes, as PKCS#12 has.
function isDer(bytes: Buffer): boolean {
  return bytes[0] === 0x30 && (bytes[1] === 0x82 || bytes[1] === 0x83 || bytes[1] === 0x80)
}

function isEncrypted(key: Buffer | undefined): boolean {
  return /BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(key?.toString('latin1') ?? '')
}

async function readPassword(
  world: TlsWorld,
  path: string | undefined,
  warn: (notice: Notice) => void,
): Promise<string | undefined> {
  if (path === undefined) return undefined
  const file = await readSmallFile(world, path, NAMES['client-key-password-file']).catch((error: unknown) => {
    throw unreadableFile(error, path, 'client-key-password-file')
  })
  if (file.isExposed) {
    const message = `others can read the password file ${path}; run: chmod 600 ${shellQuote(path)}`
    warn({ level: 'warning', event: 'secret.exposed', message })
  }
  return file.text.split(/\r?\n/, 1)[0]
}

function unreadableFile(cause: unknown, path: string, option: keyof typeof NAMES): Failure {
  const more = { kind: 'config', file: path, options: [option] } as const
  return unreadableInput(cause, `${NAMES[option]} ${path}`, more)
}

async function readSetting(
  world: InputWorld,
  path: string | undefined,
  option: keyof typeof NAMES,
): Promise<Buffer | undefined> {
  if (path === undefined) return undefined
  try {
    return (await readInputFile(world, path, LARGEST_BYTES)).bytes
  } catch (cause) {
    throw unreadableFile(cause, path, option)
  }
}

async function readQuietly(world: InputWorld, path: string | undefined): Promise<string | undefined> {
  if (!path) return undefined
  const file = await readInputFile(world, path, LARGEST_BYTES).catch(() => undefined)
  world.interrupt.throwIfAborted()
  return file?.bytes.toString('latin1')
}

async function readFirst(world: InputWorld, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await readQuietly(world, path)
    if (text !== undefined) return text
  }
  return undefined
}

function distinct(bundles: readonly string[]): string[] {
  const block = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]+-----END (?:TRUSTED )?CERTIFICATE-----/g
  const seen = new Map<string, string>()
  for (const pem of bundles.flatMap((bundle) => bundle.match(block) ?? [])) {
    const key = pem.replace(/\s+/g, '')
    if (!seen.has(key)) seen.set(key, pem)
  }
  return [...seen.values()]
}
