import { companyName } from '../compliance/company-names.ts'
import { cellOf } from './columns.ts'
import { isJudged, needsAttention, type Verdict, verdictChange } from './row-findings.ts'
import type { JudgedRow } from './rows/report-row.ts'

/** What an earlier report said of a row. */
export interface EarlierRow {
  readonly part: string
  readonly supplier: string
  /** The line of the parts list; undefined without one. */
  readonly line: string | undefined
  readonly status: string
  readonly verdict: Verdict
  readonly findings: string
}

/** An earlier report, and what became of its rows. */
export type PreviousReport = ReturnType<typeof createPrevious>

/** Compares rows with those of a report of the day or file `since`. */
export function createPrevious(since: string, rows: Iterable<EarlierRow>) {
  const known = new Map<string, EarlierRow>()
  for (const row of rows) {
    for (const key of [keyOf(row), keyOf({ ...row, line: undefined })]) {
      const same = known.get(key)
      // Several rows of a part: the worst is compared.
      if (same === undefined || verdictChange(same.verdict, row.verdict) < 0) known.set(key, row)
    }
  }
  return {
    since,
    /** `new`, `answered`, `worse`, `better`, or empty: another declaration, or what is found in it, decides. */
    changeOf(row: JudgedRow): string {
      if (!isJudged(row)) return ''
      const now = earlierRow(row)
      // The list may have other lines now; a part that was missing had no supplier.
      const anywhere = { ...now, line: undefined }
      const keys = [now, { ...now, supplier: '' }, anywhere, { ...anywhere, supplier: '' }].map(keyOf)
      const then = keys.map((key) => known.get(key)).find((row) => row !== undefined)
      if (then === undefined) return 'new'
      if (isSilent(then) && !isSilent(now)) return 'answered'
      const change = verdictChange(then.verdict, now.verdict)
      if (change !== 0) return change > 0 ? 'better' : 'worse'
      if (!needsAttention(row) || then.findings === now.findings) return ''
      const [before, after] = [wordsOf(then), wordsOf(now)]
      return after.every((word) => before.includes(word)) ? 'better' : 'worse'
    },
  }
}

function isSilent({ status }: EarlierRow): boolean {
  return status === 'missing' || status === 'unknown' || status === 'unreadable'
}

function wordsOf({ findings }: EarlierRow): readonly string[] {
  return findings.split('; ').filter((word) => word !== '')
}

/** A missing part has no supplier, or the list's: it is compared by its number and line. */
function keyOf({ part, supplier, line, status }: EarlierRow): string {
  const own = status === 'missing' || status === 'unknown' ? '' : companyName(supplier)
  return [part, own, line ?? ''].join('\n')
}

/** A row as an earlier report has it. */
export function earlierRow(row: JudgedRow): EarlierRow {
  const text = (column: string): string => String(cellOf(row, column) ?? '')
  return {
    part: text('part') || text('requester_part') || text('source'),
    supplier: text('supplier'),
    line: row.line === undefined ? undefined : text('line'),
    status: text('status'),
    verdict: row.verdict,
    findings: text('findings'),
  }
}
