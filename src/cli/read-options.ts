import { nearest } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { camelCase, type OptionRow } from './option-row.ts'
import { type CommandName, optionsOf } from './options.ts'
import type { Given } from './settings/settings.ts'

/**
 * The options of a call from a program, as the settings take them: `startDate` is the option `start-date`; undefined and false
 * are not given. Values are checked with all other settings.
 */
export function readOptions(
  command: CommandName,
  options: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Given> {
  const rows: readonly OptionRow[] = optionsOf(command)
  const given = new Map<string, Given>()
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === false) continue
    const row = rows.find((one) => camelCase(one.name) === name)
    if (row === undefined) throw unknownOption(command, name, rows)
    given.set(row.key, givenValue(row, name, value))
  }
  return given
}

function givenValue(row: OptionRow, name: string, value: unknown): Given {
  const values = row.repeatable === true && Array.isArray(value) ? value : [value]
  if (row.type.kind === 'count') return Array.from({ length: Number(value) }, () => true)
  return values.map((one) => givenText(row, name, one))
}

function givenText(row: OptionRow, name: string, value: unknown): string | true {
  if (value === true && (row.type.kind === 'flag' || row.takesOptionalValue)) return true
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new Failure(
    'usage',
    `the option ${name} cannot be ${Array.isArray(value) ? 'a list' : typeof value}`,
    {
      hint: row.type.kind === 'flag' ? 'expected true or false' : 'expected text or a number',
    },
  )
}

function unknownOption(command: CommandName, name: string, rows: readonly OptionRow[]): Failure {
  const near = nearest(
    name,
    rows.map((row) => camelCase(row.name)),
  )
  return new Failure('usage', `${command} has no option '${name}'`, {
    hint: near === undefined ? `matdecl ${command} --help lists the options` : `did you mean ${near}?`,
  })
}
