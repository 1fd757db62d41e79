import { createHash, randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import { SILENT } from '../base/notice.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { acquireLock, lockPath, readLock } from '../fs/lock.ts'
import { syncDirectory } from '../fs/publish.ts'
import type { PartGroup } from '../request/request.ts'
import {
  type EmptyResponse,
  type JobIdentity,
  type JobState,
  type JournalFile,
  type JournalRecord,
  journalIdentity,
  journalLine,
  mentionsJob,
  openJournalFile,
  type ResponseArchive,
  readJournal,
  requestId,
} from './journal.ts'
import {
  findPartialResponses,
  type KeptBytes,
  type PartialResponse,
  ResponseKeeper,
  readRegularFile,
  recordName,
} from './partial-responses.ts'

export interface OpenJobOptions extends JobIdentity {
  /** The user of this process; undefined on platforms without user IDs. */
  readonly uid: number | undefined
  /** RFC 3339. */
  readonly at: string
  readonly tool: string
  /** True when this run requests any of these parts. */
  readonly isWanted: (list: PartGroup) => boolean
  readonly signal?: AbortSignal
}

/** The name, in a job directory, of the merged archive. */
export const MERGED = 'merged.zip'

interface Recorded {
  /** What was in the directory. `related`: a job of the same criteria with another parts list. */
  readonly claim: 'none' | 'same' | 'related'
  readonly setAside: string | undefined
  readonly state: JobState
  readonly kept: readonly PartialResponse[]
}

/**
 * Opens the job directory of an output (mode 0700, files 0600), with the state of an unfinished run of the same criteria, if this run can
 * use any of it: each archive must have its recorded size and SHA-256. The job of another request is moved aside, and taken back when
 * its request comes again. A link, another user's directory, or one that is not a job is refused (`io`) and not changed.
 */
export async function openJob(disk: Disk, directory: string, options: OpenJobOptions): Promise<Job> {
  const { claim, setAside, ...recorded } = await claimJob(disk, directory, options)
  const { good, damaged } = await checkArchives(disk, directory, recorded.state, options.signal)
  const state = { ...recorded.state, archives: good, kept: recorded.kept }
  await clearDirectory(
    disk,
    directory,
    new Set([...good, ...recorded.kept].flatMap(({ file }) => [file, recordName(file)])),
  )
  let journal: JournalFile | undefined
  try {
    const path = join(directory, JOURNAL)
    const { identity, search, at, tool } = options
    const began: JournalRecord = { event: 'began', identity, search, at, tool }
    if (claim === 'related') await rewriteJournal(disk, path, search, [began, ...responsesOf(state)])
    journal = await openJournalFile(disk, path, claim === 'none')
    if (claim === 'none') await journal.append(journalLine(search, began))
    await syncDirectory(disk, directory)
    if (claim === 'none') await syncDirectory(disk, dirname(directory))
  } catch (error) {
    await journal?.close()
    // A new job has nothing that the next run could use.
    if (claim === 'none') await removeJob(disk, directory).catch(() => undefined)
    throw diskFailure(error, 'create', directory)
  }
  const facts = { directory, state, found: claim, setAside, damagedArchives: damaged }
  return new Job(disk, options.search, journal, facts)
}

async function claimJob(disk: Disk, directory: string, options: OpenJobOptions): Promise<Recorded> {
  const journal = await claimDirectory(disk, directory, options.uid)
  if (journal !== undefined && isOfSearch(journal, options.search)) {
    const claim = journal.job?.identity === options.identity ? 'same' : 'related'
    const found = await readRecorded(disk, directory, options.search, journal)
    const { archives, empty } = found.state
    const isUseful = [...archives, ...empty, ...found.kept].some(options.isWanted)
    if (claim === 'same' || isUseful) return { ...found, claim, setAside: undefined }
  }
  const setAside = journal && (await moveJobAside(disk, directory, journal))
  await takeBackJob(disk, directory, options.identity)
  const back = await claimDirectory(disk, directory, options.uid)
  const mine = back?.job?.identity === options.identity ? back : undefined
  const found = await readRecorded(disk, directory, options.search, mine)
  return { ...found, claim: mine === undefined ? 'none' : 'same', setAside }
}

async function readRecorded(
  disk: Disk,
  directory: string,
  search: string,
  journal: FoundJournal | undefined,
): Promise<Pick<Recorded, 'state' | 'kept'>> {
  const state = readJournal(journal?.text ?? '', search)
  const names = journal === undefined ? [] : await namesIn(disk, directory)
  return { state, kept: await findPartialResponses(disk, directory, names, state) }
}

function responsesOf({ archives, empty }: JobState): JournalRecord[] {
  return [
    ...archives.map((archive) => ({ event: 'verified' as const, ...archive })),
    ...empty.map((response) => ({ event: 'empty' as const, ...response })),
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

/** An unfinished run on disk: its journal, its verified archives and partial responses. It stays until it is removed. */
export class Job implements AsyncDisposable {
  readonly directory: string
  /** The state of earlier runs; all archives in it are intact. */
  readonly state: JobState & { readonly kept: readonly PartialResponse[] }
  readonly found: Recorded['claim']
  /** Where an unfinished job of another request was moved from this directory. */
  readonly setAside: string | undefined
  /** Damaged or missing archives of earlier runs, to be requested again. */
  readonly damagedArchives: readonly string[]
  readonly #disk: Disk
  readonly #search: string
  readonly #journal: JournalFile
  readonly #kept = new Map<string, KeptBytes>()
  #isUseful: boolean

  constructor(
    disk: Disk,
    search: string,
    journal: JournalFile,
    facts: Pick<Job, 'directory' | 'state' | 'found' | 'setAside' | 'damagedArchives'>,
  ) {
    const { state } = facts
    this.directory = facts.directory
    this.state = state
    this.found = facts.found
    this.setAside = facts.setAside
    this.damagedArchives = facts.damagedArchives
    this.#disk = disk
    this.#search = search
    this.#journal = journal
    this.#isUseful = state.archives.length + state.empty.length > 0
    for (const each of state.kept) this.#kept.set(requestId(each), { bytes: each.bytes, total: each.total })
  }

  /** An unused name for the archive of a request, by where its parts are in the list. */
  newArchive({ from, to }: { readonly from: number; readonly to: number }): string {
    return `${from}-${to}-${randomBytes(4).toString('hex')}.zip`
  }

  archivePath(file: string): string {
    return join(this.directory, file)
  }

  /** Keeps the partial response to a request at `path` for the next run. */
  keeper({ id, parts, startDate, kept }: JobRequest, path: string): ResponseKeeper {
    return new ResponseKeeper(this.#disk, path, { parts, startDate }, kept, (bytes) => {
      if (bytes === undefined) this.#kept.delete(id)
      else this.#kept.set(id, bytes)
    })
  }

  /** Journals and syncs that the request is being sent. */
  async sent({ id, parts, startDate }: JobRequest, at: string): Promise<void> {
    await this.#append({ event: 'sent', request: id, at, parts: [...parts], startDate })
  }

  /** Keeps the archive of a response, whose file is synced; resolves when its journal line is synced. */
  async verified(archive: ResponseArchive): Promise<void> {
    const path = this.archivePath(archive.file)
    try {
      await this.#disk.chmod(path, 0o600)
      await syncDirectory(this.#disk, this.directory)
    } catch (error) {
      throw diskFailure(error, 'keep', path)
    }
    await this.#append({ event: 'verified', ...archive })
    this.#isUseful = true
  }

  async empty(response: EmptyResponse): Promise<void> {
    await this.#append({ event: 'empty', ...response })
    this.#isUseful = true
  }

  /** Journals that the service has responded to a request with an error, or never will. */
  async failed({ id }: JobRequest, kind: string, attempts: number): Promise<void> {
    await this.#append({ event: 'failed', request: id, kind, attempts })
  }

  /** Journals which archive will be published, so that a run after a crash recognizes it. */
  publishing({ bytes, sha256 }: { readonly bytes: number; readonly sha256: string }): Promise<void> {
    return this.#append({ event: 'publishing', bytes, sha256 })
  }

  /** True when the next run continues this request: a part of its response is kept. */
  isKept({ id }: JobRequest): boolean {
    return this.#kept.has(id)
  }

  /** The partial responses that are kept now. */
  keptBytes(): readonly KeptBytes[] {
    return [...this.#kept.values()]
  }

  /** True when the next run can use anything in it. */
  isWorthKeeping(): boolean {
    return this.#isUseful || this.#kept.size > 0
  }

  /** Removes the job: its archives, its journal, its directory. */
  async remove(): Promise<void> {
    await this.#journal.close()
    await removeJob(this.#disk, this.directory)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#journal.close()
  }

  #append(record: JournalRecord): Promise<void> {
    return this.#journal.append(journalLine(this.#search, record))
  }
}

/** A request of a job, named by `requestId`. */
interface JobRequest extends PartGroup {
  readonly id: string
  readonly kept?: PartialResponse | undefined
}

/** The name of the journal in a job directory. */
const JOURNAL = 'journal'
/** The name of an archive in a job directory. */
const ARCHIVE_NAME = /^\d+-\d+-[0-9a-f]{8}\.zip$/

/** What the name of a job directory ends with. */
export const JOB_SUFFIX = '.parts'
const OWNERS_AT_ONCE = 64

/** The job directory of an output: beside it, with its name and `.parts`. */
export function jobDirectory(outputPath: string): string {
  const name = `${basename(outputPath)}${JOB_SUFFIX}`
  if (Buffer.byteLength(name) > 255) {
    throw new Failure(
      'usage',
      `the name ${basename(outputPath)} is too long: ${JOB_SUFFIX} is appended to it`,
      {
        hint: 'choose a shorter name',
        options: ['output'],
      },
    )
  }
  return join(dirname(outputPath), name)
}

/** An unfinished job, found by its request. */
interface FoundJob {
  readonly outputPath: string
  readonly directory: string
  /** Its criteria are the same, its parts list is not. */
  readonly hasOtherParts: boolean
}

/**
 * Finds the latest unfinished job of a request, for output names that contain the time. Without one, the latest with the same
 * criteria of which `isMostlyWanted` says that this run can use it.
 */
export async function findUnfinishedJob(
  disk: Disk,
  directory: string,
  { identity, search }: JobIdentity,
  isMostlyWanted: (state: JobState) => boolean = () => false,
): Promise<FoundJob | undefined> {
  const found: FoundJournal[] = []
  for (const name of await namesIn(disk, directory)) {
    if (!name.endsWith(JOB_SUFFIX) || name === JOB_SUFFIX) continue
    const journal = await findJournal(disk, join(directory, name))
    if (journal?.job?.search === search) found.push(journal)
  }
  found.sort((a, b) => b.modifiedMs - a.modifiedMs)
  const latest =
    found.find(({ job }) => job?.identity === identity) ??
    found.find(({ text }) => isMostlyWanted(readJournal(text, search)))
  return (
    latest && {
      outputPath: latest.directory.slice(0, -JOB_SUFFIX.length),
      directory: latest.directory,
      hasOtherParts: latest.job?.identity !== identity,
    }
  )
}

/** The journal of a job directory. */
interface FoundJournal {
  readonly directory: string
  readonly text: string
  readonly modifiedMs: number
  /** Undefined when no readable line of the journal says which job it is. */
  readonly job: JobIdentity | undefined
}

/** Undefined when there is none, or it is not a regular file that can be read. */
function findJournal(disk: Disk, directory: string): Promise<FoundJournal | undefined> {
  return readRegularFile(disk, join(directory, JOURNAL), async (file, { mtimeMs }) => {
    const text = await file.readFile('utf8')
    return { directory, text, modifiedMs: mtimeMs, job: journalIdentity(text) }
  })
}

/** True for a job with these criteria. When the first line of a journal is damaged, other lines still name the job. */
function isOfSearch({ job, text }: FoundJournal, search: string): boolean {
  return job === undefined ? mentionsJob(text, search) : job.search === search
}

/**
 * Creates the directory, or checks that it is a job directory of this user, and returns its journal. A link, another user's directory or
 * file, or a directory that is not a job is refused (`io`) and not changed.
 */
async function claimDirectory(
  disk: Disk,
  directory: string,
  uid: number | undefined,
): Promise<FoundJournal | undefined> {
  if (await makeDirectory(disk, directory)) return undefined
  const facts = await disk.lstat(directory).catch((error: unknown) => {
    throw diskFailure(error, 'use', directory)
  })
  if (!facts.isDirectory()) {
    throw refused(directory, facts.isSymbolicLink() ? 'it is a symbolic link' : 'it is not a directory')
  }
  const names = await namesIn(disk, directory)
  await refuseOthers(disk, directory, names, uid)
  if (names.length > 0 && !names.includes(JOURNAL)) throw refused(directory, 'it is not a job directory')
  try {
    await disk.chmod(directory, 0o700)
  } catch (error) {
    if (systemCode(error) === 'EPERM') throw refused(directory, 'it belongs to another user')
    throw diskFailure(error, 'use', directory)
  }
  if (names.length === 0) return undefined
  const journal = await findJournal(disk, directory)
  if (journal === undefined) throw refused(directory, 'its journal is not a regular file')
  return journal
}

/** The state of a job, without claiming it; undefined unless it is of this request and this user. */
export async function readJobState(
  disk: Disk,
  directory: string,
  { identity, search }: JobIdentity,
  uid: number | undefined,
): Promise<JobState | undefined> {
  const facts = await disk.lstat(directory).catch(() => undefined)
  if (facts === undefined || !facts.isDirectory() || !isOwn(facts.uid, uid)) return undefined
  const journal = await findJournal(disk, directory)
  return journal?.job?.identity === identity ? readJournal(journal.text, search) : undefined
}

async function makeDirectory(disk: Disk, directory: string): Promise<boolean> {
  try {
    await disk.mkdir(directory, { mode: 0o700 })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw diskFailure(error, 'create', directory)
  }
}

// Another user could change what was verified, also when this one is root.
async function refuseOthers(
  disk: Disk,
  directory: string,
  names: readonly string[],
  uid: number | undefined,
): Promise<void> {
  const paths = [directory, ...names.map((name) => join(directory, name))]
  for (let from = 0; from < paths.length; from += OWNERS_AT_ONCE) {
    const some = paths.slice(from, from + OWNERS_AT_ONCE)
    const facts = await Promise.all(some.map((path) => disk.lstat(path).catch(() => undefined)))
    const foreign = some.find((_, index) => facts[index] !== undefined && !isOwn(facts[index].uid, uid))
    if (foreign === undefined) continue
    const what = foreign === directory ? 'it' : `${basename(foreign)} in it`
    throw refused(directory, `${what} belongs to another user`)
  }
}

function isOwn(ownerUid: number, uid: number | undefined): boolean {
  return uid === undefined || ownerUid === uid
}

async function namesIn(disk: Disk, directory: string): Promise<readonly string[]> {
  try {
    return await disk.readdir(directory)
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return []
    throw diskFailure(error, 'read', directory)
  }
}

function refused(directory: string, why: string): Failure {
  return new Failure('io', `${directory} cannot be the job directory: ${why}`, {
    file: directory,
    hint: 'inspect and remove it, or choose another output name',
    options: ['output'],
  })
}

// In addition to archives of requests: records of partial ones, the merged one, and a journal that was being written again.
const OTHER_FILES = /^(?:\d+-\d+-[0-9a-f]{8}\.partial|merged\.zip|journal\.new)$/

/** Removes a job directory, the journal last, so that an interrupted removal leaves a recognizable job. */
export async function removeJob(disk: Disk, directory: string): Promise<void> {
  await clearDirectory(disk, directory, new Set())
  try {
    await disk.rm(join(directory, JOURNAL), { force: true })
    await disk.rmdir(directory)
  } catch (error) {
    // Other files in the directory are kept.
    const code = systemCode(error)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT')
      throw diskFailure(error, 'remove', directory)
  }
}

/** Removes the archives of a job directory and what belongs to them, except these names. */
async function clearDirectory(disk: Disk, directory: string, keep: ReadonlySet<string>): Promise<void> {
  try {
    for (const name of await disk.readdir(directory)) {
      const isOurs = ARCHIVE_NAME.test(name) || OTHER_FILES.test(name)
      if (isOurs && !keep.has(name)) await disk.unlink(join(directory, name)).catch(unlessDirectory)
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error instanceof Failure ? error : diskFailure(error, 'clear', directory)
  }
}

/** Sorts the archives of a job into those that have their recorded size and SHA-256, and others. */
async function checkArchives(
  disk: Disk,
  directory: string,
  { archives }: JobState,
  signal: AbortSignal | undefined,
): Promise<{ readonly good: JobState['archives']; readonly damaged: readonly string[] }> {
  const good: JobState['archives'][number][] = []
  const damaged: string[] = []
  for (const archive of archives) {
    signal?.throwIfAborted()
    const isWhole =
      ARCHIVE_NAME.test(archive.file) &&
      (await hashOf(disk, join(directory, archive.file), archive.bytes)) === archive.sha256
    if (isWhole) good.push(archive)
    else damaged.push(archive.file)
  }
  return { good, damaged }
}

// Undefined when the file is missing, not a regular file, or of another size.
function hashOf(disk: Disk, path: string, bytes: number): Promise<string | undefined> {
  return readRegularFile(disk, path, async (file, { size }) => {
    if (size !== bytes) return undefined
    const hash = createHash('sha256')
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk)
    return hash.digest('hex')
  })
}

// A directory with the name of an archive is not one.
function unlessDirectory(error: unknown): void {
  if (systemCode(error) !== 'EISDIR') throw error
}

/**
 * Moves a job directory that this run cannot use to another name beside it, so that the run of its own request finds it again. Returns
 * the new path; undefined when it had no responses and was removed.
 */
async function moveJobAside(
  disk: Disk,
  directory: string,
  { job, text }: FoundJournal,
): Promise<string | undefined> {
  try {
    const hasArchive = (await disk.readdir(directory)).some((name) => ARCHIVE_NAME.test(name))
    // Empty responses used allowance too.
    const { empty } = readJournal(text, job?.search ?? '')
    if (!hasArchive && empty.length === 0) {
      await removeJob(disk, directory)
      return undefined
    }
    const path = await freeName(disk, asidePath(directory, job?.identity ?? 'unknown'))
    await disk.rename(directory, path)
    await syncDirectory(disk, dirname(directory))
    return path
  } catch (error) {
    throw diskFailure(error, 'move', directory)
  }
}

/** Moves the job of this request back to its directory, where it was put aside and nothing has taken its place. */
async function takeBackJob(disk: Disk, directory: string, identity: string): Promise<void> {
  const path = asidePath(directory, identity)
  if ((await findJournal(disk, path))?.job?.identity !== identity) return
  try {
    await disk.rmdir(directory).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error
    })
    await disk.rename(path, directory)
    await syncDirectory(disk, dirname(directory))
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return
    throw diskFailure(error, 'move', path)
  }
}

/**
 * Moves archives out of a job directory that is about to be removed into a directory of their own beside it. Returns its path; undefined
 * when there are none.
 */
export async function keepUnused(
  disk: Disk,
  directory: string,
  files: readonly string[],
): Promise<string | undefined> {
  if (files.length === 0) return undefined
  try {
    const path = await freeName(disk, `${directory}.unused`)
    await disk.mkdir(path, { mode: 0o700 })
    for (const file of files) await disk.rename(join(directory, file), join(path, file)).catch(unlessGone)
    await syncDirectory(disk, path)
    await syncDirectory(disk, dirname(directory))
    return path
  } catch (error) {
    throw diskFailure(error, 'keep', directory)
  }
}

function asidePath(directory: string, identity: string): string {
  return join(dirname(directory), `${basename(directory)}.${identity.slice(0, 8)}`)
}

async function freeName(disk: Disk, path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`
    const isTaken = await disk.lstat(candidate).then(
      () => true,
      () => false,
    )
    if (!isTaken) return candidate
  }
}

// An interrupted removal may have moved the file.
function unlessGone(error: unknown): void {
  if (systemCode(error) !== 'ENOENT') throw error
}

/**
 * Removes the job directories in `directory` that runs left empty when they were killed before their first journal line, with their
 * locks. Only if the lock of such a run exists and its process is gone. Never fails.
 */
export async function removeEmptyJobs(world: World, directory: string): Promise<void> {
  const { disk } = world
  const names = await disk.readdir(directory).catch(() => [])
  for (const name of names) {
    if (!name.endsWith(JOB_SUFFIX) || name === JOB_SUFFIX) continue
    const job = join(directory, name)
    const output = job.slice(0, -JOB_SUFFIX.length)
    try {
      if (!(await isEmptyDirectory(world, job))) continue
      if ((await readLock(disk, lockPath(output)))?.owner === undefined) continue
      await using lock = await acquireLock(world, output, 'skip', SILENT)
      if (lock !== undefined) await disk.rmdir(job)
    } catch {
      // A run that needs this path reports it.
    }
  }
}

async function isEmptyDirectory({ disk }: World, path: string): Promise<boolean> {
  return (await disk.lstat(path)).isDirectory() && (await disk.readdir(path)).length === 0
}
