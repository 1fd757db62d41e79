import type { BomColumns } from './bom-columns.ts'
import type { DamageKind } from './damage.ts'

/** What a parts list yields while it is read. Lines count from 1; a doubt about a line comes before its part. */
export type ListItem =
  | { readonly line: number; readonly part: string; readonly use?: RowUse }
  /** A line that cannot be used. Reading continues. */
  | { readonly line: number; readonly problem: string }
  /** A line that can be used and looks wrong. With `use` it is a row of a bill of materials without a part number. */
  | { readonly line: number; readonly kind: DamageKind; readonly doubt: string; readonly use?: RowUse }
  | ListColumn

/** The columns of a bill of materials in a row, as written; an empty text where the cell or the column is missing. */
export interface RowUse {
  readonly quantity: string
  readonly unit: string
  readonly level: string
  /** The list has a level column. */
  readonly hasLevels: boolean
}

/** Which column of a table is read: its heading, or its number where it has none. Comes before the parts. */
export interface ListColumn {
  readonly column: string
  /** The sheet, where the workbook has several. */
  readonly sheet?: string | undefined
  /** The columns of quantity and level, where they are read. */
  readonly bom?: readonly string[] | undefined
  /** Why they are not read although they might be there. */
  readonly bomDoubt?: string | undefined
}

/** The item for a row that has other values and no part number. */
export function rowWithoutPart(line: number, use?: RowUse): ListItem {
  const item = { line, kind: 'no-number', doubt: 'the row has no part number and is skipped' } as const
  return use === undefined || (use.quantity === '' && use.level === '') ? item : { use, ...item }
}

/** The columns of a bill of materials in a row; undefined without them. */
export function rowUse(
  columns: BomColumns | undefined,
  cell: (column: number) => string,
): RowUse | undefined {
  if (columns === undefined) return undefined
  const { quantity, unit, level } = columns
  const read = (column: number | undefined): string => (column === undefined ? '' : cell(column).trim())
  return { quantity: read(quantity), unit: read(unit), level: read(level), hasLevels: level !== undefined }
}

/** The value without the spaces, tabs and line breaks around it. Other whitespace is kept, and warned of later. */
export function trimBlanks(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isBlank(text.charCodeAt(from))) from += 1
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1
  return from === 0 && to === text.length ? text : text.slice(from, to)
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10
}
