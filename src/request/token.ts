import { formatCount } from '../base/units.ts'

// Servers accept 8 to 16 KiB of headers.
const LONGEST = 16_384

/**
 * Checks a secret for a header: drops whitespace around it and a pasted `Bearer `; the rest must be visible ASCII (RFC 9110 §5.5).
 * The reason never quotes the secret.
 */
export function checkToken(text: string): { readonly token: string } | { readonly reason: string } {
  const token = text.trim().replace(/^bearer\s+/i, '')
  if (token === '' || /^bearer$/i.test(token)) return { reason: 'is empty' }
  if (/^(["']).*\1$/s.test(token)) return { reason: 'is in quotes: remove them' }
  if (/[\r\n]/.test(token)) return { reason: 'has more than one line' }
  if (/\s/.test(token)) return { reason: 'contains whitespace' }
  if (/[\u0000-\u001f\u007f]/.test(token)) return { reason: 'contains a control character' }
  if (token.length > LONGEST) return { reason: `is longer than ${formatCount(LONGEST)} characters` }
  if (/[^\u0021-\u007e]/.test(token)) return { reason: 'contains a character that is not ASCII' }
  return { token }
}
