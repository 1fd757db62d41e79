import { constants } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../base/failure.ts'
import type { Disk } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'

/**
 * Resolves when the folder can be written to, or made where it is not there yet; nothing is changed. Rejects with `io`, whose hint
 * names `elsewhere`.
 */
export async function proveFolderWritable(disk: Disk, folder: string, elsewhere: string): Promise<void> {
  let place = folder
  for (;;) {
    try {
      const facts = await disk.stat(place)
      if (!facts.isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' })
      await disk.access(place, constants.W_OK | constants.X_OK)
      return
    } catch (error) {
      const parent = dirname(place)
      if (systemCode(error) !== 'ENOENT' || parent === place) {
        throw diskFailure(error, 'write to', place, elsewhere)
      }
      place = parent
    }
  }
}
