import type { Context } from './context.ts'
import type { Offer } from './option-row.ts'
import type { CommandName } from './options.ts'
import type { Reach } from './settings/settings.ts'

/** An operand of a command, as the usage line shows it. */
export interface Operand {
  readonly name: string
  readonly required: boolean
  readonly many?: boolean
  /** Only read after `--`. */
  readonly afterDashes?: boolean
  /** The only words it may be. */
  readonly values?: readonly string[]
  readonly offers?: Offer
}

/** A command line with what it does. */
export interface Example {
  readonly line: string
  readonly does: string
}

/** Runs a command to its exit code. Results go to `terminal.write`; errors are thrown. */
export type CommandRun = (context: Context) => Promise<number>

/** `run` imports the capability when it is called: help and version load no more than the definitions. */
export interface CommandAction {
  readonly operands: readonly Operand[]
  readonly run: CommandRun
  /** All sources unless given. */
  readonly reach?: Reach
}

/** One command of a command, such as `config show`. */
interface Subcommand extends CommandAction {
  readonly name: string
  readonly summary: string
  /** Takes every option that is a setting, not only those of its command. */
  readonly takesAllSettings?: true
}

/** What help, man page, completions and docs say of a command. */
interface CommandFacts {
  readonly name: CommandName
  readonly summary: string
  readonly description: string
  /** The first two lead the help. */
  readonly examples: readonly Example[]
  /** The long names of the options that the short help shows; all but the global ones unless given. */
  readonly common?: readonly string[]
}

/** One command: what the documents say of it, and what it does, itself or by its subcommands. */
export type CommandDefinition = CommandFacts &
  (CommandAction | { readonly subcommands: readonly Subcommand[] })

/** The operands of a command; for one with subcommands, which one, and theirs. */
export function operandsOf(command: CommandDefinition): readonly Operand[] {
  if (!('subcommands' in command)) return command.operands
  const { subcommands } = command
  const action = { name: 'ACTION', required: true, values: subcommands.map(({ name }) => name) }
  return [action, ...subcommands.flatMap(({ operands }) => operands)]
}

/** True for the name of a file that a parts list may have: it was meant for an option. */
export function isListName(word: string): boolean {
  return /\.(?:csv|tsv|txt|xlsx)$/i.test(word)
}
