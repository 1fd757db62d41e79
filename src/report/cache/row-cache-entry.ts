import { createHash } from 'node:crypto'
import type { ReadBatch } from '../report-batch.ts'
import type { SubstanceRow } from '../rows/report-row.ts'

const CHECKSUM_BYTES = 32
const LENGTH_BYTES = 4

/** The content of a cache entry: a checksum over its key and the rest, then each piece after its length. */
export function entryPieces(key: string, pieces: readonly Buffer[]): readonly Buffer[] {
  const body = pieces.flatMap((piece) => [lengthOf(piece), piece])
  return [checksum(key, body), ...body]
}

/** The pieces in the bytes of an entry; undefined when it is truncated, damaged, or was written under another key. */
export function readEntryPieces(key: string, bytes: Buffer): readonly Buffer[] | undefined {
  const body = bytes.subarray(CHECKSUM_BYTES)
  if (!checksum(key, [body]).equals(bytes.subarray(0, CHECKSUM_BYTES))) return undefined
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const from = at + LENGTH_BYTES
    at = from + body.readUInt32LE(at)
    pieces.push(body.subarray(from, at))
  }
  return pieces
}

/** A batch whose sources do not name the archive, for the next report may name it otherwise. */
export function withoutPrefix(batch: ReadBatch, prefix: string): ReadBatch {
  return withSources(batch, (source) => source.slice(prefix.length))
}

/** A batch without prefix, with the sources of its rows in the archive that `prefix` names. */
export function withPrefix(batch: ReadBatch, prefix: string): ReadBatch {
  return withSources(batch, (source) => prefix + source)
}

function withSources(batch: ReadBatch, change: (source: string) => string): ReadBatch {
  const changed = <T extends Pick<SubstanceRow, 'source'>>(row: T): T => ({
    ...row,
    source: change(row.source),
  })
  return {
    ...batch,
    rows: batch.rows.map(changed),
    substances: batch.substances.map(changed),
    skipped: batch.skipped.map(change),
    requests: batch.requests.map(change),
  }
}

function lengthOf({ length }: Buffer): Buffer {
  const bytes = Buffer.alloc(LENGTH_BYTES)
  bytes.writeUInt32LE(length)
  return bytes
}

function checksum(key: string, body: readonly Buffer[]): Buffer {
  const hash = createHash('sha256').update(key)
  for (const bytes of body) hash.update(bytes)
  return hash.digest()
}
