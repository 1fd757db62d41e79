import type { Entry, ExtraField, LocalFileHeader } from 'yauzl'
import { parseExtraFields } from 'yauzl'
import { FLAG, MAX_32 } from './entry.ts'
import { decodeName, fullName } from './entry-name.ts'
import { methodName } from './entry-rules.ts'
import { extraFieldProblem, FIELD, fieldOf } from './extra-fields.ts'

/** The longest data descriptor: a signature, CRC-32, two sizes of 64 bits. */
export const MAX_DESCRIPTOR_BYTES = 24

const DESCRIPTOR_SIGNATURE = 0x08074b50

/** Whether a data descriptor follows the data. */
export function hasDescriptor({ generalPurposeBitFlag }: Entry): boolean {
  return (generalPurposeBitFlag & FLAG.descriptor) !== 0
}

/**
 * How a local header disagrees with the directory, or undefined. Dates and versions may differ: some writers do that.
 */
export function localHeaderProblem(record: Entry, local: LocalFileHeader): string | undefined {
  if (!local.fileName.equals(record.fileNameRaw)) {
    return `its local header names it "${local.fileName.toString('latin1', 0, 200)}"`
  }
  if (((local.generalPurposeBitFlag ^ record.generalPurposeBitFlag) & ~FLAG.levels) !== 0) {
    return 'its local header has other flags than the directory'
  }
  if (local.compressionMethod !== record.compressionMethod) {
    return `its local header says ${methodName(local.compressionMethod)}, the directory ${methodName(record.compressionMethod)}`
  }
  if (!fits(local.crc32, record.crc32, record))
    return 'its local header has another CRC-32 than the directory'
  let fields: ExtraField[]
  try {
    fields = parseExtraFields(local.extraField)
  } catch {
    return 'its local header has an extra field that is cut off'
  }
  const problem = extraFieldProblem(fields, local.extraField)
  if (problem !== undefined) return `its local header ${problem}`
  return sizesProblem(record, local, fields) ?? unicodeProblem(record, fields)
}

/** CRC-32 and sizes are as in the directory, or zero where a descriptor follows (APPNOTE 4.4.4, bit 3). */
function fits(value: number, listed: number, record: Entry): boolean {
  return value === listed || (value === 0 && hasDescriptor(record))
}

function sizesProblem(
  record: Entry,
  { compressedSize: packed, uncompressedSize: bytes }: LocalFileHeader,
  fields: readonly ExtraField[],
): string | undefined {
  const field = fieldOf(fields, FIELD.zip64)
  // minizip-ng writes an empty field.
  if (field === undefined || field.length === 0) {
    if (fits(packed, record.compressedSize, record) && fits(bytes, record.uncompressedSize, record))
      return undefined
    return `its local header says ${packed} bytes packed and ${bytes} unpacked, the directory ${record.compressedSize} and ${record.uncompressedSize}`
  }
  // A local header has both sizes in the field (APPNOTE 4.5.3).
  if (field.length !== 16) return 'its local header has a ZIP64 field of the wrong length'
  const agrees =
    fits(Number(field.readBigUInt64LE(0)), record.uncompressedSize, record) &&
    fits(Number(field.readBigUInt64LE(8)), record.compressedSize, record) &&
    (bytes === MAX_32 || fits(bytes, record.uncompressedSize, record)) &&
    (packed === MAX_32 || fits(packed, record.compressedSize, record)) &&
    // Readers that expect only the sizes that are masked take the first for this one.
    (packed !== MAX_32 || bytes === MAX_32 || record.compressedSize === record.uncompressedSize)
  return agrees ? undefined : 'its local header has a ZIP64 field that disagrees with the directory'
}

/** A Unicode path field must be valid and give the same name as the directory; many readers never look for one here. */
function unicodeProblem(record: Entry, fields: ExtraField[]): string | undefined {
  if (fieldOf(fields, FIELD.unicodePath) === undefined) return undefined
  const { name, reason } = decodeName({ ...record, extraFields: fields })
  return reason === undefined && name === fullName(record)
    ? undefined
    : 'its local header has a Unicode path field with another name'
}

/**
 * The length of the data descriptor at the start of `bytes`: CRC-32 and sizes as in the directory, with or without signature, in 32
 * or 64 bits. Undefined when there is none.
 */
export function descriptorBytes(bytes: Buffer, record: Entry): number | undefined {
  const start = bytes.length >= 4 && bytes.readUInt32LE(0) === DESCRIPTOR_SIGNATURE ? [4, 0] : [0]
  for (const at of start) {
    if (bytes.length < at + 12 || bytes.readUInt32LE(at) !== record.crc32) continue
    const isLong =
      bytes.length >= at + 20 &&
      bytes.readBigUInt64LE(at + 4) === BigInt(record.compressedSize) &&
      bytes.readBigUInt64LE(at + 12) === BigInt(record.uncompressedSize)
    if (isLong) return at + 20
    const isShort =
      bytes.readUInt32LE(at + 4) === record.compressedSize &&
      bytes.readUInt32LE(at + 8) === record.uncompressedSize
    if (isShort) return at + 12
  }
  return undefined
}
