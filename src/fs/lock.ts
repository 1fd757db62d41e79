import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { formatDuration } from '../base/units.ts'
import type { Disk, World } from '../base/world.ts'
import { keepAlive, lockPath, putInPlace, readLock } from './lock-file.ts'
import { isGone, isSamePlace, type LockOwner } from './lock-owner.ts'
import { placeFacts, processFacts } from './process-facts.ts'

/** What to do when another run holds the output. */
export type IfLocked = 'fail' | 'skip' | 'wait'

const POLL_MS = 1_000
/** A lock file without a readable owner is being written by somebody, but not for this long. */
const UNREADABLE_MS = 10_000
/** A takeover takes some system calls; a guard older than this was left by a run that died in between. */
const GUARD_MS = 10_000
/** After this long without, a lock of another machine or container counts as left behind. */
const ABANDONED_MS = 15 * 60_000

type Attempt =
  | { readonly kind: 'ours' }
  | { readonly kind: 'held'; readonly owner: LockOwner | undefined; readonly isHere: boolean }
  | { readonly kind: 'again' }

/**
 * Takes the lock of an output: a file `.NAME.lock` beside it that names process, host and start, there from one moment to
 * the next with all its text. A lock whose process is gone is taken over, by one run however many try; so is one of
 * another machine that has not been written for a quarter of an hour. When another run holds it: `fail` is a Failure of kind `locked` that says who, `skip` resolves with undefined, `wait` looks again every
 * second. Disposing removes it.
 */
export async function acquireLock(
  world: World,
  outputPath: string,
  ifLocked: IfLocked,
  reporter: Reporter,
): Promise<AsyncDisposable | undefined> {
  const path = lockPath(outputPath)
  const us: LockOwner = {
    pid: world.host.pid,
    host: world.host.name,
    startedAt: new Date(world.clock.nowMs()).toISOString(),
    run: randomBytes(8).toString('hex'),
    ...(await placeFacts(world.disk, world.host.pid)),
  }
  let isTold = false
  for (;;) {
    world.interrupt.throwIfAborted()
    const attempt = await tryLock(world, path, us, reporter)
    if (attempt.kind === 'ours') {
      await removeLeftovers(world.disk, path, us)
      return keepAlive(world.disk, path, us)
    }
    if (attempt.kind === 'again') continue
    const failure = lockedFailure(outputPath, path, attempt)
    if (ifLocked === 'fail') throw failure
    if (!isTold) {
      const event = ifLocked === 'skip' ? 'lock.skipped' : 'lock.waiting'
      const message = `${failure.message}; ${ifLocked === 'skip' ? 'nothing is done' : 'waiting for it'}`
      reporter.notice({ level: 'info', event, message, data: { ...attempt.owner } })
      isTold = true
    }
    if (ifLocked === 'skip') return undefined
    reporter.progress({ phase: 'waiting', waitMs: POLL_MS, reason: 'another run holds the output' })
    await world.clock.sleep(POLL_MS, world.interrupt)
  }
}

async function tryLock(world: World, path: string, us: LockOwner, reporter: Reporter): Promise<Attempt> {
  const { disk } = world
  const put = await putInPlace(disk, path, us)
  if (put.isOurs) return { kind: 'ours' }
  const found = await readLock(disk, path)
  if (found === undefined) return { kind: 'again' }
  const silentMs = put.atMs - found.modifiedMs
  const why = await whyStale(disk, found.owner, us, silentMs)
  if (why === undefined) {
    return {
      kind: 'held',
      owner: found.owner,
      isHere: found.owner !== undefined && isSamePlace(found.owner, us),
    }
  }
  if (!(await takeOver(disk, path, us, found.text))) {
    await world.clock.sleep(20, world.interrupt)
    return { kind: 'again' }
  }
  const message = `the lock of ${basename(path).slice(1, -5)} is taken over: ${why.reason}`
  reporter.notice({ level: why.level, event: 'lock.taken-over', message, data: { ...found.owner } })
  return { kind: 'ours' }
}

interface Staleness {
  readonly level: 'detail' | 'warning'
  readonly reason: string
}

// Why a lock may be taken over, or undefined when its owner may live. `silentMs` is by the clock of the file system alone.
async function whyStale(
  disk: Disk,
  owner: LockOwner | undefined,
  us: LockOwner,
  silentMs: number,
): Promise<Staleness | undefined> {
  if (owner === undefined) {
    return silentMs > UNREADABLE_MS ? { level: 'detail', reason: 'it names nobody' } : undefined
  }
  const who = `process ${owner.pid} on ${cleanText(owner.host, 80)}`
  if (isGone(owner, us, await processFacts(disk, owner.pid)))
    return { level: 'detail', reason: `${who} is gone` }
  if (isSamePlace(owner, us) || silentMs <= ABANDONED_MS) return undefined
  return { level: 'warning', reason: `${who} has not been heard of for ${formatDuration(silentMs)}` }
}

// A stale lock may be removed only by the run that holds the guard, and only while it still is the one that was looked at:
// of two runs that find it, the second must not remove the lock the first has just put there.
async function takeOver(disk: Disk, path: string, us: LockOwner, staleText: string): Promise<boolean> {
  const guard = `${path}.guard`
  const put = await putInPlace(disk, guard, us)
  if (!put.isOurs) {
    const left = await disk.lstat(guard).catch(() => undefined)
    if (left !== undefined && put.atMs - left.mtimeMs > GUARD_MS) await disk.rm(guard, { force: true })
    return false
  }
  try {
    if ((await readLock(disk, path))?.text !== staleText) return false
    await disk.rm(path, { force: true })
    return (await putInPlace(disk, path, us)).isOurs
  } finally {
    await disk.rm(guard, { force: true })
  }
}

// A run that was killed while it took the lock leaves the file that it was about to link.
async function removeLeftovers(disk: Disk, path: string, us: LockOwner): Promise<void> {
  const prefix = `${basename(path)}.`
  const names = await disk.readdir(dirname(path)).catch(() => [])
  for (const name of names) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]{16}$/.test(name.slice(prefix.length))) continue
    const left = join(dirname(path), name)
    const owner = (await readLock(disk, left).catch(() => undefined))?.owner
    const isLeft = owner !== undefined && isGone(owner, us, await processFacts(disk, owner.pid))
    if (isLeft) await disk.rm(left, { force: true }).catch(() => undefined)
  }
}

function lockedFailure(
  outputPath: string,
  path: string,
  attempt: Attempt & { readonly kind: 'held' },
): Failure {
  const { owner, isHere } = attempt
  const who =
    owner === undefined
      ? 'another run'
      : `process ${owner.pid} on ${cleanText(owner.host, 80)} since ${cleanText(owner.startedAt, 40)}`
  const gone = isHere
    ? 'wait for it, or use --if-locked wait'
    : `whether it still runs can not be seen from here; if it does not, it is passed over after 15 minutes, or at once when you remove ${path}`
  return new Failure('locked', `${outputPath} is held by ${who}`, { file: path, hint: gone })
}
