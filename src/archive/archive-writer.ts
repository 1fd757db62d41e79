import type { FileHandle } from 'node:fs/promises'
import type { Disk } from '../base/world.ts'
import type { HeldFolder } from './archive-folders.ts'
import { createFolderTree, NEW_FILE_FLAGS, splitPath } from './archive-folders.ts'

/** A file to be written: its path relative to the folder, and the time it gets when that is sane. */
export interface NewFile {
  readonly path: string
  readonly modifiedMs: number | undefined
}

/** How files are made, the same for every writer of one staging folder. */
export interface WriteOptions {
  /** The umask takes the owner's own rights away: give them back (files `u+rw`, folders `u+rwx`). */
  readonly restoreOwner: boolean
  /** Sync each file before it is closed. */
  readonly sync: boolean
}

/** Writes files and folders below a staging folder through the injected disk, one call after the other. */
export interface FolderWriter {
  readonly writeWhole: (file: NewFile, bytes: Buffer) => Promise<void>
  readonly open: (file: NewFile) => Promise<{
    readonly write: (chunk: Buffer) => Promise<void>
    readonly close: (isWhole: boolean) => Promise<void>
  }>
  readonly makeFolder: (path: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** A FolderWriter below `root`. Every file is new: what stands in its place, a link included, is an error. */
export function createFolderWriter(disk: Disk, root: HeldFolder, options: WriteOptions): FolderWriter {
  const tree = createFolderTree(disk, root, async (_path, at) => {
    if (options.restoreOwner) await disk.chmod(at, 0o700)
  })
  const open: FolderWriter['open'] = async (file) => {
    const [parent, name] = splitPath(file.path)
    const folder = await tree.make(parent)
    const handle = await disk.open(folder.pathOf(name), NEW_FILE_FLAGS, 0o666)
    return {
      write: (chunk) => writeAll(handle, chunk),
      close: async (isWhole) => {
        try {
          if (isWhole) await finish(handle, file.modifiedMs, options)
        } finally {
          await handle.close()
        }
      },
    }
  }
  return {
    open,
    writeWhole: async (file, bytes) => {
      const writer = await open(file)
      let isWhole = false
      try {
        await writer.write(bytes)
        isWhole = true
      } finally {
        await writer.close(isWhole)
      }
    },
    makeFolder: async (path) => {
      await tree.make(path)
    },
    close: tree.close,
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written)
    written += bytesWritten
  }
}

async function finish(
  handle: FileHandle,
  modifiedMs: number | undefined,
  { restoreOwner, sync }: WriteOptions,
): Promise<void> {
  if (restoreOwner) await handle.chmod(0o600)
  if (modifiedMs !== undefined) await handle.utimes(modifiedMs / 1000, modifiedMs / 1000)
  if (sync) await handle.sync()
}
