import { constants, type Stats } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { decodeText } from '../base/decode-text.ts'
import { Failure, type FailureKind, isFailure, systemCode } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'
import type { Disk, InputStream, World } from '../base/world.ts'
import { InputProblem, unreadableInput } from './disk-failure.ts'
import { refuseForeign } from './user-files.ts'

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

async function openPipe(
  { syncDisk, interrupt }: InputWorld,
  path: string,
  mostBytes: number,
): Promise<InputFile> {
  const { Socket } = await import('node:net')
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

const LARGEST_SETTINGS_BYTES = 1024 * 1024

interface SmallFile {
  readonly text: string
  /** True when group or others can read it (never on Windows, which has no mode bits). */
  readonly isExposed: boolean
}

/** Reads the config file. Undefined when it does not exist and is optional; any other problem is a `config` failure. */
export async function readSettingsFile(
  world: InputWorld,
  path: string,
  mustExist: boolean,
): Promise<SmallFile | undefined> {
  try {
    return await readSmallFile(world, path, 'the config file')
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')
    if (!mustExist && isMissing) return undefined
    const advice = isMissing && {
      hint: 'create it with matdecl login, or name another',
      options: ['config'],
    }
    const inDirectory = systemCode(error) === 'EISDIR' && { hint: 'name the file in it' }
    const more = { kind: 'config', file: path, ...advice, ...inDirectory } as const
    throw unreadableInput(error, `the config file ${path}`, more)
  }
}

/**
 * Reads settings or a secret: text of at most 1 MiB in a file or a pipe, decoded by `decodeText`. `what` names it in messages. Throws `config` when another user can change it, and other errors as `openInputFile`.
 */
export async function readSmallFile(world: InputWorld, path: string, what: string): Promise<SmallFile> {
  const { bytes, facts } = await readInputFile(world, path, LARGEST_SETTINGS_BYTES)
  await refuseForeign(world.disk, path, what, facts)
  return { text: textOf(bytes, path, 'config'), isExposed: isReadableByOthers(facts) }
}

/** Whether others than its owner can read or change a file with a secret. */
export async function secretFileExposure(
  disk: Disk,
  path: string,
): Promise<'none' | 'exposed' | 'not there'> {
  const facts = await disk.stat(path).catch(() => undefined)
  if (facts === undefined) return 'not there'
  return (facts.mode & 0o077) === 0 ? 'none' : 'exposed'
}

/** True when group or others can read a file (never on Windows, which has no mode bits). */
function isReadableByOthers({ mode }: { readonly mode: number }): boolean {
  return (mode & 0o044) !== 0
}

/** The text of bytes as `decodeText` reads it; anything else is a failure of this kind. */
function textOf(bytes: Buffer, path: string, kind: FailureKind): string {
  const text = decodeText(bytes)
  if (text !== undefined) return text
  throw new Failure(kind, `${path} is not text`, { hint: 'save it as UTF-8', file: path })
}

const LARGEST_TEXT_BYTES = 16 * 1024 * 1024

/**
 * Reads text, decoded by `decodeText`, of at most `largestBytes` (16 MiB) from a file, a pipe or standard input. Throws `usage` for a wrong path or content, and
 * `io` for other errors of the file system.
 */
export async function readSmallText(
  world: InputWorld,
  source: { readonly path: string; readonly absolute: string } | { readonly stdin: InputStream },
  largestBytes = LARGEST_TEXT_BYTES,
): Promise<SmallFile> {
  const name = 'stdin' in source ? 'standard input' : source.path
  try {
    if ('stdin' in source) {
      const chunks: Buffer[] = []
      for await (const chunk of bounded(source.stdin, largestBytes)) chunks.push(chunk)
      return { text: textOf(Buffer.concat(chunks), name, 'usage'), isExposed: false }
    }
    const { bytes, facts } = await readInputFile(world, source.absolute, largestBytes)
    const isExposed = facts.isFile() && isReadableByOthers(facts)
    return { text: textOf(bytes, name, 'usage'), isExposed }
  } catch (error) {
    if (isFailure(error) || ('stdin' in source && !(error instanceof InputProblem))) throw error
    throw unreadableInput(error, name, { file: 'path' in source ? source.path : undefined })
  }
}
