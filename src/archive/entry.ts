import type { Entry } from 'yauzl'

/** One entry of an archive whose name is safe to join to a folder. */
export interface ArchiveEntry {
  /** Relative path with `/` between components; a folder's ends with `/`. Show it through `escapeUnsafe`. */
  readonly name: string
  readonly isFolder: boolean
  /** Unpacked length as declared; verification holds the data to it. */
  readonly bytes: number
  readonly packedBytes: number
  readonly crc32: number
  readonly method: 'stored' | 'deflate'
  /** Milliseconds since the epoch (a DOS time is read as UTC); undefined when it is no date. */
  readonly modifiedMs: number | undefined
  readonly headerOffset: number
  /** Where the packed data starts. */
  readonly dataOffset: number
  /** Where the entry ends, its data descriptor included. */
  readonly endOffset: number
}

/** Bits of the general purpose flag (APPNOTE 4.4.4). */
export const FLAG = {
  encrypted: 1 << 0,
  levels: 0b110,
  descriptor: 1 << 3,
  patch: 1 << 5,
  strongEncryption: 1 << 6,
  utf8: 1 << 11,
  maskedHeaders: 1 << 13,
} as const

/** What a header has in a field of 32 bits whose value is in a ZIP64 field. */
export const MAX_32 = 0xffffffff

/** Whether there is data to check: a folder may hold empty deflate data, and usually holds nothing. */
export function hasData({ isFolder, packedBytes, crc32 }: ArchiveEntry): boolean {
  return !isFolder || packedBytes > 0 || crc32 !== 0
}

/** When an entry was modified: by an extra field, else by its DOS time; undefined when that is no date. */
export function modifiedMs(record: Entry): number | undefined {
  const dos = record.getLastModDate({ timezone: 'UTC', forceDosFormat: true })
  const date = record.extraFields.length === 0 ? dos : record.getLastModDate({ timezone: 'UTC' })
  if (date.getTime() !== dos.getTime()) return date.getTime()
  const { lastModFileDate, lastModFileTime } = record
  const isReal =
    dos.getUTCMonth() + 1 === ((lastModFileDate >> 5) & 15) &&
    dos.getUTCDate() === (lastModFileDate & 31) &&
    dos.getUTCHours() === lastModFileTime >> 11 &&
    dos.getUTCMinutes() === ((lastModFileTime >> 5) & 63)
  return isReal ? dos.getTime() : undefined
}
