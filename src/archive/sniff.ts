import { findSignature } from '../base/file-signatures.ts'

/** What a file looks like by its first bytes; undefined when it may be a ZIP archive. */
export function looksLike(head: Buffer): string | undefined {
  if (head.length === 0) return 'it is empty (0 bytes)'
  const signature = findSignature(head)
  if (signature?.format === 'zip' || signature?.format === 'empty-zip') return undefined
  if (signature !== undefined) return `it looks like ${signature.what}`
  if (head.subarray(257, 262).toString('latin1') === 'ustar') return 'it looks like a tar archive'
  if (head.every((byte) => byte === 0)) return 'it starts with zeros only'
  return textKind(head) ?? 'it does not start with an entry'
}

function textKind(head: Buffer): string | undefined {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  const text = (isUtf16 ? head.toString('utf16le') : head.toString('utf8')).replace(/^\ufeff/, '').trimStart()
  if (/^<(?:!doctype\s+html|html|head|body)\b/i.test(text))
    return 'it is a web page (HTML), probably a login page'
  if (/^<[?!a-z]/i.test(text)) return 'it looks like XML'
  if (/^[[{]\s*["[{\]}\d]/.test(text)) return 'it looks like JSON'
  return /^[\t\n\r\x20-\x7e]{4,}$/.test(head.subarray(0, 64).toString('latin1'))
    ? 'it looks like plain text'
    : undefined
}
