import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { SyncDisk } from '../base/world.ts'
import type { HeldFolder } from '../fs/held-folder.ts'
import { createFolderTree, type FolderTree, splitPath, syncFolders } from './folder-tree.ts'

interface Folders {
  /** The private directory; replaced files are kept in it until everything is done. */
  readonly own: HeldFolder
  readonly source: HeldFolder
  readonly target: HeldFolder
  readonly targetPath: string
}

/** The name of the directory for replaced files in the private one. */
export const REPLACED = 'old'

/**
 * Moves files from one directory into another and creates directories there; each rename replaces a file or link of the same name.
 * Obstacles are found before anything is moved; when a step fails, the earlier steps are undone.
 */
export function mergeIntoFolder(
  disk: SyncDisk,
  held: Folders,
  files: readonly string[],
  folders: readonly string[],
): void {
  const undo: (() => void)[] = []
  // The directory may be closed when the step is undone.
  const inTarget = (path: string, step: (at: string) => void): void => {
    const [parentPath, name] = splitPath(path)
    const parent = target.find(parentPath)
    if (parent !== undefined) step(parent.pathOf(name))
  }
  const target = createFolderTree(disk, held.target, (path) => {
    undo.push(() => inTarget(path, (at) => disk.rmdirSync(at)))
  })
  const source = createFolderTree(disk, held.source, () => undefined)
  try {
    checkObstacles(disk, target, held.targetPath, files, folders)
    disk.mkdirSync(held.own.pathOf(REPLACED))
    for (const [index, path] of files.entries()) {
      const [parentPath, name] = splitPath(path)
      const from = source.find(parentPath)
      const to = target.make(parentPath).pathOf(name)
      if (from === undefined) throw new Error(`staged directory disappeared: ${parentPath}`)
      const backup = held.own.pathOf(`${REPLACED}/${index}`)
      const isKept = keepOld(disk, to, backup)
      if (isKept) undo.push(() => inTarget(path, (at) => disk.renameSync(backup, at)))
      disk.renameSync(from.pathOf(name), to)
      if (!isKept) undo.push(() => inTarget(path, (at) => disk.unlinkSync(at)))
    }
    for (const path of folders) target.make(path)
    syncFolders(disk, target, files, folders)
  } catch (error) {
    for (const step of undo.reverse()) {
      try {
        step()
      } catch {}
    }
    throw error
  } finally {
    target.close()
    source.close()
  }
}

/** Refuses when a link or a file is where a directory must be, or a directory where a file must be. */
function checkObstacles(
  disk: SyncDisk,
  target: FolderTree,
  targetPath: string,
  files: readonly string[],
  folders: readonly string[],
): void {
  for (const path of files) {
    const [parentPath, name] = splitPath(path)
    const parent = findFolder(target, targetPath, parentPath)
    const facts = parent && disk.lstatSync(parent.pathOf(name), { throwIfNoEntry: false })
    if (facts?.isDirectory() === true) throw inTheWay(targetPath, path, 'a directory is in the way of a file')
  }
  for (const path of folders) findFolder(target, targetPath, path)
}

function findFolder(target: FolderTree, targetPath: string, path: string): HeldFolder | undefined {
  try {
    return target.find(path)
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error
    throw inTheWay(targetPath, path, 'a file or a link is in the way of a directory')
  }
}

function inTheWay(targetPath: string, path: string, what: string): Failure {
  return new Failure('io', `${escapeUnsafe(targetPath)}/${escapeUnsafe(path)}: ${what}`, {
    hint: 'remove it or choose another directory; nothing was changed',
    file: `${targetPath}/${path}`,
  })
}

/** Keeps the file at `path`, if there is one, at `backup`. */
function keepOld(disk: SyncDisk, path: string, backup: string): boolean {
  try {
    disk.linkSync(path, backup)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
  }
  // A file system without hard links (FAT, some network file systems).
  try {
    disk.renameSync(path, backup)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
