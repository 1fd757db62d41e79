import { calendarDate } from '../../base/calendar-date.ts'
import { Failure } from '../../base/failure.ts'
import { formatCount } from '../../base/units.ts'
import type { Formatter, ReportShape, Row } from '../formats/formatter.ts'
import { VERDICT_TONES } from '../html/html-tones.ts'
import type { ReportSummary } from '../report-summary.ts'
import { gateWords } from '../rows/finish-row.ts'
import { REPORT_COLUMNS, SUBSTANCE_COLUMNS } from '../rows/report-row.ts'
import { createSpool } from '../spool.ts'
import { SHEET_COLUMNS } from './xlsx-columns.ts'
import { exemptionsSheet } from './xlsx-exemptions.ts'
import { type FailedLine, summarySheet } from './xlsx-summary.ts'
import { type SheetTable, tableSheet } from './xlsx-table.ts'
import { type Sheet, workbookStream } from './xlsx-workbook.ts'

/** Rows of a sheet without the heading: Excel's limit. */
const MAX_ROWS = 1_048_575
/** Failed parts that the summary links to. */
const LINKED = 20

/**
 * A workbook: summary, parts, failed and missing parts, exemptions and substances. It has both tables, whichever the report is about;
 * `add` takes the rows of that one, `addOther` those of the other. Rows wait compressed until all are known.
 */
export function xlsxFormatter(shape: ReportShape): Formatter {
  const parts = collectParts()
  const substances = collectRows(SUBSTANCE_COLUMNS)
  let left = 0
  const addParts = (rows: readonly Row[]): void => {
    if (parts.rows.count() + rows.length > MAX_ROWS) throw tooManyRows()
    parts.add(rows)
  }
  const addSubstances = (rows: readonly Row[]): void => {
    const room = MAX_ROWS - substances.count()
    if (rows.length > room && shape.kind === 'substances') throw tooManyRows()
    substances.add(rows.slice(0, room))
    left += Math.max(0, rows.length - room)
  }
  const [main, other] = shape.kind === 'parts' ? [addParts, addSubstances] : [addSubstances, addParts]
  return {
    begin: () => '',
    add(rows) {
      main(rows)
      return ''
    },
    addOther: other,
    end: (summary) =>
      workbookStream(
        sheetsOf(shape, summary, parts, substances, left),
        `Material declarations, ${calendarDate(shape.nowMs)}`,
      ),
  }
}

function sheetsOf(
  shape: ReportShape,
  summary: ReportSummary,
  parts: CollectedParts,
  substances: CollectedRows,
  substancesLeft: number,
): readonly Sheet[] {
  const failed = summary.gate === undefined ? parts.notCompliant : parts.gated
  const { reference } = summary
  const opened = new Set(parts.hasNameless() ? ['source'] : [])
  const tables: readonly SheetTable[] = [
    { name: 'Parts', columns: SHEET_COLUMNS.parts, ...parts.rows.table(), opened },
    { name: 'Failed', columns: SHEET_COLUMNS.failed, ...parts.rows.table(failed.is, failed.count()), opened },
    {
      name: 'Missing',
      columns: SHEET_COLUMNS.missing,
      ...parts.rows.table(isMissing, summary.counts.missing),
    },
    { name: 'Substances', columns: SHEET_COLUMNS.substances, ...substances.table() },
  ]
  const shown = tables.filter(({ name, count }) => name === 'Parts' || count > 0)
  const exemptions = reference?.exemptions ?? []
  const sheets: [string, number][] = shown.map(({ name, count }) => [name, count])
  if (exemptions.length > 0) sheets.push(['Exemptions', exemptions.length])
  return [
    summarySheet({
      shape,
      summary,
      failed: failed.worst,
      failedCount: failed.count(),
      sheets,
      substancesLeft,
    }),
    ...shown.map(tableSheet),
    ...(exemptions.length > 0 ? [exemptionsSheet(reference!)] : []),
  ]
}

/** Rows that wait, and which columns have values. */
interface CollectedRows {
  readonly add: (rows: readonly Row[]) => void
  readonly count: () => number
  /** Their table, or that of the `count` rows that are chosen. */
  readonly table: (
    isChosen?: (row: Row) => boolean,
    count?: number,
  ) => Pick<SheetTable, 'count' | 'rows' | 'empty'>
}

function collectRows(columns: readonly string[]): CollectedRows {
  const spool = createSpool(columns)
  const empty = new Set(columns)
  let total = 0
  return {
    add(rows) {
      total += rows.length
      for (const row of rows) {
        for (const column of empty) if ((row[column] ?? '') !== '') empty.delete(column)
      }
      spool.add(rows)
    },
    count: () => total,
    table: (isChosen, count = total) => ({
      count,
      empty,
      *rows() {
        for (const rows of spool.batches()) yield* isChosen ? rows.filter(isChosen) : rows
      },
    }),
  }
}

interface CollectedParts {
  readonly rows: CollectedRows
  /** Whether a row has no part number, so that only its source says what it is about. */
  readonly hasNameless: () => boolean
  readonly add: (rows: readonly Row[]) => void
  readonly gated: Chosen
  readonly notCompliant: Chosen
}

function collectParts(): CollectedParts {
  const rows = collectRows(REPORT_COLUMNS)
  const gated = chosen((row) => gateWords({ gate: String(row.gate ?? '') }).join(', '))
  const notCompliant = chosen((row) =>
    row.rohs === 'not compliant' && row.status === 'declared' ? 'not compliant' : '',
  )
  let hasNameless = false
  return {
    rows,
    hasNameless: () => hasNameless,
    gated,
    notCompliant,
    add(added) {
      let line = rows.count() + 1
      for (const row of added) {
        line += 1
        hasNameless ||= (row.part ?? '') === ''
        gated.see(row, line)
        notCompliant.see(row, line)
      }
      rows.add(added)
    },
  }
}

/** Rows with a reason: how many, and the worst of them. */
interface Chosen {
  readonly see: (row: Row, line: number) => void
  readonly is: (row: Row) => boolean
  readonly count: () => number
  readonly worst: readonly FailedLine[]
}

function chosen(reason: (row: Row) => string): Chosen {
  const worst: (FailedLine & { readonly rank: number })[] = []
  let count = 0
  return {
    see(row, line) {
      const why = reason(row)
      if (why === '') return
      count += 1
      const rank = rankOf(row)
      const after = worst.findIndex((other) => other.rank > rank)
      if (after < 0 && worst.length === LINKED) return
      const name = String(row.part || row.source || '')
      worst.splice(after < 0 ? worst.length : after, 0, { name, why, line, rank })
      if (worst.length > LINKED) worst.pop()
    },
    is: (row) => reason(row) !== '',
    count: () => count,
    worst,
  }
}

const VERDICTS = Object.keys(VERDICT_TONES)

/** Its place among the verdicts, worst first. */
function rankOf({ status, rohs }: Row): number {
  return VERDICTS.indexOf(String(status === 'declared' ? rohs : status))
}

function isMissing(row: Row): boolean {
  return row.status === 'missing'
}

function tooManyRows(): Failure {
  return new Failure('usage', `the report has more than the ${formatCount(MAX_ROWS)} rows of a sheet`, {
    hint: 'write .csv or .ndjson, or report fewer sources at a time',
  })
}
