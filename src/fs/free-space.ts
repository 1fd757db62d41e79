import { Failure } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'
import type { Disk } from '../base/world.ts'

/** Bytes that this user can still write to a folder; undefined where the system does not say. */
export async function freeBytes(disk: Disk, folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await disk.statfs(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}

/** Throws `io` when a folder has less room than `neededBytes`. */
export async function requireRoom(
  disk: Disk,
  folder: string,
  path: string,
  neededBytes: number,
): Promise<void> {
  const free = await freeBytes(disk, folder)
  if (free === undefined || neededBytes <= free) return
  throw new Failure(
    'io',
    `not enough space for ${path}: needs ${formatBytes(neededBytes)}, ${formatBytes(free)} free`,
    { file: path, hint: 'free some space, or choose another path', options: ['output'] },
  )
}
