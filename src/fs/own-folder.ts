import { dirname } from 'node:path'
import { Failure } from '../base/failure.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure } from './disk-failure.ts'
import { ensureFolder } from './ensure-folder.ts'
import { ownIds, whoCanChange } from './file-ownership.ts'

/**
 * Creates a directory for files of this user between runs (0700, absolute), with its missing parents. Throws `io` when it cannot be
 * created, is a link (root's aside), or when another user (root aside) can change it or put another one in its place: `what` names it,
 * `alternative` is what to do.
 */
export async function openOwnFolder(
  { disk, host }: Pick<World, 'disk' | 'host'>,
  folder: string,
  { what, alternative }: { readonly what: string; readonly alternative: string },
): Promise<void> {
  try {
    await ensureFolder(disk, folder)
    const problem = await problemOf(disk, folder, host.uid)
    if (problem === undefined) return
    throw new Failure('io', `${what} ${folder} is not used: ${problem}`, { hint: alternative, file: folder })
  } catch (error) {
    throw diskFailure(error, 'use', folder, alternative)
  }
}

async function problemOf(disk: Disk, folder: string, uid: number | undefined): Promise<string | undefined> {
  const there = await disk.lstat(folder)
  // systemd makes links for users that exist only while a service runs; they belong to root.
  const isOfSystem = there.uid === 0 && uid !== undefined && uid !== 0
  if (!there.isDirectory() && !isOfSystem) return 'it is a link'
  if (uid === undefined) return undefined
  const ids = ownIds(disk, uid)
  const real = isOfSystem ? await disk.realpath(folder) : folder
  const [own, parent] = [await disk.stat(real), await disk.stat(dirname(real))]
  // In a sticky directory, only its owner and root can rename it.
  const parentMode = (parent.mode & 0o1000) === 0 ? parent.mode : 0
  const isForeign =
    own.uid !== uid ||
    (await whoCanChange(own, ids)) !== undefined ||
    (await whoCanChange({ uid: parent.uid, gid: parent.gid, mode: parentMode }, ids)) !== undefined
  return isForeign ? 'another user can change it' : undefined
}
