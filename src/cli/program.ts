import { type Command, Option, type OutputConfiguration } from 'commander'
import { OPTION_GROUPS, type OptionRow } from '../reference/option-row.ts'
import { isSetting } from '../reference/option-words.ts'
import { createStyle } from '../terminal/style.ts'
import type { CommandDefinition, Subcommand } from './command-definition.ts'
import { COMMANDS } from './commands/commands.ts'
import type { CommandRun } from './context.ts'
import { checkGiven, givenOptions, SECRET_FLAGS, type Typed } from './given.ts'
import type { CommandName } from './options/command-name.ts'
import { OPTIONS } from './options/options.ts'
import { isHelpFlag, pathOf, ToolArgument, ToolCommand, ToolOption } from './tool-command.ts'

/** A command line that commander has parsed, with what it runs. */
export interface Invocation extends Typed {
  readonly run: CommandRun
}

interface ProgramParts {
  /** Called with the command line, once it is valid. */
  readonly act?: (invocation: Invocation) => Promise<void>
  readonly output?: OutputConfiguration
  readonly options?: readonly OptionRow[]
  /** Each command gets its options when it is parsed or prints its help, and not at once. */
  readonly addsLater?: boolean
}

const ABOUT =
  'Download, verify and report material declarations (IPC-1752A/B) from a supplier compliance service.'
const MORE = `
Run matdecl COMMAND --help for the options of a command; without one, matdecl
runs download.
Documentation: man matdecl, and README.md and docs/ in the package`

/** The command line of the tool: every command with its help and completion facts. */
export function createProgram({
  act,
  output,
  options = OPTIONS,
  addsLater = false,
}: ProgramParts = {}): ToolCommand {
  const program = new ToolCommand('matdecl')
  const style = createStyle(true, true)
  program
    .description(ABOUT)
    .usage('[COMMAND] [options]')
    .enablePositionalOptions()
    .combineFlagAndOptionalValue(false)
    .exitOverride()
    .configureOutput(output ?? {})
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
      styleTitle: style.strong,
      styleOptionTerm: style.name,
      styleSubcommandTerm: style.name,
    })
    // Help is an option like others here: after the options of the default command it is that command's help.
    .helpOption(false)
    .helpCommand('help [COMMAND]', 'print the help of a command')
    .addHelpText('after', MORE)
    .hook('preSubcommand', checkCommandName)
  const made = options.map((row) => new ToolOption(row))
  addOptions(program, made.filter(isGlobal))
  addExamples(program, COMMANDS[0]!.examples)
  for (const definition of COMMANDS) addCommand({ program, act, options: made, addsLater }, definition)
  return program
}

interface Parts {
  readonly program: ToolCommand
  readonly act: ProgramParts['act']
  /** Shared by the commands. */
  readonly options: readonly ToolOption[]
  readonly addsLater: boolean
}

function addCommand(parts: Parts, definition: CommandDefinition): void {
  const { name, summary, description, operands, examples, action } = definition
  const command = parts.program.command(name, { isDefault: definition === COMMANDS[0] }) as ToolCommand
  command.summary(summary).description(description)
  command.operandsAfterDashes = operands.some(({ afterDashes }) => afterDashes === true)
  if (command.operandsAfterDashes) command.usage('[options] [-- PART...]')
  addExamples(command, examples)
  const own = parts.options.filter(({ row }) => row.commands === 'all' || row.commands.includes(name))
  if ('run' in action) {
    const common = own.filter(({ row }) => row.common?.includes(name))
    completeCommand(parts, command, name, { operands, ...action }, own, common)
    return
  }
  command.helpCommand(false)
  addWhenUsed(parts, command, () => addOptions(command, own.filter(isGlobal)))
  command.addHelpText('after', () => moreHelp(command))
  for (const one of action) {
    const others = parts.options.filter((option) => isSetting(option.row) && !own.includes(option))
    const subcommand = command.command(one.name) as ToolCommand
    subcommand.summary(one.summary).description(one.summary)
    if (one.takesAllSettings === true) completeCommand(parts, subcommand, name, one, [...own, ...others], own)
    else completeCommand(parts, subcommand, name, one, own)
  }
}

// Gives a command its operands, options and action.
function completeCommand(
  parts: Parts,
  command: ToolCommand,
  name: CommandName,
  { operands, run, reach }: Pick<Subcommand, 'operands' | 'run' | 'reach'>,
  own: readonly ToolOption[],
  common: readonly ToolOption[] = [],
): void {
  const { program, act, options } = parts
  for (const operand of operands) command.addArgument(new ToolArgument(operand))
  addWhenUsed(parts, command, () => {
    addOptions(command, own)
    for (const flag of SECRET_FLAGS) {
      if (!own.some(({ row }) => row.name === flag))
        command.addOption(new Option(`--${flag} [value]`).hideHelp())
    }
  })
  if (common.length > 0) command.commonOptions = new Set(common.map(({ row }) => row.name))
  command.addHelpText('after', () => moreHelp(command))
  command.action(async () => {
    const given = givenOptions(program)
    checkGiven(
      given,
      options.map(({ row }) => row),
    )
    await act?.({ command: name, run, reach, given, ...command.splitOperands() })
  })
}

function addWhenUsed({ addsLater }: Parts, command: ToolCommand, add: () => void): void {
  if (addsLater) command.addLater = add
  else add()
}

function isGlobal({ row }: ToolOption): boolean {
  return row.commands === 'all'
}

function addOptions(command: ToolCommand, options: readonly ToolOption[]): void {
  for (const group of OPTION_GROUPS) {
    for (const option of options.filter(({ row }) => row.group === group)) {
      if (option.row.key === 'help' && command.parent !== null) command.addHelpOption(option)
      else command.addOption(option)
    }
  }
}

function addExamples(command: ToolCommand, examples: CommandDefinition['examples']): void {
  command.examples = examples
  command.addHelpText(
    'before',
    () => `${createStyle(true, true).strong('Examples:')}\n${examplesText(command)}`,
  )
}

function examplesText({ examples }: ToolCommand): string {
  const lines = examples.slice(0, 2).map(({ line, does }) => `  ${line}\n      ${does}\n`)
  return lines.join('')
}

// Where the options are that the help leaves out.
function moreHelp(command: ToolCommand): string {
  if (command.showsAll) return ''
  const all = command.commonOptions === undefined ? '' : `\nMore options: ${pathOf(command)} --help-all`
  return `${all}\nGlobal options, such as --json, --quiet and --verbose: matdecl --help`
}

/** Two examples, the usage, and where to read more: for a call without arguments. */
export function shortHelp(program: ToolCommand): string {
  const usage = program.createHelp().commandUsage(program)
  return `Examples:\n${examplesText(program)}\nUsage: ${usage}\n\nRun matdecl --help for the commands and global options.${MORE}\n`
}

// commander gives every word that is no command to the default one, where only an option may come first.
function checkCommandName(program: Command, command: Command): void {
  const [first = ''] = program.args
  if (program.opts().help || program.opts().helpAll) (first === '' ? program : command).help()
  const isNamed = first === '' || first.startsWith('-') || first === command.name()
  if (isNamed || program.args.some(isHelpFlag)) return
  // The global options after the name decide how the error is printed.
  const root = program as ToolCommand
  root.readOptions(program.args.slice(1))
  root.unknownName(first)
}

/** The command that was typed, for the result of a command line that is not valid; `error` when there is no such command. */
export function commandTyped(program: Command): string {
  const [first = ''] = program.args
  if (first === '' || first.startsWith('-')) return COMMANDS[0]!.name
  return COMMANDS.find(({ name }) => name === first)?.name ?? 'error'
}
