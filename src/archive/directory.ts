import { formatCount, plural } from '../base/units.ts'
import type { EndRecord } from './end-record.ts'
import { FLAG } from './entry.ts'
import { isPlainName } from './entry-name.ts'
import type { EntryTable } from './entry-table.ts'
import { createTable, nameAt, RECORD_BYTES, recordAt, SLASH } from './entry-table.ts'
import { areExtraFieldsHarmless } from './extra-fields.ts'
import type { ProblemList } from './problem.ts'
import { MAX_VERSION, recordProblems, sizesOf } from './record.ts'

const RECORD_SIGNATURE = 0x02014b50

/**
 * Every entry of a central directory (APPNOTE 4.3.12), in its order. Problems of single entries go to `problems` and the
 * reading goes on; undefined when the records themselves can't be told apart.
 */
export function readDirectory(
  directory: Buffer,
  end: EndRecord,
  problems: ProblemList,
): EntryTable | undefined {
  const { entryCount, directoryOffset } = end
  const fail = (position: number, text: string): undefined => {
    problems.add({ rule: 'structure', offset: directoryOffset + position, text })
  }
  if (entryCount * RECORD_BYTES > directory.length) {
    return fail(
      0,
      `central directory of ${plural(directory.length, 'byte')} can't hold the ${plural(entryCount, 'entry', 'entries')} its end record counts`,
    )
  }
  const table = createTable(entryCount, directory, directoryOffset)
  const position = readRecords(table, problems)
  if (position < 0) {
    const index = -position - 1
    const start = index === 0 ? 0 : endOfRecord(table, index - 1)
    return fail(start, `central directory breaks off: record ${index + 1} of ${entryCount} is not one`)
  }
  if (position === directory.length) return table
  return isRecord(table.view, position)
    ? fail(
        position,
        `central directory holds more entries than the ${formatCount(entryCount)} its end record counts`,
      )
    : fail(position, `${plural(directory.length - position, 'byte')} in the central directory are no entry`)
}

/**
 * Fills in every row; what an ordinary record of a file is not is looked at more closely. Where the last record ends, or the
 * number of the record that is none, less than zero. One plain loop over numbers: this is where the time of a listing goes.
 */
function readRecords(table: EntryTable, problems: ProblemList): number {
  const { count, directory, view, recordStart, headerOffset, packedBytes, bytes } = table
  let start = 0
  for (let index = 0; index < count; index += 1) {
    if (!isRecord(view, start)) return -index - 1
    const nameStart = start + RECORD_BYTES
    const nameEnd = nameStart + view.getUint16(start + 28, true)
    const extraEnd = nameEnd + view.getUint16(start + 30, true)
    const packed = view.getUint32(start + 20, true)
    const unpacked = view.getUint32(start + 24, true)
    const offset = view.getUint32(start + 42, true)
    const method = view.getUint16(start + 10, true)
    const external = view.getUint32(start + 38, true)
    recordStart[index] = start
    packedBytes[index] = packed
    bytes[index] = unpacked
    headerOffset[index] = offset
    const isOrdinary =
      (method === 8 || (method === 0 && unpacked === packed)) &&
      (view.getUint16(start + 8, true) & FLAG.unsupported) === 0 &&
      view.getUint16(start + 6, true) <= MAX_VERSION &&
      view.getUint16(start + 34, true) === 0 &&
      unpacked !== MAX_32 &&
      packed !== MAX_32 &&
      offset !== MAX_32 &&
      // A plain file: no UNIX type or that of a file, and no folder bit of DOS.
      (external >>> 28 === 8 || external >>> 28 === 0) &&
      (external & 0x10) === 0 &&
      isPlainName(directory, nameStart, nameEnd) &&
      directory[nameEnd - 1] !== SLASH &&
      (nameEnd === extraEnd || areExtraFieldsHarmless(directory, nameEnd, extraEnd))
    if (!isOrdinary) readOddRecord(table, index, problems)
    start = extraEnd + view.getUint16(start + 32, true)
  }
  return start
}

const MAX_32 = 0xffffffff

/** Whether a whole record stands at `start`. */
function isRecord(view: DataView, start: number): boolean {
  if (start + RECORD_BYTES > view.byteLength || view.getUint32(start, true) !== RECORD_SIGNATURE) return false
  const rest =
    view.getUint16(start + 28, true) + view.getUint16(start + 30, true) + view.getUint16(start + 32, true)
  return start + RECORD_BYTES + rest <= view.byteLength
}

function endOfRecord(table: EntryTable, index: number): number {
  return table.recordStart[index]! + recordAt(table, index).length
}

function readOddRecord(table: EntryTable, index: number, problems: ProblemList): void {
  const { directory } = table
  const start = table.recordStart[index]!
  const sizes = sizesOf(directory, start)
  table.bytes[index] = sizes.bytes
  table.packedBytes[index] = sizes.packedBytes
  table.headerOffset[index] = sizes.headerOffset
  const name = nameAt(table, index)
  const nameStart = start + RECORD_BYTES
  const isPlain = isPlainName(directory, nameStart, nameStart + directory.readUInt16LE(start + 28))
  if (!isPlain) table.areNamesPlain = false
  for (const problem of recordProblems(directory, start, name, sizes)) {
    problems.add({ ...problem, entry: name.name, offset: table.directoryOffset + start })
  }
}
