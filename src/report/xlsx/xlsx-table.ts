import { cellOf, type Row } from '../formats/formatter.ts'
import {
  type CellKind,
  cellXml,
  columnLetters,
  LINE_HEIGHT,
  rowHeight,
  textCell,
  type WrappedText,
} from './xlsx-cells.ts'
import type { Sheet } from './xlsx-workbook.ts'

/** A column of a sheet. */
export interface SheetColumn {
  /** The name in other formats, shown as a note of the heading. */
  readonly name: string
  readonly title: string
  readonly about: string
  readonly kind: CellKind
  /** In characters. */
  readonly width: number
  /** In a group that is closed: there to look up, not printed. */
  readonly isDetail?: boolean
}

/** Columns of these names, headings, explanations, kinds and widths. */
export function sheetColumns(
  columns: readonly (readonly [name: string, title: string, about: string, kind: CellKind, width: number])[],
): readonly SheetColumn[] {
  return columns.map(([name, title, about, kind, width]) => ({ name, title, about, kind, width }))
}

/** Rows for a sheet. */
export interface SheetTable {
  readonly name: string
  readonly columns: readonly SheetColumn[]
  readonly count: number
  readonly rows: () => Iterable<Row>
  /** Names of columns without any value. */
  readonly empty?: ReadonlySet<string>
  /** Names of details that are shown nevertheless. */
  readonly opened?: ReadonlySet<string>
}

/**
 * A sheet with a row for each row: a heading that stays and is repeated on paper, a filter, A4 landscape as wide as the page. Columns
 * without a value are hidden.
 */
export function tableSheet({
  name,
  columns,
  count,
  rows,
  empty = new Set(),
  opened = new Set(),
}: SheetTable): Sheet {
  const isHidden = ({ name, isDetail = false }: SheetColumn): boolean =>
    empty.has(name) || (isDetail && !opened.has(name))
  const range = `A1:${columnLetters(columns.length)}${count + 1}`
  return {
    name,
    filter: range,
    notes: columns.map((column) => `${column.name}: ${column.about}`),
    *content(opening, closing) {
      yield `${opening('<sheetPr><outlinePr summaryRight="0"/><pageSetUpPr fitToPage="1"/></sheetPr>', FROZEN)}${columnsXml(columns, isHidden)}<sheetData>`
      yield* rowsXml(columns, rows(), isHidden)
      yield `</sheetData><autoFilter ref="${range}"/>${closing(textAsNumber(columns, count))}`
    },
  }
}

const FROZEN =
  '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/><selection pane="bottomRight" activeCell="B2" sqref="B2"/>'

type IsHidden = (column: SheetColumn) => boolean

function columnsXml(columns: readonly SheetColumn[], isHidden: IsHidden): string {
  const cols = columns.map((column, index) => {
    const { width, isDetail } = column
    const hidden = isHidden(column) ? ' hidden="1"' : ''
    const level = isDetail ? ' outlineLevel="1"' : ''
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"${hidden}${level}/>`
  })
  const outline = columns.some(({ isDetail }) => isDetail) ? ' outlineLevelCol="1"' : ''
  return `<sheetFormatPr defaultRowHeight="${LINE_HEIGHT}"${outline}/><cols>${cols.join('')}</cols>`
}

function* rowsXml(
  columns: readonly SheetColumn[],
  rows: Iterable<Row>,
  isHidden: IsHidden,
): Generator<string> {
  const isShown = columns.map((column) => !isHidden(column))
  const letters = columns.map((_, index) => columnLetters(index + 1))
  const headings = columns.map(({ title }, index) => textCell(`${letters[index]}1`, title, 'heading'))
  const height = rowHeight(columns.map(({ title, width }) => ({ text: title, width, bold: true })))
  yield `<row r="1" ht="${height}">${headings.join('')}</row>`
  let line = 1
  for (const row of rows) {
    line += 1
    let xml = ''
    const texts: WrappedText[] = []
    for (let index = 0; index < columns.length; index += 1) {
      const { name, kind, width } = columns[index]!
      const value = cellOf(row, name)
      xml += cellXml(`${letters[index]}${line}`, kind, value)
      if (isShown[index] && typeof value === 'string') {
        texts.push({ text: value, width, bold: kind === 'verdict' || kind === 'gate' })
      }
    }
    yield `<row r="${line}" ht="${rowHeight(texts)}">${xml}</row>`
  }
}

/** No warning at part numbers that look like numbers. */
function textAsNumber(columns: readonly SheetColumn[], count: number): string {
  const ranges = columns.flatMap(({ kind }, index) => {
    const letters = columnLetters(index + 1)
    return kind === 'code' ? [`${letters}2:${letters}${count + 1}`] : []
  })
  if (count === 0 || ranges.length === 0) return ''
  return `<ignoredErrors><ignoredError sqref="${ranges.join(' ')}" numberStoredAsText="1"/></ignoredErrors>`
}
