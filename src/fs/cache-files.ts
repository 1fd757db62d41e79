import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { hasMarkEnded, ownMark } from './process-identity.ts'
import { openOwnDirectory } from './user-files.ts'

export interface CacheBounds {
  /** The end of the names of its files; others in the directory are left alone. */
  readonly ending: string
  readonly fileBytes: number
  readonly totalBytes: number
  readonly unusedMs: number
}

type CacheWorld = Pick<World, 'disk' | 'syncDisk' | 'clock' | 'host'>

const ELSEWHERE = 'make it a directory that only you can change'
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const DRAFT = /^\.(.+)\.[0-9a-f]{16}\.draft$/
const DAY_MS = 86_400_000

/**
 * Opens a directory of files that can be deleted at any time (absolute), and creates it (0700) when it is missing. Throws `io` when it cannot be created, or when another
 * user owns it or can write to it.
 */
export async function openCacheFiles(
  world: CacheWorld,
  directory: string,
  bounds: CacheBounds,
): Promise<CacheFiles> {
  await openOwnDirectory(world, directory, { what: 'the directory', alternative: ELSEWHERE })
  return new CacheFiles(world, directory, bounds, await ownMark(world))
}

/** Files that can be deleted at any time. Each is complete or not there, for other processes too. */
export class CacheFiles {
  readonly #world: CacheWorld
  readonly #directory: string
  readonly #bounds: CacheBounds
  readonly #mark: string

  /** Use `openCacheFiles`. */
  constructor(world: CacheWorld, directory: string, bounds: CacheBounds, mark: string) {
    this.#world = world
    this.#directory = directory
    this.#bounds = bounds
    this.#mark = mark
  }

  /** The bytes of a file; undefined when it is not there, too large, or can have been written by another user. */
  read(name: string): Buffer | undefined {
    const { syncDisk } = this.#world
    try {
      const file = syncDisk.openSync(join(this.#directory, name), READ_FLAGS)
      try {
        const facts = syncDisk.fstatSync(file)
        if (!facts.isFile() || !this.#isOwn(facts) || facts.size > this.#bounds.fileBytes) return undefined
        const bytes = syncDisk.readFileSync(file)
        this.#noteUse(file, facts)
        return bytes
      } finally {
        syncDisk.closeSync(file)
      }
    } catch {
      return undefined
    }
  }

  /** Writes a file, with the permissions 0600. Errors of the file system are Failures of kind `io`. */
  async write(name: string, pieces: readonly Uint8Array[]): Promise<void> {
    const { disk } = this.#world
    const draft = join(this.#directory, `.${this.#mark}.${randomBytes(8).toString('hex')}.draft`)
    try {
      {
        await using file = await disk.open(draft, 'wx', 0o600)
        for (const piece of pieces) await file.appendFile(piece)
      }
      await disk.rename(draft, join(this.#directory, name))
    } catch (error) {
      await disk.unlink(draft).catch(() => undefined)
      throw diskFailure(error, 'write to', this.#directory, ELSEWHERE)
    }
  }

  /** Removes files that were not used for long, then the longest unused until the rest is within the bound. Never throws. */
  async removeOld(): Promise<void> {
    const { disk, clock } = this.#world
    const files: { readonly path: string; readonly bytes: number; readonly usedMs: number }[] = []
    const remove = (path: string): Promise<void> => disk.unlink(path).catch(() => undefined)
    for (const name of await disk.readdir(this.#directory).catch(() => [])) {
      const path = join(this.#directory, name)
      const mark = DRAFT.exec(name)?.[1]
      if (mark === undefined && !name.endsWith(this.#bounds.ending)) continue
      const facts = await disk.lstat(path).catch(() => undefined)
      if (facts === undefined) continue
      if (mark === undefined) files.push({ path, bytes: facts.size, usedMs: facts.mtimeMs })
      else if (clock.nowMs() - facts.mtimeMs >= DAY_MS || (await hasMarkEnded(disk, mark, this.#mark))) {
        await remove(path)
      }
    }
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { path, bytes, usedMs } of files.sort((one, other) => one.usedMs - other.usedMs)) {
      if (total <= this.#bounds.totalBytes && clock.nowMs() - usedMs <= this.#bounds.unusedMs) return
      await remove(path)
      total -= bytes
    }
  }

  // Windows has neither user IDs nor permission bits.
  #isOwn({ uid, mode }: Stats): boolean {
    const own = this.#world.host.uid
    return own === undefined || (uid === own && (mode & 0o022) === 0)
  }

  /** Notes the use of a file, once a day. */
  #noteUse(file: number, { mtimeMs }: Stats): void {
    const nowMs = this.#world.clock.nowMs()
    if (nowMs - mtimeMs < DAY_MS) return
    try {
      this.#world.syncDisk.futimesSync(file, nowMs / 1000, nowMs / 1000)
    } catch {}
  }
}
