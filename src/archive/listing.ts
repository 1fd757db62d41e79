import { escapeUnsafe } from '../domain/clean-text.ts'
import { isPlainName } from '../domain/entry-name.ts'
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
   * columns, unsafe letters escaped. Yielded in pieces of many lines.
   */
  readonly rows: (sizeColumns: number, packedColumns: number) => Generator<string>
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

/** Written as bytes, because a hundred thousand strings put together take longer than all the rest. */
function* rows(table: EntryTable, sizeColumns: number, packedColumns: number): Generator<string> {
  const { count, directory, view, recordStart, bytes, packedBytes } = table
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  const date = Buffer.alloc(DATE_BYTES)
  let dateOf = -1
  let at = 0
  for (let index = 0; index < count; index += 1) {
    const record = recordStart[index]!
    const nameStart = record + RECORD_BYTES
    const nameEnd = nameStart + view.getUint16(record + 28, true)
    const isPlain = isPlainName(directory, nameStart, nameEnd)
    // An escaped letter takes ten bytes at most, where it took two.
    const room = sizeColumns + packedColumns + 64 + (nameEnd - nameStart) * 6
    if (at + room > PIECE_BYTES) {
      yield piece.toString('utf8', 0, at)
      at = 0
    }
    const dosTime = view.getUint32(record + 12, true)
    const hasFields = view.getUint16(record + 30, true) > 0
    if (hasFields || dosTime !== dateOf) {
      writeDate(date, modifiedAt(table, index))
      dateOf = hasFields ? -1 : dosTime
    }
    at = writeNumber(piece, at, sizeColumns, bytes[index]!)
    at = writeNumber(piece, at, packedColumns, packedBytes[index]!)
    for (let each = 0; each < DATE_BYTES; each += 1) piece[at + each] = date[each]!
    at += DATE_BYTES
    const crc = view.getUint32(record + 16, true)
    for (let shift = 28; shift >= 0; shift -= 4) {
      piece[at] = HEX[(crc >>> shift) & 15]!
      at += 1
    }
    piece[at] = SPACE
    piece[at + 1] = SPACE
    at += 2
    if (isPlain) {
      for (let each = nameStart; each < nameEnd; each += 1) {
        piece[at] = directory[each]!
        at += 1
      }
    } else {
      at += piece.write(escapeUnsafe(nameAt(table, index).name), at, 'utf8')
    }
    piece[at] = LINE_FEED
    at += 1
  }
  if (at > 0) yield piece.toString('utf8', 0, at)
}

const SPACE = 0x20
const LINE_FEED = 0x0a
const ZERO = 0x30

/** A whole number to the right of its columns, and two spaces; the position after them. */
function writeNumber(piece: Buffer, start: number, columns: number, value: number): number {
  const end = start + columns
  if (value > 0x7fffffff) piece.write(String(value).padStart(columns), start, 'latin1')
  else {
    let rest = value | 0
    let at = end - 1
    do {
      piece[at] = ZERO + (rest % 10)
      rest = (rest / 10) | 0
      at -= 1
    } while (rest > 0)
    for (; at >= start; at -= 1) piece[at] = SPACE
  }
  piece[end] = SPACE
  piece[end + 1] = SPACE
  return end + 2
}

const DATE_BYTES = '2026-01-02 03:04:05  '.length

function writeDate(date: Buffer, ms: number | undefined): void {
  const text = ms === undefined ? '-' : new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
  date.write(text.padEnd(DATE_BYTES), 'latin1')
}
