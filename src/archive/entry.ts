import type { Entry, ExtraField } from 'yauzl'
import type { Entry as EntryResult } from './archive-results.ts'

/** One entry of an archive whose name is safe to join to a directory. */
export interface ArchiveEntry {
  /** Relative path with `/` between components; a directory's ends with `/`. Show it through `escapeUnsafe`. */
  readonly name: string
  readonly isDirectory: boolean
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

/** Why a directory is not among the entries that are used. */
export const A_DIRECTORY = 'a directory'

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
export function hasData({ isDirectory, packedBytes, crc32 }: ArchiveEntry): boolean {
  return !isDirectory || packedBytes > 0 || crc32 !== 0
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
    'name' | 'isDirectory' | 'bytes' | 'packedBytes' | 'modifiedMs' | 'crc32' | 'method'
  >,
): EntryResult {
  const { name, isDirectory, bytes, packedBytes, modifiedMs, crc32, method } = entry
  return {
    name,
    folder: isDirectory,
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

/** Ids of extra fields (APPNOTE 4.5). */
export const FIELD = { zip64: 0x0001, pkwareUnix: 0x000d, asiUnix: 0x756e, unicodePath: 0x7075 } as const

/** The data of the field with this id. */
export function fieldOf(fields: readonly ExtraField[], id: number): Buffer | undefined {
  return fields.find((field) => field.id === id)?.data
}

/** Why the extra fields of a header (`raw` are their bytes) are refused, or undefined. */
export function extraFieldProblem(fields: readonly ExtraField[], raw: Buffer): string | undefined {
  if (raw.length === 0) return undefined
  const used = fields.reduce((sum, { data }) => sum + 4 + data.length, 0)
  // Some writers align data with zeros.
  if (used < raw.length && raw.subarray(used).some((byte) => byte !== 0)) {
    return 'has an extra field that is cut off'
  }
  if (fields.filter(({ id }) => id === FIELD.zip64).length > 1) return 'has two ZIP64 fields'
  if (fields.filter(({ id }) => id === FIELD.unicodePath).length > 1) return 'has two Unicode path fields'
  // After twelve bytes of times and owners comes a link target or a device number.
  if ((fieldOf(fields, FIELD.pkwareUnix)?.length ?? 0) > 12) {
    return 'is a link or a device (PKWARE UNIX field)'
  }
  const asi = fieldOf(fields, FIELD.asiUnix)
  const mode = asi !== undefined && asi.length >= 6 ? asi.readUInt16LE(4) : 0
  return isPlainMode(mode) ? undefined : 'is a link or a special file (ASi UNIX field)'
}

/** True for the UNIX mode of a file or a directory, or for none; false for links, devices, pipes and sockets. */
export function isPlainMode(mode: number): boolean {
  const type = mode & 0xf000
  return type === 0 || type === 0x8000 || type === 0x4000
}
