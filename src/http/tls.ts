import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { Failure, isFailure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { unreadable, unreadableHint } from '../fs/disk-failure.ts'
import { type InputWorld, readInputFile } from '../fs/input-file.ts'

/** Throws `usage` when the environment turns off TLS checks, which protect the token. */
export function refuseDisabledChecks(env: World['env']): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return
  throw new Failure(
    'usage',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off TLS checks; nothing is sent without them',
    { hint: 'unset it; add the certificate of a private authority', options: ['ca-file'] },
  )
}

/** The context of all TLS connections. Certificates and keys that are unreadable or do not match are `config`. */
export async function loadSecureContext(
  world: InputWorld & Pick<World, 'env'>,
  files: TlsFiles,
): Promise<SecureContext> {
  const { ca, cert, key } = await readTlsIdentity(world, files)
  try {
    return createSecureContext({
      ...(ca === undefined ? {} : { ca: [...ca] }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    })
  } catch (cause) {
    throw new Failure('config', 'the certificates or the key cannot be used', {
      cause,
      hint: 'use PEM files without a passphrase, and a key that matches the certificate',
      options: ['ca-file', 'client-cert', 'client-key'],
    })
  }
}

/** The trusted authorities, and the client certificate with its key. */
export interface TlsIdentity {
  readonly ca: readonly string[] | undefined
  readonly cert: Buffer | undefined
  readonly key: Buffer | undefined
}

/** Paths from settings. */
export interface TlsFiles {
  readonly caFile?: string | undefined
  readonly clientCert?: string | undefined
  readonly clientKey?: string | undefined
}

const NAMES = {
  'ca-file': 'the CA file',
  'client-cert': 'the client certificate',
  'client-key': 'the client key',
}

/** The bundles of systems have less than 1 MiB. */
const LARGEST_BYTES = 16 * 1024 * 1024

// The bundles of common systems; the first that exists is used.
const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/**
 * Reads the certificates of settings and environment. Authorities are added up: Node's own, the system's bundle, `SSL_CERT_FILE`,
 * `NODE_EXTRA_CA_CERTS` and the CA file. A missing file of a variable is skipped, as by Node; a missing file of a setting is
 * `config`.
 */
export async function readTlsIdentity(
  world: InputWorld & Pick<World, 'env'>,
  files: TlsFiles,
): Promise<TlsIdentity> {
  const [own, fromEnv, system, cert, key] = await Promise.all([
    readSetting(world, files.caFile, 'ca-file', 'CERTIFICATE'),
    Promise.all(
      [world.env.NODE_EXTRA_CA_CERTS, world.env.SSL_CERT_FILE].map((path) => readQuietly(world, path)),
    ),
    readFirst(world, SYSTEM_BUNDLES),
    readSetting(world, files.clientCert, 'client-cert', 'CERTIFICATE'),
    readSetting(world, files.clientKey ?? files.clientCert, 'client-key', 'PRIVATE KEY'),
  ])
  const extra = [own?.toString('latin1'), ...fromEnv, system].filter((pem) => pem !== undefined)
  return { ca: extra.length === 0 ? undefined : distinct([...rootCertificates, ...extra]), cert, key }
}

async function readSetting(
  world: InputWorld,
  path: string | undefined,
  option: keyof typeof NAMES,
  label: string,
): Promise<Buffer | undefined> {
  if (path === undefined) return undefined
  let bytes: Buffer
  try {
    bytes = (await readInputFile(world, path, LARGEST_BYTES)).bytes
  } catch (cause) {
    if (isFailure(cause)) throw cause
    throw new Failure('config', `${NAMES[option]} ${path} ${unreadable(cause)}`, {
      cause,
      file: path,
      hint: unreadableHint(cause),
      options: [option],
    })
  }
  if (!bytes.includes(`${label}-----`)) {
    throw new Failure('config', `${NAMES[option]} ${path} has no ${label.toLowerCase()} in PEM format`, {
      file: path,
      hint: `name a PEM file with a line -----BEGIN ${label}-----`,
      options: [option],
    })
  }
  return bytes
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
