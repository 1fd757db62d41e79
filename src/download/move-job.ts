import { basename, dirname, join } from 'node:path'
import { systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { syncFolder } from '../fs/publish.ts'
import { jobIn, PIECE } from './find-job.ts'
import { removeJob } from './job-files.ts'
import type { JobIdentity } from './journal.ts'

/**
 * Moves a job directory that this run cannot use to another name beside it, so that the run of its own request finds it again. Returns
 * the new path; undefined when it had no archives and was removed.
 */
export async function moveJobAside(
  disk: Disk,
  folder: string,
  job: JobIdentity | undefined,
): Promise<string | undefined> {
  try {
    if (!(await disk.readdir(folder)).some((name) => PIECE.test(name))) {
      await removeJob(disk, folder)
      return undefined
    }
    const path = await freeName(disk, asidePath(folder, job?.identity ?? 'unknown'))
    await disk.rename(folder, path)
    await syncFolder(disk, dirname(folder))
    return path
  } catch (error) {
    throw diskFailure(error, 'move', folder)
  }
}

/** Moves the job of this request back to its directory, where it was put aside and nothing has taken its place. */
export async function takeBackJob(disk: Disk, folder: string, identity: string): Promise<boolean> {
  const path = asidePath(folder, identity)
  if ((await jobIn(disk, path))?.identity !== identity) return false
  try {
    await disk.rmdir(folder).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error
    })
    await disk.rename(path, folder)
    await syncFolder(disk, dirname(folder))
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) return false
    throw diskFailure(error, 'move', path)
  }
}

/**
 * Moves archives out of a job directory that is about to be removed into a directory of their own beside it. Returns its path; undefined
 * when there are none.
 */
export async function keepUnused(
  disk: Disk,
  folder: string,
  files: readonly string[],
): Promise<string | undefined> {
  if (files.length === 0) return undefined
  try {
    const path = await freeName(disk, `${folder}.unused`)
    await disk.mkdir(path, { mode: 0o700 })
    for (const file of files) await disk.rename(join(folder, file), join(path, file)).catch(unlessGone)
    await syncFolder(disk, path)
    await syncFolder(disk, dirname(folder))
    return path
  } catch (error) {
    throw diskFailure(error, 'keep', folder)
  }
}

function asidePath(folder: string, identity: string): string {
  return join(dirname(folder), `${basename(folder)}.${identity.slice(0, 8)}`)
}

async function freeName(disk: Disk, path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${path}-${number}`
    const isTaken = await disk.lstat(candidate).then(
      () => true,
      () => false,
    )
    if (!isTaken) return candidate
  }
}

// A removal that was interrupted has moved it.
function unlessGone(error: unknown): void {
  if (systemCode(error) !== 'ENOENT') throw error
}
