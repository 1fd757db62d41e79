import { createHash } from 'node:crypto'
import type { ArchiveFile } from '../../archive/archive-file.ts'
import type { ArchiveLimits } from '../../archive/problem.ts'
import { readEnd } from '../../archive/read-archive.ts'
import { VERSION } from '../../base/version.ts'
import type { Reading } from '../report-job.ts'

/** How an archive is read: what its rows depend on, beside its content. */
export interface ReadingOptions extends Reading {
  readonly limits: ArchiveLimits
}

/** Change it with the content of an entry, or with what rows mean, between two releases. */
const ENTRY_FORMAT = 4
const PIECE_BYTES = 1024 ** 2

/**
 * Identifies the rows of an archive: by its size, its number and times (written and changed, in nanoseconds), the SHA-256 of its
 * directory, which has the CRC-32 of every entry, and how which version reads it. Undefined when it has no valid end record.
 */
export function rowCacheKey(
  file: ArchiveFile,
  options: ReadingOptions,
  version = VERSION,
): string | undefined {
  const end = readEnd(file, options.limits)
  if ('text' in end) return undefined
  const directory = createHash('sha256')
  for (let at = end.directoryOffset; at < file.size; at += PIECE_BYTES) {
    directory.update(file.read(at, Math.min(PIECE_BYTES, file.size - at)))
  }
  const { size, ino, mtimeNs, ctimeNs } = file.facts
  const { limits, substances, screening } = options
  const facts = [
    ENTRY_FORMAT,
    version,
    ...[size, ino, mtimeNs, ctimeNs].map(String),
    directory.digest('hex'),
    limits.maxEntries,
    limits.maxBytes,
    limits.maxRatio,
    substances,
    createHash('sha256').update(screening).digest('hex'),
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}
