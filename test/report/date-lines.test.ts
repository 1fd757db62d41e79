import { describe, expect, test } from 'vitest'
import { dateLines, exemptionLines } from '../../src/report/date-lines.ts'
import { createSummary, type ReportSummary } from '../../src/report/report-summary.ts'
import { finishRow } from '../../src/report/rows/finish-row.ts'
import type { JudgedRow } from '../../src/report/rows/report-row.ts'
import { createRowDates } from '../../src/report/rows/row-dates.ts'
import { TABLES } from '../support/reference-tables.ts'
import { NOW, partRowOf, summaryOf } from '../support/report-rows.ts'

function summaryWith(rows: readonly Partial<JudgedRow>[]): ReportSummary {
  const context = { nowMs: NOW, failOn: undefined, dates: createRowDates(TABLES, NOW) }
  const summary = createSummary(context)
  summary.add(rows.map((row, index) => finishRow(partRowOf({ part: `P${index + 1}`, ...row }), context)))
  return summary.result()
}
const uses = (...identities: string[]): Partial<JudgedRow> => ({
  exemption_ids: identities.map((identity) => ({ identity, list: '' })),
})
const lists = (...names: string[]): string =>
  dateLines(summaryWith(names.map((reach_list) => ({ reach_list }))))[0]!

describe('the lines about dates', () => {
  test('say how old the declared list is, and which tables say so', () => {
    expect(dateLines(summaryWith([{}, {}]))).toEqual([
      'Candidate List: 241 entries of June 2024 (2 parts); the newest list known to this table has 253 (2026-02-04, verified: 2 summaries)',
      'reference tables: lists.csv (newest date 2026-02-04), exemptions.csv (newest date 2027-06-30, checked 2026-01-31), svhc-substances.csv (newest date 2026-02-04), rohs-substances.csv (no date)',
    ])
  })

  test('name lists that the table does not have', () => {
    expect(lists('EUREACH-0626', 'EUREACH-0119')).toMatch(
      /^Candidate List: EUREACH-0626 is not in this table \(1 part\), 197 entries of January 2019 \(1 part\); the newest/,
    )
  })

  test('name the newest lists and the oldest', () => {
    expect(lists('EUREACH-0119', 'EUREACH-0624', 'EUREACH-0226', 'EUREACH-0620', 'EUREACH-0622')).toMatch(
      /: 253 entries of February 2026 \(1 part\), 241 entries of June 2024 \(1 part\), 2 lists between, 197 entries of January 2019/,
    )
  })

  test('name the tables alone without a declared list, and nothing without tables', () => {
    expect(dateLines(summaryWith([{ reach_list: '' }]))).toHaveLength(1)
    expect(dateLines(summaryOf([partRowOf()]))).toEqual([])
    expect(exemptionLines(summaryOf([partRowOf(uses('6(c)'))]))).toEqual([])
  })

  test('list the exemptions in use with their dates, how sure these are, and the parts', () => {
    const rows = [uses('6(c)', '8(b)'), uses('6c', '6(b)-I', '8b1'), uses('6c'), uses('6c')]
    expect(exemptionLines(summaryWith(rows))).toEqual([
      'exemptions in use, earliest nominal date first:',
      '  8(b)-I  2021-07-21, nominal date passed, in force; two agreeing summaries; 1 part: P2',
      '  6(b)-I  2026-12-11 to 2027-06-30 by product category, in force; two agreeing summaries; one summary; 1 part: P2',
      '  6(c)    2027-06-30, in force (renewal announced); two agreeing summaries; 4 parts: P1, P2, P3 …',
      '  8(b)    not judged (no date seen); 1 part: P1',
      '  1 part with an exemption whose date is not known: not judged',
    ])
  })

  test('have room for twenty exemptions', () => {
    const codes = Array.from({ length: 30 }, (_, index) => `Code ${index}`)
    const shown = exemptionLines(summaryWith([uses(...codes)]))
    expect(shown).toHaveLength(23)
    expect(shown[21]).toBe('  and 10 more exemptions')
  })
})
