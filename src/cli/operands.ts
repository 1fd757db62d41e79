import type { ArchiveLimits } from '../archive/archive-limits.ts'
import { Failure } from '../base/failure.ts'
import type { Operand } from './options/commands.ts'
import { COMMANDS } from './options/commands.ts'
import type { Settings } from './settings/settings.ts'

/** The operands of a command, counted by its row of the table: too few or too many is `usage`. */
export function takeOperands(settings: Settings): readonly string[] {
  const all = [...settings.operands, ...settings.afterDashes]
  const row = COMMANDS.find(({ name }) => name === settings.command)!
  const operands: readonly Operand[] = row.operands
  const hint = `matdecl ${settings.command} --help tells what it takes`
  const needed = operands.filter(({ required }) => required)
  if (all.length < needed.length) {
    const { name, values } = needed[all.length]!
    throw new Failure('usage', `${settings.command} needs ${name}`, {
      hint: values === undefined ? hint : `it is one of ${values.join(', ')}`,
    })
  }
  if (!operands.some(({ many }) => many === true) && all.length > operands.length) {
    throw new Failure('usage', `${settings.command} does not take '${all[operands.length]}'`, { hint })
  }
  const empty = all.find((one) => one === '')
  if (empty !== undefined) throw new Failure('usage', 'an argument is empty', { hint })
  return all
}

/** The archive limits among the settings. */
export function limitsOf({ values }: Settings): ArchiveLimits {
  return { maxEntries: values.maxEntries, maxBytes: values.maxSize, maxRatio: values.maxRatio }
}
