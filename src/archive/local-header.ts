import { plural } from '../base/units.ts'
import { FLAG, methodName } from './entry.ts'
import type { EntryTable } from './entry-table.ts'
import { nameAt, RECORD_BYTES } from './entry-table.ts'
import type { ExtraFields } from './extra-fields.ts'
import { areExtraFieldsHarmless, readExtraFields } from './extra-fields.ts'

const SIGNATURE = 0x04034b50
const DESCRIPTOR_SIGNATURE = 0x08074b50

/** The fixed part of a local header (APPNOTE 4.3.7). */
export const LOCAL_HEADER_BYTES = 30

/** The longest data descriptor: a signature, CRC-32, two sizes of 64 bits. */
export const MAX_DESCRIPTOR_BYTES = 24

/**
 * Whether the local header at `at` of `bytes` repeats its central record number for number and letter for letter, and has no
 * extra fields that matter: what nearly every header does. False says nothing; `localHeaderProblem` then does.
 */
export function repeatsRecord(
  bytes: Buffer,
  view: DataView,
  at: number,
  table: EntryTable,
  record: number,
): boolean {
  const listed = table.view
  const nameLength = view.getUint16(at + 26, true)
  if (
    view.getUint32(at, true) !== SIGNATURE ||
    // Flags and method, time and date, CRC-32, packed size, size, length of the name.
    view.getUint32(at + 6, true) !== listed.getUint32(record + 8, true) ||
    view.getUint32(at + 10, true) !== listed.getUint32(record + 12, true) ||
    view.getUint32(at + 14, true) !== listed.getUint32(record + 16, true) ||
    view.getUint32(at + 18, true) !== listed.getUint32(record + 20, true) ||
    view.getUint32(at + 22, true) !== listed.getUint32(record + 24, true) ||
    nameLength !== listed.getUint16(record + 28, true)
  ) {
    return false
  }
  const start = at + LOCAL_HEADER_BYTES
  const end = start + nameLength
  const shift = record + RECORD_BYTES - start
  for (let each = start; each < end; each += 1) {
    if (bytes[each] !== table.directory[each + shift]) return false
  }
  const extraBytes = view.getUint16(at + 28, true)
  return extraBytes === 0 || areExtraFieldsHarmless(bytes, end, end + extraBytes)
}

/** How the local header at `at` (whole in `bytes`) disagrees with the directory; undefined when it does not. */
export function localHeaderProblem(
  bytes: Buffer,
  at: number,
  table: EntryTable,
  index: number,
): string | undefined {
  if (bytes.readUInt32LE(at) !== SIGNATURE) return 'has no local header where the directory says'
  const { directory } = table
  const record = table.recordStart[index]!
  const flags = directory.readUInt16LE(record + 8)
  const nameStart = at + LOCAL_HEADER_BYTES
  const nameEnd = nameStart + bytes.readUInt16LE(at + 26)
  if (!hasSameName(bytes, nameStart, nameEnd, directory, record)) {
    return `its local header names it "${bytes.toString('latin1', nameStart, Math.min(nameEnd, nameStart + 200))}"`
  }
  if (((bytes.readUInt16LE(at + 6) ^ flags) & ~FLAG.levels) !== 0) {
    return 'its local header has other flags than the directory'
  }
  const [method, listed] = [bytes.readUInt16LE(at + 8), directory.readUInt16LE(record + 10)]
  if (method !== listed) {
    return `its local header says ${methodName(method)}, the directory ${methodName(listed)}`
  }
  if (bytes.readUInt32LE(at + 10) !== directory.readUInt32LE(record + 12)) {
    return 'its local header has another date than the directory'
  }
  const hasDescriptor = (flags & FLAG.descriptor) !== 0
  if (!fits(bytes.readUInt32LE(at + 14), directory.readUInt32LE(record + 16), hasDescriptor)) {
    return 'its local header has another CRC-32 than the directory'
  }
  const extraEnd = nameEnd + bytes.readUInt16LE(at + 28)
  if (areExtraFieldsHarmless(bytes, nameEnd, extraEnd)) {
    return plainSizesProblem(bytes, at, table, index, hasDescriptor)
  }
  const extra = readExtraFields(bytes, nameEnd, extraEnd)
  if (extra.problem !== undefined) return `its local header ${extra.problem}`
  return extra.zip64 === undefined
    ? (plainSizesProblem(bytes, at, table, index, hasDescriptor) ??
        unicodeProblem(bytes, extra, table, index))
    : (zip64Problem(bytes, at, extra.zip64, table, index, hasDescriptor) ??
        unicodeProblem(bytes, extra, table, index))
}

function hasSameName(bytes: Buffer, start: number, end: number, directory: Buffer, record: number): boolean {
  if (end - start !== directory.readUInt16LE(record + 28)) return false
  const shift = record + RECORD_BYTES - start
  for (let at = start; at < end; at += 1) if (bytes[at] !== directory[at + shift]) return false
  return true
}

/** CRC-32 and sizes are as in the directory, or zero where a descriptor follows (APPNOTE 4.4.4, bit 3). */
function fits(value: number, listed: number, hasDescriptor: boolean): boolean {
  return value === listed || (hasDescriptor && value === 0)
}

function plainSizesProblem(
  bytes: Buffer,
  at: number,
  { packedBytes, bytes: unpackedBytes }: EntryTable,
  index: number,
  hasDescriptor: boolean,
): string | undefined {
  const [packed, unpacked] = [bytes.readUInt32LE(at + 18), bytes.readUInt32LE(at + 22)]
  const [listedPacked, listedUnpacked] = [packedBytes[index]!, unpackedBytes[index]!]
  if (fits(packed, listedPacked, hasDescriptor) && fits(unpacked, listedUnpacked, hasDescriptor))
    return undefined
  return `its local header says ${packed} bytes packed and ${unpacked} unpacked, the directory ${listedPacked} and ${listedUnpacked}`
}

/** Both sizes stand in the ZIP64 field of a local header (APPNOTE 4.5.3), whether the header has room for them or not. */
function zip64Problem(
  bytes: Buffer,
  at: number,
  { start, end }: { readonly start: number; readonly end: number },
  { packedBytes, bytes: unpackedBytes }: EntryTable,
  index: number,
  hasDescriptor: boolean,
): string | undefined {
  if (end - start !== 16) return 'its local header has a ZIP64 field of the wrong length'
  const [listedPacked, listedUnpacked] = [packedBytes[index]!, unpackedBytes[index]!]
  const [packed, unpacked] = [bytes.readUInt32LE(at + 18), bytes.readUInt32LE(at + 22)]
  const agrees =
    fits(Number(bytes.readBigUInt64LE(start)), listedUnpacked, hasDescriptor) &&
    fits(Number(bytes.readBigUInt64LE(start + 8)), listedPacked, hasDescriptor) &&
    (unpacked === 0xffffffff || fits(unpacked, listedUnpacked, hasDescriptor)) &&
    (packed === 0xffffffff || fits(packed, listedPacked, hasDescriptor))
  return agrees ? undefined : 'its local header has a ZIP64 field that disagrees with the directory'
}

function unicodeProblem(
  bytes: Buffer,
  { unicodePath }: ExtraFields,
  table: EntryTable,
  index: number,
): string | undefined {
  if (unicodePath === undefined) return undefined
  const { start, end } = unicodePath
  if (end - start >= 5 && bytes.toString('utf8', start + 5, end) === nameAt(table, index).name)
    return undefined
  return 'its local header has a Unicode path field with another name'
}

/**
 * How the `length` bytes from `start`, between an entry's data and what comes next, are no data descriptor for it: CRC-32 and
 * sizes, with or without signature, in 32 or 64 bits. Undefined when they are one.
 */
export function descriptorProblem(
  bytes: Buffer,
  start: number,
  length: number,
  table: EntryTable,
  index: number,
): string | undefined {
  const hasSignature = length === 16 || length === 24
  const isWide = length === 20 || length === 24
  if (!hasSignature && !isWide && length !== 12) {
    return length === 0
      ? 'has no data descriptor where one must be'
      : `has ${plural(length, 'byte')} where a data descriptor must be`
  }
  const at = hasSignature ? start + 4 : start
  if (hasSignature && bytes.readUInt32LE(start) !== DESCRIPTOR_SIGNATURE) {
    return 'has bytes where a data descriptor must be'
  }
  const packed = isWide ? Number(bytes.readBigUInt64LE(at + 4)) : bytes.readUInt32LE(at + 4)
  const unpacked = isWide ? Number(bytes.readBigUInt64LE(at + 12)) : bytes.readUInt32LE(at + 8)
  const agrees =
    bytes.readUInt32LE(at) === table.directory.readUInt32LE(table.recordStart[index]! + 16) &&
    packed === table.packedBytes[index] &&
    unpacked === table.bytes[index]
  return agrees ? undefined : 'its data descriptor disagrees with the directory'
}
