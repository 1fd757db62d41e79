import type { CommandRow, Operand } from '../reference/command-row.ts'
import type { CommandRun } from './context.ts'
import type { CommandName } from './options/command-name.ts'

/** Which sources of settings a command reads: all; all but the config file, which may be broken or missing; flags only. */
export type Reach = 'everywhere' | 'without-file' | 'flags'

/** One command: what the documents say of it, and what it does. */
export interface CommandDefinition extends CommandRow {
  readonly name: CommandName
  readonly action: CommandAction | readonly Subcommand[]
}

/** `run` imports the capability when it is called: help and version load no more than the definitions. */
export interface CommandAction {
  readonly run: CommandRun
  /** All commands unless given. */
  readonly reach?: Reach
}

/** One command of a command, such as `config show`. */
export interface Subcommand extends CommandAction {
  readonly name: string
  readonly summary: string
  readonly operands: readonly Operand[]
  /** Takes every option that is a setting, not only those of its command. */
  readonly takesAllSettings?: true
}
