import { createSecureContext, type SecureContext } from 'node:tls'
import { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import type { InputWorld } from '../fs/input-file.ts'
import { readTlsIdentity, type TlsFiles } from './authorities.ts'

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
  world: InputWorld & Pick<World, 'env' | 'host'>,
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
