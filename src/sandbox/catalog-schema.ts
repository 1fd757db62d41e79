import { z } from 'zod'
import { parseCalendarDate } from '../domain/calendar-date.ts'

const DAY = z.string().refine((text) => parseCalendarDate(text) !== undefined, 'is not a date, YYYY-MM-DD')
const TEXT = z.string().refine((text) => text.trim() !== '', 'is blank')
const PERCENT = z.number().min(0, 'is less than 0').max(100, 'is more than 100')

const QUANTITY = z.strictObject({
  value: z.number().min(0, 'is less than 0'),
  unit: z.enum(['mg', 'g', 'kg', 'ppm', 'massPercent']),
})

const CATEGORY = z.strictObject({
  code: TEXT,
  name: TEXT,
  threshold: z.string().optional(),
  application: z.string().optional(),
  over: z.boolean().optional(),
  amount: QUANTITY.optional(),
  concentrationPercent: PERCENT.optional(),
  exemptions: z.array(TEXT).optional(),
})

const LIST = z.strictObject({
  identity: TEXT,
  authority: TEXT.optional(),
  categories: z.array(CATEGORY),
})

const SUBSTANCE = z.strictObject({
  name: TEXT,
  cas: z.string(),
  mass: QUANTITY.optional(),
  concentrationPercent: PERCENT.optional(),
})

const MATERIAL = z.strictObject({
  name: TEXT,
  group: z.string().optional(),
  mass: QUANTITY,
  substances: z.array(SUBSTANCE),
})

const PART = z.strictObject({
  number: TEXT,
  name: z.string().optional(),
  requesterNumber: TEXT.optional(),
  otherNumbers: z.array(z.strictObject({ number: TEXT, requesterNumber: TEXT.optional() })).optional(),
  massMg: z.number().min(0, 'is less than 0').optional(),
  classC: z.strictObject({ approved: DAY, lists: z.array(LIST).min(1, 'is empty') }).optional(),
  classD: z
    .strictObject({
      approved: DAY,
      materials: z.array(MATERIAL).min(1, 'is empty'),
      withClassC: z.boolean().optional(),
    })
    .optional(),
})

// A part may be written as its number alone.
const PART_OR_NUMBER = z.preprocess((value) => (typeof value === 'string' ? { number: value } : value), PART)

const SUPPLIER = z.strictObject({
  id: z.string().regex(/^\d{9}$/, 'is not a nine-digit number'),
  name: TEXT,
  parts: z.array(PART_OR_NUMBER),
})

const CATALOG = z.strictObject({ suppliers: z.array(SUPPLIER).min(1, 'is empty') })

export type CatalogFile = z.infer<typeof CATALOG>

/** A place in the file where something is wrong, and what. */
export interface CatalogProblem {
  readonly path: readonly PropertyKey[]
  readonly reason: string
}

/** The catalogue that a JSON value describes, or everything that is wrong with it. */
export function checkCatalog(value: unknown): CatalogFile | readonly CatalogProblem[] {
  const parsed = CATALOG.safeParse(value)
  return parsed.success ? parsed.data : parsed.error.issues.flatMap((issue) => problemsOf(issue, value))
}

function problemsOf(issue: z.core.$ZodIssue, value: unknown): readonly CatalogProblem[] {
  const { path } = issue
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], reason: 'is no key of a catalogue' }))
    case 'invalid_type':
      return [{ path, reason: isThere(value, path) ? `is not ${ARTICLES[issue.expected]}` : 'is missing' }]
    case 'invalid_value':
      return [{ path, reason: `is none of ${issue.values.map(String).join(', ')}` }]
    default:
      return [{ path, reason: issue.message }]
  }
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function isThere(value: unknown, path: readonly PropertyKey[]): boolean {
  let inner = value
  for (const step of path) inner = (inner as Readonly<Record<PropertyKey, unknown>> | null)?.[step]
  return inner !== undefined
}
