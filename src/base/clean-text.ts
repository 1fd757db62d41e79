import stringWidth from 'fast-string-width'
import { distance } from 'fastest-levenshtein'

// Controls, line and paragraph separators, bidi controls (UAX #9), zero-width and other invisible characters, tag characters, lone
// surrogates.
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu

/**
 * Makes text from outside safe for a terminal, a log line or a report: whitespace is collapsed, other unsafe characters become
 * `\uXXXX`, and text longer than `maxLength` characters ends in an ellipsis.
 */
export function cleanText(text: string, maxLength = 300): string {
  // Only the beginning of a long text is examined.
  const most = maxLength * 4
  const oneLine = text.slice(0, most).replace(/[\t\n\v\f\r \u0085\u2028\u2029]+/g, ' ')
  const safe = escapeUnsafe(oneLine.trim())
  return safe.length > maxLength || text.length > most ? `${safe.slice(0, maxLength - 1)}…` : safe
}

/** Makes a name safe to show without loss: unsafe characters become `\uXXXX`. */
export function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0)!
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}

/**
 * Lines without what CI systems take for a command: `::` at the start of a line, and `##[`, `##vso[` and `##teamcity[` anywhere, as
 * GitHub Actions, Azure Pipelines and TeamCity do.
 */
export function withoutCommands(lines: string): string {
  return lines.replace(/^([^\S\n]*)(?=::)|(?<=#)(?=#(?:vso|teamcity)?\[)/gm, '$1\\')
}

/** A text from outside in single quotes, safe to show and at most `maxLength` characters long. */
export function quoteText(text: string, maxLength = 60): string {
  const safe = escapeUnsafe(text)
  return `'${safe.length > maxLength ? `${safe.slice(0, maxLength - 1)}…` : safe}'`
}

// Text of JSON that a terminal or an editor would not show as it is (see `UNSAFE`; other controls are escaped anyway), and the start
// of a command (see `withoutCommands`).
const ESCAPED_IN_JSON =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|#(?=#(?:vso|teamcity)?\[)/g

/** JSON for people and programs: what is invisible, changes the direction of writing or is a command of a CI system is `\uXXXX`. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(ESCAPED_IN_JSON, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** The columns of a terminal that a text without control characters takes. */
export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text)
}

const PLAIN = /^[ -~]*$/

/** A text of at most `width` columns; a longer one is cut between grapheme clusters and ends in the ellipsis. */
export function cutToWidth(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text
  const room = width - displayWidth(ellipsis)
  let cut = ''
  let used = 0
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    used += displayWidth(segment)
    if (used > room) break
    cut += segment
  }
  return room < 0 ? text.slice(0, width) : cut + ellipsis
}

/** Breaks text at spaces so that no line is wider than `width` columns, unless one word is. `indent` is before each line but the first. */
export function wrapText(text: string, width: number, indent = ''): string[] {
  const [first = '', ...words] = text.split(' ')
  const lines = [first]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (displayWidth(longer) <= width || longer.trim() === word) lines[lines.length - 1] = longer
    else lines.push(`${indent}${word}`)
  }
  return lines
}

/**
 * A line of a message for a terminal: what follows its first line is indented by two columns more. A command to type is never broken:
 * if it does not fit, it begins a line.
 */
export function wrapSummary(line: string, width: number): string[] {
  const [leading = ''] = /^ */.exec(line) ?? []
  const glued = line.replace(COMMAND, (command) => command.replaceAll(' ', GLUE))
  return wrapText(glued, width, `${leading}  `).map((one) => one.replaceAll(GLUE, ' '))
}

/** After a colon a command ends at a semicolon; elsewhere it is the program, its subcommands and its options. */
const COMMAND =
  /(?<=: )(?:matdecl|chmod|icacls|sudo|ulimit) [^;]*[^;\s]|\bmatdecl [a-z]+(?: (?:init|show|path)\b)?(?: --?[a-z][\w-]*)*/g
/** A character of one column that no text has. */
const GLUE = '\ue000'

/** The known word that `word` is probably a typo of, or the only one it begins, ignoring case. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const far = edits(lower, candidate.toLowerCase())
    if (far < bestDistance && far < word.length) {
      best = candidate
      bestDistance = far
    }
  }
  const [longer, other] = known.filter((one) => one.toLowerCase().startsWith(lower))
  return best ?? (other === undefined && word.length > 3 ? longer : undefined)
}

// Edit distance in which two swapped neighbors count as one edit.
function edits(word: string, other: string): number {
  const at = [...word].findIndex((letter, index) => letter !== other[index])
  const swapped = `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`
  return at >= 0 && swapped === other ? 1 : distance(word, other)
}

/** The texts joined to longer ones of at least `length` characters: writing each by itself would take most of the time. */
export function* joinTexts(texts: Iterable<string>, length = 65_536): Generator<string> {
  let joined = ''
  for (const text of texts) {
    joined += text
    if (joined.length < length) continue
    yield joined
    joined = ''
  }
  if (joined !== '') yield joined
}
