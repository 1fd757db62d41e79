import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { syncFolder } from '../fs/publish.ts'
import { claimFolder, JOURNAL } from './find-job.ts'
import {
  type EmptyResponse,
  type JobState,
  type JournalRecord,
  journalIdentity,
  journalLine,
  type Piece,
  readJournal,
} from './journal.ts'
import { type JournalFile, openJournalFile } from './journal-file.ts'
import type { PartRange } from './plan.ts'

/** An unfinished run on disk: its journal and its verified archives. It stays until it is removed. */
export interface Job extends AsyncDisposable {
  readonly folder: string
  /** The state of earlier runs; all pieces in it are intact. */
  readonly state: JobState
  /** Whether there was a job. `changed`: of another request; it was removed. */
  readonly found: 'none' | 'same' | 'changed'
  /** Damaged or missing pieces of earlier runs, to be requested again. */
  readonly damagedPieces: readonly string[]
  /** An unused path for the archive of a range. */
  readonly draftPath: (range: PartRange) => string
  readonly piecePath: (file: string) => string
  /** Journals and syncs that the request is being sent. */
  readonly sent: (range: PartRange, at: string) => Promise<void>
  /** Keeps the synced archive at `path` as a piece; resolves when its journal line is synced. */
  readonly verified: (path: string, piece: Omit<Piece, 'file'>) => Promise<Piece>
  readonly empty: (response: EmptyResponse) => Promise<void>
  readonly halved: (range: PartRange) => Promise<void>
  readonly failed: (range: PartRange, kind: string, attempts: number) => Promise<void>
  /** Journals which archive will be published, so that a run after a crash recognizes it. */
  readonly publishing: (archive: { readonly bytes: number; readonly sha256: string }) => Promise<void>
  /** True when the next run can use anything in it. */
  readonly isWorthKeeping: () => boolean
  /** Removes the job: its pieces, its journal, its folder. */
  readonly remove: () => Promise<void>
}

export interface OpenJobOptions {
  readonly identity: string
  /** RFC 3339. */
  readonly at: string
  readonly tool: string
  readonly signal?: AbortSignal
}

const PIECE = /^\d+-\d+-[0-9a-f]{8}\.zip$/
/** The name, in a job folder, of the archive of all pieces. */
export const MERGED = 'merged.zip'

/**
 * Opens the job folder of an output (mode 0700, files 0600), with the state of an unfinished run of the same request: each piece must
 * have its recorded size and SHA-256. The job of another request is removed. A link, another user's folder, or one that is not a job
 * is refused (`io`) and not changed.
 */
export async function openJob(disk: Disk, folder: string, options: OpenJobOptions): Promise<Job> {
  const found = await claimFolder(disk, folder, options.identity)
  const text = found === 'same' ? await readText(disk, join(folder, JOURNAL)) : ''
  const recorded = readJournal(text, options.identity)
  const { good, damaged } = await checkPieces(disk, folder, recorded, options.signal)
  const state = { ...recorded, pieces: good }
  await removeOthers(disk, folder, new Set(good.map(({ file }) => file)))
  let journal: JournalFile | undefined
  try {
    journal = await openJournalFile(disk, join(folder, JOURNAL), found === 'changed')
    const began: JournalRecord = {
      event: 'began',
      identity: options.identity,
      at: options.at,
      tool: options.tool,
    }
    if (journalIdentity(text) !== options.identity) await journal.append(journalLine(options.identity, began))
    await syncFolder(disk, folder)
    if (found === 'none') await syncFolder(disk, dirname(folder))
  } catch (error) {
    await journal?.close()
    // Nothing in it is useful to the next run.
    if (found !== 'same') await removeJob(disk, folder).catch(() => undefined)
    throw diskFailure(error, 'create', folder)
  }
  return createJob(disk, folder, options.identity, journal, state, found, damaged)
}

function createJob(
  disk: Disk,
  folder: string,
  identity: string,
  journal: JournalFile,
  state: JobState,
  found: Job['found'],
  damagedPieces: readonly string[],
): Job {
  let isUseful = state.pieces.length + state.empty.length + state.halved.length > 0
  const append = (record: JournalRecord): Promise<void> => journal.append(journalLine(identity, record))
  const appendUseful = async (record: JournalRecord): Promise<void> => {
    await append(record)
    isUseful = true
  }
  return {
    folder,
    state,
    found,
    damagedPieces,
    draftPath: ({ from, to }) => join(folder, `${from}-${to}-${randomBytes(4).toString('hex')}.zip`),
    piecePath: (file) => join(folder, file),
    sent: ({ from, to }, at) => append({ event: 'sent', from, to, at }),
    async verified(path, facts) {
      const file = path.slice(folder.length + 1)
      try {
        await disk.chmod(path, 0o600)
        await syncFolder(disk, folder)
      } catch (error) {
        throw diskFailure(error, 'keep', path)
      }
      const piece = { ...facts, file }
      await appendUseful({ event: 'verified', ...piece })
      return piece
    },
    empty: (response) => appendUseful({ event: 'empty', ...response }),
    halved: ({ from, to }) => appendUseful({ event: 'halved', from, to }),
    failed: ({ from, to }, kind, attempts) => append({ event: 'failed', from, to, kind, attempts }),
    publishing: ({ bytes, sha256 }) => append({ event: 'publishing', bytes, sha256 }),
    isWorthKeeping: () => isUseful,
    async remove() {
      await journal.close()
      await removeJob(disk, folder)
    },
    [Symbol.asyncDispose]: () => journal.close(),
  }
}

/** Removes a job folder, the journal last, so that an interrupted removal leaves a recognizable job. */
export async function removeJob(disk: Disk, folder: string): Promise<void> {
  await removeOthers(disk, folder, new Set())
  try {
    await disk.rm(join(folder, JOURNAL), { force: true })
    await disk.rmdir(folder)
  } catch (error) {
    // Other files in the folder are kept.
    const code = systemCode(error)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT')
      throw diskFailure(error, 'remove', folder)
  }
}

async function readText(disk: Disk, path: string): Promise<string> {
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

async function checkPieces(
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

// Removes drafts and merged archives of a stopped run, and pieces of another request.
async function removeOthers(disk: Disk, folder: string, keep: ReadonlySet<string>): Promise<void> {
  try {
    for (const name of await disk.readdir(folder)) {
      const isOurs = PIECE.test(name) || name === MERGED
      if (isOurs && !keep.has(name)) await disk.unlink(join(folder, name)).catch(unlessFolder)
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error instanceof Failure ? error : diskFailure(error, 'clear', folder)
  }
}

// A folder with a piece's name is not a piece.
function unlessFolder(error: unknown): void {
  if (systemCode(error) !== 'EISDIR') throw error
}
