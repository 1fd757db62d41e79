import { FLAG } from './entry.ts'
import { RECORD_BYTES } from './entry-table.ts'

const LOCAL_BYTES = 30
const MAX_32 = 0xffffffff

/** What changes when an entry moves into another archive. */
export interface NewPlace {
  readonly headerOffset: number
  readonly bytes: number
  readonly packedBytes: number
  /** Undefined: the name stays as it is. */
  readonly name?: string | undefined
}

/** A central record for an entry at its new place: everything else as it was, the ZIP64 field only with what needs it. */
export function moveRecord(record: Buffer, place: NewPlace): Buffer {
  const { headerOffset, bytes, packedBytes } = place
  const nameEnd = RECORD_BYTES + record.readUInt16LE(28)
  const extraEnd = nameEnd + record.readUInt16LE(30)
  const large = [bytes, packedBytes, headerOffset].filter((value) => value >= MAX_32)
  const isPlain =
    large.length === 0 && record.readUInt32LE(20) !== MAX_32 && record.readUInt32LE(24) !== MAX_32
  if (isPlain && place.name === undefined && record.readUInt32LE(42) !== MAX_32) {
    const copy = Buffer.from(record)
    copy.writeUInt32LE(headerOffset, 42)
    return copy
  }
  const renamed = renamedParts(record.subarray(RECORD_BYTES, nameEnd), record.readUInt16LE(8), place.name)
  const dropped = place.name === undefined ? [0x0001] : [0x0001, 0x7075]
  const extra = Buffer.concat([zip64Field(large), withoutFields(record.subarray(nameEnd, extraEnd), dropped)])
  const head = Buffer.from(record.subarray(0, RECORD_BYTES))
  if (large.length > 0) head.writeUInt16LE(Math.max(45, head.readUInt16LE(6)), 6)
  head.writeUInt16LE(renamed.flags, 8)
  head.writeUInt32LE(Math.min(packedBytes, MAX_32), 20)
  head.writeUInt32LE(Math.min(bytes, MAX_32), 24)
  head.writeUInt16LE(renamed.name.length, 28)
  head.writeUInt16LE(extra.length, 30)
  head.writeUInt16LE(0, 34)
  head.writeUInt32LE(Math.min(headerOffset, MAX_32), 42)
  return Buffer.concat([head, renamed.name, extra, record.subarray(extraEnd)])
}

/** A local header (`header` with its name and extra fields) under a new name. */
export function renameLocalHeader(header: Buffer, name: string): Buffer {
  const nameEnd = LOCAL_BYTES + header.readUInt16LE(26)
  const renamed = renamedParts(header.subarray(LOCAL_BYTES, nameEnd), header.readUInt16LE(6), name)
  const extra = withoutFields(header.subarray(nameEnd, nameEnd + header.readUInt16LE(28)), [0x7075])
  const head = Buffer.from(header.subarray(0, LOCAL_BYTES))
  head.writeUInt16LE(renamed.flags, 6)
  head.writeUInt16LE(renamed.name.length, 26)
  head.writeUInt16LE(extra.length, 28)
  return Buffer.concat([head, renamed.name, extra])
}

/** The length of a local header with its name and extra fields, from its first 30 bytes. */
export function localHeaderBytes(head: Buffer): number {
  return LOCAL_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28)
}

function renamedParts(
  raw: Buffer,
  flags: number,
  name: string | undefined,
): { readonly name: Buffer; readonly flags: number } {
  if (name === undefined) return { name: raw, flags }
  // The mark of UTF-8 is right for ASCII too, and both headers get it.
  return { name: Buffer.from(name), flags: flags | FLAG.utf8 }
}

function zip64Field(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0)
  const field = Buffer.alloc(4 + values.length * 8)
  field.writeUInt16LE(0x0001, 0)
  field.writeUInt16LE(values.length * 8, 2)
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + index * 8)
  return field
}

function withoutFields(extra: Buffer, ids: readonly number[]): Buffer {
  const kept: Buffer[] = []
  let position = 0
  while (extra.length - position >= 4) {
    const end = position + 4 + extra.readUInt16LE(position + 2)
    if (!ids.includes(extra.readUInt16LE(position))) kept.push(extra.subarray(position, end))
    position = end
  }
  return Buffer.concat(kept)
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
