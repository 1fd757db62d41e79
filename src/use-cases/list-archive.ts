import type { ArchiveEntry } from '../archive/entry.ts'
import { allEntries } from '../archive/entry-table.ts'
import type { Listing } from '../archive/listing.ts'
import { listingOf } from '../archive/listing.ts'
import { archiveFailure } from '../archive/problem.ts'
import { readArchive } from '../archive/read-archive.ts'
import type { ArchiveLimits } from '../domain/archive-limits.ts'
import { openArchiveFile } from '../storage/archive-file.ts'
import type { World } from '../world.ts'

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
