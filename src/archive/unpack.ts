import type { ProductId } from '../declaration/product-ids.ts'
import { createProductScanner } from '../declaration/product-ids.ts'
import type { Declared } from './inflate.ts'
import { EntryDataError, fitsWhole } from './inflate.ts'
import type { ReadPacked } from './inflate-chunks.ts'
import { inflateChunks } from './inflate-chunks.ts'
import type { WholeInflater } from './whole-inflater.ts'

/** One entry to unpack. */
export interface UnpackItem extends Declared {
  /** Its place in the order of work. */
  readonly place: number
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
  readonly write: (chunk: Buffer) => undefined | Promise<void>
  readonly close: (isWhole: boolean) => void | Promise<void>
}

/** The surroundings of a piece of unpacking. */
export interface Unpacking {
  /** Exactly `length` bytes of the archive from `offset`, in the beginning of `into` or in a new buffer. */
  readonly read: (offset: number, length: number, into?: Buffer) => Buffer | Promise<Buffer>
  /** The same for the small entries of one run; the bytes need only be good until the next call. */
  readonly readRun: (offset: number, length: number) => Buffer | Promise<Buffer>
  /** For the small entries; nobody else may use it meanwhile. */
  readonly inflater: WholeInflater
  /** Undefined: the data is only looked at. */
  readonly sink: EntrySink | undefined
  readonly onProblem: (item: UnpackItem, text: string) => void
  readonly onProducts: (item: UnpackItem, ids: readonly ProductId[]) => void
  /** Told about unpacked bytes as they come. */
  readonly onBytes: (bytes: number) => void
  readonly isStopped: () => boolean
}

/**
 * Unpacks one run of a work list: inflates, holds to what is declared, writes, scans. How many items were dealt with: all of
 * them, unless it was stopped.
 */
export async function unpackRun(items: readonly UnpackItem[], unpacking: Unpacking): Promise<number> {
  const [first, last] = [items[0]!, items.at(-1)!]
  if (items.length === 1 && !fitsWhole(first)) return await unpackLarge(first, unpacking)
  const packed = await unpacking.readRun(
    first.dataOffset,
    last.dataOffset + last.packedBytes - first.dataOffset,
  )
  for (const [done, item] of items.entries()) {
    if (unpacking.isStopped()) return done
    const start = item.dataOffset - first.dataOffset
    // Where nothing has to wait, nothing does: a pause for each of many small entries adds up.
    const waiting = unpackSmall(item, packed.subarray(start, start + item.packedBytes), unpacking)
    if (waiting !== undefined) await waiting
  }
  return items.length
}

function unpackSmall(item: UnpackItem, packed: Buffer, unpacking: Unpacking): Promise<void> | undefined {
  let bytes: Buffer
  try {
    bytes = unpacking.inflater.inflate(packed, item)
  } catch (error) {
    if (!(error instanceof EntryDataError)) throw error
    unpacking.onProblem(item, error.message)
    return undefined
  }
  if (item.scan) {
    const scanner = createProductScanner()
    scanner.push(bytes)
    unpacking.onProducts(item, scanner.end())
  }
  const { length } = bytes
  const writing = unpacking.sink?.writeWhole(item, bytes)
  if (writing !== undefined) return writing.then(() => unpacking.onBytes(length))
  unpacking.onBytes(length)
  return undefined
}

async function unpackLarge(item: UnpackItem, unpacking: Unpacking): Promise<number> {
  const scanner = item.scan ? createProductScanner() : undefined
  const writer = await unpacking.sink?.open(item)
  // A chunk is written while the next one is inflated.
  let writing: Promise<void> | undefined
  let isWhole = false
  try {
    const read: ReadPacked = async (position, length, into) =>
      await unpacking.read(item.dataOffset + position, length, into)
    for await (const chunk of inflateChunks(read, item)) {
      if (unpacking.isStopped()) return 0
      scanner?.push(chunk)
      await writing
      writing = writer?.write(chunk)
      // Its fault is met when it is waited for.
      writing?.catch(() => undefined)
      unpacking.onBytes(chunk.length)
    }
    await writing
    isWhole = true
  } catch (error) {
    if (!(error instanceof EntryDataError)) throw error
    unpacking.onProblem(item, error.message)
  } finally {
    await writing?.catch(() => undefined)
    await writer?.close(isWhole)
  }
  if (isWhole && scanner !== undefined) unpacking.onProducts(item, scanner.end())
  return 1
}
