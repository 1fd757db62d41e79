import { dirname } from 'node:path'
import { systemCode } from '../base/failure.ts'
import type { Disk, World } from '../base/world.ts'
import { diskFailure } from '../fs/disk-failure.ts'
import { draftBeside, identityAt, identityOf, isSameFile } from '../fs/draft.ts'
import { publishDraft, syncFolder } from '../fs/publish.ts'
import { type CollectedArchive, changed } from './collect-archive.ts'
import type { Job } from './job-store.ts'

/**
 * Gives a verified archive its final path, with the mode of a new file. Only the file that was verified is published: it is linked to
 * a hidden name beside the final one and compared there, so that what replaces it in the job directory takes no name. Throws `io`
 * otherwise, and leaves the final path as it was.
 */
export async function publishArchive(
  world: World,
  job: Pick<Job, 'publishing'>,
  archive: CollectedArchive,
  finalPath: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<CollectedArchive> {
  const { disk } = world
  const { path } = archive
  const held = await disk.open(path, 'r').catch((error: unknown) => {
    throw diskFailure(error, 'publish', path)
  })
  try {
    if (!isSameFile(identityOf(await held.stat({ bigint: true })), archive.identity)) throw changed(path)
    await job.publishing(archive)
    // Files of a job are private (0600).
    await held.chmod((0o666 & ~world.host.umask) | 0o600)
    const hidden = await draftBeside(world, finalPath)
    const isLinked = await link(disk, path, hidden)
    try {
      const taken = isLinked ? hidden : path
      if (!isSameFile(await identityAt(disk, taken), archive.identity)) throw changed(path)
      await publishDraft(disk, taken, finalPath, { overwrite })
    } catch (error) {
      if (isLinked) await disk.unlink(hidden).catch(() => undefined)
      throw error
    }
    if (isLinked) await removeName(disk, path)
  } catch (error) {
    throw diskFailure(error, 'publish', path)
  } finally {
    await held.close().catch(() => undefined)
  }
  return { ...archive, path: finalPath }
}

// False on file systems without hard links.
async function link(disk: Disk, path: string, name: string): Promise<boolean> {
  await disk.rm(name, { force: true })
  return disk.link(path, name).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') throw error
      return false
    },
  )
}

// The job directory is removed anyway; a name that is left there does no harm.
async function removeName(disk: Disk, path: string): Promise<void> {
  await disk.unlink(path).catch(() => undefined)
  await syncFolder(disk, dirname(path)).catch(() => undefined)
}
