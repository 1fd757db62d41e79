import { basename, dirname, join } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import type { Disk, SyncDisk, World } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import {
  type HeldFolder,
  holdFolder,
  isSameFolder,
  makePrivateFolder,
  removeLeftFolder,
  removePrivateFolder,
  syncHeld,
} from '../fs/held-directory.ts'
import {
  lstatIfThere,
  type MadeFolder,
  makeFolders,
  removeEmptyFolders,
  reportMadeFolders,
  requireRoom,
} from '../fs/output-target.ts'
import { hasMarkEnded, ownMark } from '../fs/process-identity.ts'
import { createFolderTree, type FolderTree, splitPath, syncFolders } from './directory-tree.ts'

/** A hidden directory beside the target, where everything is written before it is published. */
interface Staging extends AsyncDisposable {
  /** Where the files go. */
  readonly folder: HeldFolder
  /** True when the umask removes the owner's permissions. */
  readonly restoreOwner: boolean
  /** Renames everything to its final name: as one directory, or file by file into an existing one. Undone when it fails. */
  readonly publish: (files: readonly string[], folders: readonly string[]) => Promise<void>
}

interface StagingOptions extends OwnOptions {
  /** The target may be an existing directory. */
  readonly overwrite: boolean
}

type CleanUp = () => unknown

/**
 * Creates the staging directory for `target` (absolute). Throws `io` when the target exists without `overwrite`, or the disk has too
 * little space. Disposing it removes what was not published, and the parent directories created for it.
 */
export async function openStaging(
  { disk, syncDisk }: Pick<World, 'disk' | 'syncDisk'>,
  target: string,
  options: StagingOptions,
): Promise<Staging> {
  const cleanUp: CleanUp[] = []
  const madeParents: MadeFolder[] = []
  const dispose = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) {
      try {
        await step()
      } catch {}
    }
  }
  try {
    const existing = await existingTarget(disk, target, options.overwrite)
    if (existing === undefined) {
      madeParents.push(...(await makeFolders({ disk, syncDisk }, dirname(target))))
      cleanUp.push(() => removeEmptyFolders({ disk, syncDisk }, madeParents))
    }
    // With links resolved once.
    const parentPath = existing === undefined ? await disk.realpath(dirname(target)) : dirname(existing.path)
    const parent = holdFolder(syncDisk, parentPath)
    cleanUp.push(parent.close)
    const parents = [{ folder: parent, path: parentPath }]
    if (existing !== undefined) {
      const folder = holdFolder(syncDisk, existing.path)
      cleanUp.push(folder.close)
      existing.folder = folder
      // A rename does not cross a mount point; otherwise the directory itself is the second choice.
      if (folder.dev !== parent.dev) parents.pop()
      parents.push({ folder, path: existing.path })
    }
    const made = await makeOwn({ disk, syncDisk }, parents, options)
    const own = made.folder
    cleanUp.push(() => removeOwn(syncDisk, made, options.reporter))
    await disk.mkdir(own.pathOf(STAGED))
    const restoreOwner = await restoreOwnerRights(disk, own.pathOf(STAGED))
    const folder = holdFolder(syncDisk, own.pathOf(STAGED))
    cleanUp.push(folder.close)
    return {
      folder,
      restoreOwner,
      publish: async (files, folders) => {
        try {
          if (existing === undefined) {
            syncAll(syncDisk, folder, files, folders)
            await publishWhole({ disk, syncDisk }, own, parent, target, folder)
          } else {
            const held = { own, source: folder, target: existing.folder!, targetPath: target }
            mergeIntoFolder(syncDisk, held, files, folders)
          }
        } catch (error) {
          throw extractFailure(error, target)
        }
        if (existing === undefined) cleanUp.splice(0, cleanUp.indexOf(parent.close))
        reportMadeFolders(madeParents, options.reporter)
      },
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw extractFailure(error, target)
  }
}

/** Translates an error of the file system while extracting to `target`. */
export function extractFailure(error: unknown, target: string): unknown {
  return diskFailure(error, 'extract to', target, 'choose another directory')
}

function targetExists(target: string, what = 'exists'): Failure {
  return new Failure('io', `${escapeUnsafe(target)} ${what}`, {
    hint: 'choose another directory, or replace files in this one',
    options: ['overwrite'],
    file: target,
  })
}

/** Restores the owner's permissions on a new directory when the umask removed them; returns whether it did. */
async function restoreOwnerRights(disk: Disk, path: string): Promise<boolean> {
  const facts = await disk.lstat(path)
  if (!facts.isDirectory() || (facts.mode & 0o700) === 0o700) return false
  await disk.chmod(path, 0o700)
  return true
}

interface ExistingTarget {
  /** With links resolved, once. */
  readonly path: string
  folder: HeldFolder | undefined
}

async function existingTarget(
  disk: Disk,
  target: string,
  overwrite: boolean,
): Promise<ExistingTarget | undefined> {
  if ((await lstatIfThere(disk, target)) === undefined) return undefined
  if (!overwrite) throw targetExists(target)
  const facts = await disk.stat(target).catch(() => undefined)
  if (facts?.isDirectory() !== true) {
    throw new Failure('io', `${escapeUnsafe(target)} exists and is not a directory`, {
      hint: 'choose another directory: a file is never replaced with a directory',
      file: target,
    })
  }
  return { path: await disk.realpath(target), folder: undefined }
}

function syncAll(
  disk: SyncDisk,
  folder: HeldFolder,
  files: readonly string[],
  folders: readonly string[],
): void {
  const tree = createFolderTree(disk, folder, () => undefined)
  try {
    syncFolders(disk, tree, files, folders)
  } finally {
    tree.close()
  }
}

/** One rename to a free name, synced; undone when that fails or the target's parent was moved. */
async function publishWhole(
  { disk, syncDisk }: Pick<World, 'disk' | 'syncDisk'>,
  own: HeldFolder,
  parent: HeldFolder,
  target: string,
  folder: HeldFolder,
): Promise<void> {
  const name = basename(target)
  if ((await lstatIfThere(disk, parent.pathOf(name))) !== undefined)
    throw targetExists(target, 'was created by another program in the meantime')
  await disk.rename(own.pathOf(STAGED), parent.pathOf(name)).catch((error: unknown) => {
    const code = systemCode(error)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    throw targetExists(target, 'was created by another program in the meantime')
  })
  const undo = (): Promise<void> => disk.rename(parent.pathOf(name), own.pathOf(STAGED))
  try {
    syncHeld(syncDisk, parent)
  } catch (error) {
    await undo()
    throw error
  }
  const seen = await disk.lstat(target, { bigint: true }).catch(() => undefined)
  if (isSameFolder(seen, folder)) return
  // FAT numbers a directory anew when it is moved.
  if (disk.isWindows === true && isSameFolder(seen, syncDisk.fstatSync(folder.fd, { bigint: true }))) return
  await undo()
  throw new Failure('io', `${escapeUnsafe(target)}: its directory was moved or replaced in the meantime`, {
    hint: 'run the command again',
    file: target,
  })
}

interface OwnOptions {
  /** Bytes that will be written. */
  readonly bytes: number
  /** A number in [0, 1), for the directory's name. */
  readonly random: () => number
  readonly nowMs: number
  readonly host: World['host']
  readonly reporter: Reporter
}

/** A directory that may hold the private one, and its path. */
interface ParentFolder {
  readonly folder: HeldFolder
  readonly path: string
}

/** The name of the directory in the private one where everything is written before it is published. */
const STAGED = 'new'

const PREFIX = '.matdecl-unpack-'
const STALE_MS = 24 * 3_600_000
const NO_ROOM = {
  hint: 'free some space, choose a directory on another disk, or extract fewer entries',
  options: ['include'],
}

/** The private directory of this run. */
interface OwnFolder {
  readonly folder: HeldFolder
  readonly base: ParentFolder
  readonly name: string
}

/**
 * Creates the private directory in the first of these directories that is writable, and removes those of killed runs there. Throws `io`
 * when the disk has too little space.
 */
async function makeOwn(
  world: Pick<World, 'disk' | 'syncDisk'>,
  [base, ...others]: readonly ParentFolder[],
  options: OwnOptions,
): Promise<OwnFolder> {
  const { disk, syncDisk } = world
  const mark = await ownMark({ disk, host: options.host })
  let own: OwnFolder
  try {
    own = makeUnused(syncDisk, base!, mark, options.random)
  } catch (error) {
    const code = systemCode(error)
    if (others.length === 0 || (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS')) throw error
    return await makeOwn(world, others, options)
  }
  try {
    await removeStale(world, own, options.nowMs, mark).catch(() => undefined)
    await requireRoom(disk, base!.path, options.bytes, NO_ROOM)
    return own
  } catch (error) {
    removeOwn(syncDisk, own, options.reporter)
    throw error
  }
}

/** Removes the private directory and closes it. One that could not be removed is reported. */
function removeOwn(disk: SyncDisk, { folder, base, name }: OwnFolder, reporter: Reporter): void {
  let isGone = false
  // A second attempt: what fails may be temporary, such as a program that looks at new files.
  for (let attempt = 0; attempt < 2 && !isGone; attempt += 1) {
    try {
      isGone = removePrivateFolder(disk, base.folder, name, folder)
    } catch {}
  }
  folder.close()
  if (isGone) return
  const path = escapeUnsafe(join(base.path, name))
  const message = `the temporary directory ${path} could not be removed safely; remove it by hand`
  reporter.notice({ level: 'warning', event: 'extract.left', message })
}

/**
 * Removes the private directories of this user's killed runs: after a day, or at once when their process has ended before it replaced
 * files, whose only copies would be there.
 */
async function removeStale(
  { disk, syncDisk }: Pick<World, 'disk' | 'syncDisk'>,
  own: OwnFolder,
  nowMs: number,
  ours: string,
): Promise<void> {
  const { folder } = own.base
  for (const name of await disk.readdir(folder.pathOf('.'))) {
    if (!name.startsWith(PREFIX) || name === own.name) continue
    const path = folder.pathOf(name)
    const facts = await disk.lstat(path).catch(() => undefined)
    if (facts?.isDirectory() !== true || facts.uid !== own.folder.uid) continue
    const mark = name.slice(PREFIX.length, Math.max(PREFIX.length, name.lastIndexOf('.')))
    const isStale =
      nowMs - facts.mtimeMs >= STALE_MS ||
      ((await hasMarkEnded(disk, mark, ours)) &&
        (await lstatIfThere(disk, `${path}/${REPLACED}`)) === undefined)
    if (!isStale) continue
    try {
      removeLeftFolder(syncDisk, folder, name, own.folder, (one) => one === STAGED || one === REPLACED)
    } catch {}
  }
}

function makeUnused(disk: SyncDisk, base: ParentFolder, mark: string, random: () => number): OwnFolder {
  for (let attempt = 0; ; attempt += 1) {
    const suffix = Math.floor(random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0')
    const name = `${PREFIX}${mark}.${suffix}${attempt === 0 ? '' : attempt}`
    try {
      return { folder: makePrivateFolder(disk, base.folder, name), base, name }
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt >= 20) throw error
    }
  }
}

interface Folders {
  /** The private directory; replaced files are kept in it until everything is done. */
  readonly own: HeldFolder
  readonly source: HeldFolder
  readonly target: HeldFolder
  readonly targetPath: string
}

/** The name of the directory for replaced files in the private one. */
const REPLACED = 'old'

/**
 * Moves files from one directory into another and creates directories there; each rename replaces a file or link of the same name.
 * Obstacles are found before anything is moved; when a step fails, the earlier steps are undone.
 */
function mergeIntoFolder(
  disk: SyncDisk,
  held: Folders,
  files: readonly string[],
  folders: readonly string[],
): void {
  const undo: (() => void)[] = []
  // The directory may be closed when the step is undone.
  const inTarget = (path: string, step: (at: string) => void): void => {
    const [parentPath, name] = splitPath(path)
    const parent = target.find(parentPath)
    if (parent !== undefined) step(parent.pathOf(name))
  }
  const target = createFolderTree(disk, held.target, (path) => {
    undo.push(() => inTarget(path, (at) => disk.rmdirSync(at)))
  })
  const source = createFolderTree(disk, held.source, () => undefined)
  try {
    checkObstacles(disk, target, held.targetPath, files, folders)
    disk.mkdirSync(held.own.pathOf(REPLACED))
    for (const [index, path] of files.entries()) {
      const [parentPath, name] = splitPath(path)
      const from = source.find(parentPath)
      const to = target.make(parentPath).pathOf(name)
      if (from === undefined) throw new Error(`staged directory disappeared: ${parentPath}`)
      const backup = held.own.pathOf(`${REPLACED}/${index}`)
      const isKept = keepOld(disk, to, backup)
      if (isKept) undo.push(() => inTarget(path, (at) => disk.renameSync(backup, at)))
      disk.renameSync(from.pathOf(name), to)
      if (!isKept) undo.push(() => inTarget(path, (at) => disk.unlinkSync(at)))
    }
    for (const path of folders) target.make(path)
    syncFolders(disk, target, files, folders)
  } catch (error) {
    for (const step of undo.reverse()) {
      try {
        step()
      } catch {}
    }
    throw error
  } finally {
    target.close()
    source.close()
  }
}

/** Refuses when a link or a file is where a directory must be, or a directory where a file must be. */
function checkObstacles(
  disk: SyncDisk,
  target: FolderTree,
  targetPath: string,
  files: readonly string[],
  folders: readonly string[],
): void {
  for (const path of files) {
    const [parentPath, name] = splitPath(path)
    const parent = findFolder(target, targetPath, parentPath)
    const facts = parent && disk.lstatSync(parent.pathOf(name), { throwIfNoEntry: false })
    if (facts?.isDirectory() === true) throw inTheWay(targetPath, path, 'a directory is in the way of a file')
  }
  for (const path of folders) findFolder(target, targetPath, path)
}

function findFolder(target: FolderTree, targetPath: string, path: string): HeldFolder | undefined {
  try {
    return target.find(path)
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error
    throw inTheWay(targetPath, path, 'a file or a link is in the way of a directory')
  }
}

function inTheWay(targetPath: string, path: string, what: string): Failure {
  return new Failure('io', `${escapeUnsafe(targetPath)}/${escapeUnsafe(path)}: ${what}`, {
    hint: 'remove it or choose another directory; nothing was changed',
    file: `${targetPath}/${path}`,
  })
}

/** Keeps the file at `path`, if there is one, at `backup`. */
function keepOld(disk: SyncDisk, path: string, backup: string): boolean {
  try {
    disk.linkSync(path, backup)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
  }
  // A file system without hard links (FAT, some network file systems).
  try {
    disk.renameSync(path, backup)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
