import papaparse from 'papaparse'
import { Failure } from '../base/failure.ts'
import { formatBytes, formatCount } from '../base/units.ts'
import { type ChosenColumns, MOST_COLUMNS, profileTable, scoreHeadingRow } from './layout.ts'
import type { TextBlock } from './list-text.ts'
import type { TypedCell } from './sheet-rows.ts'

/** A longer record has an opening quote that is never closed. */
const LONGEST_RECORD = 1024 * 1024

/** A row of a table as it is in the file. */
export interface TableRow {
  /** The line on which it begins, or the row of the sheet. */
  readonly line: number
  readonly cells: readonly string[]
  /** The cells of a workbook that are no text, by column. */
  readonly typed?: Readonly<Record<number, TypedCell>>
  /** The columns whose value stands in a row above, in a cell that is merged with this one. */
  readonly merged?: readonly number[]
  /** The columns of cells that are struck through, at least in part. */
  readonly struck?: readonly number[]
  readonly isHidden?: boolean
}

/** No pattern sees more of a cell. */
export const LONGEST_CELL = 1000

/** The row with its cells cut to what patterns may see, and an ellipsis. */
export function withShortCells(row: TableRow): TableRow {
  if (row.cells.every(isShort)) return row
  const short = (cell: string): string => (isShort(cell) ? cell : `${cell.slice(0, LONGEST_CELL)}…`)
  return { ...row, cells: row.cells.map(short) }
}

function isShort(cell: string): boolean {
  return cell.length <= LONGEST_CELL
}

/** The records of a delimited text (RFC 4180), a block at a time. */
export async function* tableRows(
  blocks: AsyncIterable<TextBlock>,
  name: string,
  choose: (text: string, declared?: string) => string,
): AsyncGenerator<readonly TableRow[]> {
  let pending = ''
  let line = 1
  let delimiter: string | undefined
  for await (const { text } of blocks) {
    pending += text
    if (delimiter === undefined) {
      const declared = /^sep=(.)\n/i.exec(pending)
      if (declared !== null) {
        pending = pending.slice(declared[0].length)
        line += 1
      }
      delimiter = choose(pending, declared?.[1])
    }
    const { rows, rest, isMalformed } = parseRows(name, pending, line, delimiter)
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

function parseRows(name: string, text: string, firstLine: number, delimiter: string): Parsed {
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
    if (cells.length > MOST_COLUMNS) throw tooWide(name, line, cells.length)
    rows.push(withShortCells({ cells, line }))
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

const DELIMITERS = [',', ';', '\t', '|'] as const

/** So many rows show what a table is. */
export const FIRST_ROWS = 200

/**
 * The delimiter of a table: that of the best parts list; without headings, the one that divides the most rows into equally many
 * columns, which is a comma where none does.
 */
export function findDelimiter(
  text: string,
  chosen: ChosenColumns,
  usual?: string,
): { readonly delimiter: string; readonly isTable: boolean } {
  const tables = [...DELIMITERS]
    .sort((a, b) => Number(b === usual) - Number(a === usual))
    .map((delimiter) => {
      const rows = firstRows(text, delimiter)
      const profile = profileTable(rows, chosen)
      const { known, number } = scoreHeadingRow(profile.headings)
      // One cell that has other delimiters in it is not divided by this one.
      const isWhole =
        profile.headings.length === 1 && DELIMITERS.some((one) => profile.headings[0]!.includes(one))
      const score = profile.headingRow < 0 || isWhole ? -1 : profile.quality + known
      return { delimiter, score, even: evenRows(rows), isTable: known > 1 && number > 2 }
    })
  const best = tables.reduce((one, other) =>
    other.score > one.score || (other.score === one.score && other.even > one.even) ? other : one,
  )
  return best
}

/** The first rows of a delimited text, for finding its headings. */
export function firstRows(text: string, delimiter: string): readonly (readonly string[])[] {
  const { data } = papaparse.parse<string[]>(withoutSpacesBeforeQuotes(text, delimiter), {
    delimiter,
    newline: '\n',
    preview: FIRST_ROWS,
  })
  return data.map((cells) => withShortCells({ line: 0, cells }).cells)
}

/** What a text is that is no parts list: a table whose lines are quoted as a whole, columns of a fixed width, or a tree; by its first lines. */
export function shapeOf(text: string): { readonly what: string; readonly hint: string } | undefined {
  const lines = text
    .split('\n', FIRST_ROWS)
    .map((line) => line.slice(0, LONGEST_CELL).trimEnd())
    .filter((line) => line.trim() !== '')
  const share = (test: (line: string) => boolean): number => lines.filter(test).length / lines.length
  if (lines.length < 2) return undefined
  if (share((line) => /^"(?:[^"]|"")*"$/.test(line) && /[,;\t]/.test(line)) > 0.6) {
    return {
      what: 'a table that was saved twice: each line is wholly in quotes',
      hint: 'save it again from its original',
    }
  }
  if (share((line) => /[│├└─]/.test(line)) > 0.3) {
    return { what: 'a tree drawn with lines', hint: 'export it as .csv' }
  }
  const isSpaced = (line: string): boolean => !/[,;\t|]/.test(line) && /\S {2,}\S+(?: {2,}|$)/.test(line)
  const hasHeadings = lines.some(
    (line) => isSpaced(line) && scoreHeadingRow(line.trim().split(/ {2,}/)).known > 2,
  )
  if (share(isSpaced) <= 0.6 || (lines.length < 3 && !hasHeadings)) return undefined
  return {
    what: 'a table with columns of a fixed width',
    hint: 'export it as .csv, or save it in a spreadsheet program as .xlsx',
  }
}

/** How many rows have as many columns as most of them do, if that is more than one. */
function evenRows(rows: readonly (readonly string[])[]): number {
  const counts = new Map<number, number>()
  for (const { length } of rows) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}

function tooWide(name: string, line: number, columns: number): Failure {
  const message = `${name}:${line}: the row has ${formatCount(columns)} columns, more than ${formatCount(MOST_COLUMNS)}`
  return new Failure('usage', message, { file: name, line, hint: 'save the list without the other columns' })
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

/** A record of a CSV table with a heading: its cells by heading, and the line on which it begins. */
interface CsvRecord {
  readonly line: number
  readonly values: Readonly<Record<string, string>>
}

/**
 * The records of a small CSV table, without blank ones. Headings lose their case; cells lose the blanks around them, and one that is
 * missing at the end of a row is empty. A table without one of the `columns`, or a row with more cells than the heading, is a
 * `usage` failure with the line, and the long names of the `options` that help.
 */
export async function csvRecords(
  text: string,
  name: string,
  columns: readonly string[],
  options: readonly string[] = [],
): Promise<readonly CsvRecord[]> {
  const wrong = (line: number, what: string): Failure =>
    new Failure('usage', `${name}:${line}: ${what}`, {
      file: name,
      line,
      hint: `the first line names the columns: ${columns.join(',')}`,
      options,
    })
  const rows = []
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const block = { text: lines, firstLine: 1 }
  for await (const batch of tableRows(
    only(block),
    name,
    (head, declared) => declared ?? delimiterBetween(columns, head),
  )) {
    rows.push(...batch.filter(({ cells }) => cells.some((cell) => cell.trim() !== '')))
  }
  const [heading, ...records] = rows
  const headings = heading?.cells.map((cell) => cell.trim().toLowerCase()) ?? []
  const absent = columns.find((column) => !headings.includes(column))
  if (absent !== undefined) throw wrong(heading?.line ?? 1, `no column "${absent}"`)
  return records.map(({ cells, line }) => {
    if (cells.slice(headings.length).some((cell) => cell.trim() !== '')) {
      throw wrong(line, `${cells.length} cells, but ${headings.length} columns`)
    }
    return {
      line,
      values: Object.fromEntries(headings.map((column, index) => [column, cells[index]?.trim() ?? ''])),
    }
  })
}

/** The delimiter between the headings of a table whose columns are known: the one that shows the most of them. */
function delimiterBetween(columns: readonly string[], text: string): string {
  const countShown = (delimiter: string): number => {
    const heading = firstRows(text, delimiter).find((cells) => cells.some((cell) => cell.trim() !== ''))
    const headings = heading?.map((cell) => cell.trim().toLowerCase()) ?? []
    return columns.filter((column) => headings.includes(column)).length
  }
  return DELIMITERS.reduce((best, delimiter) => (countShown(delimiter) > countShown(best) ? delimiter : best))
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value
}
