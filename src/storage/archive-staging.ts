import { basename, dirname, join } from 'node:path'
import { escapeUnsafe } from '../domain/clean-text.ts'
import { formatBytes } from '../domain/units.ts'
import { Failure, systemCode } from '../failure.ts'
import type { Disk, World } from '../world.ts'
import { targetExists, unpackFault } from './archive-fault.ts'
import type { HeldFolder } from './archive-folders.ts'
import { holdFolder } from './archive-folders.ts'
import { mergeIntoFolder, REPLACED } from './archive-overwrite.ts'
import { isOfGoneProcess, processMark } from './draft-place.ts'

/** A hidden folder beside the target, in which everything is written before anything has its final name. */
export interface Staging extends AsyncDisposable {
  /** Where the files go. */
  readonly folder: HeldFolder
  /** Its path by name, for systems without `/proc`; undefined where descriptors lead to it. */
  readonly pathByName: string | undefined
  /** The umask takes the owner's own rights away. */
  readonly restoreOwner: boolean
  /** Gives everything its final name: one rename, or into an existing folder file by file. Undone when it fails half-way. */
  readonly publish: (files: readonly string[], folders: readonly string[]) => Promise<void>
}

export interface StagingOptions {
  /** The target may be an existing folder, to be filled. */
  readonly overwrite: boolean
  /** Bytes that will be written; refused when the disk has less room. */
  readonly bytes: number
  /** A number in [0, 1), for the folder's name. */
  readonly random: () => number
  readonly nowMs: number
  readonly host: World['host']
}

const PREFIX = '.matdecl-unpack-'
const STALE_MS = 24 * 3_600_000

/**
 * Makes the staging folder for `target` (absolute). Throws `io` when the target is there and may not be filled, or the disk
 * has no room. Disposing it removes whatever was not published, and the parent folders made for it.
 */
export async function openStaging(disk: Disk, target: string, options: StagingOptions): Promise<Staging> {
  const cleanUp: (() => Promise<unknown>)[] = []
  const dispose = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) await step().catch(() => undefined)
  }
  try {
    const existing = await existingTarget(disk, target, options.overwrite)
    const parentPath =
      existing === undefined ? await makeParent(disk, target, cleanUp) : dirname(existing.path)
    const parent = await holdFolder(disk, parentPath)
    cleanUp.push(parent.close)
    const places = [{ folder: parent, path: parentPath }]
    if (existing !== undefined) {
      const folder = await holdFolder(disk, existing.path)
      cleanUp.push(folder.close)
      existing.folder = folder
      // A mount point has no sibling that a rename could come from; where there may be none, the folder itself will do.
      if (folder.dev !== parent.dev) places.pop()
      places.push({ folder, path: existing.path })
    }
    const { base, name } = await makeOwn(disk, places, options)
    cleanUp.push(() => disk.rm(base.folder.pathOf(name), { recursive: true, force: true }))
    await restoreOwnerRights(disk, base.folder.pathOf(name))
    const own = await holdFolder(disk, base.folder.pathOf(name))
    cleanUp.push(own.close)
    await disk.mkdir(own.pathOf('new'))
    const restoreOwner = await restoreOwnerRights(disk, own.pathOf('new'))
    const folder = await holdFolder(disk, own.pathOf('new'))
    cleanUp.push(folder.close)
    return {
      folder,
      pathByName: folder.pathOf('').startsWith('/proc/') ? undefined : join(base.path, name, 'new'),
      restoreOwner,
      publish: async (files, folders) => {
        try {
          if (existing === undefined) await publishWhole(disk, own, parent, target, folder)
          else
            await mergeIntoFolder(
              disk,
              { own, source: folder, target: existing.folder!, targetPath: target },
              files,
              folders,
            )
        } catch (error) {
          throw unpackFault(error, target)
        }
        if (existing === undefined) cleanUp.splice(0, cleanUp.indexOf(parent.close))
      },
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw unpackFault(error, target)
  }
}

/** Gives the owner's own rights to a folder just made, where the umask took them; whether it did. */
async function restoreOwnerRights(disk: Disk, path: string): Promise<boolean> {
  const facts = await disk.lstat(path)
  if (!facts.isDirectory() || (facts.mode & 0o700) === 0o700) return false
  await disk.chmod(path, 0o700)
  return true
}

interface ExistingTarget {
  /** Links in the given path resolved, once. */
  readonly path: string
  folder: HeldFolder | undefined
}

async function existingTarget(
  disk: Disk,
  target: string,
  overwrite: boolean,
): Promise<ExistingTarget | undefined> {
  if (!(await isThere(disk, target))) return undefined
  if (!overwrite) throw targetExists(target)
  const facts = await disk.stat(target).catch(() => undefined)
  if (facts?.isDirectory() !== true) {
    throw new Failure('io', `${escapeUnsafe(target)} exists and is no folder`, {
      hint: 'choose another folder; --overwrite fills a folder and never replaces a file with one',
      file: target,
    })
  }
  return { path: await disk.realpath(target), folder: undefined }
}

async function isThere(disk: Disk, path: string): Promise<boolean> {
  try {
    await disk.lstat(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

/** The target's parent, links in its path resolved once; made when it is not there, and then unmade unless something is published. */
async function makeParent(disk: Disk, target: string, cleanUp: (() => Promise<unknown>)[]): Promise<string> {
  const parent = dirname(target)
  const first = await disk.mkdir(parent, { recursive: true })
  if (first !== undefined) {
    cleanUp.push(async () => {
      for (let path = parent; ; path = dirname(path)) {
        await disk.rmdir(path)
        if (path === first || path === dirname(path)) return
      }
    })
  }
  return await disk.realpath(parent)
}

/**
 * Removes what runs that were killed left here: more than a day ago; or before, when their process is seen to be gone and
 * they had not begun to replace files, of which they then hold the only copy.
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

async function checkRoom(disk: Disk, path: string, bytes: number): Promise<void> {
  const facts = await disk.statfs(path).catch(() => undefined)
  if (facts === undefined) return
  const free = facts.bavail * facts.bsize
  if (bytes <= free) return
  throw new Failure(
    'io',
    `${escapeUnsafe(path)}: unpacking needs ${formatBytes(bytes)}, and ${formatBytes(free)} are free`,
    {
      hint: 'make room, choose a folder on another disk, or take fewer entries with --include',
      file: path,
    },
  )
}

interface Place {
  readonly folder: HeldFolder
  readonly path: string
}

/** Makes the private folder in the first of these places where there is room for what will be written and one may be made. */
async function makeOwn(
  disk: Disk,
  [base, ...others]: readonly Place[],
  options: StagingOptions,
): Promise<{ readonly base: Place; readonly name: string }> {
  const mark = await processMark({ disk, host: options.host })
  await removeStale(disk, base!.folder, options.nowMs, mark).catch(() => undefined)
  await checkRoom(disk, base!.path, options.bytes)
  try {
    return { base: base!, name: await makeUnusedFolder(disk, base!.folder, mark, options.random) }
  } catch (error) {
    const code = systemCode(error)
    if (others.length === 0 || (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS')) throw error
    return await makeOwn(disk, others, options)
  }
}

async function makeUnusedFolder(
  disk: Disk,
  folder: HeldFolder,
  mark: string,
  random: () => number,
): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const letters = Math.floor(random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0')
    const name = `${PREFIX}${mark}.${letters}${attempt === 0 ? '' : attempt}`
    try {
      await disk.mkdir(folder.pathOf(name), 0o700)
      return name
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt >= 20) throw error
    }
  }
}

/** One rename, into the place of nothing; undone when the target's folder turns out to be elsewhere by now. */
async function publishWhole(
  disk: Disk,
  own: HeldFolder,
  parent: HeldFolder,
  target: string,
  folder: HeldFolder,
): Promise<void> {
  const name = basename(target)
  if (await isThere(disk, parent.pathOf(name)))
    throw targetExists(target, 'was made by another program meanwhile')
  await disk.rename(own.pathOf('new'), parent.pathOf(name)).catch((error: unknown) => {
    const code = systemCode(error)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    throw targetExists(target, 'was made by another program meanwhile')
  })
  const seen = await disk.lstat(target).catch(() => undefined)
  if (seen?.ino === folder.ino && seen.dev === folder.dev) return
  await disk.rename(parent.pathOf(name), own.pathOf('new'))
  throw new Failure('io', `${escapeUnsafe(target)}: its folder was moved or replaced meanwhile`, {
    hint: 'run the same again',
    file: target,
  })
}
