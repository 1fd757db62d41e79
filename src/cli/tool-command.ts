import { Argument, Command, CommanderError, Help, type HelpContext, Option } from 'commander'
import { cleanText, nearest } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { Example, Operand } from '../reference/command-row.ts'
import type { Offer } from '../reference/offer.ts'
import type { OptionRow } from '../reference/option-row.ts'
import { defaultText, takesValue } from '../reference/option-words.ts'

/** A command of commander's whose errors are Failures of kind `usage`, and which knows the operands after `--`. */
export class ToolCommand extends Command {
  examples: readonly Example[] = []
  operandsAfterDashes = false
  private afterDashes: readonly string[] = []
  /** Adds the options when the command is used: commander compares each new one with all others, for every command. */
  addLater: (() => void) | undefined
  /** Help shows every option, the global ones too. */
  wantsAll = false

  override createCommand(name?: string): ToolCommand {
    return new ToolCommand(name)
  }

  private addOptions(): void {
    const add = this.addLater
    this.addLater = undefined
    add?.()
  }

  override parseOptions(argv: string[]): { operands: string[]; unknown: string[] } {
    this.addOptions()
    const { operands, unknown } = super.parseOptions(argv)
    if (this.parent === null && operands[0] === 'help') return this.parseHelpWords(operands.slice(1))
    if (this.opts().version) throw new CommanderError(0, 'commander.version', '')
    if (this.asksForAll(operands, unknown)) super.help()
    const end = argv.indexOf('--')
    const tail = end === -1 ? [] : argv.slice(end + 1)
    const isTail = tail.length > 0 && tail.every((word, at) => word === operands.at(at - tail.length))
    // Without a command before `--`, what follows belongs to the default command.
    if (isTail && this.parent === null && operands.length === tail.length) {
      return { operands: [], unknown: ['--', ...tail] }
    }
    if (isTail) this.afterDashes = tail
    return this.commands.length > 0
      ? { operands, unknown }
      : { operands, unknown: this.withoutValue(unknown) }
  }

  /** True when help with every option was requested. */
  get showsAll(): boolean {
    return this.wantsAll || (this.parent instanceof ToolCommand && this.parent.showsAll)
  }

  /** The options of the short help by name; all but the global ones unless set. */
  commonOptions: ReadonlySet<string> | undefined

  override createHelp(): Help {
    this.addOptions()
    return Object.assign(new ToolHelp(), this.configureHelp())
  }

  // A command of this command, or the default one, prints its own help.
  private asksForAll(operands: readonly string[], unknown: readonly string[]): boolean {
    const end = unknown.indexOf('--')
    const words = end === -1 ? unknown : unknown.slice(0, end)
    this.wantsAll ||= this.opts().helpAll !== undefined || words.includes(HELP_ALL)
    if (!this.wantsAll || (this.commands.length > 0 && operands.length > 0)) return false
    return this.parent !== null || unknown.length === 0
  }

  /** Reads this command's options wherever they are among `words`; returns the other words. */
  readOptions(words: readonly string[]): string[] {
    const others: string[] = []
    let rest = [...words]
    while (rest.length > 0) {
      const { operands, unknown } = super.parseOptions(rest)
      others.push(...operands)
      if (operands.length === 0) others.push(...unknown.splice(0, 1))
      rest = unknown
    }
    return others
  }

  // commander takes every word after `help` for the name of a command.
  private parseHelpWords(words: readonly string[]): { operands: string[]; unknown: string[] } {
    const others = this.readOptions(words)
    this.wantsAll ||= this.opts().helpAll !== undefined
    const flag = others.find((word) => word.startsWith('-'))
    if (flag !== undefined && this.opts().help === undefined) this.error(`unknown option '${flag}'`)
    return { operands: ['help', ...others.filter((word) => !word.startsWith('-'))], unknown: [] }
  }

  // The value in `--unknown=value` may be a secret: the error names the option alone.
  private withoutValue(unknown: string[]): string[] {
    const [first = '', ...rest] = unknown
    const flag = first.split('=', 1)[0]!
    if (flag === first || rest.some(isHelpFlag)) return unknown
    if (this.options.some(({ long }) => long === flag)) this.error(`option '${flag}' takes no value`)
    return [flag, ...rest]
  }

  override error(message: string): never {
    const at = message.lastIndexOf('\n(Did you mean ')
    const sentence = (at === -1 ? message : message.slice(0, at)).replace('error: ', '')
    // The value in `--unknown=value` may be a secret.
    const short = sentence.replace(/^(unknown option '[^=]*)=.*/s, "$1'")
    const text = cleanText(
      short.replace(/\. Expected (\d+) arguments? but got (\d+)\.$/, ': $2, not $1'),
      300,
    )
    const what = this.commands.length > 0 ? 'commands' : 'options'
    throw new Failure('usage', text, {
      hint: at === -1 ? `${pathOf(this)} --help lists the ${what}` : `d${message.slice(at + 3, -1)}`,
    })
  }

  /** The operands; those after `--` apart for a command that reads operands only there. */
  splitOperands(): { operands: readonly string[]; afterDashes: readonly string[] } {
    if (!this.operandsAfterDashes) return { operands: this.args, afterDashes: [] }
    const { args, afterDashes } = this
    return { operands: args.slice(0, args.length - afterDashes.length), afterDashes }
  }

  /** Fails with the nearest command as the hint. */
  unknownName(name: string): never {
    const near = nearest(
      name,
      this.commands.map((one) => one.name()),
    )
    return this.error(
      `unknown command '${name}'${near === undefined ? '' : `\n(Did you mean matdecl ${near}?)`}`,
    )
  }

  override help(context?: HelpContext | ((text: string) => string)): never {
    if (typeof context !== 'object' || context.error !== true) return super.help(context as HelpContext)
    if (this.parent === null) return this.unknownName(this.args[1] ?? '')
    throw new Failure('usage', `missing command after '${this.name()}'`, {
      hint: `expected one of ${this.commands.map((command) => command.name()).join(', ')}`,
    })
  }
}

/** Help of commands that have many options: the common ones, and the global ones with the program only. */
class ToolHelp extends Help {
  // What commander suggests for a mistyped option is looked for among all of them.
  private isPrinting = false

  override formatHelp(command: Command, helper: Help): string {
    this.isPrinting = true
    return super.formatHelp(command, helper)
  }

  // Where there is no room beside the term, the description is below it.
  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = helper.helpWidth ?? 80
    const isRoomy = width - termWidth - 4 >= (this.minWidthToWrap ?? 0)
    if (isRoomy || description === '') return super.formatItem(term, termWidth, description, helper)
    return `  ${term}\n${helper.boxWrap(description, width - 6).replace(/^/gm, '      ')}`
  }

  override visibleOptions(command: Command): Option[] {
    const visible = super.visibleOptions(command)
    if (!this.isPrinting || !(command instanceof ToolCommand)) return visible
    if (command.parent === null || command.showsAll) return visible
    return visible.filter((option) => option instanceof ToolOption && isInShortHelp(option, command))
  }
}

function isInShortHelp(option: ToolOption, command: ToolCommand): boolean {
  if (option.row.commands === 'all') return false
  return command.commonOptions?.has(option.row.name) ?? true
}

/** An option of the table. Its values are collected as typed, and checked later together with variables and file. */
export class ToolOption extends Option {
  readonly row: OptionRow

  constructor(row: OptionRow) {
    const value = takesValue(row) ? (row.optionalValue === true ? ' [VALUE]' : ' <VALUE>') : ''
    const flags = `${row.short === undefined ? '' : `-${row.short}, `}--${row.name}${value}`
    super(flags.replace('VALUE', row.placeholder ?? 'VALUE'), row.help)
    this.row = row
    this.helpGroup(`${row.group}:`)
    if (row.type.kind === 'choice') this.choices(row.type.values)
    if ('default' in row.type) this.default(row.type.default, defaultText(row))
    if (row.conflicts !== undefined) this.conflicts([...row.conflicts])
    this.argParser(collect)
  }

  // commander would merge `--no-color` with `--color`.
  override attributeName(): string {
    return this.row.key
  }
}

function collect(value: string | undefined, before: unknown): (string | true)[] {
  return [...(Array.isArray(before) ? before : []), value ?? true]
}

/** An operand with what shells complete it with. */
export class ToolArgument extends Argument {
  readonly offers: Offer | undefined

  constructor({ name, required, many, values, offers }: Operand) {
    const word = `${name}${many === true ? '...' : ''}`
    super(required ? `<${word}>` : `[${word}]`)
    this.offers = offers
    if (values !== undefined) this.choices(values)
    this.argParser((value, before: unknown) => {
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
}

const HELP_ALL = '--help-all'

/** True for the flags that ask for help. */
export function isHelpFlag(word: string): boolean {
  return word === '-h' || word === '--help' || word === HELP_ALL
}

/** The words that call a command, such as `matdecl config show`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}
