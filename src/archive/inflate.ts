import { constants, crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { formatCount, plural } from '../domain/units.ts'
import { systemCode } from '../failure.ts'
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

/**
 * Gives `length` packed bytes from `position` bytes after the start of the data: in the beginning of `into` when there is one,
 * or in a buffer that stays as it is.
 */
export type ReadPacked = (position: number, length: number, into?: Buffer) => Promise<Buffer>

const READ_BYTES = 256 * 1024
const STORED_BYTES = 512 * 1024
const CHUNK_BYTES = 256 * 1024
const CHUNKS_AHEAD = 4

/**
 * The unpacked bytes of an entry of any size in chunks of at most 512 KiB, each good until the next is asked for. Deflate data
 * is inflated on another thread while the caller uses the chunks before. Ends with EntryDataError as soon as the data is not
 * what is declared; what came before must then be thrown away.
 */
export async function* inflateChunks(
  read: ReadPacked,
  declared: Declared,
): AsyncGenerator<Buffer, void, void> {
  let total = 0
  let sum = 0
  for await (const chunk of declared.method === 'stored'
    ? storedChunks(read, declared)
    : deflateChunks(read, declared)) {
    total += chunk.length
    if (total > declared.bytes) throw tooLong(declared)
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (total !== declared.bytes) throw tooShort(total, declared)
  if (sum !== declared.crc32) throw wrongCrc(sum, declared)
}

async function* storedChunks(
  read: ReadPacked,
  { packedBytes }: Declared,
): AsyncGenerator<Buffer, void, void> {
  // One piece is read while the other is used.
  const buffers = [Buffer.allocUnsafeSlow(STORED_BYTES), Buffer.allocUnsafeSlow(STORED_BYTES)]
  const readAt = (position: number): Promise<Buffer> => {
    buffers.reverse()
    const reading = read(position, Math.min(STORED_BYTES, packedBytes - position), buffers[0])
    // Nobody waits for it when the other piece was the last one wanted.
    reading.catch(() => undefined)
    return reading
  }
  let reading = packedBytes > 0 ? readAt(0) : undefined
  for (let position = STORED_BYTES; reading !== undefined; position += STORED_BYTES) {
    const piece = await reading
    reading = position < packedBytes ? readAt(position) : undefined
    yield piece
  }
}

async function* deflateChunks(read: ReadPacked, declared: Declared): AsyncGenerator<Buffer, void, void> {
  const inflater = createInflateRaw({
    chunkSize: CHUNK_BYTES,
    readableHighWaterMark: CHUNK_BYTES * CHUNKS_AHEAD,
    writableHighWaterMark: READ_BYTES * 2,
    finishFlush: constants.Z_FINISH,
  } as Parameters<typeof createInflateRaw>[0])
  const feeding = feed(inflater, read, declared.packedBytes)
  try {
    for await (const chunk of inflater) yield chunk as Buffer
    await feeding
    if (inflater.bytesWritten !== declared.packedBytes) {
      throw trailingError(declared.packedBytes - inflater.bytesWritten)
    }
  } catch (error) {
    throw inflateError(error, declared)
  } finally {
    inflater.destroy()
    await feeding.catch(() => undefined)
  }
}

/** Writes all packed bytes as fast as they are taken; ends early when the stream does. */
async function feed(
  inflater: ReturnType<typeof createInflateRaw>,
  read: ReadPacked,
  packedBytes: number,
): Promise<void> {
  try {
    for (
      let position = 0;
      position < packedBytes && !inflater.destroyed && !inflater.readableEnded;
      position += READ_BYTES
    ) {
      const packed = await read(position, Math.min(READ_BYTES, packedBytes - position))
      await new Promise<void>((resolve) => {
        inflater.once('close', resolve)
        inflater.write(packed, () => {
          inflater.off('close', resolve)
          resolve()
        })
      })
    }
    inflater.end()
  } catch (error) {
    inflater.destroy(error as Error)
    throw error
  }
}

function inflateError(error: unknown, declared: Declared): unknown {
  const code = systemCode(error)
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLong(declared)
  return code?.startsWith('Z_') === true ? deflateError(code, (error as Error).message) : error
}

/** What zlib says about deflate data, by its code. */
export function deflateError(code: string, message: string): EntryDataError {
  if (code === 'Z_BUF_ERROR') return new EntryDataError('deflate data ends before its end mark')
  return new EntryDataError(`deflate data is damaged (${message})`)
}

function tooLong({ bytes }: Declared): EntryDataError {
  return new EntryDataError(`unpacks to more than the ${plural(bytes, 'byte')} it declares`)
}

function tooShort(actual: number, { bytes }: Declared): EntryDataError {
  return new EntryDataError(`unpacks to ${plural(actual, 'byte')}, and declares ${formatCount(bytes)}`)
}

/** Packed bytes are left after the end of the deflate data. */
export function trailingError(bytes: number): EntryDataError {
  return new EntryDataError(`${plural(bytes, 'byte')} after the end of its deflate data`)
}

function wrongCrc(sum: number, declared: Declared): EntryDataError {
  return new EntryDataError(`CRC-32 is ${hex(sum)}, and the directory says ${hex(declared.crc32)}`)
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0')
}
