import type { Argument, Command, Option } from 'commander'
import type { CommandRow, Example, Operand } from './command-row.ts'
import type { Offer } from './offer.ts'
import type { OptionRow } from './option-row.ts'
import { takesValue } from './option-words.ts'

/** A program of commander's whose options and commands also carry what the documents say and commander has no field for. */
export interface DocumentedCommand extends Command {
  readonly examples: readonly Example[]
  /** Its operands are read only after `--`. */
  readonly operandsAfterDashes: boolean
}
export interface DocumentedOption extends Option {
  readonly row: OptionRow
}
export interface DocumentedArgument extends Argument {
  readonly offers: Offer | undefined
}

/** The commands and options of a program, as the documents need them. */
export interface Table {
  readonly commands: readonly CommandRow[]
  readonly options: readonly OptionRow[]
}

/** Reads the table from the program. Hidden options are omitted. */
export function tableOf(program: Command): Table {
  const commands = program.commands as readonly DocumentedCommand[]
  const all = [...commands.flatMap((command) => [command, ...command.commands]), program]
  const options = all.flatMap((command) => command.options as readonly DocumentedOption[])
  return {
    commands: commands.map(commandRow),
    options: [...new Set(options.filter(({ hidden }) => !hidden).map(({ row }) => row))],
  }
}

function commandRow(command: DocumentedCommand): CommandRow {
  const actions = command.commands.map((one) => one.name())
  const own = [command, ...command.commands].flatMap((one) =>
    (one.registeredArguments as readonly DocumentedArgument[]).map((argument) =>
      operandOf(argument, command.operandsAfterDashes),
    ),
  )
  return {
    name: command.name(),
    summary: command.summary(),
    description: command.description(),
    examples: command.examples,
    operands: actions.length === 0 ? own : [{ name: 'ACTION', required: true, values: actions }, ...own],
  }
}

function operandOf(argument: DocumentedArgument, afterDashes: boolean): Operand {
  return {
    name: argument.name(),
    required: argument.required,
    many: argument.variadic,
    afterDashes,
    offers: argument.offers,
    ...(argument.argChoices === undefined ? {} : { values: argument.argChoices }),
  }
}

/** The options that every command has. */
export function commonOptions({ options }: Table): readonly OptionRow[] {
  return options.filter((row) => row.commands === 'all')
}

/** The options that a command has for itself. */
export function ownOptions({ options }: Table, command: string): readonly OptionRow[] {
  return options.filter((row) => row.commands !== 'all' && row.commands.includes(command))
}

/** What a shell can complete the value of an option with; undefined when there is nothing to suggest. */
export function offerOf(row: OptionRow): Offer | undefined {
  if (row.offers !== undefined) return row.offers
  if (row.type.kind === 'choice') return { kind: 'words', words: row.type.values }
  if (row.type.kind === 'file') return { kind: 'files', endings: [] }
  return row.type.kind === 'folder' ? { kind: 'folders' } : undefined
}

/** What a shell can complete the operand at `index` of a command with. */
export function operandOffer(operands: readonly Operand[], index: number): Offer | undefined {
  const last = operands.at(-1)
  const operand = operands[index] ?? (last?.many === true ? last : undefined)
  return operand?.values === undefined ? operand?.offers : { kind: 'words', words: operand.values }
}

/** `--output`, and `-o` where there is one. */
export function spellings(row: OptionRow): readonly string[] {
  return row.short === undefined ? [`--${row.name}`] : [`--${row.name}`, `-${row.short}`]
}

/** The spellings of every option whose next word is its value, or may be: a scan for the command skips them. */
export function valueSpellings({ options }: Table, isOptional: boolean): readonly string[] {
  const rows = options.filter((row) => takesValue(row) && (row.optionalValue === true) === isOptional)
  return [...new Set(rows.flatMap(spellings))]
}
