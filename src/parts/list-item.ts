import type { DamageKind } from './damage.ts'

/** What a list of parts yields while it is read. Lines count from 1; a doubt about a line comes before its part. */
export type ListItem =
  | { readonly line: number; readonly part: string }
  /** A line that cannot be used. Reading continues. */
  | { readonly line: number; readonly problem: string }
  /** A line that can be used and looks wrong. */
  | { readonly line: number; readonly kind: DamageKind; readonly doubt: string }
  | ListColumn

/** Which column of a table is read: its heading, or its number where it has none. Comes before the parts. */
export interface ListColumn {
  readonly column: string
  /** The sheet, where the workbook has several. */
  readonly sheet?: string | undefined
}

/** The item for a row that has other values and no part number. */
export function rowWithoutPart(line: number): ListItem {
  return { line, kind: 'no-number', doubt: 'the row has no part number and is skipped' }
}

/** The value without the spaces, tabs and line breaks around it. Other white space is kept, and warned of later. */
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
