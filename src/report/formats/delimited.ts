import { type CellValue, cellOf } from '../columns.ts'
import { inert, quoted, withoutCommand } from './csv-cell.ts'
import { columnNames, type Formatter, type ReportShape, rowsOf } from './formatter.ts'

/** CSV as in RFC 4180: comma, CRLF, quotes where needed, no byte order mark. */
export function csvFormatter(shape: ReportShape): Formatter {
  const table = csvTable(columnNames(shape))
  return (report) => delimited(report, shape, table)
}

/**
 * Tab-separated values with LF. Tabs and line breaks inside a value become spaces; one that begins with a quotation mark gets an
 * apostrophe before it, because a spreadsheet would take it for a quoted cell, and what is inside for a formula.
 */
export function tsvFormatter(shape: ReportShape): Formatter {
  const columns = columnNames(shape)
  const cell = (value: CellValue): string =>
    withoutCommand(
      inert(value)
        .replace(/[\t\r\n]+/g, ' ')
        .replace(/^(?=\s*["\uff02])/, "'"),
    )
  return (report) =>
    delimited(report, shape, {
      heading: `${columns.join('\t')}\n`,
      line: (row) => `${columns.map((column) => cell(cellOf(row, column))).join('\t')}\n`,
    })
}

/** A table as lines of text. */
interface LineTable {
  readonly heading: string
  readonly line: (row: object) => string
}

/** Rows with these columns as CSV. */
export function csvTable(columns: readonly string[]): LineTable {
  return {
    heading: `${columns.join(',')}\r\n`,
    line: (row) => `${columns.map((column) => quoted(inert(cellOf(row, column)))).join(',')}\r\n`,
  }
}

/** The heading comes with the first rows: an invalid source leaves nothing behind. */
async function* delimited(
  report: Parameters<Formatter>[0],
  { kind }: ReportShape,
  { heading, line }: LineTable,
): AsyncGenerator<string, void, void> {
  let head = heading
  for await (const rows of rowsOf(report, kind)) {
    yield head + rows.map(line).join('')
    head = ''
  }
  if (head !== '') yield head
}
