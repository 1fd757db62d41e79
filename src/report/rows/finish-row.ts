import { type FailOnRule, gateOf } from '../gate/fail-on.ts'
import type { Waivers } from '../gate/waivers.ts'
import { addDates } from '../regulations/reference-facts.ts'
import {
  addedFindings,
  type FindingContext,
  type RowFinding,
  sortedFindings,
  verdictOf,
} from '../row-findings.ts'
import type { JudgedRow, OpenRow } from './report-row.ts'

/** What decorates a row, beside its own content. Nothing of it is known while a file is read. */
export interface RowContext extends FindingContext {
  /** Undefined without a gate. */
  readonly failOn: readonly FailOnRule[] | undefined
  readonly waivers?: Waivers | undefined
  /** What the sources are, where they are a library. */
  readonly place?: string | undefined
}

/**
 * Completes a row. Everything that depends on the date, on reference tables or on settings is added here; what is read from a file
 * depends on the file alone. A declaration that is superseded and a line that is not fitted are not judged.
 */
export function finishRow(row: OpenRow, context: RowContext): JudgedRow {
  const { dates, failOn = [], waivers } = context
  if (dates !== undefined && row.status === 'declared') addDates(row, dates)
  const isJudged = row.status !== 'superseded' && row.status !== 'not fitted'
  if (!isJudged) {
    row.findings = NONE
    return row
  }
  const found: readonly RowFinding[] = [
    ...row.findings,
    ...addedFindings(row, context),
    ...(row.status === 'declared' ? failOn.flatMap(({ find }) => find?.(row, context) ?? []) : []),
  ]
  const findings = found.length === 0 ? NONE : sortedFindings(found)
  row.findings = waivers?.apply(row, findings, dates?.casNumbers) ?? findings
  row.verdict = verdictOf(findings)
  row.gate = gateOf(row.findings, failOn)
  return row
}

const NONE: readonly never[] = []
