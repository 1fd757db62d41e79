import type { Entry, LocalFileHeader } from 'yauzl'
import { Failure } from '../base/failure.ts'
import { plural } from '../base/units.ts'
import type { ZipBytes } from './archive-file.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import { countProblem, directoryProblem, ratioProblem, sizeProblem } from './archive-limits.ts'
import type { EndRecord } from './end-record.ts'
import { readEndRecord } from './end-record.ts'
import type { ArchiveEntry } from './entry.ts'
import { CENTRAL_RECORD_BYTES, LOCAL_HEADER_BYTES, modifiedMs } from './entry.ts'
import { createCollisionCheck } from './entry-collisions.ts'
import { checkLayout } from './entry-layout.ts'
import type { EntryName } from './entry-name.ts'
import { readEntryName } from './entry-name.ts'
import { recordProblems, unreadRecordProblem } from './entry-rules.ts'
import { descriptorBytes, hasDescriptor, localHeaderProblem, MAX_DESCRIPTOR_BYTES } from './local-header.ts'
import type { Problem } from './problem.ts'
import { ProblemList } from './problem.ts'
import { looksLike } from './sniff.ts'
import type { OpenZip } from './zip-reader.ts'
import { CutShort, openZip } from './zip-reader.ts'

/** The structure of an archive; with problems, nothing of it may be extracted. */
export interface ArchiveStructure {
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
    const collisions = createCollisionCheck()
    for await (const { entry, found } of readEntries(file, end, problems)) {
      for (const problem of found) problems.add(problem)
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
  return foreign === undefined ? missing : { rule: 'structure', text: `is not a ZIP archive: ${foreign}` }
}

/** A record of the directory, and its problems. */
export interface ReadRecord {
  readonly record: Entry
  readonly name: EntryName
  /** Where it is in the file. */
  readonly position: number
  readonly found: readonly Problem[]
}

/** An entry, its records, and its problems. */
export interface ReadEntry {
  readonly entry: ArchiveEntry
  readonly record: Entry
  /** Undefined when it cannot be read, which is a problem too. */
  readonly local: LocalFileHeader | undefined
  readonly found: readonly Problem[]
  /** Fills a buffer with the bytes of the archive from this position; fast for the entry's own data. */
  readonly fill: OpenZip['fill']
}

/** Every record of the directory, in its order. A problem of the directory itself is added to `problems` and ends the reading. */
export function readRecords(
  file: ZipBytes,
  end: EndRecord,
  problems: ProblemList,
): AsyncGenerator<ReadRecord, void, void> {
  return eachRecord(file, end, problems, readRecord)
}

/** `readRecords`, with every local header and data descriptor. */
export function readEntries(
  file: ZipBytes,
  end: EndRecord,
  problems: ProblemList,
): AsyncGenerator<ReadEntry, void, void> {
  return eachRecord(file, end, problems, async (open, record, position) =>
    readEntry(open, end, readRecord(open, record, position), await readLocalHeader(open, end, record)),
  )
}

async function* eachRecord<T>(
  file: ZipBytes,
  end: EndRecord,
  problems: ProblemList,
  read: (open: OpenZip, record: Entry, position: number) => T | Promise<T>,
): AsyncGenerator<T, void, void> {
  let count = 0
  let nextRecord = end.directoryOffset
  try {
    const open = await openZip(file, end)
    for await (const record of open.zip.eachEntry()) {
      const position = nextRecord
      count += 1
      nextRecord += recordBytes(record)
      yield await read(open, record, position)
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

function readRecord({ fill }: OpenZip, record: Entry, position: number): ReadRecord {
  const name = readEntryName(record)
  // yauzl does not provide the disk number where an entry starts.
  const disk = fill(Buffer.allocUnsafe(2), position + 34).readUInt16LE(0)
  const found = recordProblems(record, name, disk).map(
    (problem): Problem => ({ ...problem, entry: name.name, offset: position }),
  )
  return { record, name, position, found }
}

/** A local header, or what is wrong with it. */
async function readLocalHeader(
  { zip }: OpenZip,
  { directoryOffset }: EndRecord,
  record: Entry,
): Promise<LocalFileHeader | string> {
  if (record.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES > directoryOffset) {
    return 'has a local header that does not fit before the directory'
  }
  try {
    return await zip.readLocalFileHeaderPromise(record)
  } catch (error) {
    if (!isFromYauzl(error)) throw error
    return `its local header cannot be read: ${error.message}`
  }
}

function readEntry(
  open: OpenZip,
  end: EndRecord,
  { record, name, found }: ReadRecord,
  local: LocalFileHeader | string,
): ReadEntry {
  const data = locateData(open, end, record, local)
  const { relativeOffsetOfLocalHeader: offset } = record
  const { problem: text } = data
  const all: readonly Problem[] =
    text === undefined ? found : [...found, { rule: 'structure', entry: name.name, offset, text }]
  return { entry: entryOf(record, name, data), record, local: data.local, found: all, fill: open.fill }
}

/** The position of an entry's data; NaN when its local header or data descriptor is wrong. */
interface EntryData {
  readonly start: number
  readonly end: number
  readonly local?: LocalFileHeader
  readonly problem?: string
}

function locateData(
  { fill }: OpenZip,
  { directoryOffset }: EndRecord,
  record: Entry,
  local: LocalFileHeader | string,
): EntryData {
  const bad = (problem: string): EntryData => ({ start: Number.NaN, end: Number.NaN, problem })
  if (typeof local === 'string') return bad(local)
  const problem = localHeaderProblem(record, local)
  if (problem !== undefined) return bad(problem)
  const start = local.fileDataStart
  const end = start + record.compressedSize
  if (end > directoryOffset) return bad('has data that reaches into the directory')
  if (!hasDescriptor(record)) return { start, end, local }
  const room = Math.min(MAX_DESCRIPTOR_BYTES, directoryOffset - end)
  const length = descriptorBytes(fill(Buffer.allocUnsafe(room), end), record)
  if (length === undefined) return bad('has no data descriptor that agrees with the directory')
  return { start, end: end + length, local }
}

function entryOf(record: Entry, { name, isFolder }: EntryName, { start, end }: EntryData): ArchiveEntry {
  return {
    name,
    isFolder,
    bytes: record.uncompressedSize,
    packedBytes: record.compressedSize,
    crc32: record.crc32,
    method: record.compressionMethod === 8 ? 'deflate' : 'stored',
    modifiedMs: modifiedMs(record),
    headerOffset: record.relativeOffsetOfLocalHeader,
    dataOffset: start,
    endOffset: end,
  }
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
