import { constants, type Stats } from 'node:fs'
import { Socket } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { formatBytes } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { InputProblem } from './disk-failure.ts'

/** What opening an input needs. */
export type InputWorld = Pick<World, 'disk' | 'syncDisk' | 'interrupt'>

/** An open input: a regular file, or a pipe that is read as its writer writes. `await using` closes it. */
export interface InputFile extends AsyncDisposable {
  readonly facts: Stats
  /** Its bytes from the start, once. Throws `InputProblem` beyond the bound, and rejects when a signal stops the run. */
  readonly chunks: () => AsyncGenerator<Buffer>
}

// Without O_NONBLOCK, opening a pipe waits for its writer, and nothing can stop it. Windows has no such flag.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
// Objects from a small chunk are garbage before the collector has to move them.
const CHUNK_BYTES = 64 * 1024

/**
 * Opens a file that the user named for reading, without ever blocking. Directories fail with EISDIR; devices and sockets with
 * `InputProblem`; at most `mostBytes` are read.
 */
export async function openInputFile(world: InputWorld, path: string, mostBytes: number): Promise<InputFile> {
  const before = await world.disk.stat(path)
  if (before.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' })
  if (before.isFIFO()) return openPipe(world, path, mostBytes)
  if (!before.isFile()) throw notAFile()
  const handle = await world.disk.open(path, OPEN_FLAGS)
  const close = (): Promise<void> => handle.close()
  try {
    const facts = await handle.stat()
    if (!facts.isFile()) throw notAFile()
    if (facts.size > mostBytes) throw tooLarge(mostBytes)
    async function* chunks(): AsyncGenerator<Buffer> {
      for (;;) {
        world.interrupt.throwIfAborted()
        const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
        const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, null)
        if (bytesRead === 0) return
        yield buffer.subarray(0, bytesRead)
      }
    }
    return { facts, chunks: () => bounded(chunks(), mostBytes), [Symbol.asyncDispose]: close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

/** All bytes of an input, with its facts at opening. Errors are those of `openInputFile`. */
export async function readInputFile(
  world: InputWorld,
  path: string,
  mostBytes: number,
): Promise<{ readonly bytes: Buffer; readonly facts: Stats }> {
  await using input = await openInputFile(world, path, mostBytes)
  const chunks: Buffer[] = []
  for await (const chunk of input.chunks()) chunks.push(chunk)
  return { bytes: Buffer.concat(chunks), facts: input.facts }
}

/** The chunks of a stream as long as they are not more than `mostBytes`. */
export async function* bounded(stream: AsyncIterable<unknown>, mostBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of stream) {
    const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece as Uint8Array | string)
    bytes += chunk.length
    if (bytes > mostBytes) throw tooLarge(mostBytes)
    yield chunk
  }
}

function openPipe({ syncDisk, interrupt }: InputWorld, path: string, mostBytes: number): InputFile {
  const fd = syncDisk.openSync(path, OPEN_FLAGS)
  try {
    const facts = syncDisk.fstatSync(fd)
    if (!facts.isFIFO()) throw notAFile()
    // A socket waits for the writer in the event loop, where a signal can end it.
    const socket = addAbortSignal(interrupt, new Socket({ fd, readable: true, writable: false }))
    async function* chunks(): AsyncGenerator<Buffer> {
      try {
        yield* bounded(socket, mostBytes)
      } catch (error) {
        interrupt.throwIfAborted()
        throw error
      }
    }
    return { facts, chunks, [Symbol.asyncDispose]: async () => void socket.destroy() }
  } catch (error) {
    syncDisk.closeSync(fd)
    throw error
  }
}

function notAFile(): InputProblem {
  return new InputProblem('is neither a regular file nor a pipe', 'name a regular file')
}

function tooLarge(mostBytes: number): InputProblem {
  return new InputProblem(`is larger than ${formatBytes(mostBytes).replace('.0', '')}`, 'check the path')
}
