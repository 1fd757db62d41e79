import { setImmediate as turn } from 'node:timers/promises'
import type { World } from '../base/world.ts'
import type { ArchiveFile } from './archive-file.ts'
import { openArchiveFile } from './archive-file.ts'
import type { ArchiveEntry } from './entry.ts'
import { EntryDataError, inflateChunks, type ReadPacked } from './entry-data.ts'
import { archiveProblem } from './problem.ts'

export interface Content {
  readonly path: string
  readonly entry: ArchiveEntry
}

const CHUNK_BYTES = 256 * 1024

/** Compares the content of two entries: packed if the packed sizes are equal, else unpacked. */
export async function isSameContent(
  world: World,
  one: Content,
  other: Content,
  signal: AbortSignal,
): Promise<boolean> {
  await using oneFile = openArchiveFile(world, one.path)
  await using otherFile = openArchiveFile(world, other.path)
  const [onePacked, otherPacked] = [packedOf(oneFile, one.entry), packedOf(otherFile, other.entry)]
  const isPackedAlike =
    one.entry.method === other.entry.method && one.entry.packedBytes === other.entry.packedBytes
  if (isPackedAlike && (await isSamePacked(onePacked, otherPacked, one.entry.packedBytes, signal)))
    return true
  return await isSameUnpacked(unpacked(one, onePacked), unpacked(other, otherPacked), signal)
}

function packedOf(file: ArchiveFile, { dataOffset }: ArchiveEntry): ReadPacked {
  return (position, length) => file.read(dataOffset + position, length)
}

async function isSamePacked(
  one: ReadPacked,
  other: ReadPacked,
  bytes: number,
  signal: AbortSignal,
): Promise<boolean> {
  for (let position = 0; position < bytes; position += CHUNK_BYTES) {
    if (position > 0) await turn()
    signal.throwIfAborted()
    const length = Math.min(CHUNK_BYTES, bytes - position)
    if (!one(position, length).equals(other(position, length))) return false
  }
  return true
}

async function* unpacked({ path, entry }: Content, read: ReadPacked): AsyncGenerator<Buffer, void, void> {
  try {
    yield* inflateChunks(read, entry)
  } catch (error) {
    if (!(error instanceof EntryDataError)) throw error
    throw archiveProblem(path, {
      rule: 'data',
      entry: entry.name,
      offset: entry.headerOffset,
      text: error.message,
    })
  }
}

/** Compares two streams of pieces. */
async function isSameUnpacked(
  one: AsyncGenerator<Buffer, void, void>,
  other: AsyncGenerator<Buffer, void, void>,
  signal: AbortSignal,
): Promise<boolean> {
  let [left, right]: (Buffer | undefined)[] = [Buffer.alloc(0), Buffer.alloc(0)]
  try {
    for (;;) {
      signal.throwIfAborted()
      if (left?.length === 0) left = (await one.next()).value ?? undefined
      if (right?.length === 0) right = (await other.next()).value ?? undefined
      if (left === undefined || right === undefined) return left === right
      const length = Math.min(left.length, right.length)
      if (!left.subarray(0, length).equals(right.subarray(0, length))) return false
      left = left.subarray(length)
      right = right.subarray(length)
    }
  } finally {
    await one.return()
    await other.return()
  }
}
