import { constants } from 'node:fs'
import type { SyncDisk } from '../base/world.ts'
import type { HeldFolder } from '../fs/held-folder.ts'
import { createFolderTree, splitPath } from './folder-tree.ts'

/** A file to write: its path relative to the directory, and its modification time, if it is restored. */
export interface NewFile {
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
