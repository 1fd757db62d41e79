import { escapeUnsafe } from '../base/clean-text.ts'
import { isPlainName } from './entry-name.ts'
import type { EntryTable } from './entry-table.ts'
import { modifiedAt, nameAt, RECORD_BYTES } from './entry-table.ts'

/** What a table of the entries of one archive needs to be drawn. */
export interface Listing {
  readonly count: number
  readonly bytes: number
  readonly packedBytes: number
  /** Digits of the largest size, unpacked and packed. */
  readonly sizeDigits: number
  readonly packedDigits: number
  /**
   * A line for each entry: size, packed size, date (UTC), CRC-32, name, with two spaces between, the sizes to the right of so many
   * columns, unsafe letters escaped. Yielded in pieces of many lines as UTF-8, each good until the next is asked for.
   */
  readonly rows: (sizeColumns: number, packedColumns: number) => Generator<Uint8Array>
}

/** The listing of a table whose names are safe. */
export function listingOf(table: EntryTable): Listing {
  let [bytes, packedBytes, mostBytes, mostPacked] = [0, 0, 0, 0]
  for (let index = 0; index < table.count; index += 1) {
    const [size, packed] = [table.bytes[index]!, table.packedBytes[index]!]
    bytes += size
    packedBytes += packed
    if (size > mostBytes) mostBytes = size
    if (packed > mostPacked) mostPacked = packed
  }
  return {
    count: table.count,
    bytes,
    packedBytes,
    sizeDigits: String(mostBytes).length,
    packedDigits: String(mostPacked).length,
    rows: (sizeColumns, packedColumns) => rows(table, sizeColumns, packedColumns),
  }
}

const PIECE_BYTES = 128 * 1024

const HEX = Buffer.from('0123456789abcdef')

function* rows(table: EntryTable, sizeColumns: number, packedColumns: number): Generator<Uint8Array> {
  const piece: Piece = {
    bytes: Buffer.allocUnsafe(PIECE_BYTES),
    used: 0,
    date: Buffer.alloc(DATE_BYTES),
    dateOf: -1,
  }
  for (let index = 0; index < table.count; ) {
    index = fill(piece, table, index, sizeColumns, packedColumns)
    yield piece.bytes.subarray(0, piece.used)
  }
}

interface Piece {
  readonly bytes: Buffer
  used: number
  /** The date as it is shown, and the DOS time it is of. */
  readonly date: Buffer
  dateOf: number
}

/**
 * Writes lines from entry `first` on until the piece is full; the entry that comes next. In bytes, because a hundred thousand
 * strings put together take longer than all the rest.
 */
function fill(
  piece: Piece,
  table: EntryTable,
  first: number,
  sizeColumns: number,
  packedColumns: number,
): number {
  piece.used = 0
  let index = first
  while (index < table.count && writeLine(piece, table, index, sizeColumns, packedColumns)) index += 1
  return index
}

/** False when the piece has no room for the line. */
function writeLine(
  piece: Piece,
  table: EntryTable,
  index: number,
  sizeColumns: number,
  packedColumns: number,
): boolean {
  const { directory, view } = table
  const { bytes, date } = piece
  const record = table.recordStart[index]!
  const nameStart = record + RECORD_BYTES
  const nameEnd = nameStart + view.getUint16(record + 28, true)
  let at = piece.used
  // An escaped letter takes ten bytes at most, where it took two.
  if (at + sizeColumns + packedColumns + 64 + (nameEnd - nameStart) * 6 > PIECE_BYTES) return false
  at = writeNumber(bytes, at, sizeColumns, table.bytes[index]!)
  at = writeNumber(bytes, at, packedColumns, table.packedBytes[index]!)
  const dosTime = view.getUint32(record + 12, true)
  const hasFields = view.getUint16(record + 30, true) > 0
  if (hasFields || dosTime !== piece.dateOf) {
    writeDate(date, modifiedAt(table, index))
    piece.dateOf = hasFields ? -1 : dosTime
  }
  for (let each = 0; each < DATE_BYTES; each += 1) bytes[at + each] = date[each]!
  at = writeHex(bytes, at + DATE_BYTES, view.getUint32(record + 16, true))
  if (table.areNamesPlain || isPlainName(directory, nameStart, nameEnd)) {
    for (let each = nameStart; each < nameEnd; each += 1) {
      bytes[at] = directory[each]!
      at += 1
    }
  } else {
    at += bytes.write(escapeUnsafe(nameAt(table, index).name), at, 'utf8')
  }
  bytes[at] = LINE_FEED
  piece.used = at + 1
  return true
}

const SPACE = 0x20
const LINE_FEED = 0x0a
const ZERO = 0x30

/** A whole number to the right of its columns, and two spaces; the position after them. */
function writeNumber(bytes: Buffer, start: number, columns: number, value: number): number {
  const end = start + columns
  bytes[end] = SPACE
  bytes[end + 1] = SPACE
  if (value > 0x7fffffff) {
    bytes.write(String(value).padStart(columns), start, 'latin1')
    return end + 2
  }
  let rest = value | 0
  let at = end
  do {
    const tenth = (rest / 10) | 0
    at -= 1
    bytes[at] = ZERO + rest - tenth * 10
    rest = tenth
  } while (rest > 0)
  while (at > start) {
    at -= 1
    bytes[at] = SPACE
  }
  return end + 2
}

/** Eight hexadecimal digits, and two spaces; the position after them. */
function writeHex(bytes: Buffer, start: number, value: number): number {
  for (let digit = 0; digit < 8; digit += 1) bytes[start + digit] = HEX[(value >>> (28 - digit * 4)) & 15]!
  bytes[start + 8] = SPACE
  bytes[start + 9] = SPACE
  return start + 10
}

const DATE_BYTES = '2026-01-02 03:04:05  '.length

function writeDate(date: Buffer, ms: number | undefined): void {
  const text = ms === undefined ? '-' : new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
  date.write(text.padEnd(DATE_BYTES), 'latin1')
}
