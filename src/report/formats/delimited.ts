import { type CellValue, type ColumnType, cellOf, columnsOf } from '../columns.ts'
import { inert, quoted, withoutCommand } from './csv-cell.ts'
import { type CsvDialect, RFC4180 } from './csv-dialect.ts'
import { columnNames, type Formatter, type ReportShape, rowsOf } from './formatter.ts'

// Text that Excel may take for a number, a date, a time or a share.
const LIKE_A_NUMBER = /^[\s\d.,:;/+\-%()eE$€£]*\d[\s\d.,:;/+\-%()eE$€£]*$/
const ISO_DATE = /^\d{4}-\d\d-\d\d$/
/** Identifiers: `00012`, `1E5` and `MAR-01` are text, whatever they look like. */
const IDENTIFIERS: ReadonlySet<ColumnType | undefined> = new Set(['id', 'ids'])
/** Characters of a text in a formula: Excel's limit. */
const MAX_LITERAL = 255

/**
 * CSV with CRLF and quotes where needed, by default as in RFC 4180: comma, no byte order mark. The dialect for Excel has a byte order
 * mark and the separator and decimal sign of a locale.
 */
export function csvFormatter(shape: ReportShape): Formatter {
  const types = columnsOf(shape.kind)
  const table = csvTable(columnNames(shape), shape.csv, (column) => types[column]!.type)
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
export function csvTable(
  columns: readonly string[],
  dialect: CsvDialect = RFC4180,
  typeOf: (column: string) => ColumnType | undefined = () => undefined,
): LineTable {
  const { name, separator } = dialect
  const cell =
    name === 'rfc4180'
      ? (value: CellValue): string => quoted(inert(value))
      : (value: CellValue, column: string): string => excelCell(value, typeOf(column), dialect)
  return {
    heading: `${name === 'excel' ? '\ufeff' : ''}${columns.join(separator)}\r\n`,
    line: (row) => `${columns.map((column) => cell(cellOf(row, column), column)).join(separator)}\r\n`,
  }
}

/** A cell that Excel shows as it is: numbers in the locale, and text that it would change as `="00012"`, a formula of one constant. */
function excelCell(
  value: CellValue,
  type: ColumnType | undefined,
  { separator, decimal }: CsvDialect,
): string {
  if (typeof value === 'number') return String(value).replace('.', decimal)
  if (typeof value !== 'string') return inert(value)
  const isChanged = IDENTIFIERS.has(type) || (LIKE_A_NUMBER.test(value) && !ISO_DATE.test(value))
  // Elsewhere a separator would end the constant, and begin a cell.
  if (isChanged && value !== '' && value.length <= MAX_LITERAL && !/[;,\t\r\n]/.test(value)) {
    return quoted(`="${value.replaceAll('"', '""')}"`, separator)
  }
  return quoted(inert(value), separator)
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
