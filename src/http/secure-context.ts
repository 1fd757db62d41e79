import { createSecureContext, type SecureContext } from 'node:tls'
import { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { readTlsIdentity, type TlsFiles } from './authorities.ts'

/** Refuses (`usage`) to work in an environment that turns TLS checks off: the token would go to whoever answers. */
export function refuseDisabledChecks(env: World['env']): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return
  throw new Failure(
    'usage',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns TLS checks off; nothing is sent that way',
    { hint: 'unset it; add the certificate of a private authority', options: ['ca-file'] },
  )
}

/** What every TLS connection is made with. Certificates or keys that can't be read or do not match are `config`. */
export async function loadSecureContext(
  world: Pick<World, 'disk' | 'env'>,
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
      hint: 'they must be PEM without passphrase, certificate and key a pair',
      options: ['ca-file', 'client-cert', 'client-key'],
    })
  }
}
