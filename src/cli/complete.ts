import { isFailure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { operandsOf } from './command.ts'
import { COMMANDS } from './commands/commands.ts'
import { type Offer, type OptionRow, offerOf, takesValue } from './option-row.ts'
import { OPTIONS, optionsOf } from './options.ts'

/** A word with its description. */
type Candidate = readonly [word: string, does: string]

/**
 * What completes the last of these words of a command line, for the scripts in `completions/`. The first line is `words`,
 * `directories`, or `files` with the extensions, which the shell looks for itself; the words that can follow are below it, each
 * with its description after a tab. The last word has a dot before it, since PowerShell 5 drops empty arguments.
 */
export async function completionLines(world: World, line: readonly string[]): Promise<string> {
  const words = joinedAtEquals([...line.slice(0, -1), (line.at(-1) ?? '').slice(1)])
  const word = words.pop() ?? ''
  const { command, operands, pending, isAfterDashes } = readWords(words)
  const rows = optionsOf(command ?? 'download')
  const valuesOf = (flag: string, typed: string, before: string): Promise<string> => {
    const row = rows.find((one) => spellings(one).includes(flag))
    return offerLines(world, words, row && offerOf(row), typed, before)
  }
  const isFlag = word.startsWith('-') && !isAfterDashes
  const [, flag, value] = (isFlag && /^(--[\w-]+)=(.*)$/s.exec(word)) || []
  if (flag !== undefined) return valuesOf(flag, value!, `${flag}=`)
  if (pending !== undefined && !(isFlag && pending.isOptional)) return valuesOf(pending.flag, word, '')
  if (isFlag)
    return wordLines(
      rows.flatMap((row) => spellings(row).map((one) => [one, row.help])),
      word,
    )
  if ((command === undefined && !isAfterDashes) || command === 'help') {
    const names = COMMANDS.map(({ name, summary }): Candidate => [name, summary])
    return wordLines([...names, ['help', 'print the help of a command']], word)
  }
  return offerLines(world, words, operandOffer(command, operands), word, '')
}

/** Where the words lead: the command, the number of operands after it, and an option that still needs its value. */
function readWords(words: readonly string[]) {
  let command: string | undefined
  let operands = 0
  let isAfterDashes = false
  let pending: { readonly flag: string; readonly isOptional: boolean } | undefined
  for (const word of words) {
    const isValue = pending !== undefined && !(pending.isOptional && word.startsWith('-'))
    pending = undefined
    if (isValue) continue
    if (!isAfterDashes && word.startsWith('-')) {
      isAfterDashes = word === '--'
      // An option before the command may be one of any command.
      const row = (OPTIONS as readonly OptionRow[]).find((one) => spellings(one).includes(word))
      if (row !== undefined && takesValue(row)) pending = { flag: word, isOptional: row.takesOptionalValue }
    } else if (command === undefined && !isAfterDashes) command = word
    else operands += 1
  }
  return { command, operands, isAfterDashes, pending }
}

/** `--output`, and `-o` where there is one. */
function spellings({ name, short }: OptionRow): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
}

function operandOffer(command: string | undefined, at: number): Offer | undefined {
  const definition = COMMANDS.find(({ name }) => name === command)
  if (definition === undefined) return undefined
  const operands = operandsOf(definition)
  const last = operands.at(-1)
  const operand = operands[at] ?? (last?.many === true ? last : undefined)
  return operand?.values === undefined ? operand?.offers : { kind: 'words', words: operand.values }
}

async function offerLines(
  world: World,
  words: readonly string[],
  offer: Offer | undefined,
  typed: string,
  before: string,
): Promise<string> {
  switch (offer?.kind) {
    case 'files':
      return `${['files', ...offer.endings].join(' ')}\n`
    case 'directories':
      return 'directories\n'
    case 'profiles':
      return wordLines(await profileNames(world, words), typed, before)
    case 'words': {
      const done = offer.isList === true ? typed.slice(0, typed.lastIndexOf(',') + 1) : ''
      const next = offer.words.map((one): Candidate => [one, ''])
      return wordLines(next, typed.slice(done.length), before + done)
    }
    case undefined:
      return wordLines([], typed)
  }
}

function wordLines(candidates: readonly Candidate[], typed: string, before = ''): string {
  const fitting = candidates.filter(([word]) => word.startsWith(typed))
  return ['words', ...fitting.map(([word, does]) => `${before}${word}\t${does}`)]
    .map((one) => `${one}\n`)
    .join('')
}

/** The profiles of the config file that the words or the environment name; none when it cannot be read. */
async function profileNames(world: World, words: readonly string[]): Promise<readonly Candidate[]> {
  const { readConfigFile } = await import('./settings/config-file.ts')
  const at = words.findLastIndex((word) => word === '--config' || word.startsWith('--config='))
  const typed = words[at]?.split('=')[1] ?? (at === -1 ? undefined : words[at + 1])
  try {
    const file = await readConfigFile(world, typed ?? (world.env.MATDECL_CONFIG || undefined))
    return [...(file?.profiles.keys() ?? [])].map((name) => [name, ''])
  } catch (error) {
    if (isFailure(error)) return []
    throw error
  }
}

/** bash takes `--option=value` for three words. */
function joinedAtEquals(words: readonly string[]): string[] {
  const joined: string[] = []
  for (const word of words) {
    const before = joined.at(-1) ?? ''
    const continues = /^--[\w-]+$/.test(before) ? word === '=' : /^--[\w-]+=$/.test(before)
    if (continues) joined[joined.length - 1] = before + word
    else joined.push(word)
  }
  return joined
}
