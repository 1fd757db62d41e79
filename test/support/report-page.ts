import type { ReportShape } from '../../src/report/formats/formatter.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { createWaivers } from '../../src/report/gate/waivers.ts'
import { plainList } from '../../src/report/lines.ts'
import { createListRows } from '../../src/report/list-rows.ts'
import { htmlFormatter } from '../../src/report/page/report-page.ts'
import { createRowDates } from '../../src/report/regulations/reference-facts.ts'
import type { Waiver } from '../../src/report/report-result.ts'
import { createSummary } from '../../src/report/report-summary.ts'
import { finishRow, type RowContext } from '../../src/report/rows/make-row.ts'
import type { SubstanceRow } from '../../src/report/rows/part-declaration.ts'
import type { OpenRow } from '../../src/report/rows/report-row.ts'
import { createRequestedParts } from '../../src/report/rows/resolve-rows.ts'
import { TABLES } from './reference-tables.ts'
import { NOW, partRowOf, reportOf, SHAPE, sampleRows, written } from './report-rows.ts'

export interface PageOptions {
  readonly failOn?: string
  readonly waivers?: readonly Waiver[]
  /** Pieces of each part of a product. */
  readonly product?: Readonly<Record<string, number>>
  readonly shape?: ReportShape
  readonly substances?: readonly SubstanceRow[]
}

/** A report as a page, with small reference tables. */
export async function pageOf(rows: readonly OpenRow[], options: PageOptions = {}): Promise<string> {
  const { failOn, waivers, product, shape = SHAPE, substances } = options
  const context: RowContext = {
    nowMs: NOW,
    failOn: failOn === undefined ? undefined : parseFailOn(failOn),
    dates: createRowDates(TABLES, NOW),
    waivers: waivers && createWaivers('waivers.csv', waivers, NOW),
  }
  const { listed = [], others = rows, products } = product ? linesOf(rows, product, context) : {}
  const finished = [...listed, ...others.map((row) => finishRow(row, context))]
  const summary = createSummary(context)
  summary.add(finished, { files: rows.length })
  const report = reportOf(
    finished,
    { size: 500, ...(substances && { substances }) },
    summary.result(products),
  )
  return (await written(htmlFormatter(shape), report)).toString()
}

/** The lines of a product of these parts, the first of them also in a board, and the rows that are on no line. */
function linesOf(rows: readonly OpenRow[], product: Readonly<Record<string, number>>, context: RowContext) {
  const parts = new Map(Object.entries(product))
  const inside = new Map([...parts].slice(0, 1))
  const { lines, bom } = plainList('board.csv', [...parts.keys()])
  const assemblies = new Map([['BOARD', inside]])
  const list = { name: 'board.csv', lines, bom: { ...bom, top: parts, assemblies, hasQuantities: true } }
  const listRows = createListRows([list], {
    asked: createRequestedParts([...parts.keys()]),
    isSameCompany: () => true,
    context,
    unknown: new Set(),
  })
  const others = rows.filter((row) => !parts.has(row.part))
  for (const row of rows) if (parts.has(row.part) && row.status === 'declared') listRows.keep(row)
  const [made] = listRows.result(others.filter(({ status }) => status === 'unreadable'))
  return { listed: made!.rows, others, products: [made!.product] }
}

/** Rows with everything that the page shows: exemptions with each kind of date, long and empty values, waived findings. */
export function fullRows(): OpenRow[] {
  const exempt = (part: string, ...numbers: readonly string[]): OpenRow =>
    partRowOf({
      part,
      rohs: 'compliant with exemptions',
      exemptions: numbers.map((number) => `${number} (EL2011/534/EU, Lead)`).join('; '),
      exemption_ids: numbers.map((identity) => ({ identity, list: 'EL2011/534/EU' })),
    })
  return [
    ...sampleRows(),
    exempt('EX-AHEAD', '6(c)'),
    exempt('EX-PASSED', '8(b)-I', 'III-6c'),
    exempt('EX-UNKNOWN', '8(b)'),
    partRowOf({ part: 'WAIVED-1', svhc_count: 1, svhc: 'Lead (00167, 0.3 %)' }),
    partRowOf({ part: 'VERY-LONG-PART-NUMBER-0123456789-ABCDEFG', name: 'A long name '.repeat(6).trim() }),
    partRowOf({ part: 'NEWER', rohs: 'not compliant', reach_list: 'EUREACH-0226', svhc_count: 0 }),
  ]
}

export const FULL: PageOptions = {
  failOn: 'not-compliant,svhc,missing',
  waivers: [
    { part: 'WAIVED-1', rule: 'svhc', reason: 'last time buy', owner: 'Jo', until: '2026-12-31' },
    { part: 'NEWER', rule: 'not-compliant', reason: 'was replaced', owner: 'Jo', until: '2026-01-31' },
    { part: 'GONE', rule: 'svhc', reason: 'not used', owner: 'Jo', until: '2026-12-31' },
  ],
  product: { 'EX-AHEAD': 2, 'EX-PASSED': 1, P9: 3, 'P,"3"': 1 },
}
