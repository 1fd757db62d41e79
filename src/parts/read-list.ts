import { Failure } from '../base/failure.ts'
import type { World } from '../base/world.ts'
import {
  bestHeadings,
  type ChosenColumns,
  findLayout,
  HEADING_ROWS,
  isHeadingAgain,
  isOtherHeading,
  isPartHeading,
  isSurePartHeading,
  type Layout,
} from './layout.ts'
import { type Doubt, findDelimiter, firstRows, type TableRow, tableRows } from './list-table.ts'
import { encodingNamed, type ListSource, ListText, listChunks, nameOf, type TextBlock } from './list-text.ts'
import type { QuantityCell } from './read-quantity.ts'
import {
  countFilled,
  isNotesTitle,
  isPlaceholder,
  isRuler,
  readFitted,
  readNotFitted,
  type SkipKind,
  skipKind,
} from './row-kind.ts'

/** How the lists of a run are read. */
interface ListOptions {
  readonly columns: ChosenColumns
  /** The encoding of text lists, by any of its names. */
  readonly encoding?: string | undefined
  /** The sheet of workbooks: its name, or a number from 1. */
  readonly sheet?: string | undefined
  /** Also read what rows say beside the part number. */
  readonly details: boolean
}

/** One row of a list. Rows without any value are left out. */
export interface ListRow {
  /** The line on which it begins, or the row of the sheet, from 1. */
  readonly line: number
  /** The part number; '' for a row that has other values only. */
  readonly part: string
  /** Why it is no part of the list, although it has values. */
  readonly skip?: SkipKind
  /** Why it cannot be used. */
  readonly problem?: string
  /** What looks wrong about it. */
  readonly doubts?: readonly Doubt[]
  /** Further numbers of the same line, each with its manufacturer where the list has one. */
  readonly alternates?: readonly { readonly part: string; readonly manufacturer?: string }[]
  readonly details?: RowDetails
}

/** What a row says beside the part number; '' where it says nothing. */
export interface RowDetails {
  readonly quantity: QuantityCell
  readonly unit: string
  readonly level: string
  readonly item: string
  readonly description: string
  readonly manufacturer: string
  readonly isFitted: boolean
  readonly ownPart?: string
  readonly reference?: string
}

/** One list. What was found out about it is known when its rows have been read. */
export class PartsList {
  readonly name: string
  /** The text, of a list that is one. */
  text: ListText | undefined
  delimiter: string | undefined
  /** The sheet that was read, and how many the workbook has. */
  sheet: { readonly name: string; readonly of: number } | undefined
  /** How the table is read; undefined for a list with a part on each line, and for an empty one. */
  layout: Layout | undefined
  /** The row of the headings in the file, from 1. */
  headingLine: number | undefined
  readonly #world: World
  readonly #source: ListSource
  readonly #options: ListOptions

  constructor(world: World, source: ListSource, options: ListOptions) {
    this.name = nameOf(source)
    this.#world = world
    this.#source = source
    this.#options = options
  }

  /**
   * The rows of the list in batches: of a text with a part on each line, of a table in `.csv`, `.tsv` or any text with a row of known
   * headings, of a workbook. Values lose the blanks around them and nothing else. A list that cannot be used is a `usage` failure
   * with file and line; a disk that fails is `io`.
   */
  async *rows(): AsyncGenerator<readonly ListRow[]> {
    if ('path' in this.#source && hasEnding(this.name, ['.xlsx', '.xlsm']))
      yield* this.#workbookRows(this.#source.path)
    else yield* this.#textRows()
  }

  async *#textRows(): AsyncGenerator<readonly ListRow[]> {
    const { encoding } = this.#options
    const wanted = encoding === undefined ? undefined : encodingNamed(encoding)
    this.text = new ListText(listChunks(this.#world, this.#source), this.name, wanted)
    const [first, blocks] = await peek(this.text.blocks())
    if (this.#hasFixedColumns(first)) throw fixedColumns(this.name)
    if (this.#isTable(first)) yield* this.#tableRows(blocks)
    else yield* lines(blocks)
  }

  // A text is a table by its name, by a chosen column, or by a row of headings that nobody would take for parts.
  #isTable(start: string): boolean {
    const { part, quantity, level, manufacturer } = this.#options.columns
    if (hasEnding(this.name, ['.csv', '.tsv', '.tab'])) return true
    if (isTextFile(this.#source)) return this.#hasHeadings(start)
    return [part, quantity, level, manufacturer].some((one) => one !== undefined) || this.#hasHeadings(start)
  }

  // Eagle and OrCAD print columns of a fixed width, with headings that are known.
  #hasFixedColumns(start: string): boolean {
    if (!/\S {2,}\S/.test(start) || this.#hasHeadings(start)) return false
    const rows = start.split('\n', HEADING_ROWS).map((line) => line.trim().split(/ {2,}/))
    const { hasPart, known } = bestHeadings(rows, {})
    return hasPart && known > 2
  }

  #hasHeadings(start: string): boolean {
    const { hasPart, known } = bestHeadings(firstRows(start, findDelimiter(start, {}, '\t')), {})
    return hasPart && known > 1
  }

  async *#tableRows(blocks: AsyncIterable<TextBlock>): AsyncGenerator<readonly ListRow[]> {
    const usual = hasEnding(this.name, ['.tsv', '.tab']) ? '\t' : undefined
    const choose = (text: string): string => findDelimiter(text, this.#options.columns, usual)
    const rows = tableRows(blocks, this.name, (text) => {
      this.delimiter = choose(text)
      return this.delimiter
    })
    yield* this.#rowsBelowHeadings(rows)
  }

  async *#workbookRows(path: string): AsyncGenerator<readonly ListRow[]> {
    const { openSheet } = await import('./workbook.ts')
    const { sheet, columns } = this.#options
    await using opened = await openSheet(
      this.#world,
      { path, absolute: absoluteOf(this.#source) },
      columns,
      sheet,
    )
    this.sheet = opened.sheet
    yield* this.#rowsBelowHeadings(opened.rows())
  }

  /** Finds the layout in the first rows, then classifies those below the headings. */
  async *#rowsBelowHeadings(batches: AsyncIterable<readonly TableRow[]>): AsyncGenerator<readonly ListRow[]> {
    const name =
      this.sheet === undefined || this.sheet.of === 1 ? this.name : `${this.name}, sheet "${this.sheet.name}"`
    const { columns, details } = this.#options
    let head: TableRow[] = []
    let reader: RowReader | undefined
    const start = (isWhole: boolean): readonly ListRow[] => {
      const first = head.slice(0, HEADING_ROWS)
      const layout = findLayout({ name, rows: first.map(({ cells }) => cells), isWhole }, columns)
      this.layout = layout
      if (layout === undefined) return []
      this.headingLine = first[layout.headingRow]?.line
      reader = new RowReader(layout, details)
      const below = reader.read(head.slice(layout.headingRow + 1))
      const heading = first[layout.headingRow]
      // Its word is not known as a heading: it is named among the rows that are no parts.
      return heading !== undefined && layout.isHeadingGuessed
        ? [{ line: heading.line, part: layout.columns.part.heading, skip: 'heading' }, ...below]
        : below
    }
    for await (const rows of batches) {
      if (reader !== undefined) {
        yield reader.read(rows)
        continue
      }
      head = head.concat(rows)
      if (head.length > HEADING_ROWS) yield start(false)
    }
    if (reader === undefined) yield start(head.length <= HEADING_ROWS)
  }
}

/** Where a row is: in the list, in the notes below it, or in another table. */
type Section = 'list' | 'notes' | 'other table'

/** Says what each row below the headings is. */
class RowReader {
  readonly #layout: Layout
  readonly #details: boolean
  readonly #positions: readonly number[]
  #section: Section = 'list'

  constructor(layout: Layout, details: boolean) {
    this.#layout = layout
    this.#details = details
    const { item, level, designator, quantity } = layout.columns
    this.#positions = [item, level, designator, quantity].flatMap((one) =>
      one === undefined ? [] : one.index,
    )
  }

  read(rows: readonly TableRow[]): readonly ListRow[] {
    const { columns, width, headings } = this.#layout
    const found: ListRow[] = []
    const parts = detached(rows.map(({ cells }) => cells[columns.part.index] ?? ''))
    for (const [index, row] of rows.entries()) {
      const { cells, line } = row
      const part = withoutFormula(trimBlanks(parts[index]!))
      const faults = row.faultAt?.(columns.part.index)
      const first = firstOf(cells)
      if (first < 0) {
        if (faults?.problem !== undefined) found.push({ line, part, ...faults })
        continue
      }
      if (isRuler(cells[first]!) && cells.every((cell) => cell.trim() === '' || isRuler(cell))) continue
      const skip = this.#skipKind(row, part, first)
      if (skip === 'heading' || skip === 'total' || skip === 'footer') {
        found.push({ line, part, skip })
        continue
      }
      const kept = this.#details ? { details: detailsOf(row, this.#layout) } : undefined
      if (skip !== undefined) found.push({ line, part, skip, ...kept })
      else if (part.includes('\n'))
        found.push({ line, part, problem: 'the part number has a line break in it' })
      else {
        const isLong = headings.length > 0 && cells.length > width && firstOf(cells.slice(width)) >= 0
        found.push(
          !isLong && faults === undefined && kept === undefined
            ? { line, part }
            : {
                line,
                part,
                ...kept,
                ...faults,
                ...(isLong ? { doubts: [tooManyCells(cells.length, width)] } : {}),
              },
        )
      }
    }
    return found
  }

  #skipKind({ cells }: TableRow, part: string, firstAt: number): SkipKind | undefined {
    const layout = this.#layout
    if (isHeadingAgain(cells, layout)) {
      this.#section = 'list'
      return 'heading'
    }
    if (isOtherHeading(cells, layout)) {
      this.#section = 'other table'
      return 'heading'
    }
    if (this.#section === 'other table') return 'footer'
    const quantityAt = layout.columns.quantity?.index
    const quantity = quantityAt === undefined ? undefined : (cells[quantityAt] ?? '').trim()
    const first = cells[firstAt]!.trim()
    const isFirstInPosition = this.#positions.includes(firstAt)
    const kind = skipKind({ part, first, isFirstInPosition, cells, quantity })
    if (quantity === undefined || kind === 'total') return kind
    if (isNotesTitle(first) && countFilled(cells) === 1) {
      this.#section = 'notes'
      return 'footer'
    }
    if (this.#section === 'notes' && /\d/.test(quantity)) this.#section = 'list'
    return this.#section === 'notes' ? 'footer' : kind
  }
}

function detailsOf(
  { cells, numberAt }: TableRow,
  { columns, isFittedNegated, unitOfQuantity }: Layout,
): RowDetails {
  const text = (role: Exclude<keyof Layout['columns'], 'part'>): string => {
    const column = columns[role]
    return column === undefined ? '' : withoutFormula((cells[column.index] ?? '').trim())
  }
  const quantity = text('quantity')
  const fitted = columns.fitted === undefined ? undefined : text('fitted')
  const others = cells.some((cell, index) => index !== columns.part.index && readNotFitted(cell.trim()))
  return {
    quantity: (columns.quantity && numberAt?.(columns.quantity.index)) ?? quantity,
    unit: text('unit') || unitOfQuantity,
    level: text('level'),
    item: text('item'),
    description: text('description'),
    manufacturer: text('manufacturer'),
    isFitted: !others && (fitted === undefined || readFitted(fitted, isFittedNegated)),
  }
}

function fixedColumns(name: string): Failure {
  return new Failure('usage', `${name} is a table with columns of a fixed width`, {
    file: name,
    hint: 'export it as .csv, or save it in a spreadsheet program as .xlsx',
  })
}

function tooManyCells(count: number, width: number): Doubt {
  const says = `the row has ${count} columns, the heading ${width}: is a quotation mark missing?`
  return { kind: 'columns', says }
}

/** The first cell with a value; -1 for none. */
function firstOf(cells: readonly string[]): number {
  return cells.findIndex((cell) => cell !== '' && cell.trim() !== '')
}

/** The same texts as slices of a new one: slices of the file's text would keep all of it in memory. No list has a NUL. */
function detached(texts: readonly string[]): readonly string[] {
  return texts.join('\0').split('\0')
}

/** Exporters write ="00123" so that a spreadsheet keeps the zeros. */
function withoutFormula(part: string): string {
  return part.charCodeAt(0) === 61 && /^=".+"$/.test(part) ? part.slice(2, -1) : part
}

async function* lines(blocks: AsyncIterable<TextBlock>): AsyncGenerator<readonly ListRow[]> {
  let isFirst = true
  for await (const { text, firstLine } of blocks) {
    yield text.split('\n').flatMap((value, index): ListRow[] => {
      const part = trimBlanks(value)
      if (part === '') return []
      const line = firstLine + index
      const isHeading = isFirst ? isPartHeading(part) : isSurePartHeading(part)
      const skip = isHeading ? 'heading' : isPlaceholder(part) ? 'placeholder' : undefined
      isFirst = false
      return [skip === undefined ? { line, part } : { line, part, skip }]
    })
  }
}

/** The value without the spaces, tabs and line breaks around it. Other whitespace is kept, and warned of later. */
function trimBlanks(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isBlank(text.charCodeAt(from))) from += 1
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1
  return from === 0 && to === text.length ? text : text.slice(from, to)
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10
}

/** The first text of a list, and all of its blocks. */
async function peek(blocks: AsyncGenerator<TextBlock>): Promise<readonly [string, AsyncIterable<TextBlock>]> {
  const { value: first } = (await blocks.next()) as IteratorResult<TextBlock, undefined>
  async function* all(): AsyncGenerator<TextBlock> {
    if (first !== undefined) yield first
    yield* blocks
  }
  return [first?.text ?? '', all()]
}

/** True for a list that is a text by its name: a `.txt` file. */
export function isTextFile(source: ListSource): boolean {
  return 'path' in source && hasEnding(source.path, ['.txt', '.lst', '.list'])
}

function absoluteOf(source: ListSource): string {
  return 'absolute' in source ? source.absolute : ''
}

function hasEnding(name: string, endings: readonly string[]): boolean {
  const lower = name.toLowerCase()
  return endings.some((ending) => lower.endsWith(ending))
}
