/**
 * Checks a secret that is to go into a header: surrounding white space and a pasted `Bearer ` are dropped; what is left must be
 * visible ASCII (RFC 6750 §2.1 allows less, RFC 9110 §5.5 no more). The reason never repeats the text.
 */
export function checkToken(text: string): { readonly token: string } | { readonly reason: string } {
  const token = text.trim().replace(/^bearer\s+/i, '')
  if (token === '' || /^bearer$/i.test(token)) return { reason: 'is empty' }
  if (/^(["']).*\1$/s.test(token)) return { reason: 'stands in quotes: remove them' }
  if (/[\r\n]/.test(token)) return { reason: 'has more than one line' }
  if (/\s/.test(token)) return { reason: 'contains white space' }
  if (/[\u0000-\u001f\u007f]/.test(token)) return { reason: 'contains a control character' }
  if (/[^\u0021-\u007e]/.test(token)) return { reason: 'contains a character that is not ASCII' }
  return { token }
}
