import { crc32 } from 'node:zlib'
import type { EntryName } from '../domain/entry-name.ts'
import { readEntryName } from '../domain/entry-name.ts'
import type { EndRecord } from './end-record.ts'
import type { DirectoryEntry } from './entry.ts'
import { dosTimeMs, FLAG, methodName } from './entry.ts'
import type { ExtraFields } from './extra-fields.ts'
import { isPlainMode, readExtraFields } from './extra-fields.ts'
import type { ProblemList } from './problem.ts'

export const RECORD_SIGNATURE = 0x02014b50
export const RECORD_BYTES = 46

/**
 * Every entry of a central directory (APPNOTE 4.3.12), in its order. Problems of single entries go to `problems` and the
 * reading goes on; undefined when the records themselves can't be told apart.
 */
export function readDirectory(
  directory: Buffer,
  end: EndRecord,
  problems: ProblemList,
): DirectoryEntry[] | undefined {
  const entries: DirectoryEntry[] = []
  let position = 0
  while (position < directory.length) {
    const offset = end.directoryOffset + position
    const next = recordEnd(directory, position)
    if (next === undefined) {
      const text =
        entries.length === end.entryCount
          ? 'bytes in the central directory are no entry'
          : `central directory breaks off: record ${entries.length + 1} of ${end.entryCount} is not one`
      problems.add({ rule: 'structure', offset, text })
      return undefined
    }
    if (entries.length === end.entryCount) {
      const text = `central directory holds more than the ${end.entryCount} entries its end record counts`
      problems.add({ rule: 'structure', offset, text })
      return undefined
    }
    entries.push(readRecord(directory, position, next, offset, problems))
    position = next
  }
  if (entries.length === end.entryCount) return entries
  problems.add({
    rule: 'structure',
    offset: end.directoryOffset,
    text: `central directory holds ${entries.length} entries, its end record counts ${end.entryCount}`,
  })
  return undefined
}

function recordEnd(directory: Buffer, start: number): number | undefined {
  if (start + RECORD_BYTES > directory.length || directory.readUInt32LE(start) !== RECORD_SIGNATURE) {
    return undefined
  }
  const end =
    start +
    RECORD_BYTES +
    directory.readUInt16LE(start + 28) +
    directory.readUInt16LE(start + 30) +
    directory.readUInt16LE(start + 32)
  return end > directory.length ? undefined : end
}

function readRecord(
  directory: Buffer,
  start: number,
  end: number,
  offset: number,
  problems: ProblemList,
): DirectoryEntry {
  const flags = directory.readUInt16LE(start + 8)
  const methodCode = directory.readUInt16LE(start + 10)
  const dosTime = directory.readUInt32LE(start + 12)
  const nameBytes = directory.readUInt16LE(start + 28)
  const nameEnd = start + RECORD_BYTES + nameBytes
  const extra = readExtraFields(directory, nameEnd, nameEnd + directory.readUInt16LE(start + 30))
  const rawName = directory.subarray(start + RECORD_BYTES, nameEnd)
  const name = nameOf(rawName, flags, directory, extra)
  const size = sizesOf(directory, start, extra)
  const add = (rule: 'name' | 'structure' | 'unsupported', text: string): void => {
    problems.add({ rule, entry: name.name, offset, text })
  }
  if (extra.problem !== undefined) add('structure', extra.problem)
  if (name.reason !== undefined) add('name', name.reason)
  if (size.problem !== undefined) add('structure', size.problem)
  const unsupported = unsupportedProblem(flags, methodCode)
  if (unsupported !== undefined) add('unsupported', unsupported)
  const kind = kindProblem(directory.readUInt32LE(start + 38), name.isFolder)
  if (kind !== undefined) add('name', kind)
  if (name.isFolder && size.bytes !== 0) add('structure', `is a folder that holds ${size.bytes} bytes`)
  else if (methodCode === 0 && size.bytes !== size.packedBytes && (flags & FLAG.encrypted) === 0) {
    add('structure', `is stored, but declares ${size.packedBytes} bytes packed and ${size.bytes} unpacked`)
  }
  return {
    name: name.name,
    isFolder: name.isFolder,
    bytes: size.bytes,
    packedBytes: size.packedBytes,
    crc32: directory.readUInt32LE(start + 16),
    method: methodCode === 8 ? 'deflate' : 'stored',
    modifiedMs: extra.modifiedMs ?? dosTimeMs(dosTime),
    headerOffset: size.headerOffset,
    dataOffset: 0,
    endOffset: 0,
    flags,
    methodCode,
    dosTime,
    recordStart: start,
    recordEnd: end,
    nameBytes,
  }
}

/** The name by its flag or its Unicode path field: a version byte, the checksum of the raw name, the name in UTF-8. */
function nameOf(bytes: Buffer, flags: number, directory: Buffer, extra: ExtraFields): EntryName {
  const isUtf8 = (flags & FLAG.utf8) !== 0
  const field = extra.unicodePath
  if (field === undefined) return readEntryName({ bytes, isUtf8 })
  if (field.end - field.start < 5 || directory[field.start] !== 1) {
    return { ...readEntryName({ bytes, isUtf8 }), reason: 'Unicode path field is malformed' }
  }
  if (directory.readUInt32LE(field.start + 1) !== crc32(bytes)) {
    return { ...readEntryName({ bytes, isUtf8 }), reason: 'Unicode path field belongs to another name' }
  }
  return readEntryName({ bytes, isUtf8, unicodePath: directory.subarray(field.start + 5, field.end) })
}

interface Sizes {
  readonly bytes: number
  readonly packedBytes: number
  readonly headerOffset: number
  readonly problem?: string
}

/**
 * Sizes and offset, from the ZIP64 field where the record has no room (APPNOTE 4.5.3). The field holds either exactly what
 * is missing, or all of it, and then it must repeat what the record says.
 */
function sizesOf(directory: Buffer, start: number, extra: ExtraFields): Sizes {
  const bytes = directory.readUInt32LE(start + 24)
  const packedBytes = directory.readUInt32LE(start + 20)
  const headerOffset = directory.readUInt32LE(start + 42)
  const disk = directory.readUInt16LE(start + 34)
  const plain = { bytes, packedBytes, headerOffset }
  const needsMore =
    bytes === 0xffffffff || packedBytes === 0xffffffff || headerOffset === 0xffffffff || disk === 0xffff
  if (extra.zip64 === undefined) {
    if (needsMore) return { ...plain, problem: 'has no ZIP64 field for the sizes it needs one for' }
    return disk === 0 ? plain : { ...plain, problem: `is said to begin in file ${disk + 1} of several` }
  }
  const field = readZip64(directory, extra.zip64, [bytes, packedBytes, headerOffset], disk)
  return typeof field === 'string' ? { ...plain, problem: field } : field
}

function readZip64(
  directory: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  plain: readonly number[],
  disk: number,
): Sizes | string {
  const missing = plain.filter((value) => value === 0xffffffff).length
  const length = end - start
  const exact = missing * 8 + (disk === 0xffff ? 4 : 0)
  const isFull = length !== exact
  if (isFull && length !== 16 && length !== 24 && length !== 28)
    return 'has a ZIP64 field of the wrong length'
  let position = start
  const values = plain.map((value, index) => {
    const isThere = isFull ? position + 8 <= end && index * 8 < length : value === 0xffffffff
    if (!isThere) return value
    const value64 = Number(directory.readBigUInt64LE(position))
    position += 8
    return value === 0xffffffff || value === value64 ? value64 : Number.NaN
  })
  if (isFull && plain.some((value, index) => value === 0xffffffff && index * 8 >= length)) {
    return 'has a ZIP64 field of the wrong length'
  }
  if (position + 4 <= end && directory.readUInt32LE(position) !== 0)
    return 'is said to begin in another file of several'
  if (disk !== 0 && disk !== 0xffff) return `is said to begin in file ${disk + 1} of several`
  if (values.some((value) => !Number.isSafeInteger(value)))
    return 'has a ZIP64 field that disagrees with its record'
  return { bytes: values[0]!, packedBytes: values[1]!, headerOffset: values[2]! }
}

function unsupportedProblem(flags: number, method: number): string | undefined {
  if ((flags & FLAG.strongEncryption) !== 0 || (flags & FLAG.maskedHeaders) !== 0) {
    return 'is encrypted (strong encryption)'
  }
  if (method === 99) return 'is encrypted (AES)'
  if ((flags & FLAG.encrypted) !== 0) return 'is encrypted'
  if ((flags & FLAG.patch) !== 0) return 'is a patch to another file'
  return method === 0 || method === 8 ? undefined : `is packed with ${methodName(method)}`
}

const DOS_FOLDER = 0x10

function kindProblem(externalAttributes: number, isFolder: boolean): string | undefined {
  const mode = externalAttributes >>> 16
  if (!isPlainMode(mode))
    return (mode & 0xf000) === 0xa000 ? 'is a symbolic link' : 'is a device, a pipe or a socket'
  const type = mode & 0xf000
  if (!isFolder && (type === 0x4000 || (externalAttributes & DOS_FOLDER) !== 0)) {
    return 'is a folder by its attributes and a file by its name'
  }
  return isFolder && type === 0x8000 ? 'is a file by its attributes and a folder by its name' : undefined
}
