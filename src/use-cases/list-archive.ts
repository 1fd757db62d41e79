import type { ArchiveEntry } from '../archive/entry.ts'
import { archiveFailure } from '../archive/problem.ts'
import { readArchive } from '../archive/read-archive.ts'
import type { ArchiveLimits } from '../domain/archive-limits.ts'
import { openArchiveFile } from '../storage/archive-file.ts'
import type { World } from '../world.ts'

/** The entries of an archive whose structure and names are right; their data was not looked at. */
export interface ListedArchive {
  readonly path: string
  readonly bytes: number
  readonly entries: readonly ArchiveEntry[]
  readonly unpackedBytes: number
}

/** Lists an archive without inflating anything; the same archives are refused as by `extract`, but for damaged data. */
export async function listArchive(
  world: World,
  path: string,
  { limits }: { readonly limits: ArchiveLimits },
): Promise<ListedArchive> {
  await using file = await openArchiveFile(world.disk, path)
  const { entries, unpackedBytes, problems } = await readArchive(file, limits)
  await file.assertUnchanged()
  if (problems.count > 0) throw archiveFailure(path, problems)
  return { path, bytes: file.size, entries, unpackedBytes }
}
