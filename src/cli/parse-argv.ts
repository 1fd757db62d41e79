import { Command, CommanderError, Option } from 'commander'
import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { nearest } from '../base/nearest.ts'
import { COMMANDS, type CommandName } from './options/commands.ts'
import type { OptionRow } from './options/option-row.ts'
import { OPTIONS, optionsOf } from './options/options.ts'
import { hasValue, scanArgv } from './scan-argv.ts'

/** What was typed for one option: text as it stood, `true` for a flag or a value left out, a number for a count. */
export type Given = string | true | number | readonly (string | true)[]

/** What was typed, and nothing of what it means. */
export interface Typed {
  readonly command: CommandName
  readonly operands: readonly string[]
  readonly afterDashes: readonly string[]
  readonly given: ReadonlyMap<string, Given>
}

/** Reads argv (after the script's name). Throws a Failure of kind `usage` for a command or option that is none. */
export function parseArgv(argv: readonly string[]): Typed {
  const scan = scanArgv(argv)
  const [first, second] = scan.operandAt
  const word = first === undefined ? undefined : argv[first]!
  if (word === 'help' && second !== undefined) throw noCommand(argv[second]!)
  if (word !== undefined) refuseStrayValue(argv, first!, word)
  const command = word === undefined ? 'download' : commandNamed(word, first!, argv)
  const options = argv.slice(0, scan.endAt).filter((_, at) => at !== first)
  const rows =
    command === 'config' && second !== undefined && argv[second] === 'show' ? showable() : optionsOf(command)
  return { command, ...parseOptions(command, options, rows), afterDashes: argv.slice(scan.endAt + 1) }
}

// What `config show` tells can be given as a flag there too: the question is what would count on such a line.
function showable(): readonly OptionRow[] {
  const mine = optionsOf('config')
  const others = (OPTIONS as readonly OptionRow[]).filter(
    (row) => (row.from ?? ['file']).some((place) => place !== 'flag') && !mine.includes(row),
  )
  return [...mine, ...others]
}

// `--frmat 1752A`: the word is no command but what was meant as the value of the misspelt option before it.
function refuseStrayValue(argv: readonly string[], at: number, word: string): void {
  if (COMMANDS.some((row) => row.name === word)) return
  const before = argv.slice(0, at).find((one) => /^--[^-=]/.test(one) && !isOption(one))
  if (before !== undefined) parseOptions('download', [before])
}

function isOption(flag: string): boolean {
  const name = flag.slice(2).split('=')[0]!
  return (OPTIONS as readonly OptionRow[]).some((row) => row.name === name)
}

function commandNamed(word: string, at: number, argv: readonly string[]): CommandName {
  const found = COMMANDS.find((row) => row.name === word)
  if (found === undefined) throw noCommand(word, argv.slice(0, at))
  return found.name
}

function noCommand(word: string, before: readonly string[] = []): Failure {
  const near = nearest(
    word,
    COMMANDS.map((row) => row.name),
  )
  return new Failure('usage', `there is no command '${cleanText(word, 60)}'`, {
    hint:
      near !== undefined
        ? `did you mean 'matdecl ${near}'?`
        : before.some((one) => /^--part(?:=|$)/.test(one))
          ? 'part numbers go behind --part, each its own, into a --parts-file, or after --'
          : 'matdecl --help lists the commands',
  })
}

function parseOptions(
  command: CommandName,
  args: readonly string[],
  rows = optionsOf(command),
): { operands: readonly string[]; given: ReadonlyMap<string, Given> } {
  const parser = new Command(command)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .helpOption(false)
    .allowExcessArguments(true)
    .combineFlagAndOptionalValue(false)
  for (const row of rows) parser.addOption(commanderOption(row))
  try {
    parser.parse([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) throw usageFailure(error, command, rows)
    throw error
  }
  const typed = parser.opts<Record<string, Given | undefined>>()
  const given = new Map<string, Given>()
  for (const row of rows) {
    const value = typed[row.key]
    if (value !== undefined) given.set(row.key, value)
  }
  return { operands: parser.args, given }
}

function commanderOption(row: OptionRow): Option {
  const short = row.short === undefined ? '' : `-${row.short}, `
  const value = hasValue(row) ? (row.optionalValue === true ? ' [value]' : ' <value>') : ''
  const option = new Option(`${short}--${row.name}${value}`)
  // Commander would name `--no-color` "color" and set it to false; the table's own key is what we want.
  option.attributeName = () => row.key
  option.negate = false
  if (row.type.kind === 'count') option.argParser((_: string, count: unknown) => (Number(count) || 0) + 1)
  if (row.repeatable === true) {
    option.argParser((value: string, all: unknown) => [...(Array.isArray(all) ? all : []), value])
  } else if (hasValue(row)) {
    option.argParser((value: string, before: unknown) => {
      if (before === undefined || before === value) return value
      throw new Failure('usage', `--${row.name} is given twice, with different values`, {
        hint: 'give it once',
      })
    })
  }
  return option
}

function usageFailure(error: CommanderError, command: CommandName, rows: readonly OptionRow[]): Failure {
  const help = `matdecl ${command} --help lists the options`
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? ''
  if (error.code === 'commander.unknownOption') {
    // Only the name is repeated: what stands behind `=` may be a secret.
    const flag = quoted.split('=')[0]!
    if (flag === '--token' || flag === '--api-key') {
      const variable = flag === '--token' ? 'MATDECL_TOKEN' : 'MATDECL_API_KEY'
      return new Failure(
        'usage',
        `there is no ${flag} option: it would stand in the process list and the shell's history`,
        {
          hint: `put the secret into ${variable}, or name its file in ${variable}_FILE`,
        },
      )
    }
    if (quoted.includes('=') && rows.some(({ name }) => flag === `--${name}`)) {
      return new Failure('usage', `${flag} takes no value`, { hint: `write ${flag} alone` })
    }
    const near = nearest(
      flag.replace(/^--?/, ''),
      rows.map((row) => row.name),
    )
    return new Failure('usage', `${command} has no option '${flag}'`, {
      hint: near === undefined || flag.length < 4 ? help : `did you mean --${near}?`,
    })
  }
  if (error.code === 'commander.optionMissingArgument') {
    const flag = quoted.split(' ')[0]!.replace(/,$/, '')
    const row = rows.find((one) => quoted.includes(`--${one.name} `))
    const placeholder = row?.placeholder ?? 'value'
    return new Failure('usage', `--${row?.name ?? flag.replace(/^-+/, '')} needs a value`, {
      hint: `write --${row?.name ?? ''} ${placeholder}`,
    })
  }
  return new Failure('usage', error.message.replace(/^error: /, ''), { hint: help })
}
