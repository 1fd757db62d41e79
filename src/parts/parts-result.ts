import * as z from 'zod'
import { listAccount } from '../base/account-entry.ts'
import type { Reporter } from '../base/notice.ts'
import type { ResourceStack } from '../base/resource-stack.ts'
import type { World } from '../base/world.ts'
import { CLEAN_ALTERNATE, CLEAN_HEADINGS, COLUMN_ROLES, type Layout, type OneColumnRole } from './layout.ts'
import { countsOf, skippedText } from './list-account.ts'
import { listWarnings } from './list-warnings.ts'
import { lacksQuantities, openParts, type PartsInput, type PartsRead, type ReadList } from './read-parts.ts'
import type { ListRow } from './read-row.ts'

const count = z.int().nonnegative()
const row = z.int().positive().describe('the line of the file, or the row of the sheet')

const partsRow = z.object({
  row,
  part: z.string().describe('the part number; empty for a row without one'),
  alternates: z.array(z.string()).readonly().describe('further part numbers for the same line'),
  quantity: z.number().nullable().describe('the quantity; null where there is none or it is not known'),
  unit: z.string().describe('its unit'),
  level: z.int().nullable().describe('the level, or the depth of an outline number such as 1.1.2'),
  item: z.string().describe('the item or position'),
  ownPart: z.string().describe('the own part number'),
  description: z.string().describe('the description'),
  manufacturer: z.string().describe('the manufacturer'),
  reference: z.string().describe('the reference designators'),
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
        examples: z.array(z.string()).readonly().describe('its first three values'),
      }),
    )
    .readonly(),
  otherColumns: z
    .array(
      z.object({
        column: z.int().positive().describe('its number'),
        heading: z.string().describe('its heading'),
        filled: count.describe('how many rows have a value in it'),
      }),
    )
    .readonly()
    .describe('columns of part numbers that are not read'),
  otherSheets: z
    .array(z.object({ name: z.string().describe('its name'), parts: count.describe('its part numbers') }))
    .readonly()
    .describe('sheets with part numbers that are not read'),
  counts: z
    .object({
      rows: count.describe('rows with a value, but headings'),
      lines: count.describe('rows with a part number'),
      alternates: count.describe('further part numbers of these'),
      withoutNumber: count.describe('rows that have other values only'),
      skipped: count.describe('rows that are no parts'),
    })
    .describe('its rows in short'),
  account: listAccount.describe('what came in, and what became of it'),
  isTotalQuantity: z.boolean().describe('the quantities are those of the whole product, not of one assembly'),
  rows: z.array(partsRow).readonly().describe('the rows with a part number'),
  withoutNumber: z.array(partsRow).readonly().describe('the rows that have other values only'),
  skipped: z
    .array(
      z.object({
        kind: z
          .enum([
            'placeholder',
            'remark',
            'total',
            'footer',
            'heading',
            'repetition',
            'formula',
            'no part number',
          ])
          .describe('why the rows are no parts'),
        count: count.describe('how many rows'),
        rows: z.array(row).readonly().describe('the first 1,000 rows'),
        values: z.array(z.string()).readonly().describe('what these have in place of a part number'),
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
  ...listWarnings,
})

/** What `matdecl parts` shows. */
export type PartsResult = z.infer<typeof partsResult>
type ReadListResult = z.infer<typeof readListResult>
export type PartsLine = z.infer<typeof partsRow>

/** A list that was read; its lines can be read as often as needed, without and with part number in their order. */
export type ShownList = Omit<ReadListResult, 'rows' | 'withoutNumber'> & {
  /** What is no part, a text for each kind. */
  readonly skippedTexts: readonly string[]
  /** It is a table, and none of its columns has quantities. */
  readonly lacksQuantities: boolean
  readonly lines: () => AsyncGenerator<readonly PartsLine[]>
}

export type ShownParts = Omit<PartsResult, 'lists' | 'warnings'> &
  Pick<PartsRead, 'warnings'> & { readonly lists: readonly ShownList[] }

/** Reads parts lists as `readParts` does, and describes what was read and why. The lines can be read until `open` is disposed. */
export async function showParts(
  world: World,
  input: Omit<PartsInput, 'bom' | 'details'>,
  reporter: Reporter,
  open: ResourceStack,
): Promise<ShownParts> {
  const read = await openParts(world, { ...input, details: true }, reporter, open)
  return {
    schema: 'matdecl.parts/1',
    status: 'ok',
    parts: read.parts,
    duplicates: read.duplicates,
    lists: read.lists.map(describeList),
    warnings: read.warnings,
    warningCount: read.warningCount,
  }
}

function describeList(read: ReadList): ShownList {
  const { list, skipped } = read
  const { layout } = list
  return {
    file: list.name,
    encoding: list.text?.encoding,
    delimiter: list.delimiter,
    sheet: list.sheet?.name,
    headingRow: list.headingLine,
    columns: layout === undefined ? [] : columnsOf(layout),
    otherColumns: list.otherColumns.map(({ index, heading, filled }) => ({
      column: index + 1,
      heading,
      filled,
    })),
    otherSheets: list.otherSheets,
    isTotalQuantity: layout?.isTotalQuantity === true,
    counts: countsOf(read),
    account: read.account,
    skipped: skipped.map(({ kind, count: total, first }) => ({
      kind,
      count: total,
      rows: first.map(({ line }) => line),
      values: [...new Set(first.map(({ value }) => value).filter((value) => value !== ''))],
    })),
    skippedTexts: skipped.map((rows) => skippedText(rows, MOST_NAMED)),
    lacksQuantities: lacksQuantities(layout),
    lines: () => linesOf(read),
  }
}

/** Rows of each kind that people see. */
const MOST_NAMED = 12

function columnsOf({ columns, alternates }: Layout): ReadListResult['columns'] {
  return COLUMN_ROLES.flatMap((role) => {
    const one = role === 'alternate' ? undefined : columns[role]
    const found = role === 'alternate' ? alternates : one === undefined ? [] : [one]
    return found.map(({ index, heading, why, examples }) => ({
      role,
      column: index + 1,
      heading,
      why,
      examples,
    }))
  })
}

/** The lines of a list, with quantities and levels as the whole list says, and their alternates. */
async function* linesOf({ list, quantities, levels }: ReadList): AsyncGenerator<readonly PartsLine[]> {
  const lineOf = ({ line, part, skip, details }: ListRow): PartsLine & { alternates: string[] } => {
    const { amount, unit } = quantities.readNumber(details?.quantity ?? '', line)
    const quantity = quantities.settle(amount)
    return {
      row: line,
      part: skip === undefined ? part : '',
      alternates: [],
      quantity: quantity ?? null,
      unit: unit || (details?.unit ?? ''),
      level: levels.depthOf(details?.level ?? '') ?? null,
      item: details?.item ?? '',
      ownPart: details?.ownPart ?? '',
      description: details?.description ?? '',
      manufacturer: details?.manufacturer ?? '',
      reference: details?.reference ?? '',
      isFitted: details === undefined || (details.isFitted && quantity !== 0),
    }
  }
  // The alternates of a line may be in the next batch.
  let last: (PartsLine & { alternates: string[] }) | undefined
  for await (const rows of list.rows()) {
    const complete: PartsLine[] = []
    for (const row of rows) {
      if (row.isAlternate) {
        if (row.skip === undefined) last?.alternates.push(row.part)
        continue
      }
      const isLine = row.skip === undefined || row.details !== undefined
      if (!isLine || row.problem !== undefined) continue
      if (last !== undefined) complete.push(last)
      last = lineOf(row)
    }
    yield complete
  }
  if (last !== undefined) yield [last]
}

/** Part numbers as a parts list: one per line, or for a `.csv` or `.tsv` file a table of one column. */
export function partsAsList(parts: readonly string[], fileName: string): string {
  if (!/\.(?:csv|tsv)$/i.test(fileName)) return parts.map((part) => `${part}\n`).join('')
  return [CLEAN_HEADINGS.part, ...parts.map((part) => cell(part))].map((line) => `${line}\n`).join('')
}

/** The columns of a clean list beside those of alternates; the first is the part number. */
const CLEAN_COLUMNS: readonly (readonly [
  role: OneColumnRole,
  cell: (line: PartsLine) => string | number | null,
])[] = [
  ['part', ({ part }) => part],
  ['own part', ({ ownPart }) => ownPart],
  // `7.239` can be seven thousand.
  ['quantity', ({ quantity }) => quantity?.toString().replace(/\.\d{3}$/, '$&0') ?? null],
  ['unit', ({ unit }) => unit],
  ['level', ({ level }) => level],
  ['item', ({ item }) => item],
  ['designator', ({ reference }) => reference],
  ['description', ({ description }) => description],
  ['manufacturer', ({ manufacturer }) => manufacturer],
  ['fitted', ({ isFitted }) => (isFitted ? '' : 'no')],
]

/**
 * The rows that were read as a parts list without anything that is no part: in a `.csv` or `.tsv` file a table with quantities and
 * levels, which reads as the same bill of materials; else the part numbers, one per line.
 */
export async function* cleanList({ parts, lists }: ShownParts, fileName: string): AsyncGenerator<string> {
  const [ending] = /\.(?:csv|tsv)$/i.exec(fileName) ?? []
  if (ending === undefined) {
    yield partsAsList(parts, fileName)
    return
  }
  const separator = ending.toLowerCase() === '.tsv' ? '\t' : ','
  // A column without a value would say that the list has levels, or rows that are not fitted.
  const isUsed = CLEAN_COLUMNS.map((_, index) => index === 0)
  let most = 0
  for (const { lines } of lists) {
    for await (const batch of lines()) {
      for (const line of batch) {
        most = Math.max(most, line.alternates.length)
        for (const [index, text] of cellsOf(line).entries()) if (text !== '') isUsed[index] = true
      }
    }
  }
  const row = (cells: readonly string[], alternates: readonly string[]): string => {
    const [part, ...others] = cells
    const rest = others.filter((_, index) => isUsed[index + 1])
    const padded = Array.from({ length: most }, (_, index) => alternates[index] ?? '')
    return `${[part!, ...padded, ...rest].map((text) => cell(text, separator)).join(separator)}\n`
  }
  yield row(
    CLEAN_COLUMNS.map(([role]) => CLEAN_HEADINGS[role]),
    Array.from({ length: most }, (_, index) => `${CLEAN_ALTERNATE} ${index + 1}`),
  )
  for (const { lines } of lists) {
    for await (const batch of lines()) yield batch.map((line) => row(cellsOf(line), line.alternates)).join('')
  }
}

function cellsOf(line: PartsLine): readonly string[] {
  return CLEAN_COLUMNS.map(([, cell]) => String(cell(line) ?? ''))
}

/** A cell; one that a spreadsheet would run is `="…"`, which reads as the same text. */
function cell(value: string, separator = ','): string {
  const text =
    /^[\s"]*[=@]/.test(value) && !value.includes('"') ? `="${value}"` : value.replace(/^(?=[\s"]*[=@])/, "'")
  const isPlain = /^[\w.\-/+#:() ]*$/.test(text) && text === text.trim() && !text.includes(separator)
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`
}
