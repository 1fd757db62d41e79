import { formatBytes, typedDuration } from '../base/units.ts'
import { COMMANDS, type CommandName, type CommandRow } from '../cli/options/commands.ts'
import type { OptionGroup, OptionRow } from '../cli/options/option-row.ts'
import { OPTIONS, optionsOf } from '../cli/options/options.ts'
import { wrap } from './wrap.ts'

/** How headings and names are dressed; the identity for a pipe. */
export interface HelpStyle {
  readonly strong: (text: string) => string
  readonly name: (text: string) => string
}

const PLAIN: HelpStyle = { strong: (text) => text, name: (text) => text }
const NARROWEST = 40
const WIDEST = 110
/** The groups of options, in the order help shows them. */
export const GROUP_ORDER: readonly OptionGroup[] = [
  'What to ask for',
  'Where it goes',
  'What to unpack',
  'The report',
  'The comparison',
  'How much and how fast',
  'The way to the service',
  'The miniature service',
  'Limits on archives',
  'Secrets',
  'Everywhere',
]

/** The help of the tool itself: what it is for, two examples, the commands, the options every command has. */
export function overviewHelp(columns: number, style: HelpStyle = PLAIN): string {
  const width = clampWidth(columns)
  const lines = [
    ...wrap(
      'matdecl fetches material declarations (IPC-1752A/B) from a supplier compliance service and makes them safe to rely on.',
      width,
    ),
    '',
    style.strong('Examples'),
    ...exampleLines(row('download').examples.slice(0, 2), width, style),
    '',
    style.strong('Commands'),
    ...columnsOf(
      COMMANDS.map(({ name, summary }) => [name, summary]),
      width,
      style,
    ),
    '',
    ...groupLines('Everywhere', optionsOf('').concat(ALWAYS), width, style),
    '',
    ...wrap(
      '`matdecl COMMAND --help` tells the options of a command; a command line without a command downloads. More in the manual page, man matdecl, and in README.md of the package.',
      width,
    ),
  ]
  return `${lines.join('\n')}\n`
}

/** The help of one command: usage, two examples, what it does, its options by group. */
export function commandHelp(
  name: CommandName,
  columns: number,
  style: HelpStyle = PLAIN,
  table: readonly OptionRow[] = OPTIONS,
): string {
  const width = clampWidth(columns)
  const command = row(name)
  const options = [...optionsOf(name, table), ...ALWAYS]
  const lines = [
    `${style.strong('Usage')} ${usageLine(command)}`,
    '',
    ...exampleLines(command.examples, width, style),
    '',
    ...wrap(command.description, width),
  ]
  for (const group of GROUP_ORDER) {
    const rows = options.filter((option) => option.group === group)
    if (rows.length > 0) lines.push('', ...groupLines(group, rows, width, style))
  }
  return `${lines.join('\n')}\n`
}

/** The few lines shown when nothing was asked. */
export function shortHelp(columns: number, style: HelpStyle = PLAIN): string {
  const width = clampWidth(columns)
  const lines = [
    'matdecl fetches material declarations and makes them safe to rely on.',
    '',
    ...exampleLines(row('download').examples.slice(0, 2), width, style),
    '',
    'matdecl --help lists the commands, matdecl COMMAND --help their options.',
  ]
  return `${lines.join('\n')}\n`
}

/** `matdecl extract ARCHIVE [DIR] [options]`, `matdecl config show|path|init [options]`. */
export function usageLine(command: CommandRow): string {
  const operands = command.operands.map((operand) => {
    const word = `${operand.values?.join('|') ?? operand.name}${operand.many === true ? '…' : ''}`
    return operand.required ? word : `[${word}]`
  })
  return ['matdecl', command.name, ...operands, '[options]'].join(' ')
}

/** `-o, --output PATH`, as help shows an option. */
export function optionTerm(option: OptionRow): string {
  const value = valueTerm(option)
  return `${option.short === undefined ? '' : `-${option.short}, `}--${option.name}${value === '' ? '' : ` ${value}`}`
}

/** `PATH`, `[DIR]`, `C|D|checkDthenC`, or nothing for a flag. */
export function valueTerm(option: OptionRow): string {
  if (option.type.kind === 'flag' || option.type.kind === 'count') return ''
  const word = option.type.kind === 'choice' ? option.type.values.join('|') : (option.placeholder ?? 'VALUE')
  return option.optionalValue === true ? `[${word}]` : word
}

/** The help sentence with the default, where there is one. */
export function optionSentence(option: OptionRow): string {
  const shown = defaultText(option)
  return shown === undefined ? option.help : `${option.help} (default ${shown})`
}

/** A default as a user would type it; undefined where there is none to tell. */
export function defaultText(option: OptionRow): string | undefined {
  const type = option.type
  if (!('default' in type) || type.default === undefined) return undefined
  if (type.kind === 'size') return formatBytes(type.default).replace('.0 ', ' ')
  if (type.kind === 'duration') return typedDuration(type.default)
  return String(type.default)
}

/** The two options that no table row stands for, since they end the run before any setting is read. */
export const ALWAYS: readonly OptionRow[] = [
  {
    key: 'version',
    name: 'version',
    short: 'V',
    type: { kind: 'flag' },
    group: 'Everywhere',
    commands: 'all',
    from: ['flag'],
    help: 'print the version; with --json also Node, platform and commit',
  },
  {
    key: 'help',
    name: 'help',
    short: 'h',
    type: { kind: 'flag' },
    group: 'Everywhere',
    commands: 'all',
    from: ['flag'],
    help: 'print this help',
  },
]

function row(name: CommandName): CommandRow {
  return COMMANDS.find((command) => command.name === name)!
}

function clampWidth(columns: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, columns > 0 ? columns : 80))
}

function exampleLines(examples: CommandRow['examples'], width: number, style: HelpStyle): string[] {
  return examples.flatMap(({ line, does }) => [
    `  ${style.name(line)}`,
    ...wrap(does, width - 6).map((text) => `      ${text}`),
  ])
}

function groupLines(title: string, rows: readonly OptionRow[], width: number, style: HelpStyle): string[] {
  return [
    style.strong(title),
    ...columnsOf(
      rows.map((option) => [optionTerm(option), optionSentence(option)]),
      width,
      style,
    ),
  ]
}

// Two columns; where the terminal is narrow or the term long, the sentence goes below.
function columnsOf(rows: readonly (readonly [string, string])[], width: number, style: HelpStyle): string[] {
  const longest = Math.max(...rows.map(([term]) => term.length))
  const gap = Math.min(longest, Math.floor(width * 0.38)) + 4
  const lines: string[] = []
  for (const [term, sentence] of rows) {
    const text = wrap(sentence, width - gap)
    const fits = term.length + 4 <= gap
    lines.push(`  ${style.name(term)}${fits ? ' '.repeat(gap - 2 - term.length) + text.shift() : ''}`)
    for (const line of text) lines.push(`${' '.repeat(gap)}${line}`)
  }
  return lines
}
