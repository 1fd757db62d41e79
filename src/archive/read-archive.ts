import { formatBytes } from '../base/units.ts'
import type { ArchiveLimits } from './archive-limits.ts'
import { countProblem, maxDirectoryBytes, ratioProblem, sizeProblem } from './archive-limits.ts'
import type { ByteReader } from './byte-reader.ts'
import { checkCollisions } from './collisions.ts'
import { readDirectory } from './directory.ts'
import { readEndRecord } from './end-record.ts'
import type { EntryTable } from './entry-table.ts'
import { createTable, nameAt } from './entry-table.ts'
import { checkLocalHeaders } from './local-headers.ts'
import type { Problem, ProblemList } from './problem.ts'
import { createProblemList } from './problem.ts'
import { looksLike } from './sniff.ts'

/** What the structure of an archive says. With problems, nothing of it may be written anywhere. */
export interface ArchiveStructure {
  readonly table: EntryTable
  readonly unpackedBytes: number
  readonly problems: ProblemList
  /** True when every entry's data stands where it is said to, so that it can be looked at in spite of other problems. */
  readonly isReadable: boolean
}

/**
 * Reads the whole structure of an archive (end record, directory, every local header and descriptor) and holds it to the
 * rules of contract §7: names, kinds, limits as declared, no overlap, no gap, no disagreement. Inflates nothing.
 */
export async function readArchive(reader: ByteReader, limits: ArchiveLimits): Promise<ArchiveStructure> {
  const problems = createProblemList()
  const table = await readTable(reader, limits, problems)
  if (table === undefined) {
    return { table: createTable(0, Buffer.alloc(0), 0), unpackedBytes: 0, problems, isReadable: false }
  }
  checkCollisions(table, problems)
  const areNamesAlone = problems.first.every(({ rule }) => rule === 'name')
  const before = problems.count
  await checkLocalHeaders(reader, table, problems)
  const unpackedBytes = checkLimits(table, limits, reader.size, problems)
  return { table, unpackedBytes, problems, isReadable: areNamesAlone && problems.count === before }
}

/** Reads the end record and the directory alone; undefined, with a problem added, when there is none to be read. */
export async function readTable(
  reader: ByteReader,
  limits: ArchiveLimits,
  problems: ProblemList,
): Promise<EntryTable | undefined> {
  const end = await readEndRecord(reader)
  if ('text' in end) {
    problems.add(end.offset === undefined ? await foreignProblem(reader, end) : end)
    return undefined
  }
  const tooMany = countProblem(end.entryCount, limits) ?? directoryProblem(end.directoryBytes, limits)
  if (tooMany !== undefined) {
    problems.add({ rule: 'limit', text: tooMany })
    return undefined
  }
  return readDirectory(await reader.read(end.directoryOffset, end.directoryBytes), end, problems)
}

/** Where there is no end record at all: what the file is instead, unless it looks like an archive that was cut short. */
async function foreignProblem(reader: ByteReader, missing: Problem): Promise<Problem> {
  const foreign = looksLike(await reader.read(0, Math.min(reader.size, 1024)))
  return foreign === undefined ? missing : { rule: 'structure', text: `is not a ZIP archive: ${foreign}` }
}

function directoryProblem(bytes: number, limits: ArchiveLimits): string | undefined {
  const most = maxDirectoryBytes(limits)
  if (bytes <= most) return undefined
  return `has a central directory of ${formatBytes(bytes)}, more than the ${formatBytes(most)} that --max-entries allows`
}

function checkLimits(
  table: EntryTable,
  limits: ArchiveLimits,
  archiveBytes: number,
  problems: ProblemList,
): number {
  let total = 0
  for (let index = 0; index < table.count; index += 1) {
    const bytes = table.bytes[index]!
    total += bytes
    const text = ratioProblem(bytes, table.packedBytes[index]!, limits)
    if (text === undefined) continue
    problems.add({
      rule: 'limit',
      entry: nameAt(table, index).name,
      offset: table.headerOffset[index]!,
      text,
    })
  }
  const text = sizeProblem(total, limits) ?? ratioProblem(total, archiveBytes, limits)
  if (text !== undefined) problems.add({ rule: 'limit', text: `as a whole ${text}` })
  return total
}
