import { type BigIntStats, constants } from 'node:fs'
import { dirname } from 'node:path'
import { Failure, isFailure, systemCode } from '../base/failure.ts'
import type { SyncDisk } from '../base/world.ts'
import { ignoreUnsupported } from './disk-failure.ts'
import { type FileNumber, isSameNumber } from './platform-disk.ts'

/** What an open directory is, for other threads of this process too. */
export interface OpenDirectory extends FileNumber {
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
export interface HeldDirectory extends OpenDirectory, Disposable {
  readonly pathOf: (name: string) => string
}

// They open a directory only, and no link to one.
const DIRECTORY_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Opens the directory at `path`; ELOOP or ENOTDIR when it is a link (on Windows also a junction) or no directory. */
export function holdDirectory(disk: SyncDisk, path: string): HeldDirectory {
  const fd = disk.openSync(path, DIRECTORY_FLAGS)
  const close = (): void => {
    try {
      disk.closeSync(fd)
    } catch {}
  }
  try {
    const facts = disk.fstatSync(fd, { bigint: true })
    if (disk.isWindows === true) requireDirectory(disk, path, facts)
    // This path leads to the directory even after a rename.
    const byDescriptor = `/proc/self/fd/${fd}`
    const isByName = disk.isWindows === true || !isSameDirectory(statOrNothing(disk, byDescriptor), facts)
    const { dev, ino } = facts
    const owner = { uid: Number(facts.uid), mode: Number(facts.mode) }
    const open = { fd, dev, ino, ...owner, path: isByName ? path : byDescriptor, isByName }
    return { ...sharedDirectory(open), [Symbol.dispose]: close }
  } catch (error) {
    close()
    throw error
  }
}

/** A directory that another thread of this process holds open. */
export function sharedDirectory(open: OpenDirectory): HeldDirectory {
  return { ...open, pathOf: (name) => `${open.path}/${name}`, [Symbol.dispose]: () => undefined }
}

/** True when both are the same directory. */
export function isSameDirectory(one: FileNumber | undefined, other: FileNumber): boolean {
  return isSameNumber(one, other)
}

function statOrNothing(disk: SyncDisk, path: string): FileNumber | undefined {
  try {
    return disk.statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

// Windows has neither O_DIRECTORY nor O_NOFOLLOW: it opens files, and follows links and junctions.
function requireDirectory(disk: SyncDisk, path: string, opened: BigIntStats): void {
  const named = disk.lstatSync(path, { bigint: true })
  const isOther = named.isSymbolicLink() || (opened.isDirectory() && !isSameDirectory(named, opened))
  const code = isOther ? 'ELOOP' : opened.isDirectory() ? undefined : 'ENOTDIR'
  if (code !== undefined) throw Object.assign(new Error(`${code}: ${path}`), { code })
}

/** Syncs the entries of a directory, where the system can. */
export function syncHeld(disk: SyncDisk, directory: OpenDirectory): void {
  if (disk.isWindows === true) return
  try {
    disk.fsyncSync(directory.fd)
  } catch (error) {
    ignoreUnsupported(error)
  }
}

/**
 * Creates an empty directory in `parent` that only this user can enter (0700), and holds it. Throws `io` when another user put
 * another directory in its place before it could be opened.
 */
export function makePrivateDirectory(disk: SyncDisk, parent: HeldDirectory, name: string): HeldDirectory {
  const path = parent.pathOf(name)
  disk.mkdirSync(path, 0o700)
  let directory: HeldDirectory | undefined
  try {
    directory = holdNew(disk, parent, path)
    if (!isOwn(disk, directory) || disk.readdirSync(directory.path).length > 0) throw swapped(name)
    if ((directory.mode & 0o777) !== 0o700) disk.fchmodSync(directory.fd, 0o700)
    return { ...directory, mode: disk.fstatSync(directory.fd).mode }
  } catch (error) {
    directory?.[Symbol.dispose]()
    try {
      if (!isFailure(error)) disk.rmdirSync(path)
    } catch {}
    throw error
  }
}

/**
 * Removes a private directory, open as `directory`, with everything in it. Nothing is removed through a path that another user could
 * lead elsewhere: false when something was left for that reason, or belongs to another user.
 */
export function removePrivateDirectory(
  disk: SyncDisk,
  parent: HeldDirectory,
  name: string,
  directory: HeldDirectory,
): boolean {
  if (
    directory.isByName &&
    !(parent.isByName ? isTrustedPath(disk, parent.path) : isTrustedDirectory(parent))
  )
    return false
  if (!emptyDirectory(disk, directory)) return false
  const there = disk.lstatSync(parent.pathOf(name), { bigint: true, throwIfNoEntry: false })
  if (!isSameDirectory(there, directory)) return there === undefined
  disk.rmdirSync(parent.pathOf(name))
  return true
}

/**
 * Removes a directory that a killed run made as `like`, when it still looks like one: same owner and permissions, and at its top only
 * names that `isKnown`, or names of an interrupted removal. True when it is gone.
 */
export function removeLeftDirectory(
  disk: SyncDisk,
  parent: HeldDirectory,
  name: string,
  like: HeldDirectory,
  isKnown: (name: string) => boolean,
): boolean {
  using directory = holdDirectory(disk, parent.pathOf(name))
  if (directory.uid !== like.uid || directory.dev !== like.dev || directory.mode !== like.mode) return false
  if (!disk.readdirSync(directory.path).every((one) => isKnown(one) || MOVED.test(one))) return false
  return removePrivateDirectory(disk, parent, name, directory)
}

function holdNew(disk: SyncDisk, parent: HeldDirectory, path: string): HeldDirectory {
  try {
    return holdDirectory(disk, path)
  } catch (error) {
    // The umask can take even the owner's permissions from a new directory. They are given back by name, where nobody else can change it.
    const facts = disk.lstatSync(path, { throwIfNoEntry: false })
    const isLocked = systemCode(error) === 'EACCES' && facts?.isDirectory() === true
    if (!isLocked || facts.uid !== ownUid() || !isTrustedDirectory(parent)) throw error
    disk.chmodSync(path, 0o700)
    return holdDirectory(disk, path)
  }
}

// Some file systems (FAT, network shares) give every file one owner: then a file made here has the owner of the directory.
function isOwn(disk: SyncDisk, directory: HeldDirectory): boolean {
  const uid = ownUid()
  if (uid === undefined || directory.uid === uid) return true
  const probe = directory.pathOf('.probe')
  const fd = disk.openSync(probe, 'wx', 0o600)
  try {
    return disk.fstatSync(fd).uid === directory.uid
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

function emptyDirectory(disk: SyncDisk, directory: HeldDirectory): boolean {
  const left = new Set<string>()
  let moved = 0
  const moveUp = (path: string): void => {
    for (;;) {
      moved += 1
      try {
        disk.renameSync(path, directory.pathOf(`rest-${moved}`))
        return
      } catch (error) {
        const code = systemCode(error)
        if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
      }
    }
  }
  for (;;) {
    const names = disk.readdirSync(directory.path).filter((name) => !left.has(name))
    if (names.length === 0) return left.size === 0
    for (const name of names) if (!removeEntry(disk, directory, name, moveUp)) left.add(name)
  }
}

/** Removes a file, or a subdirectory once its files are removed and its own subdirectories moved up. False when it must be left. */
function removeEntry(
  disk: SyncDisk,
  directory: HeldDirectory,
  name: string,
  moveUp: (path: string) => void,
): boolean {
  const path = directory.pathOf(name)
  if (unlinkFile(disk, path)) return true
  try {
    using inner = holdDirectory(disk, path)
    if (inner.uid !== directory.uid || inner.dev !== directory.dev) return false
    for (const one of disk.readdirSync(inner.path)) {
      if (!unlinkFile(disk, inner.pathOf(one))) moveUp(inner.pathOf(one))
    }
  } catch (error) {
    // It became something else in the meantime.
    if (['ENOTDIR', 'ELOOP', 'ENOENT'].includes(systemCode(error) ?? '')) return false
    throw error
  }
  disk.rmdirSync(path)
  return true
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
function isTrustedDirectory({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  const own = ownUid()
  if (own === undefined) return true
  return (uid === own || uid === 0) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0)
}

/** True when this holds for the directory at `path` (absolute, without links) and all above it. */
function isTrustedPath(disk: SyncDisk, path: string): boolean {
  for (let directory = path; ; directory = dirname(directory)) {
    const facts = disk.lstatSync(directory)
    if (!facts.isDirectory() || !isTrustedDirectory(facts)) return false
    if (directory === dirname(directory)) return true
  }
}
