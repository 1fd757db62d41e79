import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { type Draft, openDraft } from '../fs/draft.ts'
import { openArchiveFile } from './archive-file.ts'
import { NO_ARCHIVE_LIMITS } from './archive-limits.ts'
import { type MergeInput, type MergeSource, planMerge } from './merge-plan.ts'
import { centralRecord, endRecords, localHeader } from './merge-records.ts'
import { archiveFailure, archiveProblem, createProblemList } from './problem.ts'
import { readEnd, readEntries } from './read-archive.ts'

export interface MergeOptions {
  readonly reporter: Reporter
  readonly signal?: AbortSignal
}

/**
 * Merges archives in the given order without recompression: headers are written from what was read, packed bytes are copied. Files
 * of the same name and content are merged into one; with other content the later one gets ` (2)` before its extension. Entries that
 * an input is to be `without` are left out. The same inputs give the same bytes. The inputs must have been verified; verify the
 * result before it is used. The draft is synced, and removed after a failure.
 */
export async function mergeArchives(
  world: World,
  inputs: readonly (string | MergeSource)[],
  draftPath: string,
  options: MergeOptions,
): Promise<{ readonly bytes: number; readonly entries: number }> {
  const signal = options.signal ?? world.interrupt
  const sources = inputs.map((input) => (typeof input === 'string' ? { path: input } : input))
  const plan = await planMerge(world, sources, signal)
  const totalBytes = plan.reduce((sum, input) => sum + input.bytes, 0)
  await using draft = await openDraft(world.disk, draftPath)
  const directory = createDirectory()
  for (const input of plan) {
    await copyInput(world, input, draft, directory, signal)
    options.reporter.progress({ phase: 'merging', bytes: draft.bytes(), totalBytes })
  }
  const directoryOffset = draft.bytes()
  for (const records of directory.blocks()) await draft.write(records)
  await draft.write(endRecords(directory.count(), directoryOffset, draft.bytes() - directoryOffset))
  await draft.sync()
  signal.throwIfAborted()
  await draft.keep()
  return { bytes: draft.bytes(), entries: directory.count() }
}

/** The central records of the merged archive. */
interface Directory {
  readonly add: (record: Buffer) => void
  readonly count: () => number
  readonly blocks: () => readonly Buffer[]
}

// In blocks of their own: small buffers would keep the much larger pools alive that they are cut from.
function createDirectory(): Directory {
  const blocks: Buffer[] = []
  let records: Buffer[] = []
  let bytes = 0
  let count = 0
  const close = (): void => {
    blocks.push(Buffer.concat(records))
    records = []
    bytes = 0
  }
  return {
    add(record) {
      records.push(record)
      bytes += record.length
      count += 1
      if (bytes >= BLOCK_BYTES) close()
    },
    count: () => count,
    blocks() {
      close()
      return blocks
    },
  }
}

/** Copies the entries of one input that are kept, and adds their central records to the directory. */
async function copyInput(
  world: World,
  { path, names }: MergeInput,
  draft: Draft,
  directory: Directory,
  signal: AbortSignal,
): Promise<void> {
  await using file = await openArchiveFile(world, path)
  const end = await readEnd(file, NO_ARCHIVE_LIMITS)
  if ('text' in end) throw archiveProblem(path, end)
  const problems = createProblemList()
  let index = -1
  for await (const { entry, record, local, found } of readEntries(file, end, problems)) {
    signal.throwIfAborted()
    for (const problem of found) problems.add(problem)
    if (local === undefined) break
    index += 1
    const name = names[index]
    if (name === undefined) continue
    const moved = { entry, record, local, name }
    directory.add(centralRecord(moved, draft.bytes()))
    await draft.write(localHeader(moved))
    for (let done = 0; done < entry.packedBytes; done += COPY_BYTES) {
      const length = Math.min(COPY_BYTES, entry.packedBytes - done)
      await draft.write(file.readNow(entry.dataOffset + done, length))
    }
  }
  if (problems.count > 0) throw archiveFailure(path, problems)
  await file.assertUnchanged()
}

const COPY_BYTES = 1024 ** 2
const BLOCK_BYTES = 64 * 1024
