import { formatCount } from '../base/units.ts'

// Servers accept 8 to 16 KiB of headers.
const LONGEST = 16_384
/** A line of a shell, an `.env` or config file, or a header, instead of its value. */
const NAMED =
  /^(?:(?:export|set|setx|declare -x)\s+|\$env:)?["']?((?:[A-Z]+[_-]){0,3}(?:token|api[_-]?key)|authorization)["']?\s*(?:[=:]|\s(?=["']))/i

/**
 * Checks a secret for a header: drops whitespace around it and a pasted `Bearer `; the rest must be visible ASCII (RFC 9110 §5.5)
 * without a name before it.
 * The reason never quotes the secret.
 */
export function checkToken(text: string): { readonly token: string } | { readonly reason: string } {
  const token = text.trim().replace(/^bearer\s+/i, '')
  if (token === '' || /^bearer$/i.test(token)) return { reason: 'is empty' }
  if (/^(["']).*\1$/s.test(token)) return { reason: 'is in quotes: remove them' }
  const name = NAMED.exec(token)?.[1]
  if (name !== undefined) return { reason: `has the name ${name} before its value: keep only the value` }
  if (/^\{.*\}$/s.test(token)) return { reason: 'is a JSON object: keep only the value' }
  if (/[\r\n]/.test(token)) return { reason: 'has more than one line' }
  if (/\s/.test(token)) return { reason: 'contains whitespace' }
  if (/[\u0000-\u001f\u007f]/.test(token)) return { reason: 'contains a control character' }
  if (token.length > LONGEST) return { reason: `is longer than ${formatCount(LONGEST)} characters` }
  if (/[^\u0021-\u007e]/.test(token)) return { reason: 'contains a character that is not ASCII' }
  return { token }
}
