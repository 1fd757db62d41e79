import { calendarDate } from '../base/calendar-date.ts'
import { escapeUnsafe } from '../base/clean-text.ts'
import type { Notice } from '../base/notice.ts'
import { type Criteria, RESERVED_PARAMETERS } from './request.ts'

/** What the user wants to ask for, each value a valid text of its kind. */
export interface AskedFor {
  readonly api: 'v1' | 'v2'
  readonly format: string | undefined
  readonly formatClass: string | undefined
  readonly supplier: string | undefined
  readonly startDate: string | undefined
  readonly since: string | undefined
  readonly query: readonly string[]
  readonly parts: readonly string[]
}

/** Criteria that may be sent, or everything that is wrong with them, each with what to do. */
export type CheckedCriteria =
  | { readonly criteria: Criteria; readonly notices: readonly Notice[] }
  | { readonly problems: readonly Problem[] }

export interface Problem {
  readonly message: string
  readonly hint: string
}

const V2_FORMATS = ['1752A', '1752B']
const V1_FORMATS = ['XML', 'CSV']
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** Checks the criteria by the interface document, all rules at once. `todayMs` is now. */
export function checkCriteria(asked: AskedFor, todayMs: number): CheckedCriteria {
  const problems: Problem[] = []
  const query = readQuery(asked, problems)
  const format = readFormat(asked, query.format, problems)
  if (asked.supplier !== undefined) checkText('--supplier', asked.supplier, problems)
  for (const part of asked.parts) if (!PLAIN.test(part)) checkPart(part, asked.api, problems)
  if (asked.startDate !== undefined && asked.since !== undefined) {
    problems.push({
      message: '--since and --start-date can not both be given',
      hint: 'leave one of them out',
    })
  }
  if (asked.api === 'v2' && asked.supplier === undefined && asked.parts.length === 0) {
    problems.push({
      message: 'neither a supplier nor a part is asked for',
      hint: 'give --supplier, --part or --parts-file, or more than one of them',
    })
  }
  if (problems.length > 0) return { problems }
  const { api, formatClass, supplier, startDate } = asked
  return {
    criteria: { api, format, formatClass, supplier, startDate, query: query.pairs },
    notices: noticesOn(asked, todayMs),
  }
}

function readFormat(asked: AskedFor, fromQuery: string | undefined, problems: Problem[]): string {
  const given = asked.format
  if (asked.api === 'v1') {
    if (given !== undefined && !V1_FORMATS.includes(given)) {
      problems.push({ message: `--format ${shown(given)} is no v1 format`, hint: 'v1 has XML and CSV' })
    }
    return given ?? 'XML'
  }
  if (fromQuery !== undefined) {
    return fromQuery
  }
  if (given === undefined || V2_FORMATS.includes(given)) return given ?? '1752A'
  problems.push({ message: `--format ${shown(given)} is no v2 format`, hint: formatHint(given) })
  return given
}

function formatHint(given: string): string {
  switch (given.toUpperCase()) {
    case 'XML':
      return 'XML is the v1 word; in v2 it is --format 1752A or --format 1752B'
    case 'CSV':
      return 'CSV is the v1 word and has no v2 successor: download 1752A or 1752B, then matdecl report ARCHIVE -o FILE.csv; for a service that has it: --query format=CSV'
    default:
      return 'v2 has 1752A and 1752B'
  }
}

function readQuery(
  asked: AskedFor,
  problems: Problem[],
): { pairs: [string, string][]; format: string | undefined } {
  const pairs: [string, string][] = []
  let format: string | undefined
  if (asked.api === 'v1' && asked.query.length > 0) {
    problems.push({ message: '--query is for v2: v1 has no query string', hint: 'leave --query out' })
  }
  for (const text of asked.query) {
    const at = text.indexOf('=')
    const [name, value] = [text.slice(0, at), text.slice(at + 1)]
    if (at < 1) {
      problems.push({
        message: `--query ${shown(text)} is no NAME=VALUE`,
        hint: 'write it as --query name=value',
      })
    } else if (CONTROL.test(text)) {
      problems.push({ message: `--query ${shown(name)} contains a control character`, hint: 'remove it' })
    } else if (RESERVED_PARAMETERS.includes(name)) {
      problems.push({
        message: `--query may not set ${shown(name)}: the tool sets it itself`,
        hint: optionFor(name),
      })
    } else if (pairs.some(([other]) => other === name) || (name === 'format' && format !== undefined)) {
      problems.push({ message: `--query sets ${shown(name)} twice`, hint: 'a parameter is set once' })
    } else if (name === 'format') {
      format = value
    } else {
      pairs.push([name, value])
    }
  }
  return { pairs, format }
}

function optionFor(name: string): string {
  const option = { formatClass: '--format-class', supplier: '--supplier', startDate: '--start-date' }[name]
  if (option !== undefined) return `use ${option}`
  return name === 'apikey'
    ? 'v2 takes the token from MATDECL_TOKEN and no API key'
    : 'use --part or --parts-file'
}

// Printable ASCII without a double quote: nothing to find fault with, and nearly every part number.
const PLAIN = /^[!#-~]+$/

function checkPart(part: string, api: 'v1' | 'v2', problems: Problem[]): void {
  checkText('--part', part, problems)
  if (api === 'v1' && part.includes('"')) {
    problems.push({
      message: `part ${shown(part)} holds a double quote, which v1 can not carry`,
      hint: 'ask for it with v2',
    })
  }
}

function checkText(option: string, text: string, problems: Problem[]): void {
  if (PLAIN.test(text)) return
  if (text.trim() === '')
    problems.push({ message: `${option} is blank`, hint: 'give a value, or leave it out' })
  else if (CONTROL.test(text)) {
    problems.push({ message: `${option} ${shown(text)} contains a control character`, hint: 'remove it' })
  } else if (text.includes('\ufffd') || !text.isWellFormed()) {
    problems.push({ message: `${option} ${shown(text)} is not valid Unicode`, hint: 'give it in UTF-8' })
  }
}

function noticesOn(asked: AskedFor, todayMs: number): Notice[] {
  const notices: Notice[] = []
  if (asked.supplier !== undefined && asked.api === 'v2' && !/^\d{9}$/.test(asked.supplier)) {
    notices.push({
      level: 'warning',
      event: 'criteria.supplier-form',
      message: `supplier ${shown(asked.supplier)} is not nine digits, as a DUNS number is; it is sent as it stands`,
    })
  }
  if (asked.startDate !== undefined && asked.startDate > calendarDate(todayMs)) {
    notices.push({
      level: 'warning',
      event: 'criteria.start-date-future',
      message: `the start date ${asked.startDate} lies in the future: nothing can have been approved after it yet`,
    })
  }
  return notices
}

function shown(text: string): string {
  const safe = escapeUnsafe(text)
  return `'${safe.length > 80 ? `${safe.slice(0, 79)}…` : safe}'`
}
