import * as z from 'zod/mini'
import { quoteText } from '../base/clean-text.ts'
import type { Notice } from '../base/notice.ts'
import { calendarDate } from '../base/units.ts'
import { CONTROL, type Criteria, SEARCH_CRITERIA, type SearchCriteria } from './criteria.ts'

/** A problem with a request, and how to fix it. */
export interface CriteriaProblem {
  readonly message: string
  readonly hint: string
  /** Long names of options that help, without dashes. */
  readonly options?: readonly string[]
}

type CriteriaTexts = { readonly [Name in Exclude<keyof Criteria, 'api' | 'query'>]?: string | undefined }

/** Unchecked criteria from the command line, a config file or a v1 request. */
export interface CriteriaInput extends CriteriaTexts {
  readonly api: 'v1' | 'v2'
  readonly since: string | undefined
  /** Further query parameters, each `NAME=VALUE`. */
  readonly query: readonly string[]
  readonly parts: readonly string[]
}

/** Valid criteria, or all problems with them. */
type CheckedCriteria =
  | { readonly criteria: Criteria; readonly notices: readonly Notice[] }
  | { readonly problems: readonly CriteriaProblem[] }

/** Checks criteria against `SEARCH_CRITERIA`; reports all problems at once. `todayMs` is now. */
export function checkCriteria(input: CriteriaInput, todayMs: number): CheckedCriteria {
  const { api, parts: partNumbers } = input
  const problems: CriteriaProblem[] = []
  if (api === 'v1' && input.query.length > 0) {
    const hint = 'remove the query parameters'
    problems.push({ message: 'v1 has no query string', hint, options: ['query'] })
  }
  const parameters = readQuery(input.query, problems)
  const query = parameters.filter(([name]) => name !== 'format')
  // A service may offer formats beyond the interface document.
  const formatParameter = parameters.find(([name]) => name === 'format')?.[1]
  const format = formatParameter === undefined ? input.format : undefined
  const parsed = z.safeParse(SEARCH_CRITERIA, { ...input, format, partNumbers, query }, { reportInput: true })
  for (const issue of parsed.error?.issues ?? []) problems.push(problemOf(issue, api))
  if (input.startDate !== undefined && input.since !== undefined) {
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

interface Field {
  readonly label: string
  readonly options: readonly string[]
  /** What to do about a value that is none of those allowed. */
  readonly hint?: string
}

/** How messages name a criterion, and the options that set it. */
const FIELDS: Readonly<Record<Exclude<keyof Criteria | 'partNumbers', 'api'>, Field>> = {
  format: { label: 'format', options: ['format'] },
  formatClass: { label: 'format class', options: ['format-class'], hint: 'use C, D or checkDthenC' },
  supplier: { label: 'supplier', options: ['supplier'] },
  partNumbers: { label: 'part number', options: ['part', 'parts-file'] },
  startDate: { label: 'start date', options: ['start-date'], hint: 'use a real date, YYYY-MM-DD' },
  query: { label: 'query parameter', options: ['query'] },
}

/** Why a further query parameter of this name is refused: it has options of its own, or must not be sent. */
function reservedName(
  name: string,
): { readonly hint: string; readonly options?: readonly string[] } | undefined {
  if (name === 'apikey') return { hint: 'v2 takes a token from MATDECL_TOKEN, and no API key' }
  if (name === 'partNumbers[]') return reservedName('partNumbers')
  if (name === 'format' || name === 'query' || !Object.hasOwn(FIELDS, name)) return undefined
  const { options } = FIELDS[name as keyof typeof FIELDS]
  return { hint: options.length === 1 ? 'use its own option' : 'use its own options', options }
}

function readQuery(texts: readonly string[], problems: CriteriaProblem[]): [name: string, value: string][] {
  const parameters: [string, string][] = []
  for (const text of texts) {
    const at = text.indexOf('=')
    const [name, value] = [text.slice(0, at), text.slice(at + 1)]
    const subject = `query parameter ${quoteText(at < 1 ? text : name)}`
    const options = ['query']
    const reserved = reservedName(name)
    if (at < 1) {
      problems.push({ message: `${subject} is not NAME=VALUE`, hint: 'write it as name=value', options })
    } else if (CONTROL.test(text)) {
      problems.push({ message: `${subject} contains a control character`, hint: 'remove it', options })
    } else if (reserved !== undefined) {
      problems.push({ message: `${subject} is reserved`, ...reserved })
    } else if (name === 'format' && parameters.some(([other]) => other === name)) {
      problems.push({ message: `${subject} is given twice`, hint: 'give it once', options })
    } else {
      parameters.push([name, value])
    }
  }
  return parameters
}

function problemOf(issue: z.core.$ZodIssue, api: 'v1' | 'v2'): CriteriaProblem {
  const params = issue.code === 'custom' ? issue.params : undefined
  // About the criteria as a whole.
  if (params?.message !== undefined) return params as CriteriaProblem
  const field = issue.path[0] as keyof typeof FIELDS
  const { label, options, hint = 'give a valid value, or leave it out' } = FIELDS[field]
  const given = typeof issue.input === 'string' ? issue.input : ''
  if (params !== undefined) {
    const subject = given.trim() === '' ? label : `${label} ${quoteText(given)}`
    return { message: `${subject} ${params.fault}`, hint: params.hint, options }
  }
  if (field === 'format') {
    return { message: `${quoteText(given)} is not a ${api} format`, ...formatAdvice(given, api) }
  }
  return { message: `invalid ${label} ${quoteText(given)}`, hint, options }
}

function formatAdvice(given: string, api: 'v1' | 'v2'): Omit<CriteriaProblem, 'message'> {
  const { options } = FIELDS.format
  if (api === 'v1') return { hint: 'use XML or CSV', options }
  switch (given.toUpperCase()) {
    case 'XML':
      return { hint: 'XML is a v1 format; in v2 use 1752A or 1752B, which are XML too', options }
    case 'CSV':
      return {
        hint: 'CSV is a v1 format without a v2 successor: run matdecl report ARCHIVE -o FILE.csv on a 1752A or 1752B download; a service that still has CSV takes the query parameter format=CSV',
        options: ['query'],
      }
    default:
      return { hint: 'use 1752A or 1752B', options }
  }
}

function noticesOn({ api, supplier, startDate }: SearchCriteria, todayMs: number): Notice[] {
  const notices: Notice[] = []
  const form = api === 'v2' && supplier !== undefined ? supplierNotice(supplier) : undefined
  if (form !== undefined) notices.push(form)
  if (startDate !== undefined && startDate > calendarDate(todayMs)) {
    notices.push({
      level: 'warning',
      event: 'criteria.start-date-future',
      message: `the start date ${startDate} is in the future: no declaration can have been approved after it`,
      // A request that can find nothing uses allowance.
      needsLook: true,
    })
  }
  return notices
}

/** A warning for a supplier that is probably mistyped; undefined for a DUNS number. */
function supplierNotice(supplier: string): Notice | undefined {
  if (/^\d{9}$/.test(supplier)) return undefined
  const message = `supplier ${quoteText(supplier)} is not a nine-digit DUNS number; it is sent unchanged`
  return { level: 'warning', event: 'criteria.supplier-form', message }
}
