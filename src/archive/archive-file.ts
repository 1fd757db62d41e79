import { type BigIntStats, constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { SyncDisk, World } from '../base/world.ts'
import { InputProblem, unreadableInput } from '../fs/disk-failure.ts'
import { absolutePath } from '../fs/output-target.ts'

/** An archive open for reading by position. Closes itself at the end of `await using`. */
export type ArchiveFile = ReturnType<typeof archiveFile>

/** What tells one content of a file from another. The last change (`ctimeNs`) cannot be set by a program. */
export type FileFacts = Pick<BigIntStats, 'size' | 'ino' | 'mtimeNs' | 'ctimeNs'>

/** What reading the structure of an archive needs. */
export type ZipBytes = Pick<ArchiveFile, 'size' | 'read'>

// Without O_NONBLOCK, opening a pipe waits for a writer. Windows does not have it.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Opens the archive at `path`, which messages show as given; `at` is where it is, if its name is not UTF-8. Standard input (`-`), and a file that does not exist or is not a regular
 * file, are `usage`; one that cannot be read is `io`. Synchronous, because a merge opens tens of thousands.
 */
export function openArchiveFile(
  { syncDisk, cwd }: Pick<World, 'syncDisk' | 'cwd'>,
  path: string,
  at?: string | Uint8Array,
): ArchiveFile {
  if (path === '-') throw onStandardInput()
  try {
    const place = at ?? absolutePath(cwd, path)
    const fd = syncDisk.openSync(typeof place === 'string' ? place : Buffer.from(place), OPEN_FLAGS)
    // A second close could hit another file, which has the number by then.
    let isOpen = true
    const close = (): void => {
      if (isOpen) {
        isOpen = false
        syncDisk.closeSync(fd)
      }
    }
    try {
      return archiveFile(syncDisk, path, fd, async () => close())
    } catch (error) {
      close()
      throw error
    }
  } catch (error) {
    throw asFailure(error, path)
  }
}

/** The archive in a file that is open already, which messages show as `path`. It is closed with the archive, and after an error. */
export async function asArchiveFile(
  { syncDisk }: Pick<World, 'syncDisk'>,
  handle: FileHandle,
  path: string,
): Promise<ArchiveFile> {
  try {
    return archiveFile(syncDisk, path, handle.fd, () => handle.close())
  } catch (error) {
    await handle.close().catch(() => undefined)
    throw asFailure(error, path)
  }
}

function archiveFile(disk: SyncDisk, path: string, fd: number, close: () => Promise<void>) {
  const before = disk.fstatSync(fd, { bigint: true })
  if (before.isDirectory()) throw aDirectory()
  if (!before.isFile()) throw notRegular()
  return {
    path,
    size: Number(before.size),
    /** The descriptor, for worker threads of this process; valid until this is disposed. */
    fd,
    /** Its number, and when it was written and changed, in nanoseconds; as it was opened. */
    facts: before as FileFacts,
    /** Exactly `length` bytes from `offset`, at the start of `into` or in a new buffer. */
    read: (offset: number, length: number, into?: Buffer): Buffer =>
      readAt(disk, { fd, path }, offset, length, into),
    /** Throws an `archive` Failure when the file has changed since it was opened. */
    assertUnchanged(): void {
      const after = statOrFail(disk, fd, path)
      if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) throw changedFailure(path)
    },
    [Symbol.asyncDispose]: (): Promise<void> => close().catch(() => undefined),
  }
}

function statOrFail(disk: SyncDisk, fd: number, path: string): BigIntStats {
  try {
    return disk.fstatSync(fd, { bigint: true })
  } catch (error) {
    throw asFailure(error, path)
  }
}

/** Exactly `length` bytes from `offset` through an open descriptor, also of another thread of this process. */
export function readAt(
  { readSync }: Pick<SyncDisk, 'readSync'>,
  { fd, path }: { readonly fd: number; readonly path: string },
  offset: number,
  length: number,
  into?: Buffer,
): Buffer {
  const buffer = into?.subarray(0, length) ?? Buffer.allocUnsafeSlow(length)
  try {
    for (let filled = 0; filled < length; ) {
      const bytes = readSync(fd, buffer, filled, length - filled, offset + filled)
      if (bytes === 0) throw changedFailure(path)
      filled += bytes
    }
  } catch (error) {
    throw asFailure(error, path)
  }
  return buffer
}

function asFailure(error: unknown, path: string): unknown {
  const code = systemCode(error) ?? ''
  const problem = code === 'EISDIR' ? aDirectory() : ['ENXIO', 'ENODEV'].includes(code) ? notRegular() : error
  if (code === '' && !(problem instanceof InputProblem)) return error
  return unreadableInput(problem, escapeUnsafe(path), { file: path })
}

const aDirectory = (): InputProblem =>
  new InputProblem('is a directory, not an archive', 'name the archives in it')
const notRegular = (): InputProblem =>
  new InputProblem('is not a regular file, so not an archive', 'save it to a file first')

const onStandardInput = (): Failure =>
  new Failure('usage', 'an archive on standard input (-) is not supported here', {
    hint: 'save it to a file first; ./- is a file of that name',
  })

/** The failure for an archive that is not what it was when it was opened. */
export function changedFailure(path: string): Failure {
  return new Failure('archive', `${escapeUnsafe(path)}: changed while it was being read`, {
    hint: 'make sure that no other program writes to it, then run the command again',
    file: path,
  })
}
