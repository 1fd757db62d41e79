import { escapeUnsafe } from '../../base/clean-text.ts'
import { type FailOnRule, findingsOf } from '../gate/fail-on.ts'
import { isOpen, type Waivers, waivedText } from '../gate/waivers.ts'
import { type JudgedRow, joinValues } from './report-row.ts'
import { type RowDates, withDates } from './row-dates.ts'

/** What decorates a row, beside its own content. Nothing of it is known while a file is read. */
export interface RowContext {
  /** The time of the report. */
  readonly nowMs: number
  /** Undefined without a gate. */
  readonly failOn: readonly FailOnRule[] | undefined
  /** The reference tables; without them nothing is known about dates. */
  readonly dates?: RowDates | undefined
  readonly waivers?: Waivers | undefined
}

/**
 * The row as it is shown, gated and counted. Everything that depends on the date, on reference tables or on settings is added here;
 * what is read from a file depends on the file alone. The part numbers of `row` are as written, those of the result safe to print.
 */
export function finishRow(row: JudgedRow, context: RowContext): JudgedRow {
  const { dates, waivers } = context
  const dated = dates === undefined ? row : withDates(row, dates)
  const shown = { ...dated, part: escapeUnsafe(row.part), requester_part: escapeUnsafe(row.requester_part) }
  const findings = findingsOf(shown, { ...context, listDay: dates?.listDay, casNumbers: dates?.casNumbers })
  const { open, waived } = waivers?.find(row, findings) ?? {
    open: findings.map(({ word }) => word),
    waived: [],
  }
  return { ...shown, waived, gate: joinValues([...open, ...waived.map(waivedText)]) }
}

/** The words in the gate column of a finished row that are not waived. */
export function gateWords({ gate }: Pick<JudgedRow, 'gate'>): readonly string[] {
  return gate === '' ? [] : gate.split('; ').filter(isOpen)
}

/** The waived words in the gate column of a finished row, each with its reason. */
export function waivedWords({ gate }: Pick<JudgedRow, 'gate'>): readonly string[] {
  return gate === '' ? [] : gate.split('; ').filter((word) => !isOpen(word))
}
