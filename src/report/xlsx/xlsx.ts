import { Failure } from '../../base/failure.ts'
import { formatCount, plural } from '../../base/units.ts'
import {
  cellOf,
  columnsOf,
  PART_COLUMNS,
  type PartColumn,
  REPORT_COLUMNS,
  rowName,
  rowRank,
  rowStatus,
  SUBSTANCE_COLUMNS,
} from '../columns.ts'
import { type Formatter, type ReportShape, rowsOf } from '../formats/formatter.ts'
import type { Report } from '../report.ts'
import { reportDocument } from '../report-document.ts'
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
const MISSING: readonly PartColumn[] = ['part', 'status', 'gate', 'note']

/** A workbook: summary, parts, failed and missing parts, exemptions and substances. It has both tables, whichever the report is about. */
export function xlsxFormatter(shape: ReportShape, maxRows = MAX_ROWS): Formatter {
  return async function* (report) {
    const found = await surveyRows(report, shape, maxRows)
    const summary = await report.summary()
    const document = reportDocument(shape, summary)
    const { failed, opened } = found
    const hasGate = summary.gate !== undefined
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
      parts(REPORT_COLUMNS, 'Parts', found.parts),
      parts(FAILED, 'Failed', failed.length, (row) => reasonOf(row, hasGate) !== ''),
      parts(MISSING, 'Missing', summary.counts.missing, ({ status }) => status === 'missing'),
      {
        name: 'Substances',
        count: Math.min(found.substances, maxRows),
        columns: SUBSTANCE_COLUMNS.map((name): SheetColumn => ({ name, ...columnsOf('substances')[name]! })),
        rows: () => firstRows(report, maxRows),
        empty: found.emptySubstances,
      },
    ].filter(({ name, count }) => name === 'Parts' || count > 0)
    const left = found.substances - maxRows
    const lines = [
      ...failedLines(failed, hasGate),
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
}

/** The failed rows, the worst first: by the gate, or without one what is not compliant. */
interface FailedRows {
  length: number
  readonly worst: FailedRow[]
}

async function surveyRows(report: Report, { kind }: ReportShape, maxRows: number): Promise<Survey> {
  const emptyParts = new Set<string>(REPORT_COLUMNS)
  const emptySubstances = new Set<string>(SUBSTANCE_COLUMNS)
  const opened = new Set<string>()
  const gated = { length: 0, worst: [] as FailedRow[] }
  const notCompliant = { length: 0, worst: [] as FailedRow[] }
  let parts = 0
  let substances = 0
  for await (const batch of report.batches) {
    for (const row of batch.parts) {
      parts += 1
      dropFilled(emptyParts, row)
      if (row.part === '') opened.add('source')
      addFailed(gated, row, reasonOf(row, true), parts + 1)
      addFailed(notCompliant, row, reasonOf(row, false), parts + 1)
    }
    for (const row of batch.substances) dropFilled(emptySubstances, row)
    substances += batch.substances.length
    if (parts > maxRows || (kind === 'substances' && substances > maxRows)) throw tooManyRows(maxRows)
  }
  const { gate } = await report.summary()
  const failed = gate === undefined ? notCompliant : gated
  return { parts, substances, emptyParts, emptySubstances, opened, failed }
}

function dropFilled(empty: Set<string>, row: object): void {
  for (const column of empty) if ((cellOf(row, column) ?? '') !== '') empty.delete(column)
}

/** Why a row failed; empty for one that did not. */
function reasonOf(row: JudgedRow, hasGate: boolean): string {
  if (hasGate) return row.gate.open.join(', ')
  return rowStatus(row) === 'not compliant' ? 'not compliant' : ''
}

function addFailed(failed: FailedRows, row: JudgedRow, reason: string, line: number): void {
  if (reason === '') return
  failed.length += 1
  failed.worst.push({ name: rowName(row), reason, line, rank: rowRank(row) })
  failed.worst.sort((a, b) => a.rank - b.rank)
  failed.worst.splice(LINKED)
}

function failedLines({ length, worst }: FailedRows, hasGate: boolean): readonly Line[] {
  if (length === 0) return []
  const left = length - worst.length
  return [
    heading('Failed', hasGate ? 'Rules' : 'RoHS'),
    ...worst.map(({ name, reason, line }): Line => [sheetLink(name, 'Parts', line), reason]),
    ...(left > 0 ? [[sheetLink(`and ${plural(left, 'more row')}`, 'Failed')]] : []),
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
