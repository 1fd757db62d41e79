import { constants } from 'node:fs'
import { systemCode } from '../base/failure.ts'
import type { SyncDisk } from '../base/world.ts'
import { type HeldDirectory, holdDirectory, syncHeld } from '../fs/held-directory.ts'

/** How many directories of one tree are held open at once. */
const MOST_HELD = 24

/** Directories below a held one, by relative path (`''` for the root, others end with `/`); links are not followed. */
export class DirectoryTree implements Disposable {
  readonly #disk: SyncDisk
  readonly #root: HeldDirectory
  readonly #onMade: (path: string, at: string) => void
  readonly #held = new Map<string, HeldDirectory>()

  /** The tree below `root`. `onMade` is called for each new directory, parents first. */
  constructor(disk: SyncDisk, root: HeldDirectory, onMade: (path: string, at: string) => void = () => {}) {
    this.#disk = disk
    this.#root = root
    this.#onMade = onMade
  }

  /** The directory at `path`, created with its parents when missing. */
  make(path: string): HeldDirectory {
    const there = this.find(path)
    if (there !== undefined) return there
    const [parentPath, name] = splitPath(path)
    const at = this.make(parentPath).pathOf(name)
    try {
      this.#disk.mkdirSync(at)
      this.#onMade(path, at)
    } catch (error) {
      // Another thread may have made it.
      if (systemCode(error) !== 'EEXIST') throw error
    }
    return this.#hold(path, at)
  }

  /** The directory at `path` if it exists. Throws ENOTDIR or ELOOP when it is a file or a link. */
  find(path: string): HeldDirectory | undefined {
    if (path === '') return this.#root
    const known = this.#held.get(path)
    if (known !== undefined) return known
    const [parentPath, name] = splitPath(path)
    const parent = this.find(parentPath)
    try {
      return parent && this.#hold(path, parent.pathOf(name))
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /** Syncs the directory of every file, these directories, and all above them up to the root. */
  sync(files: readonly string[], directories: readonly string[]): void {
    const all = new Set([''])
    for (const path of [...files.map((file) => splitPath(file)[0]), ...directories]) {
      for (let at = path; !all.has(at); at = splitPath(at)[0]) all.add(at)
    }
    for (const path of all) {
      const held = this.find(path)
      if (held !== undefined) syncHeld(this.#disk, held)
    }
  }

  [Symbol.dispose](): void {
    for (const directory of this.#held.values()) directory[Symbol.dispose]()
    this.#held.clear()
  }

  #hold(path: string, at: string): HeldDirectory {
    const directory = holdDirectory(this.#disk, at)
    if (this.#held.size >= MOST_HELD) {
      const [oldest, other] = this.#held.entries().next().value!
      this.#held.delete(oldest)
      other[Symbol.dispose]()
    }
    this.#held.set(path, directory)
    return directory
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
export function stagingTree(
  disk: SyncDisk,
  root: HeldDirectory,
  { restoreOwner }: WriteOptions,
): DirectoryTree {
  return new DirectoryTree(disk, root, (_, at) => {
    if (restoreOwner) disk.chmodSync(at, 0o700)
  })
}

/** Creates a file in a staging directory. One that exists, or a link, is an error. */
export function createFile(
  disk: SyncDisk,
  tree: DirectoryTree,
  { path, modifiedMs }: NewFile,
  { restoreOwner, sync }: WriteOptions,
) {
  const [parent, name] = splitPath(path)
  const fd = disk.openSync(tree.make(parent).pathOf(name), NEW_FILE_FLAGS, 0o666)
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
        if (restoreOwner) disk.fchmodSync(fd, 0o600)
        if (modifiedMs !== undefined) disk.futimesSync(fd, modifiedMs / 1000, modifiedMs / 1000)
        if (sync) disk.fsyncSync(fd)
      } finally {
        disk.closeSync(fd)
      }
    },
  }
}
