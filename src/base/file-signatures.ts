/** A file format that is known by its first bytes. */
export type FileFormat = (typeof SIGNATURES)[number][0]

/** What a file is, by its first bytes. */
interface FileSignature {
  readonly format: FileFormat
  readonly what: string
}

const SIGNATURES = [
  ['zip', 'PK\x03\x04', 'a ZIP archive'],
  ['empty-zip', 'PK\x05\x06', 'an empty ZIP archive'],
  ['split-zip', 'PK\x07\x08', 'one part of an archive split over several files'],
  ['split-zip', 'PK00', 'one part of an archive split over several files'],
  ['gzip', '\x1f\x8b', 'gzip data'],
  ['7z', '7z\xbc\xaf\x27\x1c', 'a 7z archive'],
  ['rar', 'Rar!', 'a RAR archive'],
  ['zstd', '\x28\xb5\x2f\xfd', 'zstd data'],
  ['xz', '\xfd7zXZ', 'xz data'],
  ['bzip2', 'BZh', 'bzip2 data'],
  ['pdf', '%PDF', 'a PDF document'],
  ['xls', '\xd0\xcf\x11\xe0', 'an Excel workbook with a password, or an old one (.xls)'],
  ['program', 'MZ', 'a Windows program'],
  ['program', '\x7fELF', 'a program'],
] as const

/** The format of a file by its first bytes; undefined for text and unknown formats. */
export function findSignature(head: Buffer): FileSignature | undefined {
  const start = head.toString('latin1', 0, 8)
  const found = SIGNATURES.find(([, bytes]) => start.startsWith(bytes))
  return found && { format: found[0], what: found[2] }
}

/** As many bytes show whether a file can be a ZIP archive. */
export const SIGNATURE_BYTES = 4

/** True when a file that begins with these bytes can be a ZIP archive, also where they are fewer than a signature has. */
export function startsLikeZip(start: Uint8Array): boolean {
  const head = Buffer.from(start.subarray(0, SIGNATURE_BYTES)).toString('latin1')
  const zips: readonly FileFormat[] = ['zip', 'empty-zip', 'split-zip']
  return head !== '' && SIGNATURES.some(([format, bytes]) => zips.includes(format) && bytes.startsWith(head))
}

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
