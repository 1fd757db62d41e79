import papaparse from 'papaparse'
import { cleanText } from '../base/clean-text.ts'
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
  /** The columns that have another value beneath a merged cell, which no program shows. */
  readonly beneath?: readonly number[]
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
  blocks: AsyncIterable<TextBlock> | Iterable<TextBlock>,
  name: string,
  choose: (text: string, declared?: string) => string,
): AsyncGenerator<readonly TableRow[]> {
  let pending = ''
  let line = 1
  let width = 0
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
      width = usualWidth(pending.split('\n', FIRST_ROWS), delimiter)
    }
    const { rows, rest, isMalformed } = parseRows(
      name,
      withDittoMarks(pending, delimiter, width),
      line,
      delimiter,
    )
    yield rows
    if (isMalformed)
      throw broken(
        name,
        rest.line,
        'text follows a closing quotation mark',
        'write quotation marks inside a cell twice',
      )
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
  const swallowed = mayHaveBreaks ? swallowedRows(data, delimiter) : undefined
  if (swallowed !== undefined) {
    const [from, to] = [firstLine + swallowed.from, firstLine + swallowed.to]
    const says = `a quotation mark opens a cell that goes on to line ${to}, with whole rows in it`
    const hint = `remove the quotation mark in line ${from} or ${to}, or write it twice inside a cell in quotation marks`
    throw broken(name, from, says, hint)
  }
  for (const cells of data) {
    if (cells.length > MOST_COLUMNS) {
      const says = `the row has ${formatCount(cells.length)} columns, more than ${formatCount(MOST_COLUMNS)}`
      throw broken(name, line, says, 'save the list without the other columns')
    }
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

/** The number of columns that most lines have, those without quotation marks first. */
function usualWidth(lines: readonly string[], delimiter: string): number {
  const plain = lines.filter((line) => !line.includes('"'))
  const widths = (plain.length > 0 ? plain : lines).map((line) => line.split(delimiter).length)
  return mostFrequent(widths.filter((width) => width > 1))[0] ?? 1
}

/** The most frequent of the values, and how often it is among them. */
function mostFrequent(values: readonly number[]): readonly [value: number | undefined, count: number] {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const none = [undefined, 0] as const
  return [...counts].reduce<readonly [number | undefined, number]>(
    (most, one) => (one[1] > most[1] ? one : most),
    none,
  )
}

/**
 * People repeat the cell above with a quotation mark alone. In a row of the usual width, that is no quotation mark that begins a cell
 * of several rows: here it becomes one in quotation marks.
 */
function withDittoMarks(text: string, delimiter: string, width: number): string {
  if (width < 2 || !text.includes(`"`)) return text
  const isRow = (start: number): boolean => lineAt(text, start).split(delimiter).length === width
  // At the end of a line, it may also begin a cell with the next one.
  const isAlone = (at: number): boolean =>
    text[at] === delimiter ||
    at >= text.length ||
    (text[at] === '\n' && (at + 1 === text.length || isRow(at + 1)))
  let isQuoted = false
  let isCellStart = true
  let lineStart = 0
  let kept = ''
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (isQuoted) {
      if (character === '"' && text[at + 1] === '"') at += 1
      else if (character === '"') isQuoted = false
      continue
    }
    if (character === '\n') lineStart = at + 1
    if (character === '"' && isCellStart) {
      if (isAlone(at + 1) && isRow(lineStart)) {
        kept += `${text.slice(from, at)}""""`
        from = at + 1
      } else isQuoted = true
    }
    isCellStart = character === '\n' || character === delimiter
  }
  return kept + text.slice(from)
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.slice(start) : text.slice(start, end)
}

/**
 * Lines, from 0, of a cell that took whole rows into itself: a quotation mark is missing where it begins or ends. Such a row has the
 * delimiters of any other, and its cells look like theirs.
 */
function swallowedRows(
  data: readonly (readonly string[])[],
  delimiter: string,
): { readonly from: number; readonly to: number } | undefined {
  const isLong = (cells: readonly string[]): boolean => cells.some((cell) => cell.includes('\n'))
  if (!data.some(isLong)) return undefined
  const usual = new UsualRows(data.filter((cells) => !isLong(cells)).slice(0, FIRST_ROWS))
  let line = 0
  for (const cells of data) {
    const lines: string[][] = [[]]
    const long: (readonly [from: number, to: number])[] = []
    for (const cell of cells) {
      const [first = '', ...others] = cell.split('\n')
      if (others.length === 0) {
        lines.at(-1)!.push(cell)
        continue
      }
      long.push([lines.length - 1, lines.length - 1 + others.length])
      for (const piece of first.split(delimiter)) lines.at(-1)!.push(piece)
      for (const other of others) lines.push(other.split(delimiter))
    }
    for (const [from, to] of long)
      if (usual.hasSwallowed(lines.slice(from, to + 1))) return { from: line + from, to: line + to }
    line += lines.length
  }
  return undefined
}

/** What the rows of a table on one line each look like. */
class UsualRows {
  readonly #width: number | undefined
  readonly #looks: ReadonlySet<string>[] = []
  readonly #count: number

  constructor(rows: readonly (readonly string[])[]) {
    this.#width = mostFrequent(rows.map(({ length }) => length).filter((length) => length > 1))[0]
    // Titles above a list say nothing of its rows.
    this.#count = rows.filter(({ length }) => length === this.#width).length
    for (const cells of rows) {
      for (const [index, cell] of cells.entries()) {
        this.#looks[index] = new Set([...(this.#looks[index] ?? []), lookOf(cell)])
      }
    }
  }

  /** True for the lines of one cell, its first and last with what is beside it, if one between is a row, or both are. */
  hasSwallowed(lines: readonly (readonly string[])[]): boolean {
    const width = this.#width ?? mostFrequent(lines.map(({ length }) => length))[0]!
    const isRow = (cells: readonly string[]): boolean => cells.length === width && this.#isLikely(cells)
    if (width < 2) return false
    // The first may be the headings.
    return lines.slice(1, -1).some(isRow) || (lines[0]!.length === width && isRow(lines.at(-1)!))
  }

  #isLikely(cells: readonly string[]): boolean {
    const looks = cells.map(lookOf)
    if (!looks.includes('number') && !looks.includes('code')) return false
    if (this.#count < 3) return true
    return looks.every(
      (look, index) =>
        look === 'none' ||
        this.#looks[index]!.has(look) ||
        (look === 'number' && this.#looks[index]!.has('code')),
    )
  }
}

function lookOf(cell: string): 'none' | 'number' | 'code' | 'words' {
  const text = cell.replaceAll('"', '').trim()
  if (text === '') return 'none'
  if (/^[\d.,]+$/.test(text)) return 'number'
  return /\d/.test(text) && !/\s/.test(text) ? 'code' : 'words'
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
  const ordered = [...DELIMITERS].sort((a, b) => Number(b === usual) - Number(a === usual))
  // Those that the text does not have divide nothing, all alike.
  const absent = ordered.find((one) => !text.includes(one))
  const tables = ordered
    .filter((one) => one === absent || text.includes(one))
    .map((delimiter) => {
      const rows = firstRows(text, delimiter)
      const profile = profileTable(rows, chosen)
      const { known, number } = scoreHeadingRow(profile.headings)
      // One cell that has other delimiters in it is not divided by this one.
      const isWhole =
        profile.headings.length === 1 && DELIMITERS.some((one) => profile.headings[0]!.includes(one))
      const score = profile.headingRow < 0 || isWhole ? -1 : profile.quality + known
      return {
        delimiter,
        score,
        even: mostFrequent(rows.map(({ length }) => length).filter((length) => length > 1))[1],
        isTable: known > 1 && number > 2,
      }
    })
  const best = tables.reduce((one, other) =>
    other.score > one.score || (other.score === one.score && other.even > one.even) ? other : one,
  )
  return best
}

/** The first rows of a delimited text, for finding its headings. */
function firstRows(text: string, delimiter: string): readonly (readonly string[])[] {
  const width = usualWidth(text.split('\n', FIRST_ROWS), delimiter)
  const { data } = papaparse.parse<string[]>(
    withoutSpacesBeforeQuotes(withDittoMarks(text, delimiter, width), delimiter),
    { delimiter, newline: '\n', preview: FIRST_ROWS },
  )
  return data.map((cells) => withShortCells({ line: 0, cells }).cells)
}

function broken(name: string, line: number, says: string, hint: string): Failure {
  return new Failure('usage', `${name}:${line}: ${says}`, { file: name, line, hint })
}

function unclosedQuote(name: string, line: number): Failure {
  const hint = `a cell may have up to ${formatBytes(LONGEST_RECORD)}; write quotation marks inside it twice`
  return broken(name, line, 'a quotation mark is opened here and never closed', hint)
}

/** A record of a CSV table with a heading: its cells by heading, and the line on which it begins. */
interface CsvRecord {
  readonly line: number
  readonly values: Readonly<Record<string, string>>
}

/** A small table with headings, and what of it is no record. */
export interface CsvTable {
  /** In their order, in lower case. */
  readonly headings: readonly string[]
  readonly headingLine: number
  readonly records: readonly CsvRecord[]
  /** The lines that have delimiters only. */
  readonly blankLines: readonly number[]
  /** The lines of records with fewer cells than headings. */
  readonly shortLines: readonly number[]
}

/**
 * Reads a small CSV table. Headings lose their case; cells lose the blanks around them, and one that is missing at the end of a row is
 * empty. A table without one of the `columns`, or with a column twice, or a row with more cells than the heading, is a `usage` failure
 * with the line, and the long names of the `options` that help.
 */
export async function readCsvTable(
  text: string,
  name: string,
  columns: readonly string[],
  options: readonly string[] = [],
): Promise<CsvTable> {
  const wrong = (line: number, what: string): Failure =>
    broken(name, line, what, `the first line names the columns: ${columns.join(',')}`).with({ options })
  const rows: TableRow[] = []
  const blankLines: number[] = []
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  for await (const batch of tableRows(
    [{ text: lines, firstLine: 1 }],
    name,
    (head, declared) => declared ?? delimiterBetween(columns, head),
  )) {
    for (const row of batch) {
      if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row)
      else if (row.cells.length > 1) blankLines.push(row.line)
    }
  }
  const [heading, ...records] = rows
  const headings = heading?.cells.map((cell) => cell.trim().toLowerCase()) ?? []
  const headingLine = heading?.line ?? 1
  const absent = columns.find((column) => !headings.includes(column))
  if (absent !== undefined) throw wrong(headingLine, `no column "${absent}"`)
  const twice = headings.find((column, index) => column !== '' && headings.indexOf(column) < index)
  if (twice !== undefined) throw wrong(headingLine, `two columns "${cleanText(twice, 60)}"`)
  return {
    headings,
    headingLine,
    records: records.map(({ cells, line }) => {
      if (cells.slice(headings.length).some((cell) => cell.trim() !== '')) {
        throw wrong(line, `${cells.length} cells, but ${headings.length} columns`)
      }
      return {
        line,
        values: Object.fromEntries(headings.map((column, index) => [column, cells[index]?.trim() ?? ''])),
      }
    }),
    blankLines: blankLines.filter((line) => line > headingLine),
    shortLines: records.filter(({ cells }) => cells.length < headings.length).map(({ line }) => line),
  }
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
