import * as z from 'zod'
import { cleanText } from '../../base/clean-text.ts'
import { parseCalendarDate } from '../../base/units.ts'
import { VERSION } from '../../base/version.ts'
import type { World } from '../../base/world.ts'
import { BUILT_IN_TABLES } from '../../compliance/built-in-tables.ts'
import { type ExemptionRow, rowNumber } from '../../compliance/exemptions.ts'
import type { RohsSubstance, SvhcSubstance } from '../../compliance/indications.ts'
import type { SvhcUpdate } from '../../compliance/list-identity.ts'
import { groupNamed } from '../../compliance/rohs-groups.ts'
import { isValidCas } from '../../compliance/substance-identity.ts'
import { readSmallText } from '../../fs/input-file.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { csvRecords } from '../../parts/list-table.ts'
import { checkRecords, recordFailure } from '../records.ts'

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

/** What a report looks up. */
export interface ReferenceTables {
  readonly svhcUpdates: ReferenceTable<SvhcUpdate>
  readonly rohsExemptions: ReferenceTable<ExemptionRow>
  readonly svhcSubstances: ReferenceTable<SvhcSubstance>
  readonly rohsSubstances: ReferenceTable<RohsSubstance>
}

/** The files that replace the built-in tables, as the user named them. */
export interface TableFiles {
  readonly svhcUpdates: string | undefined
  readonly rohsExemptions: string | undefined
  readonly svhcSubstances: string | undefined
  readonly rohsSubstances: string | undefined
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

const svhcSubstance = z.object({
  entry: z.string().min(1, 'expected the number of the entry'),
  included: dateOrNothing.optional().default(''),
  cas,
  name: text,
  entry_name: text,
  checked,
})

const rohsSubstance = z.object({
  group: z
    .string()
    .refine((value) => groupNamed(value) !== undefined, 'expected a restricted group such as Lead'),
  cas,
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

/** The columns that a table must have. */
export const SVHC_COLUMNS = ['date', 'entries', 'confidence'] as const
export const EXEMPTION_COLUMNS = ['exemption', 'annex', 'expires', 'confidence'] as const
export const SVHC_SUBSTANCE_COLUMNS = ['entry', 'cas', 'name'] as const
export const ROHS_SUBSTANCE_COLUMNS = ['group', 'cas', 'share'] as const

/**
 * Reads the reference tables: those that ship with the tool, or the files that replace them. A file that cannot be used is a
 * `usage` failure with file, line and column.
 */
export async function readReferenceTables(world: World, files: TableFiles): Promise<ReferenceTables> {
  return {
    svhcUpdates: await readSvhcUpdates(world, files.svhcUpdates),
    rohsExemptions: await readRohsExemptions(world, files.rohsExemptions),
    svhcSubstances: await readSvhcSubstances(world, files.svhcSubstances),
    rohsSubstances: await readRohsSubstances(world, files.rohsSubstances),
  }
}

async function readSvhcUpdates(world: World, path: string | undefined): Promise<ReferenceTable<SvhcUpdate>> {
  const table = await readTable(world, path, 'svhc-updates', SVHC_COLUMNS)
  const rows = checkRecords(table.records, { ...table, schema: svhcUpdate })
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1]
    if (before === undefined) continue
    const { line } = table.records[index]!
    if (row.date <= before.date)
      throw recordFailure(table, line, `date: ${row.date} is not after ${before.date}`)
    if (row.entries < before.entries) {
      throw recordFailure(table, line, `entries: ${row.entries} is less than ${before.entries} before`)
    }
  }
  return { ...origin(path, 'svhc-updates.csv', rows), rows, newest: rows.at(-1)?.date ?? '' }
}

async function readRohsExemptions(
  world: World,
  path: string | undefined,
): Promise<ReferenceTable<ExemptionRow>> {
  const table = await readTable(world, path, 'rohs-exemptions', EXEMPTION_COLUMNS)
  const rows = checkRecords(table.records, { ...table, schema: exemptionRow })
  return {
    ...origin(path, 'rohs-exemptions.csv', rows),
    rows,
    newest: latest(rows.map((row) => row.expires)),
  }
}

async function readSvhcSubstances(
  world: World,
  path: string | undefined,
): Promise<ReferenceTable<SvhcSubstance>> {
  const table = await readTable(world, path, 'svhc-substances', SVHC_SUBSTANCE_COLUMNS)
  const rows = checkRecords(table.records, { ...table, schema: svhcSubstance })
  return {
    ...origin(path, 'svhc-substances.csv', rows),
    rows: rows.map(({ entry, cas, name, entry_name }) => ({
      entry,
      cas,
      name,
      entryName: entry_name || name,
    })),
    newest: latest(rows.map(({ included }) => included)),
  }
}

async function readRohsSubstances(
  world: World,
  path: string | undefined,
): Promise<ReferenceTable<RohsSubstance>> {
  const table = await readTable(world, path, 'rohs-substances', ROHS_SUBSTANCE_COLUMNS)
  const rows = checkRecords(table.records, { ...table, schema: rohsSubstance })
  return {
    ...origin(path, 'rohs-substances.csv', rows),
    rows: rows.map(({ group, cas, share }) => ({ group, cas, share })),
    newest: '',
  }
}

async function readTable(
  world: World,
  path: string | undefined,
  option: 'svhc-updates' | 'rohs-exemptions' | 'svhc-substances' | 'rohs-substances',
  columns: readonly string[],
) {
  const name = path ?? `${option}.csv`
  const csv =
    path === undefined
      ? BUILT_IN_TABLES[`${option}.csv`]
      : (await readSmallText(world, { path, absolute: absolutePath(world.cwd, path) })).text
  const kind = { name, hint: 'correct the line', options: [option] }
  const records = await csvRecords(csv, name, columns, [option])
  if (records.length === 0) throw recordFailure(kind, undefined, 'the table has no rows')
  return { ...kind, records }
}

function origin(
  path: string | undefined,
  shipped: string,
  rows: readonly { readonly checked: string }[],
): Pick<ReferenceTable<never>, 'file' | 'isShipped' | 'checked'> {
  return {
    file: path ?? `${shipped} of matdecl ${VERSION}`,
    isShipped: path === undefined,
    checked: latest(rows.map((row) => row.checked)),
  }
}

function latest(dates: readonly string[]): string {
  return dates.reduce((a, b) => (b > a ? b : a), '')
}
