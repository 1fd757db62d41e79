import type { EntryTable } from './entry-table.ts'
import { modifiedAt, nameAt } from './entry-table.ts'
import { fitsWhole } from './inflate.ts'
import type { UnpackItem } from './unpack.ts'

/**
 * The entries to be unpacked, in the order of work: as numbers in memory that all threads share, because an object for each
 * would have to be made here and copied to every thread.
 */
export interface WorkList {
  readonly count: number
  /** `COLUMNS` numbers for each entry. */
  readonly numbers: Float64Array
  /** Where each goes, relative to the target; empty when nothing is written. */
  readonly paths: readonly string[]
  /** The pieces of work: first place and the place after the last, in pairs. */
  readonly runs: Int32Array
  /** Each entry's row in the table. */
  readonly rows: Uint32Array
  /** All of them, unpacked. */
  readonly bytes: number
}

export interface WorkOptions {
  /** Where each row's entry goes; nothing is written without. */
  readonly paths?: readonly string[]
  /** Whether the ProductIDs of an entry of this name are wanted. */
  readonly scan?: (name: string) => boolean
  /** Times of entries after this one are not restored. */
  readonly newestMs?: number
}

/** Most bytes of small entries that are read from the archive in one piece. */
export const RUN_BYTES = 512 * 1024

/** Most entries in one piece of work, so that threads finish at about the same time. */
export const RUN_ENTRIES = 256

const COLUMNS = 7

/**
 * Plans the unpacking of some rows of a table. Every large entry is a piece of work by itself, and they come first, so that
 * none is left over at the end; small ones that stand together in the file make up runs.
 */
export function planWork(table: EntryTable, rows: readonly number[], options: WorkOptions = {}): WorkList {
  const { paths = [], scan, newestMs = Number.POSITIVE_INFINITY } = options
  const order = workOrder(table, rows)
  const numbers = new Float64Array(new SharedArrayBuffer(rows.length * COLUMNS * 8))
  const rowsInOrder = new Uint32Array(rows.length)
  const pathsInOrder: string[] = []
  let bytes = 0
  for (let place = 0; place < order.length; place += 1) {
    const row = rows[order[place]!]!
    const record = table.recordStart[row]!
    const at = place * COLUMNS
    rowsInOrder[place] = row
    bytes += table.bytes[row]!
    numbers[at] = table.dataOffset[row]!
    numbers[at + 1] = table.packedBytes[row]!
    numbers[at + 2] = table.bytes[row]!
    numbers[at + 3] = table.view.getUint32(record + 16, true)
    numbers[at + 4] = table.view.getUint16(record + 10, true)
    numbers[at + 5] = scan?.(nameAt(table, row).name) === true ? 1 : 0
    if (paths.length === 0) continue
    pathsInOrder.push(paths[order[place]!]!)
    const modifiedMs = modifiedAt(table, row)
    const isSane = modifiedMs !== undefined && modifiedMs >= 0 && modifiedMs <= newestMs
    numbers[at + 6] = isSane ? modifiedMs : Number.NaN
  }
  const runs = planRuns(numbers, rows.length)
  return { count: rows.length, numbers, paths: pathsInOrder, runs, rows: rowsInOrder, bytes }
}

/** Places in `rows`: large entries first, the largest before, then small ones by where they stand. */
function workOrder({ bytes, packedBytes, headerOffset }: EntryTable, rows: readonly number[]): number[] {
  const large: number[] = []
  const small: number[] = []
  let isSorted = true
  for (let place = 0; place < rows.length; place += 1) {
    const row = rows[place]!
    if (!fitsWhole({ bytes: bytes[row]!, packedBytes: packedBytes[row]! })) large.push(place)
    else {
      if (small.length > 0 && headerOffset[row]! < headerOffset[rows[small.at(-1)!]!]!) isSorted = false
      small.push(place)
    }
  }
  large.sort((one, other) => bytes[rows[other]!]! - bytes[rows[one]!]! || one - other)
  if (!isSorted) small.sort((one, other) => headerOffset[rows[one]!]! - headerOffset[rows[other]!]!)
  return large.length === 0 ? small : [...large, ...small]
}

function planRuns(numbers: Float64Array, count: number): Int32Array {
  const runs: number[] = []
  let start = 0
  for (let end = 1; end <= count; end += 1) {
    if (end < count && belongsTogether(numbers, start, end)) continue
    runs.push(start, end)
    start = end
  }
  const shared = new Int32Array(new SharedArrayBuffer(runs.length * 4))
  shared.set(runs)
  return shared
}

function belongsTogether(numbers: Float64Array, start: number, next: number): boolean {
  const [first, item] = [start * COLUMNS, next * COLUMNS]
  if (next - start >= RUN_ENTRIES) return false
  if (!fitsWhole({ bytes: numbers[first + 2]!, packedBytes: numbers[first + 1]! })) return false
  return numbers[item]! + numbers[item + 1]! - numbers[first]! <= RUN_BYTES
}

/** The item at a place in the order of work. */
export function itemAt({ numbers, paths }: Pick<WorkList, 'numbers' | 'paths'>, place: number): UnpackItem {
  const at = place * COLUMNS
  const modifiedMs = numbers[at + 6]!
  return {
    place,
    dataOffset: numbers[at]!,
    packedBytes: numbers[at + 1]!,
    bytes: numbers[at + 2]!,
    crc32: numbers[at + 3]!,
    method: numbers[at + 4] === 8 ? 'deflate' : 'stored',
    scan: numbers[at + 5] === 1,
    modifiedMs: Number.isNaN(modifiedMs) ? undefined : modifiedMs,
    path: paths[place] ?? '',
  }
}

/** The items of one piece of work. */
export function itemsOfRun(work: Pick<WorkList, 'numbers' | 'paths' | 'runs'>, run: number): UnpackItem[] {
  const items: UnpackItem[] = []
  for (let place = work.runs[run * 2]!; place < work.runs[run * 2 + 1]!; place += 1)
    items.push(itemAt(work, place))
  return items
}
