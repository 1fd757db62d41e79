import { shellQuote } from '../../base/shell-quote.ts'
import type { SecretName } from './secret.ts'
import type { Settings } from './settings.ts'

/** The command that saves a secret where a run with these settings reads it. */
export function loginCommand(settings: Settings, name: SecretName): string {
  const v1 = name === 'api-key' ? ' --api v1' : ''
  return `matdecl login${v1}${selectionFlags(settings)}`
}

/** The flags of this run that select the config file and its profile, for the next command. */
export function selectionFlags({ values, sources }: Settings): string {
  const flags = (['config', 'profile'] as const).map((name) => {
    const value = values[name]
    return value === undefined || sources[name]?.kind !== 'flag' ? '' : ` --${name} ${shellQuote(value)}`
  })
  return flags.join('')
}
