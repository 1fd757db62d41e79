import { endRecords, localHeaderBytes, moveRecord, renameLocalHeader } from '../archive/merge-records.ts'
import type { Reporter } from '../domain/notice.ts'
import type { ArchiveDraft } from '../storage/archive-draft.ts'
import { openArchiveDraft } from '../storage/archive-draft.ts'
import type { ArchiveFile } from '../storage/archive-file.ts'
import { openArchiveFile } from '../storage/archive-file.ts'
import type { World } from '../world.ts'
import type { MergeInput, Placed } from './merge-plan.ts'
import { planMerge } from './merge-plan.ts'
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
  const records: Buffer[] = []
  for (const input of plan) {
    signal.throwIfAborted()
    await using file = await openArchiveFile(world, input.path)
    await copyInput(file, input, draft, records, signal)
    options.reporter.progress({ phase: 'merging', bytes: draft.bytes(), totalBytes })
  }
  const directoryOffset = draft.bytes()
  for (let start = 0; start < records.length; start += RECORDS_AT_ONCE) {
    await draft.write(Buffer.concat(records.slice(start, start + RECORDS_AT_ONCE)))
  }
  await draft.write(endRecords(records.length, directoryOffset, draft.bytes() - directoryOffset))
  signal.throwIfAborted()
  await draft.finish()
  return { bytes: draft.bytes(), entries: records.length }
}

const RECORDS_AT_ONCE = 8_192
const COPY_BYTES = 2 * 1024 ** 2

/** Copies what is kept of one input, what stands together in one piece, and adds its central records to `records`. */
async function copyInput(
  file: ArchiveFile,
  input: MergeInput,
  draft: ArchiveDraft,
  records: Buffer[],
  signal: AbortSignal,
): Promise<void> {
  let [start, end] = [0, 0]
  const flush = async (): Promise<void> => {
    for (let position = start; position < end; position += COPY_BYTES) {
      signal.throwIfAborted()
      await draft.write(await file.read(position, Math.min(COPY_BYTES, end - position)))
    }
    start = end
  }
  for (const entry of input.kept) {
    if (entry.headerOffset !== end || entry.newName !== undefined) {
      await flush()
      start = entry.headerOffset
    }
    const headerOffset = draft.bytes() + (entry.headerOffset - start)
    if (entry.newName !== undefined) {
      const header = await readLocalHeader(file, entry)
      await draft.write(renameLocalHeader(header, entry.newName))
      start = entry.headerOffset + header.length
    }
    end = entry.endOffset
    const { bytes, packedBytes, newName: name } = entry
    records.push(moveRecord(entry.record, { headerOffset, bytes, packedBytes, name }))
  }
  await flush()
}

async function readLocalHeader(file: ArchiveFile, { headerOffset }: Placed): Promise<Buffer> {
  return await file.read(headerOffset, localHeaderBytes(await file.read(headerOffset, 30)))
}
