import * as z from 'zod/mini'
import { quoteText } from '../base/clean-text.ts'
import { parseJson, repeatedKey } from '../base/json-text.ts'
import { plural } from '../base/units.ts'
import type { CriteriaProblem } from '../request/check-criteria.ts'

/** A v1 request, without its key. */
export interface V1Request {
  readonly hasKey: boolean
  readonly format?: string | undefined
  readonly formatClass?: string | undefined
  /** Without duplicates, in their order, as are the parts. */
  readonly suppliers: readonly string[]
  readonly parts: readonly string[]
  readonly startDate?: string | undefined
  /** Names of fields that v1 does not have. */
  readonly unknownFields: readonly string[]
  /** Irregularities that were accepted, a sentence each. */
  readonly remarks: readonly string[]
}

/** A request, or all problems with it. No message quotes the key. */
type ParsedV1Request = { readonly request: V1Request } | { readonly problems: readonly CriteriaProblem[] }

const TEXT = z.nullish(z.string())

/** The JSON body of a v1 request: all values are text, and null counts as left out. */
const V1_BODY = z.object({
  apikey: z.optional(z.unknown()),
  format: TEXT,
  formatClass: TEXT,
  // A number is accepted with a remark, since it may have lost a leading zero.
  supplier: z.nullish(z.union([z.string(), z.int().check(z.nonnegative())])),
  partNumbers: TEXT,
  startdate: TEXT,
})

const EXAMPLE = 'a JSON object such as {"apikey": "…", "format": "XML", "supplier": "123456789"}'

/** Parses a v1 request. `name` is its name in messages. */
export function parseV1Request(source: string, name: string): ParsedV1Request {
  const text = source.replace(/^\ufeff/, '')
  if (text.trim() === '') return refused(`${name} is empty`, `a v1 request is ${EXAMPLE}`)
  const json = parseJson(text)
  if ('problem' in json) {
    const { message, line, column } = json.problem
    return refused(
      `${name} is not valid JSON: ${message} in line ${line}, column ${column}`,
      `a v1 request is ${EXAMPLE}`,
    )
  }
  const { value } = json
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused(`${name} is not a JSON object`, 'give one v1 request at a time')
  }
  const doubt = doubtAbout(text)
  if (doubt !== undefined) return refused(`${name} ${doubt}`, `a v1 request is ${EXAMPLE}`)
  const { fields, unknownFields, remarks } = canonicalNames(value)
  const { data, error } = V1_BODY.safeParse(fields)
  const texts = Object.entries(fields).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  )
  const problems: CriteriaProblem[] = [
    ...(error?.issues ?? []).map(({ path }) => ({
      message: `${String(path[0])} is not text`,
      hint: 'every value of a v1 request is text in quotes',
    })),
    ...leakedKey(texts),
  ]
  if (typeof fields.supplier === 'number') {
    remarks.push(`supplier is a number, not text: a leading zero would be lost, check ${fields.supplier}`)
  }
  const parts = partsOf(textOf(fields.partNumbers), problems, remarks)
  if (data === undefined || problems.length > 0) return { problems }
  const { apikey, format, formatClass, supplier, startdate } = data
  return {
    request: {
      hasKey: typeof apikey === 'string' ? apikey.trim() !== '' : apikey !== undefined && apikey !== null,
      format: trimmed(format),
      formatClass: trimmed(formatClass),
      suppliers: unique(
        String(supplier ?? '')
          .split(',')
          .map((one) => one.trim()),
      ),
      parts,
      startDate: trimmed(startdate),
      unknownFields,
      remarks,
    },
  }
}

/** Why it cannot be told which value a field has. */
function doubtAbout(text: string): string | undefined {
  try {
    const repeated = repeatedKey(text, (name) => name.toLowerCase())
    return repeated === undefined ? undefined : `has the field ${quoteText(repeated)} twice`
  } catch {
    return 'is nested too deeply'
  }
}

// The fields of v1 in whatever letter case they are written.
function canonicalNames(value: object): {
  readonly fields: Readonly<Record<string, unknown>>
  readonly unknownFields: readonly string[]
  readonly remarks: string[]
} {
  const fields: Record<string, unknown> = {}
  const unknownFields: string[] = []
  const remarks: string[] = []
  for (const [key, content] of Object.entries(value)) {
    const name = Object.keys(V1_BODY.shape).find((known) => known.toLowerCase() === key.toLowerCase())
    if (name === undefined) unknownFields.push(key)
    else fields[name] = content
    if (name !== undefined && name !== key) remarks.push(`the field ${quoteText(key)} is read as ${name}`)
  }
  return { fields, unknownFields, remarks }
}

// A fragment of a long key is a leak too; a short key may occur in other words.
function leakedKey(texts: readonly (readonly [name: string, text: string])[]): readonly CriteriaProblem[] {
  const key = texts.find(([name]) => name === 'apikey')?.[1] ?? ''
  if (key.trim() === '') return []
  return texts
    .filter(([name, text]) => name !== 'apikey' && (key.length < 8 ? text === key : text.includes(key)))
    .map(([name]) => ({
      message: `${name} contains the API key`,
      hint: 'replace it with the right value, and have the key replaced if the request was shared',
    }))
}

// Part numbers separated by commas, in double quotes; those without are accepted with a remark.
function partsOf(text: string, problems: CriteriaProblem[], remarks: string[]): readonly string[] {
  const parts: string[] = []
  let isQuoted = true
  const item = /\s*(?:"([^"]*)"\s*|([^",]*))(?:,|$)/y
  while (item.lastIndex < text.length) {
    const match = item.exec(text)
    if (match === null) {
      problems.push({
        message: 'partNumbers has an unmatched double quote',
        hint: 'write it as "A-1","B-2": each number in double quotes, separated by commas',
      })
      return []
    }
    const [, quoted, bare = ''] = match
    if (quoted === undefined && bare.trim() !== '') isQuoted = false
    parts.push(quoted ?? bare.trim())
  }
  if (!isQuoted) remarks.push('part numbers without double quotes are split at commas and trimmed')
  const given = parts.filter((part) => part.trim() !== '')
  const kept = unique(given)
  if (kept.length < given.length) {
    remarks.push(`${plural(given.length - kept.length, 'duplicate part number')} dropped`)
  }
  return kept
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value) => value.trim() !== ''))]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function trimmed(value: string | null | undefined): string | undefined {
  return value?.trim() || undefined
}

function refused(message: string, hint: string): ParsedV1Request {
  return { problems: [{ message, hint }] }
}
