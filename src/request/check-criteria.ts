import * as z from 'zod/mini'
import { calendarDate } from '../base/calendar-date.ts'
import { quoteText } from '../base/clean-text.ts'
import type { Notice } from '../base/notice.ts'
import { CONTROL, type Criteria, SEARCH_CRITERIA, type SearchCriteria } from './criteria.ts'

/** What is wrong with a request, and what to do about it. */
export interface Problem {
  readonly message: string
  readonly hint: string
  /** Long names of options that help, without dashes. */
  readonly options?: readonly string[]
}

/** Criteria as they come from the command line, a settings file or a v1 request. */
export interface CriteriaInput {
  readonly api: 'v1' | 'v2'
  readonly format: string | undefined
  readonly formatClass: string | undefined
  readonly supplier: string | undefined
  readonly startDate: string | undefined
  readonly since: string | undefined
  /** Further query parameters, each `NAME=VALUE`. */
  readonly query: readonly string[]
  readonly parts: readonly string[]
}

/** Criteria that may be sent, or everything that is wrong with them. */
export type CheckedCriteria =
  | { readonly criteria: Criteria; readonly notices: readonly Notice[] }
  | { readonly problems: readonly Problem[] }

/** Checks criteria against `SEARCH_CRITERIA`; reports all problems at once. `todayMs` is now. */
export function checkCriteria(input: CriteriaInput, todayMs: number): CheckedCriteria {
  const { api, formatClass, supplier, startDate, parts } = input
  const problems: Problem[] = []
  if (api === 'v1' && input.query.length > 0) {
    const hint = 'leave the query parameters out'
    problems.push({ message: 'v1 has no query string', hint, options: ['query'] })
  }
  const parameters = readQuery(input.query, problems)
  const query = parameters.filter(([name]) => name !== 'format')
  // A service may offer formats that the interface document does not have.
  const formatParameter = parameters.find(([name]) => name === 'format')?.[1]
  const format = formatParameter === undefined ? input.format : undefined
  const parsed = z.safeParse(
    SEARCH_CRITERIA,
    { api, format, formatClass, supplier, partNumbers: parts, startDate, query },
    { reportInput: true },
  )
  problems.push(...(parsed.error?.issues ?? []).map((issue) => problemOf(issue, api)))
  if (startDate !== undefined && input.since !== undefined) {
    const message = 'a start date and a period cannot be combined'
    problems.push({ message, hint: 'leave one of them out', options: ['start-date', 'since'] })
  }
  if (parsed.data === undefined || problems.length > 0) return { problems }
  const { partNumbers: _, ...criteria } = parsed.data
  return {
    criteria: { query: [], ...criteria, format: formatParameter ?? criteria.format },
    notices: noticesOn(parsed.data, todayMs),
  }
}

/** Parameters that have options of their own, or must not be sent. */
const RESERVED: Readonly<Record<string, { readonly hint: string; readonly options?: readonly string[] }>> = {
  formatClass: { hint: 'use its own option', options: ['format-class'] },
  supplier: { hint: 'use its own option', options: ['supplier'] },
  startDate: { hint: 'use its own option', options: ['start-date'] },
  partNumbers: { hint: 'use the options for parts', options: ['part', 'parts-file'] },
  'partNumbers[]': { hint: 'use the options for parts', options: ['part', 'parts-file'] },
  apikey: { hint: 'v2 takes a token from MATDECL_TOKEN, and no API key' },
}

function readQuery(texts: readonly string[], problems: Problem[]): [name: string, value: string][] {
  const parameters: [string, string][] = []
  for (const text of texts) {
    const at = text.indexOf('=')
    const [name, value] = [text.slice(0, at), text.slice(at + 1)]
    const subject = `query parameter ${quoteText(at < 1 ? text : name)}`
    const options = ['query']
    const reserved = Object.hasOwn(RESERVED, name) ? RESERVED[name] : undefined
    if (at < 1) {
      problems.push({ message: `${subject} is not NAME=VALUE`, hint: 'write it as name=value', options })
    } else if (CONTROL.test(text)) {
      problems.push({ message: `${subject} contains a control character`, hint: 'remove it', options })
    } else if (reserved !== undefined) {
      problems.push({ message: `${subject} is reserved`, ...reserved })
    } else if (parameters.some(([other]) => other === name)) {
      problems.push({ message: `${subject} is given twice`, hint: 'give it once', options })
    } else {
      parameters.push([name, value])
    }
  }
  return parameters
}

const FIELDS: Readonly<Record<string, { readonly label: string; readonly options: readonly string[] }>> = {
  format: { label: 'format', options: ['format'] },
  formatClass: { label: 'format class', options: ['format-class'] },
  supplier: { label: 'supplier', options: ['supplier'] },
  partNumbers: { label: 'part number', options: ['part', 'parts-file'] },
  startDate: { label: 'start date', options: ['start-date'] },
  query: { label: 'query parameter', options: ['query'] },
}

function problemOf(issue: z.core.$ZodIssue, api: 'v1' | 'v2'): Problem {
  const field = String(issue.path[0])
  const { label, options } = FIELDS[field] ?? { label: field, options: [] }
  const given = typeof issue.input === 'string' ? issue.input : ''
  const params = issue.code === 'custom' ? issue.params : undefined
  if (params?.message !== undefined) return params as Problem
  if (params !== undefined) {
    const subject = given.trim() === '' ? label : `${label} ${quoteText(given)}`
    return { message: `${subject} ${params.fault}`, hint: params.hint, options }
  }
  if (field === 'format') {
    return { message: `${quoteText(given)} is not a ${api} format`, hint: formatHint(given, api), options }
  }
  const hint = field === 'startDate' ? 'use a real date, YYYY-MM-DD' : 'use C, D or checkDthenC'
  return { message: `invalid ${label} ${quoteText(given)}`, hint, options }
}

function formatHint(given: string, api: 'v1' | 'v2'): string {
  if (api === 'v1') return 'use XML or CSV'
  switch (given.toUpperCase()) {
    case 'XML':
      return 'XML is a v1 format; in v2 use 1752A or 1752B'
    case 'CSV':
      return 'CSV is a v1 format without a v2 successor: run matdecl report ARCHIVE -o FILE.csv on a 1752A or 1752B download (a service that still has CSV takes it as the query parameter format=CSV)'
    default:
      return 'use 1752A or 1752B'
  }
}

function noticesOn({ api, supplier, startDate }: SearchCriteria, todayMs: number): Notice[] {
  const notices: Notice[] = []
  if (supplier !== undefined && api === 'v2' && !/^\d{9}$/.test(supplier)) {
    notices.push({
      level: 'warning',
      event: 'criteria.supplier-form',
      message: `supplier ${quoteText(supplier)} is not a nine-digit DUNS number; it is sent unchanged`,
    })
  }
  if (startDate !== undefined && startDate > calendarDate(todayMs)) {
    notices.push({
      level: 'warning',
      event: 'criteria.start-date-future',
      message: `the start date ${startDate} is in the future: nothing can have been approved after it yet`,
    })
  }
  return notices
}
