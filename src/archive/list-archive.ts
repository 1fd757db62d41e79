import type { World } from '../base/world.ts'
import { openArchiveFile } from './archive-file.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import type { ArchiveEntry } from './entry.ts'
import { allEntries } from './entry-table.ts'
import type { Listing } from './listing.ts'
import { listingOf } from './listing.ts'
import { archiveFailure } from './problem.ts'
import { readArchive } from './read-archive.ts'

/** The entries of an archive whose structure and names are right; their data was not looked at. */
export interface ListedArchive {
  readonly path: string
  readonly bytes: number
  readonly count: number
  readonly unpackedBytes: number
  /** The lines of a table of them. */
  readonly listing: Listing
  /** The entries as objects, made when first asked for: for many of them `listing` is much cheaper. */
  readonly entries: readonly ArchiveEntry[]
}

/** Lists an archive without inflating anything; the same archives are refused as by `extract`, but for damaged data. */
export async function listArchive(
  world: World,
  path: string,
  { limits }: { readonly limits: ArchiveLimits },
): Promise<ListedArchive> {
  await using file = await openArchiveFile(world, path)
  const { table, unpackedBytes, problems } = await readArchive(file, limits)
  await file.assertUnchanged()
  if (problems.count > 0) throw archiveFailure(path, problems)
  let entries: readonly ArchiveEntry[] | undefined
  return {
    path,
    bytes: file.size,
    count: table.count,
    unpackedBytes,
    listing: listingOf(table),
    get entries() {
      entries ??= allEntries(table)
      return entries
    },
  }
}
