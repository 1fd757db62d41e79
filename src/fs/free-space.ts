import { Failure } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'
import type { Disk } from '../base/world.ts'

/** Bytes that this user can still write to a directory; undefined when unknown. */
export async function freeBytes(disk: Disk, folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await disk.statfs(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}

interface Advice {
  readonly hint: string
  readonly options: readonly string[]
}

const OTHER_OUTPUT: Advice = { hint: 'free some space, or choose another path', options: ['output'] }

/** Throws `io` when a directory has less free space than `neededBytes`. */
export async function requireRoom(
  disk: Disk,
  folder: string,
  neededBytes: number,
  advice: Advice = OTHER_OUTPUT,
): Promise<void> {
  const free = await freeBytes(disk, folder)
  if (free === undefined || neededBytes <= free) return
  throw new Failure(
    'io',
    `not enough space in ${folder}: needs ${formatBytes(neededBytes)}, ${formatBytes(free)} free`,
    { file: folder, ...advice },
  )
}
