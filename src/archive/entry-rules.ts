import type { Entry } from 'yauzl'
import { plural } from '../base/units.ts'
import type { ZipBytes } from './archive-file.ts'
import { CENTRAL_RECORD_BYTES, FLAG, MAX_32 } from './entry.ts'
import { type EntryName, fullName } from './entry-name.ts'
import { extraFieldProblem, FIELD, fieldOf, isPlainMode } from './extra-fields.ts'
import type { Problem } from './problem.ts'

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

const DOS_FOLDER = 0x10

/** Neither a file nor a directory, or one by its name and the other by its attributes. */
function kindProblem(record: Entry, { name, isFolder }: EntryName): string | undefined {
  const external = record.externalFileAttributes
  // Maven sets all bits if there is no mode.
  const mode = external >>> 16 === 0xffff ? 0 : external >>> 16
  const type = mode & 0xf000
  // Data piped into `zip` has the mode of a pipe.
  const isPiped = type === 0x1000 && !isFolder && (record.uncompressedSize > 0 || name === '-')
  if (!isPlainMode(mode) && !isPiped) {
    return type === 0xa000 ? 'is a symbolic link' : 'is a device, a pipe or a socket'
  }
  if (!isFolder && (type === 0x4000 || (external & DOS_FOLDER) !== 0)) {
    return 'is a directory by its attributes and a file by its name'
  }
  return isFolder && type === 0x8000 ? 'is a file by its attributes and a directory by its name' : undefined
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

function sizeProblem(record: Entry, { isFolder }: EntryName): string | undefined {
  const { uncompressedSize, compressedSize } = record
  if (isFolder && uncompressedSize !== 0) {
    return `is a directory that holds ${plural(uncompressedSize, 'byte')}`
  }
  if (record.compressionMethod !== 0 || uncompressedSize === compressedSize || record.isEncrypted()) {
    return undefined
  }
  return `is stored, but declares ${compressedSize} bytes packed and ${uncompressedSize} unpacked`
}

/** The name of a compression method. */
export function methodName(code: number): string {
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
