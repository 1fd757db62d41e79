import { constants } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../base/failure.ts'
import type { SyncDisk } from '../base/world.ts'
import { isUnsupported } from '../fs/disk-failure.ts'

/** The directories below a root, by relative path (`''` for the root, others end with `/`); links are not followed. */
export class DirectoryTree {
  readonly root: string
  readonly #disk: SyncDisk
  readonly #onMade: (path: string, at: string) => void
  readonly #onFound: (at: string, mode: number) => void
  readonly #known = new Set<string>([''])

  /** `onMade` is called for each new directory, parents first; `onFound` for each that was there. */
  constructor(
    disk: SyncDisk,
    root: string,
    onMade: (path: string, at: string) => void = () => {},
    onFound: (at: string, mode: number) => void = () => {},
  ) {
    this.root = root
    this.#disk = disk
    this.#onMade = onMade
    this.#onFound = onFound
  }

  /** Where a directory or a file of the tree is; without a slash at the end, which would follow a link. */
  at(path: string): string {
    const [parent, name] = splitPath(path)
    return join(this.root, parent, name)
  }

  /** Creates the directory at `path` with its parents, where they are missing; returns where it is. */
  make(path: string): string {
    const there = this.find(path)
    if (there !== undefined) return there
    this.make(splitPath(path)[0])
    const at = this.at(path)
    try {
      this.#disk.mkdirSync(at)
      this.#onMade(path, at)
    } catch (error) {
      // Another thread may have made it.
      if (systemCode(error) !== 'EEXIST') throw error
    }
    this.#known.add(path)
    return at
  }

  /** Where the directory at `path` is, if it exists. Throws ENOTDIR when it, or one above it, is a file or a link. */
  find(path: string): string | undefined {
    const at = this.at(path)
    if (this.#known.has(path)) return at
    if (this.find(splitPath(path)[0]) === undefined) return undefined
    const facts = this.#disk.lstatSync(at, { throwIfNoEntry: false })
    if (facts === undefined) return undefined
    if (!facts.isDirectory()) throw Object.assign(new Error(`ENOTDIR: ${at}`), { code: 'ENOTDIR' })
    this.#onFound(at, facts.mode)
    this.#known.add(path)
    return at
  }

  /** Syncs the directory of every file, these directories, and all above them up to the root. */
  sync(files: readonly string[], directories: readonly string[]): void {
    const all = new Set([''])
    for (const path of [...files.map((file) => splitPath(file)[0]), ...directories]) {
      for (let at = path; !all.has(at); at = splitPath(at)[0]) all.add(at)
    }
    for (const path of all) if (this.find(path) !== undefined) syncDirectorySync(this.#disk, this.at(path))
  }
}

/** Syncs the entries of a directory, where the system can. */
export function syncDirectorySync(disk: SyncDisk, path: string): void {
  if (disk.isWindows === true) return
  const fd = disk.openSync(path, 'r')
  try {
    disk.fsyncSync(fd)
  } catch (error) {
    if (!isUnsupported(error)) throw error
  } finally {
    disk.closeSync(fd)
  }
}

/** `['a/b/', 'c']` for `a/b/c` and for `a/b/c/`. */
export function splitPath(path: string): readonly [string, string] {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  const slash = path.lastIndexOf('/', end - 1)
  return [path.slice(0, slash + 1), path.slice(slash + 1, end)]
}

export interface WriteOptions {
  /** The umask removes the owner's permissions: restore them (files `u+rw`, directories `u+rwx`). */
  readonly restoreOwner: boolean
  /** Sync each file before it is closed. */
  readonly sync: boolean
}

/** A file to write: its path relative to the directory, and its modification time, if it is restored. */
export interface NewFile {
  readonly path: string
  readonly modifiedMs: number | undefined
}

/** A file that is being written. */
export type FileWriter = ReturnType<typeof createFile>

/** A new file, never through a link. */
const NEW_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** The tree of a staging directory, in which other threads may write too. */
export function stagingTree(disk: SyncDisk, root: string, { restoreOwner }: WriteOptions): DirectoryTree {
  return new DirectoryTree(disk, root, (_, at) => {
    if (restoreOwner) disk.chmodSync(at, 0o700)
  })
}

/** Creates a file in a staging directory. One that exists, or a link, is an error. `onWithoutTimes`: the file system keeps no times. */
export function createFile(
  disk: SyncDisk,
  tree: DirectoryTree,
  { path, modifiedMs }: NewFile,
  { restoreOwner, sync }: WriteOptions,
  onWithoutTimes: () => void,
) {
  const [parent, name] = splitPath(path)
  const fd = disk.openSync(join(tree.make(parent), name), NEW_FILE_FLAGS, 0o666)
  const ifSupported = (call: () => void, otherwise?: () => void): void => {
    try {
      call()
    } catch (error) {
      if (!isUnsupported(error)) throw error
      otherwise?.()
    }
  }
  return {
    write(bytes: Buffer): void {
      for (let written = 0; written < bytes.length; ) {
        written += disk.writeSync(fd, bytes, written, bytes.length - written)
      }
    },
    /** Closes it; with `isWhole` its time is set and it is synced. */
    close(isWhole: boolean): void {
      try {
        if (!isWhole) return
        if (restoreOwner) ifSupported(() => disk.fchmodSync(fd, 0o600))
        if (modifiedMs !== undefined) {
          ifSupported(() => disk.futimesSync(fd, modifiedMs / 1000, modifiedMs / 1000), onWithoutTimes)
        }
        if (sync) ifSupported(() => disk.fsyncSync(fd))
      } finally {
        disk.closeSync(fd)
      }
    },
  }
}
