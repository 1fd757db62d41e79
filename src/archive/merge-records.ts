import type { Entry, ExtraField, LocalFileHeader } from 'yauzl'
import { parseExtraFields } from 'yauzl'
import { type ArchiveEntry, CENTRAL_RECORD_BYTES, FLAG, LOCAL_HEADER_BYTES, MAX_32 } from './entry.ts'
import { FIELD } from './extra-fields.ts'

/** An entry for a merged archive: as it was read, and its new name. */
export interface MovedEntry {
  readonly entry: ArchiveEntry
  readonly record: Entry
  readonly local: LocalFileHeader
  readonly name: string
}

/** A new local header, with sizes and CRC-32 instead of a data descriptor. */
export function localHeader(moved: MovedEntry): Buffer {
  const { bytes, packedBytes } = moved.entry
  const isLarge = Math.max(bytes, packedBytes) >= MAX_32
  const name = Buffer.from(moved.name)
  const extra = extraOf(isLarge ? [bytes, packedBytes] : [], parseExtraFields(moved.local.extraField))
  const head = Buffer.alloc(LOCAL_HEADER_BYTES)
  head.writeUInt32LE(0x04034b50, 0)
  writeFacts(head, 4, moved, isLarge ? [MAX_32, MAX_32] : [bytes, packedBytes], isLarge)
  head.writeUInt16LE(name.length, 26)
  head.writeUInt16LE(extra.length, 28)
  return Buffer.concat([head, name, extra])
}

/** A new central record for an entry whose local header is at `headerOffset`. */
export function centralRecord(moved: MovedEntry, headerOffset: number): Buffer {
  const { entry, record } = moved
  const values = [entry.bytes, entry.packedBytes, headerOffset]
  const large = values.filter((value) => value >= MAX_32)
  const [bytes, packedBytes, offset] = values.map((value) => Math.min(value, MAX_32)) as [
    number,
    number,
    number,
  ]
  const name = Buffer.from(moved.name)
  const extra = extraOf(large, record.extraFields)
  const head = Buffer.alloc(CENTRAL_RECORD_BYTES)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(record.versionMadeBy, 4)
  writeFacts(head, 6, moved, [bytes, packedBytes], large.length > 0)
  head.writeUInt16LE(name.length, 28)
  head.writeUInt16LE(extra.length, 30)
  head.writeUInt16LE(record.fileCommentLength, 32)
  head.writeUInt16LE(record.internalFileAttributes, 36)
  head.writeUInt32LE(record.externalFileAttributes, 38)
  head.writeUInt32LE(offset, 42)
  return Buffer.concat([head, name, extra, record.fileCommentRaw])
}

/** Fields in the same order in both headers: version, flags, method, time, CRC-32, sizes. */
function writeFacts(
  head: Buffer,
  at: number,
  { record, name }: MovedEntry,
  [bytes, packedBytes]: readonly [number, number],
  isLarge: boolean,
): void {
  const flags = record.generalPurposeBitFlag & (FLAG.levels | FLAG.utf8)
  head.writeUInt16LE(isLarge ? 45 : 20, at)
  head.writeUInt16LE(/^[\0-\x7f]*$/.test(name) ? flags : flags | FLAG.utf8, at + 2)
  head.writeUInt16LE(record.compressionMethod, at + 4)
  head.writeUInt16LE(record.lastModFileTime, at + 6)
  head.writeUInt16LE(record.lastModFileDate, at + 8)
  head.writeUInt32LE(record.crc32, at + 10)
  head.writeUInt32LE(packedBytes, at + 14)
  head.writeUInt32LE(bytes, at + 18)
}

/** A ZIP64 field for these numbers, and the old fields except those with the old numbers and name. */
function extraOf(numbers: readonly number[], fields: readonly ExtraField[]): Buffer {
  const kept = fields.filter(({ id }) => id !== FIELD.zip64 && id !== FIELD.unicodePath)
  const zip64 = Buffer.alloc(numbers.length * 8)
  for (const [index, value] of numbers.entries()) zip64.writeBigUInt64LE(BigInt(value), index * 8)
  const all = numbers.length === 0 ? kept : [{ id: FIELD.zip64, data: zip64 }, ...kept]
  return Buffer.concat(
    all.flatMap(({ id, data }) => [Buffer.from(Uint16Array.of(id, data.length).buffer), data]),
  )
}

/** The records that end an archive, with those of ZIP64 where a number needs them. */
export function endRecords(count: number, directoryOffset: number, directoryBytes: number): Buffer {
  const isLarge = count >= 0xffff || directoryOffset >= MAX_32 || directoryBytes >= MAX_32
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, 0xffff), 8)
  end.writeUInt16LE(Math.min(count, 0xffff), 10)
  end.writeUInt32LE(Math.min(directoryBytes, MAX_32), 12)
  end.writeUInt32LE(Math.min(directoryOffset, MAX_32), 16)
  if (!isLarge) return end
  const large = Buffer.alloc(76)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(45, 12)
  large.writeUInt16LE(45, 14)
  large.writeBigUInt64LE(BigInt(count), 24)
  large.writeBigUInt64LE(BigInt(count), 32)
  large.writeBigUInt64LE(BigInt(directoryBytes), 40)
  large.writeBigUInt64LE(BigInt(directoryOffset), 48)
  large.writeUInt32LE(0x07064b50, 56)
  large.writeBigUInt64LE(BigInt(directoryOffset + directoryBytes), 64)
  large.writeUInt32LE(1, 72)
  return Buffer.concat([large, end])
}
