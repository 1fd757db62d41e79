import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { join, sep } from 'node:path'
import { escapeUnsafe } from '../../base/clean-text.ts'
import { decodeText } from '../../base/decode-text.ts'
import { Failure, isFailure, systemCode } from '../../base/failure.ts'
import { SIGNATURE_BYTES, startsLikeZip } from '../../base/file-signatures.ts'
import type { Disk, World } from '../../base/world.ts'
import { errnoReason } from '../../fs/disk-failure.ts'

/** A path; its bytes where they are not UTF-8, as a name in an archive of Windows that another program extracted on Linux. */
export type FilePath = string | Uint8Array

/** A file in a directory tree. */
interface SourceFile {
  /** Its path for people. */
  readonly name: string
  readonly path: FilePath
  readonly bytes: number
  /** When it was last written, milliseconds since the epoch. */
  readonly modifiedMs: number
}

const PIECE_BYTES = 256 * 1024
// Without this flag, opening a named pipe waits for a writer; Windows has neither.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** What a source that is a file begins like. */
type Beginning = 'archive' | 'markup' | 'other'

/**
 * A source: a directory, or a regular file with its size and what it begins like. One that does not exist, or is neither, is a Failure
 * of kind `usage` with its `label`.
 */
export async function lookAtSource(
  { disk, syncDisk }: Pick<World, 'disk' | 'syncDisk'>,
  path: string,
  label: string,
): Promise<'folder' | { readonly bytes: number; readonly beginning: Beginning }> {
  try {
    const stats = await disk.stat(path)
    if (stats.isDirectory()) return 'folder'
    if (!stats.isFile()) throw notReadable(label, 'neither a file nor a directory')
    // Synchronous calls: a list may have a hundred thousand files.
    const fd = syncDisk.openSync(path, OPEN_FLAGS)
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      const length = syncDisk.readSync(fd, head, 0, HEAD_BYTES, 0)
      return { bytes: stats.size, beginning: beginningOf(head.subarray(0, length)) }
    } finally {
      syncDisk.closeSync(fd)
    }
  } catch (error) {
    throw asFailure(error, label)
  }
}

const HEAD_BYTES = 64

// In UTF-8 or UTF-16, with a byte order mark or without.
function beginningOf(head: Buffer): Beginning {
  if (startsLikeZip(head.subarray(0, SIGNATURE_BYTES))) return 'archive'
  const text = head.toString('latin1').replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)|\0/g, '')
  return text.trimStart().startsWith('<') ? 'markup' : 'other'
}

/** What is in a directory tree and is no file to read. */
interface LeftOut {
  readonly name: string
  readonly reason: string
  /** It may have been one: a broken link, or a directory that cannot be listed. */
  readonly isLoss: boolean
}

/** Left by matdecl itself: no file of a user. */
const OWN_NAMES = /^\.(?:matdecl(?:-.*)?|.*\.lock(?:\..*)?|.*\.draft)$/

/**
 * The regular files in a directory tree with one of these endings, in any case, by name in code point order; and everything else, with
 * the reason. Hidden directories, job directories (`.parts`) and links to directories are not entered.
 */
export async function* filesUnder(
  disk: Disk,
  folder: string,
  endings: readonly string[],
  bytes?: Buffer,
  isTop = true,
): AsyncGenerator<SourceFile | LeftOut> {
  let entries: DirectoryEntry[]
  try {
    entries = await entriesOf(disk, bytes ?? folder)
  } catch (error) {
    const failure = asFailure(error, folder)
    if (isTop || !isFailure(failure)) throw failure
    yield { name: folder, reason: 'the directory cannot be listed', isLoss: true }
    return
  }
  const leftOut = (name: string, reason: string, isLoss = false): LeftOut => ({ name, reason, isLoss })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (OWN_NAMES.test(entry.name)) continue
    if (entry.name.startsWith('.')) {
      const reason =
        entry.name.startsWith('._') && !entry.isDirectory ? ADDED_BY_MACOS : 'a hidden file or directory'
      yield leftOut(join(folder, entry.name), reason)
      continue
    }
    const name = join(folder, entry.name)
    const own = entry.bytes ?? (bytes === undefined ? undefined : Buffer.from(entry.name))
    const path =
      own === undefined ? name : Buffer.concat([bytes ?? Buffer.from(folder), Buffer.from(sep), own])
    if (entry.isDirectory) {
      const below = typeof path === 'string' ? undefined : path
      if (entry.name === '__MACOSX') yield leftOut(name, ADDED_BY_MACOS)
      else if (entry.name.endsWith('.parts')) yield leftOut(name, 'a job directory of matdecl')
      else yield* filesUnder(disk, name, endings, below, false)
    } else if (endings.some((ending) => entry.name.toLowerCase().endsWith(ending))) {
      let stats: Stats
      try {
        stats = await disk.stat(path)
      } catch (error) {
        const isGone = ['ENOENT', 'ELOOP'].includes(systemCode(error) ?? '')
        yield leftOut(name, isGone ? 'is a broken link, or was just removed' : 'cannot be opened', true)
        continue
      }
      if (stats.isFile()) yield { name, path, bytes: stats.size, modifiedMs: stats.mtimeMs }
      else yield leftOut(name, 'no regular file')
    } else yield leftOut(name, `neither ${endings.join(' nor ')}`)
  }
}

export const ADDED_BY_MACOS = 'added by macOS'

interface DirectoryEntry {
  readonly name: string
  /** Its name where that is not UTF-8. */
  readonly bytes?: Buffer
  readonly isDirectory: boolean
}

async function entriesOf(disk: Disk, folder: string | Buffer): Promise<DirectoryEntry[]> {
  const entries = await disk.readdir(folder, { withFileTypes: true })
  if (!entries.some(({ name }) => name.includes('\ufffd'))) {
    return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }))
  }
  const raw = await disk.readdir(folder, { withFileTypes: true, encoding: 'buffer' })
  return raw.map((entry) => {
    const bytes = entry.name
    const isDirectory = entry.isDirectory()
    return isUtf8(bytes)
      ? { name: bytes.toString(), isDirectory }
      : { name: decodeText(bytes) ?? bytes.toString(), bytes, isDirectory }
  })
}

/** The bytes of a file in pieces, read synchronously: for worker threads, and for little data. */
export function* filePieces(path: FilePath, name: string): Generator<Buffer> {
  let fd: number
  try {
    fd = openSync(typeof path === 'string' ? path : Buffer.from(path), OPEN_FLAGS)
  } catch (error) {
    throw asFailure(error, name)
  }
  try {
    // Most files are small: one buffer of their size, and no more.
    const bytes = Math.min(PIECE_BYTES, fstatSync(fd).size + 1)
    for (;;) {
      const piece = Buffer.allocUnsafeSlow(bytes)
      const length = readSync(fd, piece, 0, bytes, null)
      if (length === 0) return
      yield piece.subarray(0, length)
    }
  } catch (error) {
    throw asFailure(error, name)
  } finally {
    closeSync(fd)
  }
}

function asFailure(error: unknown, path: string): unknown {
  const code = systemCode(error)
  if (error instanceof Failure || code === undefined) return error
  if (code === 'ENOENT' || code === 'ENOTDIR') return notReadable(path, 'no such file or directory', error)
  const hint = code === 'EACCES' || code === 'EPERM' ? 'ask for permission to read it' : 'check the disk'
  return fileFailure('io', path, `cannot be read: ${errnoReason(code)}`, hint, error)
}

function notReadable(path: string, what: string, cause?: unknown): Failure {
  return fileFailure('usage', path, what, 'name existing archives, directories or XML files', cause)
}

function fileFailure(
  kind: 'io' | 'usage',
  path: string,
  what: string,
  hint: string,
  cause: unknown,
): Failure {
  return new Failure(kind, `${shown(path)}: ${what}`, { hint, file: shown(path), cause })
}

/** A path in a message; of a very long one the beginning. */
function shown(path: string): string {
  return escapeUnsafe(path.length > LONGEST_SHOWN ? `${path.slice(0, LONGEST_SHOWN)}…` : path)
}

const LONGEST_SHOWN = 500
