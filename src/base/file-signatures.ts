/** A file format that is known by its first bytes. */
export type FileFormat = (typeof SIGNATURES)[number][0]

/** What a file is, by its first bytes. */
export interface FileSignature {
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
  ['xls', '\xd0\xcf\x11\xe0', 'an old Excel workbook (.xls)'],
  ['program', 'MZ', 'a Windows program'],
  ['program', '\x7fELF', 'a program'],
] as const

/** The format of a file by its first bytes; undefined for text and unknown formats. */
export function findSignature(head: Buffer): FileSignature | undefined {
  const start = head.toString('latin1', 0, 8)
  const found = SIGNATURES.find(([, bytes]) => start.startsWith(bytes))
  return found && { format: found[0], what: found[2] }
}
