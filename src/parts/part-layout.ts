import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { namedColumns, partColumns } from './part-heading.ts'

/** Where the part numbers of a table stand. */
export interface PartLayout {
  /** The column, from 0. */
  readonly column: number
  /** The row of the headings, from 0; -1 when the table has none. Parts begin in the row after it. */
  readonly headingRow: number
  /** The heading of the column, or its number from 1 where there is none. */
  readonly label: string
  /** Columns of the heading row, or of the widest row seen. */
  readonly width: number
}

/** How many rows are searched for the headings: tables made for people begin with titles. */
export const HEADING_ROWS = 20

/**
 * Finds the part number column in the first rows of a table: the one a person named by heading or number (from 1), else the
 * one whose heading says part number, else the only one. Undefined when there is nothing in the rows; a Failure of kind
 * `usage` when the column is not there or nothing says which it is.
 */
export function findPartLayout(
  rows: readonly (readonly string[])[],
  wanted: string | undefined,
  file: string,
): PartLayout | undefined {
  const widest = rows.reduce((width, row) => Math.max(width, filledWidth(row)), 0)
  if (widest === 0) return undefined
  if (wanted !== undefined && /^\d+$/.test(wanted)) return byNumber(rows, Number(wanted), widest, file)
  const columnsOf = (row: readonly string[]): readonly number[] =>
    wanted === undefined ? partColumns(row) : namedColumns(row, wanted)
  const headingRow = rows.findIndex((row) => columnsOf(row).length > 0)
  if (headingRow < 0) {
    if (wanted === undefined && widest === 1) return { column: 0, headingRow, label: '1', width: 1 }
    throw noColumn(rows, wanted, file)
  }
  const headings = rows[headingRow]!
  const [column, ...others] = columnsOf(headings)
  if (others.length > 0) throw severalColumns(headings, [column!, ...others], file)
  return { column: column!, headingRow, label: cleanText(headings[column!]!, 80), width: headings.length }
}

function byNumber(
  rows: readonly (readonly string[])[],
  number: number,
  widest: number,
  file: string,
): PartLayout {
  if (number < 1 || number > widest) {
    throw new Failure('usage', `${file} has no column ${number}: its rows have ${widest}`, {
      file,
      hint: 'columns are counted from 1; a heading works as well: --parts-column "Part Number"',
    })
  }
  const headingRow = rows.findIndex((row) => partColumns(row).length > 0)
  const heading = headingRow < 0 ? '' : cleanText(rows[headingRow]![number - 1] ?? '', 80)
  const width = headingRow < 0 ? widest : rows[headingRow]!.length
  return { column: number - 1, headingRow, label: heading === '' ? String(number) : heading, width }
}

function noColumn(rows: readonly (readonly string[])[], wanted: string | undefined, file: string): Failure {
  const message =
    wanted === undefined
      ? `${file}: no heading says which column has the part numbers`
      : `${file}: there is no column "${cleanText(wanted, 80)}"`
  const first = rows.find((row) => filledWidth(row) > 0) ?? []
  const names = first.map((heading, index) => `${index + 1} ${JSON.stringify(cleanText(heading, 40))}`)
  return new Failure('usage', message, {
    file,
    hint: `name one with --parts-column; the first row has ${names.slice(0, 12).join(', ')}${names.length > 12 ? ' …' : ''}`,
  })
}

function severalColumns(headings: readonly string[], columns: readonly number[], file: string): Failure {
  const names = columns.map((column) => `${column + 1} ${JSON.stringify(cleanText(headings[column]!, 40))}`)
  return new Failure('usage', `${file}: several columns could have the part numbers: ${names.join(', ')}`, {
    file,
    hint: `say which one by its number: --parts-column ${columns[0]! + 1}`,
  })
}

function filledWidth(row: readonly string[]): number {
  let width = row.length
  while (width > 0 && row[width - 1]!.trim() === '') width -= 1
  return width
}
