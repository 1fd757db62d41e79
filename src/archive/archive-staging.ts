import { basename, dirname } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk, SyncDisk, World } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { type HeldFolder, holdFolder, isSameFolder, syncHeld } from '../fs/held-folder.ts'
import { type MadeFolder, makeFolders, removeEmptyFolders, reportMadeFolders } from '../fs/made-folders.ts'
import { lstatIfThere } from '../fs/output-target.ts'
import { mergeIntoFolder } from './archive-overwrite.ts'
import type { OwnOptions } from './archive-own-folder.ts'
import { makeOwn, removeOwn, STAGED } from './archive-own-folder.ts'
import { createFolderTree, syncFolders } from './folder-tree.ts'

/** A hidden directory beside the target, where everything is written before it is published. */
export interface Staging extends AsyncDisposable {
  /** Where the files go. */
  readonly folder: HeldFolder
  /** True when the umask removes the owner's permissions. */
  readonly restoreOwner: boolean
  /** Renames everything to its final name: as one directory, or file by file into an existing one. Undone when it fails. */
  readonly publish: (files: readonly string[], folders: readonly string[]) => Promise<void>
}

export interface StagingOptions extends OwnOptions {
  /** The target may be an existing directory. */
  readonly overwrite: boolean
}

type CleanUp = () => unknown

/**
 * Creates the staging directory for `target` (absolute). Throws `io` when the target exists without `overwrite`, or the disk has too
 * little space. Disposing it removes what was not published, and the parent directories created for it.
 */
export async function openStaging(
  { disk, syncDisk }: Pick<World, 'disk' | 'syncDisk'>,
  target: string,
  options: StagingOptions,
): Promise<Staging> {
  const cleanUp: CleanUp[] = []
  const madeParents: MadeFolder[] = []
  const dispose = async (): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) {
      try {
        await step()
      } catch {}
    }
  }
  try {
    const existing = await existingTarget(disk, target, options.overwrite)
    if (existing === undefined) {
      madeParents.push(...(await makeFolders({ disk, syncDisk }, dirname(target))))
      cleanUp.push(() => removeEmptyFolders({ disk, syncDisk }, madeParents))
    }
    // With links resolved once.
    const parentPath = existing === undefined ? await disk.realpath(dirname(target)) : dirname(existing.path)
    const parent = holdFolder(syncDisk, parentPath)
    cleanUp.push(parent.close)
    const parents = [{ folder: parent, path: parentPath }]
    if (existing !== undefined) {
      const folder = holdFolder(syncDisk, existing.path)
      cleanUp.push(folder.close)
      existing.folder = folder
      // A rename does not cross a mount point; otherwise the directory itself is the second choice.
      if (folder.dev !== parent.dev) parents.pop()
      parents.push({ folder, path: existing.path })
    }
    const made = await makeOwn({ disk, syncDisk }, parents, options)
    const own = made.folder
    cleanUp.push(() => removeOwn(syncDisk, made, options.reporter))
    await disk.mkdir(own.pathOf(STAGED))
    const restoreOwner = await restoreOwnerRights(disk, own.pathOf(STAGED))
    const folder = holdFolder(syncDisk, own.pathOf(STAGED))
    cleanUp.push(folder.close)
    return {
      folder,
      restoreOwner,
      publish: async (files, folders) => {
        try {
          if (existing === undefined) {
            syncAll(syncDisk, folder, files, folders)
            await publishWhole({ disk, syncDisk }, own, parent, target, folder)
          } else {
            const held = { own, source: folder, target: existing.folder!, targetPath: target }
            mergeIntoFolder(syncDisk, held, files, folders)
          }
        } catch (error) {
          throw extractFailure(error, target)
        }
        if (existing === undefined) cleanUp.splice(0, cleanUp.indexOf(parent.close))
        reportMadeFolders(madeParents, options.reporter)
      },
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw extractFailure(error, target)
  }
}

/** Translates an error of the file system while extracting to `target`. */
export function extractFailure(error: unknown, target: string): unknown {
  return diskFailure(error, 'extract to', target, 'choose another directory')
}

function targetExists(target: string, what = 'exists'): Failure {
  return new Failure('io', `${escapeUnsafe(target)} ${what}`, {
    hint: 'choose another directory, or replace files in this one',
    options: ['overwrite'],
    file: target,
  })
}

/** Restores the owner's permissions on a new directory when the umask removed them; returns whether it did. */
async function restoreOwnerRights(disk: Disk, path: string): Promise<boolean> {
  const facts = await disk.lstat(path)
  if (!facts.isDirectory() || (facts.mode & 0o700) === 0o700) return false
  await disk.chmod(path, 0o700)
  return true
}

interface ExistingTarget {
  /** With links resolved, once. */
  readonly path: string
  folder: HeldFolder | undefined
}

async function existingTarget(
  disk: Disk,
  target: string,
  overwrite: boolean,
): Promise<ExistingTarget | undefined> {
  if ((await lstatIfThere(disk, target)) === undefined) return undefined
  if (!overwrite) throw targetExists(target)
  const facts = await disk.stat(target).catch(() => undefined)
  if (facts?.isDirectory() !== true) {
    throw new Failure('io', `${escapeUnsafe(target)} exists and is not a directory`, {
      hint: 'choose another directory: a file is never replaced with a directory',
      file: target,
    })
  }
  return { path: await disk.realpath(target), folder: undefined }
}

function syncAll(
  disk: SyncDisk,
  folder: HeldFolder,
  files: readonly string[],
  folders: readonly string[],
): void {
  const tree = createFolderTree(disk, folder, () => undefined)
  try {
    syncFolders(disk, tree, files, folders)
  } finally {
    tree.close()
  }
}

/** One rename to a free name, synced; undone when that fails or the target's parent was moved. */
async function publishWhole(
  { disk, syncDisk }: Pick<World, 'disk' | 'syncDisk'>,
  own: HeldFolder,
  parent: HeldFolder,
  target: string,
  folder: HeldFolder,
): Promise<void> {
  const name = basename(target)
  if ((await lstatIfThere(disk, parent.pathOf(name))) !== undefined)
    throw targetExists(target, 'was created by another program in the meantime')
  await disk.rename(own.pathOf(STAGED), parent.pathOf(name)).catch((error: unknown) => {
    const code = systemCode(error)
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    throw targetExists(target, 'was created by another program in the meantime')
  })
  const undo = (): Promise<void> => disk.rename(parent.pathOf(name), own.pathOf(STAGED))
  try {
    syncHeld(syncDisk, parent)
  } catch (error) {
    await undo()
    throw error
  }
  const seen = await disk.lstat(target, { bigint: true }).catch(() => undefined)
  if (isSameFolder(seen, folder)) return
  // FAT numbers a directory anew when it is moved.
  if (disk.isWindows === true && isSameFolder(seen, syncDisk.fstatSync(folder.fd, { bigint: true }))) return
  await undo()
  throw new Failure('io', `${escapeUnsafe(target)}: its directory was moved or replaced in the meantime`, {
    hint: 'run the command again',
    file: target,
  })
}
