import { dirname } from 'node:path'
import { Failure, systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { ignoreUnsupported } from './draft.ts'

interface PublishOptions {
  /** Replace what stands at the final name, in one rename; otherwise a name that is taken is refused (`io`). */
  readonly overwrite: boolean
}

/**
 * Gives a finished file its final name in one step: its bytes are synced before, the folder after, and at no moment does
 * the name hold part of it. A link at the final name is replaced, its target never written. On failure the file is still
 * at `draftPath` and the final name as it was.
 */
export async function publishDraft(
  disk: Disk,
  draftPath: string,
  finalPath: string,
  { overwrite }: PublishOptions,
): Promise<void> {
  try {
    await syncFile(disk, draftPath)
    if (overwrite) await replace(disk, draftPath, finalPath)
    else await claim(disk, draftPath, finalPath)
    await syncFolder(disk, dirname(finalPath))
  } catch (error) {
    throw diskFailure(error, 'publish', finalPath)
  }
}

/** Makes names in a folder safe from a power cut, where the system can (not every file system syncs folders). */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await disk.open(folder, 'r')
  try {
    await handle.sync().catch(ignoreUnsupported)
  } finally {
    await handle.close()
  }
}

async function syncFile(disk: Disk, path: string): Promise<void> {
  const handle = await disk.open(path, 'r+')
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

// link() is the only way to take a name only if it is free; file systems without it get a reservation instead.
async function claim(disk: Disk, draftPath: string, finalPath: string): Promise<void> {
  try {
    await disk.link(draftPath, finalPath)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST') throw taken(finalPath)
    if (code === undefined || !NO_LINKS.includes(code)) throw error
    await claimByReservation(disk, draftPath, finalPath)
    return
  }
  await disk.unlink(draftPath)
}

const NO_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES', 'EXDEV']

// An empty file of ours holds the name until the rename: nobody else can take it, and no bytes but the finished ones ever
// stand there.
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
    hint: 'use --overwrite to replace it, or choose another name with --output',
  })
}

function inTheWay(path: string, isFolder: boolean): Failure {
  return new Failure('io', `${path} is ${isFolder ? 'a folder' : 'not a plain file'}`, {
    file: path,
    hint: 'choose another name with --output',
  })
}
