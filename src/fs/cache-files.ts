import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { openOwnFolder } from './user-files.ts'

/** Files of a cache in a directory that only this user can change. Each is complete or not there, for other processes too. */
export interface CacheFiles {
  /** The bytes of a file; undefined when it is not there, too large, or can have been written by another user. */
  readonly read: (name: string) => Buffer | undefined
  /** Writes a file, with the permissions 0600. Errors of the file system are Failures of kind `io`. */
  readonly write: (name: string, pieces: readonly Buffer[]) => Promise<void>
  /** Removes files that were not used for long, then the longest unused until the rest is within the bound. Never throws. */
  readonly removeOld: () => Promise<void>
}

export interface CacheBounds {
  /** The end of the names of its files; others in the directory are left alone. */
  readonly ending: string
  readonly fileBytes: number
  readonly totalBytes: number
  readonly unusedMs: number
}

const ELSEWHERE = 'choose another path with XDG_CACHE_HOME'
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const DRAFT = /^\.[0-9a-f]{24}\.draft$/
/** Drafts are written within seconds: one that is older is of a run that was killed. */
const DRAFT_MS = 3_600_000
/** How often the use of a file is noted. */
const USE_MS = 86_400_000

/**
 * Opens a cache directory (absolute), and creates it (0700) when it is missing. Throws `io` when it cannot be created, or when another
 * user owns it or can write to it.
 */
export async function openCacheFiles(
  { disk, syncDisk, clock, host }: Pick<World, 'disk' | 'syncDisk' | 'clock' | 'host'>,
  folder: string,
  { ending, fileBytes, totalBytes, unusedMs }: CacheBounds,
): Promise<CacheFiles> {
  await openOwnFolder({ disk, host }, folder, { what: 'the cache', alternative: ELSEWHERE })

  // Windows has neither user IDs nor permission bits.
  function isOwn({ uid, mode }: Stats): boolean {
    return host.uid === undefined || (uid === host.uid && (mode & 0o022) === 0)
  }

  function noteUse(file: number, { mtimeMs }: Stats): void {
    const nowMs = clock.nowMs()
    if (nowMs - mtimeMs < USE_MS) return
    try {
      syncDisk.futimesSync(file, nowMs / 1000, nowMs / 1000)
    } catch {}
  }

  function readOpen(file: number): Buffer | undefined {
    const facts = syncDisk.fstatSync(file)
    if (!facts.isFile() || !isOwn(facts) || facts.size > fileBytes) return undefined
    const bytes = syncDisk.readFileSync(file)
    noteUse(file, facts)
    return bytes
  }

  async function removeOld(): Promise<void> {
    const files: { readonly path: string; readonly bytes: number; readonly usedMs: number }[] = []
    let total = 0
    for (const name of await disk.readdir(folder)) {
      const path = join(folder, name)
      const facts =
        name.endsWith(ending) || DRAFT.test(name) ? await disk.lstat(path).catch(() => undefined) : undefined
      if (facts === undefined) continue
      if (DRAFT.test(name)) {
        if (clock.nowMs() - facts.mtimeMs > DRAFT_MS) await disk.unlink(path).catch(() => undefined)
        continue
      }
      files.push({ path, bytes: facts.size, usedMs: facts.mtimeMs })
      total += facts.size
    }
    for (const { path, bytes, usedMs } of files.sort((one, other) => one.usedMs - other.usedMs)) {
      if (total <= totalBytes && clock.nowMs() - usedMs <= unusedMs) return
      await disk.unlink(path).catch(() => undefined)
      total -= bytes
    }
  }

  return {
    read(name) {
      try {
        const file = syncDisk.openSync(join(folder, name), READ_FLAGS)
        try {
          return readOpen(file)
        } finally {
          syncDisk.closeSync(file)
        }
      } catch {
        return undefined
      }
    },
    async write(name, pieces) {
      const draft = join(folder, `.${randomBytes(12).toString('hex')}.draft`)
      try {
        {
          await using file = await disk.open(draft, 'wx', 0o600)
          for (const piece of pieces) await file.appendFile(piece)
        }
        await disk.rename(draft, join(folder, name))
      } catch (error) {
        await disk.unlink(draft).catch(() => undefined)
        throw diskFailure(error, 'write to', folder, ELSEWHERE)
      }
    },
    removeOld: () => removeOld().catch(() => undefined),
  }
}
