import { type BigIntStats, constants } from 'node:fs'
import type { SyncDisk } from '../base/world.ts'
import { ignoreUnsupported } from './unsupported.ts'

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
