import { escapeUnsafe } from '../base/clean-text.ts'
import { formatCount, plural } from '../base/units.ts'
import type { ArchiveDifference } from './archive-results.ts'
import { type ArchiveEntry, crcText } from './entry.ts'

/** What was recorded of an archive. */
export interface RecordedArchive {
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
export interface FoundArchive {
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
