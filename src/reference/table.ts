import { COMMANDS, type CommandRow, type Operand } from '../cli/options/commands.ts'
import type { Offer } from '../cli/options/offer.ts'
import type { OptionRow } from '../cli/options/option-row.ts'
import { OPTIONS } from '../cli/options/options.ts'
import { ALWAYS } from './help.ts'

/** All that the documents are made of; a test may pass another. */
export interface Table {
  readonly commands: readonly CommandRow[]
  readonly options: readonly OptionRow[]
}

/** What the tool offers. */
export const TABLE: Table = { commands: COMMANDS, options: OPTIONS }

/** The options that every command has, version and help among them. */
export function commonOptions({ options }: Table): readonly OptionRow[] {
  return [...options.filter((row) => row.commands === 'all'), ...ALWAYS]
}

/** The options that a command has for itself. */
export function ownOptions({ options }: Table, command: string): readonly OptionRow[] {
  return options.filter((row) => row.commands !== 'all' && row.commands.some((name) => name === command))
}

/** What a shell may complete an option's value with; undefined when nobody can guess it. */
export function offerOf(row: OptionRow): Offer | undefined {
  if (row.offers !== undefined) return row.offers
  if (row.type.kind === 'choice') return { kind: 'words', words: row.type.values }
  if (row.type.kind === 'file') return { kind: 'files', endings: [] }
  return row.type.kind === 'folder' ? { kind: 'folders' } : undefined
}

/** What a shell may complete the operand at `index` of a command with. */
export function operandOffer(operands: readonly Operand[], index: number): Offer | undefined {
  const last = operands.at(-1)
  const operand = operands[index] ?? (last?.many === true ? last : undefined)
  return operand?.values === undefined ? operand?.offers : { kind: 'words', words: operand.values }
}

/** True when the option takes a value. */
export function takesValue(row: OptionRow): boolean {
  return row.type.kind !== 'flag' && row.type.kind !== 'count'
}

/** `--output`, and `-o` where there is one. */
export function spellings(row: OptionRow): readonly string[] {
  return row.short === undefined ? [`--${row.name}`] : [`--${row.name}`, `-${row.short}`]
}

/** The spellings of every option of any command whose next word is its value, or may be: a scan for the command skips them. */
export function valueSpellings({ options }: Table, isOptional: boolean): readonly string[] {
  const rows = options.filter((row) => takesValue(row) && (row.optionalValue === true) === isOptional)
  return [...new Set(rows.flatMap(spellings))]
}
