import { plural } from '../base/units.ts'
import type { ByteReader } from './byte-reader.ts'
import { FLAG } from './entry.ts'
import type { EntryTable } from './entry-table.ts'
import { nameAt } from './entry-table.ts'
import {
  descriptorProblem,
  LOCAL_HEADER_BYTES,
  localHeaderProblem,
  MAX_DESCRIPTOR_BYTES,
  repeatsRecord,
} from './local-header.ts'
import type { ProblemList } from './problem.ts'

/**
 * Holds every local header and data descriptor to the directory, fills in where the data stands, and sees to it that the
 * entries cover the file from its first byte to the directory without a gap and without overlap.
 */
export async function checkLocalHeaders(
  reader: ByteReader,
  table: EntryTable,
  problems: ProblemList,
): Promise<void> {
  const { count, headerOffset, endOffset, directoryOffset } = table
  const order = fileOrder(table)
  const file = createView(reader, directoryOffset)
  const add = (index: number, offset: number, text: string): void => {
    problems.add({ rule: 'structure', entry: nameAt(table, index).name, offset, text })
  }
  const before = problems.count
  let cursor = 0
  for (let place = 0; place < count; place += 1) {
    const index = order?.[place] ?? place
    const offset = headerOffset[index]!
    const limit = place + 1 < count ? headerOffset[order?.[place + 1] ?? place + 1]! : directoryOffset
    if (offset !== cursor) {
      const previous = place === 0 ? undefined : nameAt(table, order?.[place - 1] ?? place - 1).name
      add(index, offset, misplacedText(offset - cursor, previous))
    }
    const checking = checkEntry(file, table, index, limit)
    const found = checking instanceof Promise ? await checking : checking
    if (found !== undefined) add(index, found.offset ?? offset, found.text)
    // Where the end of a broken entry is not known, the next one is taken at its word.
    cursor = found === undefined ? endOffset[index]! : limit
  }
  if (cursor !== directoryOffset && problems.count === before) {
    const text = `${plural(directoryOffset - cursor, 'byte')} before the central directory belong to no entry`
    problems.add({ rule: 'structure', offset: cursor, text })
  }
}

/** The entries' numbers by where they stand; undefined when that is the directory's order, as nearly always. */
export function fileOrder({ count, headerOffset }: EntryTable): Uint32Array | undefined {
  for (let index = 1; index < count; index += 1) {
    if (headerOffset[index]! >= headerOffset[index - 1]!) continue
    return Uint32Array.from({ length: count }, (_, each) => each).sort(
      (one, other) => headerOffset[one]! - headerOffset[other]! || one - other,
    )
  }
  return undefined
}

function misplacedText(gap: number, previous: string | undefined): string {
  if (previous === undefined) return `${plural(gap, 'byte')} before the first entry`
  return gap < 0 ? `overlaps "${previous}"` : `${plural(gap, 'byte')} before it belong to no entry`
}

interface Found {
  readonly text: string
  readonly offset?: number
}

/** Checks one entry, at once when the bytes are at hand; sets its `dataOffset` and `endOffset`. */
function checkEntry(
  file: View,
  table: EntryTable,
  index: number,
  limit: number,
): Found | undefined | Promise<Found | undefined> {
  const { view: listed, directoryOffset } = table
  const offset = table.headerOffset[index]!
  if (offset + LOCAL_HEADER_BYTES > directoryOffset) return { text: 'has no room for its local header' }
  const isDense = limit - offset < DENSE_BYTES
  const record = table.recordStart[index]!
  const guess = LOCAL_HEADER_BYTES + listed.getUint16(record + 28, true) + USUAL_EXTRA_BYTES
  const loading = file.ensure(offset, guess, isDense)
  // Once the bytes are there, it is done again from the start.
  if (loading !== undefined) return loading.then(() => checkEntry(file, table, index, limit))
  const at = offset - file.start
  const length = LOCAL_HEADER_BYTES + file.view.getUint16(at + 26, true) + file.view.getUint16(at + 28, true)
  if (offset + length > directoryOffset) return { text: 'has a local header that reaches into the directory' }
  if (length > guess) {
    const loadingRest = file.ensure(offset, length, isDense)
    if (loadingRest !== undefined) return loadingRest.then(() => checkEntry(file, table, index, limit))
  }
  const dataEnd = offset + length + table.packedBytes[index]!
  table.dataOffset[index] = offset + length
  table.endOffset[index] = dataEnd
  if (!repeatsRecord(file.bytes, file.view, offset - file.start, table, record)) {
    const text = localHeaderProblem(file.bytes, offset - file.start, table, index)
    if (text !== undefined) return { text }
  }
  if (dataEnd > directoryOffset) return { text: 'has data that reaches into the directory' }
  if ((listed.getUint16(record + 8, true) & FLAG.descriptor) === 0) return undefined
  return checkDescriptor(file, table, index, limit, isDense)
}

/** The descriptor takes all the room up to `limit`, where the next entry or the directory begins. */
function checkDescriptor(
  file: View,
  table: EntryTable,
  index: number,
  limit: number,
  isDense: boolean,
): Found | undefined | Promise<Found | undefined> {
  const offset = table.endOffset[index]!
  const length = limit - offset
  if (length < 0) return undefined
  if (length > MAX_DESCRIPTOR_BYTES) {
    return {
      offset,
      text: 'has no data descriptor where one must be, or bytes follow it that belong to no entry',
    }
  }
  const loading = file.ensure(offset, length, isDense)
  if (loading !== undefined) return loading.then(() => checkDescriptor(file, table, index, limit, isDense))
  const text = descriptorProblem(file.bytes, offset - file.start, length, table, index)
  if (text !== undefined) return { offset, text }
  table.endOffset[index] = limit
  return undefined
}

/** Extra fields of a local header are seldom longer. */
const USUAL_EXTRA_BYTES = 64

/** Headers that lie closer together than this are read in one piece; farther apart, each by itself. */
const DENSE_BYTES = 4096
const WINDOW_BYTES = 1 << 20

/** So many single reads are done before others get their turn; reading a window takes as long as so many of them. */
const READS_AT_ONCE = 2_000
const READS_PER_WINDOW = 250

/** A piece of the file at hand, moved forward as it is needed. */
interface View {
  readonly bytes: Buffer
  readonly view: DataView
  readonly start: number
  /** Sees to it that `length` bytes from `offset` (or those up to the directory) are at hand: undefined, or when they will be. */
  readonly ensure: (offset: number, length: number, isDense: boolean) => Promise<void> | undefined
}

function createView(reader: ByteReader, limit: number): View {
  const file = {
    bytes: Buffer.alloc(0) as Buffer,
    view: new DataView(new ArrayBuffer(0)) as DataView,
    start: 0,
    ensure,
  }
  let window = Buffer.alloc(0)
  let reads = 0
  function ensure(offset: number, length: number, isDense: boolean): Promise<void> | undefined {
    const end = offset + length < limit ? offset + length : limit
    if (offset >= file.start && end <= file.start + file.bytes.length) return undefined
    if (reads >= READS_AT_ONCE) {
      reads = 0
      return new Promise((resolve) => setImmediate(resolve))
    }
    if (isDense) {
      reads += READS_PER_WINDOW
      const wanted = Math.min(Math.max(length, WINDOW_BYTES), limit - offset)
      if (window.length < wanted) window = Buffer.allocUnsafeSlow(wanted)
      take(reader.readNow(offset, wanted, window), offset)
    } else {
      reads += 1
      take(reader.readNow(offset, end - offset), offset)
    }
    return undefined
  }
  function take(bytes: Buffer, start: number): void {
    file.bytes = bytes
    file.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    file.start = start
  }
  return file
}
