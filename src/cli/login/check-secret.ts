import { Failure, isFailure } from '../../base/failure.ts'
import { openSession } from '../../doctor/doctor-session.ts'
import type { Context } from '../context.ts'
import { doctorOptionsOf } from '../doctor-options-of.ts'
import type { SecretName } from '../settings/secret.ts'
import { secretLabel } from './secret-file.ts'

/**
 * Asks the service's `ping` and `quota` with a secret: neither uses allowance. True when the service accepted it; false, with the
 * reason on standard error, when it could not be checked. A refusal is a Failure of kind `auth`.
 */
export async function checkWithService(context: Context, name: SecretName, secret: string): Promise<boolean> {
  const { world, terminal, settings } = context
  const label = secretLabel(name)
  const unchecked = (why: string): false => {
    terminal.say('login.unchecked', `the ${label} was not checked: ${why}`)
    return false
  }
  if (name === 'api-key') return unchecked('v1 has no request that checks it')
  if (settings.values.baseUrl === undefined) return unchecked('the service URL is not set')
  const options = doctorOptionsOf(context, { token: secret })
  try {
    const session = openSession(world, options)
    try {
      const ping = await session.ask('/v2/ping')
      if (ping.kind === 'refused') throw ping.failure
      // A ping may answer everybody; the quota is that of the token.
      const quota = await session.ask('/v2/quota')
      if (quota.kind === 'refused') throw quota.failure
      if (quota.kind === 'absent') {
        return unchecked(
          `the service ${ping.kind === 'absent' ? 'has no ping and' : 'responds, but has'} no quota to check`,
        )
      }
      terminal.say('login.checked', `the service accepts the ${label}`)
      return true
    } finally {
      await session.close()
    }
  } catch (error) {
    if (!isFailure(error)) throw error
    if (error.kind === 'unavailable') return unchecked(error.message)
    if (error.kind !== 'auth') throw error
    const hint = `the ${label} was not saved; paste it again, or ask the provider for one for this service`
    throw new Failure('auth', error.message, { ...error.details, hint, cause: error })
  }
}
