import { type CsvDialect, RFC4180 } from './csv-dialect.ts'
import { type CellValue, cellOf, type Formatter, type ReportShape } from './formatter.ts'

// Text that a spreadsheet would run as a formula (OWASP, "CSV Injection"), full-width forms included.
export const FORMULA_START = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
// Where a spreadsheet that separates cells by semicolons or tabs begins a new one, quoted or not.
export const FORMULA_WITHIN = /([;\t\r\n] *)([=+\-@\uff1d\uff0b\uff0d\uff20][^;\t\r\n]*)/g
export const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

// Text that Excel may take for a number, a date, a time or a share.
const LIKE_A_NUMBER = /^[\s\d.,:;/+\-%()eE$€£]*\d[\s\d.,:;/+\-%()eE$€£]*$/
const ISO_DATE = /^\d{4}-\d\d-\d\d$/
/** Identifiers: `00012`, `1E5` and `MAR-01` are text, whatever they look like. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['part', 'requester_part', 'company_id', 'cas'])
/** Characters of a text in a formula: Excel's limit. */
const MAX_LITERAL = 255

/**
 * CSV with CRLF and quotes where needed, by default as in RFC 4180: comma, no byte order mark. The dialect for Excel has a byte order
 * mark and the separator and decimal sign of a locale.
 */
export function csvFormatter(shape: ReportShape): Formatter {
  const { csv = RFC4180 } = shape
  if (csv.name === 'rfc4180') return delimited(shape, (value) => quoted(inert(value)), ',', '\r\n')
  const formatter = delimited(shape, (value, column) => excelCell(value, column, csv), csv.separator, '\r\n')
  return { ...formatter, begin: () => `\ufeff${formatter.begin()}` }
}

/** A cell that Excel shows as it is: numbers in the locale, and text that it would change as `="00012"`, a formula of one constant. */
function excelCell(value: CellValue, column: string, { separator, decimal }: CsvDialect): string {
  if (typeof value === 'number') return String(value).replace('.', decimal)
  if (typeof value !== 'string') return inert(value)
  const isChanged = IDENTIFIERS.has(column) || (LIKE_A_NUMBER.test(value) && !ISO_DATE.test(value))
  // Elsewhere a separator would end the constant, and begin a cell.
  if (isChanged && value !== '' && value.length <= MAX_LITERAL && !/[;,\t\r\n]/.test(value)) {
    return quoted(`="${value.replaceAll('"', '""')}"`, separator)
  }
  return quoted(inert(value), separator)
}

/** Tab-separated values with LF. Tabs and line breaks inside a value become spaces. */
export function tsvFormatter(shape: ReportShape): Formatter {
  return delimited(shape, (value) => inert(value).replace(/[\t\r\n]+/g, ' '), '\t', '\n')
}

/**
 * The value as text, with an apostrophe before anything a spreadsheet would run as a formula, whichever separator it expects. Numbers,
 * also negative ones, are unchanged.
 */
export function inert(value: CellValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = value.replace(FORMULA_WITHIN, (whole, separator: string, rest: string) =>
    PLAIN_NUMBER.test(rest.trimEnd()) ? whole : `${separator}'${rest}`,
  )
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text
}

function delimited(
  { columns }: ReportShape,
  write: (value: CellValue, column: string) => string,
  separator: string,
  lineEnd: string,
): Formatter {
  return {
    begin: () => columns.join(separator) + lineEnd,
    add: (rows) =>
      rows
        .map((row) => columns.map((column) => write(cellOf(row, column), column)).join(separator) + lineEnd)
        .join(''),
    end: () => [],
  }
}

function quoted(text: string, separator = ','): string {
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text
}
