import type { World } from '../base/world.ts'
import { openArchiveFile } from './archive-file.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import type { ArchiveEntry } from './entry.ts'
import { archiveFailure } from './problem.ts'
import { readArchive } from './read-archive.ts'

/** The entries of an archive with a valid structure; their data was not read. */
export interface ListedArchive {
  readonly path: string
  readonly bytes: number
  readonly unpackedBytes: number
  /** In the directory's order. */
  readonly entries: readonly ArchiveEntry[]
}

/** Lists an archive without inflating anything. Refuses the same archives as `extract`, except for damaged data. */
export async function listArchive(
  world: World,
  path: string,
  { limits }: { readonly limits: ArchiveLimits },
): Promise<ListedArchive> {
  await using file = openArchiveFile(world, path)
  const { entries, unpackedBytes, problems } = await readArchive(file, limits)
  file.assertUnchanged()
  if (problems.count > 0) throw archiveFailure(path, problems)
  return { path, bytes: file.size, unpackedBytes, entries }
}
