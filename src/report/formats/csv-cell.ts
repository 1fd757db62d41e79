// The rules for a cell of CSV, also for the script of the page: nothing here may need Node.

/** Text that a spreadsheet would run as a formula (OWASP, "CSV Injection"), full-width forms and blanks before it included. */
export const FORMULA_START =
  /^(?:[\t\r\n]|[ \u00a0\u2000-\u200b\u202f\u205f\u3000]*[=+\-@\uff1d\uff0b\uff0d\uff20])/
/** What GitHub Actions takes for a command at the start of a line. */
const WORKFLOW_COMMAND = /^\s*(?:::|##\[)/
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

/** The text with an apostrophe where GitHub Actions would take the start of a line for a command. */
export function withoutCommand(text: string): string {
  return WORKFLOW_COMMAND.test(text) ? `'${text}` : text
}

/** The text in quotes where a separator, a quote or a line break needs them, or where a line could begin with a workflow command. */
export function quoted(text: string, separator = ','): string {
  return /["\r\n]/.test(text) || text.includes(separator) || WORKFLOW_COMMAND.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text
}
