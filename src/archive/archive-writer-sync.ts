import { closeSync, fchmodSync, fsyncSync, futimesSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { systemCode } from '../base/failure.ts'
import {
  descriptorPath,
  FOLDER_FLAGS,
  MAX_HELD_FOLDERS,
  NEW_FILE_FLAGS,
  splitPath,
} from './archive-folders.ts'
import type { NewFile, WriteOptions } from './archive-writer.ts'

/** The staging folder as a worker thread gets it: a descriptor of this process, or a path where `/proc` is not there. */
export interface SharedFolder {
  readonly fd: number
  /** Undefined when paths through the descriptor work. */
  readonly path: string | undefined
}

/** Like FolderWriter, at once: for worker threads, where nothing else waits. */
export interface SyncFolderWriter {
  readonly writeWhole: (file: NewFile, bytes: Buffer) => void
  readonly open: (file: NewFile) => {
    readonly write: (chunk: Buffer) => undefined
    readonly close: (isWhole: boolean) => void
  }
  readonly close: () => void
}

interface Held {
  readonly fd: number
  readonly base: string
}

/** A SyncFolderWriter below `root`; other threads may write below the same folder. */
export function createSyncFolderWriter(root: SharedFolder, options: WriteOptions): SyncFolderWriter {
  const held = new Map<string, Held>()
  const rootFolder: Held = { fd: root.fd, base: root.path ?? descriptorPath(root.fd) }
  const folderAt = (path: string): Held => {
    if (path === '') return rootFolder
    const known = held.get(path)
    if (known !== undefined) return known
    const [parentPath, name] = splitPath(path)
    const at = `${folderAt(parentPath).base}/${name}`
    const isMade = makeFolder(at)
    const fd = openSync(at, FOLDER_FLAGS)
    if (isMade && options.restoreOwner) fchmodSync(fd, 0o700)
    if (held.size >= MAX_HELD_FOLDERS) {
      const [oldest, other] = held.entries().next().value!
      held.delete(oldest)
      closeSync(other.fd)
    }
    const folder = { fd, base: root.path === undefined ? descriptorPath(fd) : at }
    held.set(path, folder)
    return folder
  }
  const open = (file: NewFile): number => {
    const [parent, name] = splitPath(file.path)
    return openSync(`${folderAt(parent).base}/${name}`, NEW_FILE_FLAGS, 0o666)
  }
  return {
    writeWhole: (file, bytes) => {
      const fd = open(file)
      try {
        writeAll(fd, bytes)
        finish(fd, file.modifiedMs, options)
      } finally {
        closeSync(fd)
      }
    },
    open: (file) => {
      const fd = open(file)
      return {
        write: (chunk) => writeAll(fd, chunk),
        close: (isWhole) => {
          try {
            if (isWhole) finish(fd, file.modifiedMs, options)
          } finally {
            closeSync(fd)
          }
        },
      }
    },
    close: () => {
      for (const { fd } of held.values()) closeSync(fd)
      held.clear()
    },
  }
}

function makeFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

function writeAll(fd: number, bytes: Buffer): undefined {
  let written = 0
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written)
}

function finish(fd: number, modifiedMs: number | undefined, { restoreOwner, sync }: WriteOptions): void {
  if (restoreOwner) fchmodSync(fd, 0o600)
  if (modifiedMs !== undefined) futimesSync(fd, modifiedMs / 1000, modifiedMs / 1000)
  if (sync) fsyncSync(fd)
}
