import { COMMANDS, type CommandName } from './options/commands.ts'
import type { OptionRow } from './options/option-row.ts'
import { OPTIONS } from './options/options.ts'
import { SHELLS, type Shell } from './options/shells.ts'

/** What a first look at the arguments tells: which words are operands, where the options end, what was asked of the tool itself. */
export interface ArgvScan {
  /** Positions of operands before `--`. */
  readonly operandAt: readonly number[]
  /** Position of the `--` that ends the options, or the length of argv. */
  readonly endAt: number
  readonly wantsHelp: boolean
  readonly wantsVersion: boolean
}

/** What can be answered without settings: the tool's own help and version, a completion script, or nothing at all. */
export type QuickAsk =
  | { readonly kind: 'help'; readonly command: CommandName | undefined }
  | { readonly kind: 'version' }
  | { readonly kind: 'completion'; readonly shell: Shell }
  | { readonly kind: 'nothing' }

/** What of argv can be answered at once; undefined when a command is to be run, or something is wrong. */
export function quickAsk(argv: readonly string[]): QuickAsk | undefined {
  if (argv.length === 0) return { kind: 'nothing' }
  const scan = scanArgv(argv)
  const words = scan.operandAt.map((at) => argv[at]!)
  const asked = words[0] === 'help' ? words[1] : words[0]
  const command = COMMANDS.find(({ name }) => name === asked)?.name
  if (words[0] === 'help' && (asked === undefined || command !== undefined)) return { kind: 'help', command }
  if (scan.wantsHelp) return { kind: 'help', command }
  if (scan.wantsVersion) return { kind: 'version' }
  const shell = SHELLS.find((name) => name === words[1])
  return words[0] === 'completion' && shell !== undefined && argv.length === 2
    ? { kind: 'completion', shell }
    : undefined
}

/** The command that argv names, `download` when it names none, undefined when the name is wrong. */
export function commandIn(argv: readonly string[]): CommandName | undefined {
  const [first] = scanArgv(argv).operandAt
  return first === undefined ? 'download' : COMMANDS.find(({ name }) => name === argv[first])?.name
}

type Arity = 'none' | 'optional' | 'required'

/**
 * Reads argv by the arity of every option of every command, so that the command's name is found wherever it stands and
 * `-h` counts anywhere. Unknown options are taken to have no value.
 */
export function scanArgv(argv: readonly string[], table: readonly OptionRow[] = OPTIONS): ArgvScan {
  const arity = arities(table)
  const operandAt: number[] = []
  let wantsHelp = false
  let wantsVersion = false
  let at = 0
  for (; at < argv.length; at += 1) {
    const word = argv[at]!
    if (word === '--') break
    if (word === '-' || !word.startsWith('-')) {
      operandAt.push(at)
      continue
    }
    if (word.startsWith('--')) {
      wantsHelp ||= word === '--help'
      wantsVersion ||= word === '--version'
      if (!word.includes('=') && takesNext(arity.get(word), argv[at + 1])) at += 1
      continue
    }
    const cluster = scanCluster(word, arity)
    wantsHelp ||= cluster.letters.includes('h')
    wantsVersion ||= cluster.letters.includes('V')
    if (takesNext(cluster.last, argv[at + 1])) at += 1
  }
  return { operandAt, endAt: at, wantsHelp, wantsVersion }
}

function arities(table: readonly OptionRow[]): ReadonlyMap<string, Arity> {
  const map = new Map<string, Arity>()
  for (const row of table) {
    const arity = hasValue(row) ? (row.optionalValue === true ? 'optional' : 'required') : 'none'
    map.set(`--${row.name}`, arity)
    if (row.short !== undefined) map.set(`-${row.short}`, arity)
  }
  return map
}

/** True when the option is followed by a value. */
export function hasValue(row: OptionRow): boolean {
  return row.type.kind !== 'flag' && row.type.kind !== 'count'
}

function takesNext(arity: Arity | undefined, next: string | undefined): boolean {
  if (next === undefined) return false
  if (arity === 'required') return true
  return arity === 'optional' && (next === '-' || !next.startsWith('-'))
}

// `-qvx`: letters up to one that takes the rest of the word as its value.
function scanCluster(
  word: string,
  arity: ReadonlyMap<string, Arity>,
): { letters: string; last: Arity | undefined } {
  let letters = ''
  for (const [index, letter] of [...word.slice(1)].entries()) {
    letters += letter
    const one = arity.get(`-${letter}`)
    const isLast = index === word.length - 2
    if (one === 'required') return { letters, last: isLast ? 'required' : 'none' }
    if (isLast) return { letters, last: one }
  }
  return { letters, last: 'none' }
}
