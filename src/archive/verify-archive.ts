import { escapeUnsafe } from '../base/clean-text.ts'
import type { Reporter } from '../base/notice.ts'
import { formatCount, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import { openArchiveFile } from './archive-file.ts'
import type { ArchiveDifference } from './archive-results.ts'
import { type ArchiveEntry, crcText, hasData } from './entry.ts'
import { type ArchiveLimits, archiveFailure } from './problem.ts'
import { readArchive } from './read-archive.ts'
import { unpackEntries, type Wanted } from './unpack-entries.ts'

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
  const useOf: Wanted['useOf'] = ({ name }) => ({ scan: options.scan !== undefined && /\.xml$/i.test(name) })
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

/** What was recorded of an archive. */
interface RecordedArchive {
  readonly bytes: number
  /** In lower-case hexadecimal. */
  readonly sha256: string
  readonly entries: readonly RecordedEntry[]
}

interface RecordedEntry {
  readonly name: string
  readonly bytes: number
  /** Eight hexadecimal digits. */
  readonly crc32: string
}

/** An archive as it is now. */
interface FoundArchive {
  readonly bytes: number
  readonly sha256: string
  readonly entries: readonly Pick<ArchiveEntry, 'name' | 'bytes' | 'crc32'>[]
}

/**
 * Every difference between an archive and what was recorded of it: of the file first, then of entries in the order of the archive, then
 * missing entries in the order of the record.
 */
export function archiveDifferences(recorded: RecordedArchive, found: FoundArchive): ArchiveDifference[] {
  const differences: ArchiveDifference[] = [
    ...changed('bytes', recorded.bytes, found.bytes),
    ...changed('sha256', recorded.sha256.toLowerCase(), found.sha256),
  ]
  const missing = new Map(recorded.entries.map((entry) => [entry.name, entry]))
  for (const { name, bytes, crc32 } of found.entries) {
    const entry = missing.get(name)
    missing.delete(name)
    if (entry === undefined) differences.push({ kind: 'added', entry: name })
    else {
      const fields = [
        ...changed('bytes', entry.bytes, bytes),
        ...changed('crc32', entry.crc32.toLowerCase(), crcText(crc32)),
      ]
      differences.push(...fields.map((field) => ({ ...field, entry: name })))
    }
  }
  for (const name of missing.keys()) differences.push({ kind: 'missing', entry: name })
  return differences
}

function changed<T extends string | number>(
  field: NonNullable<ArchiveDifference['field']>,
  expected: T,
  found: T,
): ArchiveDifference[] {
  return expected === found ? [] : [{ kind: 'changed', field, expected, found }]
}

/** `"a.xml": changed, its size is 5 bytes and was 4`, safe for a terminal. */
export function describeDifference({ kind, entry, field, expected, found }: ArchiveDifference): string {
  const subject = entry === undefined ? 'the archive' : `"${escapeUnsafe(entry)}"`
  if (kind === 'added') return `${subject}: added`
  if (kind === 'missing') return `${subject}: missing`
  const values =
    field === 'bytes'
      ? `size is ${plural(Number(found), 'byte')} and was ${formatCount(Number(expected))}`
      : `${field === 'sha256' ? 'SHA-256' : 'CRC-32'} is ${found} and was ${escapeUnsafe(String(expected))}`
  return `${subject}: changed, its ${values}`
}
