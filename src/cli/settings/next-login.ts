import { quoteFor } from '../../base/shell-words.ts'
import type { Context } from '../context.ts'
import type { SecretName } from './secret.ts'

/** The command that saves a secret where a run with these settings reads it. */
export function loginCommand(
  { world, settings }: Pick<Context, 'world' | 'settings'>,
  name: SecretName,
): string {
  const v1 = name === 'api-key' ? ' --api v1' : ''
  return `matdecl login${v1}${selectionFlags({ world, settings })}`
}

/** The flags of this run that select the config file and its profile, for the next command. */
export function selectionFlags({ world, settings }: Pick<Context, 'world' | 'settings'>): string {
  const { values, sources } = settings
  const flags = (['config', 'profile'] as const).map((name) => {
    const value = values[name]
    return value === undefined || sources[name]?.kind !== 'flag'
      ? ''
      : ` --${name} ${quoteFor(world.host.platform)(value)}`
  })
  return flags.join('')
}
