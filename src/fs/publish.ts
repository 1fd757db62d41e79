import { dirname } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { ignoreUnsupported, isWithoutLinks } from './unsupported.ts'

/**
 * Renames a finished file to its final path, with a sync of the file before and of the directory after. A link at the final path is
 * replaced, its target is not. On failure both paths are unchanged.
 */
export async function publishDraft(
  disk: Disk,
  draftPath: string,
  finalPath: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  try {
    await sync(disk, draftPath, 'r+')
    if (overwrite) await replace(disk, draftPath, finalPath)
    else await claim(disk, draftPath, finalPath)
    await syncFolder(disk, dirname(finalPath))
  } catch (error) {
    throw diskFailure(error, 'publish', finalPath)
  }
}

/** Syncs the entries of a directory; Windows cannot. */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  if (process.platform !== 'win32') await sync(disk, folder, 'r')
}

async function sync(disk: Disk, path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await disk.open(path, flags)
  try {
    await handle.sync().catch(ignoreUnsupported)
  } finally {
    await handle.close()
  }
}

async function replace(disk: Disk, draftPath: string, finalPath: string): Promise<void> {
  const there = await disk.lstat(finalPath).catch(() => undefined)
  if (there && !there.isFile() && !there.isSymbolicLink()) throw inTheWay(finalPath, there.isDirectory())
  await disk.rename(draftPath, finalPath)
}

// link() is the only call that never replaces a file; file systems without it get a reservation instead.
async function claim(disk: Disk, draftPath: string, finalPath: string): Promise<void> {
  try {
    await disk.link(draftPath, finalPath)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw taken(finalPath)
    if (!isWithoutLinks(error)) throw error
    await claimByReservation(disk, draftPath, finalPath)
    return
  }
  await disk.unlink(draftPath)
}

// An empty file reserves the name until the rename.
async function claimByReservation(disk: Disk, draftPath: string, finalPath: string): Promise<void> {
  try {
    await (await disk.open(finalPath, 'wx')).close()
  } catch (error) {
    throw systemCode(error) === 'EEXIST' ? taken(finalPath) : error
  }
  try {
    await disk.rename(draftPath, finalPath)
  } catch (error) {
    await disk.unlink(finalPath).catch(() => undefined)
    throw error
  }
}

function taken(path: string): Failure {
  return new Failure('io', `${path} exists`, {
    file: path,
    hint: 'choose another path, or overwrite it',
    options: ['output', 'overwrite'],
  })
}

function inTheWay(path: string, isFolder: boolean): Failure {
  return new Failure('io', `${path} is ${isFolder ? 'a directory' : 'not a regular file'}`, {
    file: path,
    hint: 'choose another path',
    options: ['output'],
  })
}
