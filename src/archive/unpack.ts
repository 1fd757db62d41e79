import type { ProductId } from '../domain/product-ids.ts'
import { createProductScanner } from '../domain/product-ids.ts'
import type { Declared } from './inflate.ts'
import { EntryDataError, fitsWhole, inflateChunks, inflateWhole } from './inflate.ts'

/** One entry to unpack. */
export interface UnpackItem extends Declared {
  /** Its place in the order of the work. */
  readonly index: number
  /** The entry's name, for what is told about it; threads do without. */
  readonly name: string
  readonly dataOffset: number
  /** Where it goes, relative to the target folder; empty when nothing is written. */
  readonly path: string
  readonly modifiedMs: number | undefined
  /** Whether its ProductIDs are wanted. */
  readonly scan: boolean
}

/** What takes the bytes of entries; what it throws ends the work. */
export interface EntrySink {
  readonly writeWhole: (item: UnpackItem, bytes: Buffer) => void | Promise<void>
  readonly open: (item: UnpackItem) => EntryWriter | Promise<EntryWriter>
}

export interface EntryWriter {
  readonly write: (chunk: Buffer) => void | Promise<void>
  readonly close: (isWhole: boolean) => void | Promise<void>
}

/** The surroundings of a piece of unpacking. */
export interface Unpacking {
  /** Exactly `length` bytes of the archive from `offset`. */
  readonly read: (offset: number, length: number) => Buffer | Promise<Buffer>
  /** Undefined: the data is only looked at. */
  readonly sink: EntrySink | undefined
  readonly onProblem: (item: UnpackItem, text: string) => void
  readonly onProducts: (item: UnpackItem, ids: readonly ProductId[]) => void
  /** Told about unpacked bytes as they come. */
  readonly onBytes: (bytes: number) => void
  readonly isStopped: () => boolean
}

/** Most bytes of small entries that are read from the archive in one piece. */
export const RUN_BYTES = 512 * 1024

/** Most entries in one piece of work, so that threads finish at about the same time. */
export const RUN_ENTRIES = 256

/** A piece of work: items `[start, end)` in their order. */
export type Run = readonly [start: number, end: number]

/** The pieces of work: every large entry by itself, small ones that stand together in runs. */
export function planRuns(items: readonly UnpackItem[]): readonly Run[] {
  const runs: Run[] = []
  let start = 0
  for (let end = 1; end <= items.length; end += 1) {
    if (end < items.length && belongsTogether(items, start, end)) continue
    runs.push([start, end])
    start = end
  }
  return runs
}

/** The order of work for `planRuns`: large entries first, so that none is left over at the end, then by place in the file. */
export function inWorkOrder<Item extends Declared & { readonly dataOffset: number }>(
  items: readonly Item[],
): Item[] {
  return items.toSorted((one, other) => {
    const [oneIsSmall, otherIsSmall] = [fitsWhole(one), fitsWhole(other)]
    if (oneIsSmall !== otherIsSmall) return oneIsSmall ? 1 : -1
    return oneIsSmall
      ? one.dataOffset - other.dataOffset
      : other.bytes - one.bytes || one.dataOffset - other.dataOffset
  })
}

function belongsTogether(items: readonly UnpackItem[], start: number, next: number): boolean {
  const [first, item] = [items[start]!, items[next]!]
  if (next - start >= RUN_ENTRIES || !fitsWhole(first) || !fitsWhole(item)) return false
  return item.dataOffset + item.packedBytes - first.dataOffset <= RUN_BYTES
}

/** Unpacks one run of `planRuns`: inflates, holds to what is declared, writes, scans. */
export async function unpackRun(items: readonly UnpackItem[], unpacking: Unpacking): Promise<void> {
  const [first, last] = [items[0]!, items.at(-1)!]
  if (items.length === 1 && !fitsWhole(first)) return await unpackLarge(first, unpacking)
  const packed = await unpacking.read(first.dataOffset, last.dataOffset + last.packedBytes - first.dataOffset)
  for (const item of items) {
    if (unpacking.isStopped()) return
    const start = item.dataOffset - first.dataOffset
    await unpackSmall(item, packed.subarray(start, start + item.packedBytes), unpacking)
  }
}

async function unpackSmall(item: UnpackItem, packed: Buffer, unpacking: Unpacking): Promise<void> {
  let bytes: Buffer
  try {
    bytes = inflateWhole(packed, item)
  } catch (error) {
    if (!(error instanceof EntryDataError)) throw error
    unpacking.onProblem(item, error.message)
    return
  }
  if (item.scan) {
    const scanner = createProductScanner()
    scanner.push(bytes)
    unpacking.onProducts(item, scanner.end())
  }
  const writing = unpacking.sink?.writeWhole(item, bytes)
  if (writing !== undefined) await writing
  unpacking.onBytes(bytes.length)
}

async function unpackLarge(item: UnpackItem, unpacking: Unpacking): Promise<void> {
  const scanner = item.scan ? createProductScanner() : undefined
  const writer = await unpacking.sink?.open(item)
  let isWhole = false
  try {
    const read = async (position: number, length: number): Promise<Buffer> =>
      await unpacking.read(item.dataOffset + position, length)
    for await (const chunk of inflateChunks(read, item)) {
      if (unpacking.isStopped()) return
      scanner?.push(chunk)
      const writing = writer?.write(chunk)
      if (writing !== undefined) await writing
      unpacking.onBytes(chunk.length)
    }
    isWhole = true
  } catch (error) {
    if (!(error instanceof EntryDataError)) throw error
    unpacking.onProblem(item, error.message)
  } finally {
    await writer?.close(isWhole)
  }
  if (isWhole && scanner !== undefined) unpacking.onProducts(item, scanner.end())
}
