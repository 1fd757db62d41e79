import { escapeXml } from '../formats/escape-markup.ts'
import type { CellValue } from '../formats/formatter.ts'
import {
  type CellKind,
  cellXml,
  columnLetters,
  LINE_HEIGHT,
  rowHeight,
  textCell,
  timeCell,
  type WrappedText,
} from './xlsx-cells.ts'
import type { StyleName } from './xlsx-styles.ts'
import type { Sheet } from './xlsx-workbook.ts'

/** A cell of a free sheet: its look, and where a click leads, such as `'Parts'!A7`. */
export interface NoteCell {
  readonly value: CellValue
  readonly kind?: CellKind
  readonly style?: StyleName
  readonly link?: string
}

/** A line: text, numbers, or cells with a look of their own. */
export type NoteLine = readonly (CellValue | NoteCell)[]

/** Lines of a sheet without columns of one kind, for people. */
export interface Notes {
  readonly name: string
  readonly lines: readonly NoteLine[]
  /** Widths in characters. */
  readonly widths: readonly number[]
}

/** A sheet of lines, A4 landscape as wide as the page. */
export function notesSheet({ name, lines, widths }: Notes): Sheet {
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  return {
    name,
    *content(opening, closing) {
      yield `${opening('<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>', '')}<sheetFormatPr defaultRowHeight="${LINE_HEIGHT}"/><cols>${cols.join('')}</cols><sheetData>`
      const links: string[] = []
      for (const [index, line] of lines.entries()) yield lineXml(line, index + 1, widths, links)
      const hyperlinks = links.length === 0 ? '' : `<hyperlinks>${links.join('')}</hyperlinks>`
      yield `</sheetData>${closing('', hyperlinks)}`
    },
  }
}

function lineXml(line: NoteLine, number: number, widths: readonly number[], links: string[]): string {
  const texts: WrappedText[] = []
  let height = 0
  const cells = line.map((cell, index) => {
    const reference = `${columnLetters(index + 1)}${number}`
    const { value, kind, style, link } = isCell(cell) ? cell : ({ value: cell } as NoteCell)
    if (link !== undefined) links.push(`<hyperlink ref="${reference}" location="${escapeXml(link)}"/>`)
    if (style === 'time') return timeCell(reference, Number(value))
    if (style === 'title') height = 24
    else if (typeof value === 'string') texts.push({ text: value, width: widths[index] ?? 10 })
    if (style !== undefined && value !== null) return textCell(reference, String(value), style)
    return cellXml(reference, kind ?? (typeof value === 'number' ? 'fact' : 'text'), value)
  })
  return `<row r="${number}" ht="${Math.max(height, rowHeight(texts))}">${cells.join('')}</row>`
}

function isCell(cell: CellValue | NoteCell): cell is NoteCell {
  return typeof cell === 'object' && cell !== null
}
