import { crc32 } from 'node:zlib'
import type { ArchiveEntry } from './entry.ts'
import { dosTimeMs, FLAG } from './entry.ts'
import type { EntryName } from './entry-name.ts'
import { isPlainName, readEntryName } from './entry-name.ts'
import { areExtraFieldsHarmless, readExtraFields } from './extra-fields.ts'

/**
 * The entries of an archive as columns of numbers over the bytes of its directory, in the directory's order. An object for
 * each of a hundred thousand entries costs more than all the rest of reading them; `entryAt` makes one where it is wanted.
 */
export interface EntryTable {
  readonly count: number
  /** The bytes of the central directory, and where they stand in the file. */
  readonly directory: Buffer
  /** The same bytes for reading numbers, which is several times faster until the compiler has looked at it. */
  readonly view: DataView
  readonly directoryOffset: number
  /** The same bytes as letters, made when the first name is wanted: names are cut out of it. */
  letters: string | undefined
  /** Whether every name is as `isPlainName` wants it; known once the directory is read. */
  areNamesPlain: boolean
  /** Where each record begins in `directory`, which is smaller than 4 GiB. */
  readonly recordStart: Uint32Array
  /** From the record or its ZIP64 field. */
  readonly bytes: Float64Array
  readonly packedBytes: Float64Array
  readonly headerOffset: Float64Array
  /** Known once the local headers are checked. */
  readonly dataOffset: Float64Array
  readonly endOffset: Float64Array
}

/** The fixed part of a central record (APPNOTE 4.3.12). */
export const RECORD_BYTES = 46

/** An empty table for `count` entries; the caller has seen that the directory has room for them. */
export function createTable(count: number, directory: Buffer, directoryOffset: number): EntryTable {
  return {
    count,
    directory,
    view: new DataView(directory.buffer, directory.byteOffset, directory.length),
    directoryOffset,
    letters: undefined,
    areNamesPlain: true,
    recordStart: new Uint32Array(count),
    bytes: new Float64Array(count),
    packedBytes: new Float64Array(count),
    headerOffset: new Float64Array(count),
    dataOffset: new Float64Array(count),
    endOffset: new Float64Array(count),
  }
}

/** One entry as an object. */
export function entryAt(table: EntryTable, index: number): ArchiveEntry {
  const { directory } = table
  const start = table.recordStart[index]!
  const name = nameAt(table, index)
  return {
    name: name.name,
    isFolder: name.isFolder,
    bytes: table.bytes[index]!,
    packedBytes: table.packedBytes[index]!,
    crc32: directory.readUInt32LE(start + 16),
    method: directory.readUInt16LE(start + 10) === 8 ? 'deflate' : 'stored',
    modifiedMs: modifiedAt(table, index),
    headerOffset: table.headerOffset[index]!,
    dataOffset: table.dataOffset[index]!,
    endOffset: table.endOffset[index]!,
  }
}

/** When an entry was modified: by an extra field, else by its DOS time, read as UTC; undefined when that is no date. */
export function modifiedAt({ directory, view, recordStart }: EntryTable, index: number): number | undefined {
  const record = recordStart[index]!
  const extraStart = record + RECORD_BYTES + view.getUint16(record + 28, true)
  const extraBytes = view.getUint16(record + 30, true)
  const byField =
    extraBytes === 0 ? undefined : readExtraFields(directory, extraStart, extraStart + extraBytes).modifiedMs
  return byField ?? dosTimeMs(view.getUint32(record + 12, true))
}

/** Whether an entry is a folder, by the last letter of its name. */
export function isFolderAt(table: EntryTable, index: number): boolean {
  const record = table.recordStart[index]!
  return table.directory[record + RECORD_BYTES + table.view.getUint16(record + 28, true) - 1] === SLASH
}

/** Whether there is anything to be read: a folder may carry the mark of empty deflate data, and usually carries nothing. */
export function hasDataAt(table: EntryTable, index: number): boolean {
  if (!isFolderAt(table, index) || table.packedBytes[index]! > 0) return true
  return table.view.getUint32(table.recordStart[index]! + 16, true) !== 0
}

/** All entries as objects. */
export function allEntries(table: EntryTable): ArchiveEntry[] {
  return Array.from({ length: table.count }, (_, index) => entryAt(table, index))
}

/** The central record of an entry. */
export function recordAt({ directory, recordStart }: EntryTable, index: number): Buffer {
  const start = recordStart[index]!
  const end =
    start +
    RECORD_BYTES +
    directory.readUInt16LE(start + 28) +
    directory.readUInt16LE(start + 30) +
    directory.readUInt16LE(start + 32)
  return directory.subarray(start, end)
}

/** The name by its flag or its Unicode path field: a version byte, the checksum of the raw name, the name in UTF-8. */
export function nameAt(table: EntryTable, index: number): EntryName {
  const { directory, recordStart } = table
  const record = recordStart[index]!
  const start = record + RECORD_BYTES
  const end = start + directory.readUInt16LE(record + 28)
  const extraEnd = end + directory.readUInt16LE(record + 30)
  const field = areExtraFieldsHarmless(directory, end, extraEnd)
    ? undefined
    : readExtraFields(directory, end, extraEnd).unicodePath
  if (field === undefined && isPlainName(directory, start, end)) {
    table.letters ??= directory.toString('latin1')
    return { name: table.letters.substring(start, end), isFolder: directory[end - 1] === SLASH }
  }
  const bytes = directory.subarray(start, end)
  const isUtf8 = (directory.readUInt16LE(record + 8) & FLAG.utf8) !== 0
  if (field === undefined) return readEntryName({ bytes, isUtf8 })
  if (field.end - field.start < 5 || directory[field.start] !== 1) {
    return { ...readEntryName({ bytes, isUtf8 }), reason: 'Unicode path field is malformed' }
  }
  if (directory.readUInt32LE(field.start + 1) !== crc32(bytes)) {
    return { ...readEntryName({ bytes, isUtf8 }), reason: 'Unicode path field belongs to another name' }
  }
  return readEntryName({ bytes, isUtf8, unicodePath: directory.subarray(field.start + 5, field.end) })
}

export const SLASH = 0x2f
