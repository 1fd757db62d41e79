import { createCollisionCheck } from './entry-collisions.ts'
import type { EntryTable } from './entry-table.ts'
import { nameAt, RECORD_BYTES, SLASH } from './entry-table.ts'
import type { ProblemList } from './problem.ts'

/** Adds a problem for every name that can't stand beside those before it. */
export function checkCollisions(table: EntryTable, problems: ProblemList): void {
  if (areNamesRising(table)) return
  const check = createCollisionCheck()
  for (let index = 0; index < table.count; index += 1) {
    const { name } = nameAt(table, index)
    const text = check.add(name)
    if (text === undefined) continue
    problems.add({
      rule: 'name',
      entry: name,
      offset: table.directoryOffset + table.recordStart[index]!,
      text,
    })
  }
}

/**
 * Whether all names are plain and each comes after the one before it, with cases folded and `/` as the lowest letter; then
 * no two collide: a file would be followed at once by what is in a folder of its name, and a folder in another spelling would
 * stand beside the first. Nearly every archive is like this, and is spared a table of its names.
 */
function areNamesRising({ count, directory, view, recordStart, areNamesPlain }: EntryTable): boolean {
  if (!areNamesPlain) return false
  let [start, end] = [0, 0]
  for (let index = 0; index < count; index += 1) {
    const record = recordStart[index]!
    const nextStart = record + RECORD_BYTES
    const nextEnd = nextStart + view.getUint16(record + 28, true)
    if (index > 0 && !isAfter(directory, start, end, nextStart, nextEnd)) return false
    start = nextStart
    end = nextEnd
  }
  return true
}

/** Whether the second name comes strictly after the first, and spells the folders they share alike. */
function isAfter(bytes: Buffer, start: number, end: number, nextStart: number, nextEnd: number): boolean {
  const shared = Math.min(end - start, nextEnd - nextStart)
  let isSpeltOtherwise = false
  for (let at = 0; at < shared; at += 1) {
    const one = bytes[start + at]!
    const next = bytes[nextStart + at]!
    if (one === next) {
      if (one === SLASH && isSpeltOtherwise) return false
      continue
    }
    if (SORT_KEYS[one] !== SORT_KEYS[next]) return SORT_KEYS[one]! < SORT_KEYS[next]!
    isSpeltOtherwise = true
  }
  // The first is the beginning of the second: fine when it is a folder, or only part of a longer file name.
  return (
    nextEnd - nextStart > shared &&
    (bytes[start + shared - 1] === SLASH || bytes[nextStart + shared] !== SLASH)
  )
}

const SORT_KEYS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === SLASH) return 0
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
})
