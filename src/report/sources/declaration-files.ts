import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { Failure, systemCode } from '../../base/failure.ts'
import type { Disk } from '../../base/world.ts'
import { errnoReason } from '../../fs/disk-failure.ts'

/** A file in a directory tree. */
export interface SourceFile {
  readonly path: string
  readonly bytes: number
}

/** A source: a directory, or a regular file with its size, and whether it begins like an archive. */
export type Source =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly bytes: number; readonly isZip: boolean }

const PIECE_BYTES = 256 * 1024
// Without this flag, opening a named pipe waits for a writer; Windows has neither.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Looks at a source. One that does not exist, or is no file or directory, is a Failure of kind `usage` with its `label`. */
export async function lookAtSource(disk: Disk, path: string, label = path): Promise<Source> {
  try {
    const stats = await disk.stat(path)
    if (stats.isDirectory()) return { kind: 'folder', path }
    if (!stats.isFile()) throw notReadable(label, 'neither a file nor a directory')
    const handle = await disk.open(path, OPEN_FLAGS)
    try {
      const head = Buffer.allocUnsafe(2)
      const { bytesRead } = await handle.read(head, 0, head.length, 0)
      return { kind: 'file', path, bytes: stats.size, isZip: bytesRead === 2 && startsLikeZip(head) }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw asFailure(error, label)
  }
}

/** True for bytes that begin as those of a ZIP archive do. */
export function startsLikeZip(bytes: Buffer): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b
}

/**
 * The regular files in a directory tree with one of these endings, in any case, by name in code point order. Hidden files, job directories
 * (`.parts`) and links to directories are skipped.
 */
export async function* filesUnder(
  disk: Disk,
  folder: string,
  endings: readonly string[],
): AsyncGenerator<SourceFile> {
  const entries = await disk.readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw asFailure(error, folder)
  })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!entry.name.endsWith('.parts')) yield* filesUnder(disk, path, endings)
    } else if (endings.some((ending) => entry.name.toLowerCase().endsWith(ending))) {
      const stats = await disk.stat(path).catch((error: unknown) => {
        throw systemCode(error) === 'ENOENT' ? vanished(path, error) : asFailure(error, path)
      })
      if (stats.isFile()) yield { path, bytes: stats.size }
    }
  }
}

/** The bytes of a file in pieces, read synchronously: for worker threads, and for little data. */
export function* filePieces(path: string): Generator<Buffer> {
  let fd: number
  try {
    fd = openSync(path, OPEN_FLAGS)
  } catch (error) {
    throw asFailure(error, path)
  }
  try {
    for (;;) {
      const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
      const length = readSync(fd, piece, 0, PIECE_BYTES, null)
      if (length === 0) return
      yield piece.subarray(0, length)
    }
  } catch (error) {
    throw asFailure(error, path)
  } finally {
    closeSync(fd)
  }
}

/** A name in a directory that leads to nothing: what the user named exists. */
function vanished(path: string, cause: unknown): Failure {
  return new Failure('io', `${shown(path)}: is a broken link, or was just removed`, {
    hint: 'remove the link, or run the command again',
    file: shown(path),
    cause,
  })
}

function asFailure(error: unknown, path: string): unknown {
  const code = systemCode(error)
  if (error instanceof Failure || code === undefined) return error
  if (code === 'ENOENT' || code === 'ENOTDIR') return notReadable(path, 'no such file or directory', error)
  return new Failure('io', `${shown(path)}: cannot be read: ${errnoReason(code)}`, {
    hint: code === 'EACCES' || code === 'EPERM' ? 'ask for permission to read it' : 'check the disk',
    file: shown(path),
    cause: error,
  })
}

function notReadable(path: string, what: string, cause?: unknown): Failure {
  return new Failure('usage', `${shown(path)}: ${what}`, {
    hint: 'name existing archives, directories or XML files',
    file: shown(path),
    cause,
  })
}

/** A path in a message; of a very long one the beginning. */
function shown(path: string): string {
  return escapeUnsafe(path.length > LONGEST_SHOWN ? `${path.slice(0, LONGEST_SHOWN)}…` : path)
}

const LONGEST_SHOWN = 500
