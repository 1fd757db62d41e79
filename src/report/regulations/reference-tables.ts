import * as z from 'zod'
import { cleanText } from '../../base/clean-text.ts'
import { memoized } from '../../base/memoized.ts'
import { parseCalendarDate } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import type { World } from '../../base/world.ts'
import { type ExemptionRow, rowNumber } from '../../compliance/exemptions.ts'
import type { SvhcUpdate } from '../../compliance/list-identity.ts'
import type { RohsSubstance, SvhcSubstance } from '../../compliance/recognize.ts'
import { groupNamed } from '../../compliance/rohs-groups.ts'
import { isValidCas } from '../../compliance/substance-identity.ts'
import rohsExemptions from '../../compliance/tables/rohs-exemptions.csv'
import rohsSubstances from '../../compliance/tables/rohs-substances.csv'
import svhcSubstances from '../../compliance/tables/svhc-substances.csv'
import svhcUpdates from '../../compliance/tables/svhc-updates.csv'
import { readSmallText } from '../../fs/input-file.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { readCsvTable } from '../../parts/list-table.ts'
import { recordFailure, UserTables } from '../records.ts'

/** A table with its origin. */
export interface ReferenceTable<Row> {
  readonly rows: readonly Row[]
  /** The file as the user named it, or the name of the built-in one with the version of the tool. */
  readonly file: string
  readonly isShipped: boolean
  /** The newest date in it, `YYYY-MM-DD`; empty where it has none. */
  readonly newest: string
  /** When its rows were last compared with their sources; empty where the file does not say so. */
  readonly checked: string
}

const isDate = (text: string): boolean => parseCalendarDate(text) !== undefined
const date = z.string().refine(isDate, 'expected a calendar date as YYYY-MM-DD')
const dateOrNothing = z
  .string()
  .refine((text) => text === '' || isDate(text), 'expected a calendar date as YYYY-MM-DD, or nothing')
const text = z
  .string()
  .optional()
  .default('')
  .transform((value) => cleanText(value, 2_000))
const checked = dateOrNothing.optional().default('')

const svhcUpdate = z.object({
  date,
  entries: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'expected a positive whole number')
    .transform(Number),
  confidence: text,
  source: text,
  checked,
})

const exemptionRow = z
  .object({
    exemption: z.string().min(1, 'expected an exemption number such as 6(c)'),
    annex: z.enum(['III', 'IV'], 'expected III or IV'),
    categories: text,
    expires: dateOrNothing,
    status: text,
    confidence: z
      .string()
      .min(1, 'expected how sure the date is')
      .transform((value) => cleanText(value, 300)),
    source: text,
    note: text,
    checked,
    substance: text.refine(
      (value) => value.split(';').every((one) => one.trim() === '' || groupNamed(one.trim()) !== undefined),
      'expected restricted groups such as Lead; Cadmium',
    ),
  })
  .refine((row) => rowNumber(row) !== '', {
    path: ['exemption'],
    message: 'expected an exemption number such as 6(c), 7(c)-I or 31a',
  })

const cas = z
  .string()
  .transform((value) => value.trim())
  .refine(
    (value) => value === '' || isValidCas(value),
    'expected a CAS number with its check digit, or nothing',
  )

const svhcSubstance = z
  .object({
    entry: z.string().min(1, 'expected the number of the entry'),
    included: dateOrNothing.optional().default(''),
    cas,
    name: text,
    entry_name: text,
    checked,
  })
  .transform(({ entry_name, ...row }) => ({ ...row, entryName: entry_name || row.name }))

const rohsSubstance = z.object({
  group: z
    .string()
    .refine((value) => groupNamed(value) !== undefined, 'expected a restricted group such as Lead'),
  cas,
  name: text,
  share: z
    .string()
    .optional()
    .default('')
    .refine(
      (value) => value === '' || (Number(value) > 0 && Number(value) <= 1),
      'expected a share from 0 to 1, or nothing',
    )
    .transform((value) => (value === '' ? undefined : Number(value))),
  checked,
})

/** The tables: their files and options have one name. `newest` is the column with the dates that tell its age. */
const TABLES = {
  svhcUpdates: {
    name: 'svhc-updates',
    builtIn: svhcUpdates,
    columns: ['date', 'entries', 'confidence'],
    optional: ['source', 'checked'],
    schema: svhcUpdate,
    newest: 'date',
  },
  rohsExemptions: {
    name: 'rohs-exemptions',
    builtIn: rohsExemptions,
    columns: ['exemption', 'annex', 'expires', 'confidence'],
    optional: ['categories', 'status', 'source', 'note', 'checked', 'substance'],
    schema: exemptionRow,
    newest: 'expires',
  },
  svhcSubstances: {
    name: 'svhc-substances',
    builtIn: svhcSubstances,
    columns: ['entry', 'cas', 'name'],
    optional: ['included', 'ec', 'entry_name', 'checked'],
    schema: svhcSubstance,
    newest: 'included',
  },
  rohsSubstances: {
    name: 'rohs-substances',
    builtIn: rohsSubstances,
    columns: ['group', 'cas', 'share'],
    optional: ['name', 'formula', 'source', 'note', 'checked'],
    schema: rohsSubstance,
    newest: undefined,
  },
} as const

type TableKey = keyof typeof TABLES

/** What a report looks up. */
export interface ReferenceTables extends Readonly<Record<TableKey, ReferenceTable<unknown>>> {
  readonly svhcUpdates: ReferenceTable<SvhcUpdate>
  readonly rohsExemptions: ReferenceTable<ExemptionRow>
  readonly svhcSubstances: ReferenceTable<SvhcSubstance>
  readonly rohsSubstances: ReferenceTable<RohsSubstance>
}

/** The files that replace the built-in tables, as the user named them. */
export type TableFiles = Readonly<Record<TableKey, string | undefined>>

/**
 * Reads the reference tables: those that ship with the tool, or the files that replace them. A file that cannot be used is a
 * `usage` failure with file, line and column.
 */
export async function readReferenceTables(
  world: World,
  files: TableFiles,
  read = new UserTables(),
): Promise<ReferenceTables> {
  const tables: Partial<Record<TableKey, ReferenceTable<unknown>>> = {}
  for (const key of Object.keys(TABLES) as TableKey[]) {
    const path = files[key]
    tables[key] = await (path === undefined ? builtInTable(key) : readTableFile(world, key, path, read))
  }
  return tables as ReferenceTables
}

const builtInTable = memoized((key: TableKey) => {
  const { name, builtIn } = TABLES[key]
  const file = `${name}.csv`
  const source = { file: `${file} of matdecl ${VERSION}`, isShipped: true }
  return tableOf(key, builtIn, file, source, new UserTables())
}, Object.keys(TABLES).length)

async function readTableFile(
  world: World,
  key: TableKey,
  path: string,
  read: UserTables,
): Promise<ReferenceTable<unknown>> {
  const { text: csv } = await readSmallText(world, { path, absolute: absolutePath(world.cwd, path) })
  return tableOf(key, csv, path, { file: path, isShipped: false }, read)
}

async function tableOf(
  key: TableKey,
  csv: string,
  name: string,
  source: Pick<ReferenceTable<unknown>, 'file' | 'isShipped'>,
  read: UserTables,
): Promise<ReferenceTable<unknown>> {
  const { name: option, columns, optional, schema, newest } = TABLES[key]
  const kind = { name, columns, optional, isNeeded: true, hint: 'correct the line', options: [option] }
  const table = await readCsvTable(csv, name, columns, [option])
  const { records } = table
  const rows = read.records<z.ZodType<Readonly<Record<string, unknown>>>>(table, { ...kind, schema })
  for (const [index, row] of (key === 'svhcUpdates' ? rows : []).entries()) {
    const problem = descent(rows[index - 1] as SvhcUpdate | undefined, row as unknown as SvhcUpdate)
    if (problem !== undefined) throw recordFailure(kind, records[index]!.line, problem)
  }
  return {
    rows,
    ...source,
    newest: newest === undefined ? '' : latest(rows, newest),
    checked: latest(rows, 'checked'),
  }
}

/** What is wrong where an update of the Candidate List is not newer, or the list is shorter, than the one before. */
function descent(before: SvhcUpdate | undefined, row: SvhcUpdate): string | undefined {
  if (before === undefined) return undefined
  if (row.date <= before.date) return `date: ${row.date} is not after ${before.date}`
  return row.entries < before.entries
    ? `entries: ${row.entries} is less than ${before.entries} before`
    : undefined
}

function latest(rows: readonly Readonly<Record<string, unknown>>[], column: string): string {
  return rows.map((row) => String(row[column])).reduce((a, b) => (b > a ? b : a), '')
}
