import type { ListResult } from '../archive/archive-results.ts'
import { type ArchiveEntry, crcText, entryResult } from '../archive/entry.ts'
import type { ListedArchive } from '../archive/read-archive.ts'
import { allUsed } from '../base/account.ts'
import { cutToWidth, displayWidth, escapeUnsafe, joinTexts } from '../base/clean-text.ts'
import { formatBytes, plural } from '../base/units.ts'
import type { Style } from '../terminal/style.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** What a listing shows of an entry. */
export type ListedEntry = Pick<ArchiveEntry, 'name' | 'bytes' | 'packedBytes' | 'crc32' | 'modifiedMs'>

/** How a listing is formatted. */
export interface ListingLook {
  /** With packed size, time and CRC-32. */
  readonly isLong: boolean
  /** The width of the terminal, which no line exceeds; undefined where lines may have any length. */
  readonly columns: number | undefined
  readonly style: Style
}

/** A listing for the standard output of this run. */
export function listingLook({ columns, out }: Terminal, isLong: boolean): ListingLook {
  return { isLong, columns, style: out }
}

/** The entries of archives as `matdecl.list/1`. */
export function listingResult(archives: readonly ListedArchive[]): ListResult {
  const objects = archives.map(({ path, bytes, unpackedBytes, entries }) => {
    return { path, bytes, unpackedBytes, entries: entries.map(entryResult) }
  })
  const entryCount = archives.reduce((sum, { entries }) => sum + entries.length, 0)
  const account = { archives: allUsed(archives.length), entries: allUsed(entryCount) }
  return { schema: 'matdecl.list/1', status: 'ok', archives: objects, account }
}

/** Several listings, each below the path of its archive if there is more than one. */
export function* archiveListings(
  archives: readonly { readonly path: string; readonly entries: readonly ListedEntry[] }[],
  look: ListingLook,
): Generator<string> {
  for (const [index, { path, entries }] of archives.entries()) {
    if (archives.length > 1) {
      yield `${index > 0 ? '\n' : ''}${look.style.strong(fitted(escapeUnsafe(path), look))}\n`
    }
    yield* listingLines(entries, look)
  }
}

/** The entries of one archive as a table, heading first, totals last; yielded in pieces of many lines. */
export function* listingLines(entries: readonly ListedEntry[], look: ListingLook): Generator<string> {
  const columns = columnsThatFit(entries, look)
  const title = columns.map((column) => pad(column, column.title))
  yield `${look.style.strong(fitted([...title, 'name'].join('  '), look))}\n`
  let [bytes, packedBytes] = [0, 0]
  function* lines(): Generator<string> {
    for (const entry of entries) {
      bytes += entry.bytes
      packedBytes += entry.packedBytes
      for (const column of columns) yield `${pad(column, column.text(entry))}  `
      // With any column shown, the longest name fits.
      const name = escapeUnsafe(entry.name)
      yield `${columns.length === 0 ? fitted(name, look) : name}\n`
    }
  }
  yield* joinTexts(lines())
  yield `${look.style.faint(totals(entries.length, bytes, packedBytes, look))}\n`
}

interface Column {
  readonly title: string
  readonly text: (entry: ListedEntry) => string
  /** The width of every text; numbers are as wide as the longest, and right-aligned. */
  readonly width?: number
  readonly isOnlyLong?: true
  /** On a narrow terminal, columns with a higher number are dropped first. */
  readonly rank: number
}

const COLUMNS: readonly Column[] = [
  { title: 'size', text: ({ bytes }) => String(bytes), rank: 0 },
  {
    title: 'packed',
    text: ({ packedBytes }) => String(packedBytes),
    isOnlyLong: true,
    rank: 3,
  },
  { title: 'date (UTC)', text: ({ modifiedMs }) => isoText(modifiedMs).slice(0, 10), width: 10, rank: 1 },
  {
    title: 'time',
    width: 8,
    text: ({ modifiedMs }) => isoText(modifiedMs).slice(11, 19),
    isOnlyLong: true,
    rank: 2,
  },
  { title: 'crc-32', width: 8, text: ({ crc32 }) => crcText(crc32), isOnlyLong: true, rank: 4 },
]

type SizedColumn = Column & { readonly width: number; readonly isNumber: boolean }

/** As many columns as fit beside the longest name, the most important ones first; in their usual order. */
function columnsThatFit(
  entries: readonly ListedEntry[],
  { isLong, columns: most }: ListingLook,
): SizedColumn[] {
  const wanted = COLUMNS.filter(({ isOnlyLong }) => isLong || isOnlyLong !== true).map((column) => {
    const width = column.width ?? widest(entries, (entry) => column.text(entry).length, column.title.length)
    return { ...column, width, isNumber: column.width === undefined }
  })
  if (most === undefined) return wanted
  let room = most - widest(entries, ({ name }) => displayWidth(escapeUnsafe(name)), 'name'.length)
  let isFull = false
  const fitting = wanted
    .toSorted((one, other) => one.rank - other.rank)
    .filter(({ width }) => {
      room -= width + 2
      isFull ||= room < 0
      return !isFull
    })
  return wanted.filter((column) => fitting.includes(column))
}

function widest(
  entries: readonly ListedEntry[],
  width: (entry: ListedEntry) => number,
  least: number,
): number {
  return entries.reduce((most, entry) => Math.max(most, width(entry)), least)
}

function pad({ width, isNumber }: SizedColumn, text: string): string {
  return isNumber ? text.padStart(width) : text.padEnd(width)
}

function isoText(ms: number | undefined): string {
  return ms === undefined ? '-' : new Date(ms).toISOString()
}

function totals(count: number, bytes: number, packedBytes: number, look: ListingLook): string {
  const short = `${plural(count, 'entry', 'entries')}, ${formatBytes(bytes)} unpacked`
  const long = `${short}, ${formatBytes(packedBytes)} packed`
  return look.columns !== undefined && long.length > look.columns ? fitted(short, look) : long
}

function fitted(text: string, { columns, style }: ListingLook): string {
  return columns === undefined ? text : cutToWidth(text, columns, style.mark.ellipsis)
}
