import { dirname } from 'node:path'
import { systemCode } from '../base/failure.ts'
import type { World } from '../base/world.ts'

/**
 * Creates a private directory and its missing parents; nothing where it exists. Not `recursive` of Node 20: that never ends where a file
 * system answers ENOENT although the parent exists, as /proc does.
 */
export async function ensureFolder(disk: World['disk'], folder: string): Promise<void> {
  try {
    await disk.mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (systemCode(error) === 'EEXIST' && (await disk.stat(folder)).isDirectory()) return
    if (systemCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    await ensureFolder(disk, dirname(folder))
    await disk.mkdir(folder, { mode: 0o700 }).catch((again: unknown) => {
      if (systemCode(again) !== 'EEXIST') throw again
    })
  }
}
