import { basename, dirname, join } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import type { Disk, SyncDisk, World } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import {
  type HeldDirectory,
  holdDirectory,
  isSameDirectory,
  makePrivateDirectory,
  removeLeftDirectory,
  removePrivateDirectory,
  syncHeld,
} from '../fs/held-directory.ts'
import {
  lstatIfThere,
  makeDirectories,
  removeEmptyDirectories,
  reportMadeDirectories,
  requireRoom,
} from '../fs/output-target.ts'
import { hasMarkEnded, ownMark } from '../fs/process-identity.ts'
import { DirectoryTree, splitPath } from './directory-tree.ts'

interface StagingOptions {
  /** The target may be an existing directory. */
  readonly overwrite: boolean
  /** Bytes that will be written. */
  readonly bytes: number
  readonly reporter: Reporter
}

/**
 * Creates a hidden directory beside `target` (absolute), where everything is written before it is published. Throws `io` when the target exists without `overwrite`, or the disk has too
 * little space. Disposing it removes what was not published, and the parent directories created for it.
 */
export async function openStaging(world: World, target: string, options: StagingOptions) {
  const { disk, syncDisk } = world
  await using resources = new ResourceStack()
  try {
    const existing = await existingTarget(disk, target, options.overwrite)
    const madeParents = existing === undefined ? await makeDirectories(world, dirname(target)) : []
    resources.defer(() => removeEmptyDirectories(world, madeParents))
    // Links are resolved once.
    const parentPath = existing === undefined ? await disk.realpath(dirname(target)) : dirname(existing)
    const parent = resources.use(holdDirectory(syncDisk, parentPath))
    const into = existing === undefined ? undefined : resources.use(holdDirectory(syncDisk, existing))
    const own = await makeOwn(
      world,
      basesFor({ directory: parent, path: parentPath }, into, existing),
      options,
    )
    resources.defer(() => removeOwn(syncDisk, own, options.reporter))
    const staged = own.directory.pathOf(STAGED)
    await disk.mkdir(staged)
    /** True when the umask removes the owner's permissions. */
    const restoreOwner = await restoreOwnerRights(disk, staged)
    /** Where the files go. */
    const directory = resources.use(holdDirectory(syncDisk, staged))
    /** Renames everything to its final name: as one directory, or file by file into an existing one. Undone when it fails. */
    const publish = async (files: readonly string[], directories: readonly string[]): Promise<void> => {
      try {
        if (into !== undefined) {
          mergeInto(syncDisk, { own: own.directory, source: directory, into, target }, files, directories)
        } else {
          using tree = new DirectoryTree(syncDisk, directory)
          tree.sync(files, directories)
          await publishWhole(world, own.directory, parent, target, directory)
        }
      } catch (error) {
        throw extractFailure(error, target)
      }
      reportMadeDirectories(madeParents, options.reporter)
    }
    const held = resources.move()
    return { directory, restoreOwner, publish, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() }
  } catch (error) {
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

/** The path of an existing target, with links resolved once; undefined when there is none. */
async function existingTarget(disk: Disk, target: string, overwrite: boolean): Promise<string | undefined> {
  if ((await lstatIfThere(disk, target)) === undefined) return undefined
  const facts = await disk.stat(target).catch(() => undefined)
  if (facts?.isDirectory() !== true) {
    throw new Failure('io', `${escapeUnsafe(target)} exists and is not a directory`, {
      hint: 'choose another directory: a file is never replaced with a directory',
      file: target,
    })
  }
  if (!overwrite) throw targetExists(target)
  return await disk.realpath(target)
}

/** Restores the owner's permissions on a new directory when the umask removed them; returns whether it did. */
async function restoreOwnerRights(disk: Disk, path: string): Promise<boolean> {
  const facts = await disk.lstat(path)
  if (!facts.isDirectory() || (facts.mode & 0o700) === 0o700) return false
  await disk.chmod(path, 0o700)
  return true
}

/** One rename to a free name, synced; undone when that fails or the target's parent was moved. */
async function publishWhole(
  { disk, syncDisk }: World,
  own: HeldDirectory,
  parent: HeldDirectory,
  target: string,
  directory: HeldDirectory,
): Promise<void> {
  const [staged, final] = [own.pathOf(STAGED), parent.pathOf(basename(target))]
  const taken = 'was created by another program in the meantime'
  if ((await lstatIfThere(disk, final)) !== undefined) throw targetExists(target, taken)
  await disk.rename(staged, final).catch((error: unknown) => {
    const isTaken = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '')
    throw isTaken ? targetExists(target, taken) : error
  })
  try {
    syncHeld(syncDisk, parent)
    const seen = await disk.lstat(target, { bigint: true }).catch(() => undefined)
    if (isSameDirectory(seen, directory)) return
    // FAT numbers a directory anew when it is moved.
    const moved = disk.isWindows === true && syncDisk.fstatSync(directory.fd, { bigint: true })
    if (moved && isSameDirectory(seen, moved)) return
    throw new Failure('io', `${escapeUnsafe(target)}: its directory was moved or replaced in the meantime`, {
      hint: 'run the command again',
      file: target,
    })
  } catch (error) {
    await disk.rename(final, staged)
    throw error
  }
}

/** A directory that may hold the private one, and its path. */
interface Base {
  readonly directory: HeldDirectory
  readonly path: string
}

/** The private directory of this run. */
interface OwnDirectory {
  readonly directory: HeldDirectory
  readonly base: Base
  readonly name: string
}

/** The names of directories in the private one: for what is written, and for files that it replaces, until everything is done. */
const STAGED = 'new'
const REPLACED = 'old'

const PREFIX = '.matdecl-unpack-'
const STALE_MS = 24 * 3_600_000
const NO_ROOM = {
  hint: 'free some space, choose a directory on another disk, or extract fewer entries',
  options: ['include'],
}

/** Where the private directory can be: beside the target, else in it. A rename does not cross a mount point. */
function basesFor(beside: Base, into: HeldDirectory | undefined, path = ''): readonly Base[] {
  if (into === undefined) return [beside]
  const inside = { directory: into, path }
  return into.dev === beside.directory.dev ? [beside, inside] : [inside]
}

/**
 * Creates the private directory in the first of these directories that is writable, and removes those of killed runs there. Throws `io`
 * when the disk has too little space.
 */
async function makeOwn(
  world: World,
  [base, ...others]: readonly Base[],
  options: StagingOptions,
): Promise<OwnDirectory> {
  const mark = await ownMark(world)
  let own: OwnDirectory
  try {
    own = makeUnused(world, base!, mark)
  } catch (error) {
    const isReadOnly = ['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '')
    if (others.length === 0 || !isReadOnly) throw error
    return await makeOwn(world, others, options)
  }
  try {
    await removeStale(world, own, mark).catch(() => undefined)
    await requireRoom(world.disk, base!.path, options.bytes, NO_ROOM)
    return own
  } catch (error) {
    removeOwn(world.syncDisk, own, options.reporter)
    throw error
  }
}

function makeUnused({ syncDisk, random }: World, base: Base, mark: string): OwnDirectory {
  for (let attempt = 0; ; attempt += 1) {
    const suffix = Math.floor(random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0')
    const name = `${PREFIX}${mark}.${suffix}${attempt === 0 ? '' : attempt}`
    try {
      return { directory: makePrivateDirectory(syncDisk, base.directory, name), base, name }
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt >= 20) throw error
    }
  }
}

/** Removes the private directory and closes it. One that could not be removed is reported. */
function removeOwn(disk: SyncDisk, { directory, base, name }: OwnDirectory, reporter: Reporter): void {
  let isGone = false
  // A second attempt: what fails may be temporary, such as a program that looks at new files.
  for (let attempt = 0; attempt < 2 && !isGone; attempt += 1) {
    try {
      isGone = removePrivateDirectory(disk, base.directory, name, directory)
    } catch {}
  }
  directory[Symbol.dispose]()
  if (isGone) return
  const path = escapeUnsafe(join(base.path, name))
  const message = `the temporary directory ${path} could not be removed safely; remove it by hand`
  reporter.notice({ level: 'warning', event: 'extract.left', message })
}

/**
 * Removes the private directories of this user's killed runs: after a day, or at once when their process has ended before it replaced
 * files, whose only copies would be there.
 */
async function removeStale(world: World, own: OwnDirectory, ours: string): Promise<void> {
  const { disk, syncDisk, clock } = world
  const base = own.base.directory
  for (const name of await disk.readdir(base.pathOf('.'))) {
    if (!name.startsWith(PREFIX) || name === own.name) continue
    const path = base.pathOf(name)
    const facts = await disk.lstat(path).catch(() => undefined)
    if (facts?.isDirectory() !== true || facts.uid !== own.directory.uid) continue
    const mark = name.slice(PREFIX.length, Math.max(PREFIX.length, name.lastIndexOf('.')))
    const isStale =
      clock.nowMs() - facts.mtimeMs >= STALE_MS ||
      ((await hasMarkEnded(disk, mark, ours)) &&
        (await lstatIfThere(disk, `${path}/${REPLACED}`)) === undefined)
    if (!isStale) continue
    try {
      removeLeftDirectory(syncDisk, base, name, own.directory, (one) => one === STAGED || one === REPLACED)
    } catch {}
  }
}

interface Merge {
  readonly own: HeldDirectory
  readonly source: HeldDirectory
  /** The target, and its path. */
  readonly into: HeldDirectory
  readonly target: string
}

/**
 * Moves files from one directory into another and creates directories there; each rename replaces a file or link of the same name.
 * Obstacles are found before anything is moved; when a step fails, the earlier steps are undone.
 */
function mergeInto(
  disk: SyncDisk,
  { own, source, into, target: targetPath }: Merge,
  files: readonly string[],
  directories: readonly string[],
): void {
  const undo: (() => void)[] = []
  // The directory may be closed when the step is undone.
  const inTarget = (path: string, step: (at: string) => void): void => {
    const [parentPath, name] = splitPath(path)
    const parent = target.find(parentPath)
    if (parent !== undefined) step(parent.pathOf(name))
  }
  using target = new DirectoryTree(disk, into, (path) => {
    undo.push(() => inTarget(path, (at) => disk.rmdirSync(at)))
  })
  using staged = new DirectoryTree(disk, source)
  try {
    checkObstacles(disk, target, targetPath, files, directories)
    disk.mkdirSync(own.pathOf(REPLACED))
    for (const [index, path] of files.entries()) {
      const [parentPath, name] = splitPath(path)
      const from = staged.find(parentPath)
      const to = target.make(parentPath).pathOf(name)
      if (from === undefined) throw new Error(`staged directory disappeared: ${parentPath}`)
      const backup = own.pathOf(`${REPLACED}/${index}`)
      const isKept = keepOld(disk, to, backup)
      if (isKept) undo.push(() => inTarget(path, (at) => disk.renameSync(backup, at)))
      disk.renameSync(from.pathOf(name), to)
      if (!isKept) undo.push(() => inTarget(path, (at) => disk.unlinkSync(at)))
    }
    for (const path of directories) target.make(path)
    target.sync(files, directories)
  } catch (error) {
    for (const step of undo.reverse()) {
      try {
        step()
      } catch {}
    }
    throw error
  }
}

/** Refuses when a link or a file is where a directory must be, or a directory where a file must be. */
function checkObstacles(
  disk: SyncDisk,
  target: DirectoryTree,
  targetPath: string,
  files: readonly string[],
  directories: readonly string[],
): void {
  const inTheWay = (path: string, what: string): Failure =>
    new Failure('io', `${escapeUnsafe(targetPath)}/${escapeUnsafe(path)}: ${what}`, {
      hint: 'remove it or choose another directory; nothing was changed',
      file: `${targetPath}/${path}`,
    })
  const find = (path: string): HeldDirectory | undefined => {
    try {
      return target.find(path)
    } catch (error) {
      if (!['ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) throw error
      throw inTheWay(path, 'a file or a link is in the way of a directory')
    }
  }
  for (const path of files) {
    const [parentPath, name] = splitPath(path)
    const parent = find(parentPath)
    const facts = parent && disk.lstatSync(parent.pathOf(name), { throwIfNoEntry: false })
    if (facts?.isDirectory() === true) throw inTheWay(path, 'a directory is in the way of a file')
  }
  for (const path of directories) find(path)
}

/** Keeps the file at `path`, if there is one, at `backup`. */
function keepOld(disk: SyncDisk, path: string, backup: string): boolean {
  try {
    disk.linkSync(path, backup)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
  }
  // Some file systems have no hard links (FAT, some network file systems).
  try {
    disk.renameSync(path, backup)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
