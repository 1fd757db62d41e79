import type { UnpackItem } from '../archive/unpack.ts'
import type { ProductId } from '../domain/product-ids.ts'
import type { WriteOptions } from '../storage/archive-writer.ts'
import type { SharedFolder } from '../storage/archive-writer-sync.ts'

/** What a worker thread that inflates gets; the memory behind the arrays is shared by all of them. */
export interface InflateWork {
  /** The archive's descriptor. */
  readonly fd: number
  /** Numbers of each entry, `COLUMNS` apart, in the order of work. */
  readonly numbers: Float64Array
  /** Where each entry goes; empty when nothing is written. */
  readonly paths: readonly string[]
  /** Start and end of each run, in pairs. */
  readonly runs: Int32Array
  readonly counters: SharedArrayBuffer
  readonly maxProblems: number
  readonly target: { readonly folder: SharedFolder; readonly options: WriteOptions } | undefined
}

/** The shared counters: which run is next, and whether to stop. */
export const COUNTER = { nextRun: 0, stop: 1 } as const

/** What it tells, from time to time and at its end. */
export interface FromInflater {
  readonly isDone: boolean
  /** Unpacked bytes since the last message. */
  readonly bytes: number
  /** ProductIDs of entries, by their place in the order of work. */
  readonly products: (readonly [number, readonly ProductId[]])[]
  /** At the end: the first problems, by place in the order of work, and how many there were. */
  readonly problems?: readonly (readonly [number, string])[]
  readonly problemCount?: number
  /** A fault other than the archive's. */
  readonly error?: ThreadError
}

export interface ThreadError {
  readonly code: string | undefined
  readonly message: string
  readonly stack: string | undefined
  /** It was met while the archive was read, not while a file was written. */
  readonly isRead: boolean
}

const COLUMNS = 7

/** The numbers of all items in shared memory. */
export function toNumbers(items: readonly UnpackItem[]): Float64Array {
  const numbers = new Float64Array(new SharedArrayBuffer(items.length * COLUMNS * 8))
  for (const [index, item] of items.entries()) {
    numbers.set(
      [
        item.dataOffset,
        item.packedBytes,
        item.bytes,
        item.crc32,
        item.method === 'deflate' ? 1 : 0,
        item.scan ? 1 : 0,
        item.modifiedMs ?? Number.NaN,
      ],
      index * COLUMNS,
    )
  }
  return numbers
}

/** The item at a place in the order of work. */
export function itemAt(
  { numbers, paths }: Pick<InflateWork, 'numbers' | 'paths'>,
  index: number,
): UnpackItem {
  const at = index * COLUMNS
  const modifiedMs = numbers[at + 6]!
  return {
    index,
    name: '',
    dataOffset: numbers[at]!,
    packedBytes: numbers[at + 1]!,
    bytes: numbers[at + 2]!,
    crc32: numbers[at + 3]!,
    method: numbers[at + 4] === 1 ? 'deflate' : 'stored',
    scan: numbers[at + 5] === 1,
    modifiedMs: Number.isNaN(modifiedMs) ? undefined : modifiedMs,
    path: paths[index] ?? '',
  }
}
