import type { Command } from 'commander'
import { Failure } from '../base/failure.ts'
import type { OptionRow } from '../reference/option-row.ts'
import { takesValue } from '../reference/option-words.ts'
import { isSet } from '../terminal/color.ts'
import type { OutputChoice } from '../terminal/output-choice.ts'
import type { Reach } from './command-definition.ts'
import type { CommandName } from './options/command-name.ts'

/** What was typed for one option, in order: text, or `true` for a flag and for a value left out. */
export type Given = readonly (string | true)[]

/** What was typed, or given by a caller, before it is checked. */
export interface Typed {
  readonly command: CommandName
  readonly operands: readonly string[]
  /** The operands after `--`, for a command that keeps them apart. */
  readonly afterDashes: readonly string[]
  readonly given: ReadonlyMap<string, Given>
  /** All commands unless given. */
  readonly reach?: Reach | undefined
}

/** Options that exist only to be refused: a secret must not be on a command line. */
export const SECRET_FLAGS = ['token', 'api-key'] as const
const SECRET_VARIABLE: Readonly<Record<string, string>> = {
  token: 'MATDECL_TOKEN',
  apiKey: 'MATDECL_API_KEY',
}

/** The options typed so far, by key, before and after the command's name. Defaults are not among them. */
export function givenOptions(program: Command): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>()
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    for (const option of command.options) {
      const key = option.attributeName()
      if (command.getOptionValueSource(key) !== 'cli') continue
      const value: unknown = command.getOptionValue(key)
      given.set(key, [...(given.get(key) ?? []), ...(Array.isArray(value) ? value : [value])])
    }
  }
  return given
}

/** Refuses secrets, and an option with two values that takes one. */
export function checkGiven(given: ReadonlyMap<string, Given>, options: readonly OptionRow[]): void {
  for (const [key, variable] of Object.entries(SECRET_VARIABLE)) {
    if (!given.has(key)) continue
    const flag = key === 'token' ? '--token' : '--api-key'
    throw new Failure(
      'usage',
      `there is no ${flag} option: the process list and the shell history would show it`,
      {
        hint: `set ${variable}, or ${variable}_FILE to the path of a file with it`,
      },
    )
  }
  for (const row of options) {
    const values = given.get(row.key) ?? []
    if (row.repeatable === true || !takesValue(row) || new Set(values).size < 2) continue
    throw new Failure('usage', `--${row.name} is given twice, with different values`, {
      hint: 'give it once',
    })
  }
}

/** How to print before the settings are known, and when they never are: by flags and variables, without checking them. */
export function earlyOutput(
  given: ReadonlyMap<string, Given>,
  env: Readonly<Record<string, string | undefined>>,
): OutputChoice {
  const color = given.get('color')?.at(-1) ?? env.MATDECL_COLOR
  return {
    json: given.has('json') || isSet(env.MATDECL_JSON),
    quiet: given.has('quiet') || isSet(env.MATDECL_QUIET),
    verbose: given.get('verbose')?.length ?? 0,
    logFormat: (given.get('logFormat')?.at(-1) ?? env.MATDECL_LOG_FORMAT) === 'json' ? 'json' : 'text',
    noProgress: true,
    color: color === 'always' || color === 'never' ? color : 'auto',
    noColor: given.has('noColor') || isSet(env.MATDECL_NO_COLOR),
    noInput: true,
    noPager: true,
  }
}
