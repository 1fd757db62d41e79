import { basename, extname } from 'node:path'
import * as z from 'zod'
import { cleanText } from '../../base/clean-text.ts'
import type { World } from '../../base/world.ts'
import { type CompanyAlias, createNamesAgree, type NamesAgree } from '../../compliance/company-names.ts'
import { concentrationPercent } from '../../compliance/quantity.ts'
import type { SubstanceList } from '../../compliance/recognize.ts'
import { casNumber } from '../../compliance/substance-identity.ts'
import shippedAliases from '../../compliance/tables/manufacturers.csv'
import { readSmallText } from '../../fs/input-file.ts'
import { absolutePath } from '../../fs/output-target.ts'
import { type CsvTable, readCsvTable } from '../../parts/list-table.ts'
import { UserTables } from '../records.ts'

// Tables that add to what the tool knows, instead of replacing it.

const filled = (what: string) => z.string(what).min(1, what)

const alias = z.object({
  name: filled('expected the name of a manufacturer'),
  alias: filled('expected another name of it'),
})

const ALIAS_COLUMNS = ['name', 'alias'] as const

/** Compares manufacturers by the table of aliases that ships with the tool, and by the file of the user. */
export async function readManufacturers(
  world: World,
  path: string | undefined,
  tables = new UserTables(),
): Promise<NamesAgree> {
  const shipped = aliasesOf(
    await readCsvTable(shippedAliases, 'manufacturers.csv', ALIAS_COLUMNS),
    'manufacturers.csv',
    new UserTables(),
  )
  if (path === undefined) return createNamesAgree(shipped)
  const table = await tableOf(world, path, ALIAS_COLUMNS, 'manufacturers')
  return createNamesAgree([...shipped, ...aliasesOf(table, path, tables)])
}

function aliasesOf(table: CsvTable, name: string, tables: UserTables): readonly CompanyAlias[] {
  const hint = 'a row has the name of a manufacturer and an alias of it'
  const kind = { name, schema: alias, columns: ALIAS_COLUMNS, optional: [] }
  return tables.records(table, { ...kind, hint, options: ['manufacturers'] })
}

const listed = z.object({
  cas: z.string('expected a CAS number').transform((text, context) => {
    const cas = casNumber(text)
    if (cas !== undefined) return cas
    context.addIssue({ code: 'custom', message: 'expected a CAS number such as 7439-92-1' })
    return z.NEVER
  }),
  name: z.string().transform((text) => cleanText(text, 200)),
  /** In percent unless it has another unit; empty for any amount. */
  threshold: z.string().transform((text, context) => {
    if (text.trim() === '') return undefined
    const percent = concentrationPercent({ value: text, unit: '' })
    if (percent !== undefined) return percent
    context.addIssue({
      code: 'custom',
      message: 'expected a share such as 0.1 % or 1000 ppm, or nothing for any amount',
    })
    return z.NEVER
  }),
  of: z
    .string()
    .transform((text) => text.toLowerCase() || 'any')
    .pipe(z.enum(['material', 'article', 'any'], 'expected material, article or any')),
})

const LIST_COLUMNS = ['cas', 'name', 'threshold', 'of'] as const

/** The user's own lists of substances; the name of a list is that of its file. */
export async function readSubstanceLists(
  world: World,
  paths: readonly string[],
  tables = new UserTables(),
): Promise<readonly SubstanceList[]> {
  const lists: SubstanceList[] = []
  for (const path of paths) {
    const table = await tableOf(world, path, LIST_COLUMNS, 'substance-list')
    const hint = `a row has ${LIST_COLUMNS.join(', ')}`
    const kind = { name: path, schema: listed, columns: LIST_COLUMNS, optional: [], isNeeded: true }
    const rows = tables.records(table, { ...kind, hint, options: ['substance-list'] })
    const substances = rows.map(({ cas, name, threshold, of }) => ({ cas, name, percent: threshold, of }))
    lists.push({ name: cleanText(basename(path, extname(path)), 80), substances })
  }
  return lists
}

async function tableOf(world: World, path: string, columns: readonly string[], option: string) {
  const { text } = await readSmallText(world, { path, absolute: absolutePath(world.cwd, path) })
  return readCsvTable(text, path, columns, [option])
}
