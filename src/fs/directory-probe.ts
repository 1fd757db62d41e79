import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'

const PROBE = '.matdecl-probe'

/**
 * The facts of a new private file in a directory, which is removed again: permission bits say nothing about access lists and network
 * shares. Its name is always the same, so that the next run removes one that a killed run has left.
 */
export async function probeDirectory(disk: Disk, directory: string): Promise<Stats> {
  const name = `${PROBE}-${process.geteuid?.() ?? 'file'}`
  try {
    return await probe(disk, join(directory, name))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  // Another run is probing, or somebody else has taken the name.
  return await probe(disk, join(directory, `${PROBE}-${randomBytes(8).toString('hex')}`))
}

async function probe(disk: Disk, path: string): Promise<Stats> {
  const left = await disk.lstat(path).catch(() => undefined)
  if (left?.isFile() && left.size === 0) await disk.unlink(path).catch(() => undefined)
  const file = await disk.open(path, 'wx', 0o600)
  // Another run that probes may have removed it.
  const facts = await disk
    .lstat(path)
    .catch(() => file.stat())
    .finally(() => file.close().catch(() => undefined))
  // Where files can be created and not removed, nothing can be published.
  await remove(disk, path).catch(() => remove(disk, path))
  return facts
}

async function remove(disk: Disk, path: string): Promise<void> {
  await disk.unlink(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
  })
}
