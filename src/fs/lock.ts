import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { cleanText } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import { parseJson } from '../base/json-text.ts'
import type { Reporter } from '../base/notice.ts'
import { formatDuration } from '../base/units.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure, isWithoutLinks } from './disk-failure.ts'
import { type OwnFacts, ownFacts, type ProcessFacts, processFacts } from './process-identity.ts'

/** What to do when another run holds the output. */
export type IfLocked = 'fail' | 'skip' | 'wait'

const POLL_MS = 1_000
/** A lock without a readable owner is stale after this time. */
const UNREADABLE_MS = 10_000
/** The guard of a takeover is stale after this time. */
const GUARD_MS = 10_000
/** A lock of another machine or container is stale when it was not rewritten for this time. */
const ABANDONED_MS = 15 * 60_000

type Attempt =
  | { readonly kind: 'ours' }
  | {
      readonly kind: 'held'
      readonly owner: LockOwner | undefined
      readonly isHere: boolean
      /** The user who left it, when its run has ended and only that user can remove it. */
      readonly leftBy?: number
    }
  | { readonly kind: 'again' }

/**
 * Takes the lock of an output: a file `.NAME.lock` beside it with process, host and start. A stale lock is taken over by exactly one
 * run: its process has ended, or it was not rewritten for 15 minutes and is of another machine, or of a system without boot IDs (Windows,
 * macOS). When another run holds the lock,
 * `fail` throws `locked`, `skip` resolves with undefined and `wait` tries again every second, after it said what comes `afterwards`.
 * Disposing releases the lock.
 */
export async function acquireLock(
  world: World,
  outputPath: string,
  ifLocked: IfLocked,
  reporter: Reporter,
  afterwards = '',
): Promise<AsyncDisposable | undefined> {
  const path = lockPath(outputPath)
  const us: LockOwner = {
    pid: world.host.pid,
    host: world.host.name,
    startedAt: new Date(world.clock.nowMs()).toISOString(),
    run: randomBytes(8).toString('hex'),
    ...(await ownFacts(world.disk, world.host.pid)),
  }
  let isReported = false
  for (;;) {
    world.interrupt.throwIfAborted()
    const attempt = await tryLock(world, path, us, reporter)
    if (attempt.kind === 'ours') {
      await removeLeftovers(world.disk, path, us)
      return keepAlive(world.disk, path, us)
    }
    if (attempt.kind === 'again') continue
    const failure = lockedFailure(outputPath, path, attempt)
    // Waiting does not remove what another user left.
    if (ifLocked === 'fail' || (ifLocked === 'wait' && attempt.leftBy !== undefined)) throw failure
    if (!isReported) {
      const event = ifLocked === 'skip' ? 'lock.skipped' : 'lock.waiting'
      const message = `${failure.message}; ${ifLocked === 'skip' ? 'skipped' : `waiting${afterwards}`}`
      reporter.notice({ level: 'info', event, message, data: { ...attempt.owner } })
      isReported = true
    }
    if (ifLocked === 'skip') return undefined
    const reason = 'another run is using the output'
    const waitUntilMs = world.clock.monotonicMs() + POLL_MS
    reporter.progress({ phase: 'waiting', waitUntilMs, reason, next: 'checking again' })
    await world.clock.sleep(POLL_MS, world.interrupt)
  }
}

async function tryLock(world: World, path: string, us: LockOwner, reporter: Reporter): Promise<Attempt> {
  const { disk } = world
  const put = await createLock(disk, path, us)
  if (put.isOurs) return { kind: 'ours' }
  const found = await readLock(disk, path)
  if (found === undefined) return { kind: 'again' }
  const silentMs = put.atMs - found.modifiedMs
  const why = await whyStale(disk, found.owner, us, silentMs)
  if (why === undefined) {
    return {
      kind: 'held',
      owner: found.owner,
      isHere: found.owner !== undefined && isSameSystem(found.owner, us),
    }
  }
  const taken = await takeOver(disk, path, us, found.text).catch(async (error: unknown) => {
    if (!isForbidden(error)) throw diskFailure(error, 'remove', path)
    const leftBy = (await disk.lstat(path).catch(() => undefined))?.uid
    if (leftBy === undefined || leftBy === world.host.uid) throw diskFailure(error, 'remove', path)
    return { leftBy }
  })
  if (typeof taken === 'object') return { kind: 'held', owner: found.owner, isHere: false, ...taken }
  if (!taken) {
    await world.clock.sleep(20, world.interrupt)
    return { kind: 'again' }
  }
  const message = `took over the lock of ${basename(path).slice(1, -5)}: ${why.reason}`
  reporter.notice({ level: why.level, event: 'lock.taken-over', message, data: { ...found.owner } })
  return { kind: 'ours' }
}

interface Staleness {
  readonly level: 'detail' | 'warning'
  readonly reason: string
}

// Why a lock is stale; undefined when its owner may be alive.
async function whyStale(
  disk: Disk,
  owner: LockOwner | undefined,
  us: LockOwner,
  silentMs: number,
): Promise<Staleness | undefined> {
  if (owner === undefined) {
    return silentMs > UNREADABLE_MS ? { level: 'detail', reason: 'it has no owner' } : undefined
  }
  const who = `process ${owner.pid} on ${cleanText(owner.host, 80)}`
  if (isGone(owner, us, await processFacts(disk, owner.pid)))
    return { level: 'detail', reason: `${who} has ended` }
  // Without a boot ID and a start time, the process can be another one with the same number.
  const isKnownAlive = isSameSystem(owner, us) && owner.boot !== undefined
  if (isKnownAlive || silentMs <= ABANDONED_MS) return undefined
  return { level: 'warning', reason: `no sign of ${who} for ${formatDuration(silentMs)}` }
}

// Only the holder of the guard removes a stale lock, and only if it is unchanged: a second run must not remove the new lock of the
// first.
async function takeOver(disk: Disk, path: string, us: LockOwner, staleText: string): Promise<boolean> {
  const guard = `${path}.guard`
  const put = await createLock(disk, guard, us)
  if (!put.isOurs) {
    const left = await disk.lstat(guard).catch(() => undefined)
    if (left !== undefined && put.atMs - left.mtimeMs > GUARD_MS) await remove(disk, guard)
    return false
  }
  try {
    if ((await readLock(disk, path))?.text !== staleText) return false
    await remove(disk, path)
    return (await createLock(disk, path, us)).isOurs
  } finally {
    await disk.rm(guard, { force: true })
  }
}

async function remove(disk: Disk, path: string): Promise<void> {
  await disk.unlink(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
  })
}

// Only its owner can remove a file from a sticky directory.
function isForbidden(error: unknown): boolean {
  return ['EPERM', 'EACCES'].includes(systemCode(error) ?? '')
}

const LEFTOVER = /^(?:guard|(?:guard\.)?[0-9a-f]{16})$/

// A run that is killed while it takes the lock leaves its guard, or the files that it would have linked. `path` is locked by `us`.
async function removeLeftovers(disk: Disk, path: string, us: LockOwner): Promise<void> {
  const prefix = `${basename(path)}.`
  const names = await disk.readdir(dirname(path)).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(prefix) || !LEFTOVER.test(name.slice(prefix.length))) continue
    const left = join(dirname(path), name)
    const found = await readLock(disk, left).catch(() => undefined)
    const ours = await disk.lstat(path).catch(() => undefined)
    if (found === undefined || ours === undefined) continue
    const isLeft = (await whyStale(disk, found.owner, us, ours.mtimeMs - found.modifiedMs)) !== undefined
    if (isLeft) await disk.rm(left, { force: true }).catch(() => undefined)
  }
}

function lockedFailure(
  outputPath: string,
  path: string,
  attempt: Attempt & { readonly kind: 'held' },
): Failure {
  const { owner, isHere, leftBy } = attempt
  if (leftBy !== undefined) {
    return new Failure(
      'locked',
      `${outputPath} is locked by a run of another user (uid ${leftBy}) that has ended`,
      {
        file: path,
        hint: `ask that user or root to remove ${path}, or choose another path`,
        options: ['output'],
      },
    )
  }
  const who =
    owner === undefined
      ? 'another run'
      : `process ${owner.pid} on ${cleanText(owner.host, 80)} since ${cleanText(owner.startedAt, 40)}`
  const help = isHere
    ? { hint: 'wait until it ends, or choose to skip or wait', options: ['if-locked'] }
    : {
        hint: `if it has ended, the lock expires ${owner === undefined ? '10 seconds' : '15 minutes'} after it did; to use the output now, remove ${path}`,
      }
  return new Failure('locked', `${outputPath} is in use by ${who}`, { file: path, ...help })
}

/** How often a run rewrites its lock, to show other machines that it is alive. */
const HEARTBEAT_MS = 60_000

/** The path of the lock of an output. */
export function lockPath(outputPath: string): string {
  const name = `.${basename(outputPath)}.lock`
  // Names derived from this one must fit into 255 bytes.
  if (Buffer.byteLength(name) <= 230) return join(dirname(outputPath), name)
  const short = createHash('sha256').update(basename(outputPath)).digest('hex').slice(0, 32)
  return join(dirname(outputPath), `.matdecl-${short}.lock`)
}

/** An attempt to create a lock. */
interface LockAttempt {
  readonly isOurs: boolean
  /** The current time of the file system. */
  readonly atMs: number
}

/** Creates a lock unless it exists, with link() to a complete file. */
async function createLock(disk: Disk, path: string, us: LockOwner): Promise<LockAttempt> {
  const draft = `${path}.${us.run}`
  let atMs = 0
  try {
    await writeNew(disk, draft, us)
    atMs = (await disk.lstat(draft)).mtimeMs
    await disk.link(draft, path)
    return { isOurs: true, atMs }
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return { isOurs: false, atMs }
    if (!isWithoutLinks(error)) throw diskFailure(error, 'create', path)
  } finally {
    await disk.rm(draft, { force: true }).catch(() => undefined)
  }
  try {
    await writeNew(disk, path, us)
    return { isOurs: true, atMs }
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return { isOurs: false, atMs }
    throw diskFailure(error, 'create', path)
  }
}

async function writeNew(disk: Disk, path: string, us: LockOwner): Promise<void> {
  await using file = await disk.open(path, 'wx', 0o644)
  await file.writeFile(ownerText(us))
}

/** Reads a lock; undefined when there is none. A symbolic link is an `io` failure. */
export async function readLock(
  disk: Disk,
  path: string,
): Promise<
  { readonly text: string; readonly owner: LockOwner | undefined; readonly modifiedMs: number } | undefined
> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    await using file = await disk.open(path, flags)
    const { mtimeMs } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    return { text, owner: parseOwner(text), modifiedMs: mtimeMs }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw diskFailure(error, 'read', path)
  }
}

/** Rewrites the lock every minute until it is disposed, which removes it. */
function keepAlive(disk: Disk, path: string, us: LockOwner): AsyncDisposable {
  const heartbeat = async (): Promise<void> => {
    await using file = await disk.open(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    const text = await file.readFile('utf8')
    if (parseOwner(text)?.run === us.run) await file.write(text, 0)
  }
  const timer = setInterval(() => void heartbeat().catch(() => undefined), HEARTBEAT_MS)
  timer.unref()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      const found = await readLock(disk, path).catch(() => undefined)
      if (found?.owner?.run === us.run) await disk.rm(path, { force: true }).catch(() => undefined)
    },
  }
}

/** Content of a lock file. */
const LOCK_OWNER = z.object({
  pid: z.int().check(z.positive()),
  host: z.string(),
  /** RFC 3339, UTC. */
  startedAt: z.string(),
  /** Unique for each run, also within a process. */
  run: z.string(),
  boot: z.optional(z.string()),
  namespace: z.optional(z.string()),
  startTick: z.optional(z.string()),
})

/** The process that holds a lock. */
export type LockOwner = Readonly<z.infer<typeof LOCK_OWNER>>

export function ownerText(owner: LockOwner): string {
  return `${JSON.stringify(owner)}\n`
}

/** The owner in a lock file; undefined when the file is empty, truncated or invalid. */
export function parseOwner(text: string): LockOwner | undefined {
  const json = parseJson(text)
  return 'value' in json ? LOCK_OWNER.safeParse(json.value).data : undefined
}

/** True when `here` can see the processes of the owner's system. */
function isSameSystem(owner: LockOwner, here: LockOwner): boolean {
  return owner.host === here.host && agree(owner, here, 'namespace')
}

/**
 * True when the owner of a lock has certainly ended: the machine was rebooted, the process does not run, or another process has its
 * id. Never for an owner on another machine or in another process namespace.
 */
export function isGone(owner: LockOwner, here: LockOwner, process: ProcessFacts): boolean {
  if (owner.host !== here.host) return false
  if (!agree(owner, here, 'boot')) return true
  if (!isSameSystem(owner, here)) return false
  return !process.isAlive || !agree(owner, process, 'startTick')
}

// A missing fact matches any.
function agree(one: OwnFacts, other: OwnFacts, fact: keyof OwnFacts): boolean {
  return one[fact] === undefined || other[fact] === undefined || one[fact] === other[fact]
}
