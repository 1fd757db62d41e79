import type { Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, isFailure, systemCode } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import { plural } from '../base/units.ts'
import type { Disk, SyncDisk, World } from '../base/world.ts'
import { diskFailure, isUnsupported } from '../fs/disk-failure.ts'
import {
  lstatIfThere,
  makeDirectories,
  refuseShared,
  removeEmptyDirectories,
  reportMadeDirectories,
  requireRoom,
} from '../fs/output-target.ts'
import { hasMarkEnded, ownMark } from '../fs/process-identity.ts'
import { DirectoryTree, splitPath, syncDirectorySync } from './directory-tree.ts'

interface StagingOptions {
  /** The target may be an existing directory. */
  readonly overwrite: boolean
  /** Bytes that will be written. */
  readonly bytes: number
  readonly reporter: Reporter
}

/**
 * Creates a hidden directory beside `target` (absolute), where everything is written before it is published. Throws `io` when the target
 * exists without `overwrite`, every user can change it or its parent, or the disk has too little space. Disposing it removes what was not
 * published, and the parent directories created for it.
 */
export async function openStaging(world: World, target: string, options: StagingOptions) {
  const { disk, syncDisk } = world
  await using resources = new ResourceStack()
  try {
    const into = await existingTarget(disk, target, options.overwrite)
    const madeParents = into === undefined ? await makeDirectories(world, dirname(target)) : []
    resources.defer(() => removeEmptyDirectories(world, madeParents))
    // Links are resolved once.
    const parent = into === undefined ? await disk.realpath(dirname(target)) : dirname(into)
    const own = await makeOwn(world, await basesFor(disk, parent, into), options)
    resources.defer(() => removeOwn(disk, own.path, options.reporter))
    const refuse = (path: string, mode: number): void => {
      if (own.hasModes) refuseShared(path, mode)
    }
    if (into === undefined) refuse(parent, (await disk.stat(parent)).mode)
    else refuse(into, (await disk.stat(into)).mode)
    /** Where the files go. */
    const directory = join(own.path, STAGED)
    await disk.mkdir(directory)
    /** True when the umask removes the owner's permissions. */
    const restoreOwner = await restoreOwnerRights(disk, directory)
    /** Renames everything to its final name: as one directory, which is undone when it fails, or file by file into an existing one. */
    const publish = async (files: readonly string[], directories: readonly string[]): Promise<void> => {
      try {
        if (into !== undefined) {
          mergeInto(syncDisk, { source: directory, into, target, refuse }, files, directories)
        } else {
          new DirectoryTree(syncDisk, directory).sync(files, directories)
          await publishWhole(world, directory, join(parent, basename(target)), target)
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
  await disk.chmod(path, 0o700).catch((error: unknown) => {
    if (!isUnsupported(error)) throw error
  })
  return true
}

/** One rename to a free name, synced; undone when that fails. */
async function publishWhole(
  { disk, syncDisk }: World,
  staged: string,
  final: string,
  target: string,
): Promise<void> {
  const taken = 'was created by another program in the meantime'
  if ((await lstatIfThere(disk, final)) !== undefined) throw targetExists(target, taken)
  await disk.rename(staged, final).catch((error: unknown) => {
    const isTaken = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? '')
    throw isTaken ? targetExists(target, taken) : error
  })
  try {
    syncDirectorySync(syncDisk, dirname(final))
  } catch (error) {
    await disk.rename(final, staged)
    throw error
  }
}

/** The private directory of this run. */
interface OwnDirectory {
  readonly path: string
  readonly facts: Stats
  /** False on a file system without permissions: even this directory seems to be everybody's. */
  readonly hasModes: boolean
}

/** The name of the directory in the private one where everything is written. */
const STAGED = 'new'

const PREFIX = '.matdecl-unpack-'
const STALE_MS = 24 * 3_600_000
const NO_ROOM = {
  hint: 'free some space, choose a directory on another disk, or extract fewer entries',
  options: ['include'],
}

/** The directories that may hold the private one: that beside the target, else the target. A rename does not cross a mount point. */
async function basesFor(disk: Disk, parent: string, into: string | undefined): Promise<readonly string[]> {
  if (into === undefined) return [parent]
  const [one, other] = [await disk.stat(parent), await disk.stat(into)]
  return one.dev === other.dev ? [parent, into] : [into]
}

/**
 * Creates the private directory in the first of these directories that is writable, and removes those of killed runs there. Throws `io`
 * when the disk has too little space.
 */
async function makeOwn(
  world: World,
  [base, ...others]: readonly string[],
  options: StagingOptions,
): Promise<OwnDirectory> {
  const mark = await ownMark(world)
  let own: OwnDirectory
  try {
    own = await makeUnused(world, base!, mark)
  } catch (error) {
    const isReadOnly = ['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '')
    if (others.length === 0 || !isReadOnly) throw error
    return await makeOwn(world, others, options)
  }
  try {
    await removeStale(world, own, mark).catch(() => undefined)
    await requireRoom(world.disk, base!, options.bytes, NO_ROOM)
    return own
  } catch (error) {
    await removeOwn(world.disk, own.path, options.reporter)
    throw error
  }
}

async function makeUnused({ disk, random }: World, base: string, mark: string): Promise<OwnDirectory> {
  for (let attempt = 0; ; attempt += 1) {
    const suffix = Math.floor(random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0')
    const path = join(base, `${PREFIX}${mark}.${suffix}${attempt === 0 ? '' : attempt}`)
    try {
      await disk.mkdir(path, 0o700)
      return await ownAt(disk, path)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt >= 20) throw error
    }
  }
}

async function ownAt(disk: Disk, path: string): Promise<OwnDirectory> {
  try {
    await restoreOwnerRights(disk, path)
    const facts = await disk.lstat(path)
    return { path, facts, hasModes: (facts.mode & 0o077) === 0 }
  } catch (error) {
    await disk.rmdir(path).catch(() => undefined)
    throw error
  }
}

/** Removes the private directory. What is published stays so: one that could not be removed is reported. */
async function removeOwn(disk: Disk, path: string, reporter: Reporter): Promise<void> {
  const remove = (): Promise<void> => disk.rm(path, { recursive: true, force: true })
  // A second attempt: what fails may be temporary, such as a program that looks at new files.
  await remove()
    .catch(remove)
    .catch(() => {
      const message = `the temporary directory ${escapeUnsafe(path)} could not be removed; remove it by hand`
      reporter.notice({ level: 'warning', event: 'extract.left', message })
    })
}

/**
 * Removes the private directories of this user's killed runs: after a day, or at once when their process has ended. One with anything that such a run does not make, or that belongs to another user, is left.
 */
async function removeStale({ disk, clock }: World, own: OwnDirectory, ours: string): Promise<void> {
  const base = dirname(own.path)
  for (const name of await disk.readdir(base)) {
    const path = join(base, name)
    if (!name.startsWith(PREFIX) || path === own.path) continue
    const facts = await disk.lstat(path).catch(() => undefined)
    if (facts?.isDirectory() !== true || !isLikeOwn(facts, own.facts)) continue
    const mark = name.slice(PREFIX.length, Math.max(PREFIX.length, name.lastIndexOf('.')))
    const isStale = clock.nowMs() - facts.mtimeMs >= STALE_MS || (await hasMarkEnded(disk, mark, ours))
    const names = await disk.readdir(path).catch(() => [''])
    const isKnown = names.every((one) => one === STAGED)
    if (!isStale || !isKnown || (await holdsForeign(disk, path, facts.uid))) continue
    await disk.rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

function isLikeOwn(facts: Stats, own: Stats): boolean {
  return facts.uid === own.uid && facts.dev === own.dev && facts.mode === own.mode
}

/** True when something in a directory belongs to another user, or cannot be seen. */
async function holdsForeign(disk: Disk, directory: string, uid: number): Promise<boolean> {
  try {
    for (const name of await disk.readdir(directory)) {
      const path = join(directory, name)
      const facts = await disk.lstat(path)
      if (facts.uid !== uid || (facts.isDirectory() && (await holdsForeign(disk, path, uid)))) return true
    }
    return false
  } catch {
    return true
  }
}

interface Merge {
  readonly source: string
  /** The target with links resolved, and its path as it was given. */
  readonly into: string
  readonly target: string
  /** Throws for a directory that every user can change. */
  readonly refuse: (path: string, mode: number) => void
}

/**
 * Moves files from one directory into another and creates directories there; each rename replaces a file or link of the same name.
 * Obstacles are found before anything is moved. When a step fails, what was moved stays, and the failure says what was not.
 */
function mergeInto(
  disk: SyncDisk,
  { source, into, target: targetPath, refuse }: Merge,
  files: readonly string[],
  directories: readonly string[],
): void {
  const target = new DirectoryTree(disk, into, () => {}, refuse)
  checkObstacles(disk, target, targetPath, files, directories)
  let moved = 0
  try {
    for (const path of files) {
      const [parentPath, name] = splitPath(path)
      disk.renameSync(join(source, path), join(target.make(parentPath), name))
      moved += 1
    }
    for (const path of directories) target.make(path)
    target.sync(files, directories)
  } catch (error) {
    throw partlyMoved(error, targetPath, files, moved)
  }
}

/** The failure of a step after which only the first `moved` files are in the target. */
function partlyMoved(error: unknown, target: string, files: readonly string[], moved: number): unknown {
  const failure = extractFailure(error, target)
  const next = files[moved]
  if (!isFailure(failure) || next === undefined) return failure
  const rest = files.length - moved
  const others = rest === 1 ? 'was' : `and ${plural(rest - 1, 'file')} after it were`
  return failure.with({
    message: `${failure.message}; ${moved} of ${plural(files.length, 'file')} extracted: "${escapeUnsafe(next)}" ${others} not`,
    hint: `${failure.hint}; the same command extracts all of them again`,
    entry: escapeUnsafe(next),
  })
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
  const find = (path: string): string | undefined => {
    try {
      return target.find(path)
    } catch (error) {
      if (systemCode(error) !== 'ENOTDIR') throw error
      throw inTheWay(path, 'a file or a link is in the way of a directory')
    }
  }
  for (const path of files) {
    const [parentPath, name] = splitPath(path)
    const parent = find(parentPath)
    const facts =
      parent === undefined ? undefined : disk.lstatSync(join(parent, name), { throwIfNoEntry: false })
    if (facts?.isDirectory() === true) throw inTheWay(path, 'a directory is in the way of a file')
  }
  for (const path of directories) find(path)
}
