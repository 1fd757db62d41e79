import { basename, dirname, resolve } from 'node:path'
import { cleanText } from '../base/clean-text.ts'
import { Failure, systemCode } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { type FileNumber, holdFolder, isSameFolder } from './held-folder.ts'
import { isTaken } from './output-target.ts'

/** A directory that this run created. */
export interface MadeFolder extends FileNumber {
  readonly path: string
}

type Disks = Pick<World, 'disk' | 'syncDisk'>

/** Creates the missing directories of a path, all or none, and returns them, outermost first. */
export async function makeFolders(disks: Disks, folder: string): Promise<readonly MadeFolder[]> {
  const { disk } = disks
  const missing: string[] = []
  for (let one = resolve(folder); !(await isTaken(disk, one)); one = dirname(one)) {
    if (one === dirname(one)) throw noRoot(one)
    missing.unshift(one)
  }
  const made: MadeFolder[] = []
  for (const path of missing) {
    try {
      await disk.mkdir(path)
      const { dev, ino } = await disk.lstat(path, { bigint: true })
      made.push({ path, dev, ino })
    } catch (error) {
      if (systemCode(error) === 'EEXIST') continue
      removeEmptyFolders(disks, made)
      throw diskFailure(error, 'create', path)
    }
  }
  return made
}

function noRoot(root: string): Failure {
  return new Failure('io', `there is no drive or share ${root}`, {
    hint: 'check the path, and that the drive or share is connected',
    file: root,
  })
}

/** Reports each folder that contains no other one of these. */
export function reportMadeFolders(made: readonly MadeFolder[], { notice }: Pick<Reporter, 'notice'>): void {
  const parents = new Set(made.map(({ path }) => dirname(path)))
  for (const { path } of made) {
    if (parents.has(path)) continue
    notice({
      level: 'info',
      event: 'output.directory',
      message: `created directory ${cleanText(path, 300)}`,
    })
  }
}

/** Removes these folders where they are empty, innermost first, and nothing that has taken the place of one. */
export function removeEmptyFolders({ syncDisk }: Disks, made: readonly MadeFolder[]): void {
  for (const folder of [...made].reverse()) {
    try {
      const parent = holdFolder(syncDisk, dirname(folder.path))
      try {
        const path = parent.pathOf(basename(folder.path))
        if (isSameFolder(syncDisk.lstatSync(path, { bigint: true }), folder)) syncDisk.rmdirSync(path)
      } finally {
        parent.close()
      }
    } catch {}
  }
}
