// The rules for a cell of CSV, also for the script of the page: nothing here may need Node.

/** Text that a spreadsheet would run as a formula (OWASP, "CSV Injection"), full-width forms included. */
export const FORMULA_START = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/** Where a spreadsheet that separates cells by semicolons or tabs begins a new one, quoted or not. */
const FORMULA_WITHIN = /([;\t\r\n] *)([=+\-@\uff1d\uff0b\uff0d\uff20][^;\t\r\n]*)/g
const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * The value as text, with an apostrophe before anything a spreadsheet would run as a formula, whichever separator it expects. Numbers,
 * also negative ones, are unchanged.
 */
export function inert(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = value.replace(FORMULA_WITHIN, (whole, separator: string, rest: string) =>
    PLAIN_NUMBER.test(rest.trimEnd()) ? whole : `${separator}'${rest}`,
  )
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text
}

/** The text in quotes where a separator, a quote or a line break needs them. */
export function quoted(text: string, separator = ','): string {
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text
}
