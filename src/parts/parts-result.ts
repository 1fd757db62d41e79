import * as z from 'zod'
import type { Reporter } from '../base/notice.ts'
import type { World } from '../base/world.ts'
import { levelReader } from './bom.ts'
import { COLUMN_ROLES, type Layout } from './layout.ts'
import type { ListRow, PartsList } from './read-list.ts'
import { type PartsInput, type ReadList, readParts } from './read-parts.ts'
import { QuantityColumn } from './read-quantity.ts'

const count = z.int().nonnegative()
const row = z.int().positive().describe('the line of the file, or the row of the sheet')

const partsRow = z.object({
  row,
  part: z.string().describe('the part number; empty for a row without one'),
  quantity: z.number().nullable().describe('the quantity; null where there is none or it is not known'),
  unit: z.string().describe('its unit'),
  level: z.int().nullable().describe('the level, or the depth of an outline number such as 1.1.2'),
  item: z.string().describe('the item or position'),
  description: z.string().describe('the description'),
  manufacturer: z.string().describe('the manufacturer'),
  isFitted: z.boolean().describe('false for a row that is marked as not fitted or has the quantity 0'),
})

const readListResult = z.object({
  file: z.string().describe('the path as given, or `standard input`'),
  encoding: z.string().optional().describe('the encoding of a text'),
  delimiter: z.string().optional().describe('what separates the columns of a text'),
  sheet: z.string().optional().describe('the sheet of a workbook'),
  headingRow: row.optional().describe('the row of the headings; absent for a list without headings'),
  columns: z
    .array(
      z.object({
        role: z.enum(COLUMN_ROLES).describe('what the column is read for'),
        column: z.int().positive().describe('its number'),
        heading: z.string().describe('its heading, or its number where it has none'),
        why: z.string().describe('why this column'),
      }),
    )
    .readonly(),
  isTotalQuantity: z.boolean().describe('the quantities are those of the whole product, not of one assembly'),
  rows: z.array(partsRow).readonly().describe('the rows with a part number'),
  withoutNumber: z.array(partsRow).readonly().describe('the rows that have other values only'),
  skipped: z
    .array(
      z.object({
        kind: z
          .enum(['placeholder', 'total', 'footer', 'heading', 'no part number'])
          .describe('why the rows are no parts'),
        count: count.describe('how many rows'),
        rows: z.array(row).readonly().describe('the rows'),
        values: z.array(z.string()).readonly().describe('what they have in place of a part number'),
      }),
    )
    .readonly(),
})

export const partsResult = z.object({
  schema: z.literal('matdecl.parts/1'),
  status: z.literal('ok'),
  parts: z.array(z.string()).readonly().describe('each part number once, as a request would have it'),
  duplicates: count.describe('how many repeated part numbers were left out'),
  lists: z.array(readListResult).readonly(),
  warnings: z
    .array(
      z.object({
        kind: z.string().describe('what may have happened to the part number'),
        file: z.string().optional().describe('the list'),
        line: z.int().optional().describe('the line, or the row of the sheet'),
        message: z.string().describe('what looks wrong'),
      }),
    )
    .readonly()
    .describe('the first 20 doubts'),
  warningCount: count.describe('the number of doubts'),
})

/** What `matdecl parts` shows. */
export type PartsResult = z.infer<typeof partsResult>
export type ReadListResult = z.infer<typeof readListResult>
type PartsRow = z.infer<typeof partsRow>

/** Reads parts lists as `readParts` does, and describes what was read and why. Memory grows with the rows. */
export async function showParts(
  world: World,
  input: Omit<PartsInput, 'onRow' | 'bom'>,
  reporter: Reporter,
): Promise<PartsResult> {
  const seen = new Map<PartsList, ListRow[]>()
  const onRow = (list: PartsList, one: ListRow): void => {
    const rows = seen.get(list)
    if (rows === undefined) seen.set(list, [one])
    else rows.push(one)
  }
  const read = await readParts(world, { ...input, bom: true, onRow }, reporter)
  return {
    schema: 'matdecl.parts/1',
    status: 'ok',
    parts: read.parts,
    duplicates: read.duplicates,
    lists: read.lists.map((list) => describeList(list, seen.get(list.list) ?? [])),
    warnings: read.warnings.map(({ kind, file, line, message }) => ({ kind, file, line, message })),
    warningCount: read.warningCount,
  }
}

function describeList({ list, skipped }: ReadList, rows: readonly ListRow[]): ReadListResult {
  const { layout } = list
  const described = describeRows(rows)
  const withoutPart = rows.filter((one) => one.skip !== undefined || one.part === '')
  return {
    file: list.name,
    encoding: list.text?.encoding,
    delimiter: list.delimiter,
    sheet: list.sheet?.name,
    headingRow: list.headingLine,
    columns: layout === undefined ? [] : columnsOf(layout),
    isTotalQuantity: layout?.isTotalQuantity === true,
    rows: described.filter(({ part }) => part !== ''),
    withoutNumber: described.filter(({ part }) => part === ''),
    skipped: skipped.map(({ kind, count: total }) => {
      const own = withoutPart.filter((one) => (one.skip ?? 'no part number') === kind)
      const values = own.map(({ part }) => part).filter((part) => part !== '')
      return { kind, count: total, rows: own.map(({ line }) => line), values: [...new Set(values)] }
    }),
  }
}

function columnsOf({ columns }: Layout): ReadListResult['columns'] {
  return COLUMN_ROLES.flatMap((role) => {
    const found = columns[role]
    return found === undefined
      ? []
      : [{ role, column: found.index + 1, heading: found.heading, why: found.why }]
  })
}

/** The rows with a part number and those that are only without one; quantities and levels as the whole column says. */
function describeRows(rows: readonly ListRow[]): readonly PartsRow[] {
  const quantities = new QuantityColumn()
  const kept = rows.filter(
    ({ skip, problem }) => (skip === undefined || skip === 'placeholder') && problem === undefined,
  )
  const amounts = kept.map(({ details, line }) => quantities.readNumber(details?.quantity ?? '', line))
  const depthOf = levelReader(kept.map(({ details }) => details?.level ?? ''))
  return kept.map(({ line, part, skip, details }, index) => {
    const { amount, unit } = amounts[index]!
    const quantity = quantities.settle(amount)
    return {
      row: line,
      part: skip === undefined ? part : '',
      quantity: quantity ?? null,
      unit: unit || (details?.unit ?? ''),
      level: depthOf(details?.level ?? '') ?? null,
      item: details?.item ?? '',
      description: details?.description ?? '',
      manufacturer: details?.manufacturer ?? '',
      isFitted: details === undefined || (details.isFitted && quantity !== 0),
    }
  })
}

/** Part numbers as a parts list: one per line, or for a `.csv` or `.tsv` file a table of one column. */
export function partsAsList(parts: readonly string[], fileName: string): string {
  if (!/\.(?:csv|tsv)$/i.test(fileName)) return parts.map((part) => `${part}\n`).join('')
  return ['part number', ...parts.map((part) => cell(part))].map((line) => `${line}\n`).join('')
}

const HEADINGS = ['Part Number', 'Quantity', 'Unit', 'Level', 'Item', 'Description', 'Manufacturer', 'Fitted']

/**
 * The rows that were read as a parts list without anything that is no part: in a `.csv` or `.tsv` file a table with quantities and
 * levels, which reads as the same bill of materials; else the part numbers, one per line.
 */
export function cleanList({ parts, lists }: PartsResult, fileName: string): string {
  const [ending] = /\.(?:csv|tsv)$/i.exec(fileName) ?? []
  if (ending === undefined) return partsAsList(parts, fileName)
  const separator = ending.toLowerCase() === '.tsv' ? '\t' : ','
  const rows = lists
    .flatMap((list) => [...list.rows, ...list.withoutNumber].sort((a, b) => a.row - b.row))
    .map(cellsOf)
  // A column without a value would say that the list has levels, or rows that are not fitted.
  const used = HEADINGS.flatMap((_, index) =>
    index === 0 || rows.some((cells) => cells[index] !== '') ? [index] : [],
  )
  return [HEADINGS, ...rows]
    .map((cells) => `${used.map((index) => cell(cells[index]!, separator)).join(separator)}\n`)
    .join('')
}

function cellsOf(row: PartsRow): readonly string[] {
  const { part, quantity, unit, level, item, description, manufacturer, isFitted } = row
  const numbers = [quantity, level].map((value) => (value === null ? '' : String(value)))
  return [part, numbers[0]!, unit, numbers[1]!, item, description, manufacturer, isFitted ? '' : 'no']
}

function cell(text: string, separator = ','): string {
  const isPlain = /^[\w.\-/+#:() ]*$/.test(text) && text === text.trim() && !text.includes(separator)
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}
