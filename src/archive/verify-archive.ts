import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import { openArchiveFile } from './archive-file.ts'
import { type ArchiveEntry, hasData } from './entry.ts'
import { isMacMetadata } from './entry-name.ts'
import { type ArchiveLimits, archiveFailure } from './problem.ts'
import { readArchive } from './read-archive.ts'
import { type EntrySelection, unpackEntries } from './unpack-entries.ts'

/** An archive whose structure, names, limits and every entry's size and CRC-32 are right. */
export interface VerifiedArchive {
  readonly path: string
  readonly bytes: number
  /** In the directory's order. */
  readonly entries: readonly ArchiveEntry[]
  readonly unpackedBytes: number
  /** With `scan`: the ProductIDs of each `.xml` entry that has any, by entry name. */
  readonly products: ReadonlyMap<string, readonly ProductId[]>
}

interface VerifyOptions {
  readonly limits: ArchiveLimits
  readonly reporter: Reporter
  readonly signal?: AbortSignal
  /** Look for ProductIDs on the way. */
  readonly scan?: 'product-ids'
}

/**
 * Verifies a whole archive and writes nothing. Throws `archive` with every problem found (the first twenty in full), `usage` when
 * there is no such file.
 */
export async function verifyArchive(
  world: World,
  path: string,
  options: VerifyOptions,
): Promise<VerifiedArchive> {
  const { limits, reporter } = options
  await using file = openArchiveFile(world, path)
  const { entries, unpackedBytes, problems, isReadable } = await readArchive(file, limits)
  if (!isReadable) throw archiveFailure(path, problems)
  const indexes: number[] = []
  for (const [index, entry] of entries.entries()) if (hasData(entry)) indexes.push(index)
  const useOf: EntrySelection['useOf'] = ({ name }) => ({
    scan: options.scan !== undefined && /\.xml$/i.test(name) && !isMacMetadata(name),
  })
  const signal = options.signal ?? world.interrupt
  const wanted = { entries, indexes, useOf }
  const products = await unpackEntries(world, file, wanted, {
    phase: 'verifying',
    problems,
    reporter,
    signal,
  })
  return { path, bytes: file.size, entries, unpackedBytes, products }
}
