import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import type { ArchiveDraft } from './archive-draft.ts'
import { openArchiveDraft } from './archive-draft.ts'
import type { ArchiveFile } from './archive-file.ts'
import { openArchiveFile } from './archive-file.ts'
import { recordAt } from './entry-table.ts'
import type { MergeInput } from './merge-plan.ts'
import { planMerge } from './merge-plan.ts'
import { endRecords, localHeaderBytes, moveRecord, renameLocalHeader } from './merge-records.ts'
import { anySignal } from './verify-archive.ts'

export interface MergeOptions {
  readonly reporter: Reporter
  readonly signal?: AbortSignal
}

/**
 * Makes one archive of many, in the order given, without packing anything anew: every entry's bytes are copied as they are.
 * A file of the same name and content is there once; of the same name and other content, the later one gets ` (2)` before its
 * extension. The same inputs give the same bytes. The inputs must have been verified; verify the result before it is used.
 * The draft is synced; after a failure it is gone. At most some MiB of content are held.
 */
export async function mergeArchives(
  world: World,
  inputs: readonly string[],
  draftPath: string,
  options: MergeOptions,
): Promise<{ readonly bytes: number; readonly entries: number }> {
  const signal = anySignal(world, options.signal)
  const plan = await planMerge(world, inputs, signal)
  const totalBytes = plan.reduce((sum, input) => sum + input.bytes, 0)
  await using draft = await openArchiveDraft(world.disk, draftPath)
  const records = createBlocks()
  const buffers: [Buffer, Buffer] = [Buffer.allocUnsafeSlow(COPY_BYTES), Buffer.allocUnsafeSlow(COPY_BYTES)]
  let count = 0
  for (const input of plan) {
    signal.throwIfAborted()
    await using file = await openArchiveFile(world, input.path)
    count += await copyInput(file, input, draft, records, buffers, signal)
    options.reporter.progress({ phase: 'merging', bytes: draft.bytes(), totalBytes })
  }
  const directoryOffset = draft.bytes()
  for (const block of records.blocks()) await draft.write(block)
  await draft.write(endRecords(count, directoryOffset, draft.bytes() - directoryOffset))
  signal.throwIfAborted()
  await draft.finish()
  return { bytes: draft.bytes(), entries: count }
}

const COPY_BYTES = 2 * 1024 ** 2

/** Copies what is kept of one input, what stands together in one piece, and adds its central records; how many they are. */
async function copyInput(
  file: ArchiveFile,
  { table, order, isKept, newNames }: MergeInput,
  draft: ArchiveDraft,
  records: Blocks,
  buffers: [Buffer, Buffer],
  signal: AbortSignal,
): Promise<number> {
  let [start, end, count] = [0, 0, 0]
  const flush = async (): Promise<void> => {
    for (let position = start; position < end; position += COPY_BYTES) {
      signal.throwIfAborted()
      // The draft is done with one when it takes the other.
      buffers.reverse()
      await draft.write(await file.read(position, Math.min(COPY_BYTES, end - position), buffers[0]))
    }
  }
  for (let place = 0; place < table.count; place += 1) {
    const row = order?.[place] ?? place
    if (isKept[row] === 0) continue
    const offset = table.headerOffset[row]!
    const name = newNames.get(row)
    if (offset !== end || name !== undefined) {
      await flush()
      start = offset
    }
    const place64 = {
      headerOffset: draft.bytes() + (offset - start),
      bytes: table.bytes[row]!,
      packedBytes: table.packedBytes[row]!,
      name,
    }
    records.add(moveRecord(recordAt(table, row), place64))
    count += 1
    if (name !== undefined) {
      const header = await readLocalHeader(file, offset)
      await draft.write(renameLocalHeader(header, name))
      start = offset + header.length
    }
    // An entry reaches to the next one, or to the directory.
    end =
      place + 1 < table.count ? table.headerOffset[order?.[place + 1] ?? place + 1]! : table.directoryOffset
  }
  await flush()
  return count
}

async function readLocalHeader(file: ArchiveFile, offset: number): Promise<Buffer> {
  return await file.read(offset, localHeaderBytes(await file.read(offset, 30)))
}

/** Many small pieces in few large ones: a hundred thousand buffers would take more room than what is in them. */
interface Blocks {
  readonly add: (piece: Buffer) => void
  readonly blocks: () => readonly Buffer[]
}

const BLOCK_BYTES = 1024 ** 2

function createBlocks(): Blocks {
  const full: Buffer[] = []
  let block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  let used = 0
  return {
    add: (piece) => {
      if (used + piece.length > block.length) {
        full.push(block.subarray(0, used))
        block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, piece.length))
        used = 0
      }
      used += piece.copy(block, used)
    },
    blocks: () => [...full, block.subarray(0, used)],
  }
}
