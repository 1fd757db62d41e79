import type { BigIntStats } from 'node:fs'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'

/** Which file a name stands for, and with which content: device, number, size and time of the last write. */
export interface FileIdentity {
  readonly device: bigint
  readonly number: bigint
  readonly bytes: bigint
  readonly writtenNs: bigint
}

/** The identity by the facts of an open file. */
export function identityOf({ dev, ino, size, mtimeNs }: BigIntStats): FileIdentity {
  return { device: dev, number: ino, bytes: size, writtenNs: mtimeNs }
}

/** The identity of what is at a path now, links not followed; an `io` failure when nothing is there. */
export async function identityAt(disk: Disk, path: string): Promise<FileIdentity> {
  try {
    return identityOf(await disk.lstat(path, { bigint: true }))
  } catch (error) {
    throw diskFailure(error, 'read', path)
  }
}

/** True for the same file with unchanged content. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.device === other.device &&
    one.number === other.number &&
    one.bytes === other.bytes &&
    one.writtenNs === other.writtenNs
  )
}
