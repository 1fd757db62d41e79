import { join } from 'node:path'
import { SILENT } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { acquireLock } from '../fs/lock.ts'
import { lockPath, readLock } from '../fs/lock-file.ts'
import { JOB_SUFFIX } from './find-job.ts'

/**
 * Removes the job directories in `folder` that runs left empty when they were killed before their first journal line, with their
 * locks. Only if the lock of such a run exists and its process is gone. Never fails.
 */
export async function removeEmptyJobs(world: World, folder: string): Promise<void> {
  const { disk } = world
  const names = await disk.readdir(folder).catch(() => [])
  for (const name of names) {
    if (!name.endsWith(JOB_SUFFIX) || name === JOB_SUFFIX) continue
    const job = join(folder, name)
    const output = job.slice(0, -JOB_SUFFIX.length)
    try {
      if (!(await isEmptyFolder(world, job))) continue
      if ((await readLock(disk, lockPath(output)))?.owner === undefined) continue
      await using lock = await acquireLock(world, output, 'skip', SILENT)
      if (lock !== undefined) await disk.rmdir(job)
    } catch {
      // It stays: a run that needs this path reports it.
    }
  }
}

async function isEmptyFolder({ disk }: World, path: string): Promise<boolean> {
  return (await disk.lstat(path)).isDirectory() && (await disk.readdir(path)).length === 0
}
