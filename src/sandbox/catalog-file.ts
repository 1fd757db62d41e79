import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { parseJson, positionOf } from '../base/json-text.ts'
import { parseCalendarDate, plural } from '../base/units.ts'
import { type Catalog, catalogOf } from './catalog.ts'
import type { ListFacts, MaterialDeclarationFacts, PartFacts, SupplierFacts } from './facts.ts'
import { EXEMPTION_LIST, reachList, rohsList } from './lists.ts'
import { materialsOf } from './made-up-composition.ts'

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

type CatalogFile = z.infer<typeof CATALOG>
type CatalogPart = z.infer<typeof PART>

/** How many mistakes are listed. */
const MOST_LISTED = 20

/**
 * Reads a catalog file, JSON with the user's own suppliers and parts; `file` is its name in messages. All mistakes are
 * reported with line and path in one `usage` failure.
 */
export function parseCatalog(text: string, file: string): Catalog {
  const value = readJson(text.replace(/^\ufeff/, ''), file)
  const { data, error } = CATALOG.safeParse(value)
  const problems = error ? error.issues.flatMap((issue) => problemsOf(issue, value)) : repeatedNames(data)
  if (problems.length > 0) throw badCatalog(text, file, problems)
  const { suppliers } = data!
  const parts = inOrder(suppliers, ({ id }) => id).flatMap(({ id, name, parts: own }) =>
    inOrder(own, ({ number }) => number).map((part) => partFacts({ id, name }, part)),
  )
  return catalogOf(suppliers, parts, createHash('sha256').update(text).digest('hex'))
}

function readJson(text: string, file: string): unknown {
  const parsed = parseJson(text)
  if ('value' in parsed) return parsed.value
  const { message, line, column } = parsed.problem
  throw new Failure('usage', `${escapeUnsafe(file)}:${line}:${column}: invalid JSON: ${message}`, {
    hint: 'docs/sandbox.md shows a catalog file',
    file,
    line,
  })
}

/** A repeated number would give two entries of an archive the same name. */
function repeatedNames({ suppliers }: CatalogFile): readonly CatalogProblem[] {
  const ids = repeats(suppliers.map(({ id }) => id)).map((index) => ({
    path: ['suppliers', index, 'id'],
    reason: 'is a duplicate',
  }))
  const numbers = suppliers.flatMap(({ parts }, supplier) =>
    repeats(parts.map(({ number }) => number)).map((index) => ({
      path: ['suppliers', supplier, 'parts', index, 'number'],
      reason: 'is a duplicate',
    })),
  )
  return [...ids, ...numbers]
}

function repeats(names: readonly string[]): readonly number[] {
  const seen = new Set<string>()
  return names.flatMap((name, index) => {
    if (seen.has(name)) return [index]
    seen.add(name)
    return []
  })
}

function badCatalog(text: string, file: string, problems: readonly CatalogProblem[]): Failure {
  const messages = problems.map(
    ({ path, reason }) => `${escapeUnsafe(file)}:${positionOf(text, path).line}: ${pathName(path)} ${reason}`,
  )
  const [first, ...others] = messages
  const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'more mistake')})`
  return new Failure('usage', `${first}${more}`, {
    hint: 'docs/sandbox.md describes the catalog file',
    file,
    line: positionOf(text, problems[0]!.path).line,
    problems: messages.slice(0, MOST_LISTED),
  })
}

function pathName(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the catalog'
  return escapeUnsafe(
    path
      .map((step, index) =>
        typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
      )
      .join(''),
  )
}

function inOrder<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** A mistake in the value at a path. */
interface CatalogProblem {
  readonly path: readonly PropertyKey[]
  readonly reason: string
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

/** When the made-up declarations of a catalog file were approved. */
const MADE_UP_DAY = '2024-09-02'

/** What a part of a catalog file declares. One without any declaration gets a plain, compliant one of both classes. */
function partFacts(supplier: SupplierFacts, part: CatalogPart): PartFacts {
  const { number, name = number, requesterNumber, otherNumbers = [], massMg = 1_000 } = part
  const { unitType, revisions = [] } = part
  const numbers = [
    { number, name, requesterNumber },
    ...otherNumbers.map((other) => ({ name, ...other })),
  ] as const
  const common = { supplier, numbers, massMg, unitType, style: {} } as const
  const isDeclared = part.classC !== undefined || part.classD !== undefined || revisions.length > 0
  return {
    ...common,
    ...declarationFacts(part),
    ...(isDeclared ? {} : plainDeclarations(massMg)),
    revisions: revisions.map((revision) => ({ ...common, ...declarationFacts(revision) })),
  }
}

function plainDeclarations(massMg: number): Pick<PartFacts, 'regulatory' | 'material'> {
  return {
    regulatory: { approved: MADE_UP_DAY, lists: [reachList('EUREACH-0624'), rohsList('EUROHS-1907')] },
    material: { approved: MADE_UP_DAY, materials: materialsOf(massMg, 'plain') },
  }
}

function declarationFacts({
  mode,
  accepted,
  classC,
  classD,
}: Pick<CatalogPart, 'mode' | 'accepted' | 'classC' | 'classD'>): Pick<
  PartFacts,
  'mode' | 'accepted' | 'regulatory' | 'material'
> {
  return {
    mode,
    accepted,
    regulatory: classC && { approved: classC.approved, lists: classC.lists.map(listFacts) },
    material: classD && materialFacts(classD),
  }
}

type ClassC = NonNullable<CatalogPart['classC']>
type ClassD = NonNullable<CatalogPart['classD']>

function listFacts({ identity, authority = 'IPC', categories }: ClassC['lists'][number]): ListFacts {
  return {
    identity,
    authority,
    categories: categories.map(({ exemptions = [], ...category }) => ({
      ...category,
      over: category.over,
      threshold: category.threshold ?? '0.1% by weight (1 000 ppm)',
      application: category.application ?? 'All',
      exemptions: exemptions.length === 0 ? undefined : { list: EXEMPTION_LIST, items: exemptions },
    })),
  }
}

function materialFacts({ approved, withClassC = false, materials }: ClassD): MaterialDeclarationFacts {
  return {
    approved,
    withRegulatory: withClassC,
    materials: materials.map(({ name, group = '', mass, substances }) => ({
      name,
      group,
      mass,
      substances: substances.map((substance) => ({ ...substance, authority: 'CAS', category: 'Supplier' })),
    })),
  }
}
