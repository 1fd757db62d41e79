import { escapeUnsafe } from '../base/clean-text.ts'
import { jsonFaultOffset, lineOfOffset } from '../base/json-fault.ts'
import { FILLED_IN } from '../base/shell-words.ts'
import type { Problem } from '../request/criteria.ts'
import { isCurlLine, readCurlLine } from './curl-line.ts'

/** A v1 request as it was written, but for its key: of that only whether there is one. */
export interface LegacyRequest {
  readonly hasKey: boolean
  readonly format?: string
  readonly formatClass?: string
  /** One or more suppliers, in the order given, each once. */
  readonly suppliers: readonly string[]
  /** Each once, in the order given. */
  readonly parts: readonly string[]
  readonly startDate?: string
  /** Fields that v1 does not have. Their values are not kept. */
  readonly unknownFields: readonly string[]
  /** What was read with indulgence, a sentence each. */
  readonly remarks: readonly string[]
  /** From a curl command line: where it asks and which file it writes. */
  readonly url?: string
  readonly output?: string
}

/** A request, or everything that keeps it from being one. No message ever repeats the key. */
export type ReadLegacy = { readonly request: LegacyRequest } | { readonly problems: readonly Problem[] }

/** Reads a v1 request: the JSON object itself, or a curl command line that carries it. `name` is the text's own, for messages. */
export function readLegacyRequest(source: string, name: string): ReadLegacy {
  const text = source.replace(/^\ufeff/, '')
  if (text.trim() === '')
    return refused(`${name} is empty`, 'give a v1 JSON request, or a curl command line that carries one')
  if (!isCurlLine(text)) return readBody(text, name)
  const line = readCurlLine(text)
  if ('message' in line) return { problems: [line] }
  const read = readBody(line.body, `the request in ${name}`)
  if ('problems' in read) return read
  const { url, output } = line
  return {
    request: {
      ...read.request,
      ...(url === undefined ? {} : { url }),
      ...(output === undefined ? {} : { output }),
    },
  }
}

const FIELDS = ['apikey', 'format', 'formatClass', 'supplier', 'partNumbers', 'startdate'] as const
type Field = (typeof FIELDS)[number]

function readBody(text: string, name: string): ReadLegacy {
  const fault = jsonFaultOffset(text)
  if (fault !== undefined) {
    return refused(
      `${name} is not JSON: it goes wrong in line ${lineOfOffset(text, fault)}`,
      'a v1 request is a JSON object such as {"apikey": "…", "format": "XML", "supplier": "123456789"}',
    )
  }
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused(`${name} is JSON but no object`, 'give one v1 request at a time')
  }
  const problems: Problem[] = []
  const remarks: string[] = []
  const unknownFields: string[] = []
  const values = new Map<Field, string>()
  for (const [key, given] of Object.entries(value)) {
    const field = FIELDS.find((known) => known.toLowerCase() === key.toLowerCase())
    if (field === undefined) {
      unknownFields.push(key)
      continue
    }
    if (field !== key) remarks.push(`the field ${shown(key)} is taken for ${field}`)
    const fieldText = textOf(field, given, problems, remarks)
    if (fieldText !== undefined) values.set(field, fieldText)
  }
  refuseFilledIn(values, problems)
  const key = values.get('apikey') ?? ''
  refuseKeyElsewhere(key, values, problems)
  const parts = partsOf(values.get('partNumbers') ?? '', problems, remarks)
  const suppliers = once((values.get('supplier') ?? '').split(',').map((one) => one.trim()))
  if (problems.length > 0) return { problems }
  const format = trimmed(values, 'format')
  const formatClass = trimmed(values, 'formatClass')
  const startDate = trimmed(values, 'startdate')
  return {
    request: {
      hasKey: key.trim() !== '',
      ...(format === undefined ? {} : { format }),
      ...(formatClass === undefined ? {} : { formatClass }),
      suppliers,
      parts,
      ...(startDate === undefined ? {} : { startDate }),
      unknownFields,
      remarks,
    },
  }
}

// All values of v1 are texts. A number where a supplier stands is read, with a warning for what a number loses.
function textOf(field: Field, given: unknown, problems: Problem[], remarks: string[]): string | undefined {
  if (typeof given === 'string') return given
  if (given === null) return undefined
  if (field === 'apikey') return 'given'
  if (field === 'supplier' && typeof given === 'number' && Number.isSafeInteger(given) && given >= 0) {
    remarks.push(`supplier is a number, not a text: a leading zero would be lost, check ${given}`)
    return String(given)
  }
  problems.push({
    message: `${field} is not a text`,
    hint: 'every value of a v1 request is a text in quotes',
  })
  return undefined
}

function refuseFilledIn(values: ReadonlyMap<Field, string>, problems: Problem[]): void {
  for (const [field, value] of values) {
    if (field === 'apikey' || !value.includes(FILLED_IN.start)) continue
    problems.push({
      message: `${field} comes from a shell variable or command, which is not looked up`,
      hint: 'write its value into the command line',
    })
  }
}

function refuseKeyElsewhere(key: string, values: ReadonlyMap<Field, string>, problems: Problem[]): void {
  if (key.trim() === '') return
  for (const [field, value] of values) {
    if (field === 'apikey' || (key.length < 8 ? value !== key : !value.includes(key))) continue
    problems.push({
      message: `${field} holds the API key`,
      hint: 'put what belongs there, and have the key replaced if it went anywhere',
    })
  }
}

/** The parts of a comma-separated list, each in double quotes; those without quotes are taken as they stand between commas. */
function partsOf(text: string, problems: Problem[], remarks: string[]): readonly string[] {
  const parts: string[] = []
  let isQuoted = true
  const item = /\s*(?:"([^"]*)"\s*|([^",]*))(?:,|$)/y
  while (item.lastIndex < text.length) {
    const match = item.exec(text)
    if (match === null) {
      problems.push({
        message: 'partNumbers has a double quote that opens or closes nothing',
        hint: 'write it as "A-1","B-2": each number in double quotes, commas between them',
      })
      return []
    }
    const [, quoted, bare = ''] = match
    if (quoted === undefined && bare.trim() !== '') isQuoted = false
    parts.push(quoted ?? bare.trim())
  }
  if (!isQuoted)
    remarks.push('part numbers without double quotes are split at commas, spaces around them dropped')
  const kept = once(parts)
  const blank = parts.filter((part) => part.trim() === '').length
  const repeated = parts.length - blank - kept.length
  if (repeated > 0)
    remarks.push(`${repeated} of the part numbers stand there more than once and are asked for once`)
  return kept
}

function once(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value) => value.trim() !== ''))]
}

function trimmed(values: ReadonlyMap<Field, string>, field: Field): string | undefined {
  const value = values.get(field)?.trim()
  return value === '' ? undefined : value
}

function shown(text: string): string {
  const safe = escapeUnsafe(text)
  return `'${safe.length > 60 ? `${safe.slice(0, 59)}…` : safe}'`
}

function refused(message: string, hint: string): ReadLegacy {
  return { problems: [{ message, hint }] }
}
