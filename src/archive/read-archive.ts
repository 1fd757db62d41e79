import type { ArchiveLimits } from '../domain/archive-limits.ts'
import { countProblem, maxDirectoryBytes, ratioProblem, sizeProblem } from '../domain/archive-limits.ts'
import { createCollisionCheck } from '../domain/entry-collisions.ts'
import { formatBytes } from '../domain/units.ts'
import type { ByteReader } from './byte-reader.ts'
import { readDirectory } from './directory.ts'
import { readEndRecord } from './end-record.ts'
import type { DirectoryEntry } from './entry.ts'
import { checkLocalHeaders } from './local-headers.ts'
import type { ProblemList } from './problem.ts'
import { createProblemList } from './problem.ts'
import { looksLike } from './sniff.ts'

/** What the structure of an archive says. With problems, nothing of it may be written anywhere. */
export interface ArchiveStructure {
  /** In the directory's order. */
  readonly entries: readonly DirectoryEntry[]
  readonly unpackedBytes: number
  readonly problems: ProblemList
  /** True when every entry's data stands where it is said to, so that it can be looked at in spite of other problems. */
  readonly isReadable: boolean
  /** The bytes of the central directory. */
  readonly directory: Buffer
}

/**
 * Reads the whole structure of an archive (end record, directory, every local header and descriptor) and holds it to the
 * rules of contract §7: names, kinds, limits as declared, no overlap, no gap, no disagreement. Inflates nothing.
 */
export async function readArchive(reader: ByteReader, limits: ArchiveLimits): Promise<ArchiveStructure> {
  const problems = createProblemList()
  const found = await readEntries(reader, limits, problems)
  if (found === undefined) {
    return { entries: [], unpackedBytes: 0, problems, isReadable: false, directory: Buffer.alloc(0) }
  }
  const { entries, directory, directoryOffset } = found
  checkNames(entries, directoryOffset, problems)
  const before = problems.count
  await checkLocalHeaders(reader, entries, directory, directoryOffset, problems)
  const unpackedBytes = checkLimits(entries, limits, reader.size, problems)
  const isReadable = problems.count === before && problems.first.every(({ rule }) => rule === 'name')
  return { entries, unpackedBytes, problems, isReadable, directory }
}

/** The central directory of an archive and where it begins. */
export interface FoundEntries {
  readonly entries: readonly DirectoryEntry[]
  readonly directory: Buffer
  readonly directoryOffset: number
}

/** Reads the end record and the directory alone; undefined, with a problem added, when there is none to be read. */
export async function readEntries(
  reader: ByteReader,
  limits: ArchiveLimits,
  problems: ProblemList,
): Promise<FoundEntries | undefined> {
  const end = await readEndRecord(reader)
  if ('text' in end) {
    const foreign = looksLike(await reader.read(0, Math.min(reader.size, 1024)))
    problems.add(
      foreign === undefined ? end : { rule: 'structure', text: `is not a ZIP archive: ${foreign}` },
    )
    return undefined
  }
  const tooMany = countProblem(end.entryCount, limits) ?? directoryProblem(end.directoryBytes, limits)
  if (tooMany !== undefined) {
    problems.add({ rule: 'limit', text: tooMany })
    return undefined
  }
  const directory = await reader.read(end.directoryOffset, end.directoryBytes)
  const entries = readDirectory(directory, end, problems)
  return entries === undefined ? undefined : { entries, directory, directoryOffset: end.directoryOffset }
}

function directoryProblem(bytes: number, limits: ArchiveLimits): string | undefined {
  const most = maxDirectoryBytes(limits)
  if (bytes <= most) return undefined
  return `has a central directory of ${formatBytes(bytes)}, more than the ${formatBytes(most)} that --max-entries allows`
}

function checkNames(
  entries: readonly DirectoryEntry[],
  directoryOffset: number,
  problems: ProblemList,
): void {
  const collisions = createCollisionCheck()
  for (const { name, recordStart } of entries) {
    const text = collisions.add(name)
    if (text !== undefined)
      problems.add({ rule: 'name', entry: name, offset: directoryOffset + recordStart, text })
  }
}

function checkLimits(
  entries: readonly DirectoryEntry[],
  limits: ArchiveLimits,
  archiveBytes: number,
  problems: ProblemList,
): number {
  let total = 0
  for (const { name, bytes, packedBytes, headerOffset } of entries) {
    total += bytes
    const text = ratioProblem(bytes, packedBytes, limits)
    if (text !== undefined) problems.add({ rule: 'limit', entry: name, offset: headerOffset, text })
  }
  const text = sizeProblem(total, limits) ?? ratioProblem(total, archiveBytes, limits)
  if (text !== undefined) problems.add({ rule: 'limit', text: `as a whole ${text}` })
  return total
}
