import type { ReportShape } from '../../src/report/formats/formatter.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { createWaivers } from '../../src/report/gate/waivers.ts'
import { plainList } from '../../src/report/lines.ts'
import { htmlFormatter } from '../../src/report/page/report-page.ts'
import { collectProduct, type Product } from '../../src/report/product.ts'
import { createRowDates } from '../../src/report/regulations/reference-facts.ts'
import type { Waiver } from '../../src/report/report-result.ts'
import { createSummary } from '../../src/report/report-summary.ts'
import { finishRow, type RowContext } from '../../src/report/rows/finish-row.ts'
import type { SubstanceRow } from '../../src/report/rows/part-declaration.ts'
import type { JudgedRow } from '../../src/report/rows/report-row.ts'
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
export async function pageOf(rows: readonly JudgedRow[], options: PageOptions = {}): Promise<string> {
  const { failOn, waivers, product, shape = SHAPE, substances } = options
  const context: RowContext = {
    nowMs: NOW,
    failOn: failOn === undefined ? undefined : parseFailOn(failOn),
    dates: createRowDates(TABLES, NOW),
    waivers: waivers && createWaivers('waivers.csv', waivers, NOW),
  }
  const finished = rows.map((row) => finishRow(row, context))
  const summary = createSummary(context)
  summary.add(finished, { files: rows.length })
  const products = product && [productOf(finished, product, context)]
  const report = reportOf(
    finished,
    { size: 500, ...(substances && { substances }) },
    summary.result(products),
  )
  return (await written(htmlFormatter(shape), report)).toString()
}

/** A product of these parts, the first of them also in a board. */
function productOf(
  rows: readonly JudgedRow[],
  product: Readonly<Record<string, number>>,
  context: RowContext,
): Product {
  const parts = new Map(Object.entries(product))
  const inside = new Map([...parts].slice(0, 1))
  const { lines, bom } = plainList('board.csv', [...parts.keys()])
  const assemblies = new Map([['BOARD', inside]])
  const list = { name: 'board.csv', lines, bom: { ...bom, top: parts, assemblies, hasQuantities: true } }
  const collector = collectProduct(list, context)
  for (const line of lines) {
    collector.see(
      line,
      rows.filter(({ part }) => part === line.key),
    )
  }
  return collector.result([])
}

/** Rows with everything that the page shows: exemptions with each kind of date, long and empty values, waived findings. */
export function fullRows(): JudgedRow[] {
  const exempt = (part: string, ...numbers: readonly string[]): JudgedRow =>
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
