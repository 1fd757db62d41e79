import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { cleanText } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import { jsonValue } from '../base/json-text.ts'
import type { Reporter } from '../base/notice.ts'
import { formatDuration } from '../base/units.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure, ifThere, isWithoutLinks, isWithoutLocks } from './disk-failure.ts'
import { fateOf, hasMarkEnded, isSameSystem, markOf, ownIdentity } from './process-identity.ts'

/** What to do when another run holds the output. */
export type IfLocked = 'fail' | 'skip' | 'wait'

const POLL_MS = 1_000
/** How long, and how often, to wait for a lock that other runs are taking over, or whose file is about to go. */
const CHANGE_MS = 20
const MOST_CHANGES = 1_000
/** A lock without a readable owner is stale after this time, and so is the guard of a takeover. */
const UNREADABLE_MS = 10_000
/** A lock of another machine or container is stale when it was not rewritten for this time. */
const ABANDONED_MS = 15 * 60_000
/** How often a run rewrites its lock, to show other machines that it is alive. */
const HEARTBEAT_MS = 60_000

/** Content of a lock file: the process that holds it. */
const LOCK_OWNER = z.object({
  pid: z.int().check(z.positive()),
  host: z.string(),
  /** RFC 3339, UTC. */
  startedAt: z.string(),
  /** Unique for each run, also within a process. */
  run: z.string(),
  system: z.optional(z.literal('windows')),
  boot: z.optional(z.string()),
  namespace: z.optional(z.string()),
  startTick: z.optional(z.string()),
})
type LockOwner = Readonly<z.infer<typeof LOCK_OWNER>>

/** A lock that is held until it is disposed. */
export interface Lock extends AsyncDisposable {
  /**
   * Throws `locked` when it is no longer this run's: a machine that slept for 15 minutes, or a file that was removed, lets another run
   * take it over. Call it before anything is written that both would write.
   */
  readonly requireHeld: () => Promise<void>
}

/**
 * Takes the lock of an output: a file, by default `.NAME.lock` beside it, with process, host and start, held open where the system can tell
 * (Windows, macOS). A stale lock is taken over by exactly one run: its process has ended, nobody of this host holds it open, or it was
 * not rewritten for 15 minutes and nothing shows that its process runs. When another run holds the lock, `fail` throws `locked`, `skip`
 * resolves with undefined and `wait` tries again every second, after it said what comes `afterwards`. Disposing releases the lock.
 */
export async function acquireLock(
  world: World,
  outputPath: string,
  ifLocked: IfLocked,
  reporter: Reporter,
  {
    afterwards = '',
    signal = world.interrupt,
    file = lockPath(outputPath),
  }: { readonly afterwards?: string; readonly signal?: AbortSignal; readonly file?: string } = {},
): Promise<Lock | undefined> {
  const startedAt = new Date(world.clock.nowMs()).toISOString()
  const own = await ownIdentity(world.disk, world.host)
  const us: LockOwner = { ...own, startedAt, run: PROCESS_RUNS + randomBytes(4).toString('hex') }
  const lock = new LockFile(world, file, us, basename(outputPath))
  let isReported = false
  for (let changes = 0; ; ) {
    signal.throwIfAborted()
    const found = await lock.take(reporter)
    if (found === 'ours') return lock
    if (found === 'changing' && changes < MOST_CHANGES) {
      changes += 1
      await world.clock.sleep(CHANGE_MS, signal)
      continue
    }
    const taken = found === 'changing' ? { owner: undefined } : found
    const failure = lockedFailure(outputPath, file, us, taken)
    // Waiting does not remove what another user left.
    if (ifLocked === 'fail' || (ifLocked === 'wait' && taken.leftBy !== undefined)) throw failure
    if (!isReported) {
      const event = ifLocked === 'skip' ? 'lock.skipped' : 'lock.waiting'
      const message = `${failure.message}; ${ifLocked === 'skip' ? 'skipped' : `waiting${afterwards}`}`
      reporter.notice({ level: 'info', event, message, data: { ...taken.owner } })
      isReported = true
    }
    if (ifLocked === 'skip') return undefined
    const reason = 'another run is using the output'
    const waitUntilMs = world.clock.monotonicMs() + POLL_MS
    reporter.progress({ phase: 'waiting', waitUntilMs, reason, next: 'checking again' })
    await world.clock.sleep(POLL_MS, signal)
  }
}

export function lockPath(outputPath: string): string {
  const name = `.${basename(outputPath)}.lock`
  // Names derived from this one must fit into 255 bytes.
  if (Buffer.byteLength(name) <= 170) return join(dirname(outputPath), name)
  const short = createHash('sha256').update(basename(outputPath)).digest('hex').slice(0, 32)
  return join(dirname(outputPath), `.matdecl-${short}.lock`)
}

/** What is in a lock file. */
interface FoundLock {
  readonly text: string
  /** Undefined when the file is empty, truncated or invalid. */
  readonly owner: LockOwner | undefined
  readonly modifiedMs: number
}

/** Reads a lock; undefined when there is none. A symbolic link is an `io` failure. */
export async function readLock(disk: Disk, path: string): Promise<FoundLock | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const read = async (): Promise<FoundLock> => {
    await using file = await disk.open(path, flags)
    const { mtimeMs } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    return { text, owner: parseOwner(text), modifiedMs: mtimeMs }
  }
  return ifThere(read(), 'read', path)
}

function parseOwner(text: string): LockOwner | undefined {
  return LOCK_OWNER.safeParse(jsonValue(text)).data
}

/** Who holds a lock. */
interface Holder {
  readonly owner: LockOwner | undefined
  /** The user who left it, when its run has ended and only that user can remove it. */
  readonly leftBy?: number
}

function lockedFailure(outputPath: string, file: string, us: LockOwner, { owner, leftBy }: Holder): Failure {
  if (leftBy !== undefined) {
    const message = `${outputPath} is locked by a run of another user (uid ${leftBy}) that has ended`
    const hint = `ask that user or root to remove ${file}, or choose another path`
    return new Failure('locked', message, { file, hint, options: ['output'] })
  }
  const who = owner === undefined ? 'another run' : `${nameOf(owner)} since ${cleanText(owner.startedAt, 40)}`
  const expires = owner === undefined ? '10 seconds' : '15 minutes'
  const help =
    owner !== undefined && isSameSystem(owner, us)
      ? { hint: 'wait until it ends, or choose to skip or wait', options: ['if-locked'] }
      : {
          hint: `if it has ended, the lock expires ${expires} after it did; to use the output now, remove ${file}`,
        }
  return new Failure('locked', `${outputPath} is in use by ${who}`, { file, ...help })
}

function nameOf({ pid, host }: LockOwner): string {
  return `process ${pid} on ${cleanText(host, 80)}`
}

/** The start of the names of this process's runs. */
const PROCESS_RUNS = randomBytes(4).toString('hex')

/** The lock of one run. */
class LockFile implements Lock {
  readonly #world: World
  readonly #disk: Disk
  readonly #path: string
  /** What is locked, in messages. */
  readonly #name: string
  readonly #us: LockOwner
  readonly #mark: string
  #heartbeat: NodeJS.Timeout | undefined
  #held: FileHandle | undefined

  constructor(world: World, path: string, us: LockOwner, name: string) {
    this.#world = world
    this.#disk = world.disk
    this.#path = path
    this.#name = cleanText(name, 80)
    this.#us = us
    this.#mark = markOf(us)
  }

  /** Takes the lock, also from a run that has ended; else says who holds it, or that it has just changed. */
  async take(reporter: Reporter): Promise<'ours' | 'changing' | Holder> {
    const put = await this.#create(this.#path)
    if (put.isOurs) return await this.#hold()
    const found = await readLock(this.#disk, this.#path)
    if (found === undefined) return 'changing'
    const stale = await this.#whyStale(found, put.atMs)
    if (stale === undefined) return { owner: found.owner }
    try {
      if (!(await this.#takeOver(found.text))) return 'changing'
    } catch (error) {
      const leftBy = await this.#keptBy(error)
      if (leftBy === undefined) throw diskFailure(error, 'remove', this.#path)
      return { owner: found.owner, leftBy }
    }
    const message = `took over the lock of ${this.#name}: ${stale.reason}`
    reporter.notice({ level: stale.level, event: 'lock.taken-over', message, data: { ...found.owner } })
    return await this.#hold()
  }

  async requireHeld(): Promise<void> {
    const owner = (await readLock(this.#disk, this.#path))?.owner
    if (owner?.run === this.#us.run) return
    const who = owner === undefined ? 'is gone' : `was taken over by ${nameOf(owner)}`
    throw new Failure('locked', `the lock ${this.#path} ${who} while this run held it`, {
      file: this.#path,
      hint: 'nothing more was written; run the command again when no other run is at work there',
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heartbeat)
    const found = await readLock(this.#disk, this.#path).catch(() => undefined)
    // It is removed while it is held: a closed one is stale.
    if (found?.owner?.run === this.#us.run) await this.#remove(this.#path).catch(() => undefined)
    await this.#held?.close().catch(() => undefined)
  }

  async #hold(): Promise<'ours'> {
    try {
      this.#held = await this.#openHeld()
    } catch (error) {
      await this[Symbol.asyncDispose]()
      throw diskFailure(error, 'create', this.#path)
    }
    await this.#removeLeftovers()
    this.#heartbeat = setInterval(() => void this.#rewrite().catch(() => undefined), HEARTBEAT_MS).unref()
    return 'ours'
  }

  /** Holds the lock open, so that others see that its run is alive; undefined where the system or the file system cannot. */
  async #openHeld(): Promise<FileHandle | undefined> {
    const { exclusiveFlags, isWindows } = this.#disk
    if (exclusiveFlags === undefined) return undefined
    // Windows refuses an exclusive use while the file is open in any way, and others must be able to read who has it.
    const flags = constants.O_RDWR | (isWindows === true ? 0 : exclusiveFlags)
    return this.#disk.open(this.#path, flags).catch((error: unknown) => {
      if (isWithoutLocks(error)) return undefined
      throw error
    })
  }

  /** True when a process holds the lock open, false when none does; undefined where that cannot be known. */
  async #isHeldOpen(): Promise<boolean | undefined> {
    const { exclusiveFlags } = this.#disk
    if (exclusiveFlags === undefined) return undefined
    try {
      await (await this.#disk.open(this.#path, constants.O_RDWR | exclusiveFlags)).close()
      return false
    } catch (error) {
      return ['EBUSY', 'EAGAIN'].includes(systemCode(error) ?? '') ? true : undefined
    }
  }

  async #rewrite(): Promise<void> {
    await using file = await this.#disk.open(this.#path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    const text = await file.readFile('utf8')
    if (parseOwner(text)?.run === this.#us.run) await file.write(text, 0)
  }

  /** Creates a lock unless it exists, with link() to a complete file. `atMs` is the current time of the file system. */
  async #create(path: string): Promise<{ readonly isOurs: boolean; readonly atMs: number }> {
    const draft = `${path}.${this.#mark}.${this.#us.run}`
    let atMs = 0
    try {
      await this.#writeNew(draft)
      atMs = (await this.#disk.lstat(draft)).mtimeMs
      await this.#disk.link(draft, path).catch(async (error: unknown) => {
        if (!isWithoutLinks(error)) throw error
        await this.#writeNew(path)
      })
      return { isOurs: true, atMs }
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return { isOurs: false, atMs }
      throw diskFailure(error, 'create', path)
    } finally {
      await this.#disk.rm(draft, { force: true }).catch(() => undefined)
    }
  }

  async #writeNew(path: string): Promise<void> {
    await using file = await this.#disk.open(path, 'wx', 0o644)
    await file.writeFile(`${JSON.stringify(this.#us)}\n`)
  }

  /** Why a lock is stale; undefined when its owner may be alive. */
  async #whyStale(
    { owner, modifiedMs }: FoundLock,
    atMs: number,
  ): Promise<{ readonly level: 'detail' | 'warning'; readonly reason: string } | undefined> {
    const silentMs = atMs - modifiedMs
    if (owner === undefined) {
      return silentMs > UNREADABLE_MS ? { level: 'detail', reason: 'it has no owner' } : undefined
    }
    const fate = await fateOf(this.#disk, owner, this.#us)
    const ended = { level: 'detail', reason: `${nameOf(owner)} has ended` } as const
    if (fate === 'ended') return ended
    // Only its number is known, which another process can have by now.
    if (fate === 'unknown' && isSameSystem(owner, this.#us)) {
      const isHeld = await this.#isHeldOpen()
      // The number is that of this process, which has not taken it: nobody else can have it, unless another machine has the same name, and
      // then rewrites its lock.
      const wasOurs = owner.pid === this.#us.pid && !owner.run.startsWith(PROCESS_RUNS)
      if (wasOurs && (isHeld !== true || silentMs > 2 * HEARTBEAT_MS)) return ended
      // A run creates its lock before it can hold it open.
      if (isHeld === false && silentMs > UNREADABLE_MS) return ended
      if (isHeld === true) return undefined
    }
    if (fate === 'running' || silentMs <= ABANDONED_MS) return undefined
    return { level: 'warning', reason: `no sign of ${nameOf(owner)} for ${formatDuration(silentMs)}` }
  }

  // Only the holder of the guard removes a stale lock, and only if it is unchanged: a second run must not remove the new lock of
  // the first.
  async #takeOver(staleText: string): Promise<boolean> {
    const guard = `${this.#path}.guard`
    const put = await this.#create(guard)
    if (!put.isOurs) {
      const left = await this.#disk.lstat(guard).catch(() => undefined)
      if (left !== undefined && put.atMs - left.mtimeMs > UNREADABLE_MS) await this.#remove(guard)
      return false
    }
    try {
      if ((await readLock(this.#disk, this.#path))?.text !== staleText) return false
      await this.#remove(this.#path)
      return (await this.#create(this.#path)).isOurs
    } finally {
      await this.#disk.rm(guard, { force: true })
    }
  }

  async #remove(path: string): Promise<void> {
    await this.#disk.unlink(path).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error
    })
  }

  /** The other user whose file this one may not remove, as in a sticky directory; undefined for another error. */
  async #keptBy(error: unknown): Promise<number | undefined> {
    if (!['EPERM', 'EACCES'].includes(systemCode(error) ?? '')) return undefined
    const uid = (await this.#disk.lstat(this.#path).catch(() => undefined))?.uid
    const own = this.#world.host.uid
    return own === undefined || uid === own ? undefined : uid
  }

  /** A run that is killed while it takes the lock leaves its guard, or the files that it would have linked. */
  async #removeLeftovers(): Promise<void> {
    const directory = dirname(this.#path)
    const prefix = `${basename(this.#path)}.`
    for (const name of await this.#disk.readdir(directory).catch(() => [])) {
      if (name.startsWith(prefix) && (await this.#isLeft(name.slice(prefix.length)).catch(() => false))) {
        await this.#remove(join(directory, name)).catch(() => undefined)
      }
    }
  }

  async #isLeft(ending: string): Promise<boolean> {
    const [, mark] = /^(?:guard\.)?([\da-f-]+)\.[\da-f]{16}$/.exec(ending) ?? []
    if (mark !== undefined) return await hasMarkEnded(this.#disk, mark, this.#mark)
    const found = ending === 'guard' ? await readLock(this.#disk, `${this.#path}.guard`) : undefined
    if (found === undefined) return false
    const { mtimeMs } = await this.#disk.lstat(this.#path)
    if (mtimeMs - found.modifiedMs > UNREADABLE_MS) return true
    return found.owner !== undefined && (await fateOf(this.#disk, found.owner, this.#us)) === 'ended'
  }
}
