import { setImmediate as turn } from 'node:timers/promises'
import { constants, crc32, createInflateRaw } from 'node:zlib'
import type { Declared } from './inflate.ts'
import { deflateError, inflateError, tooLong, tooShort, trailingError, wrongCrc } from './inflate.ts'
import type { Binding } from './inflate-binding.ts'
import { openBinding } from './inflate-binding.ts'

/**
 * Gives `length` packed bytes from `position` bytes after the start of the data: in the beginning of `into` when there is one,
 * or in a buffer that stays as it is.
 */
export type ReadPacked = (position: number, length: number, into?: Buffer) => Promise<Buffer>

const READ_BYTES = 128 * 1024
const CHUNK_BYTES = 512 * 1024

/**
 * The unpacked bytes of an entry of any size in chunks of at most 512 KiB, some of them empty. A chunk is good until the one
 * after the next is asked for, so that it can be written while the next is inflated; packed bytes are read ahead meanwhile, and
 * between chunks others get a turn. Ends with EntryDataError as soon as the data is not what is declared; what came before must
 * then be thrown away.
 */
export async function* inflateChunks(
  read: ReadPacked,
  declared: Declared,
  open: () => Binding | undefined = openBinding,
): AsyncGenerator<Buffer, void, void> {
  let total = 0
  let sum = 0
  for await (const chunk of packedChunks(read, declared, open)) {
    total += chunk.length
    if (total > declared.bytes) throw tooLong(declared)
    sum = crc32(chunk, sum)
    yield chunk
    await turn()
  }
  if (total !== declared.bytes) throw tooShort(total, declared)
  if (sum !== declared.crc32) throw wrongCrc(sum, declared)
}

function packedChunks(
  read: ReadPacked,
  declared: Declared,
  open: () => Binding | undefined,
): AsyncGenerator<Buffer, void, void> {
  // Two buffers are lent out, and one is filled.
  if (declared.method === 'stored') return readAhead(read, declared.packedBytes, CHUNK_BYTES, 3)
  const binding = open()
  return binding === undefined ? streamChunks(read, declared) : bindingChunks(read, declared, binding)
}

/** The packed bytes in pieces; the next is read while one is used, and one of `count` buffers is used again `count - 1` pieces later. */
async function* readAhead(
  read: ReadPacked,
  packedBytes: number,
  pieceBytes: number,
  count: number,
): AsyncGenerator<Buffer, void, void> {
  const length = Math.min(pieceBytes, packedBytes)
  const buffers = Array.from({ length: count }, () => Buffer.allocUnsafeSlow(length))
  const readAt = (position: number): Promise<Buffer> => {
    const buffer = buffers.shift()!
    buffers.push(buffer)
    const reading = read(position, Math.min(length, packedBytes - position), buffer)
    // Its fault is met when it is waited for.
    reading.catch(() => undefined)
    return reading
  }
  let reading = packedBytes > 0 ? readAt(0) : undefined
  try {
    for (let position = length; reading !== undefined; position += length) {
      const piece = await reading
      reading = position < packedBytes ? readAt(position) : undefined
      yield piece
    }
  } finally {
    await reading?.catch(() => undefined)
  }
}

async function* bindingChunks(
  read: ReadPacked,
  declared: Declared,
  binding: Binding,
): AsyncGenerator<Buffer, void, void> {
  // One byte more than declared shows what unpacks to more than it says.
  const outputBytes = Math.min(CHUNK_BYTES, declared.bytes + 1)
  const outputs = [Buffer.allocUnsafeSlow(outputBytes), Buffer.allocUnsafeSlow(outputBytes)]
  try {
    if (declared.packedBytes === 0) throw deflateError('Z_BUF_ERROR', '')
    binding.reset()
    let packedRead = 0
    for await (const input of readAhead(read, declared.packedBytes, READ_BYTES, 2)) {
      packedRead += input.length
      const isLast = packedRead === declared.packedBytes
      for (let start = 0; ; ) {
        const output = outputs.reverse()[0]!
        const { written, unread, fault } = binding.step(input, start, isLast, output)
        if (fault !== undefined) throw deflateError(fault.code, fault.message)
        // Without any bytes too: the one before is lent out until the next but one, and whoever uses them may want to stop.
        yield output.subarray(0, written)
        if (written < output.length) {
          // It stopped although there was room and input: its data has ended.
          if (unread > 0) throw trailingError(declared.packedBytes - packedRead + unread)
          break
        }
        start = input.length - unread
      }
    }
  } finally {
    binding.close()
  }
}

/** The same by Node's own stream, where its binding is not as it is known. */
async function* streamChunks(read: ReadPacked, declared: Declared): AsyncGenerator<Buffer, void, void> {
  const inflater = createInflateRaw({
    chunkSize: CHUNK_BYTES,
    finishFlush: constants.Z_FINISH,
  })
  const feeding = feed(inflater, read, declared.packedBytes)
  // Its fault is met when it is waited for.
  feeding.catch(() => undefined)
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
