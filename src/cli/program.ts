import { Argument, Command, CommanderError, Help, Option, type OutputConfiguration } from 'commander'
import { cleanText, nearest } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { shellQuote } from '../base/shell-words.ts'
import { createStyle } from '../terminal/style.ts'
import { type CommandAction, type CommandRun, type Example, isListName, type Operand } from './command.ts'
import { COMMANDS } from './commands/commands.ts'
import {
  camelCase,
  isSetting,
  OPTION_GROUPS,
  type OptionRow,
  optionSentence,
  takesValue,
  valueTerm,
} from './option-row.ts'
import { type CommandName, OPTIONS } from './options.ts'
import type { CommandLine, Given } from './settings/settings.ts'

/** A command line that commander has parsed, with what it runs. */
export interface Invocation extends CommandLine {
  readonly run: CommandRun
}

interface ProgramParts {
  /** Called with the command line, once it is valid. */
  readonly act?: (invocation: Invocation) => Promise<void>
  readonly output?: OutputConfiguration
  readonly options?: readonly OptionRow[]
}

const ABOUT =
  'Download, verify and report material declarations (IPC-1752A/B) from a supplier compliance service.'
const MORE = `
Run matdecl COMMAND --help for the options of a command; without one, matdecl
runs download. matdecl --help-all lists every option.
Documentation: man matdecl, and README.md and docs/ in the package`
/** Where the two settings come from that every request needs. */
const SETUP = `
Service address: MATDECL_BASE_URL, or base-url in the config file
Token: MATDECL_TOKEN, or saved by matdecl login, which asks for both`

/** Options that exist only to be refused: a secret must not be on a command line. */
const SECRET_FLAGS = {
  token: 'MATDECL_TOKEN',
  'api-key': 'MATDECL_API_KEY',
  apikey: 'MATDECL_API_KEY',
} as const

/** The command line of the tool: every command with its operands, options, help and action. */
export function createProgram({ act, output = {}, options = OPTIONS }: ProgramParts = {}): ToolCommand {
  const program = new ToolCommand('matdecl')
  const style = createStyle(true, true)
  program
    .description(ABOUT)
    .usage('[COMMAND] [options]')
    .enablePositionalOptions()
    .combineFlagAndOptionalValue(false)
    .exitOverride()
    .configureOutput(output)
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
      optionTerm: helpTerm,
      optionDescription: helpText,
      longestOptionTermLength,
      styleTitle: style.strong,
      styleOptionTerm: style.name,
      styleSubcommandTerm: style.name,
      visibleOptions,
      formatItem,
    })
    // Help is an option like others here: after the options of the default command it is that command's help.
    .helpOption(false)
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .addHelpText('after', MORE + SETUP)
    .hook('preSubcommand', checkCommandName)
  addExamples(program, COMMANDS[0]!.examples)

  const all = options.map((row) => new ToolOption(row))
  const globals = all.filter(({ row }) => row.commands === 'all')
  for (const option of globals) program.addOption(option)

  for (const definition of COMMANDS) {
    const { name, summary, description, examples, common } = definition
    const command = program.command(name, { isDefault: definition === COMMANDS[0] })
    command.summary(summary).description(description)
    addExamples(command, examples)
    const own = all
      .filter(({ row }) => row.commands === 'all' || row.commands.includes(name))
      .map((option) => option.of(name))
    if (!('subcommands' in definition)) {
      if (common !== undefined) command.commonOptions = own.filter(({ row }) => common.includes(row.name))
      completeCommand(command, name, definition, own)
      continue
    }
    command.addLater = () => addOptions(command, globals)
    command.helpCommand(false).allowExcessArguments()
    command.addHelpText('after', () => moreHelp(command))
    const names = definition.subcommands.map((one) => one.name)
    command.action(() => {
      if (command.args.length > 0) command.refuseCommand(command.args[0]!)
      const hint = `expected one of ${names.join(', ')}`
      throw new Failure('usage', `missing command after '${name}'`, { hint })
    })
    for (const one of definition.subcommands) {
      const subcommand = command.command(one.name).summary(one.summary).description(one.summary)
      const settings = one.takesAllSettings === true ? all.filter(({ row }) => isSetting(row)) : []
      if (settings.length > 0) subcommand.commonOptions = own
      completeCommand(subcommand, name, one, [...new Set([...own, ...settings])])
    }
  }
  addHelpCommand(program, globals)
  return program

  /** Gives a command its operands, options and action. */
  function completeCommand(
    command: ToolCommand,
    name: CommandName,
    { operands, run, reach }: CommandAction,
    own: readonly ToolOption[],
  ): void {
    for (const operand of operands) command.addArgument(argumentOf(operand))
    const isAfterDashes = operands.some(({ afterDashes }) => afterDashes === true)
    if (isAfterDashes) command.usage('[options] [-- PART...]')
    command.addLater = () => {
      addOptions(command, own)
      for (const flag of Object.keys(SECRET_FLAGS)) {
        if (!own.some(({ row }) => row.name === flag))
          command.addOption(new Option(`--${flag} [value]`).hideHelp())
      }
    }
    command.addHelpText('after', () => moreHelp(command))
    command.action(async () => {
      const given = givenOptions(program)
      checkGiven(given, options)
      const { args, afterDashes } = command
      const count = isAfterDashes ? afterDashes.length : 0
      const operands = args.slice(0, args.length - count)
      await act?.({ command: name, run, reach, given, operands, afterDashes: args.slice(operands.length) })
    })
  }
}

/** A command of commander's whose errors are Failures of kind `usage`, and which knows the operands after `--`. */
export class ToolCommand extends Command {
  /** Adds the options when the command is used: commander compares each new one with all others, for every command. */
  addLater: (() => void) | undefined
  /** The options of the short help; all but the global ones unless set. */
  commonOptions: readonly Option[] | undefined
  /** Help shows every option, the global ones too. */
  wantsAll = false
  afterDashes: readonly string[] = []
  /** True for the command `help`. */
  printsHelpOfOthers = false

  override createCommand(name?: string): ToolCommand {
    return new ToolCommand(name)
  }

  override createHelp(): Help {
    this.addOptionsNow()
    return super.createHelp()
  }

  override parseOptions(argv: string[]): { operands: string[]; unknown: string[] } {
    this.addOptionsNow()
    const { operands, unknown } = super.parseOptions(argv)
    if (this.opts().version) throw new CommanderError(0, 'commander.version', '')
    const end = argv.indexOf('--')
    const tail = end === -1 ? [] : argv.slice(end + 1)
    const isTail = tail.length > 0 && tail.every((word, at) => word === operands.at(at - tail.length))
    // Without a command before `--`, what follows belongs to the default command.
    if (isTail && this.parent === null && operands.length === tail.length) {
      return { operands: [], unknown: ['--', ...tail] }
    }
    if (isTail) this.afterDashes = tail
    this.checkUnknown(operands, unknown)
    return { operands, unknown }
  }

  /** Prints help with every option where it is requested; else refuses an unknown option. */
  private checkUnknown([first]: readonly string[], unknown: readonly string[]): void {
    const end = unknown.indexOf('--')
    const words = end === -1 ? unknown : unknown.slice(0, end)
    this.wantsAll ||= this.opts().helpAll !== undefined || words.includes('--help-all')
    const isTyped = first !== undefined && first !== this.afterDashes[0] && this.name() === COMMANDS[0]!.name
    if (isTyped && this.parent?.commands.some((command) => command.name() === first)) {
      throw new Failure('usage', `'${first}' stands after options of ${this.name()}`, {
        hint: `put the command first: matdecl ${first} ...`,
      })
    }
    // A command of this command, or the default one, reads the rest.
    if (this.commands.some((command) => command.name() === first)) return
    if (this.parent === null && (first !== undefined || unknown.length > 0)) return
    if (this.wantsAll && !this.printsHelpOfOthers) this.help()
    const [flag = '', value] = (words[0] ?? '').split(/=(.*)/s)
    if (!flag.startsWith('-') || (words.some(isHelpFlag) && !this.printsHelpOfOthers)) return
    // The value may be a secret: it is not printed.
    if (value !== undefined && this.options.some(({ long }) => long === flag))
      this.error(`option '${flag}' takes no value`)
    const known = [...this.options, ...(this.parent?.options ?? [])].filter(({ hidden }) => !hidden)
    const near = nearest(
      flag,
      known.flatMap(({ long }) => long ?? []),
    )
    throw new Failure('usage', cleanText(`unknown option '${flag}'`, 300), {
      hint: near === undefined ? this.helpHint : `did you mean ${near}?`,
    })
  }

  /** Reads this command's options wherever they are among `words`. */
  readOptions(words: readonly string[]): void {
    let rest = [...words]
    while (rest.length > 0) {
      const { operands, unknown } = super.parseOptions(rest)
      rest = operands.length === 0 ? unknown.slice(1) : unknown
    }
  }

  /** Fails with the nearest command as the hint. */
  refuseCommand(name: string): never {
    const near = nearest(
      name,
      this.commands.map((command) => command.name()),
    )
    const [what, option] = isListName(name) ? ['parts list', 'parts-file'] : ['part', 'part']
    const asOption = `for a ${what}: matdecl --${option} ${cleanText(shellQuote(name), 200)}`
    const isMeant = isListName(name) || /^[a-z_-]*\d[\w-]*$/i.test(name)
    const other = this.parent === null && isMeant ? asOption : this.helpHint
    throw new Failure('usage', cleanText(`unknown command '${name}'`, 300), {
      hint: near === undefined ? other : `did you mean ${pathOf(this)} ${near}?`,
    })
  }

  /** commander calls it with what is wrong with the command line. */
  override error(message: string): never {
    const sentence = message.replace(/^error: /, '').replace(/\.$/, '')
    throw new Failure('usage', cleanText(sentence, 300), { hint: this.helpHint })
  }

  private get helpHint(): string {
    return `${pathOf(this)} --help lists the ${this.commands.length > 0 ? 'commands' : 'options'}`
  }

  private addOptionsNow(): void {
    const add = this.addLater
    this.addLater = undefined
    add?.()
  }
}

/** An option of the table. Its values are collected as typed, and checked later together with variables and file. */
class ToolOption extends Option {
  readonly row: OptionRow

  constructor(row: OptionRow) {
    super(row.flags, row.help)
    this.row = row
    this.helpGroup(`${row.group}:`)
    if (row.type.kind === 'choice') this.choices(row.type.values)
    if (row.default !== undefined) this.default(row.default)
    if (row.conflicts !== undefined) this.conflicts([...row.conflicts])
    this.argParser((value: string | undefined, before: unknown) => {
      // What follows a forgotten value would be sent as the value. A part number may be anything.
      if (value !== undefined && LONG_FLAGS.has(value) && row.key !== 'part') {
        const message = `option '${row.flags}' argument missing before ${value}`
        throw new Failure('usage', message, { hint: 'give it a value' })
      }
      return collect(value, before)
    })
  }

  /** With the sentence of this command, where it has its own. */
  of(command: CommandName): ToolOption {
    const help = this.row.helpOf?.[command]
    return help === undefined ? this : new ToolOption({ ...this.row, help })
  }

  // commander would merge `--no-color` with `--color`.
  override attributeName(): string {
    return this.row.key
  }
}

const LONG_FLAGS: ReadonlySet<string> = new Set(OPTIONS.map(({ name }) => `--${name}`))

function collect(value: string | undefined, before: unknown): (string | true)[] {
  return [...(Array.isArray(before) ? before : []), value ?? true]
}

function argumentOf({ name, required, many, values }: Operand): Argument {
  const word = `${name}${many === true ? '...' : ''}`
  const argument = new Argument(required ? `<${word}>` : `[${word}]`)
  if (values !== undefined) argument.choices(values)
  return argument.argParser((value, before: unknown) => {
    if (value === '')
      throw new Failure('usage', `${name} is empty`, { hint: 'give a value, or leave it out' })
    if (values?.includes(value) === false) {
      const near = nearest(value, values)
      const message = `invalid value '${cleanText(value, 80)}' for ${name}: expected one of ${values.join(', ')}`
      throw new Failure('usage', message, {
        hint: near === undefined ? 'give one of them' : `did you mean ${near}?`,
      })
    }
    return many === true ? [...(Array.isArray(before) ? before : []), value] : value
  })
}

function addOptions(command: ToolCommand, options: readonly ToolOption[]): void {
  for (const group of OPTION_GROUPS) {
    for (const option of options.filter(({ row }) => row.group === group)) {
      if (option.row.key === 'help' && !command.printsHelpOfOthers) command.addHelpOption(option)
      else command.addOption(option)
    }
  }
}

/** `matdecl help list` prints what `matdecl list --help` does. */
function addHelpCommand(program: ToolCommand, globals: readonly ToolOption[]): void {
  const help = program.command('help').summary('print the help of a command').argument('[COMMAND]')
  help.printsHelpOfOthers = true
  addOptions(help, globals)
  help.action((name: string | undefined) => {
    const command = name === undefined ? program : program.commands.find((one) => one.name() === name)
    if (command === undefined) program.refuseCommand(name!)
    ;(command as ToolCommand).wantsAll ||= help.wantsAll
    command.help()
  })
}

function addExamples(command: ToolCommand, examples: readonly Example[]): void {
  command.addHelpText(
    'before',
    () => `${createStyle(true, true).strong('Examples:')}\n${examplesText(examples)}`,
  )
}

// The first two lead the help.
function examplesText(examples: readonly Example[]): string {
  const lines = examples.slice(0, 2).map(({ line, does }) => `  ${line}\n      ${does}\n`)
  return lines.join('')
}

// Where the options are that the help leaves out, and what a download needs.
function moreHelp(command: ToolCommand): string {
  const setup = command.name() === COMMANDS[0]!.name ? SETUP : ''
  if (showsAll(command)) return setup
  const all = command.commonOptions === undefined ? '' : `\nMore options: ${pathOf(command)} --help-all`
  return `${all}\nGlobal options, such as --json, --quiet and --verbose: matdecl --help${setup}`
}

function showsAll({ wantsAll, parent }: ToolCommand): boolean {
  return wantsAll || (parent instanceof ToolCommand && showsAll(parent))
}

/** The common options, and the global ones with the program only. */
function visibleOptions(this: Help, command: Command): Option[] {
  const visible = Help.prototype.visibleOptions.call(this, command)
  if (!(command instanceof ToolCommand) || command.parent === null || showsAll(command)) return visible
  const { commonOptions } = command
  return visible.filter(
    (option) =>
      option instanceof ToolOption &&
      option.row.commands !== 'all' &&
      (commonOptions === undefined || commonOptions.includes(option)),
  )
}

/** `--api <v2|v1>`: what an option may be stands in its term, not once more behind its description. */
function helpTerm(option: Option): string {
  if (!(option instanceof ToolOption) || option.row.type.kind !== 'choice') return option.flags
  return option.flags.replace(`<${option.row.placeholder}>`, `<${valueTerm(option.row)}>`)
}

function helpText(option: Option): string {
  return option instanceof ToolOption ? optionSentence(option.row) : option.description
}

/** Few long terms do not take the room of all descriptions. */
function longestOptionTermLength(this: Help, command: Command, helper: Help): number {
  return Math.min(Help.prototype.longestOptionTermLength.call(this, command, helper), WIDEST_TERM)
}

const WIDEST_TERM = 28

/** Where there is no room beside the term, the description is below it. */
function formatItem(this: Help, term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? 80
  const isRoomy = width - termWidth - 4 >= this.minWidthToWrap && helper.displayWidth(term) <= termWidth
  if (isRoomy || description === '')
    return Help.prototype.formatItem.call(this, term, termWidth, description, helper)
  return `  ${term}\n${helper.boxWrap(description, width - 6).replace(/^/gm, '      ')}`
}

/** Two examples, the usage, and where to read more: for a call without arguments. */
export function shortHelp(program: ToolCommand): string {
  const usage = program.createHelp().commandUsage(program)
  return `Examples:\n${examplesText(COMMANDS[0]!.examples)}\nUsage: ${usage}\n\nRun matdecl --help for the commands and global options.${MORE}${SETUP}\n`
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
  root.refuseCommand(first)
}

function isHelpFlag(word: string): boolean {
  return word === '-h' || word === '--help' || word === '--help-all'
}

// The words that call a command, such as `matdecl config show`.
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** The command that was typed, for the result of a command line that is not valid; `error` when there is no such command. */
export function commandTyped(program: Command): string {
  const [first = ''] = program.args
  if (first === '' || first.startsWith('-')) return COMMANDS[0]!.name
  return COMMANDS.find(({ name }) => name === first)?.name ?? 'error'
}

/** The options typed so far, by key, before and after the command's name. Defaults are not among them. */
export function givenOptions(program: Command): CommandLine['given'] {
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
function checkGiven(given: CommandLine['given'], options: readonly OptionRow[]): void {
  for (const [name, variable] of Object.entries(SECRET_FLAGS)) {
    if (!given.has(camelCase(name))) continue
    throw new Failure(
      'usage',
      `there is no --${name} option: the process list and the shell history would show it`,
      {
        hint:
          name === 'apikey'
            ? `v2 takes a token instead: matdecl migrate turns a v1 request into the v2 command; for --api v1, set ${variable}`
            : `set ${variable}, or ${variable}_FILE to the path of a file with it`,
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
