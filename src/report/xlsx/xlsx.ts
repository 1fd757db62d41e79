import { Failure } from '../../base/failure.ts'
import { formatCount, plural } from '../../base/units.ts'
import {
  cellOf,
  columnsOf,
  PART_COLUMNS,
  type PartColumn,
  REPORT_COLUMNS,
  rowName,
  SUBSTANCE_COLUMNS,
} from '../columns.ts'
import { type Formatter, partColumns, type ReportShape, rowsOf } from '../formats/formatter.ts'
import { createAskedParts } from '../letters.ts'
import type { Report } from '../report.ts'
import { openText, reportDocument, supplierName } from '../report-document.ts'
import type { ReportSummary } from '../report-summary.ts'
import { needsAttention, rowRank, whyOf } from '../row-findings.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { documentWorkbook, heading, sheetLink } from './document-sheets.ts'
import type { Line, SheetColumn, SheetTable } from './sheet.ts'

/** Rows of a sheet without the heading: Excel's limit. */
const MAX_ROWS = 1_048_575
/** Failed parts that the summary links to. */
const LINKED = 20

/** What a failing part needs: its reason first. */
const FAILED: readonly PartColumn[] = [
  'part',
  'requester_part',
  'verdict',
  'findings',
  'gate',
  'rohs',
  'svhc_count',
  'svhc',
  'exemptions',
  'exemption_expires',
  'status',
  'note',
  'name',
  'supplier',
  'source',
]
const MISSING: readonly PartColumn[] = ['part', 'status', 'supplier', 'name', 'gate', 'note']
const LIST_MISSING: readonly PartColumn[] = ['line', 'quantity', 'unit', 'description', 'used_in']

/** A workbook: summary, parts, failed and missing parts, exemptions and substances. It has both tables, whichever the report is about. */
export function xlsxFormatter(shape: ReportShape, maxRows = MAX_ROWS): Formatter {
  return async function* (report) {
    const found = await surveyRows(report, shape, maxRows)
    const summary = await report.summary()
    const all = reportDocument(shape, summary)
    // Whom to ask is above; what is left of these are pictures.
    const document = { ...all, sections: all.sections.filter(({ id }) => id !== 'pictures') }
    const { failed, opened } = found
    const ofList = (columns: readonly PartColumn[]): readonly PartColumn[] =>
      shape.hasLines === true ? [...columns, ...LIST_MISSING] : columns
    const parts = (
      columns: readonly PartColumn[],
      name: string,
      count: number,
      isChosen?: (row: JudgedRow) => boolean,
    ): SheetTable => ({
      name,
      count,
      columns: columns.map((column) => ({ name: column, ...PART_COLUMNS[column] })),
      rows: () => chosenRows(report, isChosen),
      empty: found.emptyParts,
      opened,
    })
    const tables = [
      parts(partColumns(shape.hasLines === true), 'Lines', found.parts),
      parts(ofList(FAILED), 'Failed and doubtful', failed.length, isOpen),
      parts(ofList(MISSING), 'Missing', summary.counts.missing, ({ status }) => status === 'missing'),
      {
        name: 'Substances',
        count: Math.min(found.substances, maxRows),
        columns: SUBSTANCE_COLUMNS.map((name): SheetColumn => ({ name, ...columnsOf('substances')[name]! })),
        rows: () => firstRows(report, maxRows),
        empty: found.emptySubstances,
      },
    ].filter(({ name, count }) => name === 'Lines' || count > 0)
    const left = found.substances - maxRows
    const lines = [
      ...askLines(found.asked),
      ...openLines(summary),
      ...failedLines(failed),
      ...(left > 0 ? [[`${formatCount(left)} more substances have no room: write them as CSV`], []] : []),
    ]
    yield* documentWorkbook(document, tables, lines)
  }
}

/** A row that failed, and its line in the sheet of parts. */
interface FailedRow {
  readonly name: string
  readonly reason: string
  readonly line: number
  readonly rank: number
}

/** What the sheets must know of all rows before the first is written. */
interface Survey {
  readonly parts: number
  readonly substances: number
  /** Columns without any value. */
  readonly emptyParts: ReadonlySet<string>
  readonly emptySubstances: ReadonlySet<string>
  /** Where a row has no part number, only its source says what it is about. */
  readonly opened: ReadonlySet<string>
  readonly failed: FailedRows
  readonly asked: ReturnType<ReturnType<typeof createAskedParts>['result']>
}

/** The rows that are not clean or fail the gate, the worst first. */
interface FailedRows {
  length: number
  readonly worst: FailedRow[]
}

async function surveyRows(report: Report, { kind }: ReportShape, maxRows: number): Promise<Survey> {
  const emptyParts = new Set<string>(REPORT_COLUMNS)
  const emptySubstances = new Set<string>(SUBSTANCE_COLUMNS)
  const opened = new Set<string>()
  const failed = { length: 0, worst: [] as FailedRow[] }
  const asked = createAskedParts()
  let parts = 0
  let substances = 0
  for await (const batch of report.batches) {
    asked.add(batch.parts)
    for (const row of batch.parts) {
      parts += 1
      dropFilled(emptyParts, row)
      if (row.part === '') opened.add('source')
      if (isOpen(row)) addFailed(failed, row, parts + 1)
    }
    for (const row of batch.substances) dropFilled(emptySubstances, row)
    substances += batch.substances.length
    if (parts > maxRows || (kind === 'substances' && substances > maxRows)) throw tooManyRows(maxRows)
  }
  return { parts, substances, emptyParts, emptySubstances, opened, failed, asked: asked.result() }
}

function dropFilled(empty: Set<string>, row: object): void {
  for (const column of empty) if ((cellOf(row, column) ?? '') !== '') empty.delete(column)
}

/** True for a row that somebody has to look at, or that fails the gate. */
function isOpen(row: JudgedRow): boolean {
  return needsAttention(row) || row.gate.open.length > 0
}

function addFailed(failed: FailedRows, row: JudgedRow, line: number): void {
  failed.length += 1
  const reason = needsAttention(row) ? whyOf(row) : row.gate.open.join(', ')
  failed.worst.push({ name: rowName(row), reason, line, rank: rowRank(row) })
  failed.worst.sort((a, b) => a.rank - b.rank)
  failed.worst.splice(LINKED)
}

/** Whom to ask, and about how many parts: as in the letters. */
function askLines(asked: Survey['asked']): readonly Line[] {
  if (asked.length === 0) return []
  const lines = asked.map(({ supplier, parts, missing }): Line => {
    const without = missing === 0 ? '' : `, ${formatCount(missing)} without a declaration`
    return [supplier, `${plural(parts, 'part')}${without}`]
  })
  return [heading(['Whom to ask', '']), ...lines, []]
}

/** The rows that need attention: of the suppliers with most of them first. */
function openLines({ suppliers }: ReportSummary): readonly Line[] {
  const open = suppliers.filter((use) => use.open > 0)
  if (open.length === 0) return []
  const lines = open.map((use): Line => [supplierName(use), openText(use)])
  return [heading(['Rows that need attention, by supplier', '']), ...lines, []]
}

function failedLines({ length, worst }: FailedRows): readonly Line[] {
  if (length === 0) return []
  const left = length - worst.length
  return [
    heading(['Failed and doubtful', 'Findings']),
    ...worst.map(({ name, reason, line }): Line => [sheetLink(name, 'Lines', line), reason]),
    ...(left > 0 ? [[sheetLink(`and ${plural(left, 'more row')}`, 'Failed and doubtful')]] : []),
    [],
  ]
}

async function* chosenRows(
  report: Report,
  isChosen: (row: JudgedRow) => boolean = () => true,
): AsyncGenerator<readonly JudgedRow[], void, void> {
  for await (const rows of rowsOf(report, 'parts') as AsyncIterable<readonly JudgedRow[]>) {
    yield rows.filter(isChosen)
  }
}

async function* firstRows(report: Report, maxRows: number): AsyncGenerator<readonly object[], void, void> {
  let room = maxRows
  for await (const rows of rowsOf(report, 'substances')) {
    yield rows.slice(0, room)
    room -= rows.length
    if (room <= 0) return
  }
}

function tooManyRows(maxRows: number): Failure {
  return new Failure('usage', `the report has more than the ${formatCount(maxRows)} rows of a sheet`, {
    hint: 'write .csv or .ndjson, or report fewer sources at a time',
  })
}
