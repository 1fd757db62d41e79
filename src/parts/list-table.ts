import papaparse from 'papaparse'
import { Failure } from '../base/failure.ts'
import { formatBytes } from '../base/units.ts'
import { type BomColumns, findBomColumns, type WantedBomColumns } from './bom-columns.ts'
import { type ListItem, rowUse, rowWithoutPart, trimBlanks } from './list-item.ts'
import type { TextBlock } from './list-text.ts'
import { findPartColumn, HEADING_ROWS, type PartColumn } from './part-column.ts'

/** A longer record has an opening quote that is never closed. */
const LONGEST_RECORD = 1024 * 1024

export interface TableOptions {
  readonly name: string
  /** A heading, or a number from 1. */
  readonly column: string | undefined
  /** Also read the columns of a bill of materials. */
  readonly bom?: WantedBomColumns | undefined
  /** The delimiter is a tab. Otherwise it is guessed. */
  readonly isTabbed: boolean
}

/** One record of a table, with the line on which it begins. */
export interface TableRow {
  readonly cells: readonly string[]
  readonly line: number
}

/** Reads the part number column of a CSV or TSV file in blocks. A table without a usable column is a `usage` failure. */
export async function* readTable(
  blocks: AsyncIterable<TextBlock>,
  options: TableOptions,
): AsyncGenerator<readonly ListItem[]> {
  let head: TableRow[] = []
  let column: PartColumn | undefined
  let bom: BomColumns | undefined
  const findColumn = (): ListItem[] => {
    const first = head.slice(0, HEADING_ROWS).map(({ cells }) => cells)
    column = findPartColumn(first, options.column, options.name)
    if (column === undefined) return []
    const found = options.bom && findBomColumns(first, column, options.bom, options.name)
    bom = found?.columns
    const { headingRow, label } = column
    const item = { column: label, bom: bom?.labels, bomDoubt: found?.doubt }
    return [item, ...itemsOf(head.slice(headingRow + 1), column, bom)]
  }
  for await (const rows of tableRows(blocks, options)) {
    if (column !== undefined) {
      yield itemsOf(rows, column, bom)
      continue
    }
    head = head.concat(rows)
    if (head.length >= HEADING_ROWS) yield findColumn()
  }
  if (column === undefined) yield findColumn()
}

function itemsOf(
  rows: readonly TableRow[],
  { column, width }: PartColumn,
  bom: BomColumns | undefined,
): ListItem[] {
  const items: ListItem[] = []
  const values = detached(rows.map(({ cells }) => cells[column] ?? ''))
  for (const [index, { cells, line }] of rows.entries()) {
    const part = withoutFormula(trimBlanks(values[index]!))
    const use = rowUse(bom, (at) => withoutFormula(cells[at] ?? ''))
    if (cells.length > width && hasText(cells.slice(width))) {
      const doubt = `the row has ${cells.length} columns, the heading ${width}: is a quotation mark missing?`
      items.push({ line, kind: 'columns', doubt })
    }
    if (part === '') {
      if (hasText(cells)) items.push(rowWithoutPart(line, use))
    } else if (part.includes('\n')) items.push({ line, problem: 'the part number has a line break in it' })
    else items.push(use === undefined ? { line, part } : { line, part, use })
  }
  return items
}

/** The same texts as slices of a new one: slices of the file's text would keep all of it in memory. No list has a NUL. */
function detached(texts: readonly string[]): readonly string[] {
  return texts.join('\0').split('\0')
}

function hasText(cells: readonly string[]): boolean {
  return cells.some((cell) => cell.trim() !== '')
}

/** Exporters write ="00123" so that a spreadsheet keeps the zeros. */
function withoutFormula(part: string): string {
  return part.charCodeAt(0) === 61 && /^=".+"$/.test(part) ? part.slice(2, -1) : part
}

/** The records of a delimited text (RFC 4180), a block at a time. */
export async function* tableRows(
  blocks: AsyncIterable<TextBlock>,
  { name, isTabbed }: Pick<TableOptions, 'name' | 'isTabbed'>,
): AsyncGenerator<readonly TableRow[]> {
  let pending = ''
  let line = 1
  let delimiter = isTabbed ? '\t' : undefined
  for await (const { text } of blocks) {
    pending += text
    const declared = line === 1 ? /^sep=(.)\n/i.exec(pending) : null
    if (declared !== null) {
      delimiter ??= declared[1]!
      pending = pending.slice(declared[0].length)
      line += 1
    }
    if (delimiter === undefined && !/\S/.test(pending)) continue
    delimiter ??= guessDelimiter(pending)
    const { rows, rest, isMalformed } = parseRows(pending, line, delimiter)
    yield rows
    if (isMalformed) throw malformedQuote(name, rest.line)
    if (rest.text.length > LONGEST_RECORD) throw unclosedQuote(name, rest.line)
    pending = rest.text
    line = rest.line
  }
  if (delimiter !== undefined && pending !== '') throw unclosedQuote(name, line)
}

interface Parsed {
  readonly rows: readonly TableRow[]
  /** What begins with a record that is not complete yet. */
  readonly rest: { readonly text: string; readonly line: number }
  /** The rest begins with a record that has text behind a closing quote. */
  readonly isMalformed: boolean
}

function parseRows(text: string, firstLine: number, delimiter: string): Parsed {
  const { data, errors } = papaparse.parse<string[]>(withoutSpacesBeforeQuotes(text, delimiter), {
    delimiter,
    newline: '\n',
  })
  const malformed = errors.find(({ code }) => code === 'InvalidQuotes')?.row
  const isOpen = errors.some(({ code }) => code === 'MissingQuotes')
  // Otherwise the last row is the record that is not complete, or nothing, after the last line break.
  if (malformed !== undefined) data.length = malformed
  else if (isOpen || text.endsWith('\n')) data.pop()
  const mayHaveBreaks = text.includes('"')
  const rows: TableRow[] = []
  let line = firstLine
  for (const cells of data) {
    rows.push({ cells, line })
    line += mayHaveBreaks ? 1 + countBreaks(cells) : 1
  }
  const rest = { text: isOpen ? fromLine(text, line - firstLine) : '', line }
  return { rows, rest, isMalformed: malformed !== undefined }
}

/** Lenient exporters write `a, "b"`. papaparse knows a quoted cell by its first character. */
function withoutSpacesBeforeQuotes(text: string, delimiter: string): string {
  // papaparse drops a byte order mark at the start of what it gets; in the middle of a file it belongs to a value.
  const kept = text.startsWith('\ufeff') ? `\ufeff${text}` : text
  if (!/ "/.test(kept)) return kept
  const start = `(^|\n|${delimiter.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')})`
  return kept.replace(new RegExp(`${start} *("[^"]*(?:""[^"]*)*)`, 'g'), '$1$2')
}

function countBreaks(cells: readonly string[]): number {
  return cells.reduce((count, cell) => (cell.includes('\n') ? count + cell.split('\n').length - 1 : count), 0)
}

function fromLine(text: string, lines: number): string {
  let at = 0
  for (let line = 0; line < lines; line += 1) at = text.indexOf('\n', at) + 1
  return text.slice(at)
}

/**
 * The delimiter of a table: the one of comma, semicolon, tab and bar that the first line with text has most of, outside
 * quotes; a comma when it has none.
 */
export function guessDelimiter(text: string): string {
  const firstLine = /[^\n]*\S[^\n]*/.exec(text)?.[0] ?? ''
  const plain = firstLine.replace(/"(?:[^"]|"")*(?:"|$)/g, '')
  const count = (delimiter: string): number => plain.split(delimiter).length - 1
  const [most] = [',', ';', '\t', '|'].sort((a, b) => count(b) - count(a))
  return most!
}

function malformedQuote(name: string, line: number): Failure {
  return new Failure('usage', `${name}:${line}: text follows a closing quotation mark`, {
    file: name,
    line,
    hint: 'write quotation marks inside a cell twice',
  })
}

function unclosedQuote(name: string, line: number): Failure {
  return new Failure('usage', `${name}:${line}: a quotation mark is opened here and never closed`, {
    file: name,
    line,
    hint: `a cell may have up to ${formatBytes(LONGEST_RECORD)}; write quotation marks inside it twice`,
  })
}
