import { cleanText } from '../base/clean-text.ts'
import { formatCount } from '../base/units.ts'
import { type ValueKind, valueKind } from './column-values.ts'
import { headingScores, isShop, numberPointsOf, withoutLabel } from './heading.ts'
import { areNumbers, isRemark, isWords, type Unlike, unlikeOthers } from './judge-value.ts'
import {
  type FoundColumn,
  isCleanHeading,
  type Layout,
  layoutBelow,
  type OneColumnRole,
  scoreHeadingRow,
} from './layout.ts'
import { isMarkup } from './list-shape.ts'
import { LONGEST_CELL, type TableRow } from './list-table.ts'
import type { Doubt } from './part-number.ts'
import { NOT_ORDERED, type QuantityCell } from './read-quantity.ts'
import {
  countFilled,
  isDitto,
  isNoPartNumber,
  isNotFittedPlace,
  isRuler,
  readFitted,
  readNotFitted,
  type SkipKind,
  saysFitted,
  skipKind,
} from './row-kind.ts'
import { faultOf, isFormulaZero, isUncalculated, NO_RESULT, numberOf } from './sheet-rows.ts'

/** A part number of a list, or a row without one. Rows without any value are left out. */
export interface ListRow {
  /** The line on which it begins, or the row of the sheet, from 1. */
  readonly line: number
  /** The part number; '' for a row that has other values only. */
  readonly part: string
  /** Another choice for the line above: it has no details. */
  readonly isAlternate?: boolean
  /** Another value of the row before. */
  readonly isOfSameRow?: boolean
  /** A heading row that begins a further table: whether that is read. */
  readonly furtherTable?: 'read' | 'not read' | undefined
  /** How many cells of the columns that are read have a value; of the first value of a row. */
  readonly filled?: number
  /** Why cells among these are not used, although the row is. */
  readonly unused?: readonly string[]
  /** Why it is no part of the list, although it has values. */
  readonly skip?: SkipKind
  /** Why it cannot be used. */
  readonly problem?: string
  /** What looks wrong about it. */
  readonly doubts?: readonly Doubt[]
  /** What it is, if the other values of its column are something else. */
  readonly unlike?: { readonly what: Unlike; readonly column: string }
  readonly details?: RowDetails
  readonly isHidden?: boolean
  /** Its number or quantity is struck through, at least in part. */
  readonly isStruck?: boolean
  /** A column of numbers has another value in it, beneath a merged cell. */
  readonly isBeneath?: boolean
  /** Its number is that of a row above, by a ditto mark. */
  readonly isDitto?: boolean
  /** Its number is of a column that is read where the others are empty. */
  readonly isSubstitute?: boolean
  /** Its quantity, or what says that it is fitted, is the 0 of a formula. */
  readonly isFormulaZero?: boolean
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

/** A part number without anything that could divide it or make it a remark. */
const PLAIN_NUMBER =
  /^(?=\D{0,40}\d)(?!(?:M\d{1,3}x?|\d+(?:mm|cm|in|ft|x))\d*$|\d{1,4}(?:[a-zA-Z]{1,4}\d{0,2}(?:[-/]|$)|$))[A-Za-z\d\-/+#]{1,60}$/

const NO_DOUBTS: readonly Doubt[] = []

/** So many unknown marks are named. */
const MOST_MARKS = 20

/** Where a row is: in the list, or in another table. */
type Section = 'list' | 'other table'

/** Says what each row below the headings is. */
export class RowReader {
  readonly #details: boolean
  /** Of a text. */
  readonly #delimiter: string | undefined
  readonly #heading: number
  #layout!: Layout
  /** The columns of the part number and of its alternates. */
  #choices!: readonly FoundColumn[]
  #positions!: readonly number[]
  #noteColumns!: ReadonlySet<number>
  /** The indexes of the columns that are read. */
  #read!: readonly number[]
  /** Those, and the ones of notes, in which a ditto mark repeats what is above. */
  #repeated!: readonly number[]
  #section: Section = 'list'
  /** The rows that are read, and which of them is. */
  #batch: readonly TableRow[] = []
  #at = 0
  /** The line of the row before, and whether a line without values or a total is between it and the next. */
  #lastLine: number | undefined
  #isBelowGap = false
  /** No row was read since the headings of the list. */
  #isBelowHeadings = true
  /** The row before is a line of the list that has its item and its quantity. */
  #hasLine = false
  /** The first number of that line. */
  #number: string | undefined
  /** Of a row of headings that begins a further table. */
  #furtherTable: ListRow['furtherTable']
  /** The last value of each of these. */
  readonly #last: string[] = []
  /** Whether the last row that was looked at is marked as not fitted. */
  #seen: { readonly cells: readonly string[]; readonly isMarked: boolean } | undefined
  /** Marks of the column of fitted parts that are not known. */
  readonly #marks = new Set<string>()
  /** The columns that have filled a row whose number is missing, by index. */
  readonly #filling = new Set<number>()

  constructor(layout: Layout, details: boolean, delimiter: string | undefined) {
    this.#details = details
    this.#delimiter = delimiter
    this.#heading = scoreHeadingRow(layout.headings).total
    this.#readBy(layout)
  }

  #readBy(layout: Layout): void {
    this.#layout = layout
    const { alternates, columns } = layout
    const { part, item, level, designator, quantity } = columns
    this.#choices = [part, ...alternates]
    this.#positions = [item, level, designator, quantity].flatMap((one) => one?.index ?? [])
    const marks = columns.fitted === undefined ? [] : [columns.fitted]
    this.#noteColumns = new Set([...notesOf(layout), ...marks].map(({ index }) => index))
    const read = this.#details ? [...this.#choices, ...Object.values(columns)] : this.#choices
    this.#read = [...new Set(read.map(({ index }) => index))]
    this.#repeated = [...new Set([...this.#read, ...(this.#details ? this.#noteColumns : [])])]
    this.#last.length = 0
  }

  read(rows: readonly TableRow[]): readonly ListRow[] {
    const read: ListRow[] = []
    this.#batch = rows
    for (const [at, row] of rows.entries()) {
      this.#at = at
      const found = this.#row(row)
      if (Array.isArray(found)) for (const one of found) read.push(one)
      else if (found !== undefined) read.push(found as ListRow)
    }
    return read
  }

  #row(given: TableRow): ListRow | readonly ListRow[] | undefined {
    const row = this.#withRepeated(given)
    const { cells, line, typed } = row
    const { columns } = this.#layout
    const firstAt = firstOf(cells)
    const filled = this.#countRead(cells) + this.#beneath(row)
    this.#furtherTable = undefined
    if (firstAt < 0) {
      this.#isBelowGap = true
      return undefined
    }
    const problem = this.#problem(row)
    if (this.#lastLine !== undefined && line > this.#lastLine + 1 && this.#delimiter === undefined) {
      this.#isBelowGap = true
    }
    this.#lastLine = line
    const first = cells[firstAt]!.trim()
    if (isRuler(first) && cells.every((cell) => cell.trim() === '' || isRuler(cell)))
      return { line, part: '', skip: 'ruler', filled }
    const choices = choicesOf(cells, this.#choices)
    const text = choices[0]?.text ?? textAt(cells, columns.part)
    // Nearly all rows begin with their item or quantity, and have a part number that can be nothing else.
    const isPlain = choices.length === 1 && typed === undefined && PLAIN_NUMBER.test(text)
    const isOrdinary = isPlain && /^\d/.test(first) && this.#section === 'list' && !this.#isBelowGap
    const skip = isOrdinary && first !== text ? undefined : this.#skipKind(row, text, first, firstAt)
    this.#isBelowHeadings = false
    if (problem !== undefined && skip !== 'total') return { line, part: '', problem, filled }
    if (skip === 'total') this.#isBelowGap = true
    if (skip !== undefined) this.#hasLine = false
    if (skip === 'heading' || skip === 'total' || skip === 'footer') {
      return { line, part: shortened(text), skip, filled, furtherTable: this.#furtherTable }
    }
    for (const index of this.#repeated) {
      const cell = cells[index] ?? ''
      if (cell !== '') this.#last[index] = cell
    }
    const isSubstitute = choices[0]?.column.isSubstitute === true
    const isMarked = row.isHidden || row.struck || row.beneath || row !== given || isSubstitute
    const details = this.#details || isMarked ? this.#kept(row, given, isSubstitute) : undefined
    if (skip !== undefined) return { line, part: shortened(text), skip, filled, ...details }
    if (isSubstitute) this.#filling.add(choices[0]!.column.index)
    const doubts = this.#rowDoubts(row)
    const unused = this.#unused(row, choices)
    if (isPlain && doubts.length === 0 && unused === undefined && !this.#isContinued(row)) {
      this.#hasLine = true
      this.#number = text
      return details === undefined ? { line, part: text, filled } : { line, part: text, filled, ...details }
    }
    const kept = { filled, ...(unused === undefined ? {} : { unused }), ...details }
    return this.#numbers(row, choices, kept, doubts)
  }

  /** Columns that are read where the others are empty, and have filled no row so far. */
  isIdle({ index, isSubstitute = false }: FoundColumn): boolean {
    return isSubstitute && !this.#filling.has(index)
  }

  /** The row with the values above in place of ditto marks. */
  #withRepeated(row: TableRow): TableRow {
    let cells: string[] | undefined
    for (const index of this.#repeated) {
      const cell = row.cells[index]
      const above = this.#last[index]
      if (cell === undefined || cell === '' || cell.length > 7 || above === undefined) continue
      if (!isDitto(cell.trim())) continue
      cells ??= [...row.cells]
      cells[index] = above
    }
    return cells === undefined ? row : { ...row, cells }
  }

  /** Why a cell of part numbers cannot be read. */
  #problem({ cells, typed }: TableRow): string | undefined {
    if (typed === undefined) return this.#quotedWhole(cells) ?? this.#cutCell(cells)
    for (const column of this.#choices) {
      if (column.isSubstitute && choicesOf(cells, this.#choices)[0]?.column !== column) continue
      const { problem } = faultOf(typed[column.index])
      if (problem !== undefined) return `the cell in column "${column.heading}" ${problem}`
    }
    return this.#cutCell(cells)
  }

  /** A cell with more numbers than were kept of it. */
  #cutCell(cells: readonly string[]): string | undefined {
    const cut = this.#choices.find(
      (column) =>
        (cells[column.index]?.length ?? 0) > LONGEST_CELL &&
        numbersOf(textAt(cells, column).replace(/[\s;|/,]+[^\s;|/,]*$/, ''), column.usual?.kinds).length > 1,
    )
    return (
      cut &&
      `the cell in column "${cut.heading}" has part numbers beyond ${formatCount(LONGEST_CELL)} characters: put some of them into rows or columns of their own`
    )
  }

  /** How many cells of the columns that are read have a value. */
  #countRead(cells: readonly string[]): number {
    let filled = 0
    for (const index of this.#read)
      if ((cells[index] ?? '') !== '' && cells[index]!.trim() !== '') filled += 1
    return filled
  }

  /** How many cells of the columns that are read have a value beneath a merged cell. */
  #beneath({ beneath = [] }: TableRow): number {
    return beneath.filter((index) => this.#read.includes(index)).length
  }

  /** Why cells of the columns that are read say nothing, in a row that is used. */
  #unused(row: TableRow, choices: readonly Choice[]): readonly string[] | undefined {
    const { cells, typed } = row
    if (this.#choices.length === 1 && typed === undefined) return undefined
    const without = this.#choices.filter(
      (column) => textAt(cells, column) !== '' && choices.every((one) => one.column !== column),
    )
    const unused = without.map((column) => unusedReason(textAt(cells, column)))
    for (const index of this.#read) if (isUncalculated(typed?.[index])) unused.push(NO_RESULT)
    for (let count = this.#beneath(row); count > 0; count -= 1) unused.push('beneath a merged cell')
    return unused.length === 0 ? undefined : unused
  }

  #kept(row: TableRow, given: TableRow, isSubstitute: boolean): Kept {
    return {
      ...(this.#details ? { details: this.#detailsOf(row) } : {}),
      ...(isSubstitute ? { isSubstitute } : {}),
      ...(row.isHidden ? { isHidden: true } : {}),
      ...(this.#details && this.#hasFormulaZero(row) ? { isFormulaZero: true } : {}),
      ...(this.#isStruck(row) ? { isStruck: true } : {}),
      ...(this.#choices.some(({ index }) => row.beneath?.includes(index)) ? { isBeneath: true } : {}),
      ...(this.#choices.some(({ index }) => row.cells[index] !== given.cells[index])
        ? { isDitto: true }
        : {}),
    }
  }

  #isStruck({ struck }: TableRow): boolean {
    const { quantity } = this.#layout.columns
    const columns = quantity === undefined ? this.#choices : [...this.#choices, quantity]
    return columns.some(({ index }) => struck?.includes(index))
  }

  /** Its quantity, or a mark, is the 0 of a formula that may not be calculated. */
  #hasFormulaZero({ typed }: TableRow): boolean {
    const { columns, variants } = this.#layout
    return [columns.quantity, columns.fitted, ...variants].some(
      (column) => column !== undefined && isFormulaZero(typed?.[column.index]),
    )
  }

  /** The numbers of a line: the part number, and its alternates. */
  #numbers(
    row: TableRow,
    choices: readonly Choice[],
    kept: Kept,
    rowDoubts: readonly Doubt[],
  ): readonly ListRow[] {
    const { line } = row
    const found: ListRow[] = []
    const remarks: ListRow[] = []
    const { manufacturer } = this.#layout.columns
    const name = manufacturer === undefined ? '' : textAt(row.cells, manufacturer)
    const maker = /\d/.test(name) ? undefined : name
    const isShifted = rowDoubts.some(({ kind }) => kind === 'columns')
    for (const { column, text } of choices) {
      const { doubts: faults = [] } = faultOf(row.typed?.[column.index])
      for (const value of numbersOf(text, column.usual?.kinds)) {
        const part = withoutLabel(value)
        const isWord =
          part.length > LONGEST_CELL ||
          isRemark(part, column.usual) ||
          isShop(part) ||
          part === maker ||
          (isShifted && areNumbers(column.usual) && !/\d/.test(part))
        if (isWord || this.#isLoneWord(row, part))
          remarks.push({ line, part: shortened(part), skip: 'remark' })
        else if (found.every((one) => one.part !== part)) {
          const says = `${JSON.stringify(cleanText(value, 60))} is read as ${cleanText(part, 60)}, without its label`
          const doubts: readonly Doubt[] = [
            ...faults,
            ...(part === value ? [] : [{ kind: 'label', says } as const]),
          ]
          const unlike = unlikeOthers(part, column.usual)
          found.push({
            line,
            part,
            ...(doubts.length === 0 ? {} : { doubts }),
            ...(unlike === undefined ? {} : { unlike: { what: unlike, column: column.heading } }),
          })
        }
      }
    }
    const [first, ...others] = found
    const alternates = others.map((one) => ({ ...one, isAlternate: true, isOfSameRow: true }))
    const more = remarks.map((one) => ({ ...one, isOfSameRow: true }))
    const continued = this.#isContinued(row)
    if (first !== undefined && this.#hasLine && continued) {
      const { details: _, ...rest } = kept
      // A cell that is merged over two rows.
      if (found.length === 1 && first.part === this.#number)
        return [{ line, part: first.part, skip: 'repetition', ...rest }, ...more]
      return [{ ...first, isAlternate: true, ...rest }, ...alternates, ...more]
    }
    this.#hasLine = first !== undefined && !continued
    this.#number = first?.part
    if (first === undefined) {
      const [remark = { line, part: '' }] = remarks
      const doubted = rowDoubts.length === 0 ? {} : { doubts: rowDoubts }
      return [{ ...remark, ...kept, ...doubted }, ...more.slice(1)]
    }
    const doubts = [...(first.doubts ?? []), ...rowDoubts]
    return [{ ...first, ...(doubts.length === 0 ? {} : { doubts }), ...kept }, ...alternates, ...more]
  }

  /** True for words in a row that says nothing else, in a list with quantities. */
  #isLoneWord({ cells }: TableRow, part: string): boolean {
    const { columns, headings } = this.#layout
    if (/\d/.test(part) || columns.quantity === undefined || isCleanHeading(headings)) return false
    return Object.values(columns).every((column) => column === columns.part || textAt(cells, column) === '')
  }

  #rowDoubts(row: TableRow): readonly Doubt[] {
    const cells = this.#wrongCells(row)
    const mark = this.#details ? this.#unknownMark(row) : undefined
    const both = this.#details ? this.#contraryMarks(row) : undefined
    if (cells === undefined && mark === undefined && both === undefined) return NO_DOUBTS
    return [cells, mark, both].filter((one) => one !== undefined)
  }

  /** Of several variants, one has the part and another has not. */
  #contraryMarks({ cells }: TableRow): Doubt | undefined {
    const fitted = this.#isMarked(cells) ? this.#saysFitted(cells) : undefined
    if (fitted === undefined) return undefined
    const says = `${fitted} beside a mark that says not fitted, as of several variants: read as fitted`
    return { kind: 'fitted', says }
  }

  /** What says that the part is fitted: a cell by itself, or one of the columns of several variants. */
  #saysFitted(cells: readonly string[]): string | undefined {
    const { columns, variants, isFittedNegated } = this.#layout
    const cell = cells.find((text, index) => index !== columns.part.index && saysFitted(text.trim()))
    if (cell !== undefined) return `"${cleanText(cell, 20)}"`
    const { fitted } = columns
    const says = [...(fitted && variants.length > 0 ? [fitted] : []), ...variants].map((column) => ({
      column,
      isFitted: readFitted(textAt(cells, column), isFittedNegated) !== false,
    }))
    // Without a column for what is fitted, the mark may be elsewhere, for all variants.
    if (fitted === undefined && says.every(({ isFitted }) => isFitted)) return undefined
    const column = says.find(({ isFitted }) => isFitted)?.column
    if (column === undefined) return undefined
    const text = cleanText(textAt(cells, column), 20)
    return `${text === '' ? 'nothing' : `"${text}"`} in column "${column.heading}"`
  }

  /** A mark of the row says that its part is not fitted; of the last row it is known. */
  #isMarked(cells: readonly string[]): boolean {
    if (this.#seen?.cells === cells) return this.#seen.isMarked
    const { columns, variants, isFittedNegated } = this.#layout
    const marks = columns.fitted === undefined ? [] : [columns.fitted, ...variants]
    const isMarked =
      marks.some((column) => readFitted(textAt(cells, column), isFittedNegated) === false) ||
      cells.some(
        (cell, index) =>
          index !== columns.part.index &&
          readNotFitted(cell.trim(), this.#noteColumns.has(index) || index === columns.quantity?.index),
      ) ||
      (columns.designator !== undefined && isNotFittedPlace(textAt(cells, columns.designator)))
    this.#seen = { cells, isMarked }
    return isMarked
  }

  /** True for a row that goes on with the line above: neither an item nor a quantity of its own, where the list has both. */
  #isContinued({ cells, merged = [] }: TableRow): boolean {
    const { item, designator, quantity, level } = this.#layout.columns
    const isEmpty = (column: FoundColumn | undefined): boolean =>
      column === undefined || merged.includes(column.index) || textAt(cells, column) === ''
    if (quantity === undefined || isCleanHeading(this.#layout.headings)) return false
    const { description } = this.#layout.columns
    const isMerged = (column: FoundColumn | undefined): boolean =>
      column !== undefined && merged.includes(column.index)
    if (isMerged(quantity) && [item, designator, description].some(isMerged)) return true
    if ((item ?? designator ?? description) === undefined) return false
    if ((item ?? designator) === undefined && !isEmpty(description)) return false
    return isEmpty(quantity) && isEmpty(item) && isEmpty(level) && isEmpty(designator)
  }

  /** A row whose cells are one, as a table that was saved twice has them. */
  #quotedWhole(cells: readonly string[]): string | undefined {
    const { width } = this.#layout
    if (this.#delimiter === undefined || cells.length > 1 || width < 3) return undefined
    if (cells[0]!.split(this.#delimiter).length < width - 1) return undefined
    return 'the line is wholly in quotes, so its cells are one: save the table again from its original'
  }

  #wrongCells({ cells }: TableRow): Doubt | undefined {
    const { headings, width } = this.#layout
    if (this.#delimiter === undefined || headings.length === 0 || cells.length === width) return undefined
    if (cells.length < width) {
      // Values at the end may be left out; but then the number is in its column.
      const part = textAt(cells, this.#layout.columns.part)
      if (cells.length < 2 || part === '' || /\d/.test(part)) return undefined
      const short = `the row has ${cells.length} columns, the heading ${width}, and "${cleanText(part, 40)}" has no digit: is a delimiter missing?`
      return { kind: 'columns', says: short }
    }
    if (firstOf(cells.slice(width)) < 0) return undefined
    const says = `the row has ${cells.length} columns, the heading ${width}: is a quotation mark missing?`
    return { kind: 'columns', says }
  }

  #unknownMark({ cells }: TableRow): Doubt | undefined {
    const { columns, isFittedNegated } = this.#layout
    const mark = columns.fitted === undefined ? '' : textAt(cells, columns.fitted)
    if (
      mark === '' ||
      mark === NO_RESULT ||
      this.#marks.has(mark) ||
      readFitted(mark, isFittedNegated) !== undefined
    )
      return undefined
    if (this.#marks.size < MOST_MARKS) this.#marks.add(mark)
    const says = `"${cleanText(mark, 40)}" in column "${columns.fitted!.heading}" is not known as a mark: read as fitted`
    return { kind: 'fitted', says }
  }

  #skipKind({ cells }: TableRow, part: string, first: string, firstAt: number): SkipKind | undefined {
    const { columns, hasQuantities } = this.#layout
    const quantity = columns.quantity === undefined ? undefined : textAt(cells, columns.quantity)
    if (this.#isHeading(cells, part, quantity)) return 'heading'
    if (this.#section === 'other table') return 'footer'
    const isFirstInPosition = this.#positions.includes(firstAt)
    const kind = skipKind({ part, first, isFirstInPosition, cells, quantity })
    if (quantity === undefined || kind === 'total') return kind
    const filled = countFilled(cells)
    const hasQuantity = /\d/.test(quantity)
    // Names, dates and signatures below the list.
    const isLine = PLAIN_NUMBER.test(part) && valueKind(part) === 'part number' && filled > 1
    if (kind === undefined && this.#isBelowGap && hasQuantities && !hasQuantity && filled <= 3 && !isLine)
      return 'footer'
    if (hasQuantity) this.#isBelowGap = false
    return kind
  }

  /** True for a row of headings: those of the list again, or of a further table, which is read by its own. */
  #isHeading(cells: readonly string[], part: string, quantity: string | undefined): boolean {
    const { headings, columns } = this.#layout
    const isAgain = ({ index }: FoundColumn): boolean => {
      const heading = headings[index]?.trim().toLowerCase() ?? ''
      return heading !== '' && heading === (cells[index] ?? '').trim().toLowerCase()
    }
    // `MPN 1` above `Qty 16`.
    const isWhole = isAgain(columns.part) && columns.quantity !== undefined && isAgain(columns.quantity)
    if (!isWhole && (/\d.|0$/s.test(part) || /\d/.test(quantity ?? ''))) return false
    if (isAgain(columns.part)) {
      this.#section = 'list'
      const isSame = [...Object.values(columns), ...this.#choices].every(isAgain)
      const below = isSame ? undefined : layoutBelow(cells, this.#batch, this.#at + 1)
      if (below === undefined || (columns.quantity && !below.columns.quantity)) return true
      this.#readBy(below)
      this.#furtherTable = 'read'
      return true
    }
    const filled = countFilled(cells)
    if (filled < 2 || cells.some((cell) => /\d{2}/.test(cell))) return false
    const { known, total } = scoreHeadingRow(cells)
    if (known < 2 || known < 0.6 * filled) return false
    // Below the headings it says the same in other words.
    if (headings.length === 0 || this.#isBelowHeadings) return true
    if (total < (this.#isBelowGap ? 3 : 0.5 * this.#heading)) return false
    const below = layoutBelow(cells, this.#batch, this.#at + 1)
    if (below !== undefined) {
      this.#readBy(below)
      this.#furtherTable = 'read'
      this.#section = 'list'
      this.#isBelowGap = false
      return true
    }
    if (!this.#isBelowGap && known < 3) return false
    this.#section = 'other table'
    this.#furtherTable = 'not read'
    return true
  }

  #detailsOf({ cells, typed }: TableRow): RowDetails {
    const { columns, unitOfQuantity, isOrderQuantity } = this.#layout
    const text = (role: Exclude<OneColumnRole, 'part'>): string => {
      const column = columns[role]
      return column === undefined ? '' : textAt(cells, column)
    }
    const number = columns.quantity && numberOf(typed?.[columns.quantity.index])
    const quantity = number ?? text('quantity')
    return {
      quantity:
        isOrderQuantity && /^0+(?:[.,]0+)?\s*\p{L}*$/u.test(String(quantity)) ? NOT_ORDERED : quantity,
      unit: text('unit') || unitOfQuantity,
      level: text('level'),
      item: text('item'),
      ownPart: text('own part'),
      description: text('description'),
      manufacturer: text('manufacturer'),
      reference: text('designator'),
      isFitted: !this.#isMarked(cells) || this.#saysFitted(cells) !== undefined,
    }
  }
}

/** What a row keeps beside its number. */
type Kept = Pick<
  ListRow,
  | 'details'
  | 'isHidden'
  | 'isStruck'
  | 'isBeneath'
  | 'isDitto'
  | 'isSubstitute'
  | 'isFormulaZero'
  | 'filled'
  | 'unused'
>

/** A value of a column of part numbers. */
interface Choice {
  readonly column: FoundColumn
  readonly text: string
}

/** The numbers of a row by column; a substitute only where there is none before it. */
function choicesOf(cells: readonly string[], columns: readonly FoundColumn[]): Choice[] {
  const choices: Choice[] = []
  for (const column of columns) {
    if (column.isSubstitute === true && choices.length > 0) continue
    const text = textAt(cells, column)
    if (text === '' || isNoPartNumber(text) || (column.isSubstitute === true && isWords(text))) continue
    choices.push({ column, text })
  }
  return choices
}

function unusedReason(text: string): string {
  if (isNoPartNumber(text)) return 'placeholder'
  return isWords(text) ? 'remark' : 'number that is not needed'
}

const MARKED = /\b(?:placement|load(?:ed)?|status|option|variant)\b/i

/** The columns of notes, in which short marks such as `NI` say that a part is not fitted. */
export function notesOf({ headings }: Layout): readonly Pick<FoundColumn, 'index' | 'heading'>[] {
  const mayMark = (heading: string): boolean => MARKED.test(heading) || headingScores(heading).isNote
  return headings.flatMap((heading, index) => (mayMark(heading) ? [{ index, heading }] : []))
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
  for (let at = 0; at < cells.length; at += 1) if (cells[at] !== '' && cells[at]!.trim() !== '') return at
  return -1
}

/** The rows of a list with one part number on each line. */
export function lineRows(rows: readonly TableRow[], isStart: boolean): readonly ListRow[] {
  return rows.flatMap(({ line, cells }, index): ListRow | readonly [] => {
    const part = trimBlanks(cells[0] ?? '')
    if (part === '') return []
    const filled = 1
    if (part.length > LONGEST_CELL) return { line, part: shortened(part), skip: 'remark', filled }
    if (isMarkup(part))
      return { line, part: '', problem: `${JSON.stringify(shortened(part))} is markup (HTML or XML)`, filled }
    if (isPartHeading(part, isStart && index === 0)) return { line, part, skip: 'heading', filled }
    return isNoPartNumber(part) ? { line, part, skip: 'placeholder', filled } : { line, part, filled }
  })
}

/** True for a text that is a heading of part numbers; other lines than the first must say nothing else. */
function isPartHeading(text: string, isFirst: boolean): boolean {
  if (/\S\d/.test(text) || valueKind(text) === 'none') return false
  const heading = headingScores(text)
  const { best, isKnown } = heading
  const most = isKnown ? numberPointsOf(heading) : 0
  return isFirst ? most >= 2.3 && most >= best : most >= 6
}

/** The value without the blanks around it, no-break spaces and marks of direction included. Other whitespace is kept, and warned of later. */
export function trimBlanks(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isBlank(text.charCodeAt(from))) from += 1
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1
  return from === 0 && to === text.length ? text : text.slice(from, to)
}

function isBlank(code: number): boolean {
  if (code < 0x2000) return code === 32 || code === 9 || code === 10 || code === 160
  return (
    code <= 0x200a ||
    code === 0x200e ||
    code === 0x200f ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  )
}

const BETWEEN = /\s*[;|]\s*|\s+\/\s+|\s+(?:or|oder|ou|o)\s+/i
// `X (alt: Y)`, `X (or Y)`.
const IN_PARENTHESES =
  /\s*\((?:alt|alternates?|alternative|or|oder|ou|eq|equiv|equivalent|second source)\b[.:]?\s*([^()]+)\)/gi
// `X [Y]`, `X 【Y】`: a bracket within a number is part of it.
const IN_BRACKETS = /(^|\s)(?:\[([^[\]]+)\]|【([^【】]+)】)(?=\s|$)/g
// `0,1u`: a comma within it divides nothing.
const DECIMAL_COMMA = /(?<![A-Za-z0-9])\d{1,3},\d+(?:[a-zµ]{1,2})?(?![A-Za-z0-9])/

/**
 * The part numbers in one cell: several choices on lines, in brackets, or between semicolons, bars, ` / ` or ` or `, where each could
 * be a number of this column.
 */
function numbersOf(cell: string, kinds: readonly ValueKind[] = []): readonly string[] {
  if (!/[\n;|,([【]| \/ | or | oder | ou | o /i.test(cell)) return [cell]
  const isNumber = (text: string): boolean => isLikeNumber(text, kinds)
  const apart = cell.replace(IN_BRACKETS, '\n$2$3\n')
  if (apart !== cell && linesOf(apart).every((line) => /^\S*\d\S*$/.test(line))) return linesOf(apart)
  const lines = linesOf(cell)
  const last = lines.length - 1
  if (lines.some((line, at) => (at > 0 && line.startsWith('-')) || (at < last && line.endsWith('-'))))
    return [lines.join('')]
  // A break within a number has no other reading than a space.
  if (last > 0)
    return lines.every(isNumber) ? lines.flatMap((line) => numbersOf(line, kinds)) : [lines.join(' ')]
  const pieces = cell
    .replace(IN_PARENTHESES, ' / $1')
    .split(BETWEEN)
    .filter((piece) => piece !== '')
  const isOne = (piece: string): boolean => isNumber(piece) || isShop(piece)
  // `1056 or CR1220-2`
  const areAll = pieces.some(isOne) && pieces.every((piece) => isOne(piece) || /^\d{4,}$/.test(piece))
  if (pieces.length > 1) return areAll ? pieces : [cell]
  const listed = cell.split(/\s*,\s*/)
  const areAllNumbers = listed.every(
    (piece) => piece.length >= 5 && /^\S+$/.test(piece) && valueKind(piece) === 'part number',
  )
  return listed.length > 1 && areAllNumbers && !DECIMAL_COMMA.test(cell) ? listed : [cell]
}

/** The lines with anything but signs. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map(trimBlanks)
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
}

/** The kinds that a piece of a cell may be, the last two only where other values of the column are. */
const NUMBER_KINDS: ReadonlySet<ValueKind> = new Set([
  'part number',
  'designator or number',
  'letters',
  'number',
])

/** True where the first word stands as a number of its column. */
function isLikeNumber(text: string, kinds: readonly ValueKind[]): boolean {
  const kind = valueKind(withoutLabel(text).replace(/\s.*/su, ''))
  if (!NUMBER_KINDS.has(kind) || valueKind(text) === 'prose') return false
  return (kind !== 'letters' && kind !== 'number') || kinds.includes(kind)
}
