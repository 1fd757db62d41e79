import { type CellValue, cellOf, type Formatter, type ReportShape } from './formatter.ts'

// Text that a spreadsheet would run as a formula (OWASP, "CSV Injection"), full-width forms included.
export const FORMULA_START = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
// Where a spreadsheet that separates cells by semicolons or tabs begins a new one, quoted or not.
export const FORMULA_WITHIN = /([;\t\r\n] *)([=+\-@\uff1d\uff0b\uff0d\uff20][^;\t\r\n]*)/g
export const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** CSV by RFC 4180: comma, CRLF, quotes where needed, no byte order mark. */
export function csvFormatter(shape: ReportShape): Formatter {
  return delimited(shape, (value) => quoted(inert(value)), ',', '\r\n')
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
  write: (value: CellValue) => string,
  separator: string,
  lineEnd: string,
): Formatter {
  return {
    begin: () => columns.join(separator) + lineEnd,
    add: (rows) =>
      rows
        .map((row) => columns.map((column) => write(cellOf(row, column))).join(separator) + lineEnd)
        .join(''),
    end: () => [],
  }
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
