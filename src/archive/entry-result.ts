import type { Entry } from './archive-results.ts'
import type { ArchiveEntry } from './entry.ts'

/** An entry as JSON results have it. */
export function entryResult(
  entry: Pick<
    ArchiveEntry,
    'name' | 'isFolder' | 'bytes' | 'packedBytes' | 'modifiedMs' | 'crc32' | 'method'
  >,
): Entry {
  const { name, isFolder, bytes, packedBytes, modifiedMs, crc32, method } = entry
  return {
    name,
    folder: isFolder,
    bytes,
    packedBytes,
    modified: modifiedMs === undefined ? null : new Date(modifiedMs).toISOString(),
    crc32: crcText(crc32),
    method,
  }
}

/** A CRC-32 as eight hexadecimal digits. */
export function crcText(crc32: number): string {
  return (crc32 >>> 0).toString(16).padStart(8, '0')
}
