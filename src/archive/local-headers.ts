import type { ByteReader } from './byte-reader.ts'
import type { DirectoryEntry } from './entry.ts'
import { FLAG, methodName } from './entry.ts'
import type { ExtraFields } from './extra-fields.ts'
import { readExtraFields } from './extra-fields.ts'
import type { ProblemList } from './problem.ts'

const SIGNATURE = 0x04034b50
const HEADER_BYTES = 30
const DESCRIPTOR_SIGNATURE = 0x08074b50
const MAX_DESCRIPTOR_BYTES = 24

/** Headers that lie closer together than this are read in one piece; farther apart, each by itself. */
const DENSE_BYTES = 4096
const WINDOW_BYTES = 1 << 20

/**
 * Holds every local header and data descriptor to the directory, fills in where the data stands, and sees to it that the
 * entries cover the file from its first byte to the directory without a gap and without overlap.
 */
export async function checkLocalHeaders(
  reader: ByteReader,
  entries: readonly DirectoryEntry[],
  directory: Buffer,
  directoryOffset: number,
  problems: ProblemList,
): Promise<void> {
  const ordered = inFileOrder(entries)
  const window = createWindow(reader, directoryOffset)
  let cursor = 0
  for (const [index, entry] of ordered.entries()) {
    const add = (text: string, offset = entry.headerOffset): void => {
      problems.add({ rule: 'structure', entry: entry.name, offset, text })
    }
    const limit = index + 1 < ordered.length ? ordered[index + 1]!.headerOffset : directoryOffset
    if (entry.headerOffset < cursor) {
      add(`overlaps "${ordered[Math.max(0, index - 1)]!.name}"`)
      continue
    }
    if (entry.headerOffset > cursor) {
      const bytes = entry.headerOffset - cursor
      add(
        index === 0
          ? `${bytes} bytes lie before the first entry`
          : `${bytes} bytes before it belong to no entry`,
        cursor,
      )
    }
    cursor = entry.headerOffset
    if (entry.headerOffset + HEADER_BYTES > directoryOffset) {
      add('has no room for its local header')
      continue
    }
    // A sparse archive is read header by header, a dense one window by window.
    const near = limit - entry.headerOffset < DENSE_BYTES
    const wanted = HEADER_BYTES + entry.nameBytes + 64
    let bytes = window.has(entry.headerOffset, wanted)
      ? window.bytes
      : await window.load(entry.headerOffset, near ? WINDOW_BYTES : wanted)
    let at = entry.headerOffset - window.start
    const headerBytes = HEADER_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
    if (entry.headerOffset + headerBytes > directoryOffset) {
      add('has a local header that reaches into the directory')
      continue
    }
    if (!window.has(entry.headerOffset, headerBytes)) {
      bytes = await window.load(entry.headerOffset, Math.max(headerBytes, near ? WINDOW_BYTES : 0))
      at = 0
    }
    const problem = headerProblem(bytes, at, entry, directory)
    if (problem !== undefined) add(problem)
    entry.dataOffset = entry.headerOffset + headerBytes
    const dataEnd = entry.dataOffset + entry.packedBytes
    entry.endOffset = dataEnd
    if (dataEnd > directoryOffset) {
      add('has data that reaches into the directory')
      continue
    }
    if ((entry.flags & FLAG.descriptor) !== 0 && limit >= dataEnd) {
      const length = limit - dataEnd
      if (length > MAX_DESCRIPTOR_BYTES)
        add('has no data descriptor where one must be, or bytes that belong to no entry', dataEnd)
      else {
        if (!window.has(dataEnd, length)) await window.load(dataEnd, near ? WINDOW_BYTES : length)
        const text = descriptorProblem(window.bytes, dataEnd - window.start, length, entry)
        if (text !== undefined) add(text, dataEnd)
      }
      entry.endOffset = limit
    }
    cursor = entry.endOffset
  }
  if (cursor < directoryOffset && problems.count === 0) {
    const text = `${directoryOffset - cursor} bytes before the central directory belong to no entry`
    problems.add({ rule: 'structure', offset: cursor, text })
  }
}

/** The entries by where they stand; the same array when it is already so, as nearly always. */
function inFileOrder(entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] {
  for (let index = 1; index < entries.length; index += 1) {
    if (entries[index]!.headerOffset < entries[index - 1]!.headerOffset) {
      return entries.toSorted((one, other) => one.headerOffset - other.headerOffset)
    }
  }
  return entries
}

interface Window {
  readonly bytes: Buffer
  readonly start: number
  readonly has: (offset: number, length: number) => boolean
  readonly load: (offset: number, length: number) => Promise<Buffer>
}

/** A sliding view of the file up to `limit`. */
function createWindow(reader: ByteReader, limit: number): Window {
  let bytes: Buffer = Buffer.alloc(0)
  let start = 0
  return {
    get bytes() {
      return bytes
    },
    get start() {
      return start
    },
    has: (offset, length) => offset >= start && Math.min(offset + length, limit) <= start + bytes.length,
    load: async (offset, length) => {
      bytes = await reader.read(offset, Math.min(length, limit - offset))
      start = offset
      return bytes
    },
  }
}

function headerProblem(
  bytes: Buffer,
  at: number,
  entry: DirectoryEntry,
  directory: Buffer,
): string | undefined {
  if (bytes.readUInt32LE(at) !== SIGNATURE) return 'has no local header where the directory says'
  const flags = bytes.readUInt16LE(at + 6)
  const method = bytes.readUInt16LE(at + 8)
  const nameBytes = bytes.readUInt16LE(at + 26)
  const nameEnd = at + HEADER_BYTES + nameBytes
  if (!sameName(bytes, at + HEADER_BYTES, nameBytes, directory, entry)) {
    return `its local header names it "${bytes.toString('latin1', at + HEADER_BYTES, Math.min(nameEnd, at + HEADER_BYTES + 200))}"`
  }
  if (((flags ^ entry.flags) & ~FLAG.levels) !== 0)
    return 'its local header has other flags than the directory'
  if (method !== entry.methodCode) {
    return `its local header says ${methodName(method)}, the directory ${methodName(entry.methodCode)}`
  }
  if (bytes.readUInt32LE(at + 10) !== entry.dosTime >>> 0)
    return 'its local header has another date than the directory'
  const extraEnd = nameEnd + bytes.readUInt16LE(at + 28)
  const extra = readExtraFields(bytes, nameEnd, extraEnd)
  if (extra.problem !== undefined) return `its local header ${extra.problem}`
  return localSizesProblem(bytes, at, entry, extra) ?? localUnicodeProblem(bytes, extra, entry)
}

function sameName(
  bytes: Buffer,
  start: number,
  length: number,
  directory: Buffer,
  entry: DirectoryEntry,
): boolean {
  if (length !== entry.nameBytes) return false
  const other = entry.recordStart + 46
  for (let index = 0; index < length; index += 1) {
    if (bytes[start + index] !== directory[other + index]) return false
  }
  return true
}

/** CRC-32 and sizes: equal, or with a descriptor to follow zero (APPNOTE 4.4.4 bit 3). */
function localSizesProblem(
  bytes: Buffer,
  at: number,
  entry: DirectoryEntry,
  extra: ExtraFields,
): string | undefined {
  const mayBeZero = (entry.flags & FLAG.descriptor) !== 0
  const crc = bytes.readUInt32LE(at + 14)
  const packed = bytes.readUInt32LE(at + 18)
  const unpacked = bytes.readUInt32LE(at + 22)
  const fits = (value: number, expected: number): boolean => value === expected || (mayBeZero && value === 0)
  if (!fits(crc, entry.crc32)) return 'its local header has another CRC-32 than the directory'
  if (extra.zip64 === undefined) {
    if (fits(packed, entry.packedBytes) && fits(unpacked, entry.bytes)) return undefined
    return `its local header says ${packed} bytes packed and ${unpacked} unpacked, the directory ${entry.packedBytes} and ${entry.bytes}`
  }
  const { start, end } = extra.zip64
  if (end - start !== 16) return 'its local header has a ZIP64 field of the wrong length'
  const unpacked64 = Number(bytes.readBigUInt64LE(start))
  const packed64 = Number(bytes.readBigUInt64LE(start + 8))
  const agrees =
    fits(unpacked64, entry.bytes) &&
    fits(packed64, entry.packedBytes) &&
    (unpacked === 0xffffffff || fits(unpacked, entry.bytes)) &&
    (packed === 0xffffffff || fits(packed, entry.packedBytes))
  return agrees ? undefined : 'its local header has a ZIP64 field that disagrees with the directory'
}

function localUnicodeProblem(bytes: Buffer, extra: ExtraFields, entry: DirectoryEntry): string | undefined {
  if (extra.unicodePath === undefined) return undefined
  const { start, end } = extra.unicodePath
  if (end - start >= 5 && bytes.toString('utf8', start + 5, end) === entry.name) return undefined
  return 'its local header has a Unicode path field with another name'
}

/** CRC-32 and sizes after the data, with or without signature, in 32 or 64 bits; the directory tells how much room there is. */
function descriptorProblem(
  bytes: Buffer,
  start: number,
  length: number,
  entry: DirectoryEntry,
): string | undefined {
  const hasSignature = length === 16 || length === 24
  const isWide = length === 20 || length === 24
  if (!hasSignature && !isWide && length !== 12) {
    return length === 0
      ? 'has no data descriptor where one must be'
      : `has ${length} bytes where a data descriptor must be`
  }
  const at = hasSignature ? start + 4 : start
  if (hasSignature && bytes.readUInt32LE(start) !== DESCRIPTOR_SIGNATURE) {
    return 'has bytes where a data descriptor must be'
  }
  const packed = isWide ? Number(bytes.readBigUInt64LE(at + 4)) : bytes.readUInt32LE(at + 4)
  const unpacked = isWide ? Number(bytes.readBigUInt64LE(at + 12)) : bytes.readUInt32LE(at + 8)
  if (bytes.readUInt32LE(at) === entry.crc32 && packed === entry.packedBytes && unpacked === entry.bytes)
    return undefined
  return 'its data descriptor disagrees with the directory'
}
