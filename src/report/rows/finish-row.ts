import { findingsOf, type GateContext } from '../gate/fail-on.ts'
import type { Waivers } from '../gate/waivers.ts'
import { addDates, type RowDates } from '../regulations/reference-facts.ts'
import type { JudgedRow, OpenRow } from './report-row.ts'

/** What decorates a row, beside its own content. Nothing of it is known while a file is read. */
export interface RowContext extends GateContext {
  /** The reference tables; without them nothing is known about dates. */
  readonly dates?: RowDates | undefined
  readonly waivers?: Waivers | undefined
}

/**
 * Completes a row. Everything that depends on the date, on reference tables or on settings is added here; what is read from a file
 * depends on the file alone.
 */
export function finishRow(row: OpenRow, context: RowContext): JudgedRow {
  const { dates, waivers } = context
  if (dates !== undefined && row.status === 'declared') addDates(row, dates)
  const findings = findingsOf(row, context)
  if (findings.length > 0) {
    row.gate = waivers?.find(row, findings) ?? { open: findings.map(({ word }) => word), waived: [] }
  }
  return row
}
