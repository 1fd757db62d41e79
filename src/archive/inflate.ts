import { crc32, inflateRawSync } from 'node:zlib'
import { systemCode } from '../base/failure.ts'
import { formatCount, plural } from '../base/units.ts'
import type { ArchiveEntry } from './entry.ts'

/** What of an entry its data is held to. */
export type Declared = Pick<ArchiveEntry, 'bytes' | 'packedBytes' | 'crc32' | 'method'>

/** Entries up to this many bytes, packed and unpacked, are inflated in one piece; larger ones are streamed. */
export const WHOLE_BYTES = 2 * 1024 ** 2

/** True when an entry is small enough for `inflateWhole`. */
export function fitsWhole({ bytes, packedBytes }: Pick<Declared, 'bytes' | 'packedBytes'>): boolean {
  return bytes <= WHOLE_BYTES && packedBytes <= WHOLE_BYTES
}

/** An entry whose data is not what its headers declare; `message` says how, as a clause without subject. */
export class EntryDataError extends Error {}

/**
 * The unpacked bytes of a small entry, checked against what is declared. Never holds more than one byte beyond the declared
 * length. Throws EntryDataError.
 */
export function inflateWhole(packed: Buffer, declared: Declared): Buffer {
  if (declared.method === 'stored') return checkWhole(packed, declared)
  // One spare byte lets zlib see the end of the data in the same call, and shows what unpacks to more than it says.
  const room = declared.bytes + 1
  const result = inflateRaw(packed, room, declared)
  const bytes = checkWhole(result.buffer, declared)
  const unread = packed.length - result.engine.bytesWritten
  if (unread > 0) throw trailingError(unread)
  return bytes
}

function inflateRaw(
  packed: Buffer,
  room: number,
  declared: Declared,
): { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } } {
  try {
    const options = { chunkSize: Math.max(64, room), maxOutputLength: room, info: true }
    return inflateRawSync(packed, options) as unknown as ReturnType<typeof inflateRaw>
  } catch (error) {
    throw inflateError(error, declared)
  }
}

/** Holds the unpacked bytes of an entry to its length and CRC-32. Throws EntryDataError. */
export function checkWhole(bytes: Buffer, declared: Declared): Buffer {
  if (bytes.length > declared.bytes) throw tooLong(declared)
  if (bytes.length !== declared.bytes) throw tooShort(bytes.length, declared)
  const sum = crc32(bytes)
  if (sum !== declared.crc32) throw wrongCrc(sum, declared)
  return bytes
}

/** What zlib throws at the data of an entry, as what it means; anything else as it is. */
export function inflateError(error: unknown, declared: Declared): unknown {
  const code = systemCode(error)
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLong(declared)
  return code?.startsWith('Z_') === true ? deflateError(code, (error as Error).message) : error
}

/** What zlib says about deflate data, by its code. */
export function deflateError(code: string, message: string): EntryDataError {
  if (code === 'Z_BUF_ERROR') return new EntryDataError('deflate data ends before its end mark')
  return new EntryDataError(`deflate data is damaged (${message})`)
}

/** More unpacked bytes than declared. */
export function tooLong({ bytes }: Declared): EntryDataError {
  return new EntryDataError(`unpacks to more than the ${plural(bytes, 'byte')} it declares`)
}

/** Fewer unpacked bytes than declared. */
export function tooShort(actual: number, { bytes }: Declared): EntryDataError {
  return new EntryDataError(`unpacks to ${plural(actual, 'byte')}, and declares ${formatCount(bytes)}`)
}

/** Packed bytes are left after the end of the deflate data. */
export function trailingError(bytes: number): EntryDataError {
  return new EntryDataError(`${plural(bytes, 'byte')} after the end of its deflate data`)
}

/** The unpacked bytes have another CRC-32 than declared. */
export function wrongCrc(sum: number, declared: Declared): EntryDataError {
  return new EntryDataError(`CRC-32 is ${hex(sum)}, and the directory says ${hex(declared.crc32)}`)
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0')
}
