import { type NewEntry, zipStream } from '../archive/write-zip.ts'
import { Failure } from '../base/failure.ts'
import { formatCount } from '../base/units.ts'
import { dateLines } from './date-lines.ts'
import { escapeXml } from './escape-markup.ts'
import { cellOf, type Formatter, type ReportShape, type Row } from './formatter.ts'
import type { ReportSummary } from './report-summary.ts'
import { createSpool, type Spool } from './spool.ts'
import { summaryTable } from './summary-lines.ts'
import { CONTENT_TYPES, RELATIONS, STYLE, STYLES, WORKBOOK_RELATIONS, workbookXml } from './xlsx-parts.ts'

/** Rows of a sheet without the heading: Excel's limit. */
const MAX_ROWS = 1_048_575
/** Characters of a cell: Excel's limit. */
const MAX_TEXT = 32_767
/** The date of every file in the workbook: the same report gives the same bytes. */
const DAY = '1980-01-01'

const WIDTHS: Readonly<Record<string, number>> = {
  part: 24,
  requester_part: 20,
  name: 28,
  supplier: 24,
  company_id: 14,
  rohs: 26,
  exemptions: 30,
  rohs_list: 14,
  svhc: 40,
  reach_list: 15,
  note: 60,
  source: 40,
  material: 30,
  substance: 34,
  cas: 14,
}

/**
 * A workbook (ECMA-376). The first sheet has the rows, with a frozen heading, a filter, and typed numbers, dates and
 * booleans; the second has the counts.
 */
export function xlsxFormatter(shape: ReportShape): Formatter {
  const spool = createSpool(shape.columns)
  let count = 0
  return {
    begin: () => '',
    add(rows) {
      count += rows.length
      if (count > MAX_ROWS) throw tooManyRows()
      spool.add(rows)
      return ''
    },
    end: (summary) => zipStream(workbookFiles(shape, summary, spool, count + 1)),
  }
}

function workbookFiles(shape: ReportShape, summary: ReportSummary, spool: Spool, lines: number): NewEntry[] {
  const sheet = shape.kind === 'parts' ? 'Parts' : 'Substances'
  const last = columnLetters(shape.columns.length)
  const file = (name: string, content: () => Iterable<string>): NewEntry => ({ name, day: DAY, content })
  return [
    file('[Content_Types].xml', () => [CONTENT_TYPES]),
    file('_rels/.rels', () => [RELATIONS]),
    file('xl/_rels/workbook.xml.rels', () => [WORKBOOK_RELATIONS]),
    file('xl/workbook.xml', () => [workbookXml(sheet, `$A$1:$${last}$${lines}`)]),
    file('xl/styles.xml', () => [STYLES]),
    file('xl/worksheets/sheet1.xml', () => rowsSheet(shape.columns, spool, `A1:${last}${lines}`)),
    file('xl/worksheets/sheet2.xml', () => [summarySheet(shape, summary)]),
  ]
}

function* rowsSheet(columns: readonly string[], spool: Spool, range: string): Generator<string> {
  const letters = columns.map((_, index) => columnLetters(index + 1))
  const headings = columns.map((name, index) => textCell(`${letters[index]}1`, name, STYLE.heading))
  yield `${sheetStart(columns)}<row r="1">${headings.join('')}</row>`
  let line = 1
  for (const rows of spool.batches()) {
    for (const row of rows) {
      line += 1
      yield rowXml(row, columns, letters, line)
    }
  }
  yield `</sheetData><autoFilter ref="${range}"/>${PAGE}</worksheet>`
}

const PAGE =
  '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/><pageSetup orientation="landscape" fitToHeight="0"/>'

function sheetStart(columns: readonly string[]): string {
  const cols = columns.map((name, index) => {
    const at = index + 1
    return `<col min="${at}" max="${at}" width="${WIDTHS[name] ?? 12}" customWidth="1"/>`
  })
  return `${SHEET}<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView tabSelected="1" workbookViewId="0"><pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>`
}

const SHEET =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'

function rowXml(row: Row, columns: readonly string[], letters: readonly string[], line: number): string {
  let xml = `<row r="${line}">`
  for (let index = 0; index < columns.length; index += 1) {
    xml += cellXml(`${letters[index]}${line}`, columns[index]!, cellOf(row, columns[index]!))
  }
  return `${xml}</row>`
}

function cellXml(reference: string, column: string, value: string | number | boolean | null): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return `<c r="${reference}"><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`
  if (column === 'date') return dateCell(reference, Date.parse(`${value}T00:00:00Z`), STYLE.date)
  return textCell(reference, value, STYLE.plain)
}

/** An inline string, which no spreadsheet reads as a formula, a number or a date. */
function textCell(reference: string, value: string, style: number): string {
  const text = escapeXml(value.slice(0, MAX_TEXT)).replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
}

/** Dates are days since 30 December 1899. */
function dateCell(reference: string, ms: number, style: number): string {
  return `<c r="${reference}" s="${style}"><v>${ms / 86_400_000 + 25_569}</v></c>`
}

function summarySheet(shape: ReportShape, summary: ReportSummary): string {
  let line = 0
  let xml = `${SHEET}<cols><col min="1" max="1" width="44" customWidth="1"/><col min="2" max="2" width="18" customWidth="1"/></cols><sheetData>`
  const add = (first: string, second = '', style: number = STYLE.plain): void => {
    line += 1
    if (first !== '') xml += `<row r="${line}">${textCell(`A${line}`, first, style)}${second}</row>`
  }
  add('Material declarations', '', STYLE.heading)
  add('created (UTC)', dateCell('B2', shape.nowMs, STYLE.time))
  add('matdecl', textCell('B3', shape.version, STYLE.plain))
  for (const { title, rows } of summaryTable(summary)) {
    add('')
    add(title, '', STYLE.heading)
    for (const [name, number] of rows) add(name, `<c r="B${line + 1}"><v>${number}</v></c>`)
  }
  const lines = dateLines(summary)
  if (lines.length > 0) add('')
  for (const text of lines) add(text)
  return `${xml}</sheetData></worksheet>`
}

function columnLetters(count: number): string {
  const last = String.fromCharCode(65 + ((count - 1) % 26))
  return count <= 26 ? last : columnLetters(Math.floor((count - 1) / 26)) + last
}

function tooManyRows(): Failure {
  return new Failure('usage', `the report has more than the ${formatCount(MAX_ROWS)} rows of a sheet`, {
    hint: 'write .csv or .ndjson, or report fewer sources at a time',
  })
}
