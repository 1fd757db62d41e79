import { type BigIntStats, constants } from 'node:fs'
import { dirname } from 'node:path'
import { Failure, isFailure, systemCode } from '../base/failure.ts'
import type { SyncDisk } from '../base/world.ts'
import { ignoreUnsupported } from './disk-failure.ts'

/** Which file or directory something is: device and number, exactly. On Windows the device is always 0. */
export interface FileNumber {
  readonly dev: bigint
  readonly ino: bigint
}

/** What an open directory is. */
export interface OpenFolder extends FileNumber {
  readonly fd: number
  /** Its owner; 0 on Windows. */
  readonly uid: number
  readonly mode: number
  /** Its path: through the descriptor where the system has `/proc`, by name elsewhere. */
  readonly path: string
  /** True when `path` is by name, so that it can lead elsewhere after a rename. */
  readonly isByName: boolean
}

/** An open directory: files are created and removed in it even when its path then leads elsewhere. */
export interface HeldFolder extends OpenFolder {
  readonly pathOf: (name: string) => string
  readonly close: () => void
}

// Only a directory, and no link to one.
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Opens the directory at `path`; ELOOP or ENOTDIR when it is a link (on Windows also a junction) or no directory. */
export function holdFolder(disk: SyncDisk, path: string): HeldFolder {
  const fd = disk.openSync(path, FOLDER_FLAGS)
  try {
    const facts = disk.fstatSync(fd, { bigint: true })
    if (disk.isWindows === true) requireFolder(disk, path, facts)
    const { dev, ino } = facts
    const isByName = disk.isWindows === true || !isSameFolder(statOrNothing(disk, descriptorPath(fd)), facts)
    const base = isByName ? path : descriptorPath(fd)
    const owner = { uid: Number(facts.uid), mode: Number(facts.mode) }
    return {
      ...sharedFolder({ fd, dev, ino, ...owner, path: base, isByName }),
      close: () => closeQuietly(disk, fd),
    }
  } catch (error) {
    closeQuietly(disk, fd)
    throw error
  }
}

/** A directory that another thread of this process holds open. */
export function sharedFolder(folder: OpenFolder): HeldFolder {
  return { ...folder, pathOf: (name) => `${folder.path}/${name}`, close: () => undefined }
}

/** True when both are the same directory. */
export function isSameFolder(one: FileNumber | undefined, other: FileNumber): boolean {
  return one?.ino === other.ino && one.dev === other.dev
}

/** A path that leads to the descriptor's directory, even after a rename. */
function descriptorPath(fd: number): string {
  return `/proc/self/fd/${fd}`
}

function statOrNothing(disk: SyncDisk, path: string): FileNumber | undefined {
  try {
    return disk.statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

// Windows has neither O_DIRECTORY nor O_NOFOLLOW: it opens files, and follows links and junctions.
function requireFolder(disk: SyncDisk, path: string, opened: BigIntStats): void {
  const named = disk.lstatSync(path, { bigint: true })
  const code = named.isSymbolicLink() ? 'ELOOP' : opened.isDirectory() ? undefined : 'ENOTDIR'
  if (code !== undefined) throw Object.assign(new Error(`${code}: ${path}`), { code })
  if (!isSameFolder(named, opened)) throw Object.assign(new Error(`ELOOP: ${path}`), { code: 'ELOOP' })
}

/** Syncs the entries of a directory, where the system can. */
export function syncHeld(disk: SyncDisk, folder: OpenFolder): void {
  if (disk.isWindows === true) return
  try {
    disk.fsyncSync(folder.fd)
  } catch (error) {
    ignoreUnsupported(error)
  }
}

function closeQuietly(disk: SyncDisk, fd: number): void {
  try {
    disk.closeSync(fd)
  } catch {}
}

/**
 * Creates an empty directory in `parent` that only this user can enter (0700), and holds it. Throws `io` when another user put
 * another directory in its place before it could be opened.
 */
export function makePrivateFolder(disk: SyncDisk, parent: HeldFolder, name: string): HeldFolder {
  const path = parent.pathOf(name)
  disk.mkdirSync(path, 0o700)
  let folder: HeldFolder | undefined
  try {
    folder = holdNew(disk, parent, path)
    if (!isOwn(disk, folder) || disk.readdirSync(folder.path).length > 0) throw swapped(name)
    if ((folder.mode & 0o777) !== 0o700) disk.fchmodSync(folder.fd, 0o700)
    return { ...folder, mode: disk.fstatSync(folder.fd).mode }
  } catch (error) {
    folder?.close()
    try {
      if (!isFailure(error)) disk.rmdirSync(path)
    } catch {}
    throw error
  }
}

/**
 * Removes a private directory, open as `folder`, with everything in it. Nothing is removed through a path that another user could
 * lead elsewhere: false when something was left for that reason, or belongs to another user.
 */
export function removePrivateFolder(
  disk: SyncDisk,
  parent: HeldFolder,
  name: string,
  folder: HeldFolder,
): boolean {
  if (folder.isByName && !(parent.isByName ? isTrustedPath(disk, parent.path) : isTrustedFolder(parent)))
    return false
  if (!emptyFolder(disk, folder)) return false
  const there = disk.lstatSync(parent.pathOf(name), { bigint: true, throwIfNoEntry: false })
  if (!isSameFolder(there, folder)) return there === undefined
  disk.rmdirSync(parent.pathOf(name))
  return true
}

/**
 * Removes a directory that a killed run made as `like`, when it still looks like one: same owner and permissions, and at its top only
 * names that `isKnown`, or names of an interrupted removal. True when it is gone.
 */
export function removeLeftFolder(
  disk: SyncDisk,
  parent: HeldFolder,
  name: string,
  like: HeldFolder,
  isKnown: (name: string) => boolean,
): boolean {
  const folder = holdFolder(disk, parent.pathOf(name))
  try {
    if (folder.uid !== like.uid || folder.dev !== like.dev || folder.mode !== like.mode) return false
    if (!disk.readdirSync(folder.path).every((one) => isKnown(one) || MOVED.test(one))) return false
    return removePrivateFolder(disk, parent, name, folder)
  } finally {
    folder.close()
  }
}

function holdNew(disk: SyncDisk, parent: HeldFolder, path: string): HeldFolder {
  try {
    return holdFolder(disk, path)
  } catch (error) {
    // The umask can take even the owner's permissions from a new directory. They are given back by name, where nobody else can change it.
    const facts = disk.lstatSync(path, { throwIfNoEntry: false })
    const isLocked = systemCode(error) === 'EACCES' && facts?.isDirectory() === true
    if (!isLocked || facts.uid !== ownUid() || !isTrustedFolder(parent)) throw error
    disk.chmodSync(path, 0o700)
    return holdFolder(disk, path)
  }
}

// Some file systems (FAT, network shares) give every file one owner: then a file made here has the owner of the directory.
function isOwn(disk: SyncDisk, folder: HeldFolder): boolean {
  const uid = ownUid()
  if (uid === undefined || folder.uid === uid) return true
  const probe = folder.pathOf('.probe')
  const fd = disk.openSync(probe, 'wx', 0o600)
  try {
    return disk.fstatSync(fd).uid === folder.uid
  } finally {
    disk.closeSync(fd)
    disk.unlinkSync(probe)
  }
}

function ownUid(): number | undefined {
  return process.geteuid?.()
}

/** Subdirectories are moved to the top before they are emptied, so that any depth needs only two descriptors. */
const MOVED = /^rest-\d+$/

function emptyFolder(disk: SyncDisk, folder: HeldFolder): boolean {
  const left = new Set<string>()
  let moved = 0
  const moveUp = (path: string): void => {
    for (;;) {
      moved += 1
      try {
        disk.renameSync(path, folder.pathOf(`rest-${moved}`))
        return
      } catch (error) {
        const code = systemCode(error)
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
      }
    }
  }
  for (;;) {
    const names = disk.readdirSync(folder.path).filter((name) => !left.has(name))
    if (names.length === 0) return left.size === 0
    for (const name of names) if (!removeEntry(disk, folder, name, moveUp)) left.add(name)
  }
}

/** Removes a file, or a subdirectory once its files are removed and its own subdirectories moved up. False when it must be left. */
function removeEntry(
  disk: SyncDisk,
  folder: HeldFolder,
  name: string,
  moveUp: (path: string) => void,
): boolean {
  if (unlinkFile(disk, folder.pathOf(name))) return true
  const inner = holdIfFolder(disk, folder.pathOf(name))
  if (inner === undefined) return false
  try {
    if (inner.uid !== folder.uid || inner.dev !== folder.dev) return false
    for (const one of disk.readdirSync(inner.path)) {
      if (!unlinkFile(disk, inner.pathOf(one))) moveUp(inner.pathOf(one))
    }
  } finally {
    inner.close()
  }
  disk.rmdirSync(folder.pathOf(name))
  return true
}

function holdIfFolder(disk: SyncDisk, path: string): HeldFolder | undefined {
  try {
    return holdFolder(disk, path)
  } catch (error) {
    if (['ENOTDIR', 'ELOOP', 'ENOENT'].includes(systemCode(error) ?? '')) return undefined
    throw error
  }
}

/** Removes a file or a link; false for a directory. */
function unlinkFile(disk: SyncDisk, path: string): boolean {
  try {
    disk.unlinkSync(path)
    return true
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return true
    if (code === 'EISDIR' || code === 'EPERM') return false
    throw error
  }
}

function swapped(name: string): Failure {
  return new Failure('io', `the new directory ${name} was replaced by another program`, {
    hint: 'choose a directory that other users cannot change',
  })
}

/**
 * True when no other user (root aside) can rename what this user has in a directory: it belongs to this user or root, and only its
 * owner can write to it, or it is sticky. Always on Windows, which has no such bits.
 */
function isTrustedFolder({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  const own = ownUid()
  if (own === undefined) return true
  return (uid === own || uid === 0) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0)
}

/** True when this holds for the directory at `path` (absolute, without links) and all above it. */
function isTrustedPath(disk: SyncDisk, path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    const facts = disk.lstatSync(folder)
    if (!facts.isDirectory() || !isTrustedFolder(facts)) return false
    if (folder === dirname(folder)) return true
  }
}
