import { plural } from '../base/units.ts'
import type { ZipBytes } from './archive-file.ts'
import { CENTRAL_RECORD_BYTES } from './entry.ts'
import type { Problem } from './problem.ts'

/** Position and size of the central directory. */
export interface EndRecord {
  readonly entryCount: number
  readonly directoryOffset: number
  readonly directoryBytes: number
  /** Length of the archive without the zeros that some writers pad it with. */
  readonly archiveBytes: number
}

const END_SIGNATURE = 'PK\x05\x06'
const END_BYTES = 22
const LOCATOR_SIGNATURE = 0x07064b50
const LOCATOR_BYTES = 20
const END64_SIGNATURE = 0x06064b50
const END64_BYTES = 56
const MAX_COMMENT = 0xffff

/**
 * Reads the end record of an archive (APPNOTE 4.3.14 to 4.3.16). yauzl takes the last valid one; here everything that could make two
 * readers find different directories is a problem: a second one, bytes after it, counts or offsets that disagree.
 */
export function readEndRecord(reader: ZipBytes): EndRecord | Problem {
  const tailBytes = Math.min(reader.size, END_BYTES + MAX_COMMENT + LOCATOR_BYTES + END64_BYTES)
  const tailStart = reader.size - tailBytes
  const tail = reader.read(tailStart, tailBytes)
  const at = findEnd(tail)
  if (typeof at !== 'number') return at.offset === undefined ? at : { ...at, offset: at.offset + tailStart }
  const offset = tailStart + at
  const plain = {
    disk: tail.readUInt16LE(at + 4),
    directoryDisk: tail.readUInt16LE(at + 6),
    countHere: tail.readUInt16LE(at + 8),
    count: tail.readUInt16LE(at + 10),
    directoryBytes: tail.readUInt32LE(at + 12),
    directoryOffset: tail.readUInt32LE(at + 16),
    archiveBytes: offset + END_BYTES + tail.readUInt16LE(at + 20),
  }
  const locatorAt = at - LOCATOR_BYTES
  if (locatorAt >= 0 && tail.readUInt32LE(locatorAt) === LOCATOR_SIGNATURE) {
    return readZip64(reader, tail.subarray(locatorAt, at), offset, plain)
  }
  if (plain.directoryBytes === 0xffffffff || plain.directoryOffset === 0xffffffff) {
    return structure(offset, 'end record points to ZIP64 records that are not there')
  }
  if (plain.disk !== 0 || plain.directoryDisk !== 0) return multiDisk(offset)
  if (plain.countHere !== plain.count) {
    return structure(offset, `end record counts ${plain.countHere} entries here and ${plain.count} in all`)
  }
  return checked(offset, { entryCount: plain.count, ...plain })
}

interface PlainEnd {
  readonly disk: number
  readonly directoryDisk: number
  readonly countHere: number
  readonly count: number
  readonly directoryBytes: number
  readonly directoryOffset: number
  readonly archiveBytes: number
}

/** Why there is no end record in the last bytes of the file. */
function missingText(tail: Buffer): string {
  return tail.length > MAX_COMMENT && tail.every((byte) => byte === 0)
    ? 'ends with more than 64 KiB of zeros: its download was not completed, or it is padded with too many'
    : 'has no end of central directory record: it is truncated or not a ZIP archive'
}

/** Where the only end record starts in the last bytes of the file. */
function findEnd(tail: Buffer): number | Problem {
  const whole: number[] = []
  let last = -1
  for (
    let at = tail.indexOf(END_SIGNATURE, 0, 'latin1');
    at !== -1;
    at = tail.indexOf(END_SIGNATURE, at + 1, 'latin1')
  ) {
    last = at
    if (bytesAfter(tail, at)?.every((byte) => byte === 0) === true) whole.push(at)
  }
  if (last === -1) return { rule: 'structure', text: missingText(tail) }
  if (whole.length > 1) return structure(whole[0]!, 'two end records: two readers would read two archives')
  const at = whole[0]
  if (at !== undefined && at === last) return at
  if (at !== undefined) return structure(last, 'the comment contains a second end record')
  if (last + END_BYTES > tail.length) return structure(last, 'end record is truncated')
  const after = bytesAfter(tail, last)
  if (after !== undefined) {
    const { length } = after
    return structure(last, `${plural(length, 'byte')} ${length === 1 ? 'follows' : 'follow'} the end record`)
  }
  const missing = last + END_BYTES + tail.readUInt16LE(last + 20) - tail.length
  return structure(last, `the comment of the end record is truncated by ${plural(missing, 'byte')}`)
}

/** What follows the end record at `at` and its comment; undefined when they are cut short. */
function bytesAfter(tail: Buffer, at: number): Buffer | undefined {
  if (at + END_BYTES > tail.length) return undefined
  const end = at + END_BYTES + tail.readUInt16LE(at + 20)
  return end > tail.length ? undefined : tail.subarray(end)
}

function readZip64(
  reader: ZipBytes,
  locator: Buffer,
  endOffset: number,
  plain: PlainEnd,
): EndRecord | Problem {
  const locatorOffset = endOffset - LOCATOR_BYTES
  const offset = number64(locator, 8)
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) return multiDisk(locatorOffset)
  if (offset !== locatorOffset - END64_BYTES || offset < 0) {
    return structure(locatorOffset, 'ZIP64 locator does not point to the record right before it')
  }
  const record = reader.read(offset, END64_BYTES)
  if (record.readUInt32LE(0) !== END64_SIGNATURE) {
    return structure(offset, 'ZIP64 end record has the wrong signature')
  }
  if (number64(record, 4) !== END64_BYTES - 12)
    return structure(offset, 'ZIP64 end record has the wrong length')
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0) return multiDisk(offset)
  const [countHere, count] = [number64(record, 24), number64(record, 32)]
  const [directoryBytes, directoryOffset] = [number64(record, 40), number64(record, 48)]
  if (countHere !== count) {
    return structure(offset, `ZIP64 end record counts ${countHere} entries here and ${count} in all`)
  }
  const agrees =
    agree(plain.count, count, 0xffff) &&
    agree(plain.countHere, count, 0xffff) &&
    agree(plain.directoryBytes, directoryBytes, 0xffffffff) &&
    agree(plain.directoryOffset, directoryOffset, 0xffffffff) &&
    agree(plain.disk, 0, 0xffff) &&
    agree(plain.directoryDisk, 0, 0xffff)
  if (!agrees) return structure(offset, 'ZIP64 end record and end record disagree')
  const { archiveBytes } = plain
  return checked(offset, { entryCount: count, directoryOffset, directoryBytes, archiveBytes })
}

function agree(value: number, value64: number, maximum: number): boolean {
  return value === maximum || value === value64
}

/** The directory must end where its end record starts, so that no bytes are hidden, and have room for its records. */
function checked(endsAt: number, end: EndRecord): EndRecord | Problem {
  const { entryCount, directoryOffset, directoryBytes, archiveBytes } = end
  const gap = endsAt - (directoryOffset + directoryBytes)
  if (!Number.isSafeInteger(directoryOffset + directoryBytes) || gap < 0) {
    return structure(endsAt, 'end record points beyond itself for the central directory')
  }
  if (gap > 0)
    return structure(
      endsAt,
      `${plural(gap, 'byte')} too many before the archive or between its directory and its end record`,
    )
  if (entryCount * CENTRAL_RECORD_BYTES > directoryBytes) {
    return structure(
      directoryOffset,
      `central directory of ${plural(directoryBytes, 'byte')} is too small for ${plural(entryCount, 'entry', 'entries')}`,
    )
  }
  return { entryCount, directoryOffset, directoryBytes, archiveBytes }
}

function multiDisk(offset: number): Problem {
  return { rule: 'unsupported', offset, text: 'is one part of an archive split over several files' }
}

function structure(offset: number, text: string): Problem {
  return { rule: 'structure', offset, text }
}

function number64(bytes: Buffer, offset: number): number {
  return Number(bytes.readBigUInt64LE(offset))
}
