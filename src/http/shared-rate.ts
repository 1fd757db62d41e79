import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { systemCode } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import { openOwnDirectory, STATE_DIRECTORY, stateDirectory } from '../fs/user-files.ts'
import { createRateStore, type RateStore } from './rate-limiter.ts'
import { MOST_SAVED_STARTS, movedState, type RateState, rateState, UNKNOWN_RATE } from './rate-rules.ts'

/** Forgotten after this time without a request. */
const FORGOTTEN_MS = 10 * 60_000
// Files of other tokens and services are removed after this time.
const REMOVED_MS = 7 * 24 * 3_600_000
const LOCK_TRIES = 50
const LOCK_POLL_MS = 10

const sharedFile = z.object({ schema: z.literal('matdecl.rate/1'), savedMs: z.number(), state: rateState })

/** The name of the file that runs with this secret share; nothing can be learned from it about the secret. */
export function sharedRateKey(baseUrl: string, secret: string): string {
  return createHmac('sha256', secret).update(`matdecl rate ${baseUrl}`).digest('hex').slice(0, 32)
}

/**
 * Keeps the state of a rate limit in a file of the state directory, so that runs of one user share it. A file that is unreadable,
 * damaged, old or of another clock counts as missing. Where the file cannot be written or locked, the run continues alone.
 */
export function createSharedRateStore(world: World, key: string): RateStore {
  const { disk, syncDisk, clock, env, host } = world
  const alone = createRateStore(clock)
  const base = stateDirectory({ env, host })
  if (base === undefined) return alone
  const directory = join(base, 'rates')
  const path = join(directory, `${key}.json`)
  let isAlone = false
  let queue: Promise<unknown> = openOwnDirectory(world, directory, STATE_DIRECTORY).then(removeOld, () => {
    isAlone = true
  })

  async function removeOld(): Promise<void> {
    for (const name of await disk.readdir(directory).catch(() => [])) {
      if (!/^[0-9a-f]{32}\.json(?:\.[0-9a-f]{12})?$/.test(name)) continue
      const other = join(directory, name)
      const facts = await disk.lstat(other).catch(() => undefined)
      const isOld = facts !== undefined && clock.nowMs() - facts.mtimeMs > REMOVED_MS
      if (isOld) await disk.rm(other, { force: true }).catch(() => undefined)
    }
  }

  function change<T>(step: (state: RateState, nowMs: number) => readonly [RateState, T]): Promise<T> {
    const changed = queue.then(() => changeNow(step))
    queue = changed.catch(() => undefined)
    return changed
  }

  async function changeNow<T>(
    step: (state: RateState, nowMs: number) => readonly [RateState, T],
  ): Promise<T> {
    if (isAlone || !(await lock())) return alone.change(step)
    // Synchronous calls hold the lock for less than a millisecond: the next request does not wait for other work of this process.
    try {
      const shared = read()
      return await alone.change((_, nowMs) => {
        const [next, made] = step(shared, nowMs)
        if (next !== shared) write(next)
        return [next, made]
      })
    } finally {
      unlock()
    }
  }

  // False if no lock could be taken. Locks are held for milliseconds: an older one belongs to a killed run.
  async function lock(): Promise<boolean> {
    const seen: (string | undefined)[] = []
    for (;;) {
      try {
        syncDisk.closeSync(syncDisk.openSync(`${path}.lock`, 'wx', 0o600))
        return true
      } catch (error) {
        if (systemCode(error) !== 'EEXIST' || seen.length >= 3 * LOCK_TRIES) break
      }
      const facts = await disk.lstat(`${path}.lock`).catch(() => undefined)
      seen.push(facts && `${facts.ino} ${facts.mtimeMs}`)
      const last = seen.slice(-LOCK_TRIES)
      if (last.length === LOCK_TRIES && last.every((each) => each !== undefined && each === last[0])) {
        await disk.rm(`${path}.lock`, { force: true }).catch(() => undefined)
      }
      await clock.sleep(LOCK_POLL_MS)
    }
    isAlone = true
    return false
  }

  function unlock(): void {
    try {
      syncDisk.unlinkSync(`${path}.lock`)
    } catch {
      // Another run breaks the lock.
    }
  }

  function read(): RateState {
    const nowMs = clock.nowMs()
    try {
      const text = syncDisk.readFileSync(path, 'utf8')
      const { savedMs, state } = sharedFile.parse(JSON.parse(text))
      if (savedMs > nowMs + 1_000 || savedMs < nowMs - FORGOTTEN_MS) return UNKNOWN_RATE
      return movedState(state, clock.monotonicMs() - nowMs)
    } catch {
      return UNKNOWN_RATE
    }
  }

  function write(state: RateState): void {
    const savedMs = clock.nowMs()
    const moved = movedState(state, savedMs - clock.monotonicMs())
    const saved = { ...moved, starts: moved.starts.slice(-MOST_SAVED_STARTS) }
    try {
      // The file is replaced when it is complete, so that nothing is written through a link.
      const draft = `${path}.${randomBytes(6).toString('hex')}`
      const file = syncDisk.openSync(draft, 'wx', 0o600)
      try {
        syncDisk.writeSync(file, JSON.stringify({ schema: 'matdecl.rate/1', savedMs, state: saved }))
      } finally {
        syncDisk.closeSync(file)
      }
      syncDisk.renameSync(draft, path)
    } catch {
      isAlone = true
    }
  }

  return { change }
}
