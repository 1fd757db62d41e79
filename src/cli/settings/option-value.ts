import { nearest } from '../../base/clean-text.ts'
import { calendarDate, formatCount, parseDuration, parseSize } from '../../base/units.ts'
import { parseBaseUrl } from '../../request/request.ts'
import type { OptionRow } from '../option-row.ts'

/** The value of an option, or why it has none. */
export type Checked = { readonly value: unknown } | { readonly reason: string }

const LONGEST_WAIT_MS = 10 * 365 * 86_400_000
const COUNT = { min: 0, max: 9 }
const FLAG_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
}

/** The value that the text of a command line or variable means. */
export function valueOfText(row: OptionRow, text: string): Checked {
  const { type } = row
  switch (type.kind) {
    case 'flag':
      return checked(row, FLAG_WORDS[text.toLowerCase()])
    case 'count':
    case 'integer':
      return checked(row, /^\s*\d+\s*$/.test(text) ? inRange(row, Number(text)) : undefined)
    case 'choice': {
      if (type.values.includes(text)) return { value: text }
      const near = nearest(text, type.values)
      return { reason: `${expectation(row)}${near === undefined ? '' : `; did you mean ${near}?`}` }
    }
    case 'size':
      return checked(row, parseSize(text) || undefined)
    case 'duration':
      return checked(row, bearableMs(parseDuration(text)))
    case 'date':
      return checked(row, isDate(text) ? text : undefined)
    case 'url': {
      const parsed = parseBaseUrl(text)
      return 'baseUrl' in parsed ? { value: parsed.baseUrl } : parsed
    }
    case 'text':
      return { value: text }
    case 'file':
    case 'folder':
      // Elsewhere `-` is a stream, which a directory cannot be.
      return checked(
        row,
        text === '' || text.includes('\0') || (text === '-' && type.kind === 'folder') ? undefined : text,
      )
  }
}

/** The same for a value of the config file, which has types of its own: numbers, booleans, arrays. */
export function valueOfSetting(row: OptionRow, value: unknown): Checked {
  if (row.repeatable !== true) {
    if (row.takesOptionalValue && value === true) return { value }
    return valueOfOneSetting(row, value)
  }
  const all = (Array.isArray(value) ? value : [value]).map((one: unknown) => valueOfOneSetting(row, one))
  const values = all.flatMap((one) => ('value' in one ? [one.value] : []))
  return values.length === all.length
    ? { value: values }
    : { reason: `${expectation(row)}, or an array of them` }
}

function valueOfOneSetting(row: OptionRow, value: unknown): Checked {
  const { kind } = row.type
  if (kind === 'flag') return checked(row, typeof value === 'boolean' ? value : undefined)
  if (typeof value === 'number') {
    if (kind === 'count' || kind === 'integer') return checked(row, inRange(row, value))
    if (kind === 'size') return checked(row, Number.isSafeInteger(value) && value > 0 ? value : undefined)
    if (kind === 'duration') return checked(row, value >= 0 ? bearableMs(value * 1000) : undefined)
  }
  const isText = typeof value === 'string' && kind !== 'count' && kind !== 'integer'
  return isText ? valueOfText(row, value) : { reason: expectation(row) }
}

function checked(row: OptionRow, value: unknown): Checked {
  return value === undefined ? { reason: expectation(row) } : { value }
}

function inRange({ type }: OptionRow, value: number): number | undefined {
  const { min, max } = type.kind === 'integer' ? type : COUNT
  return Number.isInteger(value) && value >= min && value <= max ? value : undefined
}

function bearableMs(ms: number | undefined): number | undefined {
  return ms === undefined || ms > LONGEST_WAIT_MS ? undefined : ms
}

function isDate(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(ms) && calendarDate(ms) === text
}

function expectation({ type }: OptionRow): string {
  switch (type.kind) {
    case 'flag':
      return 'expected true or false'
    case 'count':
    case 'integer': {
      const { min, max } = type.kind === 'integer' ? type : COUNT
      return `expected a whole number from ${formatCount(min)} to ${formatCount(max)}`
    }
    case 'choice':
      return `expected one of ${type.values.join(', ')}`
    case 'size':
      return 'expected a size such as "500MB" or "16 GiB"'
    case 'duration':
      return 'expected a duration such as "500ms", "10s", "5m" or "2h"'
    case 'date':
      return 'expected a calendar date as YYYY-MM-DD'
    case 'url':
      return 'expected a URL'
    case 'text':
      return 'expected a string'
    case 'file':
      return 'expected a path'
    case 'folder':
      return 'expected a directory, such as ./-'
  }
}
