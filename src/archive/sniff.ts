/** What a file looks like by its first bytes; undefined when it may be a ZIP archive. */
export function looksLike(head: Buffer): string | undefined {
  if (head.length === 0) return 'it is empty (0 bytes)'
  if (head.length >= 4 && (head.readUInt32LE(0) === 0x04034b50 || head.readUInt32LE(0) === 0x06054b50))
    return undefined
  for (const [bytes, what] of MAGIC) {
    if (head.subarray(0, bytes.length).equals(bytes)) return `it looks like ${what}`
  }
  if (head.subarray(257, 262).toString('latin1') === 'ustar') return 'it looks like a tar archive'
  if (head.every((byte) => byte === 0)) return 'it starts with zeros only'
  return textKind(head) ?? 'it does not start with an entry'
}

const MAGIC: readonly (readonly [Buffer, string])[] = [
  [Buffer.from([0x1f, 0x8b]), 'gzip data'],
  [Buffer.from('PK\x07\x08', 'latin1'), 'one part of an archive split over several files'],
  [Buffer.from('PK00', 'latin1'), 'one part of an archive split over several files'],
  [Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), 'a 7z archive'],
  [Buffer.from('Rar!', 'latin1'), 'a RAR archive'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'zstd data'],
  [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]), 'xz data'],
  [Buffer.from('BZh', 'latin1'), 'bzip2 data'],
  [Buffer.from('%PDF', 'latin1'), 'a PDF document'],
  [Buffer.from('MZ', 'latin1'), 'a Windows program'],
  [Buffer.from('\x7fELF', 'latin1'), 'a program'],
]

function textKind(head: Buffer): string | undefined {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  const text = (isUtf16 ? head.toString('utf16le') : head.toString('utf8')).replace(/^\ufeff/, '').trimStart()
  if (/^<(?:!doctype\s+html|html|head|body)\b/i.test(text)) return 'it looks like a web page (HTML)'
  if (/^<[?!a-z]/i.test(text)) return 'it looks like XML'
  if (/^[[{]\s*["[{\]}\d]/.test(text)) return 'it looks like JSON'
  return /^[\t\n\r\x20-\x7e]{4,}$/.test(head.subarray(0, 64).toString('latin1'))
    ? 'it looks like plain text'
    : undefined
}
