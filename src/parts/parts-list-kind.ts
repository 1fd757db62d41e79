/** What a file is that is no text, and what to do about it. */
export interface BinaryKind {
  readonly what: string
  readonly hint: string
}

const SIGNATURES: readonly (readonly [bytes: readonly number[], kind: BinaryKind])[] = [
  [
    [0xd0, 0xcf, 0x11, 0xe0],
    { what: 'an old Excel workbook (.xls)', hint: 'save it as .xlsx or as CSV UTF-8' },
  ],
  [
    [0x1f, 0x8b],
    { what: 'compressed with gzip', hint: 'unpack it first, or pipe it: zcat FILE | … --parts-file -' },
  ],
  [[0x25, 0x50, 0x44, 0x46], { what: 'a PDF document', hint: 'save the list as text, .csv or .xlsx' }],
  [[0x28, 0xb5, 0x2f, 0xfd], { what: 'compressed with zstd', hint: 'unpack it first' }],
  [[0x42, 0x5a, 0x68], { what: 'compressed with bzip2', hint: 'unpack it first' }],
  [[0xfd, 0x37, 0x7a, 0x58], { what: 'compressed with xz', hint: 'unpack it first' }],
  [[0x37, 0x7a, 0xbc, 0xaf], { what: 'a 7z archive', hint: 'unpack it first' }],
]

const ZIP = [0x50, 0x4b, 0x03, 0x04] as const

/** Names a file by its first bytes when it is one of the usual kinds that are no text. Undefined for anything else. */
export function nameBinary(head: Buffer): BinaryKind | undefined {
  if (startsWith(head, ZIP)) return nameZip(head)
  return SIGNATURES.find(([bytes]) => startsWith(head, bytes))?.[1]
}

/** True when the bytes begin a ZIP archive, as every .xlsx workbook does. */
export function isZip(head: Buffer): boolean {
  return startsWith(head, ZIP)
}

function nameZip(head: Buffer): BinaryKind {
  const start = head.toString('latin1', 0, 4096)
  if (start.includes('opendocument')) {
    return { what: 'an OpenDocument spreadsheet', hint: 'save it as .xlsx or as CSV' }
  }
  if (start.includes('[Content_Types].xml') || start.includes('xl/') || start.includes('_rels/')) {
    return { what: 'an Excel workbook', hint: 'give it the ending .xlsx' }
  }
  return { what: 'a ZIP archive', hint: 'unpack it first' }
}

function startsWith(head: Buffer, bytes: readonly number[]): boolean {
  return head.length >= bytes.length && bytes.every((byte, index) => head[index] === byte)
}
