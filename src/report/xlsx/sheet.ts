import { type CellValue, type Column, type ColumnType, cellOf, isPart } from '../columns.ts'
import type { Count } from '../document.ts'
import { FORMULA_START } from '../formats/csv-cell.ts'
import { escapeMarkup } from '../formats/escape-markup.ts'
import { toneIn } from '../words.ts'
import { STYLE, type StyleName } from './styles.ts'

/** One sheet of a workbook. */
export interface Sheet {
  readonly name: string
  /** The range of its filter, such as `A1:C9`; its first row is repeated on paper. */
  readonly filter?: string
  /** The notes of the cells of the first row, from its first column. */
  readonly notes?: readonly string[]
  readonly chart?: SheetChart | undefined
  /** The XML of its panes. */
  readonly view?: string
  /** The XML of its columns and rows. Called when the sheet is written. */
  readonly rows: () => Iterable<string> | AsyncIterable<string>
  /** The XML of its hyperlinks. */
  readonly links?: string
  readonly ignoredErrors?: string
}

/** A bar chart in column C, below the first line. */
export interface SheetChart {
  readonly title: string
  /** The line, from 1, of the first name in column A; the counts are in column B. */
  readonly line: number
  readonly bars: readonly Pick<Count, 'name' | 'count' | 'tone'>[]
}

// Cells

/** What a cell holds, and so how it looks: that of a column, a gate that is waived, or a fact, which is on the left like text. */
type CellKind = ColumnType | 'waived' | 'fact' | 'factDay'

/** Characters of a cell: Excel's limit. */
const MAX_TEXT = 32_767
const MS_PER_DAY = 86_400_000
/** Spreadsheets count days from 30 December 1899. */
const UNIX_DAY = 25_569

/** A cell; empty for nothing. Text never becomes a formula, a number or a date. */
function cellXml(reference: string, kind: CellKind, value: CellValue, row?: object): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') {
    const style = kind === 'hits' ? (value > 0 ? 'hits' : 'count') : (NUMBER_STYLES[kind] ?? 'plain')
    return `<c r="${reference}" s="${STYLE[style]}"><v>${value}</v></c>`
  }
  if (typeof value === 'boolean') {
    return `<c r="${reference}" s="${value ? STYLE.yes : STYLE.no}" t="b"><v>${value ? 1 : 0}</v></c>`
  }
  const day = kind === 'day' || kind === 'factDay' ? Date.parse(`${value}T00:00:00Z`) : Number.NaN
  if (!Number.isNaN(day)) {
    const style = kind === 'day' ? STYLE.date : STYLE.day
    return `<c r="${reference}" s="${style}"><v>${day / MS_PER_DAY + UNIX_DAY}</v></c>`
  }
  return textCell(reference, value, textStyle(kind, value, row))
}

const NUMBER_STYLES: Readonly<Partial<Record<CellKind, StyleName>>> = {
  amount: 'mass',
  percent: 'percent',
  count: 'count',
  fact: 'fact',
}

function textStyle(kind: CellKind, value: string, row: object | undefined): StyleName {
  if (kind === 'id' || kind === 'ids') return 'code'
  if (kind === 'status') {
    const tone = (row !== undefined && isPart(row) ? toneIn(row, value) : undefined) ?? 'none'
    return tone === 'none' ? 'text' : tone
  }
  if (kind === 'gate') return 'bad'
  if (kind === 'waived') return 'fair'
  return FORMULA_START.test(value) ? 'quoted' : 'text'
}

/** An inline string. */
function textCell(reference: string, value: string, style: StyleName): string {
  const text = escapeMarkup(value.slice(0, MAX_TEXT)).replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
  return `<c r="${reference}" s="${STYLE[style]}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
}

/** The letters of a column, from 1. */
export function columnLetters(count: number): string {
  const last = String.fromCharCode(65 + ((count - 1) % 26))
  return count <= 26 ? last : columnLetters(Math.floor((count - 1) / 26)) + last
}

// The height of rows

/** Points of a line of text. */
const LINE_HEIGHT = 13.5
/** Excel's limit. */
const MAX_HEIGHT = 409

/** A text that wraps in a column of this width in characters. */
interface WrappedText {
  readonly text: string
  readonly width: number
  readonly bold?: boolean
}

/** The height of a row in points, in which the longest of its texts fits. A program that knows the font may change it. */
export function rowHeight(texts: readonly WrappedText[]): number {
  let lines = 1
  for (const { text, width, bold } of texts) {
    lines = Math.max(lines, linesOf(text, (width - PADDING) * (bold ? 0.9 : 1)))
  }
  return Math.min(lines * LINE_HEIGHT, MAX_HEIGHT)
}

/** Of the width of a column, in characters. */
const PADDING = 0.7

/** Lines of a text that breaks after spaces and hyphens, and within a word that is longer than a line. */
function linesOf(text: string, width: number): number {
  if (text.length * WIDEST <= width) return 1
  let lines = 1
  let used = 0
  let word = 0
  for (const character of text) {
    const isSpace = character === ' '
    const size = sizeOf(character)
    word += size
    if (used + word > width && !isSpace) {
      if (used > 0) lines += 1
      used = 0
      if (word > width) {
        lines += 1
        word = size
      }
    }
    if (isSpace || character === '-') {
      used += word
      word = 0
    }
  }
  return lines
}

const WIDEST = 2

/** The width of each ASCII character in widths of a digit: those of Arial, rounded up. */
const SIZES = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[MWmw]/.test(character)) return 1.6
  if (/[A-Z]/.test(character)) return 1.25
  return /[\s.,:;!'|()[\]/\\-]/.test(character) ? 0.6 : 1
})

function sizeOf(character: string): number {
  return SIZES[character.charCodeAt(0)] ?? (character > '\u2e80' ? WIDEST : 1.3)
}

// A sheet with a row for each of a kind of things

export interface SheetColumn extends Pick<Column, 'title' | 'help' | 'type' | 'width' | 'isDetail'> {
  /** The name in other formats, shown as a note of the heading. */
  readonly name: string
}

/** Rows for a sheet, in batches. */
export interface SheetTable {
  readonly name: string
  readonly columns: readonly SheetColumn[]
  readonly count: number
  readonly rows: () => Iterable<readonly object[]> | AsyncIterable<readonly object[]>
  /** Names of columns without any value. */
  readonly empty?: ReadonlySet<string>
  /** Names of details that are shown nevertheless. */
  readonly opened?: ReadonlySet<string>
}

/**
 * A sheet with a frozen heading, a filter, and an explanation of each heading as its note; columns without values are hidden, details
 * in a closed group. A4 landscape, as wide as the page.
 */
export function tableSheet({ name, columns, count, rows: batches, empty, opened }: SheetTable): Sheet {
  const isShown = columns.map(
    (column) =>
      empty?.has(column.name) !== true && (column.isDetail !== true || opened?.has(column.name) === true),
  )
  const range = `A1:${columnLetters(columns.length)}${count + 1}`
  return {
    name,
    filter: range,
    notes: columns.map((column) => `${column.name}: ${column.help}`),
    view: FROZEN,
    ignoredErrors: textAsNumber(columns, count),
    async *rows() {
      yield `${columnsXml(columns, isShown)}<sheetData>${headingXml(columns)}`
      let line = 1
      for await (const batch of batches()) {
        yield batch
          .map((row) => {
            line += 1
            return rowXml(columns, isShown, row, line)
          })
          .join('')
      }
      yield `</sheetData><autoFilter ref="${range}"/>`
    },
  }
}

const FROZEN =
  '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/><selection pane="bottomRight" activeCell="B2" sqref="B2"/>'

function columnsXml(
  columns: readonly Pick<SheetColumn, 'width' | 'isDetail'>[],
  isShown: readonly boolean[] = columns.map(() => true),
): string {
  const cols = columns.map(({ width, isDetail }, index) => {
    const hidden = isShown[index] ? '' : ' hidden="1"'
    const level = isDetail ? ' outlineLevel="1"' : ''
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"${hidden}${level}/>`
  })
  const outline = columns.some(({ isDetail }) => isDetail) ? ' outlineLevelCol="1"' : ''
  return `<sheetFormatPr defaultRowHeight="${LINE_HEIGHT}"${outline}/><cols>${cols.join('')}</cols>`
}

function headingXml(columns: readonly SheetColumn[]): string {
  const cells = columns.map(({ title }, index) => textCell(`${columnLetters(index + 1)}1`, title, 'heading'))
  const height = rowHeight(columns.map(({ title, width }) => ({ text: title, width, bold: true })))
  return `<row r="1" ht="${height}">${cells.join('')}</row>`
}

function rowXml(
  columns: readonly SheetColumn[],
  isShown: readonly boolean[],
  row: object,
  line: number,
): string {
  let xml = ''
  const texts: WrappedText[] = []
  for (const [index, { name, type, width }] of columns.entries()) {
    const value = cellOf(row, name)
    const kind = type === 'gate' && isPart(row) && row.gate.open.length === 0 ? 'waived' : type
    xml += cellXml(`${columnLetters(index + 1)}${line}`, kind, value, row)
    if (isShown[index] && typeof value === 'string') {
      texts.push({ text: value, width, bold: type === 'status' || type === 'gate' })
    }
  }
  return `<row r="${line}" ht="${rowHeight(texts)}">${xml}</row>`
}

/** No warning at part numbers that look like numbers. */
function textAsNumber(columns: readonly SheetColumn[], count: number): string {
  const ranges = columns.flatMap(({ type }, index) => {
    const letters = columnLetters(index + 1)
    return type === 'id' || type === 'ids' ? [`${letters}2:${letters}${count + 1}`] : []
  })
  if (count === 0 || ranges.length === 0) return ''
  return `<ignoredErrors><ignoredError sqref="${ranges.join(' ')}" numberStoredAsText="1"/></ignoredErrors>`
}

// A sheet of lines

/** A cell of a line: its look, and where a click leads, such as `'Parts'!A7`. */
export interface LineCell {
  readonly value: CellValue
  readonly kind?: CellKind
  readonly style?: StyleName
  readonly link?: string
}

/** A line: text, numbers, or cells with a look of their own. */
export type Line = readonly (CellValue | LineCell)[]

/** A sheet of lines for people, A4 landscape as wide as the page. */
export function lineSheet(
  name: string,
  lines: readonly Line[],
  widths: readonly number[],
  chart?: SheetChart,
): Sheet {
  const links: string[] = []
  const rows = lines.map((line, index) => lineXml(line, index + 1, widths, links))
  return {
    name,
    chart,
    rows: () => [columnsXml(widths.map((width) => ({ width }))), '<sheetData>', ...rows, '</sheetData>'],
    links: links.length === 0 ? '' : `<hyperlinks>${links.join('')}</hyperlinks>`,
  }
}

function lineXml(line: Line, number: number, widths: readonly number[], links: string[]): string {
  const texts: WrappedText[] = []
  let height = 0
  const cells = line.map((cell, index) => {
    const reference = `${columnLetters(index + 1)}${number}`
    const { value, kind, style, link } = isCell(cell) ? cell : ({ value: cell } as LineCell)
    if (link !== undefined) links.push(`<hyperlink ref="${reference}" location="${escapeMarkup(link)}"/>`)
    if (style === 'time') {
      return `<c r="${reference}" s="${STYLE.time}"><v>${Number(value) / MS_PER_DAY + UNIX_DAY}</v></c>`
    }
    if (style === 'title') height = 24
    else if (typeof value === 'string') texts.push({ text: value, width: widths[index] ?? 10 })
    if (style !== undefined && value !== null) return textCell(reference, String(value), style)
    return cellXml(reference, kind ?? (typeof value === 'number' ? 'fact' : 'text'), value)
  })
  return `<row r="${number}" ht="${Math.max(height, rowHeight(texts))}">${cells.join('')}</row>`
}

function isCell(cell: CellValue | LineCell): cell is LineCell {
  return typeof cell === 'object' && cell !== null
}
