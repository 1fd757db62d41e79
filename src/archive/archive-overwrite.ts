import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import type { FolderTree, HeldFolder } from './archive-folders.ts'
import { createFolderTree, splitPath } from './archive-folders.ts'

interface Places {
  /** The private folder; what is replaced is kept in it until all is done. */
  readonly own: HeldFolder
  readonly source: HeldFolder
  readonly target: HeldFolder
  readonly targetPath: string
}

/** The folder, in the private one, that keeps what is replaced until all is done. */
export const REPLACED = 'old'

type Undo = () => Promise<unknown>

/**
 * Moves files (and makes folders) from one held folder into another, file by file, each with one rename that replaces a
 * file or a link of the same name. What stands in the way is found before anything moves; when a step fails, the steps before it
 * are undone and the old files are back.
 */
export async function mergeIntoFolder(
  disk: Disk,
  places: Places,
  files: readonly string[],
  folders: readonly string[],
): Promise<void> {
  const undo: Undo[] = []
  const target = createFolderTree(disk, places.target, (path) => {
    undo.push(async () => {
      const [parentPath, name] = splitPath(path)
      const parent = await target.find(parentPath)
      if (parent !== undefined) await disk.rmdir(parent.pathOf(name))
    })
  })
  const source = createFolderTree(disk, places.source, () => undefined)
  try {
    await checkWay(disk, target, places.targetPath, files, folders)
    await disk.mkdir(places.own.pathOf(REPLACED))
    for (const [index, path] of files.entries()) {
      const [parentPath, name] = splitPath(path)
      const from = await source.find(parentPath)
      const to = await target.make(parentPath)
      if (from === undefined) throw new Error(`staged folder vanished: ${parentPath}`)
      await replace(
        disk,
        from.pathOf(name),
        to.pathOf(name),
        places.own.pathOf(`${REPLACED}/${index}`),
        async (step) => {
          const folder = await target.find(parentPath)
          if (folder !== undefined) await step(folder.pathOf(name))
        },
        undo,
      )
    }
    for (const path of folders) await target.make(path)
  } catch (error) {
    for (const step of undo.reverse()) await step().catch(() => undefined)
    throw error
  } finally {
    await target.close()
    await source.close()
  }
}

/** Refuses when a link or a file stands where a folder must be, or a folder where a file must be. */
async function checkWay(
  disk: Disk,
  target: FolderTree,
  targetPath: string,
  files: readonly string[],
  folders: readonly string[],
): Promise<void> {
  for (const path of files) {
    const [parentPath, name] = splitPath(path)
    const parent = await findFolder(target, targetPath, parentPath)
    if (parent === undefined) continue
    const facts = await disk.lstat(parent.pathOf(name)).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    })
    if (facts?.isDirectory() === true)
      throw inTheWay(targetPath, path, 'a folder stands where the file must go')
  }
  for (const path of folders) await findFolder(target, targetPath, path)
}

async function findFolder(
  target: FolderTree,
  targetPath: string,
  path: string,
): Promise<HeldFolder | undefined> {
  try {
    return await target.find(path)
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'ENOTDIR' && code !== 'ELOOP') throw error
    throw inTheWay(targetPath, path, 'a file or a link stands where a folder must be')
  }
}

function inTheWay(targetPath: string, path: string, what: string): Failure {
  return new Failure('io', `${escapeUnsafe(targetPath)}/${escapeUnsafe(path)}: ${what}`, {
    hint: 'remove it or choose another folder; nothing was changed',
    file: `${targetPath}/${path}`,
  })
}

/** One rename over whatever file is there, which is kept at `backup` first. `inTarget` finds the place again to undo it. */
async function replace(
  disk: Disk,
  from: string,
  to: string,
  backup: string,
  inTarget: (step: (path: string) => Promise<unknown>) => Promise<void>,
  undo: Undo[],
): Promise<void> {
  const isKept = await keepOld(disk, to, backup, inTarget, undo)
  await disk.rename(from, to)
  if (!isKept) undo.push(() => inTarget((path) => disk.unlink(path)))
}

async function keepOld(
  disk: Disk,
  to: string,
  backup: string,
  inTarget: (step: (path: string) => Promise<unknown>) => Promise<void>,
  undo: Undo[],
): Promise<boolean> {
  const restore = (): Promise<void> => inTarget((path) => disk.rename(backup, path))
  try {
    await disk.link(to, backup)
    undo.push(restore)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
  }
  // No hard links here (FAT, some networks): the old file gives up its name for a moment.
  try {
    await disk.rename(to, backup)
    undo.push(restore)
    return true
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
