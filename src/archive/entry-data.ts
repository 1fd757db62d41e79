import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { constants, crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { systemCode } from '../base/failure.ts'
import { formatCount, plural } from '../base/units.ts'
import { type ArchiveEntry, crcText } from './entry.ts'

/** The declared size and checksum of an entry, which its data must match. */
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
  const { bytes, consumed } =
    declared.method === 'stored'
      ? { bytes: packed, consumed: packed.length }
      : inflatePacked(packed, declared)
  checkSum(bytes.length, crc32(bytes), declared)
  if (consumed < packed.length) throw trailing(packed.length - consumed)
  return bytes
}

function inflatePacked(
  packed: Buffer,
  declared: Declared,
): { readonly bytes: Buffer; readonly consumed: number } {
  // One spare byte lets zlib see the end of the data in one call, and shows what unpacks to more than it says.
  const room = declared.bytes + 1
  const options = { chunkSize: Math.max(64, room), maxOutputLength: room, info: true }
  try {
    // With `info` it gives the engine too, which the types leave out.
    const { buffer, engine } = inflateRawSync(packed, options) as unknown as {
      readonly buffer: Buffer
      readonly engine: { readonly bytesWritten: number }
    }
    return { bytes: buffer, consumed: engine.bytesWritten }
  } catch (error) {
    throw inflateError(error, declared)
  }
}

/** Gives `length` packed bytes from `position` bytes after the start of the data, in a buffer that stays as it is. */
export type ReadPacked = (position: number, length: number) => Buffer

const READ_BYTES = 256 * 1024
const CHUNK_BYTES = 512 * 1024

/**
 * The unpacked bytes of an entry of any size in chunks of at most 512 KiB. Ends with EntryDataError as soon as the data is not
 * what is declared; what came before must then be thrown away.
 */
export async function* inflateChunks(
  read: ReadPacked,
  declared: Declared,
): AsyncGenerator<Buffer, void, void> {
  let total = 0
  let sum = 0
  const pieces = packedPieces(read, declared.packedBytes)
  for await (const chunk of declared.method === 'stored' ? pieces : inflated(pieces, declared)) {
    total += chunk.length
    if (total > declared.bytes) throw tooLong(declared)
    sum = crc32(chunk, sum)
    yield chunk
  }
  checkSum(total, sum, declared)
}

async function* packedPieces(read: ReadPacked, packedBytes: number): AsyncGenerator<Buffer, void, void> {
  for (let position = 0; position < packedBytes; position += READ_BYTES) {
    yield read(position, Math.min(READ_BYTES, packedBytes - position))
    await turn()
  }
}

async function* inflated(
  pieces: AsyncIterable<Buffer>,
  declared: Declared,
): AsyncGenerator<Buffer, void, void> {
  const inflater = createInflateRaw({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_FINISH })
  const feeding = pipeline(Readable.from(pieces), inflater)
  // The inflater has the same error.
  feeding.catch(() => undefined)
  try {
    for await (const chunk of inflater) yield chunk as Buffer
    const left = declared.packedBytes - inflater.bytesWritten
    if (left > 0) throw trailing(left)
  } catch (error) {
    throw inflateError(error, declared)
  } finally {
    inflater.destroy()
    await feeding.catch(() => undefined)
  }
}

function checkSum(length: number, sum: number, declared: Declared): void {
  if (length > declared.bytes) throw tooLong(declared)
  if (length < declared.bytes) {
    const text = `unpacks to ${plural(length, 'byte')}, and declares ${formatCount(declared.bytes)}`
    throw new EntryDataError(text)
  }
  if (sum === declared.crc32) return
  throw new EntryDataError(`CRC-32 is ${crcText(sum)}, and the directory says ${crcText(declared.crc32)}`)
}

/** What zlib throws at the data of an entry, as what it means; anything else as it is. */
function inflateError(error: unknown, declared: Declared): unknown {
  const code = systemCode(error)
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLong(declared)
  if (code === 'Z_BUF_ERROR') return new EntryDataError('deflate data is truncated')
  if (code?.startsWith('Z_') !== true) return error
  return new EntryDataError(`deflate data is damaged (${(error as Error).message})`)
}

function tooLong({ bytes }: Declared): EntryDataError {
  return new EntryDataError(`unpacks to more than the ${plural(bytes, 'byte')} it declares`)
}

function trailing(bytes: number): EntryDataError {
  return new EntryDataError(`${plural(bytes, 'byte')} after the end of its deflate data`)
}
