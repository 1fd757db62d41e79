import { crcText } from '../archive/entry.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import { formatBytes, plural } from '../base/units.ts'
import type { Style } from '../terminal/style.ts'

/** What a listing shows of an entry. */
export interface ListedEntry {
  readonly name: string
  readonly isFolder: boolean
  readonly bytes: number
  readonly packedBytes: number
  readonly crc32: number
  readonly method: string
  readonly modifiedMs: number | undefined
}

/** The entries of one archive as a table, heading first, totals last; yielded in pieces of many lines. */
export function* listingLines(entries: readonly ListedEntry[], style: Style): Generator<string> {
  const widest = (size: (entry: ListedEntry) => number, heading: string): number =>
    entries.reduce((most, entry) => Math.max(most, String(size(entry)).length), heading.length)
  const sizeWidth = widest((entry) => entry.bytes, 'size')
  const packedWidth = widest((entry) => entry.packedBytes, 'packed')
  yield heading(sizeWidth, packedWidth, style)
  let piece = ''
  let [bytes, packedBytes] = [0, 0]
  for (const entry of entries) {
    bytes += entry.bytes
    packedBytes += entry.packedBytes
    piece += `${String(entry.bytes).padStart(sizeWidth)}  ${String(entry.packedBytes).padStart(packedWidth)}  ${dateText(entry.modifiedMs)}  ${crcText(entry.crc32)}  ${escapeUnsafe(entry.name)}\n`
    if (piece.length > 65_536) {
      yield piece
      piece = ''
    }
  }
  yield piece
  yield totals(entries.length, bytes, packedBytes, style)
}

function heading(sizeWidth: number, packedWidth: number, style: Style): string {
  const columns = [
    'size'.padStart(sizeWidth),
    'packed'.padStart(packedWidth),
    'date (UTC)'.padEnd(19),
    'crc-32  ',
    'name',
  ]
  return `${style.strong(columns.join('  '))}\n`
}

function totals(count: number, bytes: number, packedBytes: number, style: Style): string {
  const words = `${plural(count, 'entry', 'entries')}, ${formatBytes(bytes)} unpacked, ${formatBytes(packedBytes)} packed`
  return `${style.faint(words)}\n`
}

function dateText(ms: number | undefined): string {
  return ms === undefined ? '-'.padEnd(19) : new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
