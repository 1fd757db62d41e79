import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cleanText } from '../domain/clean-text.ts'
import { isGone, isSamePlace, type LockOwner, ownerText, parseOwner } from '../domain/lock-owner.ts'
import type { Reporter } from '../domain/notice.ts'
import { Failure, systemCode } from '../failure.ts'
import type { Disk, World } from '../world.ts'
import { diskFailure } from './draft-fault.ts'
import { placeFacts, processFacts } from './process-facts.ts'

/** What to do when another run holds the output. */
export type IfLocked = 'fail' | 'skip' | 'wait'

const POLL_MS = 1_000
/** A lock file without a readable owner is being written by somebody, but not for this long. */
const UNREADABLE_MS = 10_000
/** A takeover takes some system calls; a guard older than this was left by a run that died in between. */
const GUARD_MS = 10_000

type Attempt =
  | { readonly kind: 'ours' }
  | { readonly kind: 'held'; readonly owner: LockOwner | undefined; readonly isHere: boolean }
  | { readonly kind: 'again' }

/**
 * Takes the lock of an output: a file `.NAME.lock` beside it that names process, host and start, there from one moment to
 * the next with all its text. A lock whose process is gone is taken over, by one run however many try. When another
 * run holds it: `fail` is a Failure of kind `locked` that says who, `skip` resolves with undefined, `wait` looks again every
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
      return { [Symbol.asyncDispose]: () => release(world.disk, path, us) }
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

/** Where the lock of an output stands. */
export function lockPath(outputPath: string): string {
  const name = `.${basename(outputPath)}.lock`
  // Room is needed for the longest name that is made from this one.
  if (Buffer.byteLength(name) <= 230) return join(dirname(outputPath), name)
  const short = createHash('sha256').update(basename(outputPath)).digest('hex').slice(0, 32)
  return join(dirname(outputPath), `.matdecl-${short}.lock`)
}

async function tryLock(world: World, path: string, us: LockOwner, reporter: Reporter): Promise<Attempt> {
  const { disk } = world
  if (await putInPlace(disk, path, us)) return { kind: 'ours' }
  const found = await readLock(disk, path)
  if (found === undefined) return { kind: 'again' }
  const isStale =
    found.owner === undefined
      ? world.clock.nowMs() - found.modifiedMs > UNREADABLE_MS
      : isGone(found.owner, us, await processFacts(disk, found.owner.pid))
  if (!isStale) {
    return {
      kind: 'held',
      owner: found.owner,
      isHere: found.owner !== undefined && isSamePlace(found.owner, us),
    }
  }
  if (!(await takeOver(world, path, us, found.text))) {
    await world.clock.sleep(20, world.interrupt)
    return { kind: 'again' }
  }
  const who = found.owner === undefined ? '' : ` of process ${found.owner.pid}, which is gone,`
  const message = `the lock${who} of ${basename(path).slice(1, -5)} is taken over`
  reporter.notice({ level: 'detail', event: 'lock.taken-over', message, data: { ...found.owner } })
  return { kind: 'ours' }
}

// A stale lock may be removed only by the run that holds the guard, and only while it still is the one that was looked at:
// of two runs that find it, the second must not remove the lock the first has just put there.
async function takeOver(world: World, path: string, us: LockOwner, staleText: string): Promise<boolean> {
  const { disk } = world
  const guard = `${path}.guard`
  if (!(await putInPlace(disk, guard, us))) {
    const left = await disk.lstat(guard).catch(() => undefined)
    if (left !== undefined && world.clock.nowMs() - left.mtimeMs > GUARD_MS)
      await disk.rm(guard, { force: true })
    return false
  }
  try {
    if ((await readLock(disk, path))?.text !== staleText) return false
    await disk.rm(path, { force: true })
    return await putInPlace(disk, path, us)
  } finally {
    await disk.rm(guard, { force: true })
  }
}

// link() gives a name to a file that is already written, and only when the name is free.
async function putInPlace(disk: Disk, path: string, us: LockOwner): Promise<boolean> {
  const draft = `${path}.${us.run}`
  try {
    await writeNew(disk, draft, us)
    await disk.link(draft, path)
    return true
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST') return false
    if (code === undefined || !NO_LINKS.includes(code)) throw diskFailure(error, 'create', path)
  } finally {
    await disk.rm(draft, { force: true }).catch(() => undefined)
  }
  try {
    await writeNew(disk, path, us)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw diskFailure(error, 'create', path)
  }
}

const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']

async function writeNew(disk: Disk, path: string, us: LockOwner): Promise<void> {
  const handle = await disk.open(path, 'wx', 0o644)
  try {
    await handle.writeFile(ownerText(us))
  } finally {
    await handle.close()
  }
}

async function readLock(
  disk: Disk,
  path: string,
): Promise<
  { readonly text: string; readonly owner: LockOwner | undefined; readonly modifiedMs: number } | undefined
> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  try {
    const handle = await disk.open(path, flags)
    try {
      const { mtimeMs } = await handle.stat()
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, 0)
      const text = buffer.toString('utf8', 0, bytesRead)
      return { text, owner: parseOwner(text), modifiedMs: mtimeMs }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw diskFailure(error, 'read', path)
  }
}

async function release(disk: Disk, path: string, us: LockOwner): Promise<void> {
  const found = await readLock(disk, path).catch(() => undefined)
  if (found?.owner?.run === us.run) await disk.rm(path, { force: true }).catch(() => undefined)
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
    : `whether it still runs can not be seen from here; if it does not, remove ${path}`
  return new Failure('locked', `${outputPath} is held by ${who}`, { file: path, hint: gone })
}
