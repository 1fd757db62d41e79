import { formatCount, plural } from '../../base/units.ts'
import type { CellValue, ReportShape } from '../formats/formatter.ts'
import type { Waiver, WaiverFacts } from '../gate/waivers.ts'
import type { ReferenceFacts } from '../regulations/reference-facts.ts'
import type { ReferenceTable } from '../regulations/reference-tables.ts'
import type { GateResult } from '../report-result.ts'
import type { ReportSummary } from '../report-summary.ts'
import { gateVerdict, rohsVerdict, verdictSentence } from '../report-verdict.ts'
import { shardText } from '../sources/shard.ts'
import { summaryTable, waiverLine } from '../summary-lines.ts'
import { type NoteLine, notesSheet } from './xlsx-notes.ts'
import { rollupLinesOf } from './xlsx-rollup.ts'
import type { Sheet } from './xlsx-workbook.ts'

/** A row that failed, and its line in the sheet of parts. */
export interface FailedLine {
  /** The part number, or the source of a row without one. */
  readonly name: string
  readonly why: string
  readonly line: number
}

/** What the first sheet shows beside the counts. */
export interface SummaryFacts {
  readonly shape: ReportShape
  readonly summary: ReportSummary
  /** The worst rows that failed. */
  readonly failed: readonly FailedLine[]
  readonly failedCount: number
  /** The names of the other sheets, each with the number of its rows. */
  readonly sheets: readonly (readonly [name: string, rows: number])[]
  /** Substances that the sheet has no room for. */
  readonly substancesLeft: number
}

const WAIVERS = 200

/** The sheet that is seen first: product, verdict, what failed, counts, waivers, reference tables. */
export function summarySheet(facts: SummaryFacts): Sheet {
  return notesSheet({ name: 'Summary', lines: summaryLinesOf(facts), widths: [38, 46, 46, 30, 14] })
}

function summaryLinesOf({ shape, summary, ...facts }: SummaryFacts): readonly NoteLine[] {
  const { rollup, gate, waivers, reference, shard } = summary
  return [
    [{ value: 'Material declarations', style: 'title' }],
    ['created (UTC)', { value: shape.nowMs, style: 'time' }],
    ['matdecl', { value: shape.version, kind: 'code' }],
    ...(shard === undefined
      ? []
      : [['shard of the sources', { value: shardText(shard), kind: 'code' } as const]]),
    [],
    ...(rollup === undefined ? [] : rollupLinesOf(rollup)),
    heading('Verdict', ''),
    ...verdictLines(summary),
    [],
    ...failedLines(facts, gate !== undefined),
    heading('Sheets', 'Rows'),
    ...facts.sheets.map(([name, rows]): NoteLine => [link(name, `'${name}'!A1`), rows]),
    ...(facts.substancesLeft > 0
      ? [[`${formatCount(facts.substancesLeft)} more substances have no room: write them as CSV`]]
      : []),
    ...summaryTable({ ...summary, gate: undefined }).flatMap(({ title, rows }): NoteLine[] =>
      rows.length === 0 ? [] : [[], heading(title, ''), ...rows.map(([name, count]) => [name, count])],
    ),
    ...(gate === undefined || waivers === undefined ? [] : waiverLines(waivers)),
    ...(reference === undefined
      ? []
      : [
          [],
          heading('Reference tables', 'File', 'How sure', 'Newest date'),
          tableLine(
            'Candidate List updates',
            reference.tables.svhcUpdates,
            reference.tables.svhcUpdates.rows.at(-1)?.confidence,
          ),
          tableLine('RoHS exemptions', reference.tables.rohsExemptions, undefined),
          tableLine('Candidate List substances', reference.tables.svhcSubstances, undefined),
          tableLine('RoHS substances', reference.tables.rohsSubstances, undefined),
          ...candidateLines(reference),
        ]),
  ]
}

/** The result of the gate, and the RoHS status of all rows. */
function verdictLines(summary: ReportSummary): readonly NoteLine[] {
  const { gate } = summary
  const verdict = rohsVerdict(summary)
  const text = verdictSentence(verdict, ({ count, name }) => `${formatCount(count)} ${name}`)
  return [
    ...(gate === undefined ? [] : [gateCells(gate)]),
    [{ value: verdict.word, style: verdict.tone }, text],
  ]
}

/** The result of a gate in two cells. */
export function gateCells(gate: GateResult): NoteLine {
  const { word, tone, found } = gateVerdict(gate)
  return [{ value: word, style: tone }, `${found} ${gate.rules.join(', ')}`]
}

/** How old the declared Candidate Lists are. */
function candidateLines({ candidateLists, tables }: ReferenceFacts): readonly NoteLine[] {
  if (candidateLists.length === 0) return []
  const newest = tables.svhcUpdates.rows.at(-1)
  return [
    [],
    heading('Declared Candidate Lists', 'Entries', 'Behind the newest list by', 'Date', 'Parts'),
    ...candidateLists.map(
      ({ list, entries, behind, date, parts }): NoteLine => [
        list,
        entries ?? 'not in the table',
        behind ?? 'unknown',
        date === undefined ? null : { value: date, kind: 'day' },
        parts,
      ],
    ),
    ...(newest === undefined
      ? []
      : [['newest list of the table', newest.entries, null, { value: newest.date, kind: 'day' } as const]]),
  ]
}

function failedLines(
  { failed, failedCount }: Pick<SummaryFacts, 'failed' | 'failedCount'>,
  hasGate: boolean,
): readonly NoteLine[] {
  if (failedCount === 0) return []
  const left = failedCount - failed.length
  return [
    heading('Failed', hasGate ? 'Conditions' : 'RoHS'),
    ...failed.map(
      ({ name, why, line }): NoteLine => [
        link(name === '' ? '(no part number)' : name, `'Parts'!A${line}`),
        why,
      ],
    ),
    ...(left > 0 ? [[link(`and ${plural(left, 'more row')}`, "'Failed'!A1")]] : []),
    [],
  ]
}

function waiverLines(facts: WaiverFacts): readonly NoteLine[] {
  const rows = (what: string, waivers: readonly Waiver[]): readonly NoteLine[] => [
    ...waivers
      .slice(0, WAIVERS)
      .map(
        ({ part, rule, reason, owner, until }): NoteLine => [
          { value: part, kind: 'code' },
          `${what}: ${rule}`,
          reason,
          owner,
          { value: until, kind: 'day' },
        ],
      ),
    ...(waivers.length > WAIVERS ? [[`and ${waivers.length - WAIVERS} more`]] : []),
  ]
  return [
    [],
    heading('Waivers', 'Condition', 'Reason', 'Owner', 'Until'),
    [{ value: waiverLine(facts), style: 'faint' }],
    ...rows('waived', facts.used),
    ...rows('has expired', facts.runOut),
    ...rows('matches nothing', facts.unmatched),
  ]
}

function tableLine(
  name: string,
  { file, newest, checked }: ReferenceTable<unknown>,
  confidence: string | undefined,
): NoteLine {
  const sure = [confidence ?? '', checked === '' ? '' : `checked ${checked}`].filter((text) => text !== '')
  return [name, file, sure.join('; '), newest === '' ? 'no date' : newest]
}

function heading(...titles: readonly string[]): NoteLine {
  return titles.map((value) => ({ value, style: 'heading' }))
}

function link(value: CellValue, to: string): NoteLine[number] {
  return { value, style: 'link', link: to }
}
