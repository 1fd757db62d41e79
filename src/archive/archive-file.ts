import { type BigIntStats, constants, readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk, World } from '../base/world.ts'
import { errnoReason } from '../fs/disk-failure.ts'

/** An archive open for reading by position. Closes itself at the end of `await using`. */
export interface ArchiveFile extends AsyncDisposable {
  readonly path: string
  readonly size: number
  /** The descriptor, for worker threads of this process; valid until this is disposed. */
  readonly fd: number
  /** Its number, and when it was written and changed, in nanoseconds; as it was opened. */
  readonly facts: FileFacts
  /** Exactly `length` bytes from `offset`, at the start of `into` or in a new buffer. */
  readonly read: (offset: number, length: number, into?: Buffer) => Promise<Buffer>
  /** `read`, synchronously, for many small reads. */
  readonly readNow: (offset: number, length: number, into?: Buffer) => Buffer
  /** Throws an `archive` Failure when the file has changed since it was opened. */
  readonly assertUnchanged: () => Promise<void>
}

/** What tells one content of a file from another. The last change (`ctimeNs`) cannot be set by a program. */
export type FileFacts = Pick<BigIntStats, 'size' | 'ino' | 'mtimeNs' | 'ctimeNs'>

/** What reading the structure of an archive needs. */
export type ZipBytes = Pick<ArchiveFile, 'size' | 'read' | 'readNow'>

// Without O_NONBLOCK, opening a pipe waits for a writer. Windows does not have it.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Opens the archive at `path`, which messages show as given. A file that does not exist or is not a regular file is `usage`, one that
 * cannot be read is `io`.
 */
export async function openArchiveFile(
  { disk, cwd }: Pick<World, 'disk' | 'cwd'>,
  path: string,
): Promise<ArchiveFile> {
  return asArchiveFile(await open(disk, isAbsolute(path) ? path : join(cwd(), path), path), path)
}

/** The archive in a file that is open already, which messages show as `path`. It is closed with the archive, and after an error. */
export async function asArchiveFile(handle: FileHandle, path: string): Promise<ArchiveFile> {
  try {
    const stats = await handle.stat({ bigint: true })
    if (stats.isDirectory()) throw aFolder(path)
    if (!stats.isFile()) throw notRegular(path)
    return archiveFile(path, handle, stats)
  } catch (error) {
    await handle.close().catch(() => undefined)
    throw asFailure(error, path)
  }
}

async function open(disk: Disk, path: string, shown: string): Promise<FileHandle> {
  try {
    return await disk.open(path, OPEN_FLAGS)
  } catch (error) {
    throw asFailure(error, shown)
  }
}

function archiveFile(path: string, handle: FileHandle, before: FileFacts): ArchiveFile {
  return {
    path,
    size: Number(before.size),
    fd: handle.fd,
    facts: before,
    read: async (offset, length, into) => {
      const buffer = into?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length)
      let filled = 0
      while (filled < length) {
        const { bytesRead } = await readPart(handle, buffer, filled, offset + filled, path)
        if (bytesRead === 0) throw changed(path)
        filled += bytesRead
      }
      return buffer
    },
    readNow: (offset, length, into) => readAt(handle.fd, path, offset, length, into),
    assertUnchanged: async () => {
      const after = await handle.stat({ bigint: true }).catch((error: unknown) => {
        throw asFailure(error, path)
      })
      if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) throw changed(path)
    },
    [Symbol.asyncDispose]: () => handle.close().catch(() => undefined),
  }
}

async function readPart(
  handle: FileHandle,
  buffer: Buffer,
  filled: number,
  position: number,
  path: string,
): Promise<{ bytesRead: number }> {
  try {
    return await handle.read(buffer, filled, buffer.length - filled, position)
  } catch (error) {
    throw asFailure(error, path)
  }
}

/** Exactly `length` bytes from `offset` through an open descriptor, also of another thread of this process. */
export function readAt(fd: number, path: string, offset: number, length: number, into?: Buffer): Buffer {
  const buffer = into?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length)
  for (let filled = 0; filled < length; ) {
    const bytes = readPiece(fd, path, buffer, filled, offset + filled)
    if (bytes === 0) throw changed(path)
    filled += bytes
  }
  return buffer
}

function readPiece(fd: number, path: string, buffer: Buffer, filled: number, position: number): number {
  try {
    return readSync(fd, buffer, filled, buffer.length - filled, position)
  } catch (error) {
    throw asFailure(error, path)
  }
}

function asFailure(error: unknown, path: string): unknown {
  const code = systemCode(error)
  if (error instanceof Failure || code === undefined) return error
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new Failure('usage', `${escapeUnsafe(path)}: no such file`, {
      hint: 'check the path',
      file: path,
      cause: error,
    })
  }
  if (code === 'EISDIR') return aFolder(path)
  if (code === 'ENXIO' || code === 'ENODEV') return notRegular(path)
  return new Failure('io', `${escapeUnsafe(path)} cannot be read: ${errnoReason(code)}`, {
    hint: 'check its permissions and its disk',
    file: path,
    cause: error,
  })
}

function aFolder(path: string): Failure {
  return notAFile(path, 'a directory', 'name the archives in it')
}

function notRegular(path: string): Failure {
  return notAFile(path, 'not a regular file', 'save it to a file first')
}

function notAFile(path: string, what: string, hint: string): Failure {
  return new Failure('usage', `${escapeUnsafe(path)}: is ${what}, not an archive`, {
    hint,
    file: path,
  })
}

function changed(path: string): Failure {
  return new Failure('archive', `${escapeUnsafe(path)}: changed while it was being read`, {
    hint: 'make sure that no other program writes to it, then run the command again',
    file: path,
  })
}
