import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { join } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { JOURNAL, PIECE } from './find-job.ts'
import type { JobState } from './journal.ts'

// In addition to pieces: records of partial archives, the archive of all pieces, and a journal that was being written again.
const OTHER_FILES = /^(?:\d+-\d+-[0-9a-f]{8}\.partial|merged\.zip|journal\.new)$/

/** Removes a job directory, the journal last, so that an interrupted removal leaves a recognizable job. */
export async function removeJob(disk: Disk, folder: string): Promise<void> {
  await clearFolder(disk, folder, new Set())
  try {
    await disk.rm(join(folder, JOURNAL), { force: true })
    await disk.rmdir(folder)
  } catch (error) {
    // Other files in the directory are kept.
    const code = systemCode(error)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT')
      throw diskFailure(error, 'remove', folder)
  }
}

/** Removes the archives of a job directory and what belongs to them, except these names. */
export async function clearFolder(disk: Disk, folder: string, keep: ReadonlySet<string>): Promise<void> {
  try {
    for (const name of await disk.readdir(folder)) {
      const isOurs = PIECE.test(name) || OTHER_FILES.test(name)
      if (isOurs && !keep.has(name)) await disk.unlink(join(folder, name)).catch(unlessFolder)
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error instanceof Failure ? error : diskFailure(error, 'clear', folder)
  }
}

/** The text of a regular file in a job directory; links are not followed. */
export async function readText(disk: Disk, path: string): Promise<string> {
  const handle = await disk
    .open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    .catch((error: unknown) => {
      throw diskFailure(error, 'read', path)
    })
  try {
    return await handle.readFile('utf8')
  } catch (error) {
    throw diskFailure(error, 'read', path)
  } finally {
    await handle.close()
  }
}

/** Sorts the pieces of a job into those that have their recorded size and SHA-256, and others. */
export async function checkPieces(
  disk: Disk,
  folder: string,
  { pieces }: JobState,
  signal: AbortSignal | undefined,
): Promise<{ readonly good: JobState['pieces']; readonly damaged: readonly string[] }> {
  const good: JobState['pieces'][number][] = []
  const damaged: string[] = []
  for (const piece of pieces) {
    signal?.throwIfAborted()
    const isWhole =
      PIECE.test(piece.file) && (await hashOf(disk, join(folder, piece.file), piece.bytes)) === piece.sha256
    if (isWhole) good.push(piece)
    else damaged.push(piece.file)
  }
  return { good, damaged }
}

// Undefined when the file is missing, not a regular file, or of another size.
async function hashOf(disk: Disk, path: string, bytes: number): Promise<string | undefined> {
  try {
    const handle = await disk.open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const facts = await handle.stat()
      if (!facts.isFile() || facts.size !== bytes) return undefined
      const hash = createHash('sha256')
      const buffer = Buffer.allocUnsafe(1024 * 1024)
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, null)
        if (bytesRead === 0) return hash.digest('hex')
        hash.update(buffer.subarray(0, bytesRead))
      }
    } finally {
      await handle.close()
    }
  } catch {
    return undefined
  }
}

// A directory with a piece's name is not a piece.
function unlessFolder(error: unknown): void {
  if (systemCode(error) !== 'EISDIR') throw error
}
