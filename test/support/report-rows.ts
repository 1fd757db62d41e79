import type { PartJudgement } from '../../src/compliance/judge.ts'
import { ROHS_GROUPS } from '../../src/compliance/rohs-groups.ts'
import type { Formatter, ReportShape } from '../../src/report/formats/formatter.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import type { Report } from '../../src/report/report.ts'
import { createSummary, type ReportSummary } from '../../src/report/report-summary.ts'
import { finishRow } from '../../src/report/rows/finish-row.ts'
import { partKey } from '../../src/report/rows/part-key.ts'
import type { JudgedRow, SubstanceRow } from '../../src/report/rows/report-row.ts'
import { missingRow, unreadableRow } from '../../src/report/rows/report-row.ts'

export const NOW = Date.parse('2026-03-04T05:06:07Z')

export const SHAPE: ReportShape = { kind: 'parts', nowMs: NOW, version: '1.2.3' }

/** A compliant row with these changes. */
export function partRowOf(change: Partial<JudgedRow> = {}): JudgedRow {
  const row: JudgedRow = {
    ...missingRow('P1', ''),
    status: 'declared',
    name: 'Resistor',
    supplier: 'Example Parts',
    company_id: '804735132',
    date: '2024-09-27',
    standard: '1752A',
    classes: 'C',
    rohs: 'compliant',
    rohs_list: 'EUROHS-1907',
    svhc_count: 0,
    reach_list: 'EUREACH-0624',
    mass_mg: 12.5,
    note: 'RoHS: all ten groups stated, none over',
    source: 'a.zip!p1.xml',
    reach: reachOf(change),
    ...change,
  }
  const { part, requester_part: requesterPart, company_id, supplier } = row
  const key = partKey({ part, requesterPart, companyIds: company_id.split('; '), supplier })
  return { part_key: key, judged: judgementOf(row), ...row }
}

function reachOf({ svhc_count = 0 }: Partial<JudgedRow>): JudgedRow['reach'] {
  if (svhc_count === null) return 'not declared'
  return svhc_count > 0 ? 'SVHC' : 'no SVHC'
}

/** The statements behind a row, as far as its fields have them. */
function judgementOf({ rohs, reach, svhc_names, svhc_keys, has_gaps }: JudgedRow): PartJudgement {
  const over = svhc_names.map((name, index) => ({
    key: svhc_keys[index] ?? name,
    name,
    code: svhc_keys[index] ?? '',
    percent: undefined,
    massMg: undefined,
  }))
  const nothing = { lists: [], gaps: [], notes: [] }
  const groups = rohs === 'not declared' ? [] : ROHS_GROUPS
  return {
    rohs: { status: rohs, over: [], stated: groups, missing: [], exemptions: [], ...nothing },
    reach: {
      ...nothing,
      unidentified: [],
      status: reach === '' ? 'not declared' : reach,
      over,
      stated: new Set(over.map(({ key }) => key)),
    },
    otherLists: [],
    answers: [],
    contradictions: [],
    indications: [],
    notScreened: 0,
    hasGaps: has_gaps,
    origins: [],
  }
}

/** One row of every kind. */
export function sampleRows(): JudgedRow[] {
  return [
    partRowOf(),
    partRowOf({ part: '00012', rohs: 'compliant with exemptions', exemptions: '6(c) (EL2011/534/EU, Lead)' }),
    partRowOf({
      part: 'P,"3"',
      rohs: 'not compliant',
      svhc_count: 2,
      svhc: 'Lead (00167, 0.25 %); DEHP (00009)',
      svhc_names: ['Lead', 'DEHP'],
    }),
    partRowOf({
      part: '=HYPERLINK("x")',
      name: '<b>&amp;',
      rohs: 'incomplete',
      has_gaps: true,
      reach_list: 'EUREACH-0119',
    }),
    partRowOf({
      part: ' spaced ',
      classes: 'D',
      rohs: 'not declared',
      rohs_list: '',
      svhc_count: null,
      reach_list: '',
      declared_percent: 92.26,
      mass_mg: null,
      standard: '1752B',
    }),
    missingRow('P9', 'requested, not declared'),
    unreadableRow('a.zip!bad.xml', 'not well-formed XML: line 3'),
  ]
}

/** Seeded rows, all different, for tests of size. */
export function manyRows(count: number): JudgedRow[] {
  const words = [
    'compliant',
    'compliant with exemptions',
    'not compliant',
    'incomplete',
    'not declared',
  ] as const
  return Array.from({ length: count }, (_, index) =>
    partRowOf({
      part: `PART-${String(index).padStart(6, '0')}`,
      name: `Thing ${(index * 7919) % count}`,
      rohs: words[(index * 31) % 5]!,
      svhc_count: index % 9 === 0 ? (index % 3) + 1 : 0,
      svhc: index % 9 === 0 ? 'Lead (00167, 0.25 %)' : '',
      svhc_names: index % 9 === 0 ? ['Lead'] : [],
      mass_mg: ((index * 104_729) % 1_000_003) / 8,
      source: `bom.zip!part-${index}.xml`,
    }),
  )
}

/** The summary of rows under a gate. */
export function summaryOf(rows: readonly JudgedRow[], failOn?: string): ReportSummary {
  const context = { nowMs: NOW, failOn: failOn === undefined ? undefined : parseFailOn(failOn) }
  const summary = createSummary(context)
  const finished = rows.map((row) => finishRow(row, context))
  summary.add(finished, { files: rows.filter((row) => row.status !== 'missing').length })
  return summary.result()
}

interface FormatOptions {
  readonly failOn?: string
  /** Rows in a batch. */
  readonly size?: number
  readonly substances?: readonly SubstanceRow[]
}

/** A report of these rows, in batches of `size`; substances are in a last one. */
export function reportOf(
  rows: readonly JudgedRow[],
  { failOn, size = 3, substances = [] }: FormatOptions = {},
  summary: ReportSummary = summaryOf(rows, failOn),
): Report {
  async function* batches() {
    for (let at = 0; at < rows.length; at += size) yield { parts: rows.slice(at, at + size), substances: [] }
    if (substances.length > 0) yield { parts: [], substances }
  }
  return {
    batches: { [Symbol.asyncIterator]: batches },
    summary: async () => summary,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** The complete output of a formatter for a report of these rows. */
export async function formatAll(
  formatter: Formatter,
  rows: readonly JudgedRow[],
  options?: FormatOptions,
): Promise<Buffer> {
  return written(formatter, reportOf(rows, options))
}

export async function written(formatter: Formatter, report: Report): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of formatter(report)) {
    pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
  }
  return Buffer.concat(pieces)
}
