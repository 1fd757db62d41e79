import { cleanText } from '../base/clean-text.ts'
import { Failure, isFailure } from '../base/failure.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import type { World } from '../base/world.ts'
import { kindOf } from './column-values.ts'
import { headingScores, NUMBER_ROLES } from './heading.ts'
import {
  type ChosenColumns,
  decideLayout,
  type FoundColumn,
  isText,
  type Layout,
  layoutUnder,
  type OneColumnRole,
  Profile,
  profileTable,
  scoreHeadingRow,
} from './layout.ts'
import {
  FIRST_ROWS,
  findDelimiter,
  LONGEST_CELL,
  shapeOf,
  type TableRow,
  tableRows,
  withShortCells,
} from './list-table.ts'
import { encodingNamed, type ListSource, ListText, listChunks, nameOf, type TextBlock } from './list-text.ts'
import { isRemark, numbersOf } from './part-cell.ts'
import type { Doubt } from './part-number.ts'
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
import { RowSpool } from './row-spool.ts'
import { faultOf, type MergedCells, numberOf } from './sheet-rows.ts'

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

/** A part number of a list, or a row without one. Rows without any value are left out. */
export interface ListRow {
  /** The line on which it begins, or the row of the sheet, from 1. */
  readonly line: number
  /** The part number; '' for a row that has other values only. */
  readonly part: string
  /** Another choice for the line above: it has no details. */
  readonly isAlternate?: boolean
  /** Why it is no part of the list, although it has values. */
  readonly skip?: SkipKind
  /** Why it cannot be used. */
  readonly problem?: string
  /** What looks wrong about it. */
  readonly doubts?: readonly Doubt[]
  readonly details?: RowDetails
  readonly isHidden?: boolean
}

/** What a row says beside the part number; '' where it says nothing. */
export interface RowDetails {
  readonly quantity: QuantityCell
  readonly unit: string
  readonly level: string
  readonly item: string
  readonly ownPart: string
  readonly description: string
  readonly manufacturer: string
  readonly reference: string
  readonly isFitted: boolean
}

/** A sheet that was not read although it has parts. */
export interface OtherSheet {
  readonly name: string
  readonly parts: number
}

/** One list. `open` reads it once and decides how; then its rows can be read, as often as needed. */
export class PartsList implements AsyncDisposable {
  readonly name: string
  /** The text, of a list that is one. */
  text: ListText | undefined
  delimiter: string | undefined
  /** The sheet that was read, and how many the workbook has. */
  sheet: { readonly name: string; readonly isHidden: boolean; readonly of: number } | undefined
  otherSheets: readonly OtherSheet[] = []
  /** How the table is read; undefined for a list with a part on each line, and for an empty one. */
  layout: Layout | undefined
  /** The row of the headings in the file, from 1. */
  headingLine: number | undefined
  /** Columns that say part number and are not read. */
  otherColumns: readonly (FoundColumn & { readonly filled: number })[] = []
  /** Columns that are read although the sheet hides them. */
  hiddenColumns: readonly string[] = []
  readonly #world: World
  readonly #source: ListSource
  readonly #options: ListOptions
  readonly #open = new ResourceStack()
  readonly #spool: RowSpool
  #merged: readonly MergedCells[] = []

  constructor(world: World, source: ListSource, options: ListOptions) {
    this.name = nameOf(source)
    this.#world = world
    this.#source = source
    this.#options = options
    this.#spool = this.#open.use(new RowSpool(world))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#open[Symbol.asyncDispose]()
  }

  /**
   * Reads the list: a text with a part on each line, a table in `.csv`, `.tsv` or any text with a row of known headings, or a workbook.
   * A list that cannot be used is a `usage` failure with file and line; a disk that fails is `io`.
   */
  async open(): Promise<void> {
    if ('path' in this.#source && hasEnding(this.name, ['.xlsx', '.xlsm'])) {
      await this.#openWorkbook(this.#source.path, this.#source.absolute)
    } else await this.#openText()
  }

  /** Every row as it is in the file, the headings and what is above them too. */
  table(): AsyncGenerator<readonly TableRow[]> {
    return this.#spool.batches()
  }

  /** The rows of the list in batches. Values lose the blanks around them and nothing else. */
  async *rows(): AsyncGenerator<readonly ListRow[]> {
    const { layout } = this
    const reader =
      layout === undefined ? undefined : new RowReader(layout, this.#options.details, this.delimiter)
    const merged = this.#merged.length === 0 ? undefined : new MergedRows(this.#merged)
    let isFirst = true
    for await (const batch of this.#spool.batches()) {
      const rows = merged === undefined ? batch : batch.map((row) => merged.fill(row))
      if (reader === undefined) yield lineRows(rows, isFirst)
      else yield reader.read(isFirst ? this.#belowHeadings(rows, layout!) : rows)
      isFirst = false
    }
  }

  // A heading in words that are not known is named among the rows that are no parts.
  #belowHeadings(rows: readonly TableRow[], { headingRow, isHeadingGuessed }: Layout): readonly TableRow[] {
    return rows.slice(isHeadingGuessed ? headingRow : headingRow + 1)
  }

  async #openText(): Promise<void> {
    const { encoding, columns } = this.#options
    const wanted = encoding === undefined ? undefined : encodingNamed(encoding)
    this.text = new ListText(listChunks(this.#world, this.#source), this.name, wanted)
    const [start, blocks] = await peek(this.text.blocks())
    const shape = shapeOf(start)
    if (shape !== undefined) {
      throw new Failure('usage', `${this.name} is ${shape.what}`, { file: this.name, hint: shape.hint })
    }
    const usual = hasEnding(this.name, ['.tsv', '.tab']) ? '\t' : undefined
    const found = findDelimiter(start, columns, usual ?? (this.#isNamedTable() ? undefined : '\t'))
    if (!this.#isNamedTable() && !found.isTable && !this.#hasChosenColumn()) {
      await this.#profile(lines(blocks), new Profile({ row: -1, headings: [], total: 0 }))
      return
    }
    const rows = tableRows(blocks, this.name, (text) => {
      this.delimiter = findDelimiter(text, columns, usual).delimiter
      return this.delimiter
    })
    await this.#profile(rows)
  }

  #isNamedTable(): boolean {
    return hasEnding(this.name, ['.csv', '.tsv', '.tab'])
  }

  #hasChosenColumn(): boolean {
    const { part, quantity, level, manufacturer } = this.#options.columns
    return (
      !isTextFile(this.#source) &&
      [part, quantity, level, manufacturer].some((column) => column !== undefined)
    )
  }

  async #openWorkbook(path: string, absolute: string): Promise<void> {
    const { openSheet } = await import('./workbook.ts')
    const { sheet, columns } = this.#options
    await using opened = await openSheet(this.#world, { path, absolute }, columns, sheet)
    this.sheet = opened.sheet
    await this.#profile(opened.rows())
    const { merged, hiddenColumns } = opened.facts
    this.#merged = merged
    const read = Object.values(this.layout?.columns ?? {})
    this.hiddenColumns = read
      .filter(({ index }) => hiddenColumns.some(([first, last]) => index >= first && index <= last))
      .map(({ heading }) => heading)
    if (sheet === undefined && this.layout !== undefined) this.otherSheets = await opened.otherSheets()
  }

  /** Keeps all rows, and decides by their values how they are read; with a profile they are lines of part numbers. */
  async #profile(batches: AsyncIterable<readonly TableRow[]>, plain?: Profile): Promise<void> {
    let head: TableRow[] = []
    let profile: Profile | undefined = plain
    let uncalculated: number | undefined
    const start = async (): Promise<void> => {
      await this.#spool.add(head)
      const cells = head.map((row) => row.cells)
      profile = profileTable(cells, this.#options.columns)
      this.headingLine = head[profile.headingRow]?.line
    }
    for await (const rows of batches) {
      uncalculated ??= rows.find((row) => hasUncalculated(row))?.line
      if (profile === undefined) {
        head = head.concat(rows)
        if (head.length < FIRST_ROWS) continue
        await start()
      } else {
        await this.#spool.add(rows)
        for (const row of rows) profile.add(row.cells)
      }
    }
    if (profile === undefined) await start()
    if (plain !== undefined) {
      if (plain.columns[0] !== undefined && isText(plain.columns[0].values)) throw noList(this.name, plain)
      return
    }
    this.#decide(profile!, uncalculated)
  }

  #decide(profile: Profile, uncalculated: number | undefined): void {
    const { name } = this
    const sheet = this.sheet === undefined || this.sheet.of === 1 ? '' : `, sheet "${this.sheet.name}"`
    try {
      this.layout = decideLayout(profile, `${name}${sheet}`, this.#options.columns)
    } catch (error) {
      if (uncalculated === undefined || !isFailure(error)) throw error
      const message = `${name}:${uncalculated}: a cell has a formula without its result`
      throw new Failure('usage', message, {
        file: name,
        line: uncalculated,
        hint: 'open the workbook in a spreadsheet program and save it',
      })
    }
    const { layout } = this
    if (layout === undefined) return
    const read = [...Object.values(layout.columns), ...layout.alternates, ...layout.instead]
    this.otherColumns = profile.otherNumbers(read.map(({ index }) => index))
  }
}

function hasUncalculated({ typed }: TableRow): boolean {
  return typed !== undefined && Object.values(typed).some((cell) => 'isUncalculated' in cell)
}

function noList(name: string, { columns }: Profile): Failure {
  const { examples } = columns[0]!.values
  return new Failure('usage', `${name} looks like notes or prose, not like a list of part numbers`, {
    file: name,
    problems: examples.map((text) => JSON.stringify(text)),
    hint: 'put one part number on each line, or give a table with headings',
  })
}

/** Fills the cells of merged ranges below the first one. */
class MergedRows {
  readonly #ranges: readonly MergedCells[]
  #next = 0
  #open: { readonly range: MergedCells; value: string | undefined; typed: TableRow['typed'] }[] = []

  constructor(ranges: readonly MergedCells[]) {
    this.#ranges = ranges.toSorted((a, b) => a.from - b.from)
  }

  fill(row: TableRow): TableRow {
    const { line } = row
    this.#open = this.#open.filter(({ range }) => range.to >= line)
    while (this.#next < this.#ranges.length && this.#ranges[this.#next]!.from <= line) {
      const range = this.#ranges[this.#next]!
      this.#next += 1
      if (range.to < line) continue
      const isHere = range.from === line
      this.#open.push({
        range,
        value: isHere ? row.cells[range.column] : undefined,
        typed: isHere ? row.typed : undefined,
      })
    }
    if (this.#open.every(({ range, value }) => range.from === line || value === undefined)) return row
    const cells = [...row.cells]
    const typed: Record<number, NonNullable<TableRow['typed']>[number]> = { ...row.typed }
    const merged: number[] = []
    for (const { range, value, typed: above } of this.#open) {
      if (range.from === line || value === undefined || (cells[range.column] ?? '') !== '') continue
      while (cells.length <= range.column) cells.push('')
      cells[range.column] = value
      if (above?.[range.column] !== undefined) typed[range.column] = above[range.column]!
      merged.push(range.column)
    }
    return { ...row, cells, typed, merged }
  }
}

/** A part number without anything that could divide it or make it a remark. */
const PLAIN_NUMBER = /^(?=\D{0,40}\d)[\w\-/+#]{1,60}$/

const NO_DOUBTS: readonly Doubt[] = []

/** So many unknown marks are named. */
const MOST_MARKS = 20

/** Where a row is: in the list, in the notes below it, or in another table. */
type Section = 'list' | 'notes' | 'other table'

/** Says what each row below the headings is. */
class RowReader {
  readonly #details: boolean
  /** Of a text. */
  readonly #delimiter: string | undefined
  readonly #heading: number
  #layout: Layout
  #positions: readonly number[]
  #noteColumns: ReadonlySet<number>
  #section: Section = 'list'
  /** The line of the row before, and whether a line without values or a total is between it and the next. */
  #lastLine: number | undefined
  #isBelowGap = false
  /** The row before is a line of the list that has its item and its quantity. */
  #hasLine = false
  /** Marks of the column of fitted parts that are not known. */
  readonly #marks = new Set<string>()

  constructor(layout: Layout, details: boolean, delimiter: string | undefined) {
    this.#details = details
    this.#delimiter = delimiter
    this.#layout = layout
    this.#heading = scoreHeadingRow(layout.headings).total
    this.#positions = positionsOf(layout)
    this.#noteColumns = noteColumnsOf(layout)
  }

  read(rows: readonly TableRow[]): readonly ListRow[] {
    return rows.flatMap((row) => this.#row(row))
  }

  #row(row: TableRow): readonly ListRow[] {
    const { cells, line } = row
    const { columns, alternates, instead } = this.#layout
    const first = firstOf(cells)
    const isBelowGap =
      this.#lastLine !== undefined && line > this.#lastLine + 1 && this.#delimiter === undefined
    if (first < 0) {
      this.#isBelowGap = true
      const { problem } = faultOf(row.typed?.[columns.part.index])
      return problem === undefined ? [] : [{ line, part: '', problem }]
    }
    this.#lastLine = line
    if (isBelowGap) this.#isBelowGap = true
    if (isRuler(cells[first]!) && cells.every((cell) => cell.trim() === '' || isRuler(cell))) return []
    const { problem = this.#quotedWhole(cells) } = faultOf(row.typed?.[columns.part.index])
    if (problem !== undefined) return [{ line, part: '', problem }]
    const own = textAt(cells, columns.part)
    const hidden = row.isHidden === true ? { isHidden: true } : undefined
    const choices = [columns.part, ...alternates]
      .map((column) => ({ column, text: textAt(cells, column) }))
      .filter(({ text }) => text !== '' && !isPlaceholder(text))
    if (choices.length === 0) {
      const other = instead.map((column) => ({ column, text: textAt(cells, column) }))
      choices.push(...other.filter(({ text }) => text !== '' && !isPlaceholder(text)).slice(0, 1))
    }
    const text = choices[0]?.text ?? own
    const skip = this.#skipKind(row, text, first)
    if (skip === 'total') this.#isBelowGap = true
    if (skip === 'heading' || skip === 'total' || skip === 'footer') {
      this.#hasLine = false
      return [{ line, part: shortened(text), skip }]
    }
    const kept = this.#details ? { details: this.#detailsOf(row) } : undefined
    if (skip !== undefined) {
      this.#hasLine = false
      return [{ line, part: shortened(text), skip, ...kept, ...hidden }]
    }
    return this.#numbers(row, choices, { ...kept, ...hidden })
  }

  /** The numbers of a line: the part number, and its alternates. */
  #numbers(
    row: TableRow,
    choices: readonly { readonly column: FoundColumn; readonly text: string }[],
    kept: Pick<ListRow, 'details' | 'isHidden'>,
  ): readonly ListRow[] {
    const { line } = row
    const isPlain = choices.length === 1 && PLAIN_NUMBER.test(choices[0]!.text) && row.typed === undefined
    const rowDoubts = this.#rowDoubts(row)
    // Nearly all rows.
    if (isPlain && rowDoubts.length === 0 && !this.#isContinued(row)) {
      this.#hasLine = true
      return [{ line, part: choices[0]!.text, ...kept }]
    }
    const found: ListRow[] = []
    const remarks: ListRow[] = []
    for (const { column, text } of choices) {
      const { doubts } = faultOf(row.typed?.[column.index])
      for (const part of numbersOf(text)) {
        if (part.length > LONGEST_CELL || isRemark(part))
          remarks.push({ line, part: shortened(part), skip: 'remark' })
        else if (found.every((one) => one.part !== part)) {
          found.push({ line, part, ...(doubts === undefined ? {} : { doubts }) })
        }
      }
    }
    const [first, ...others] = found
    const alternates = others.map((one) => ({ ...one, isAlternate: true }))
    const continued = this.#isContinued(row)
    if (first !== undefined && this.#hasLine && continued) {
      return [
        { ...first, isAlternate: true, ...(kept.isHidden ? { isHidden: true } : {}) },
        ...alternates,
        ...remarks,
      ]
    }
    this.#hasLine = first !== undefined && !continued
    if (first === undefined) {
      const [remark, ...more] = remarks
      if (remark !== undefined) return [{ ...remark, ...kept }, ...more]
      return [{ line, part: '', ...kept, ...(rowDoubts.length === 0 ? {} : { doubts: rowDoubts }) }]
    }
    const doubts = [...(first.doubts ?? []), ...rowDoubts]
    return [{ ...first, ...(doubts.length === 0 ? {} : { doubts }), ...kept }, ...alternates, ...remarks]
  }

  #rowDoubts(row: TableRow): readonly Doubt[] {
    const [cells, mark] = [this.#tooManyCells(row), this.#details ? this.#unknownMark(row) : undefined]
    if (cells === undefined && mark === undefined) return NO_DOUBTS
    return [cells, mark].filter((one) => one !== undefined)
  }

  /** True for a row that goes on with the line above: neither an item nor a quantity of its own, where the list has both. */
  #isContinued({ cells, merged = [] }: TableRow): boolean {
    const { item, designator, quantity, level } = this.#layout.columns
    const place = item ?? designator
    if (place === undefined || quantity === undefined) return false
    return [place, quantity, level, designator].every(
      (column) => column === undefined || merged.includes(column.index) || textAt(cells, column) === '',
    )
  }

  /** A row whose cells are one, as a table that was saved twice has them. */
  #quotedWhole(cells: readonly string[]): string | undefined {
    const { width } = this.#layout
    if (this.#delimiter === undefined || cells.length > 1 || width < 3) return undefined
    if (cells[0]!.split(this.#delimiter).length < width - 1) return undefined
    return 'the line is wholly in quotes, so its cells are one: save the table again from its original'
  }

  #tooManyCells({ cells }: TableRow): Doubt | undefined {
    const { headings, width } = this.#layout
    if (this.#delimiter === undefined || headings.length === 0 || cells.length <= width) return undefined
    if (firstOf(cells.slice(width)) < 0) return undefined
    const says = `the row has ${cells.length} columns, the heading ${width}: is a quotation mark missing?`
    return { kind: 'columns', says }
  }

  #unknownMark({ cells }: TableRow): Doubt | undefined {
    const { columns, isFittedNegated } = this.#layout
    const mark = columns.fitted === undefined ? '' : textAt(cells, columns.fitted)
    if (mark === '' || this.#marks.has(mark) || readFitted(mark, isFittedNegated) !== undefined)
      return undefined
    if (this.#marks.size < MOST_MARKS) this.#marks.add(mark)
    const says = `"${cleanText(mark, 40)}" in column "${columns.fitted!.heading}" is not known as a mark: read as fitted`
    return { kind: 'fitted', says }
  }

  #skipKind(row: TableRow, part: string, firstAt: number): SkipKind | undefined {
    const { cells } = row
    const { columns, hasQuantities } = this.#layout
    const quantity = columns.quantity === undefined ? undefined : textAt(cells, columns.quantity)
    if (this.#isHeading(cells, part, quantity)) return 'heading'
    if (this.#section === 'other table') return 'footer'
    const first = cells[firstAt]!.trim()
    const isFirstInPosition = this.#positions.includes(firstAt)
    const kind = skipKind({ part, first, isFirstInPosition, cells, quantity })
    if (quantity === undefined || kind === 'total') return kind
    const filled = countFilled(cells)
    if (isNotesTitle(first) && filled === 1) {
      this.#section = 'notes'
      return 'footer'
    }
    const hasQuantity = /\d/.test(quantity)
    if (this.#section === 'notes' && hasQuantity) this.#section = 'list'
    if (this.#section === 'notes') return 'footer'
    // Names, dates and signatures below the list.
    if (kind === undefined && this.#isBelowGap && hasQuantities && !hasQuantity && filled <= 3)
      return 'footer'
    if (hasQuantity) this.#isBelowGap = false
    return kind
  }

  /** True for a row of headings: those of the list again, or of a further table, which is read by its own. */
  #isHeading(cells: readonly string[], part: string, quantity: string | undefined): boolean {
    // Nearly all rows have a digit in one of these.
    if (/\d/.test(part.replace(/[1-9]$/, '')) || /\d/.test(quantity ?? '')) return false
    const { headings, columns } = this.#layout
    const isAgain = ({ index }: FoundColumn): boolean => {
      const heading = headings[index]?.trim().toLowerCase() ?? ''
      return heading !== '' && heading === (cells[index] ?? '').trim().toLowerCase()
    }
    if (isAgain(columns.part) && (columns.quantity === undefined || isAgain(columns.quantity))) {
      this.#section = 'list'
      return true
    }
    const filled = countFilled(cells)
    if (headings.length === 0 || filled < 2 || cells.some((cell) => /\d{2}/.test(cell))) return false
    const { known, total } = scoreHeadingRow(cells)
    if (known < 2 || known < 0.6 * filled) return false
    if (total < (this.#isBelowGap ? 3 : 0.5 * this.#heading)) return false
    const below = layoutUnder(this.#layout, cells)
    if (below !== undefined) {
      this.#layout = below
      this.#positions = positionsOf(below)
      this.#noteColumns = noteColumnsOf(below)
      this.#section = 'list'
      this.#isBelowGap = false
      return true
    }
    if (!this.#isBelowGap && known < 3) return false
    this.#section = 'other table'
    return true
  }

  #detailsOf({ cells, typed }: TableRow): RowDetails {
    const { columns, isFittedNegated, unitOfQuantity } = this.#layout
    const text = (role: Exclude<OneColumnRole, 'part'>): string => {
      const column = columns[role]
      return column === undefined ? '' : textAt(cells, column)
    }
    const quantity = columns.quantity && numberOf(typed?.[columns.quantity.index])
    const fitted = columns.fitted === undefined ? undefined : readFitted(text('fitted'), isFittedNegated)
    const isMarked = cells.some(
      (cell, index) =>
        index !== columns.part.index && readNotFitted(cell.trim(), this.#noteColumns.has(index)),
    )
    return {
      quantity: quantity ?? text('quantity'),
      unit: text('unit') || unitOfQuantity,
      level: text('level'),
      item: text('item'),
      ownPart: text('own part'),
      description: text('description'),
      manufacturer: text('manufacturer'),
      reference: text('designator'),
      isFitted: !isMarked && fitted !== false,
    }
  }
}

function positionsOf({ columns: { item, level, designator, quantity } }: Layout): readonly number[] {
  return [item, level, designator, quantity].flatMap((one) => (one === undefined ? [] : one.index))
}

/** Columns in which short marks such as `NI` say that a part is not fitted. */
function noteColumnsOf({ headings, columns: { fitted } }: Layout): ReadonlySet<number> {
  const notes = headings.flatMap((heading, index) => (headingScores(heading).isNote ? [index] : []))
  return new Set(fitted === undefined ? notes : [...notes, fitted.index])
}

/** The value of a column, without blanks, and without the `=""` that keeps the zeros of ="00123". */
function textAt(cells: readonly string[], { index }: FoundColumn): string {
  const text = trimBlanks(cells[index] ?? '')
  return text.charCodeAt(0) === 61 && /^=".+"$/.test(text) ? text.slice(2, -1) : text
}

function shortened(text: string): string {
  return text.length > 200 ? cleanText(text, 200) : text
}

/** The first cell with a value; -1 for none. */
function firstOf(cells: readonly string[]): number {
  return cells.findIndex((cell) => cell !== '' && cell.trim() !== '')
}

/** The lines of a text as rows of one cell. */
async function* lines(blocks: AsyncIterable<TextBlock>): AsyncGenerator<readonly TableRow[]> {
  for await (const { text, firstLine } of blocks) {
    yield text
      .split('\n')
      .flatMap((value, index) =>
        trimBlanks(value) === '' ? [] : [withShortCells({ line: firstLine + index, cells: [value] })],
      )
  }
}

/** The rows of a list with one part number on each line. */
function lineRows(rows: readonly TableRow[], isStart: boolean): readonly ListRow[] {
  return rows.map(({ line, cells }, index): ListRow => {
    const part = trimBlanks(cells[0] ?? '')
    if (part.length > LONGEST_CELL) return { line, part: shortened(part), skip: 'remark' }
    if (isPartHeading(part, isStart && index === 0)) return { line, part, skip: 'heading' }
    return isPlaceholder(part) ? { line, part, skip: 'placeholder' } : { line, part }
  })
}

/** True for a text that is a heading of part numbers; other lines than the first must say nothing else. */
function isPartHeading(text: string, isFirst: boolean): boolean {
  if (/\S\d/.test(text) || kindOf(text) === 'none') return false
  const { points, best, isKnown } = headingScores(text)
  const most = isKnown ? Math.max(0, ...NUMBER_ROLES.map((role) => points[role] ?? 0)) : 0
  return isFirst ? most >= 2.3 && most >= best : most >= 6
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

function hasEnding(name: string, endings: readonly string[]): boolean {
  const lower = name.toLowerCase()
  return endings.some((ending) => lower.endsWith(ending))
}
