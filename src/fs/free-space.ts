import type { Disk } from '../base/world.ts'
import { noRoom } from './disk-failure.ts'

/** Bytes a user may still write in this folder, or undefined where the system does not say. */
export async function freeBytes(disk: Disk, folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await disk.statfs(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}

/** Refuses (`io`) when `neededBytes` do not fit into the folder of `path`. */
export async function requireRoom(
  disk: Disk,
  folder: string,
  path: string,
  neededBytes: number,
): Promise<void> {
  const free = await freeBytes(disk, folder)
  if (free !== undefined && neededBytes > free) throw noRoom(path, neededBytes, free)
}
