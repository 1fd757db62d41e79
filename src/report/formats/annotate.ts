import type { PartsList } from '../../parts/read-list.ts'
import { numberOf } from '../../parts/sheet-rows.ts'
import { cellOf, exemptionsText } from '../columns.ts'
import { findingText, isNoted, lineVerdict, whyByLines } from '../row-findings.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { type Line, lineSheet } from '../xlsx/sheet.ts'
import { workbookStream } from '../xlsx/workbook-files.ts'
import { inert, quoted } from './csv-cell.ts'
import { type Formatter, rowsOf } from './formatter.ts'

/** What is added to the right of a list; a line with several rows has the values of each. */
const ADDED: readonly (readonly [
  title: string,
  width: number,
  value: (rows: readonly JudgedRow[]) => string,
])[] = [
  ['Verdict', 11, lineVerdict],
  ['Status', 12, (rows) => each(rows, ({ status }) => status)],
  ['RoHS', 22, (rows) => each(rows, (row) => declared(row, 'rohs'))],
  ['REACH', 14, (rows) => each(rows, (row) => declared(row, 'reach'))],
  ['Exemptions', 18, (rows) => each(rows, exemptionsText)],
  ['SVHC', 24, (rows) => each(rows, (row) => String(cellOf(row, 'svhc')))],
  ['Why', 50, reasonsOf],
  ['Declared on', 12, (rows) => each(rows, ({ date }) => date)],
  ['Declared by', 20, (rows) => each(rows, (row) => declared(row, 'supplier'))],
  ['Source', 30, (rows) => each(rows, (row) => String(cellOf(row, 'source')))],
]

/** The formats of an annotated list. */
export const ANNOTATED = { csv: { endings: ['.csv'] }, xlsx: { endings: ['.xlsx'] } } as const

/** What is written of a list. */
type AnnotatedList = Pick<PartsList, 'name' | 'sheet' | 'delimiter' | 'headingLine' | 'table'>

/** The user's own list with its columns and rows as they are, and to their right what the report says of each line. */
export function annotateFormatter(list: AnnotatedList, format: keyof typeof ANNOTATED): Formatter {
  return async function* (report) {
    const byLine = new Map<number, JudgedRow[]>()
    for await (const rows of rowsOf(report, 'parts') as AsyncIterable<readonly JudgedRow[]>) {
      for (const row of rows) {
        if (row.line === undefined) continue
        const own = byLine.get(row.line.line)
        if (own === undefined) byLine.set(row.line.line, [row])
        else own.push(row)
      }
    }
    let width = 0
    for await (const rows of list.table()) for (const { cells } of rows) width = Math.max(width, cells.length)
    yield* format === 'csv' ? csvOf(list, byLine, width) : sheetOf(list, byLine, width)
  }
}

/** The words to the right of a row: the headings beside those of the list, nothing beside what is no line. */
function added(
  { headingLine }: AnnotatedList,
  rows: readonly JudgedRow[] | undefined,
  line: number,
): readonly string[] {
  if (line === headingLine) return ADDED.map(([title]) => title)
  return rows === undefined ? [] : ADDED.map(([, , value]) => value(rows))
}

async function* csvOf(
  list: AnnotatedList,
  byLine: ReadonlyMap<number, readonly JudgedRow[]>,
  width: number,
): AsyncGenerator<string, void, void> {
  const separator = list.delimiter ?? ','
  let next = 1
  for await (const rows of list.table()) {
    const lines: string[] = []
    for (const { cells, line } of rows) {
      // A sheet has no row for a line without values.
      for (; list.sheet !== undefined && next < line; next += 1) lines.push('')
      next = line + 1
      const right = added(list, byLine.get(line), line)
      const own = right.length === 0 ? cells : [...cells, ...Array<string>(width - cells.length).fill('')]
      lines.push([...own, ...right.map(inert)].map((cell) => quoted(cell, separator)).join(separator))
    }
    yield lines.map((line) => `${line}\r\n`).join('')
  }
}

async function* sheetOf(
  list: AnnotatedList,
  byLine: ReadonlyMap<number, readonly JudgedRow[]>,
  width: number,
): AsyncGenerator<Uint8Array, void, void> {
  const lines: Line[] = []
  for await (const rows of list.table()) {
    for (const { cells, line, typed } of rows) {
      while (list.sheet !== undefined && lines.length + 1 < line) lines.push([])
      const isHeading = line === list.headingLine
      const own: Line = Array.from({ length: width }, (_, index) => {
        const value = numberOf(typed?.[index]) ?? cells[index] ?? ''
        if (value === '') return null
        return isHeading
          ? { value, style: 'heading' as const }
          : { value, kind: typeof value === 'number' ? 'fact' : 'id' }
      })
      const right = added(list, byLine.get(line), line)
      lines.push([
        ...own,
        ...right.map((value) => (isHeading ? { value, style: 'heading' as const } : value)),
      ])
    }
  }
  const widths = [...Array<number>(width).fill(16), ...ADDED.map(([, each]) => each)]
  yield* workbookStream([lineSheet(list.sheet?.name ?? 'List', lines, widths)], list.name)
}

/** The values of several rows, each once. */
function each(rows: readonly JudgedRow[], textOf: (row: JudgedRow) => string): string {
  return [...new Set(rows.map(textOf))].filter((value) => value !== '').join('; ')
}

function declared(row: JudgedRow, column: 'rohs' | 'reach' | 'supplier'): string {
  return row.sources.length === 0 ? '' : String(cellOf(row, column))
}

/** Why a line is not clean, else what is to know of it. */
function reasonsOf(rows: readonly JudgedRow[]): string {
  const found = rows.flatMap(({ findings }) => findings)
  const open = found.filter((finding) => !isNoted(finding))
  const byLines = rows.flatMap((row) => whyByLines(row) ?? [])
  const shown = open.length + byLines.length > 0 ? open : found
  const texts = [...shown.map(findingText), ...byLines]
  if (texts.length > 0) return [...new Set(texts)].join('; ')
  return rows.some(({ status }) => status !== 'declared') ? each(rows, ({ notes }) => notes[0] ?? '') : ''
}
