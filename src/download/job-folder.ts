import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Disk } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { syncFolder } from '../fs/publish.ts'
import type { TransferKeeper } from './fetch-archive.ts'
import { type Claim, claimFolder, JOURNAL, jobIn } from './find-job.ts'
import { checkPieces, clearFolder, readText, removeJob } from './job-files.ts'
import {
  type EmptyResponse,
  type JobIdentity,
  type JobState,
  type JournalRecord,
  journalLine,
  type LearnedLength,
  type PartList,
  type Piece,
  readJournal,
  requestKey,
} from './journal.ts'
import { type JournalFile, openJournalFile } from './journal-file.ts'
import { moveJobAside, takeBackJob } from './move-job.ts'
import {
  createKeeper,
  findPartialResponses,
  type KeptBytes,
  type PartialResponse,
  recordName,
} from './partial-responses.ts'

/** An unfinished run on disk: its journal, its verified archives and partial responses. It stays until it is removed. */
export interface Job extends AsyncDisposable {
  readonly folder: string
  /** The state of earlier runs; all pieces in it are intact. */
  readonly state: JobState & { readonly kept: readonly PartialResponse[] }
  /** Whether there was a job. `related`: of the same criteria with another parts list. */
  readonly found: 'none' | 'same' | 'related'
  /** Where an unfinished job of another request was moved from this directory. */
  readonly setAside: string | undefined
  /** Damaged or missing pieces of earlier runs, to be requested again. */
  readonly damagedPieces: readonly string[]
  /** An unused name for the archive of a request, by where its parts are in the list. */
  readonly newPiece: (at: { readonly from: number; readonly to: number }) => string
  readonly piecePath: (file: string) => string
  /** Keeps the partial response at `path` for the next run. */
  readonly keeper: (list: PartList, path: string, kept?: PartialResponse) => TransferKeeper
  /** Journals and syncs that the request is being sent. */
  readonly sent: (list: PartList, at: string) => Promise<void>
  /** Keeps the synced archive `file` as a piece; resolves when its journal line is synced. */
  readonly verified: (piece: Piece) => Promise<void>
  readonly empty: (response: EmptyResponse) => Promise<void>
  readonly tooLong: (list: PartList, learned: LearnedLength) => Promise<void>
  readonly failed: (list: PartList, kind: string, attempts: number) => Promise<void>
  /** Journals which archive will be published, so that a run after a crash recognizes it. */
  readonly publishing: (archive: { readonly bytes: number; readonly sha256: string }) => Promise<void>
  /** True when the partial response to a request is kept. */
  readonly isKept: (list: PartList) => boolean
  /** The partial responses that are kept now. */
  readonly keptBytes: () => readonly KeptBytes[]
  /** True when the next run can use anything in it. */
  readonly isWorthKeeping: () => boolean
  /** Removes the job: its pieces, its journal, its directory. */
  readonly remove: () => Promise<void>
}

export interface OpenJobOptions extends JobIdentity {
  /** The user of this process; undefined on platforms without user IDs. */
  readonly uid: number | undefined
  /** RFC 3339. */
  readonly at: string
  readonly tool: string
  /** True when this run requests any of these parts. */
  readonly isWanted: (list: PartList) => boolean
  readonly signal?: AbortSignal
}

/** The name, in a job directory, of the archive of all pieces. */
export const MERGED = 'merged.zip'

interface Recorded {
  readonly claim: Exclude<Claim, 'other'>
  readonly setAside: string | undefined
  readonly state: JobState
  readonly kept: readonly PartialResponse[]
}

/**
 * Opens the job directory of an output (mode 0700, files 0600), with the state of an unfinished run of the same criteria, if this run can
 * use any of it: each piece must have its recorded size and SHA-256. The job of another request is moved aside, and taken back when
 * its request comes again. A link, another user's directory, or one that is not a job is refused (`io`) and not changed.
 */
export async function openJob(disk: Disk, folder: string, options: OpenJobOptions): Promise<Job> {
  const { claim, setAside, ...recorded } = await claimJob(disk, folder, options)
  const { good, damaged } = await checkPieces(disk, folder, recorded.state, options.signal)
  const state = { ...recorded.state, pieces: good, kept: recorded.kept }
  await clearFolder(
    disk,
    folder,
    new Set([...good, ...recorded.kept].flatMap(({ file }) => [file, recordName(file)])),
  )
  let journal: JournalFile | undefined
  try {
    const path = join(folder, JOURNAL)
    const { identity, search, at, tool } = options
    const began: JournalRecord = { event: 'began', identity, search, at, tool }
    if (claim === 'related') await rewriteJournal(disk, path, search, [began, ...answersOf(state)])
    journal = await openJournalFile(disk, path, claim === 'none')
    if (claim === 'none') await journal.append(journalLine(search, began))
    await syncFolder(disk, folder)
    if (claim === 'none') await syncFolder(disk, dirname(folder))
  } catch (error) {
    await journal?.close()
    // Nothing in it is useful to the next run.
    if (claim === 'none') await removeJob(disk, folder).catch(() => undefined)
    throw diskFailure(error, 'create', folder)
  }
  const facts = { folder, state, found: claim, setAside, damagedPieces: damaged }
  return createJob(disk, options.search, journal, facts)
}

async function claimJob(disk: Disk, folder: string, options: OpenJobOptions): Promise<Recorded> {
  const claim = await claimFolder(disk, folder, options, options.uid)
  const found = await readRecorded(disk, folder, options.search, claim)
  const { pieces, empty } = found.state
  const isUseful = claim === 'same' || [...pieces, ...empty, ...found.kept].some(options.isWanted)
  if (claim !== 'none' && claim !== 'other' && isUseful) return { ...found, claim, setAside: undefined }
  const setAside = claim === 'none' ? undefined : await moveJobAside(disk, folder, await jobIn(disk, folder))
  const isBack = await takeBackJob(disk, folder, options.identity)
  // What was there is gone.
  const now = isBack || claim !== 'none' ? await claimFolder(disk, folder, options, options.uid) : 'none'
  const mine = isBack && now === 'same' ? now : 'none'
  return { ...(await readRecorded(disk, folder, options.search, mine)), claim: mine, setAside }
}

async function readRecorded(
  disk: Disk,
  folder: string,
  search: string,
  claim: Claim,
): Promise<Pick<Recorded, 'state' | 'kept'>> {
  if (claim === 'none' || claim === 'other') return { state: readJournal('', search), kept: [] }
  const state = readJournal(await readText(disk, join(folder, JOURNAL)), search)
  return { state, kept: await findPartialResponses(disk, folder, await disk.readdir(folder), state) }
}

function answersOf({ pieces, empty, learned }: JobState): JournalRecord[] {
  return [
    ...pieces.map((piece) => ({ event: 'verified' as const, ...piece })),
    ...empty.map((answer) => ({ event: 'empty' as const, ...answer })),
    ...(learned === undefined ? [] : [{ event: 'too-long' as const, request: '', ...learned }]),
  ]
}

async function rewriteJournal(
  disk: Disk,
  path: string,
  search: string,
  records: readonly JournalRecord[],
): Promise<void> {
  const draft = `${path}.new`
  const file = await openJournalFile(disk, draft, true)
  try {
    await file.append(records.map((record) => journalLine(search, record)).join(''))
  } finally {
    await file.close()
  }
  await disk.rename(draft, path)
}

function createJob(
  disk: Disk,
  search: string,
  journal: JournalFile,
  facts: Pick<Job, 'folder' | 'state' | 'found' | 'setAside' | 'damagedPieces'>,
): Job {
  const { folder, state } = facts
  let isUseful = state.pieces.length + state.empty.length > 0
  const kept = new Map<string, KeptBytes>()
  for (const each of state.kept) kept.set(requestKey(each), { bytes: each.bytes, total: each.total })
  const append = (record: JournalRecord): Promise<void> => journal.append(journalLine(search, record))
  const appendUseful = async (record: JournalRecord): Promise<void> => {
    await append(record)
    isUseful = true
  }
  return {
    ...facts,
    newPiece: ({ from, to }) => `${from}-${to}-${randomBytes(4).toString('hex')}.zip`,
    piecePath: (file) => join(folder, file),
    keeper(list, path, begun) {
      const key = requestKey(list)
      return createKeeper(disk, path, list, begun, (bytes) => {
        if (bytes === undefined) kept.delete(key)
        else kept.set(key, bytes)
      })
    },
    sent: (list, at) => append({ event: 'sent', request: requestKey(list), at }),
    async verified(piece) {
      const path = join(folder, piece.file)
      try {
        await disk.chmod(path, 0o600)
        await syncFolder(disk, folder)
      } catch (error) {
        throw diskFailure(error, 'keep', path)
      }
      await appendUseful({ event: 'verified', ...piece })
    },
    empty: (response) => appendUseful({ event: 'empty', ...response }),
    tooLong: (list, learned) => append({ event: 'too-long', request: requestKey(list), ...learned }),
    failed: (list, kind, attempts) => append({ event: 'failed', request: requestKey(list), kind, attempts }),
    publishing: ({ bytes, sha256 }) => append({ event: 'publishing', bytes, sha256 }),
    isKept: (list) => kept.has(requestKey(list)),
    keptBytes: () => [...kept.values()],
    isWorthKeeping: () => isUseful || kept.size > 0,
    async remove() {
      await journal.close()
      await removeJob(disk, folder)
    },
    [Symbol.asyncDispose]: () => journal.close(),
  }
}
