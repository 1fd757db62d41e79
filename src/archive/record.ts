import { plural } from '../base/units.ts'
import { FLAG, methodName } from './entry.ts'
import type { EntryName } from './entry-name.ts'
import { RECORD_BYTES } from './entry-table.ts'
import { isPlainMode, readExtraFields } from './extra-fields.ts'
import type { Problem } from './problem.ts'

/** Sizes and offset of a record, and what is wrong with the fields they come from. */
export interface Sizes {
  readonly bytes: number
  readonly packedBytes: number
  readonly headerOffset: number
  readonly problem?: string
}

/**
 * Sizes and offset of the record at `start`, from its ZIP64 field where the record has no room (APPNOTE 4.5.3). The field
 * holds either exactly what is missing, or all of it, and then it must repeat what the record says.
 */
export function sizesOf(directory: Buffer, start: number): Sizes {
  const bytes = directory.readUInt32LE(start + 24)
  const packedBytes = directory.readUInt32LE(start + 20)
  const headerOffset = directory.readUInt32LE(start + 42)
  const disk = directory.readUInt16LE(start + 34)
  const plain = { bytes, packedBytes, headerOffset }
  const extraStart = start + RECORD_BYTES + directory.readUInt16LE(start + 28)
  const extra = readExtraFields(directory, extraStart, extraStart + directory.readUInt16LE(start + 30))
  if (extra.problem !== undefined) return { ...plain, problem: extra.problem }
  if (disk !== 0 && disk !== 0xffff)
    return { ...plain, problem: `is said to begin in file ${disk + 1} of several` }
  if (extra.zip64 === undefined) {
    const needsMore = disk !== 0 || Math.max(bytes, packedBytes, headerOffset) === MAX_32
    return needsMore ? { ...plain, problem: 'has no ZIP64 field for the sizes it needs one for' } : plain
  }
  const field = readZip64(directory, extra.zip64, [bytes, packedBytes, headerOffset], disk)
  return typeof field === 'string' ? { ...plain, problem: field } : field
}

const MAX_32 = 0xffffffff

function readZip64(
  directory: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  plain: readonly [number, number, number],
  disk: number,
): Sizes | string {
  const length = end - start
  const missing = plain.filter((value) => value === MAX_32).length
  const isExact = length === missing * 8 + (disk === 0xffff ? 4 : 0)
  // Some writers put all of it there: both sizes, or with the offset, or with the file's number too.
  const isFull = length === 16 || length === 24 || length === 28
  if (!isExact && !isFull) return 'has a ZIP64 field of the wrong length'
  let position = start
  const values: number[] = []
  for (const value of plain) {
    const isThere = isExact ? value === MAX_32 : position + 8 <= end
    if (!isThere && value === MAX_32) return 'has a ZIP64 field of the wrong length'
    const value64 = isThere ? Number(directory.readBigUInt64LE(position)) : value
    if (isThere) position += 8
    if (!Number.isSafeInteger(value64) || (value !== MAX_32 && value !== value64)) {
      return 'has a ZIP64 field that disagrees with its record'
    }
    values.push(value64)
  }
  if (position + 4 <= end && directory.readUInt32LE(position) !== 0) {
    return 'is said to begin in another file of several'
  }
  return { bytes: values[0]!, packedBytes: values[1]!, headerOffset: values[2]! }
}

/** The newest version of the format that an entry may ask for, times ten (APPNOTE 6.3). */
export const MAX_VERSION = 63

/** Everything that is wrong with the record at `start` by itself. */
export function recordProblems(directory: Buffer, start: number, name: EntryName, sizes: Sizes): Problem[] {
  const { isFolder } = name
  const { bytes, packedBytes } = sizes
  const flags = directory.readUInt16LE(start + 8)
  const method = directory.readUInt16LE(start + 10)
  const found: Problem[] = []
  if (name.reason !== undefined) found.push({ rule: 'name', text: name.reason })
  const kind = kindProblem(directory.readUInt32LE(start + 38), isFolder)
  if (kind !== undefined) found.push({ rule: 'name', text: kind })
  if (sizes.problem !== undefined) found.push({ rule: 'structure', text: sizes.problem })
  const unsupported = unsupportedProblem(flags, method, directory.readUInt16LE(start + 6))
  if (unsupported !== undefined) found.push({ rule: 'unsupported', text: unsupported })
  if (isFolder && bytes !== 0) {
    found.push({ rule: 'structure', text: `is a folder that holds ${plural(bytes, 'byte')}` })
  } else if (method === 0 && bytes !== packedBytes && (flags & FLAG.encrypted) === 0) {
    const text = `is stored, but declares ${packedBytes} bytes packed and ${bytes} unpacked`
    found.push({ rule: 'structure', text })
  }
  return found
}

function unsupportedProblem(flags: number, method: number, version: number): string | undefined {
  if ((flags & (FLAG.strongEncryption | FLAG.maskedHeaders)) !== 0) return 'is encrypted (strong encryption)'
  if (method === 99) return 'is encrypted (AES)'
  if ((flags & FLAG.encrypted) !== 0) return 'is encrypted'
  if ((flags & FLAG.patch) !== 0) return 'is a patch to another file'
  if (method !== 0 && method !== 8) return `is packed with ${methodName(method)}`
  return version <= MAX_VERSION ? undefined : `needs version ${version / 10} of the format`
}

const DOS_FOLDER = 0x10

function kindProblem(external: number, isFolder: boolean): string | undefined {
  const mode = external >>> 16
  const type = mode & 0xf000
  if (!isPlainMode(mode)) return type === 0xa000 ? 'is a symbolic link' : 'is a device, a pipe or a socket'
  if (!isFolder && (type === 0x4000 || (external & DOS_FOLDER) !== 0)) {
    return 'is a folder by its attributes and a file by its name'
  }
  return isFolder && type === 0x8000 ? 'is a file by its attributes and a folder by its name' : undefined
}
