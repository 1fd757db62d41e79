import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { join } from 'node:path'
import type { VerifiedArchive } from '../archive/verify-archive.ts'
import { Failure, isFailure, systemCode } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import { plural } from '../base/units.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure, ignoreUnsupported } from '../fs/disk-failure.ts'
import { hashFile } from '../fs/file-hash.ts'
import { acquireLock, type IfLocked, type Lock } from '../fs/lock.ts'
import { isSameNumber } from '../fs/platform-disk.ts'
import { moveUnlessTaken, syncDirectory, syncFile } from '../fs/publish.ts'
import { ensureDirectory } from '../fs/user-files.ts'
import {
  type Answer,
  type Answered,
  contentOf,
  type Publishing,
  type Records,
  RecordWriter,
  type Requested,
  type RunEnd,
  readRecords,
  type Search,
  type WrittenLists,
} from './answers.ts'
import { IncomingResponse, type Recovery, type ResponseNote, readNote, recovery } from './incoming.ts'
import { isWithin, type KnownSearch, RESUME_MS, replay } from './known.ts'

/** What is the tool's own in a library, in a directory of this name. */
const OWN = '.matdecl'
const RECORDS = 'answers.jsonl'
const ARCHIVE = /^\d{4}-\d{2}-\d{2}T\d{6}Z-\d+\.zip$/
const INCOMING = /^[0-9a-f]{16}\.(?:note|zip)$/
const MERGED = 'merged.zip'

/** Where the tool's own files of a library are. */
export function ownDirectory(directory: string): string {
  return join(directory, OWN)
}

/** Where what was read of the archives of a library is kept. */
export function rowsDirectory(directory: string): string {
  return join(ownDirectory(directory), 'rows')
}

interface LibraryOptions {
  /** A job is the library of one download: its requests have one start date, and it is removed in the end. */
  readonly isJob: boolean
  /** Name and version of the program. */
  readonly tool: string
  /** The lock that the caller holds, or what to do when another run writes to the library. */
  readonly lock: Lock | IfLocked
  readonly reporter: Reporter
  readonly signal: AbortSignal
  /** Verifies an archive and looks for its parts; throws a Failure `archive` when it is damaged or unsafe. */
  readonly verify: (path: string) => Promise<VerifiedArchive>
}

/** What came of a request. */
interface Received {
  readonly status: number
  readonly attempts: number
  readonly seconds: number
  /** When the service answered: see `BodyFacts`. */
  readonly at: number
  readonly date: number | undefined
  /** Undefined when the answer has no body. */
  readonly archive:
    | {
        readonly bytes: number
        readonly sha256: string
        readonly verified: VerifiedArchive
        readonly isScanned: boolean
      }
    | undefined
}

/**
 * Opens a library for writing, and makes it (mode 0700) if it is missing. Takes its lock, reads its records, and finishes what a run
 * that was stopped has left: complete bodies are verified and recorded. Undefined when another run holds the lock and `ifLocked` is
 * `skip`. A directory of another user, a file or a link is an `io` failure; records of a newer version are one of kind `config`.
 */
export async function openLibrary(
  world: World,
  directory: string,
  options: LibraryOptions,
): Promise<Library | undefined> {
  await using held = new ResourceStack()
  const { disk } = world
  const own = ownDirectory(directory)
  await claimDirectory(world, directory, options.isJob)
  await claimDirectory(world, own, true)
  await claimDirectory(world, join(own, 'incoming'), true)
  let { lock } = options
  if (typeof lock === 'string') {
    const { reporter, signal } = options
    const acquired = await acquireLock(world, directory, lock, reporter, { signal, file: join(own, 'lock') })
    if (acquired === undefined) return undefined
    lock = held.use(acquired)
  }
  const path = join(own, RECORDS)
  const records = readRecords(await textOf(world, path), path)
  const file = held.use(await RecordFile.open(disk, path, records.lists))
  for (const each of [own, directory]) {
    await syncDirectory(disk, each)
      .catch(ignoreUnsupported)
      .catch((error: unknown) => {
        throw diskFailure(error, 'save', each)
      })
  }
  const library = held.use(new Library(world, directory, { ...options, lock }, records, file, held.move()))
  await library.recover()
  held.move()
  return library
}

/**
 * The records of a library, for reading: no lock is taken and nothing is changed. A directory without records has none; one that
 * `openLibrary` refuses is an `io` failure.
 */
export async function readLibrary(world: World, directory: string): Promise<Records> {
  await checkDirectory(world, directory, false)
  await checkDirectory(world, ownDirectory(directory), true)
  const path = join(ownDirectory(directory), RECORDS)
  return readRecords(await textOf(world, path), path)
}

/** The failure for records that cannot be read and that no run knows of; undefined without any. */
export function damageFailure(
  directory: string,
  { newlyDamaged, firstDamaged }: Pick<Records, 'newlyDamaged' | 'firstDamaged'>,
): Failure | undefined {
  if (newlyDamaged === 0) return undefined
  const path = join(ownDirectory(directory), RECORDS)
  const where = firstDamaged === undefined ? '' : `, from line ${firstDamaged} on`
  return new Failure('archive', `${path}: ${plural(newlyDamaged, 'record')} cannot be read${where}`, {
    hint: 'the next matdecl sync asks for the parts of these answers again',
    file: path,
  })
}

/**
 * The archives of answers that are gone or are not what was recorded: by size and time, and by their content where the time differs, as
 * after copying a library; with `isThorough` all by their content. Those are suspect from then on.
 */
export async function lostArchives(
  world: World,
  directory: string,
  answers: readonly Answer[],
  signal: AbortSignal,
  isThorough = false,
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>()
  for (const { archive, bytes, sha256, modified } of answers) {
    signal.throwIfAborted()
    if (archive === undefined) continue
    const path = join(directory, archive)
    const facts = await world.disk.lstat(path).catch(() => undefined)
    const isThere = facts?.isFile() === true && facts.size === bytes
    const isUntouched = isThere && !isThorough && Math.round(facts.mtimeMs) === modified
    if (isUntouched) continue
    if (!isThere || (await hashFile(world, path, bytes).catch(() => undefined)) !== sha256) {
      lost.add(archive)
      if (isThorough) await suspectArchive(world, directory, archive)
    }
    // The next run need not read it again.
    else if (modified !== undefined && !isThorough)
      await world.disk.utimes(path, modified / 1000, modified / 1000).catch(() => undefined)
  }
  return lost
}

/**
 * Makes every later run compare an archive with its record by its content, for somebody has found that it is damaged: its time is no
 * longer the recorded one. Readers do it without a lock: a run that finds the content right restores the time.
 */
export async function suspectArchive(
  { disk, clock }: World,
  directory: string,
  archive: string,
): Promise<void> {
  const now = new Date(clock.nowMs())
  await disk.utimes(join(directory, archive), now, now).catch(() => undefined)
}

/** How much of a response is kept. */
export interface Kept {
  readonly bytes: number
  /** Undefined where the service has not told it. */
  readonly total: number | undefined
}

/** A library that is open for writing. It alone knows what was asked, what came, and how far the rest is. */
export class Library implements AsyncDisposable {
  readonly directory: string
  /** The name of this run in its records. */
  readonly run: string
  readonly #world: World
  readonly #options: LibraryOptions & { readonly lock: Lock }
  readonly #file: RecordFile
  readonly #records: Records
  readonly #answers: Answer[]
  readonly #incoming = new Map<string, IncomingResponse>()
  readonly #names = new Set<string>()
  readonly #contents: Set<string>
  readonly #changedParts = new Set<string>()
  readonly #lost = new Set<string>()
  #abandonedCount = 0
  #lastNumber = 0
  readonly #held: AsyncDisposable

  /** Use `openLibrary`. `held` is disposed with it. */
  constructor(
    world: World,
    directory: string,
    options: LibraryOptions & { readonly lock: Lock },
    records: Records,
    file: RecordFile,
    held: AsyncDisposable,
  ) {
    this.directory = directory
    this.#world = world
    this.#options = options
    this.#file = file
    this.#held = held
    this.#records = records
    this.#answers = [...records.answers]
    this.#contents = new Set(records.answers.flatMap(({ entries }) => entries))
    const { openRun } = records
    const lastAt = records.answers.findLast(({ run }) => run === openRun)?.at
    const isResumed = openRun !== undefined && isWithin(world.clock.nowMs(), lastAt, RESUME_MS)
    this.run = isResumed ? openRun : newId()
  }

  /** What was answered, in the order in which it was recorded. */
  get answers(): readonly Answer[] {
    return this.#answers
  }

  /** The archive that an earlier run of this job was about to publish. */
  get publishing(): Records['publishing'] {
    return this.#records.publishing
  }

  /** What is known of each part of each search, by `searchKey`. */
  known(): ReadonlyMap<string, KnownSearch> {
    return replay(this.#answers, {
      openRun: this.run,
      isLost: (answer) => this.isLost(answer),
      everyAnswerCounts: this.#options.isJob,
    })
  }

  /** The parts of which this run received content that the library did not have. */
  get changedParts(): ReadonlySet<string> {
    return this.#changedParts
  }

  /** What was known before this run. */
  knownBefore(): ReadonlyMap<string, KnownSearch> {
    return replay(this.#records.answers, { everyAnswerCounts: this.#options.isJob })
  }

  /** The archives of answers that are gone, or are not what was recorded. */
  get lost(): ReadonlySet<string> {
    return this.#lost
  }

  /** True when the archive of an answer is one of them. */
  isLost({ archive }: Answer): boolean {
    return archive !== undefined && this.#lost.has(archive)
  }

  /** Compares the archive at a path, if it is one of its own, with what was recorded: one that differs is lost, for the next run too. */
  async suspect(path: string | undefined): Promise<void> {
    const found = this.#answers.filter(({ archive }) => archive && this.archivePath(archive) === path)
    const lost = await lostArchives(this.#world, this.directory, found, this.#options.signal, true)
    for (const name of lost) this.#lost.add(name)
  }

  /** How many records cannot be read that the last complete run could read, or did not have. */
  get damagedRecords(): number {
    return this.#records.newlyDamaged
  }

  /** How many requests an earlier run sent without a response of which anything is left. */
  get abandonedCount(): number {
    return this.#abandonedCount
  }

  /** The responses that an earlier run has begun, and that can be continued. */
  begun(): readonly IncomingResponse[] {
    return [...this.#incoming.values()].filter(({ kept }) => kept > 0)
  }

  /** How much is on disk of responses that a later run can continue; of all of them unless given. */
  kept(begun = this.begun()): readonly Kept[] {
    return begun.map(({ kept, body, isVerified }) => ({
      bytes: kept,
      total: isVerified ? kept : body?.total,
    }))
  }

  /** A request that is about to be sent. */
  request(
    search: Search,
    parts: readonly string[],
    start: string | undefined,
    isListed = true,
  ): IncomingResponse {
    const request: Requested = {
      id: newId(),
      run: this.run,
      search,
      parts: [...parts],
      start,
      listed: isListed,
    }
    const incoming = new IncomingResponse(this.#world.disk, this.#incomingDirectory, request)
    this.#incoming.set(request.id, incoming)
    return incoming
  }

  /** The request is over: nothing of it is kept. */
  async abandon(incoming: IncomingResponse): Promise<void> {
    await incoming.remove()
    this.#incoming.delete(incoming.request.id)
  }

  /**
   * Records an answer whose body is verified and synced: its archive gets its name, then the record is appended and synced. From that
   * moment the answer counts, and not before.
   */
  async commit(incoming: IncomingResponse, received: Received): Promise<Answer> {
    const { status, attempts, seconds, at, date, archive } = received
    const hasEntries = archive !== undefined && archive.verified.entries.length > 0
    const content = hasEntries ? contentsOf(archive, incoming.request.parts) : NO_CONTENT
    const modified = hasEntries ? await this.#modifiedMs(incoming.path) : undefined
    const answered: Answered = {
      ...(date === undefined ? {} : { date }),
      at,
      status,
      attempts,
      seconds: Math.round(seconds * 1000) / 1000,
      ...(hasEntries ? { archive: this.#freeName(date ?? at), sha256: archive.sha256, modified } : {}),
      bytes: archive?.bytes ?? 0,
      ...content,
      tool: this.#options.tool,
    }
    if (hasEntries) this.#noteChanges(archive, incoming.request.parts)
    await incoming.verified(answered)
    return this.#finish(incoming, answered, false)
  }

  /** Records that every request of this run was answered. Every answer has its record already: what fails here is only warned of. */
  async endRun(): Promise<void> {
    const damaged = this.#records.damagedLines || undefined
    await this.#options.lock.requireHeld()
    try {
      await this.#file.append({ end: true, run: this.run, at: this.#world.clock.nowMs(), damaged })
    } catch (error) {
      if (!isFailure(error)) throw error
      const message = `the end of the run could not be recorded: ${error.message}; every answer was`
      this.#options.reporter.notice({ level: 'warning', event: 'library.end', message })
    }
  }

  /** Records which archive will be published, so that a run after a kill recognizes it. */
  async willPublish(publishing: Publishing['publishing']): Promise<void> {
    await this.#options.lock.requireHeld()
    await this.#file.append({ publishing, at: this.#world.clock.nowMs() })
  }

  /** True when the next run of a job can use anything in it. */
  isWorthKeeping(): boolean {
    const incoming = [...this.#incoming.values()]
    return this.#answers.length > 0 || incoming.some(({ isVerified, kept }) => isVerified || kept > 0)
  }

  /** Removes a job: its archives, its records, its directory. Other files in it stay, and then the directory. */
  async remove(): Promise<void> {
    await this.#options.lock.requireHeld()
    await this.#close()
    await removeLibrary(this.#world.disk, this.directory)
  }

  /** Where the archives of a job are merged. */
  get mergedPath(): string {
    return join(this.#incomingDirectory, MERGED)
  }

  archivePath(name: string): string {
    return join(this.directory, name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
    await this.#held[Symbol.asyncDispose]()
  }

  /** Checks the archives, and finishes what an earlier run has left. Call once after opening. */
  async recover(): Promise<void> {
    const { disk } = this.#world
    for (const name of await namesIn(disk, this.directory)) this.#names.add(name)
    for (const { archive } of this.#answers) if (archive !== undefined) this.#names.add(archive)
    for (const name of await lostArchives(this.#world, this.directory, this.#answers, this.#options.signal))
      this.#lost.add(name)
    const directory = this.#incomingDirectory
    const notes: ResponseNote[] = []
    for (const name of await namesIn(disk, directory)) {
      if (!INCOMING.test(name) || !name.endsWith('.note')) continue
      const note = readNote(await textOf(this.#world, join(directory, name)))
      if (note === undefined || `${note.request.id}.note` !== name) continue
      notes.push(note)
      // No other archive may get the name that one of them is to have.
      if (note.answer?.archive !== undefined) this.#names.add(note.answer.archive)
    }
    for (const note of notes) await this.#recoverRequest(note)
    // Bodies without a note, and notes that cannot be read.
    for (const name of await namesIn(disk, directory)) {
      const id = name.replace(/\.\w+$/, '')
      const isLeft = name === MERGED || (INCOMING.test(name) && !this.#incoming.has(id))
      if (isLeft) await disk.rm(join(directory, name), { force: true }).catch(() => undefined)
    }
  }

  async #recoverRequest(note: ResponseNote): Promise<void> {
    const incoming = new IncomingResponse(this.#world.disk, this.#incomingDirectory, note.request, note)
    this.#incoming.set(note.request.id, incoming)
    const decision = await this.#recoveryOf(note, incoming)
    if (decision === 'continue') return
    if (decision === 'record') {
      await this.#finish(incoming, note.answer!, true)
      return
    }
    if (decision === 'name') {
      // Another archive may have got its name in the meantime.
      const answer = note.answer!
      const renamed = { ...answer, archive: this.#freeName(answer.date ?? answer.at) }
      await incoming.verified(renamed)
      await this.#finish(incoming, renamed, false)
      return
    }
    if (decision === 'verify' && (await this.#verifyLeft(incoming))) return
    const isRecorded = this.#answers.some(({ id }) => id === note.request.id)
    if (!isRecorded && (note.isSent || note.body !== undefined)) this.#abandonedCount += 1
    await this.abandon(incoming)
  }

  async #recoveryOf(note: ResponseNote, { path }: IncomingResponse): Promise<Recovery> {
    const { answer } = note
    if (answer?.archive !== undefined) await this.#removeSecondName(path, this.archivePath(answer.archive))
    const bodyBytes = await sizeOf(this.#world.disk, path)
    const isSame = async (file: string): Promise<boolean> =>
      (await sizeOf(this.#world.disk, file)) === answer?.bytes &&
      (await hashFile(this.#world, file, answer!.bytes)) === answer?.sha256
    const hasArchive = answer?.archive !== undefined
    return recovery({
      note,
      isRecorded: this.#answers.some(({ id }) => id === note.request.id),
      isNamed: hasArchive && (await isSame(this.archivePath(answer.archive!))),
      isThere: hasArchive && (await isSame(path)),
      bodyBytes,
      nowMs: this.#world.clock.nowMs(),
      resumeMs: this.#options.isJob ? Number.POSITIVE_INFINITY : RESUME_MS,
    })
  }

  // A kill between link() and unlink() leaves the archive under both names.
  async #removeSecondName(path: string, named: string): Promise<void> {
    const { disk } = this.#world
    const facts = (at: string) => disk.lstat(at, { bigint: true }).catch(() => undefined)
    const [one, other] = [await facts(path), await facts(named)]
    if (one === undefined || other === undefined || one.nlink < 2n || !isSameNumber(one, other)) return
    await disk.unlink(path).catch((error: unknown) => {
      throw diskFailure(error, 'remove', path)
    })
  }

  /** Verifies a body that is complete; false when it is damaged. */
  async #verifyLeft(incoming: IncomingResponse): Promise<boolean> {
    const { body, path } = incoming
    try {
      const bytes = (await sizeOf(this.#world.disk, path)) ?? 0
      const verified = await this.#options.verify(path)
      await syncFile(this.#world.disk, path)
      const archive = { bytes, sha256: await hashFile(this.#world, path, bytes), verified, isScanned: true }
      await this.commit(incoming, { ...body!, date: body!.date, attempts: 1, seconds: 0, archive })
      return true
    } catch (error) {
      if (isFailure(error) && error.kind === 'archive') return false
      const how = isFailure(error) ? error.kind : 'internal'
      if (how !== 'interrupted') await incoming.endedBy(how).catch(() => undefined)
      throw error
    }
  }

  // The commit point is the synced record. A kill before it leaves a note, from which the next run does the rest.
  async #finish(incoming: IncomingResponse, given: Answered, isNamed: boolean): Promise<Answer> {
    await this.#options.lock.requireHeld()
    const answered = given.archive === undefined || isNamed ? given : await this.#nameArchive(incoming, given)
    // What an earlier run had asked for was answered in this one.
    const answer: Answer = { ...incoming.request, run: this.run, ...answered }
    // Of a run that was killed just before, it is not known which parts have changed.
    if (answered.entries.some((entry) => !this.#contents.has(entry)))
      for (const part of answered.found) this.#changedParts.add(part)
    for (const entry of answered.entries) this.#contents.add(entry)
    await this.#file.append(answer)
    this.#answers.push(answer)
    await this.abandon(incoming)
    return answer
  }

  // A name that another file has by now, of another program or run, is passed over.
  async #nameArchive(incoming: IncomingResponse, given: Answered): Promise<Answered> {
    const { disk } = this.#world
    let answered = given
    for (;;) {
      const path = this.archivePath(answered.archive!)
      try {
        await disk.chmod(incoming.path, 0o600).catch(ignoreUnsupported)
        if (await moveUnlessTaken(disk, incoming.path, path)) {
          await syncDirectory(disk, this.directory)
          return answered
        }
      } catch (error) {
        throw diskFailure(error, 'keep', path)
      }
      answered = { ...answered, archive: this.#freeName(answered.date ?? answered.at) }
      await incoming.verified(answered)
    }
  }

  // Without parts, the numbers that the entries declare.
  #noteChanges(
    { verified: { entries, products } }: NonNullable<Received['archive']>,
    parts: readonly string[],
  ): void {
    const asked = new Set(parts)
    for (const entry of entries) {
      if (this.#contents.has(contentOf(entry))) continue
      for (const number of declaredNumbers(products.get(entry.name) ?? []))
        if (asked.size === 0 || asked.has(number)) this.#changedParts.add(number)
    }
    for (const entry of entries) this.#contents.add(contentOf(entry))
  }

  async #modifiedMs(path: string): Promise<number> {
    const { mtimeMs } = await this.#world.disk.lstat(path).catch((error: unknown) => {
      throw diskFailure(error, 'read', path)
    })
    return Math.round(mtimeMs)
  }

  // By the service's clock, as far as it is known.
  #freeName(ms: number): string {
    const time = new Date(ms).toISOString()
    for (;;) {
      this.#lastNumber += 1
      const name = `${time.slice(0, 10)}T${time.slice(11, 19).replaceAll(':', '')}Z-${this.#lastNumber}.zip`
      if (this.#names.has(name)) continue
      this.#names.add(name)
      return name
    }
  }

  get #incomingDirectory(): string {
    return join(ownDirectory(this.directory), 'incoming')
  }

  async #close(): Promise<void> {
    for (const incoming of this.#incoming.values()) await incoming.close()
    await this.#file[Symbol.asyncDispose]()
  }
}

/** Removes what is the tool's own in a library, the records last; then its directories, where nothing else is in them. */
async function removeLibrary(disk: Disk, directory: string): Promise<void> {
  const own = ownDirectory(directory)
  const incoming = join(own, 'incoming')
  const files = [
    ...(await namesIn(disk, directory))
      .filter((name) => ARCHIVE.test(name))
      .map((name) => join(directory, name)),
    ...(await namesIn(disk, incoming))
      .filter((name) => INCOMING.test(name) || name === MERGED)
      .map((name) => join(incoming, name)),
    join(own, RECORDS),
  ]
  try {
    for (const file of files) await disk.rm(file, { force: true })
    for (const each of [incoming, own, directory]) await disk.rmdir(each).catch(unlessInUse)
  } catch (error) {
    throw diskFailure(error, 'remove', directory)
  }
}

// Files of others in it are kept, and a directory with the name of an archive is none.
function unlessInUse(error: unknown): void {
  const code = systemCode(error)
  if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOENT') throw error
}

const NO_CONTENT = { found: [], others: 0, entries: [] } as const

/** Which of the parts an archive declares, and what its entries hold. */
function contentsOf(
  { verified: { entries, products }, isScanned }: NonNullable<Received['archive']>,
  parts: readonly string[],
): Pick<Answered, 'found' | 'others' | 'entries'> {
  const asked = new Set(parts)
  const found = new Set<string>()
  let others = 0
  for (const { name } of entries) {
    const own = [...declaredNumbers(products.get(name) ?? [])].filter((number) => asked.has(number))
    for (const number of own) found.add(number)
    if (own.length === 0) others += 1
  }
  const inOrder = parts.filter((part) => found.has(part))
  return { found: inOrder, others: isScanned ? others : entries.length, entries: entries.map(contentOf) }
}

type Products = VerifiedArchive['products'] extends ReadonlyMap<string, infer T> ? T : never

/** The part numbers that products declare something about: the supplier's and the requester's. */
export function* declaredNumbers(products: Products): Generator<string> {
  for (const { itemNumber, requesterItemNumber, isOnlyRequested } of products) {
    if (isOnlyRequested) continue
    if (itemNumber !== undefined) yield itemNumber
    if (requesterItemNumber !== undefined) yield requesterItemNumber
  }
}

function newId(): string {
  return randomBytes(8).toString('hex')
}

/** The records of a library, open for appending. */
class RecordFile implements AsyncDisposable {
  readonly #path: string
  readonly #file: Awaited<ReturnType<Disk['open']>>
  readonly #writer: RecordWriter
  #waiting: string
  #writing: Promise<void> | undefined
  #isClosed = false

  static async open(disk: Disk, path: string, lists: WrittenLists): Promise<RecordFile> {
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
    const file = await disk.open(path, flags, 0o600).catch((error: unknown) => {
      throw diskFailure(error, 'open', path)
    })
    try {
      const { size } = await file.stat()
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
      const isTorn = size > 0 && buffer[0] !== 0x0a
      return new RecordFile(path, file, new RecordWriter(lists), isTorn ? '\n' : '')
    } catch (error) {
      await file.close().catch(() => undefined)
      throw diskFailure(error, 'read', path)
    }
  }

  private constructor(
    path: string,
    file: Awaited<ReturnType<Disk['open']>>,
    writer: RecordWriter,
    waiting: string,
  ) {
    this.#path = path
    this.#file = file
    this.#writer = writer
    this.#waiting = waiting
  }

  /** Resolves when the record is synced; concurrent ones share one sync. */
  async append(record: Answer | RunEnd | Publishing): Promise<void> {
    this.#waiting += this.#writer.line(record)
    // A write in progress does not include this line, the next one does.
    await this.#writing?.catch(() => undefined)
    if (this.#waiting.trim() !== '') this.#writing = this.#write()
    await this.#writing
    if ('parts' in record) this.#writer.wrote(record)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#writing?.catch(() => undefined)
    await this.#file.close().catch(() => undefined)
  }

  async #write(): Promise<void> {
    const text = this.#waiting
    this.#waiting = ''
    try {
      await this.#file.appendFile(text)
      await this.#file.datasync().catch(ignoreUnsupported)
    } catch (error) {
      // This separates the next line from a torn one.
      this.#waiting = `\n${this.#waiting}`
      throw diskFailure(error, 'write', this.#path)
    }
  }
}

/**
 * Makes a directory of this user (mode 0700), or checks that there is one: not a link when it `isOwn`, not of another user, and no
 * others may write to it.
 */
async function claimDirectory(world: World, directory: string, isOwn: boolean): Promise<void> {
  const { disk } = world
  try {
    await ensureDirectory(disk, directory)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw refused(directory, 'it is not a directory')
    throw diskFailure(error, 'create', directory)
  }
  const mode = (await checkDirectory(world, directory, isOwn)) ?? 0
  // Not on file systems without permissions.
  if ((mode & (isOwn ? 0o077 : 0o022)) !== 0)
    await disk.chmod(directory, isOwn ? 0o700 : mode & 0o755).catch(() => undefined)
}

/** The mode of a directory of a library; undefined when nothing is there. */
async function checkDirectory(
  { disk, host }: World,
  directory: string,
  isOwn: boolean,
): Promise<number | undefined> {
  const found = isOwn ? disk.lstat(directory) : disk.stat(directory)
  const facts = await found.catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
    throw diskFailure(error, 'use', directory)
  })
  if (facts === undefined) return undefined
  if (facts.isSymbolicLink()) throw refused(directory, 'it is a symbolic link')
  if (!facts.isDirectory()) throw refused(directory, 'it is not a directory')
  if (host.uid !== undefined && facts.uid !== host.uid) throw refused(directory, 'it belongs to another user')
  return facts.mode
}

function refused(directory: string, why: string): Failure {
  return new Failure('io', `${directory} cannot be used: ${why}`, {
    file: directory,
    hint: 'inspect and remove it, or choose another path',
    options: ['library', 'output'],
  })
}

async function namesIn(disk: Disk, directory: string): Promise<readonly string[]> {
  return disk.readdir(directory).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return []
    throw diskFailure(error, 'read', directory)
  })
}

// Of a regular file of this user; empty when there is none.
async function textOf({ disk, host }: World, path: string): Promise<string> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    await using file = await disk.open(path, flags)
    const facts = await file.stat()
    if (!facts.isFile()) throw refused(path, 'it is not a regular file')
    if (host.uid !== undefined && facts.uid !== host.uid && host.uid !== 0)
      throw refused(path, 'it belongs to another user')
    return await file.readFile('utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return ''
    throw diskFailure(error, 'read', path)
  }
}

// Undefined unless it is a regular file of its own.
async function sizeOf(disk: Disk, path: string): Promise<number | undefined> {
  const facts = await disk.lstat(path).catch(() => undefined)
  return facts?.isFile() && facts.nlink === 1 ? facts.size : undefined
}
