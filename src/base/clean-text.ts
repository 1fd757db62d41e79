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

/** A text from outside in single quotes, safe to show and at most `maxLength` characters long. */
export function quoteText(text: string, maxLength = 60): string {
  const safe = escapeUnsafe(text)
  return `'${safe.length > maxLength ? `${safe.slice(0, maxLength - 1)}…` : safe}'`
}
