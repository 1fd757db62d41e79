import type { Entry } from 'yauzl'
import type { Entry as EntryResult } from './archive-results.ts'

/** One entry of an archive whose name is safe to join to a directory. */
export interface ArchiveEntry {
  /** Relative path with `/` between components; a directory's ends with `/`. Show it through `escapeUnsafe`. */
  readonly name: string
  readonly isFolder: boolean
  /** Unpacked length as declared. */
  readonly bytes: number
  readonly packedBytes: number
  readonly crc32: number
  readonly method: 'stored' | 'deflate'
  /** Milliseconds since the epoch (a DOS time is read as UTC); undefined when it is not a real date. */
  readonly modifiedMs: number | undefined
  readonly headerOffset: number
  /** Where the packed data starts. */
  readonly dataOffset: number
  /** Where the entry ends, its data descriptor included. */
  readonly endOffset: number
}

/** The fixed part of a central record (APPNOTE 4.3.12). */
export const CENTRAL_RECORD_BYTES = 46

/** The fixed part of a local header (APPNOTE 4.3.7). */
export const LOCAL_HEADER_BYTES = 30

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

/** A header field of 32 bits whose value is in a ZIP64 field (APPNOTE 4.5.3). */
export const MAX_32 = 0xffffffff

/** Whether there is data to check: a directory may have empty deflate data. */
export function hasData({ isFolder, packedBytes, crc32 }: ArchiveEntry): boolean {
  return !isFolder || packedBytes > 0 || crc32 !== 0
}

/** The modification time of an extra field, else the DOS time; undefined when that is not a real date. */
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

/** An entry in JSON results. */
export function entryResult(
  entry: Pick<
    ArchiveEntry,
    'name' | 'isFolder' | 'bytes' | 'packedBytes' | 'modifiedMs' | 'crc32' | 'method'
  >,
): EntryResult {
  const { name, isFolder, bytes, packedBytes, modifiedMs, crc32, method } = entry
  return {
    name,
    folder: isFolder,
    bytes,
    packedBytes,
    modified: modifiedMs === undefined ? null : new Date(modifiedMs).toISOString(),
    crc32: crcText(crc32),
    method,
  }
}

/** A CRC-32 as eight hexadecimal digits. */
export function crcText(crc32: number): string {
  return (crc32 >>> 0).toString(16).padStart(8, '0')
}
