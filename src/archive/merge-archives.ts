import { setImmediate as turn } from 'node:timers/promises'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { type Draft, openDraft } from '../fs/draft.ts'
import { changedFailure, openArchiveFile } from './archive-file.ts'
import { NO_ARCHIVE_LIMITS } from './archive-limits.ts'
import { type MergeSources, planMerge } from './merge-plan.ts'
import { centralRecord, endRecords, localHeader } from './merge-records.ts'
import { archiveFailure, archiveProblem, ProblemList } from './problem.ts'
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
  sources: MergeSources,
  draftPath: string,
  options: MergeOptions,
): Promise<{ readonly bytes: number; readonly entries: number }> {
  const signal = options.signal ?? world.interrupt
  const plan = await planMerge(world, sources, signal)
  let copied = 0
  await using draft = await openDraft(world.disk, draftPath)
  const directory = createDirectory()
  const output = createBlockWriter(draft)
  for (const [number, count] of plan.counts.entries()) {
    await turn()
    const names = plan.names.slice(copied, copied + count)
    await copyEntries(world, { path: sources.at(number)!.path, names }, output, directory, signal)
    copied += count
    options.reporter.progress({ phase: 'merging', bytes: output.bytes(), totalBytes: plan.bytes })
  }
  await output.finish()
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

// In blocks of their own: small buffers would keep the much larger pools alive that they are cut from. The blocks are short:
// records that wait for the rest of a long one would become long-lived objects.
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

/** Fills blocks with what many entries consist of; one is written while the next is filled. */
interface BlockWriter {
  readonly bytes: () => number
  /** Appends this many bytes: `fill` is called with a piece of a block and where it is in them, until there are none left. */
  readonly append: (bytes: number, fill: (piece: Buffer, at: number) => void) => Promise<void>
  /** Hands the last block to the draft. */
  readonly finish: () => Promise<void>
}

function createBlockWriter(draft: Draft): BlockWriter {
  let [block, next] = [Buffer.allocUnsafeSlow(COPY_BYTES), Buffer.allocUnsafeSlow(COPY_BYTES)]
  let used = 0

  async function finish(): Promise<void> {
    // The other block may still be in use.
    await draft.flush()
    await draft.write(block.subarray(0, used))
    ;[block, next] = [next, block]
    used = 0
  }

  return {
    bytes: () => draft.bytes() + used,
    async append(bytes, fill) {
      for (let at = 0; at < bytes; ) {
        if (used === block.length) await finish()
        const piece = block.subarray(used, used + bytes - at)
        fill(piece, at)
        used += piece.length
        at += piece.length
      }
    },
    finish,
  }
}

/** An archive, and the new names of its entries; undefined for those that are left out. */
interface NamedArchive {
  readonly path: string
  readonly names: readonly (string | undefined)[]
}

/** Copies the entries that are kept, and adds their central records to the directory. */
async function copyEntries(
  world: World,
  { path, names }: NamedArchive,
  output: BlockWriter,
  directory: Directory,
  signal: AbortSignal,
): Promise<void> {
  await using file = openArchiveFile(world, path)
  const end = readEnd(file, NO_ARCHIVE_LIMITS)
  if ('text' in end) throw archiveProblem(path, end)
  const problems = new ProblemList()
  let index = 0
  for await (const { entry, record, local, found, fill } of readEntries(file, end, problems)) {
    signal.throwIfAborted()
    for (const problem of found) problems.add(problem)
    if (local === undefined) break
    const name = names[index]
    index += 1
    if (name === undefined) continue
    const moved = { entry, record, local, name }
    directory.add(centralRecord(moved, output.bytes()))
    const header = localHeader(moved)
    await output.append(header.length, (piece, at) => header.copy(piece, 0, at))
    await output.append(entry.packedBytes, (piece, at) => fill(piece, entry.dataOffset + at))
  }
  if (problems.count > 0) throw archiveFailure(path, problems)
  file.assertUnchanged()
  if (index !== names.length) throw changedFailure(path)
}

const COPY_BYTES = 1024 ** 2
const BLOCK_BYTES = 8 * 1024
