import * as z from 'zod/mini'
import { parseCalendarDate } from '../base/units.ts'

const DAY = z
  .string()
  .check(z.refine((text) => parseCalendarDate(text) !== undefined, 'is not a date, YYYY-MM-DD'))
const TEXT = z.string().check(z.refine((text) => text.trim() !== '', 'is blank'))
const PERCENT = z.number().check(z.gte(0, 'is less than 0'), z.lte(100, 'is more than 100'))

const QUANTITY = z.strictObject({
  value: z.number().check(z.gte(0, 'is less than 0')),
  unit: z.enum(['mg', 'g', 'kg', 'ppm', 'massPercent']),
})

const CATEGORY = z.strictObject({
  code: TEXT,
  name: TEXT,
  threshold: z.optional(z.string()),
  application: z.optional(z.string()),
  over: z.optional(z.boolean()),
  amount: z.optional(QUANTITY),
  concentrationPercent: z.optional(PERCENT),
  exemptions: z.optional(z.array(TEXT)),
})

const LIST = z.strictObject({
  identity: TEXT,
  authority: z.optional(TEXT),
  categories: z.array(CATEGORY),
})

const SUBSTANCE = z.strictObject({
  name: TEXT,
  cas: z.string(),
  mass: z.optional(QUANTITY),
  concentrationPercent: z.optional(PERCENT),
})

const MATERIAL = z.strictObject({
  name: TEXT,
  group: z.optional(z.string()),
  mass: QUANTITY,
  substances: z.array(SUBSTANCE),
})

const DECLARATIONS = {
  mode: z.optional(z.enum(['Distribute', 'Request'])),
  accepted: z.optional(z.boolean()),
  classC: z.optional(
    z.strictObject({ approved: DAY, lists: z.array(LIST).check(z.minLength(1, 'is empty')) }),
  ),
  classD: z.optional(
    z.strictObject({
      approved: DAY,
      materials: z.array(MATERIAL).check(z.minLength(1, 'is empty')),
      withClassC: z.optional(z.boolean()),
    }),
  ),
}

const REVISION = z
  .strictObject(DECLARATIONS)
  .check(z.refine(({ classC, classD }) => classC !== undefined || classD !== undefined, 'has no declaration'))

const PART = z.strictObject({
  number: TEXT,
  name: z.optional(z.string()),
  requesterNumber: z.optional(TEXT),
  otherNumbers: z.optional(z.array(z.strictObject({ number: TEXT, requesterNumber: z.optional(TEXT) }))),
  massMg: z.optional(z.number().check(z.gte(0, 'is less than 0'))),
  unitType: z.optional(TEXT),
  ...DECLARATIONS,
  revisions: z.optional(z.array(REVISION)),
})

/** A part can be written as its number alone. */
const PART_OR_NUMBER = z.pipe(
  z.transform((value: unknown) => (typeof value === 'string' ? { number: value } : value)),
  PART,
)

const SUPPLIER = z.strictObject({
  id: z.string().check(z.regex(/^\d{9}$/, 'is not a nine-digit number')),
  name: TEXT,
  parts: z.array(PART_OR_NUMBER),
})

const CATALOG = z.strictObject({ suppliers: z.array(SUPPLIER).check(z.minLength(1, 'is empty')) })

export type CatalogFile = z.infer<typeof CATALOG>
export type CatalogPart = z.infer<typeof PART>

/** A mistake in the value at a path. */
export interface CatalogProblem {
  readonly path: readonly PropertyKey[]
  readonly reason: string
}

/** The catalog that a JSON value describes, or all mistakes in it. */
export function checkCatalog(value: unknown): CatalogFile | readonly CatalogProblem[] {
  const parsed = CATALOG.safeParse(value)
  return parsed.success ? parsed.data : parsed.error.issues.flatMap((issue) => problemsOf(issue, value))
}

function problemsOf(issue: z.core.$ZodIssue, value: unknown): readonly CatalogProblem[] {
  const { path } = issue
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], reason: 'is not a key of a catalog file' }))
    case 'invalid_type':
      return [{ path, reason: exists(value, path) ? `is not ${ARTICLES[issue.expected]}` : 'is missing' }]
    case 'invalid_value':
      return [{ path, reason: `is not one of ${issue.values.map(String).join(', ')}` }]
    default:
      return [{ path, reason: issue.message }]
  }
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function exists(value: unknown, path: readonly PropertyKey[]): boolean {
  let inner = value
  for (const step of path) inner = (inner as Readonly<Record<PropertyKey, unknown>> | null)?.[step]
  return inner !== undefined
}
