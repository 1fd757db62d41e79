import {
  type Entry,
  fromRandomAccessReaderPromise,
  type LocalFileHeader,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl'
import { Failure } from '../base/failure.ts'
import { looksLike } from '../base/file-signatures.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { openArchiveFile, type ZipBytes } from './archive-file.ts'
import { type ArchiveEntry, CENTRAL_RECORD_BYTES, LOCAL_HEADER_BYTES, modifiedMs } from './entry.ts'
import {
  CollisionCheck,
  type EntryName,
  isOldName,
  type NameDecoder,
  oldNameDecoder,
  readEntryName,
} from './entry-name.ts'
import {
  checkLayout,
  descriptorBytes,
  hasDescriptor,
  localHeaderProblem,
  MAX_DESCRIPTOR_BYTES,
  type NameReading,
  recordProblems,
  unreadRecordProblem,
} from './entry-rules.ts'
import {
  type ArchiveLimits,
  archiveFailure,
  countProblem,
  directoryProblem,
  NO_ARCHIVE_LIMITS,
  type Problem,
  ProblemList,
  ratioProblem,
  sizeProblem,
} from './problem.ts'

/** The structure of an archive; with problems, nothing of it may be extracted. */
interface ArchiveStructure {
  /** In the directory's order. */
  readonly entries: readonly ArchiveEntry[]
  readonly unpackedBytes: number
  readonly problems: ProblemList
  /** True when the data of every entry can be checked despite the problems. */
  readonly isReadable: boolean
}

/**
 * Reads the structure of an archive (end record, directory, every local header and descriptor) and checks the rules: names, kinds,
 * limits, no overlap, no gap, no disagreement. Inflates nothing.
 */
export async function readArchive(file: ZipBytes, limits: ArchiveLimits): Promise<ArchiveStructure> {
  const problems = new ProblemList()
  const entries: ArchiveEntry[] = []
  const end = readEnd(file, limits)
  if ('text' in end) problems.add(end)
  else {
    const collisions = new CollisionCheck()
    for await (const { entry } of readEntries(file, end, problems)) {
      const text = collisions.add(entry.name)
      if (text !== undefined) {
        problems.add({ rule: 'name', entry: entry.name, offset: entry.headerOffset, text })
      }
      entries.push(entry)
    }
    if (entries.length === end.entryCount) checkLayout(entries, end.directoryOffset, problems)
    checkLimits(entries, limits, file.size, problems)
  }
  const unpackedBytes = entries.reduce((sum, { bytes }) => sum + bytes, 0)
  return { entries, unpackedBytes, problems, isReadable: problems.areOnlyNames }
}

/**
 * The entries that the directory of an archive lists, without any rule about names, overlaps or what local headers repeat: for a file
 * of the user that is an archive by its format, such as a workbook. Undefined for anything that cannot be read.
 */
export async function readContainer(file: ZipBytes): Promise<readonly ArchiveEntry[] | undefined> {
  const end = readEnd(file, NO_ARCHIVE_LIMITS)
  if ('text' in end) return undefined
  const entries: ArchiveEntry[] = []
  try {
    const { zip } = await openZip(file, end)
    for await (const record of zip.eachEntry()) {
      const { name, isDirectory } = readEntryName(record)
      const { fileDataStart: start } = await zip.readLocalFileHeaderPromise(record)
      if (![0, 8].includes(record.compressionMethod) || record.isEncrypted()) return undefined
      entries.push({
        name,
        isDirectory,
        bytes: record.uncompressedSize,
        packedBytes: record.compressedSize,
        crc32: record.crc32,
        method: record.compressionMethod === 8 ? 'deflate' : 'stored',
        modifiedMs: modifiedMs(record),
        headerOffset: record.relativeOffsetOfLocalHeader,
        dataOffset: start,
        endOffset: start + record.compressedSize,
      })
    }
  } catch (error) {
    if (isFromYauzl(error)) return undefined
    throw error
  }
  return entries
}

/** The end record, or its problem. */
export function readEnd(file: ZipBytes, limits: ArchiveLimits): EndRecord | Problem {
  const end = readEndRecord(file)
  if ('text' in end) return end.offset === undefined ? foreignProblem(file, end) : end
  const tooMany = countProblem(end.entryCount, limits) ?? directoryProblem(end.directoryBytes, limits)
  return tooMany ?? end
}

/** The problem of a file without an end record: another kind of file, or a truncated archive. */
function foreignProblem(file: ZipBytes, missing: Problem): Problem {
  const foreign = looksLike(file.read(0, Math.min(file.size, 1024)))
  return foreign === undefined
    ? missing
    : { rule: 'structure', text: `is not a ZIP archive: ${foreign}`, isForeign: true }
}

/** A record of the directory. */
interface ReadRecord {
  readonly record: Entry
  readonly name: EntryName
}

/** An entry and its records. */
interface ReadEntry {
  readonly entry: ArchiveEntry
  readonly record: Entry
  /** Undefined when it cannot be read, which is a problem too. */
  readonly local: LocalFileHeader | undefined
  /** Fills a buffer with the bytes of the archive from this position; fast for the entry's own data. */
  readonly fill: OpenZip['fill']
}

/** Every record of the directory, in its order; its problems are added to `problems`. One of the directory itself ends the reading. */
export function readDirectoryRecords(
  file: ZipBytes,
  end: EndRecord,
  problems: ProblemList,
): AsyncGenerator<ReadRecord, void, void> {
  return eachRecord(file, end, problems, (_, record, { name }) => ({ record, name }))
}

/** `readDirectoryRecords`, with every local header and data descriptor. */
export function readEntries(
  file: ZipBytes,
  end: EndRecord,
  problems: ProblemList,
): AsyncGenerator<ReadEntry, void, void> {
  return eachRecord(file, end, problems, (open, record, read) => readEntry(open, end, record, read, problems))
}

/** The name of a record, and how old names of its archive are decoded, once that is known. */
interface ReadName {
  readonly name: EntryName
  readonly decodeOld: NameDecoder | undefined
}

async function* eachRecord<T>(
  file: ZipBytes,
  end: EndRecord,
  problems: ProblemList,
  read: (open: OpenZip, record: Entry, read: ReadName) => T | Promise<T>,
): AsyncGenerator<T, void, void> {
  let count = 0
  let nextRecord = end.directoryOffset
  let decodeOld: NameDecoder | undefined
  try {
    const open = await openZip(file, end)
    for await (const record of open.zip.eachEntry()) {
      if (decodeOld === undefined && isOldName(record)) decodeOld = oldNameDecoder(await oldNames(file, end))
      const name = readEntryName(record, decodeOld)
      // yauzl does not provide the disk number where an entry starts.
      const disk = open.fill(Buffer.allocUnsafe(2), nextRecord + 34).readUInt16LE(0)
      for (const problem of recordProblems(record, name, disk)) {
        problems.add({ ...problem, entry: name.name, offset: nextRecord })
      }
      count += 1
      nextRecord += recordBytes(record)
      yield await read(open, record, { name, decodeOld })
    }
  } catch (error) {
    if (!isFromYauzl(error)) throw error
    const text = `central directory ends at record ${count + 1} of ${end.entryCount}: ${error.message}`
    problems.add(unreadRecordProblem(file, nextRecord) ?? { rule: 'structure', offset: nextRecord, text })
    return
  }
  const rest = end.directoryOffset + end.directoryBytes - nextRecord
  if (rest === 0) return
  const text = `central directory is ${plural(Math.abs(rest), 'byte')} ${rest > 0 ? 'longer' : 'shorter'} than its ${plural(end.entryCount, 'entry', 'entries')}`
  problems.add({ rule: 'structure', offset: nextRecord, text })
}

/** Every name of an archive that does not show how it is encoded; those of a damaged directory as far as it can be read. */
async function oldNames(file: ZipBytes, end: EndRecord): Promise<readonly Buffer[]> {
  const names: Buffer[] = []
  const { zip } = await openZip(file, end)
  try {
    for await (const record of zip.eachEntry()) if (isOldName(record)) names.push(record.fileNameRaw)
  } catch (error) {
    if (!isFromYauzl(error)) throw error
  }
  return names
}

async function readEntry(
  open: OpenZip,
  end: EndRecord,
  record: Entry,
  { name: { name, isDirectory }, decodeOld }: ReadName,
  problems: ProblemList,
): Promise<ReadEntry> {
  const data = await locateData(open, end, record, { isDirectory, decodeOld })
  const headerOffset = record.relativeOffsetOfLocalHeader
  const entry: ArchiveEntry = {
    name,
    isDirectory,
    // Some writers give a directory its size on their disk; it has no data.
    bytes: isDirectory ? 0 : record.uncompressedSize,
    packedBytes: record.compressedSize,
    crc32: record.crc32,
    method: record.compressionMethod === 8 ? 'deflate' : 'stored',
    modifiedMs: modifiedMs(record),
    headerOffset,
    dataOffset: data.start,
    endOffset: data.end,
  }
  const { problem: text, local } = data
  if (text !== undefined) problems.add({ rule: 'structure', entry: name, offset: headerOffset, text })
  return { entry, record, local, fill: open.fill }
}

/** The position of an entry's data; NaN when its local header or data descriptor is wrong. */
interface EntryData {
  readonly start: number
  readonly end: number
  readonly local?: LocalFileHeader
  readonly problem?: string
}

async function locateData(
  { zip, fill }: OpenZip,
  { directoryOffset }: EndRecord,
  record: Entry,
  name: NameReading,
): Promise<EntryData> {
  const bad = (problem: string): EntryData => ({ start: Number.NaN, end: Number.NaN, problem })
  if (record.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES > directoryOffset) {
    return bad('has a local header that does not fit before the directory')
  }
  let local: LocalFileHeader
  try {
    local = await zip.readLocalFileHeaderPromise(record)
  } catch (error) {
    if (!isFromYauzl(error)) throw error
    return bad(`its local header cannot be read: ${error.message}`)
  }
  const problem = localHeaderProblem(record, local, name)
  if (problem !== undefined) return bad(problem)
  const start = local.fileDataStart
  const end = start + record.compressedSize
  if (end > directoryOffset) return bad('has data that reaches into the directory')
  if (!hasDescriptor(record)) return { start, end, local }
  const room = Math.min(MAX_DESCRIPTOR_BYTES, directoryOffset - end)
  const length = descriptorBytes(fill(Buffer.allocUnsafe(room), end), record, local)
  if (length === undefined) return bad('has no data descriptor that agrees with the directory')
  return { start, end: end + length, local }
}

function recordBytes({ fileNameLength, extraFieldLength, fileCommentLength }: Entry): number {
  return CENTRAL_RECORD_BYTES + fileNameLength + extraFieldLength + fileCommentLength
}

/** yauzl throws plain errors about the archive; errors of reading the file are Failures. */
function isFromYauzl(error: unknown): error is Error {
  if (error instanceof Failure) return false
  return error instanceof CutShort || (error instanceof Error && error.constructor === Error)
}

function checkLimits(
  entries: readonly ArchiveEntry[],
  limits: ArchiveLimits,
  archiveBytes: number,
  problems: ProblemList,
): void {
  let total = 0
  for (const { name, bytes, packedBytes, headerOffset } of entries) {
    total += bytes
    const problem = ratioProblem(bytes, packedBytes, limits)
    if (problem !== undefined) problems.add({ ...problem, entry: name, offset: headerOffset })
  }
  const problem = sizeProblem(total, limits) ?? ratioProblem(total, archiveBytes, limits)
  if (problem !== undefined) problems.add({ ...problem, text: `as a whole ${problem.text}` })
}

/** An archive open in yauzl, and direct access to its bytes. */
interface OpenZip {
  readonly zip: ZipFile
  /** Fills a buffer with the bytes from this position, and returns it. */
  readonly fill: (buffer: Buffer, position: number) => Buffer
}

/** Opens an archive with a valid end record in yauzl. */
async function openZip(file: ZipBytes, end: EndRecord): Promise<OpenZip> {
  const reader = new WindowReader(file, end)
  const zip = await fromRandomAccessReaderPromise(reader, end.archiveBytes, {
    lazyEntries: true,
    autoClose: false,
    decodeStrings: false,
    validateEntrySizes: false,
    // This is the default: yauzl copies options that are not complete, which costs memory for each archive.
    strictFileNames: false,
  })
  const fill = (buffer: Buffer, position: number): Buffer => {
    reader.copy(buffer, 0, buffer.length, position)
    return buffer
  }
  return { zip, fill }
}

/** yauzl tried to read beyond the end of the archive. */
class CutShort extends Error {}

/** Reads synchronously from two windows of the file, one for the directory and one for the local headers. */
class WindowReader extends RandomAccessReader {
  readonly #file: ZipBytes
  readonly #end: EndRecord
  readonly #directory = new Window()
  readonly #entries = new Window()

  constructor(file: ZipBytes, end: EndRecord) {
    super()
    this.#file = file
    this.#end = end
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    try {
      this.copy(buffer, offset, length, position)
    } catch (error) {
      callback(error as Error)
      return
    }
    callback(null)
  }

  copy(buffer: Buffer, offset: number, length: number, position: number): void {
    const { archiveBytes, directoryOffset } = this.#end
    if (position + length > archiveBytes) throw new CutShort('unexpected end of the archive')
    const window = position >= directoryOffset ? this.#directory : this.#entries
    window.copy(this.#file, archiveBytes, buffer, offset, length, position)
  }
}

const WINDOW_BYTES = 1024 ** 2
const JUMP_BYTES = 4096

/** Headers closer together than this are read in one piece. */
const NEAR_BYTES = 64 * 1024

/** A piece of the file in memory: a large one for sequential reading, a small one for jumps. */
class Window {
  #buffer: Buffer = Buffer.alloc(0)
  #bytes: Buffer = this.#buffer
  #start = 0

  copy(
    file: ZipBytes,
    limit: number,
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): void {
    const from = position - this.#start
    if (from >= 0 && from + length <= this.#bytes.length) {
      this.#bytes.copy(buffer, offset, from, from + length)
      return
    }
    const isNear = from >= 0 && from <= this.#bytes.length + NEAR_BYTES
    const wanted = Math.min(Math.max(length, isNear ? WINDOW_BYTES : JUMP_BYTES), limit - position)
    if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafeSlow(wanted)
    this.#bytes = file.read(position, wanted, this.#buffer)
    this.#start = position
    this.#bytes.copy(buffer, offset, 0, length)
  }
}

/** The entries of an archive with a valid structure; their data was not read. */
export interface ListedArchive {
  readonly path: string
  readonly bytes: number
  readonly unpackedBytes: number
  /** In the directory's order. */
  readonly entries: readonly ArchiveEntry[]
}

/** Lists an archive without inflating anything. Refuses the same archives as `extract`, except for damaged data. */
export async function listArchive(
  world: World,
  path: string,
  { limits }: { readonly limits: ArchiveLimits },
): Promise<ListedArchive> {
  await using file = openArchiveFile(world, path)
  const { entries, unpackedBytes, problems } = await readArchive(file, limits)
  file.assertUnchanged()
  if (problems.count > 0) throw archiveFailure(path, problems)
  return { path, bytes: file.size, unpackedBytes, entries }
}

/** Position and size of the central directory. */
interface EndRecord {
  readonly entryCount: number
  readonly directoryOffset: number
  readonly directoryBytes: number
  /** Length of the archive without the zeros that some writers pad it with. */
  readonly archiveBytes: number
}

const END_SIGNATURE = 'PK\x05\x06'
const END_BYTES = 22
const LOCATOR_SIGNATURE = 0x07064b50
const LOCATOR_BYTES = 20
const END64_SIGNATURE = 0x06064b50
const END64_BYTES = 56
const MAX_COMMENT = 0xffff

/**
 * Reads the end record of an archive (APPNOTE 4.3.14 to 4.3.16). yauzl takes the last valid one; here everything that could make two
 * readers find different directories is a problem: a second one, bytes after it, counts or offsets that disagree.
 */
function readEndRecord(reader: ZipBytes): EndRecord | Problem {
  const tailBytes = Math.min(reader.size, END_BYTES + MAX_COMMENT + LOCATOR_BYTES + END64_BYTES)
  const tailStart = reader.size - tailBytes
  const tail = reader.read(tailStart, tailBytes)
  const at = findEnd(tail)
  if (typeof at !== 'number') return at.offset === undefined ? at : { ...at, offset: at.offset + tailStart }
  const offset = tailStart + at
  const plain = {
    disk: tail.readUInt16LE(at + 4),
    directoryDisk: tail.readUInt16LE(at + 6),
    countHere: tail.readUInt16LE(at + 8),
    count: tail.readUInt16LE(at + 10),
    directoryBytes: tail.readUInt32LE(at + 12),
    directoryOffset: tail.readUInt32LE(at + 16),
    archiveBytes: offset + END_BYTES + tail.readUInt16LE(at + 20),
  }
  const locatorAt = at - LOCATOR_BYTES
  if (locatorAt >= 0 && tail.readUInt32LE(locatorAt) === LOCATOR_SIGNATURE) {
    return readZip64(reader, tail.subarray(locatorAt, at), offset, plain)
  }
  if (plain.directoryBytes === 0xffffffff || plain.directoryOffset === 0xffffffff) {
    return structure(offset, 'end record points to ZIP64 records that are not there')
  }
  if (plain.disk !== 0 || plain.directoryDisk !== 0) return multiDisk(offset)
  if (plain.countHere !== plain.count) {
    return structure(offset, `end record counts ${plain.countHere} entries here and ${plain.count} in all`)
  }
  return checked(offset, { entryCount: plain.count, ...plain })
}

interface PlainEnd {
  readonly disk: number
  readonly directoryDisk: number
  readonly countHere: number
  readonly count: number
  readonly directoryBytes: number
  readonly directoryOffset: number
  readonly archiveBytes: number
}

/** Why there is no end record in the last bytes of the file. */
function missingText(tail: Buffer): string {
  return tail.length > MAX_COMMENT && tail.every((byte) => byte === 0)
    ? 'ends with more than 64 KiB of zeros: its download was not completed, or it is padded with too many'
    : 'has no end of central directory record: it is truncated or not a ZIP archive'
}

/** Where the only end record starts in the last bytes of the file. */
function findEnd(tail: Buffer): number | Problem {
  const whole: number[] = []
  let last = -1
  for (
    let at = tail.indexOf(END_SIGNATURE, 0, 'latin1');
    at !== -1;
    at = tail.indexOf(END_SIGNATURE, at + 1, 'latin1')
  ) {
    last = at
    if (bytesAfter(tail, at)?.every((byte) => byte === 0) === true) whole.push(at)
  }
  if (last === -1) return { rule: 'structure', text: missingText(tail) }
  if (whole.length > 1) return structure(whole[0]!, 'two end records: two readers would read two archives')
  const at = whole[0]
  if (at !== undefined && at === last) return at
  if (at !== undefined) return structure(last, 'the comment contains a second end record')
  if (last + END_BYTES > tail.length) return structure(last, 'end record is truncated')
  const after = bytesAfter(tail, last)
  if (after !== undefined) {
    const { length } = after
    return structure(last, `${plural(length, 'byte')} ${length === 1 ? 'follows' : 'follow'} the end record`)
  }
  const missing = last + END_BYTES + tail.readUInt16LE(last + 20) - tail.length
  return structure(last, `the comment of the end record is truncated by ${plural(missing, 'byte')}`)
}

/** What follows the end record at `at` and its comment; undefined when they are cut short. */
function bytesAfter(tail: Buffer, at: number): Buffer | undefined {
  if (at + END_BYTES > tail.length) return undefined
  const end = at + END_BYTES + tail.readUInt16LE(at + 20)
  return end > tail.length ? undefined : tail.subarray(end)
}

function readZip64(
  reader: ZipBytes,
  locator: Buffer,
  endOffset: number,
  plain: PlainEnd,
): EndRecord | Problem {
  const locatorOffset = endOffset - LOCATOR_BYTES
  const offset = number64(locator, 8)
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) return multiDisk(locatorOffset)
  if (offset !== locatorOffset - END64_BYTES || offset < 0) {
    return structure(locatorOffset, 'ZIP64 locator does not point to the record right before it')
  }
  const record = reader.read(offset, END64_BYTES)
  if (record.readUInt32LE(0) !== END64_SIGNATURE) {
    return structure(offset, 'ZIP64 end record has the wrong signature')
  }
  if (number64(record, 4) !== END64_BYTES - 12)
    return structure(offset, 'ZIP64 end record has the wrong length')
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0) return multiDisk(offset)
  const [countHere, count] = [number64(record, 24), number64(record, 32)]
  const [directoryBytes, directoryOffset] = [number64(record, 40), number64(record, 48)]
  if (countHere !== count) {
    return structure(offset, `ZIP64 end record counts ${countHere} entries here and ${count} in all`)
  }
  const agrees =
    agree(plain.count, count, 0xffff) &&
    agree(plain.countHere, count, 0xffff) &&
    agree(plain.directoryBytes, directoryBytes, 0xffffffff) &&
    agree(plain.directoryOffset, directoryOffset, 0xffffffff) &&
    agree(plain.disk, 0, 0xffff) &&
    agree(plain.directoryDisk, 0, 0xffff)
  if (!agrees) return structure(offset, 'ZIP64 end record and end record disagree')
  const { archiveBytes } = plain
  return checked(offset, { entryCount: count, directoryOffset, directoryBytes, archiveBytes })
}

function agree(value: number, value64: number, maximum: number): boolean {
  return value === maximum || value === value64
}

/** The directory must end where its end record starts, so that no bytes are hidden, and have room for its records. */
function checked(endsAt: number, end: EndRecord): EndRecord | Problem {
  const { entryCount, directoryOffset, directoryBytes, archiveBytes } = end
  const gap = endsAt - (directoryOffset + directoryBytes)
  if (!Number.isSafeInteger(directoryOffset + directoryBytes) || gap < 0) {
    return structure(endsAt, 'end record points beyond itself for the central directory')
  }
  if (gap > 0)
    return structure(
      endsAt,
      `${plural(gap, 'byte')} too many before the archive or between its directory and its end record`,
    )
  if (entryCount * CENTRAL_RECORD_BYTES > directoryBytes) {
    return structure(
      directoryOffset,
      `central directory of ${plural(directoryBytes, 'byte')} is too small for ${plural(entryCount, 'entry', 'entries')}`,
    )
  }
  return { entryCount, directoryOffset, directoryBytes, archiveBytes }
}

function multiDisk(offset: number): Problem {
  return { rule: 'unsupported', offset, text: 'is one part of an archive split over several files' }
}

function structure(offset: number, text: string): Problem {
  return { rule: 'structure', offset, text }
}

function number64(bytes: Buffer, offset: number): number {
  return Number(bytes.readBigUInt64LE(offset))
}
