import { plural } from '../base/units.ts'
import type { ArchiveEntry } from './entry.ts'
import type { ProblemList } from './problem.ts'

/** Checks that the entries fill the file from its first byte to the directory, without gaps and overlaps. */
export function checkLayout(
  entries: readonly ArchiveEntry[],
  directoryOffset: number,
  problems: ProblemList,
): void {
  const before = problems.count
  const inFile = entries.toSorted((one, other) => one.headerOffset - other.headerOffset)
  let end = 0
  for (const [index, { name, headerOffset, endOffset }] of inFile.entries()) {
    if (headerOffset !== end) {
      const text = misplacedText(headerOffset - end, inFile[index - 1]?.name)
      problems.add({ rule: 'structure', entry: name, offset: headerOffset, text })
    }
    // The end of a damaged entry is unknown: assume that the next one follows it.
    end = Number.isNaN(endOffset) ? (inFile[index + 1]?.headerOffset ?? directoryOffset) : endOffset
  }
  if (end !== directoryOffset && problems.count === before) {
    const text = `${plural(directoryOffset - end, 'byte')} before the central directory belong to no entry`
    problems.add({ rule: 'structure', offset: end, text })
  }
}

function misplacedText(gap: number, previous: string | undefined): string {
  if (previous === undefined) return `${plural(gap, 'byte')} before the first entry`
  return gap < 0 ? `overlaps "${previous}"` : `${plural(gap, 'byte')} before it belong to no entry`
}
