import { constants } from 'node:fs'
import type { SyncDisk } from '../base/world.ts'
import { ignoreUnsupported } from './unsupported.ts'

/** What an open directory is. */
export interface OpenFolder {
  readonly fd: number
  readonly dev: number
  readonly ino: number
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

/** Opens the directory at `path`, which must not be a link. */
export function holdFolder(disk: SyncDisk, path: string): HeldFolder {
  const fd = disk.openSync(path, FOLDER_FLAGS)
  try {
    const { dev, ino, uid, mode } = disk.fstatSync(fd)
    const isByName = !leadsTo(disk, descriptorPath(fd), dev, ino)
    const base = isByName ? path : descriptorPath(fd)
    return {
      ...sharedFolder({ fd, dev, ino, uid, mode, path: base, isByName }),
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
export function isSameFolder(
  one: { readonly dev: number; readonly ino: number } | undefined,
  other: { readonly dev: number; readonly ino: number },
): boolean {
  return one?.ino === other.ino && one.dev === other.dev
}

/** A path that leads to the descriptor's directory, even after a rename. */
function descriptorPath(fd: number): string {
  return `/proc/self/fd/${fd}`
}

function leadsTo(disk: SyncDisk, path: string, dev: number, ino: number): boolean {
  try {
    const seen = disk.statSync(path)
    return seen.ino === ino && seen.dev === dev
  } catch {
    return false
  }
}

/** Syncs the entries of a directory, where the system can. */
export function syncHeld(disk: SyncDisk, folder: OpenFolder): void {
  if (process.platform === 'win32') return
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
