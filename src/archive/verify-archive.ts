import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import { openArchiveFile } from './archive-file.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import type { ArchiveEntry } from './entry.ts'
import type { EntryTable } from './entry-table.ts'
import { allEntries, hasDataAt, nameAt } from './entry-table.ts'
import { openInflateThreads } from './inflate-threads.ts'
import type { ProblemList } from './problem.ts'
import { archiveFailure } from './problem.ts'
import { readArchive } from './read-archive.ts'
import { unpackEntries } from './unpack-entries.ts'
import type { UnpackResult } from './unpack-options.ts'
import type { WorkList } from './work-list.ts'
import { planWork } from './work-list.ts'

/** An archive whose structure, names, limits and every entry's size and CRC-32 are right. */
export interface VerifiedArchive {
  readonly path: string
  readonly bytes: number
  /** In the directory's order; made when first asked for. */
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
  await using threads = openInflateThreads(world, file.size)
  const { table, unpackedBytes, problems, isReadable } = await readArchive(file, limits)
  if (!isReadable) throw archiveFailure(path, problems)
  const rows = Array.from({ length: table.count }, (_, row) => row).filter((row) => hasDataAt(table, row))
  const list = planWork(table, rows, options.scan === undefined ? {} : { scan: isXml })
  let bytes = 0
  const result = await unpackEntries(world, file, list, {
    threads,
    signal: anySignal(world, options.signal),
    onBytes: (count) => {
      bytes += count
      reporter.progress({ phase: 'verifying', bytes, totalBytes: unpackedBytes })
    },
  })
  throwProblems(path, problems, table, list, result)
  let entries: readonly ArchiveEntry[] | undefined
  return {
    path,
    bytes: file.size,
    unpackedBytes,
    get entries() {
      entries ??= allEntries(table)
      return entries
    },
    products: new Map(result.products.map(([place, ids]) => [nameAt(table, list.rows[place]!).name, ids])),
  }
}

/** Aborts when the run is interrupted or the caller gives up. */
export function anySignal(world: World, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? world.interrupt : AbortSignal.any([world.interrupt, signal])
}

/** Throws when the structure or the data had a problem, those of the data in the order of the file. */
export function throwProblems(
  path: string,
  problems: ProblemList,
  table: EntryTable,
  list: WorkList,
  result: UnpackResult,
): void {
  if (problems.count + result.problemCount === 0) return
  const found = result.problems.map(([place, text]) => ({ row: list.rows[place]!, text }))
  for (const { row, text } of found.toSorted((one, other) => one.row - other.row)) {
    problems.add({ rule: 'data', entry: nameAt(table, row).name, offset: table.dataOffset[row]!, text })
  }
  for (let more = result.problems.length; more < result.problemCount; more += 1)
    problems.add({ rule: 'data', text: '' })
  throw archiveFailure(path, problems)
}

function isXml(name: string): boolean {
  return /\.xml$/i.test(name)
}
