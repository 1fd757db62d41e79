import { setImmediate as turn } from 'node:timers/promises'
import { type Entry, type ExtraField, type LocalFileHeader, parseExtraFields } from 'yauzl'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { type Draft, openDraft } from '../fs/draft.ts'
import { changedFailure, openArchiveFile } from './archive-file.ts'
import { Blocks } from './blocks.ts'
import { type ArchiveEntry, CENTRAL_RECORD_BYTES, FIELD, FLAG, LOCAL_HEADER_BYTES, MAX_32 } from './entry.ts'
import { type MergeSources, planMerge } from './merge-plan.ts'
import { archiveFailure, archiveProblem, NO_ARCHIVE_LIMITS, ProblemList } from './problem.ts'
import { readEnd, readEntries } from './read-archive.ts'

interface MergeOptions {
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
  const directory = new Blocks()
  let count = 0
  const output = createBlockWriter(draft)
  for (const [number, length] of plan.counts.entries()) {
    await turn()
    const names = plan.names.slice(copied, copied + length)
    count += await copyEntries(world, sources.at(number)!.path, names, output, directory, signal)
    copied += names.length
    options.reporter.progress({ phase: 'merging', bytes: output.bytes(), totalBytes: plan.bytes })
  }
  await output.finish()
  const directoryOffset = draft.bytes()
  for (const records of [...directory.take(), directory.rest()]) await draft.write(records)
  await draft.write(endRecords(count, directoryOffset, draft.bytes() - directoryOffset))
  await draft.sync()
  signal.throwIfAborted()
  await draft.keep()
  return { bytes: draft.bytes(), entries: count }
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

/** Copies the entries that are kept, adds their central records to the directory, and resolves with their number. */
async function copyEntries(
  world: World,
  path: string,
  names: readonly (string | undefined)[],
  output: BlockWriter,
  directory: Blocks,
  signal: AbortSignal,
): Promise<number> {
  await using file = openArchiveFile(world, path)
  const end = readEnd(file, NO_ARCHIVE_LIMITS)
  if ('text' in end) throw archiveProblem(path, end)
  const problems = new ProblemList()
  let index = 0
  let count = 0
  for await (const { entry, record, local, found, fill } of readEntries(file, end, problems)) {
    signal.throwIfAborted()
    for (const problem of found) problems.add(problem)
    if (local === undefined) break
    const name = names[index]
    index += 1
    if (name === undefined) continue
    count += 1
    const moved = { entry, record, local, name }
    directory.add(centralRecord(moved, output.bytes()))
    const header = localHeader(moved)
    await output.append(header.length, (piece, at) => header.copy(piece, 0, at))
    await output.append(entry.packedBytes, (piece, at) => fill(piece, entry.dataOffset + at))
  }
  if (problems.count > 0) throw archiveFailure(path, problems)
  file.assertUnchanged()
  if (index !== names.length) throw changedFailure(path)
  return count
}

const COPY_BYTES = 1024 ** 2

/** An entry for a merged archive: as it was read, and its new name. */
interface MovedEntry {
  readonly entry: ArchiveEntry
  readonly record: Entry
  readonly local: LocalFileHeader
  readonly name: string
}

/** A new local header, with sizes and CRC-32 instead of a data descriptor. */
function localHeader(moved: MovedEntry): Buffer {
  const { bytes, packedBytes } = moved.entry
  const isLarge = Math.max(bytes, packedBytes) >= MAX_32
  const name = Buffer.from(moved.name)
  const extra = extraOf(isLarge ? [bytes, packedBytes] : [], parseExtraFields(moved.local.extraField))
  const head = Buffer.alloc(LOCAL_HEADER_BYTES)
  head.writeUInt32LE(0x04034b50, 0)
  writeFacts(head, 4, moved, isLarge ? [MAX_32, MAX_32] : [bytes, packedBytes], isLarge)
  head.writeUInt16LE(name.length, 26)
  head.writeUInt16LE(extra.length, 28)
  return Buffer.concat([head, name, extra])
}

/** A new central record for an entry whose local header is at `headerOffset`. */
function centralRecord(moved: MovedEntry, headerOffset: number): Buffer {
  const { entry, record } = moved
  const values = [entry.bytes, entry.packedBytes, headerOffset]
  const large = values.filter((value) => value >= MAX_32)
  const [bytes, packedBytes, offset] = values.map((value) => Math.min(value, MAX_32)) as [
    number,
    number,
    number,
  ]
  const name = Buffer.from(moved.name)
  const extra = extraOf(large, record.extraFields)
  const head = Buffer.alloc(CENTRAL_RECORD_BYTES)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(record.versionMadeBy, 4)
  writeFacts(head, 6, moved, [bytes, packedBytes], large.length > 0)
  head.writeUInt16LE(name.length, 28)
  head.writeUInt16LE(extra.length, 30)
  head.writeUInt16LE(record.fileCommentLength, 32)
  head.writeUInt16LE(record.internalFileAttributes, 36)
  head.writeUInt32LE(record.externalFileAttributes, 38)
  head.writeUInt32LE(offset, 42)
  return Buffer.concat([head, name, extra, record.fileCommentRaw])
}

/** Fields in the same order in both headers: version, flags, method, time, CRC-32, sizes. */
function writeFacts(
  head: Buffer,
  at: number,
  { record, name }: MovedEntry,
  [bytes, packedBytes]: readonly [number, number],
  isLarge: boolean,
): void {
  const flags = record.generalPurposeBitFlag & (FLAG.levels | FLAG.utf8)
  head.writeUInt16LE(isLarge ? 45 : 20, at)
  head.writeUInt16LE(/^[\0-\x7f]*$/.test(name) ? flags : flags | FLAG.utf8, at + 2)
  head.writeUInt16LE(record.compressionMethod, at + 4)
  head.writeUInt16LE(record.lastModFileTime, at + 6)
  head.writeUInt16LE(record.lastModFileDate, at + 8)
  head.writeUInt32LE(record.crc32, at + 10)
  head.writeUInt32LE(packedBytes, at + 14)
  head.writeUInt32LE(bytes, at + 18)
}

/** A ZIP64 field for these numbers, and the old fields except those with the old numbers and name. */
function extraOf(numbers: readonly number[], fields: readonly ExtraField[]): Buffer {
  const kept = fields.filter(({ id }) => id !== FIELD.zip64 && id !== FIELD.unicodePath)
  const zip64 = Buffer.alloc(numbers.length * 8)
  for (const [index, value] of numbers.entries()) zip64.writeBigUInt64LE(BigInt(value), index * 8)
  const all = numbers.length === 0 ? kept : [{ id: FIELD.zip64, data: zip64 }, ...kept]
  return Buffer.concat(
    all.flatMap(({ id, data }) => [Buffer.from(Uint16Array.of(id, data.length).buffer), data]),
  )
}

/** The records that end an archive, with those of ZIP64 where a number needs them. */
function endRecords(count: number, directoryOffset: number, directoryBytes: number): Buffer {
  const isLarge = count >= 0xffff || directoryOffset >= MAX_32 || directoryBytes >= MAX_32
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, 0xffff), 8)
  end.writeUInt16LE(Math.min(count, 0xffff), 10)
  end.writeUInt32LE(Math.min(directoryBytes, MAX_32), 12)
  end.writeUInt32LE(Math.min(directoryOffset, MAX_32), 16)
  if (!isLarge) return end
  const large = Buffer.alloc(76)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(45, 12)
  large.writeUInt16LE(45, 14)
  large.writeBigUInt64LE(BigInt(count), 24)
  large.writeBigUInt64LE(BigInt(count), 32)
  large.writeBigUInt64LE(BigInt(directoryBytes), 40)
  large.writeBigUInt64LE(BigInt(directoryOffset), 48)
  large.writeUInt32LE(0x07064b50, 56)
  large.writeBigUInt64LE(BigInt(directoryOffset + directoryBytes), 64)
  large.writeUInt32LE(1, 72)
  return Buffer.concat([large, end])
}
