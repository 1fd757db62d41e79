import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import { openArchiveFile } from './archive-file.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import { type ArchiveEntry, hasData } from './entry.ts'
import { archiveFailure, type ProblemList } from './problem.ts'
import { readArchive } from './read-archive.ts'
import { unpackEntries, type Wanted } from './unpack-entries.ts'
import type { UnpackAnswer, UnpackItem } from './unpack-task.ts'

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

export interface VerifyOptions {
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
  const wanted: Wanted = {
    entries,
    indexes,
    itemOf(index) {
      const entry = entries[index]!
      return itemOf(entry, index, { scan: options.scan !== undefined && /\.xml$/i.test(entry.name) })
    },
  }
  let bytes = 0
  const answer = await unpackEntries(world, file, wanted, {
    signal: options.signal ?? world.interrupt,
    onBytes: (count) => {
      bytes += count
      reporter.progress({ phase: 'verifying', bytes, totalBytes: unpackedBytes })
    },
  })
  throwProblems(path, problems, entries, answer)
  const products = new Map(answer.products.map(([index, ids]) => [entries[index]!.name, ids]))
  return { path, bytes: file.size, entries, unpackedBytes, products }
}

/** What unpacking needs to know of an entry. */
export function itemOf(
  { dataOffset, bytes, packedBytes, crc32, method }: ArchiveEntry,
  index: number,
  more: Partial<Pick<UnpackItem, 'path' | 'modifiedMs' | 'scan'>> = {},
): UnpackItem {
  const { path, modifiedMs, scan = false } = more
  return { index, dataOffset, bytes, packedBytes, crc32, method, path, modifiedMs, scan }
}

/** Throws when the structure or the data has problems; those of the data are in the order of the archive. */
export function throwProblems(
  path: string,
  problems: ProblemList,
  entries: readonly ArchiveEntry[],
  { problems: found }: UnpackAnswer,
): void {
  for (const [index, text] of found) {
    const { name, dataOffset } = entries[index]!
    problems.add({ rule: 'data', entry: name, offset: dataOffset, text })
  }
  if (problems.count > 0) throw archiveFailure(path, problems)
}
