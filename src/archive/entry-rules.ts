import { type Entry, type ExtraField, type LocalFileHeader, parseExtraFields } from 'yauzl'
import { plural } from '../base/units.ts'
import type { ZipBytes } from './archive-file.ts'
import {
  type ArchiveEntry,
  CENTRAL_RECORD_BYTES,
  extraFieldProblem,
  FIELD,
  FLAG,
  fieldOf,
  isPlainMode,
  MAX_32,
} from './entry.ts'
import { decodeName, type EntryName, fullName, isSamePath, type NameDecoder } from './entry-name.ts'
import type { Problem, ProblemList } from './problem.ts'

/** The newest version of the format that an entry may need, times ten (APPNOTE 6.3). */
const MAX_VERSION = 63

/** The problems of a central record by itself; `disk` is the disk number where the entry starts. */
export function recordProblems(record: Entry, name: EntryName, disk: number): Problem[] {
  const found: Problem[] = []
  const add = (rule: Problem['rule'], text: string | undefined): void => {
    if (text !== undefined) found.push({ rule, text })
  }
  add('name', name.reason)
  add('name', kindProblem(record, name))
  add('structure', extraFieldProblem(record.extraFields, record.extraFieldRaw) ?? zip64Problem(record, disk))
  add('unsupported', unsupportedProblem(record))
  add('structure', sizeProblem(record, name))
  return found
}

/** The problem of a central record that yauzl refuses to read: an entry with strong encryption; undefined for another reason. */
export function unreadRecordProblem(file: ZipBytes, position: number): Problem | undefined {
  const rest = file.size - position
  if (rest < CENTRAL_RECORD_BYTES) return undefined
  const head = file.read(position, CENTRAL_RECORD_BYTES)
  if (head.readUInt32LE(0) !== CENTRAL_SIGNATURE) return undefined
  const nameBytes = head.readUInt16LE(28)
  const flags = head.readUInt16LE(8)
  if ((flags & FLAG.strongEncryption) === 0 || rest < CENTRAL_RECORD_BYTES + nameBytes) return undefined
  const entry = fullName({
    fileNameRaw: file.read(position + CENTRAL_RECORD_BYTES, nameBytes),
    generalPurposeBitFlag: flags,
    extraFields: [],
    versionMadeBy: head.readUInt16LE(4),
  })
  return { rule: 'unsupported', entry, offset: position, text: STRONGLY_ENCRYPTED }
}

const CENTRAL_SIGNATURE = 0x02014b50

const STRONGLY_ENCRYPTED = 'is encrypted (strong encryption)'

const DOS_DIRECTORY = 0x10

/** Neither a file nor a directory, or one by its name and the other by its attributes. */
function kindProblem(record: Entry, { name, isDirectory }: EntryName): string | undefined {
  const external = record.externalFileAttributes
  // Maven sets all bits if there is no mode.
  const mode = external >>> 16 === 0xffff ? 0 : external >>> 16
  const type = mode & 0xf000
  // Data piped into `zip` has the mode of a pipe.
  const isPiped = type === 0x1000 && !isDirectory && (record.uncompressedSize > 0 || name === '-')
  if (!isPlainMode(mode) && !isPiped) {
    return type === 0xa000 ? 'is a symbolic link' : 'is a device, a pipe or a socket'
  }
  if (!isDirectory && (type === 0x4000 || (external & DOS_DIRECTORY) !== 0)) {
    return 'is a directory by its attributes and a file by its name'
  }
  return isDirectory && type === 0x8000
    ? 'is a file by its attributes and a directory by its name'
    : undefined
}

/**
 * A ZIP64 field has the sizes and offset that do not fit into the record, or all of them (APPNOTE 4.5.3). They must agree with what
 * yauzl read.
 */
function zip64Problem(record: Entry, disk: number): string | undefined {
  const values = [record.uncompressedSize, record.compressedSize, record.relativeOffsetOfLocalHeader]
  const field = fieldOf(record.extraFields, FIELD.zip64)
  if (disk !== 0 && disk !== 0xffff) return `starts in file ${disk + 1} of several`
  if (field === undefined) {
    const isMissing = disk !== 0 || values.includes(MAX_32)
    return isMissing ? 'has no ZIP64 field although its sizes need one' : undefined
  }
  if (!values.every(Number.isSafeInteger)) return 'has a ZIP64 field that disagrees with its record'
  let position = 0
  for (const value of values) {
    if (position + 8 <= field.length && field.readBigUInt64LE(position) === BigInt(value)) position += 8
  }
  if (position + 8 <= field.length) return 'has a ZIP64 field that disagrees with its record'
  const rest = field.length - position
  if (rest !== 0 && rest !== 4) return 'has a ZIP64 field of the wrong length'
  if (rest === 0) return disk === 0 ? undefined : 'has a ZIP64 field of the wrong length'
  return field.readUInt32LE(position) === 0 ? undefined : 'starts in another file of several'
}

function unsupportedProblem(record: Entry): string | undefined {
  const { generalPurposeBitFlag: flags, compressionMethod: method } = record
  if ((flags & (FLAG.strongEncryption | FLAG.maskedHeaders)) !== 0) return STRONGLY_ENCRYPTED
  if (method === 99) return 'is encrypted (AES)'
  if (record.isEncrypted()) return 'is encrypted'
  if ((flags & FLAG.patch) !== 0) return 'is a patch to another file'
  if (method !== 0 && method !== 8) return `is packed with ${methodName(method)}`
  // Some writers put their system into the high byte.
  const version = record.versionNeededToExtract & 0xff
  return version <= MAX_VERSION ? undefined : `needs version ${version / 10} of the format`
}

function sizeProblem(record: Entry, { isDirectory }: EntryName): string | undefined {
  const { uncompressedSize, compressedSize } = record
  if (isDirectory) return directoryDataProblem(record)
  if (record.compressionMethod !== 0 || uncompressedSize === compressedSize || record.isEncrypted()) {
    return undefined
  }
  return `is stored, but declares ${compressedSize} bytes packed and ${uncompressedSize} unpacked`
}

/** The length of empty deflate data. */
const EMPTY_DEFLATE_BYTES = 2

/** A directory may have a size, as on the disk of its writer, but no data. */
function directoryDataProblem(record: Entry): string | undefined {
  const { uncompressedSize, compressedSize, compressionMethod } = record
  if (compressedSize === 0 || record.isEncrypted()) return undefined
  const mayBeEmpty = uncompressedSize === 0 || compressedSize === EMPTY_DEFLATE_BYTES
  if (compressionMethod !== 0 && mayBeEmpty) return undefined
  return `is a directory that holds ${plural(compressedSize, 'byte')}`
}

/** The name of a compression method. */
function methodName(code: number): string {
  return METHODS[code] ?? `method ${code}`
}

const METHODS: Readonly<Record<number, string>> = {
  0: 'stored',
  1: 'shrink',
  6: 'implode',
  8: 'deflate',
  9: 'deflate64',
  12: 'bzip2',
  14: 'lzma',
  93: 'zstd',
  95: 'xz',
  98: 'PPMd',
  99: 'AES encryption',
}

/** The longest data descriptor: a signature, CRC-32, two sizes of 64 bits. */
export const MAX_DESCRIPTOR_BYTES = 24

const DESCRIPTOR_SIGNATURE = 0x08074b50

/** Whether a data descriptor follows the data. */
export function hasDescriptor({ generalPurposeBitFlag }: Entry): boolean {
  return (generalPurposeBitFlag & FLAG.descriptor) !== 0
}

/** What the name of a record says beside itself. */
export interface NameReading {
  readonly isDirectory: boolean
  /** How names are decoded whose bytes do not show it. */
  readonly decodeOld: NameDecoder | undefined
}

/**
 * How a local header disagrees with the directory, or undefined. Dates and versions may differ: some writers do that.
 */
export function localHeaderProblem(
  record: Entry,
  local: LocalFileHeader,
  { isDirectory, decodeOld }: NameReading,
): string | undefined {
  const { fileName: fileNameRaw, generalPurposeBitFlag } = local
  if (!isSamePath(record, { fileNameRaw, generalPurposeBitFlag }, decodeOld)) {
    return `its local header names it "${fileNameRaw.toString('latin1', 0, 200)}"`
  }
  // How a name is encoded is part of the name.
  if (((generalPurposeBitFlag ^ record.generalPurposeBitFlag) & ~(FLAG.levels | FLAG.utf8)) !== 0) {
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
  return sizesProblem(record, local, fields, isDirectory) ?? unicodeProblem(record, fields, decodeOld)
}

/** CRC-32 and sizes are as in the directory, or zero where a descriptor follows (APPNOTE 4.4.4, bit 3). */
function fits(value: number, listed: number, record: Entry): boolean {
  return value === listed || (value === 0 && hasDescriptor(record))
}

function sizesProblem(
  record: Entry,
  { compressedSize: packed, uncompressedSize: bytes }: LocalFileHeader,
  fields: readonly ExtraField[],
  isDirectory: boolean,
): string | undefined {
  const field = fieldOf(fields, FIELD.zip64)
  // minizip-ng writes an empty field.
  if (field === undefined || field.length === 0) {
    if (fits(packed, record.compressedSize, record) && fits(bytes, record.uncompressedSize, record))
      return undefined
    if (hasDescriptor(record) && packed === MAX_32 && bytes === MAX_32) return undefined
    // That of a directory, which has no data, may be its size on the disk of its writer.
    if (isDirectory && fits(packed, record.compressedSize, record)) return undefined
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
function unicodeProblem(
  record: Entry,
  fields: ExtraField[],
  decodeOld: NameDecoder | undefined,
): string | undefined {
  if (fieldOf(fields, FIELD.unicodePath) === undefined) return undefined
  const { name, reason } = decodeName({ ...record, extraFields: fields }, decodeOld)
  return reason === undefined && name === fullName(record, decodeOld)
    ? undefined
    : 'its local header has a Unicode path field with another name'
}

/**
 * The length of the data descriptor at the start of `bytes`: CRC-32 and sizes as in the directory, with or without signature, in 32
 * or 64 bits; in 64 bits where the local header has the largest sizes of 32 bits, and no field for others. Undefined when there is none.
 */
export function descriptorBytes(bytes: Buffer, record: Entry, local: LocalFileHeader): number | undefined {
  const mustBeLong =
    local.compressedSize === MAX_32 &&
    local.uncompressedSize === MAX_32 &&
    fieldOf(parseExtraFields(local.extraField), FIELD.zip64) === undefined
  const start = bytes.length >= 4 && bytes.readUInt32LE(0) === DESCRIPTOR_SIGNATURE ? [4, 0] : [0]
  for (const at of start) {
    if (bytes.length < at + 12 || bytes.readUInt32LE(at) !== record.crc32) continue
    const isLong =
      bytes.length >= at + 20 &&
      bytes.readBigUInt64LE(at + 4) === BigInt(record.compressedSize) &&
      bytes.readBigUInt64LE(at + 12) === BigInt(record.uncompressedSize)
    if (isLong) return at + 20
    const isShort =
      !mustBeLong &&
      bytes.readUInt32LE(at + 4) === record.compressedSize &&
      bytes.readUInt32LE(at + 8) === record.uncompressedSize
    if (isShort) return at + 12
  }
  return undefined
}

/** Checks that the entries fill the file from its first byte to the directory, without gaps and overlaps. */
export function checkLayout(
  entries: readonly ArchiveEntry[],
  directoryOffset: number,
  problems: ProblemList,
): void {
  const before = problems.count
  const inFile = entries.toSorted((one, other) => one.headerOffset - other.headerOffset)
  let end = 0
  for (const [index, { name, headerOffset, endOffset }] of inFile.entries()) {
    if (headerOffset !== end) {
      const text = misplacedText(headerOffset - end, inFile[index - 1]?.name)
      problems.add({ rule: 'structure', entry: name, offset: headerOffset, text })
    }
    // The end of a damaged entry is unknown: assume that the next one follows it.
    end = Number.isNaN(endOffset) ? (inFile[index + 1]?.headerOffset ?? directoryOffset) : endOffset
  }
  if (end !== directoryOffset && problems.count === before) {
    const text = `${plural(directoryOffset - end, 'byte')} before the central directory belong to no entry`
    problems.add({ rule: 'structure', offset: end, text })
  }
}

function misplacedText(gap: number, previous: string | undefined): string {
  if (previous === undefined) return `${plural(gap, 'byte')} before the first entry`
  return gap < 0 ? `overlaps "${previous}"` : `${plural(gap, 'byte')} before it belong to no entry`
}
