import { join } from 'node:path'
import { escapeUnsafe } from '../base/clean-text.ts'
import { systemCode } from '../base/failure.ts'
import type { Reporter } from '../base/notice.ts'
import type { SyncDisk, World } from '../base/world.ts'
import { isOfGoneProcess, processMark } from '../fs/draft-path.ts'
import { requireRoom } from '../fs/free-space.ts'
import type { HeldFolder } from '../fs/held-folder.ts'
import { lstatIfThere } from '../fs/output-target.ts'
import { makePrivateFolder, removeLeftFolder, removePrivateFolder } from '../fs/private-folder.ts'
import { REPLACED } from './archive-overwrite.ts'

export interface OwnOptions {
  /** Bytes that will be written. */
  readonly bytes: number
  /** A number in [0, 1), for the directory's name. */
  readonly random: () => number
  readonly nowMs: number
  readonly host: World['host']
  readonly reporter: Reporter
}

/** A directory that may hold the private one, and its path. */
export interface ParentFolder {
  readonly folder: HeldFolder
  readonly path: string
}

/** The name of the directory in the private one where everything is written before it is published. */
export const STAGED = 'new'

const PREFIX = '.matdecl-unpack-'
const STALE_MS = 24 * 3_600_000
const NO_ROOM = {
  hint: 'free some space, choose a directory on another disk, or extract fewer entries',
  options: ['include'],
}

/** The private directory of this run. */
export interface OwnFolder {
  readonly folder: HeldFolder
  readonly base: ParentFolder
  readonly name: string
}

/**
 * Creates the private directory in the first of these directories that is writable, and removes those of killed runs there. Throws `io`
 * when the disk has too little space.
 */
export async function makeOwn(
  world: Pick<World, 'disk' | 'syncDisk'>,
  [base, ...others]: readonly ParentFolder[],
  options: OwnOptions,
): Promise<OwnFolder> {
  const { disk, syncDisk } = world
  const mark = await processMark({ disk, host: options.host })
  let own: OwnFolder
  try {
    own = makeUnused(syncDisk, base!, mark, options.random)
  } catch (error) {
    const code = systemCode(error)
    if (others.length === 0 || (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS')) throw error
    return await makeOwn(world, others, options)
  }
  try {
    await removeStale(world, own, options.nowMs, mark).catch(() => undefined)
    await requireRoom(disk, base!.path, options.bytes, NO_ROOM)
    return own
  } catch (error) {
    removeOwn(syncDisk, own, options.reporter)
    throw error
  }
}

/** Removes the private directory and closes it. One that could not be removed is reported. */
export function removeOwn(disk: SyncDisk, { folder, base, name }: OwnFolder, reporter: Reporter): void {
  let isGone = false
  // A second attempt: what fails may be temporary, such as a program that looks at new files.
  for (let attempt = 0; attempt < 2 && !isGone; attempt += 1) {
    try {
      isGone = removePrivateFolder(disk, base.folder, name, folder)
    } catch {}
  }
  folder.close()
  if (isGone) return
  const path = escapeUnsafe(join(base.path, name))
  const message = `the temporary directory ${path} could not be removed safely; remove it by hand`
  reporter.notice({ level: 'warning', event: 'extract.left', message })
}

/**
 * Removes the private directories of this user's killed runs: after a day, or at once when their process has ended before it replaced
 * files, whose only copies would be there.
 */
async function removeStale(
  { disk, syncDisk }: Pick<World, 'disk' | 'syncDisk'>,
  own: OwnFolder,
  nowMs: number,
  ours: string,
): Promise<void> {
  const { folder } = own.base
  for (const name of await disk.readdir(folder.pathOf('.'))) {
    if (!name.startsWith(PREFIX) || name === own.name) continue
    const path = folder.pathOf(name)
    const facts = await disk.lstat(path).catch(() => undefined)
    if (facts?.isDirectory() !== true || facts.uid !== own.folder.uid) continue
    const mark = name.slice(PREFIX.length, Math.max(PREFIX.length, name.lastIndexOf('.')))
    const isStale =
      nowMs - facts.mtimeMs >= STALE_MS ||
      ((await isOfGoneProcess(disk, mark, ours)) &&
        (await lstatIfThere(disk, `${path}/${REPLACED}`)) === undefined)
    if (!isStale) continue
    try {
      removeLeftFolder(syncDisk, folder, name, own.folder, (one) => one === STAGED || one === REPLACED)
    } catch {}
  }
}

function makeUnused(disk: SyncDisk, base: ParentFolder, mark: string, random: () => number): OwnFolder {
  for (let attempt = 0; ; attempt += 1) {
    const suffix = Math.floor(random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0')
    const name = `${PREFIX}${mark}.${suffix}${attempt === 0 ? '' : attempt}`
    try {
      return { folder: makePrivateFolder(disk, base.folder, name), base, name }
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || attempt >= 20) throw error
    }
  }
}
