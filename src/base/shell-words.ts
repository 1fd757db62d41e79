import { escapeUnsafe } from './clean-text.ts'

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
