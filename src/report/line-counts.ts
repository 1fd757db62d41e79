import { formatCount, plural } from '../base/units.ts'
import type { Piece, Tone } from './document.ts'
import { NOTHING_TO_JUDGE, type OverallVerdict, VERDICT_TONES, worstOfCounts } from './row-findings.ts'
import type { JudgedRow } from './rows/report-row.ts'

/** Lines of a product, or without a parts list parts, by verdict; those that are not fitted apart. */
interface LineCounts {
  readonly failed: number
  readonly doubtful: number
  readonly clean: number
  readonly notFitted: number
}

/** The one count of a product or report: every format shows this, in these words. */
export interface JudgedCount extends LineCounts {
  readonly what: 'line' | 'part'
  readonly verdict: OverallVerdict
  readonly unreadable: UnreadableFiles
}

/** Files that cannot be read, and are about no line by their names: they are told beside the verdict. */
export class UnreadableFiles {
  count = 0
  /** The first of them, without the directories of a library. */
  readonly files: string[] = []
  /** Where they are: the library, or empty. */
  readonly place: string

  constructor(place = '') {
    this.place = place
  }

  /** One that a waiver accepts is told with the waivers. */
  add({ findings, sources }: Pick<JudgedRow, 'findings' | 'sources'>): void {
    if (findings.every(({ waivers }) => waivers !== undefined)) return
    this.count += 1
    if (this.files.length >= NAMED) return
    for (const one of sources) this.files.push(one.replace(DIRECTORY, ''))
  }
}

/** What comes before the name of a file, or of the archive that it is in. */
const DIRECTORY = /^(?:[a-z]:)?\/(?:[^!/]*\/)*/i

export const NO_FILES = new UnreadableFiles()

/** How many are judged. */
export function judgedOf({ failed, doubtful, clean }: LineCounts): number {
  return failed + doubtful + clean
}

/** Several products together. */
export function sumOfCounts(all: readonly LineCounts[]): LineCounts {
  const sum = (name: keyof LineCounts): number => all.reduce((total, counts) => total + counts[name], 0)
  return {
    failed: sum('failed'),
    doubtful: sum('doubtful'),
    clean: sum('clean'),
    notFitted: sum('notFitted'),
  }
}

/** The count of lines. Files that cannot be read are told beside it, and change nothing. */
export function countOfLines(counts: LineCounts, unreadable: UnreadableFiles): JudgedCount {
  return { ...counts, what: 'line', verdict: worstOfCounts(counts), unreadable }
}

/** The count of the parts of a report without a list: a file that cannot be read may be about any part, and leaves it in doubt. */
export function countOfParts(counts: LineCounts, unreadable: UnreadableFiles): JudgedCount {
  const doubtful = counts.doubtful + unreadable.count
  return { ...counts, what: 'part', verdict: worstOfCounts({ ...counts, doubtful }), unreadable }
}

/** How it is marked: a clean count beside a file that cannot be read is not good. */
export function countTone({ verdict, unreadable }: JudgedCount): Tone {
  const tone = VERDICT_TONES[verdict]
  return tone === 'good' && unreadable.count > 0 ? 'warn' : tone
}

/** How it is marked beside a gate: what passes although it is not clean is no failure, and nothing is none of its own. */
export function gateTone(count: JudgedCount, isPassed: boolean): Tone {
  const tone = countTone(count)
  if (tone === 'none') return tone
  return isPassed ? (tone === 'good' ? tone : 'warn') : 'bad'
}

/**
 * `4 of 18 lines failed, 8 doubtful, 2 not fitted`, `all 18 lines are clean`, `nothing to judge: …`; then what is said of these lines, and the files
 * that cannot be read.
 */
export function countPieces(count: JudgedCount, ofLines = ''): readonly Piece[] {
  const { failed, doubtful, what, unreadable } = count
  const all = judgedOf(count)
  const [first, second] = (
    [
      [failed, 'failed', 'failed'],
      [doubtful, 'doubtful', 'is doubtful'],
    ] as const
  ).filter(([number]) => number > 0)
  const pieces: Piece[] = []
  if (all === 0) {
    if (what === 'line' || unreadable.count === 0) pieces.push(nothingText(count))
  } else if (first === undefined) {
    pieces.push(all === 1 ? `the only ${what} is clean` : `all ${formatCount(all)} ${what}s are clean`)
  } else {
    const [number, verdict, isSo] = first
    const text =
      all === 1 ? `the only ${what} ${isSo}` : `${formatCount(number)} of ${plural(all, what)} ${verdict}`
    pieces.push({ text, rows: { verdict } })
  }
  if (second !== undefined) {
    pieces.push(', ', { text: `${formatCount(second[0])} ${second[1]}`, rows: { verdict: second[1] } })
  }
  if (all > 0 && count.notFitted > 0) {
    pieces.push(`, ${formatCount(count.notFitted)} not fitted`)
  }
  if (ofLines !== '') pieces.push(ofLines)
  if (unreadable.count > 0) {
    if (pieces.length > 0) pieces.push('; ')
    for (const piece of unreadablePieces(count)) pieces.push(piece)
  }
  return pieces
}

function nothingText({ what, notFitted }: JudgedCount): string {
  if (notFitted > 0) {
    const lines = notFitted === 1 ? 'the only line is' : `all ${formatCount(notFitted)} lines are`
    return `${NOTHING_TO_JUDGE}: ${lines} marked not fitted`
  }
  return `${NOTHING_TO_JUDGE}: ${what === 'line' ? 'no lines' : 'no declarations'}`
}

const NAMED = 3

function unreadablePieces({ unreadable, what }: JudgedCount): readonly Piece[] {
  const files = plural(unreadable.count, 'file')
  const names = unreadable.files.join(', ')
  const left = unreadable.count - NAMED
  const about = what === 'line' ? ' and may be about any of them' : ''
  return [
    { text: files, rows: { finding: 'unreadable' } },
    `${unreadable.place === '' ? '' : ` in ${unreadable.place}`} cannot be read${about}: ${names}${left > 0 ? ` and ${formatCount(left)} more` : ''}`,
  ]
}
