import { escapeUnsafe } from './clean-text.ts'

/**
 * A word that bash, zsh and fish's kin read back as exactly this text, and that a person can read: what a terminal would
 * hide or obey is written out, in `$'…'` quotes.
 */
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

/** A word that a POSIX shell reads back as exactly this text. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
