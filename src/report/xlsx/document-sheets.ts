import {
  type Block,
  type Document,
  dayOf,
  firstOf,
  plainText,
  type Section,
  type Table,
  type TableCell,
  TONE_SIGNS,
} from '../document.ts'
import { type Line, type LineCell, lineSheet, type SheetChart, type SheetTable, tableSheet } from './sheet.ts'
import { workbookStream } from './workbook-files.ts'

/** Parts with a name in one cell, and things with a line each, on the first sheet. */
const NAMED = 20
const LINES = 200
const WIDTHS = [38, 46, 30, 14, 40, 20]

/**
 * A document as a workbook: first what it is about, its verdicts, `lines`, links to the other sheets and its sections; then `tables`,
 * and the tables of the document that have a sheet of their own.
 */
export function documentWorkbook(
  document: Document,
  tables: readonly SheetTable[],
  lines: readonly Line[] = [],
): AsyncIterable<Uint8Array> {
  const all = [...tables, ...document.sections.flatMap(({ blocks }) => blocks.flatMap(ownSheet))]
  const links = all.map(({ name, count }): Line => [sheetLink(name, name), count])
  const head = headLines(document)
  const { lines: statuses, chart } = statusLines(document, head.length)
  const first = lineSheet(
    'Summary',
    [
      ...head,
      ...statuses,
      ...lines,
      heading(['Sheets', 'Rows']),
      ...links,
      ...document.sections.flatMap(sectionLines),
    ],
    WIDTHS,
    chart,
  )
  return workbookStream([first, ...all.map(tableSheet)], `${document.title}, ${dayOf(document)}`)
}

function headLines({ title, about, nowMs, version, verdicts }: Document): readonly Line[] {
  return [
    [{ value: title, style: 'title' }],
    ...about.map(([name, text]): Line => [name, { value: text, kind: 'id' }]),
    ['created (UTC)', { value: nowMs, style: 'time' }],
    ['matdecl', { value: version, kind: 'id' }],
    [],
    heading(['Verdict', '']),
    ...verdicts.flatMap(({ about: of, tone, text, more = [] }): Line[] => [
      [
        of === 'gate' ? 'Gate' : 'Status',
        { value: `${TONE_SIGNS[tone]} ${plainText(text, NAMED)}`, style: tone },
      ],
      ...more.map(([name, line]): Line => [name, plainText(line, NAMED)]),
    ]),
    [],
  ]
}

/** All rows by status, and a chart of them beside the head where there are several. */
function statusLines(
  { statuses }: Document,
  above: number,
): { readonly lines: readonly Line[]; readonly chart?: SheetChart } {
  if (statuses === undefined || statuses.counts.length === 0) return { lines: [] }
  const { title, counts } = statuses
  const lines = [
    heading([title, '']),
    ...counts.map(({ name, count, tone }): Line => [{ value: name, style: tone }, count]),
    [],
  ]
  if (counts.length === 1) return { lines }
  return { lines, chart: { title, bars: counts, line: above + 2 } }
}

export function heading(titles: readonly string[]): Line {
  return titles.map((value) => ({ value, style: 'heading' }))
}

/** A cell that leads to a line of another sheet. */
export function sheetLink(value: string, sheet: string, line = 1): LineCell {
  return { value, style: 'link', link: `'${sheet}'!A${line}` }
}

function sectionLines({ title, blocks }: Section): readonly Line[] {
  const lines = blocks.flatMap(blockLines)
  if (lines.length === 0) return []
  return title === undefined ? lines : [[], heading([title, '']), ...lines]
}

function blockLines(block: Block): readonly Line[] {
  switch (block.kind) {
    case 'note':
      return [[{ value: plainText(block.text, NAMED), style: 'none' }]]
    case 'counts': {
      if (block.counts.length === 0) return []
      const rows = block.counts.map(
        ({ name, count, text }): Line => [name, count, ...(text === undefined ? [] : [text])],
      )
      return [[], heading([block.title, '']), ...rows]
    }
    case 'facts': {
      const { shown, more } = firstOf(block.facts, block.of, LINES)
      return [
        ...shown.map(([name, text]): Line => [name, plainText(text, NAMED)]),
        ...more.map((line) => [line]),
      ]
    }
    case 'table':
      return block.sheet === undefined
        ? tableLines(block)
        : [[sheetLink(`sheet ${block.sheet}`, block.sheet), block.of?.count ?? block.rows.length]]
  }
}

function tableLines({ caption, columns, rows, of }: Table): readonly Line[] {
  const { shown, more } = firstOf(rows, of, LINES)
  return [
    ...(caption === undefined ? [] : [[caption]]),
    heading(columns.map(({ title }) => title)),
    ...shown.map(
      (cells): Line =>
        cells.map((cell, index) => ({
          value: cellValue(cell),
          kind:
            columns[index]!.type === 'day'
              ? 'factDay'
              : typeof cell === 'number'
                ? 'fact'
                : columns[index]!.type,
        })),
    ),
    ...more.map((line) => [line]),
  ]
}

function cellValue(cell: TableCell): string | number | null {
  return cell === null || typeof cell === 'number' ? cell : plainText(cell, NAMED)
}

/** The sheet of a table that has one of its own. */
function ownSheet(block: Block): readonly SheetTable[] {
  if (block.kind !== 'table' || block.sheet === undefined) return []
  const { sheet: name, columns, rows, of } = block
  const { shown, more } = firstOf(rows, of)
  const all = [...shown.map((row) => row.map(cellValue)), ...more.map((line) => [line])]
  const named = all.map((row) =>
    Object.fromEntries(row.map((value, index) => [columns[index]!.title, value])),
  )
  const headings = columns.map((column) => ({ ...column, name: column.title }))
  return [{ name, columns: headings, count: all.length, rows: () => [named] }]
}
