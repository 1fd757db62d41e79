import { isPlainName } from '../domain/entry-name.ts'
import { formatCount, plural } from '../domain/units.ts'
import type { EndRecord } from './end-record.ts'
import { FLAG } from './entry.ts'
import type { EntryTable } from './entry-table.ts'
import { createTable, nameAt, RECORD_BYTES, SLASH } from './entry-table.ts'
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
  let position = 0
  for (let index = 0; index < entryCount; index += 1) {
    const next = recordEnd(directory, position)
    if (next === -1) {
      return fail(position, `central directory breaks off: record ${index + 1} of ${entryCount} is not one`)
    }
    table.recordStart[index] = position
    readRecord(table, index, position, problems)
    position = next
  }
  if (position === directory.length) return table
  return recordEnd(directory, position) === -1
    ? fail(position, `${plural(directory.length - position, 'byte')} in the central directory are no entry`)
    : fail(
        position,
        `central directory holds more entries than the ${formatCount(entryCount)} its end record counts`,
      )
}

/** Where a record ends; -1 when none begins at `start`. */
function recordEnd(directory: Buffer, start: number): number {
  if (start + RECORD_BYTES > directory.length || directory.readUInt32LE(start) !== RECORD_SIGNATURE) return -1
  const end =
    start +
    RECORD_BYTES +
    directory.readUInt16LE(start + 28) +
    directory.readUInt16LE(start + 30) +
    directory.readUInt16LE(start + 32)
  return end > directory.length ? -1 : end
}

/** Fills in one row; what an ordinary record of a file is not is looked at more closely. */
function readRecord(table: EntryTable, index: number, start: number, problems: ProblemList): void {
  const { directory } = table
  const bytes = directory.readUInt32LE(start + 24)
  const packedBytes = directory.readUInt32LE(start + 20)
  const headerOffset = directory.readUInt32LE(start + 42)
  table.bytes[index] = bytes
  table.packedBytes[index] = packedBytes
  table.headerOffset[index] = headerOffset
  const nameStart = start + RECORD_BYTES
  const nameEnd = nameStart + directory.readUInt16LE(start + 28)
  const method = directory.readUInt16LE(start + 10)
  const isOrdinary =
    (method === 8 || (method === 0 && bytes === packedBytes)) &&
    (directory.readUInt16LE(start + 8) & FLAG.unsupported) === 0 &&
    directory.readUInt16LE(start + 6) <= MAX_VERSION &&
    areExtraFieldsHarmless(directory, nameEnd, nameEnd + directory.readUInt16LE(start + 30)) &&
    directory.readUInt16LE(start + 34) === 0 &&
    bytes !== 0xffffffff &&
    packedBytes !== 0xffffffff &&
    headerOffset !== 0xffffffff &&
    isOrdinaryFile(directory.readUInt32LE(start + 38)) &&
    isPlainName(directory, nameStart, nameEnd) &&
    directory[nameEnd - 1] !== SLASH
  if (isOrdinary) return
  const sizes = sizesOf(directory, start)
  table.bytes[index] = sizes.bytes
  table.packedBytes[index] = sizes.packedBytes
  table.headerOffset[index] = sizes.headerOffset
  const name = nameAt(table, index)
  for (const problem of recordProblems(directory, start, name, sizes)) {
    problems.add({ ...problem, entry: name.name, offset: table.directoryOffset + start })
  }
}

/** External attributes of a plain file: no UNIX type or that of a file, and no folder bit of DOS. */
function isOrdinaryFile(external: number): boolean {
  const type = external >>> 28
  return (type === 0 || type === 8) && (external & 0x10) === 0
}
