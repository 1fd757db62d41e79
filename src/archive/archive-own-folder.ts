import { systemCode } from '../base/failure.ts'
import type { Disk, World } from '../base/world.ts'
import { isOfGoneProcess, processMark } from '../fs/draft-path.ts'
import { requireRoom } from '../fs/free-space.ts'
import { REPLACED } from './archive-overwrite.ts'
import type { HeldFolder } from './held-folders.ts'

export interface OwnOptions {
  /** Bytes that will be written. */
  readonly bytes: number
  /** A number in [0, 1), for the folder's name. */
  readonly random: () => number
  readonly nowMs: number
  readonly host: World['host']
}

/** A folder that may hold the private one, and its path. */
export interface ParentFolder {
  readonly folder: HeldFolder
  readonly path: string
}

const PREFIX = '.matdecl-unpack-'
const STALE_MS = 24 * 3_600_000
const NO_ROOM = {
  hint: 'free some space, choose a directory on another disk, or extract fewer entries',
  options: ['include'],
}

/** Creates the private folder in the first of these folders that is writable. Throws `io` when the disk has too little space. */
export async function makeOwn(
  disk: Disk,
  [base, ...others]: readonly ParentFolder[],
  options: OwnOptions,
): Promise<{ readonly base: ParentFolder; readonly name: string }> {
  const mark = await processMark({ disk, host: options.host })
  await removeStale(disk, base!.folder, options.nowMs, mark).catch(() => undefined)
  await requireRoom(disk, base!.path, options.bytes, NO_ROOM)
  try {
    return { base: base!, name: await makeUnusedFolder(disk, base!.folder, mark, options.random) }
  } catch (error) {
    const code = systemCode(error)
    if (others.length === 0 || (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS')) throw error
    return await makeOwn(disk, others, options)
  }
}

/**
 * Removes the private folders of killed runs: after a day, or at once when their process has ended before it replaced files, whose
 * only copies would be there.
 */
async function removeStale(disk: Disk, folder: HeldFolder, nowMs: number, ours: string): Promise<void> {
  const names = await disk.readdir(folder.pathOf('.'))
  for (const name of names) {
    if (!name.startsWith(PREFIX)) continue
    const path = folder.pathOf(name)
    const facts = await disk.lstat(path).catch(() => undefined)
    if (facts?.isDirectory() !== true) continue
    const mark = name.slice(PREFIX.length, Math.max(PREFIX.length, name.lastIndexOf('.')))
    const isStale =
      nowMs - facts.mtimeMs >= STALE_MS ||
      ((await isOfGoneProcess(disk, mark, ours)) && !(await isThere(disk, `${path}/${REPLACED}`)))
    if (!isStale) continue
    await disk.rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

async function makeUnusedFolder(
  disk: Disk,
  folder: HeldFolder,
  mark: string,
  random: () => number,
): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const suffix = Math.floor(random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0')
    const name = `${PREFIX}${mark}.${suffix}${attempt === 0 ? '' : attempt}`
    try {
      await disk.mkdir(folder.pathOf(name), 0o700)
      return name
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt >= 20) throw error
    }
  }
}

/** True when `path` exists, even as a broken link. */
export async function isThere(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.lstat(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
