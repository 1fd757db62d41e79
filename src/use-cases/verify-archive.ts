import type { ArchiveEntry } from '../archive/entry.ts'
import { allEntries } from '../archive/entry-table.ts'
import type { ProblemList } from '../archive/problem.ts'
import { archiveFailure } from '../archive/problem.ts'
import { readArchive } from '../archive/read-archive.ts'
import type { ArchiveLimits } from '../domain/archive-limits.ts'
import type { Reporter } from '../domain/notice.ts'
import type { ProductId } from '../domain/product-ids.ts'
import { openArchiveFile } from '../storage/archive-file.ts'
import type { World } from '../world.ts'
import type { Unordered, UnpackResult } from './unpack-entries.ts'
import { unpackEntries } from './unpack-entries.ts'

/** An archive whose structure, names, limits and every entry's size and CRC-32 are right. */
export interface VerifiedArchive {
  readonly path: string
  readonly bytes: number
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
 * Verifies a whole archive and writes nothing. Throws `archive` with every problem found (the first twenty told), `usage` when
 * there is no such file.
 */
export async function verifyArchive(
  world: World,
  path: string,
  options: VerifyOptions,
): Promise<VerifiedArchive> {
  const { limits, reporter } = options
  await using file = await openArchiveFile(world, path)
  const { table, unpackedBytes, problems, isReadable } = await readArchive(file, limits)
  if (!isReadable) throw archiveFailure(path, problems)
  const entries = allEntries(table)
  let bytes = 0
  const result = await unpackEntries(
    world,
    file,
    entries.filter(hasData).map((entry) => ({
      ...dataOf(entry),
      path: '',
      scan: options.scan !== undefined && isXml(entry),
    })),
    {
      signal: anySignal(world, options.signal),
      onBytes: (count) => {
        bytes += count
        reporter.progress({ phase: 'verifying', bytes, totalBytes: unpackedBytes })
      },
    },
  )
  throwProblems(path, problems, result)
  return {
    path,
    bytes: file.size,
    entries,
    unpackedBytes,
    products: new Map(result.products.map(([item, ids]) => [item.name, ids])),
  }
}

/** Aborts when the run is interrupted or the caller gives up. */
export function anySignal(world: World, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? world.interrupt : AbortSignal.any([world.interrupt, signal])
}

/** Whether there is anything to be read: a folder may carry the mark of empty deflate data, and usually carries nothing. */
export function hasData({ isFolder, packedBytes, crc32 }: ArchiveEntry): boolean {
  return !isFolder || packedBytes > 0 || crc32 !== 0
}

/** The part of an entry that unpacking needs. */
export function dataOf(entry: ArchiveEntry): Omit<Unordered, 'path' | 'scan'> {
  const { name, dataOffset, packedBytes, bytes, crc32, method, modifiedMs } = entry
  return { name, dataOffset, packedBytes, bytes, crc32, method, modifiedMs }
}

/** Throws when the structure or the data had a problem, those of the data in the order of the file. */
export function throwProblems(path: string, problems: ProblemList, result: UnpackResult): void {
  if (problems.count + result.problemCount === 0) return
  for (const [item, text] of result.problems.toSorted(
    ([one], [other]) => one.dataOffset - other.dataOffset,
  )) {
    problems.add({ rule: 'data', entry: item.name, offset: item.dataOffset, text })
  }
  for (let more = result.problems.length; more < result.problemCount; more += 1)
    problems.add({ rule: 'data', text: '' })
  throw archiveFailure(path, problems)
}

function isXml({ name, isFolder }: ArchiveEntry): boolean {
  return !isFolder && /\.xml$/i.test(name)
}
