import { escapeUnsafe } from './clean-text.ts'

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
