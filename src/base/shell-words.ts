import { escapeUnsafe } from './clean-text.ts'

/** Marks around a variable or command substitution, which only a shell can evaluate. */
export const SUBSTITUTION = { start: '\ufffe', end: '\uffff' } as const

/** The words of the first command in a shell text, or why it cannot be split. */
type ShellWords = { readonly words: readonly string[] } | { readonly reason: string }

/**
 * Splits a command line as a POSIX shell does (XCU 2.2): quotes (`$'…'` too), backslashes, comments, line continuations (also
 * `^` and backtick of the Windows shells). Nothing is evaluated: a substitution keeps its source between the marks of
 * `SUBSTITUTION`. The first command ends at a pipe, `;`, `&`, a redirection or the end of its line.
 */
export function shellWords(text: string): ShellWords {
  const words: string[] = []
  let word: string | undefined
  let at = 0
  while (at < text.length) {
    const piece = takePiece(text, at, word === undefined)
    if ('reason' in piece) return piece
    at = piece.end
    if (piece.kind === 'text') {
      word = (word ?? '') + piece.text
      continue
    }
    if (word !== undefined) words.push(word)
    word = undefined
    if (piece.kind === 'end' && words.length > 0) return { words }
  }
  return { words: word === undefined ? words : [...words, word] }
}

type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly end: number }
  | { readonly kind: 'gap' | 'end'; readonly end: number }
  | { readonly reason: string }

function takePiece(text: string, at: number, isWordStart: boolean): Piece {
  const rest = /^(?:[\\^`]\r?\n|[ \t\r]+)/.exec(text.slice(at, at + 256))
  if (rest) return { kind: 'gap', end: at + rest[0].length }
  const character = text[at]!
  if (character === '#' && isWordStart) return { kind: 'gap', end: endOfLine(text, at) }
  if ('\n|;&<>'.includes(character)) return { kind: 'end', end: at + 1 }
  if (character === "'") return quoted(text, at + 1, "'", (inner) => inner)
  if (text.startsWith("$'", at)) return ansiQuoted(text, at + 2)
  if (character === '"') return doubleQuoted(text, at + 1)
  if (text.startsWith('$"', at)) return doubleQuoted(text, at + 2)
  if (character === '$' || character === '`') return substitution(text, at)
  if (character === '\\' && at + 1 < text.length) return { kind: 'text', text: text[at + 1]!, end: at + 2 }
  return { kind: 'text', text: character, end: at + 1 }
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

function quoted(text: string, start: number, mark: string, read: (inner: string) => string): Piece {
  const end = text.indexOf(mark, start)
  if (end < 0) return { reason: `a ${mark} is not closed` }
  return { kind: 'text', text: read(text.slice(start, end)), end: end + 1 }
}

function doubleQuoted(text: string, start: number): Piece {
  let inner = ''
  let at = start
  while (at < text.length) {
    const character = text[at]!
    if (character === '"') return { kind: 'text', text: inner, end: at + 1 }
    if (character === '\\' && '$`"\\\n'.includes(text[at + 1] ?? ' ')) {
      inner += text[at + 1] === '\n' ? '' : text[at + 1]
      at += 2
    } else if (character === '$' || character === '`') {
      const piece = substitution(text, at)
      if ('reason' in piece || piece.kind !== 'text') return piece
      inner += piece.text
      at = piece.end
    } else {
      inner += character
      at += 1
    }
  }
  return { reason: 'a " is not closed' }
}

// `$NAME`, `${…}`, `$(…)` and backticks; before anything else, a dollar is literal.
function substitution(text: string, at: number): Piece {
  const match = /^(?:\$[A-Za-z_]\w*|\$[0-9@*#?$!-]|\$\{[^}]*\}|`[^`]*`)/.exec(text.slice(at, at + 4_096))
  if (match) return substituted(match[0], at)
  if (text[at] === '`') return { reason: 'a ` is not closed' }
  if (!text.startsWith('$(', at)) return { kind: 'text', text: '$', end: at + 1 }
  let depth = 0
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === '(') depth += 1
    else if (text[end] === ')') depth -= 1
    if (depth === 0) return substituted(text.slice(at, end + 1), at)
  }
  return { reason: 'a $( is not closed' }
}

function substituted(source: string, at: number): Piece {
  return { kind: 'text', text: `${SUBSTITUTION.start}${source}${SUBSTITUTION.end}`, end: at + source.length }
}

const ANSI: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

function ansiQuoted(text: string, start: number): Piece {
  const end = /(?:[^\\']|\\[\s\S])*'/y
  end.lastIndex = start
  if (!end.test(text)) return { reason: "a $' is not closed" }
  const inner = text.slice(start, end.lastIndex - 1)
  const read = inner.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([\s\S]))/g,
    (whole, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      const code = hex ?? short ?? long
      if (code !== undefined) return fromCode(Number.parseInt(code, 16))
      if (octal !== undefined) return fromCode(Number.parseInt(octal, 8))
      if (letter !== undefined && `'"\\?`.includes(letter)) return letter
      return ANSI[letter ?? ''] ?? whole
    },
  )
  return { kind: 'text', text: read, end: end.lastIndex }
}

function fromCode(code: number): string {
  return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
}

/** The words of a text with quotes as in a shell; knows no backslashes, no variables and no pipes. */
export function plainWords(text: string): string[] {
  const words: string[] = []
  for (const match of text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)) {
    words.push(
      match[0].replace(
        /"([^"]*)"|'([^']*)'/g,
        (_, double?: string, single?: string) => double ?? single ?? '',
      ),
    )
  }
  return words
}

/** Quotes a word for bash and zsh, with unsafe and invisible characters escaped in `$'…'` quotes. */
export function visibleQuote(text: string): string {
  if (escapeUnsafe(text) === text) return shellQuote(text)
  const inner = text
    .replace(/[\\']/g, (character) => `\\${character}`)
    .replace(/[\s\S]/gu, (character) => {
      if (escapeUnsafe(character) === character) return character
      const code = character.codePointAt(0)!
      return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`
    })
  return `$'${inner}'`
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}

/** Quotes a word for a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Quotes a word for PowerShell, in which typographic quotes are quotes too, with unsafe and invisible characters as `[char]`. */
export function powershellQuote(text: string): string {
  if (/^[\w%+=:./\\-]+$/.test(text) && !text.startsWith('%')) return text
  if (escapeUnsafe(text) === text) return `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`
  const inner = text.replace(/[\s\S]/gu, (character) => {
    if (/["`$\u201c-\u201e]/.test(character)) return `\`${character}`
    if (escapeUnsafe(character) === character) return character
    return [...character.split('')].map((unit) => `$([char]0x${hex(unit.charCodeAt(0), 4)})`).join('')
  })
  return `"${inner}"`
}

/** Quotes a word for PowerShell and the Command Prompt alike, where both can read it; else for PowerShell. */
function windowsQuote(text: string): string {
  const isBoth = /^[^"$`%\u201c-\u201e]*(?<!\\)$/.test(text) && escapeUnsafe(text) === text && text !== ''
  const quoted = powershellQuote(text)
  return isBoth && quoted !== text ? `"${text}"` : quoted
}

/** How words are quoted for the shell that people use on a platform. */
export function quoteFor(platform: NodeJS.Platform): (text: string) => string {
  return platform === 'win32' ? windowsQuote : visibleQuote
}
