import type { ExemptionId } from '../../src/compliance/exemptions.ts'
import { declaredFindings } from '../../src/compliance/finding.ts'
import type { FindingRule } from '../../src/compliance/finding-rules.ts'
import { NOTHING_DECLARED, type PartJudgement } from '../../src/compliance/judge.ts'
import type { ReachStatus } from '../../src/compliance/reach.ts'
import type { Statement } from '../../src/compliance/statements.ts'
import { cellOf, type PART_COLUMNS, type PartColumn, REPORT_COLUMNS } from '../../src/report/columns.ts'
import type { Formatter, ReportShape } from '../../src/report/formats/formatter.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import type { Report } from '../../src/report/report.ts'
import { createSummary, type ReportSummary } from '../../src/report/report-summary.ts'
import { finishRow } from '../../src/report/rows/make-row.ts'
import type { SubstanceRow } from '../../src/report/rows/part-declaration.ts'
import { partKey } from '../../src/report/rows/part-key.ts'
import { type JudgedRow, missingRow, type OpenRow, unreadableRow } from '../../src/report/rows/report-row.ts'

export const NOW = Date.parse('2026-03-04T05:06:07Z')

export const SHAPE: ReportShape = { kind: 'parts', nowMs: NOW, version: '1.2.3' }

/** A row as JSON has it: absent text is empty, an absent number is null, several values are one text. */
export type ReportRow = {
  readonly [Name in PartColumn]: Cell<ReturnType<(typeof PART_COLUMNS)[Name]['value']>>
}
type Cell<Value> = Value extends readonly string[] ? string : Value

/** A row in the words of its columns, and what only rules and counts need. Several values are joined by `; `. */
export interface RowChange extends Partial<Omit<ReportRow, 'gate'>> {
  readonly has_gaps?: boolean
  readonly svhc_names?: readonly string[]
  readonly svhc_keys?: readonly string[]
  readonly exemption_ids?: readonly ExemptionId[]
  readonly unaccepted?: boolean
  readonly contradictions?: readonly string[]
  /** Rules, and waived ones with `(waived until DAY: REASON)`. */
  readonly gate?: string
}

const WHERE = { origin: 0, line: 0, list: '' }

/** A statement with what a test does not care about. */
function statementOf(change: Partial<Statement>): Statement {
  return {
    kind: 'reach',
    list: '',
    about: [],
    key: '',
    keys: [],
    name: '',
    code: '',
    cas: [],
    answer: 'over',
    quoted: '',
    percent: undefined,
    massMg: undefined,
    concentration: undefined,
    upTo: undefined,
    unreadValue: '',
    threshold: '',
    application: '',
    exemptions: [],
    hasUnknownExemption: false,
    mayBeExempt: false,
    article: '',
    isPartial: false,
    decides: true,
    instead: undefined,
    where: WHERE,
    ...change,
  }
}

/** Lead without an exemption. */
const FAILING: PartJudgement['rohs']['failing'][number] = {
  key: 'Lead',
  statement: statementOf({ name: 'Lead', code: '00167', cas: ['7439-92-1'], concentration: 8.5 }),
  reason: 'no exemption',
}

/** A compliant row with these changes. */
export function partRowOf(change: RowChange = {}): OpenRow {
  const { company_id = '804735132', supplier = 'Example Parts', part = 'P1', requester_part = '' } = change
  const companyIds = split(company_id)
  const mass = change.mass_mg === undefined ? 12.5 : change.mass_mg
  const judged = judgementOf(change)
  const source = change.source ?? 'a.zip!p1.xml'
  const unaccepted = change.unaccepted === true ? [{ sentence: 'not accepted', origin: 0 }] : []
  return {
    ...missingRow(part),
    status: change.status ?? 'declared',
    requesterPart: requester_part,
    name: change.name ?? 'Resistor',
    supplier,
    companyIds,
    date: change.date ?? '2024-09-27',
    standard: change.standard ?? '1752A',
    classes: change.classes ?? 'C',
    massMg: mass ?? undefined,
    declaredPercent: change.declared_percent ?? undefined,
    notes: split(change.note ?? 'RoHS: all ten groups stated, none over'),
    sources: [change.source ?? 'a.zip!p1.xml'],
    unitType: change.unit_type ?? '',
    exemptionExpires: change.exemption_expires ?? '',
    listBehind: change.svhc_list_behind ?? undefined,
    acceptance: change.unaccepted ? 'no' : 'yes',
    key: partKey({ part, requesterPart: requester_part, companyIds, supplier }),
    gate: gateOf(change.gate ?? ''),
    judged,
    findings: declaredFindings(judged, unaccepted, ({ list, line }) => ({ source, line, list })),
  }
}

/** The same with a statement for each SVHC, in no file: rows that are compared, not shown. */
export function comparedRowOf(change: RowChange = {}): OpenRow {
  const row = partRowOf(change)
  const statements = row.judged.reach.over.map((one) => statementOf({ ...one, list: one.where.list }))
  return { ...row, judged: { ...row.judged, statements } }
}

/** The gate in these words: rules, and waived ones with `(waived until DAY: REASON)`. */
export function gateOf(text: string): JudgedRow['gate'] {
  const words = split(text).map((word) => ({
    word,
    match: /^(\S+) \(waived until (\S+): (.*)\)$/.exec(word),
  }))
  return {
    open: words.filter(({ match }) => match === null).map(({ word }) => word),
    waived: words.flatMap(({ match }) => {
      if (match === null) return []
      const rule = match[1] as FindingRule
      const waiver = { part: '', rule, until: match[2]!, reason: match[3]!, owner: '' }
      return [{ rule, subject: '', names: [], sentence: '', waivers: [waiver] }]
    }),
  }
}

function split(text: string): readonly string[] {
  return text === '' ? [] : text.split('; ')
}

function reachOf({ svhc_count = 0 }: RowChange): ReachStatus {
  if (svhc_count === null) return 'not declared'
  return svhc_count > 0 ? 'SVHC' : 'no SVHC'
}

/** The statements behind a row, as far as its fields have them. */
function judgementOf(change: RowChange): PartJudgement {
  const { rohs = 'compliant', rohs_list = 'EUROHS-1907', reach_list = 'EUREACH-0624', svhc = '' } = change
  const count = change.svhc_count ?? 0
  const names =
    change.svhc_names ?? [...Array(Math.max(count, split(svhc).length)).keys()].map((n) => `S${n}`)
  const over = names.map((written, index) => {
    const [, name = written, code, share] =
      /^(.*) \((\d+)(?:, ([\d.]+) %)?\)$/.exec(split(svhc)[index] ?? '') ?? []
    const key = change.svhc_keys?.[index] ?? code ?? name
    return {
      key,
      name,
      code: change.svhc_keys?.[index] ?? code ?? '',
      cas: [],
      percent: share === undefined ? undefined : Number(share),
      massMg: undefined,
      where: { ...WHERE, list: split(reach_list)[0] ?? '' },
    }
  })
  const exemptions = split(change.exemptions ?? '').map((text) => {
    const [, identity = text, list = '', subject = ''] = /^(\S+)\s+\(([^,]*)(?:, (.*))?\)$/.exec(text) ?? []
    return { identity, list, subject, where: WHERE }
  })
  const exemptionIds = change.exemption_ids ?? exemptions.map(({ identity, list }) => ({ identity, list }))
  return {
    ...NOTHING_DECLARED,
    rohs: {
      ...NOTHING_DECLARED.rohs,
      status: rohs,
      failing: rohs === 'not compliant' ? [FAILING] : [],
      gaps:
        rohs === 'incomplete' || change.has_gaps === true ? [{ text: 'not stated: DEHP', where: WHERE }] : [],
      lists: split(rohs_list),
      exemptions:
        exemptions.length > 0 ? exemptions : exemptionIds.map((id) => ({ ...id, subject: '', where: WHERE })),
      exemptionIds,
    },
    reach: {
      ...NOTHING_DECLARED.reach,
      status: change.reach || reachOf(change),
      gaps: change.reach === 'incomplete' ? [{ text: '3 of 241 entries stated', where: WHERE }] : [],
      lists: split(reach_list),
      over,
    },
    contradictions: (change.contradictions ?? []).map((text) => ({ text, subject: '', names: [] })),
    hasGaps: change.has_gaps ?? false,
  }
}

/** The texts of all cells of a row. */
export function cellsOf(row: JudgedRow): ReportRow {
  return Object.fromEntries(REPORT_COLUMNS.map((name) => [name, cellOf(row, name)])) as unknown as ReportRow
}

/** One row of every kind. */
export function sampleRows(): OpenRow[] {
  return [
    partRowOf(),
    partRowOf({
      part: '00012',
      rohs: 'compliant with exemptions',
      exemptions: '6(c) (EL2011/534/EU, Lead)',
      exemption_ids: [],
    }),
    partRowOf({
      part: 'P,"3"',
      rohs: 'not compliant',
      svhc_count: 2,
      svhc: 'Lead (00167, 0.25 %); DEHP (00009)',
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
    missingRow('P9', ['requested, not declared']),
    unreadableRow('a.zip!bad.xml', 'not well-formed XML: line 3'),
  ]
}

/** Seeded rows, all different, for tests of size. */
export function manyRows(count: number): OpenRow[] {
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
      svhc_count: index % 9 === 0 ? 1 : 0,
      svhc: index % 9 === 0 ? 'Lead (00167, 0.25 %)' : '',
      mass_mg: ((index * 104_729) % 1_000_003) / 8,
      source: `bom.zip!part-${index}.xml`,
    }),
  )
}

/** Rows as a report has them: with the verdict, and the gate unless it was given. */
export function finishedRows(rows: readonly JudgedRow[], failOn?: string): readonly JudgedRow[] {
  const context = { nowMs: NOW, failOn: failOn === undefined ? undefined : parseFailOn(failOn) }
  return rows.map((row) => {
    if (row.verdict !== '') return row
    const { gate } = row
    const finished = finishRow({ ...row }, context)
    return gate.open.length + gate.waived.length > 0 ? { ...finished, gate } : finished
  })
}

/** The summary of rows under a gate. */
export function summaryOf(rows: readonly JudgedRow[], failOn?: string): ReportSummary {
  const context = { nowMs: NOW, failOn: failOn === undefined ? undefined : parseFailOn(failOn) }
  const summary = createSummary(context)
  summary.add(finishedRows(rows, failOn), { files: rows.filter((row) => row.status !== 'missing').length })
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
  const finished = finishedRows(rows, failOn)
  async function* batches() {
    for (let at = 0; at < rows.length; at += size)
      yield { parts: finished.slice(at, at + size), substances: [] }
    if (substances.length > 0) yield { parts: [], substances }
  }
  return {
    batches: { [Symbol.asyncIterator]: batches },
    summary: async () => summary,
    excerpts: async () => new Map(),
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
