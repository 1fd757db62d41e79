import type { ArchiveLimits } from '../archive/problem.ts'
import { Failure } from '../base/failure.ts'
import type { Settings } from './settings/settings.ts'

/** The operands of a command that needs some, none of them empty. */
export function takeOperands({ command, operands }: Settings): readonly string[] {
  if (operands.length > 0 && !operands.includes('')) return operands
  throw new Failure('usage', operands.length === 0 ? `${command} requires a file` : 'an argument is empty', {
    hint: `matdecl ${command} --help shows its arguments`,
  })
}

/** The archive limits among the settings. */
export function limitsOf({ values }: Settings): ArchiveLimits {
  return { maxEntries: values.maxEntries, maxBytes: values.maxSize, maxRatio: values.maxRatio }
}
