import { constants } from 'node:fs'
import { systemCode } from '../base/failure.ts'
import type { SyncDisk } from '../base/world.ts'
import { type HeldFolder, holdFolder, syncHeld } from '../fs/held-directory.ts'

/** Directories below a held one, by relative path (`''` for the root, others end with `/`); links are not followed. */
export interface FolderTree {
  /** The directory at `path`, created with its parents when missing. */
  readonly make: (path: string) => HeldFolder
  /** The directory at `path` if it exists. Throws ENOTDIR or ELOOP when it is a file or a link. */
  readonly find: (path: string) => HeldFolder | undefined
  readonly close: () => void
}

/** How many directories of one tree are held open at once. */
const MAX_HELD_FOLDERS = 24

/** The tree below `root`. `onMade` is called for each new directory, parents first. */
export function createFolderTree(
  disk: SyncDisk,
  root: HeldFolder,
  onMade: (path: string, at: string) => void,
): FolderTree {
  const held = new Map<string, HeldFolder>()
  const find = (path: string): HeldFolder | undefined => {
    if (path === '') return root
    const known = held.get(path)
    if (known !== undefined) return known
    const [parentPath, name] = splitPath(path)
    const parent = find(parentPath)
    if (parent === undefined) return undefined
    try {
      return hold(path, parent.pathOf(name))
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    }
  }
  const make = (path: string): HeldFolder => {
    const there = find(path)
    if (there !== undefined) return there
    const [parentPath, name] = splitPath(path)
    const inParent = make(parentPath).pathOf(name)
    if (makeFolder(disk, inParent)) onMade(path, inParent)
    return hold(path, inParent)
  }
  const hold = (path: string, at: string): HeldFolder => {
    const folder = holdFolder(disk, at)
    if (held.size >= MAX_HELD_FOLDERS) {
      const [oldest, other] = held.entries().next().value!
      held.delete(oldest)
      other.close()
    }
    held.set(path, folder)
    return folder
  }
  const close = (): void => {
    for (const folder of held.values()) folder.close()
    held.clear()
  }
  return { make, find, close }
}

/** Syncs the directory of every file, these directories, and all above them up to the root of the tree. */
export function syncFolders(
  disk: SyncDisk,
  tree: FolderTree,
  files: readonly string[],
  folders: readonly string[],
): void {
  const all = new Set([''])
  const add = (folder: string): void => {
    for (let path = folder; !all.has(path); path = splitPath(path)[0]) all.add(path)
  }
  for (const file of files) add(splitPath(file)[0])
  for (const folder of folders) add(folder.endsWith('/') ? folder : `${folder}/`)
  for (const path of all) {
    const held = tree.find(path)
    if (held !== undefined) syncHeld(disk, held)
  }
}

function makeFolder(disk: SyncDisk, path: string): boolean {
  try {
    disk.mkdirSync(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/** `['a/b/', 'c']` for `a/b/c` and for `a/b/c/`. */
export function splitPath(path: string): readonly [string, string] {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const slash = path.lastIndexOf('/', end - 1)
  return [path.slice(0, slash + 1), path.slice(slash + 1, end)]
}

/** A file to write: its path relative to the directory, and its modification time, if it is restored. */
interface NewFile {
  readonly path: string
  readonly modifiedMs: number | undefined
}

export interface WriteOptions {
  /** The umask removes the owner's permissions: restore them (files `u+rw`, directories `u+rwx`). */
  readonly restoreOwner: boolean
  /** Sync each file before it is closed. */
  readonly sync: boolean
}

/** Writes files and directories below a staging directory; other threads may do so too. */
export interface FolderWriter {
  readonly open: (file: NewFile) => FileWriter
  readonly makeFolder: (path: string) => void
  readonly close: () => void
}

export interface FileWriter {
  readonly write: (chunk: Buffer) => void
  /** Closes it; with `isWhole` its time is set and it is synced. */
  readonly close: (isWhole: boolean) => void
}

/** A new file, never through a link. */
const NEW_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** A FolderWriter below `root`. Every file is new: an existing one, including a link, is an error. */
export function createFolderWriter(disk: SyncDisk, root: HeldFolder, options: WriteOptions): FolderWriter {
  const tree = createFolderTree(disk, root, (_path, at) => {
    if (options.restoreOwner) disk.chmodSync(at, 0o700)
  })
  return {
    open: ({ path, modifiedMs }) => {
      const [parent, name] = splitPath(path)
      const fd = disk.openSync(tree.make(parent).pathOf(name), NEW_FILE_FLAGS, 0o666)
      return {
        write: (chunk) => writeAll(disk, fd, chunk),
        close: (isWhole) => {
          try {
            if (isWhole) finish(disk, fd, modifiedMs, options)
          } finally {
            disk.closeSync(fd)
          }
        },
      }
    },
    makeFolder: (path) => {
      tree.make(path)
    },
    close: tree.close,
  }
}

function writeAll(disk: SyncDisk, fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    written += disk.writeSync(fd, bytes, written, bytes.length - written)
  }
}

function finish(
  disk: SyncDisk,
  fd: number,
  modifiedMs: number | undefined,
  { restoreOwner, sync }: WriteOptions,
): void {
  if (restoreOwner) disk.fchmodSync(fd, 0o600)
  if (modifiedMs !== undefined) disk.futimesSync(fd, modifiedMs / 1000, modifiedMs / 1000)
  if (sync) disk.fsyncSync(fd)
}
