import type { AccountEntry } from '../base/account-entry.ts'
import { largest } from '../base/extremes.ts'
import { Failure, isFailure } from '../base/failure.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { openPrivateFile, type PrivateFile } from '../fs/private-file.ts'
import { valueKind } from './column-values.ts'
import {
  type ChosenColumns,
  confirmLayout,
  decideLayout,
  type FoundColumn,
  isAnyChosen,
  isText,
  type Layout,
  Profile,
  profileTable,
  scoreHeadingRow,
  withoutNumbers,
} from './layout.ts'
import { BLANKS, shapeOf, unusualDelimiter } from './list-shape.ts'
import { FIRST_ROWS, findDelimiter, type TableRow, tableRows, withShortCells } from './list-table.ts'
import { encodingNamed, type ListSource, ListText, listChunks, nameOf, type TextBlock } from './list-text.ts'
import { type ListRow, lineRows, notesOf, RowReader, trimBlanks } from './read-row.ts'
import { CALCULATE, isUncalculated, type MergedCells } from './sheet-rows.ts'
import type { OtherSheet } from './workbook.ts'

/** How the lists of a run are read. */
interface ListOptions {
  readonly columns: ChosenColumns
  /** The encoding of text lists, by any of its names. */
  readonly encoding?: string | undefined
  /** The sheet of workbooks: its name, or a number from 1. */
  readonly sheet?: string | undefined
  /** Also read what rows say beside the part number. Such a list is kept: its rows can be read again. */
  readonly details: boolean
}

/** So much of a list decides how it is read; where the rest has its part numbers elsewhere, the user is asked. */
const ENOUGH_BYTES = 4 * 1024 ** 2

/** One list. `open` reads enough of it to decide how it is read; then come its rows. */
export class PartsList implements AsyncDisposable {
  readonly name: string
  /** The text, of a list that is one. */
  text: ListText | undefined
  delimiter: string | undefined
  /** The sheet that was read, and how many the workbook has. */
  sheet: { readonly name: string; readonly isHidden: boolean; readonly of: number } | undefined
  otherSheets: readonly OtherSheet[] = []
  /** The names of sheets that the workbook names, and does not have. */
  missingSheets: readonly string[] = []
  /** The sheets of a workbook, those that are not read with the reason. */
  sheets: AccountEntry | undefined
  /** The rows with a value down to the headings, by number. */
  above: readonly number[] = []
  /** How many rows with a value came in the last time that `rows` was read. */
  rowsIn = 0
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
  /** The rows behind those of the spool. */
  #rest: AsyncGenerator<readonly TableRow[]> = none()
  #isEnded = false
  #profile: Profile | undefined
  /** It has a part number on each line. */
  #isLines = false
  #merged: readonly MergedCells[] = []
  /** The rows above the headings. */
  #top: readonly TableRow[] = []

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

  /** Every row of a list that is kept as it is in the file, the headings and what is above them too. */
  table(): AsyncGenerator<readonly TableRow[]> {
    return this.#spool.batches()
  }

  /** The rows of the list in batches. Values lose the blanks around them and nothing else. */
  async *rows(): AsyncGenerator<readonly ListRow[]> {
    const { layout } = this
    const reader =
      layout === undefined ? undefined : new RowReader(layout, this.#options.details, this.delimiter)
    const merged = this.#merged.length === 0 ? undefined : new MergedRows(this.#merged, this.headingLine)
    let isFirst = true
    this.rowsIn = 0
    for await (const batch of this.#spool.batches()) {
      const rows = merged === undefined ? batch : batch.map((row) => merged.fill(row))
      this.#count(rows)
      if (reader === undefined) yield lineRows(rows, isFirst)
      else {
        const below = isFirst ? this.#belowHeadings(rows, layout!) : rows
        const formulas = below.filter((row) => hasOnlyFormulas(row, layout!))
        if (formulas.length > 0) yield formulas.map(({ line }) => ({ line, part: '', skip: 'formula' }))
        yield reader.read(formulas.length > 0 ? below.filter((row) => !formulas.includes(row)) : below)
      }
      isFirst = false
    }
    if (!this.#isEnded) {
      for await (const batch of this.#rest) {
        this.#profile!.addRows(batch)
        if (this.#options.details) await this.#spool.add(batch)
        this.#count(batch)
        yield reader === undefined ? lineRows(batch, false) : reader.read(batch)
      }
      this.#isEnded = true
      this.#confirm()
    }
    if (reader !== undefined && layout!.alternates.some((one) => reader.isIdle(one))) {
      this.layout = { ...layout!, alternates: layout!.alternates.filter((one) => !reader.isIdle(one)) }
      this.otherColumns = this.#profile!.otherNumbers(this.layout)
    }
  }

  #count(rows: readonly TableRow[]): void {
    // Blank lines of a text are no rows.
    if (this.#isLines) this.rowsIn += rows.length
    else for (const { cells } of rows) if (hasValue(cells)) this.rowsIn += 1
  }

  // A heading in words that are not known is named among the rows that are no parts.
  #belowHeadings(rows: readonly TableRow[], { headingRow, isHeadingGuessed }: Layout): readonly TableRow[] {
    return rows.slice(isHeadingGuessed ? headingRow : headingRow + 1)
  }

  async #openText(): Promise<void> {
    const { encoding, columns } = this.#options
    const wanted = encoding === undefined ? undefined : encodingNamed(encoding)
    this.text = new ListText(listChunks(this.#world, this.#source), this.name, wanted)
    const all = this.text.blocks()
    // A list that is refused is not read to its end.
    this.#open.defer(() => all.return(undefined))
    const [start, blocks] = await peek(all)
    const isNamedTable = hasEnding(this.name, ['.csv', '.tsv', '.tab'])
    const usual = hasEnding(this.name, ['.tsv', '.tab']) ? '\t' : undefined
    const found = findDelimiter(start, columns, usual ?? (isNamedTable ? undefined : '\t'))
    const unusual = found.isTable ? undefined : unusualDelimiter(start)
    const isChosen = isAnyChosen(columns) && !isTextFile(this.#source)
    const shape = shapeOf(start, found.isTable || isChosen)
    if (shape !== undefined) {
      throw new Failure('usage', `${this.name} is ${shape.what}`, { file: this.name, hint: shape.hint })
    }
    if (unusual !== undefined) {
      this.delimiter = unusual
      const divided = unusual === BLANKS ? withTabs(blocks) : blocks
      await this.#read(tableRows(divided, this.name, () => (unusual === BLANKS ? '\t' : unusual)))
      return
    }
    if (!isNamedTable && !found.isTable && !isChosen) {
      this.#isLines = true
      this.#profile = new Profile({ row: -1, headings: [], total: 0 })
      await this.#read(lines(blocks))
      return
    }
    const rows = tableRows(blocks, this.name, (text, declared) => {
      // One that does not occur divides nothing.
      this.delimiter =
        declared !== undefined && text.includes(declared)
          ? declared
          : (isNamedTable && declared === undefined ? found : findDelimiter(text, columns)).delimiter
      return this.delimiter
    })
    await this.#read(rows)
  }

  async #openWorkbook(path: string, absolute: string): Promise<void> {
    const { openSheet } = await import('./workbook.ts')
    const { sheet, columns } = this.#options
    await using opened = await openSheet(this.#world, { path, absolute }, columns, sheet)
    this.sheet = opened.sheet
    this.missingSheets = opened.missing
    await this.#read(opened.rows())
    const { merged, hiddenColumns } = opened.facts
    this.#merged = merged
    const read = this.layout === undefined ? [] : [...columnsOf(this.layout), ...notesOf(this.layout)]
    const others = await opened.others()
    this.sheets = others.account
    this.otherSheets = others.withParts
    const hidden = read.filter(({ index }) =>
      hiddenColumns.some(([first, last]) => index >= first && index <= last),
    )
    this.hiddenColumns = [...new Set(hidden.map(({ heading }) => heading))]
  }

  /** Decides by the first rows how the list is read. */
  async #read(source: AsyncGenerator<readonly TableRow[]>): Promise<void> {
    this.#rest = source
    // A sheet names its merged cells behind its last row.
    this.#isEnded = await this.#readOn(this.sheet === undefined ? ENOUGH_BYTES : Number.POSITIVE_INFINITY)
    this.#decide()
  }

  /** Puts rows into the spool until it has so many bytes; true at the end of the list. */
  async #readOn(bytes: number): Promise<boolean> {
    let head: TableRow[] = []
    const start = async (): Promise<void> => {
      await this.#spool.add(head)
      this.#profile = profileTable(
        head.map((row) => row.cells),
        this.#options.columns,
      )
      this.headingLine = head[this.#profile.headingRow]?.line
      this.#top = head.slice(0, Math.max(0, this.#profile.headingRow))
      this.above = head
        .slice(0, this.#profile.headingRow + 1)
        .flatMap(({ line, cells }) => (hasValue(cells) ? [line] : []))
    }
    while (this.#spool.bytes < bytes) {
      const { done, value: rows } = await this.#rest.next()
      if (done) {
        if (this.#profile === undefined) await start()
        return true
      }
      if (this.#profile === undefined) {
        head = head.concat(rows)
        if (head.length >= FIRST_ROWS) await start()
      } else {
        await this.#spool.add(rows)
        this.#profile.addRows(rows)
      }
    }
    return false
  }

  /** Decides by what was read of the list. */
  #decide(): void {
    const profile = this.#profile!
    if (this.#isLines) {
      this.#checkLines()
      return
    }
    try {
      this.layout = decideLayout(profile, this.#tableName, this.#options.columns)
    } catch (error) {
      if (!isFailure(error)) throw error
      const { options = [] } = error.details
      if ((this.text?.otherLines ?? 0) > 0 && areOdd(profile)) {
        const hint = 'it is not UTF-8: if words look odd, name its encoding'
        throw error.with({ hint, options: [this.otherEncoding, ...options] })
      }
      const areFormulas = ({ values }: Profile['columns'][number]): boolean => values.share('formula') > 0.5
      const formulas =
        profile.numbers().find(({ column }) => areFormulas(column))?.column ??
        (options.length === 0 ? profile.columns.find(areFormulas) : undefined)
      if (formulas === undefined) throw error
      throw error.with({ hint: `column "${formulas.name}" has formulas without their results: ${CALCULATE}` })
    }
    const { layout } = this
    if (layout === undefined) return
    const part = this.#top.find(({ cells }) => isLikePart(cells, layout))
    if (part !== undefined && layout.partDoubt === undefined) {
      const partDoubt = `row ${part.line} above the headings looks like a part, and is not read`
      this.layout = { ...layout, partDoubt }
    }
    if (layout.isHeadingGuessed) this.above = this.above.filter((line) => line !== this.headingLine)
    this.otherColumns = profile.otherNumbers(layout)
  }

  /** At the end of a list of which the first rows have decided. */
  #confirm(): void {
    const { layout } = this
    if (this.#isLines) this.#checkLines()
    if (layout === undefined) return
    if (this.#options.columns.part === undefined) confirmLayout(this.#profile!, this.#tableName, layout)
    this.otherColumns = this.#profile!.otherNumbers(layout)
  }

  #checkLines(): void {
    const profile = this.#profile!
    if (profile.columns[0] !== undefined && isText(profile.columns[0].values))
      throw noList(this.name, profile)
  }

  /** The option that names the encoding of a list that is not UTF-8: with the one in which the words of its headings are known. */
  get otherEncoding(): string {
    const bytes = this.text?.otherBytes ?? Buffer.alloc(0)
    const knownIn = (encoding: string): number => {
      const lines = new TextDecoder(encoding).decode(bytes).split(/[\r\n]+/, 50)
      return largest(lines.map((line) => scoreHeadingRow(line.split(/[,;\t|]/)).known))
    }
    const known = LIKELY_ENCODINGS.map((encoding) => ({ encoding, count: knownIn(encoding) }))
    const best = known.reduce((most, one) => (one.count > most.count ? one : most))
    return best === known[0] ? 'encoding' : `encoding ${best.encoding}`
  }

  /** The failure of a list without a part number; `skipped` says what its rows have instead. */
  withoutNumbers(skipped: readonly string[], isEmpty: boolean): Failure {
    const { name, layout, headingLine, sheet } = this
    const fail = (where: string, why: string, hint: string): Failure =>
      new Failure('usage', `${where} has no part numbers: ${why}`, { file: name, hint })
    if (skipped.length > 0 && layout !== undefined) {
      const says = `${this.#tableName} has no part numbers in column "${layout.columns.part.heading}"`
      const why = isEmpty ? ', which is empty' : `: ${skipped.join('; ')}`
      const failure = withoutNumbers(this.#profile!, this.#tableName, says + why)
      const isOther = failure.details.options!.length > 0
      return isOther ? failure : failure.with({ hint: 'fill that column: none of the others can have them' })
    }
    if (skipped.length > 0) return fail(name, skipped.join('; '), 'put one part number on each line')
    if (layout !== undefined && headingLine !== undefined) {
      const why = `there is no row below the headings in row ${headingLine}`
      return fail(this.#tableName, why, 'save the list with its rows')
    }
    if (this.sheets?.named.some(({ reason }) => reason !== 'empty') === true)
      return fail(this.#tableName, 'the sheet is empty', 'name another sheet').with({ options: ['sheet'] })
    const sheets = sheet === undefined ? '' : ` (${plural(sheet.of, 'sheet')} without a value)`
    return fail(name, `it is empty${sheets}`, 'check the path, and what the program that wrote it has saved')
  }

  get #tableName(): string {
    return this.sheet === undefined || this.sheet.of === 1
      ? this.name
      : `${this.name}, sheet "${this.sheet.name}"`
  }
}

/** What lists are that are not UTF-8; most are the first. */
const LIKELY_ENCODINGS = ['windows-1252', 'windows-1251', 'shift_jis', 'gb18030', 'euc-kr', 'big5'] as const

async function* none(): AsyncGenerator<never> {}

/** The columns that are read for a role. */
function columnsOf({ columns, alternates, variants }: Layout): readonly FoundColumn[] {
  return [...Object.values(columns), ...alternates, ...variants]
}

/** True for a row that has nothing but formulas without results, of other columns than that of the part numbers. */
function hasOnlyFormulas({ cells, typed }: TableRow, { columns: { part } }: Layout): boolean {
  return (
    typed !== undefined &&
    !isUncalculated(typed[part.index]) &&
    cells.every((cell, index) => cell === '' || isUncalculated(typed[index])) &&
    hasUncalculated({ typed })
  )
}

function hasUncalculated({ typed }: Pick<TableRow, 'typed'>): boolean {
  return typed !== undefined && Object.values(typed).some(isUncalculated)
}

/** True for a row with a number and a quantity in their columns. */
function isLikePart(cells: readonly string[], { columns: { part, quantity } }: Layout): boolean {
  const textAt = (index: number): string => (cells[index] ?? '').trim()
  return (
    quantity !== undefined &&
    valueKind(textAt(part.index)) === 'part number' &&
    valueKind(textAt(quantity.index)) === 'small number'
  )
}

/** True for a row that counts as one that came in. */
function hasValue(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell !== '' && cell.trim() !== '') return true
  return false
}

/** True for words in which letters that are not English follow each other, as those of another encoding do. */
function areOdd({ columns }: Profile): boolean {
  return columns.some(({ name, values }) =>
    [name, ...values.examples].some((text) => /[^\0-\x7f]{3}/.test(text)),
  )
}

function noList(name: string, { columns }: Profile): Failure {
  const { examples } = columns[0]!.values
  return new Failure('usage', `${name} looks like notes or prose, not like a list of part numbers`, {
    file: name,
    problems: examples.map((text) => JSON.stringify(text)),
    hint: 'put one part number on each line, or give a table with headings',
  })
}

/** Fills the cells of merged ranges below the first one, and empties those beside it. */
class MergedRows {
  readonly #ranges: readonly MergedCells[]
  readonly #headingLine: number
  #next = 0
  /** The ranges that go on, each with the row in which it begins. */
  #open: { readonly range: MergedCells; readonly top: TableRow }[] = []

  /** Headings are values of no row. */
  constructor(ranges: readonly MergedCells[], headingLine = 0) {
    this.#headingLine = headingLine
    this.#ranges = ranges.toSorted((a, b) => a.from - b.from)
  }

  fill(row: TableRow): TableRow {
    const { line } = row
    this.#open = this.#open.filter(({ range }) => range.to >= line)
    const below = this.#open.filter(
      ({ range: { column }, top }) => (top.cells[column] ?? '') !== '' && top.line > this.#headingLine,
    )
    for (; (this.#ranges[this.#next]?.from ?? line + 1) <= line; this.#next += 1) {
      const range = this.#ranges[this.#next]!
      if (range.from === line) this.#open.push({ range, top: row })
    }
    if (this.#open.length === 0) return row
    const cells = [...row.cells]
    const typed = { ...row.typed }
    const beneath: number[] = []
    // What is left behind the first cell is shown by no program.
    for (const { range, top } of this.#open) {
      const shown = top.cells[range.column] ?? ''
      for (let at = range.column + 1; at <= Math.min(range.lastColumn, cells.length - 1); at += 1) {
        if (cells[at] !== '' && cells[at] !== shown) beneath.push(at)
        cells[at] = ''
        delete typed[at]
      }
    }
    for (const { range, top } of below) {
      const { column } = range
      while (cells.length <= column) cells.push('')
      if (cells[column] !== '' && cells[column] !== top.cells[column]) beneath.push(column)
      cells[column] = top.cells[column]!
      if (top.typed?.[column] !== undefined) typed[column] = top.typed[column]
    }
    // A row of which nothing is shown is read, not lost.
    if (!hasValue(cells)) return row
    return { ...row, cells, typed, beneath, merged: below.map(({ range }) => range.column) }
  }
}

/** The same text with one tab for several blanks. */
async function* withTabs(blocks: AsyncIterable<TextBlock>): AsyncGenerator<TextBlock> {
  for await (const { text, firstLine } of blocks) {
    yield { text: text.replace(/^ +| +$/gm, '').replace(/ {2,}/g, '\t'), firstLine }
  }
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

/** The rows of a list, which are read more than once: the first in memory, those beyond in a private temporary file. */
class RowSpool implements AsyncDisposable {
  readonly #world: Pick<World, 'disk' | 'host'>
  readonly #inMemory: Buffer[] = []
  readonly #onDisk: number[] = []
  bytes = 0
  #file: PrivateFile | undefined

  constructor(world: Pick<World, 'disk' | 'host'>) {
    this.#world = world
  }

  async add(rows: readonly TableRow[]): Promise<void> {
    if (rows.length === 0) return
    const packed = Buffer.from(JSON.stringify(rows))
    this.bytes += packed.length
    if (this.bytes <= ENOUGH_BYTES) {
      this.#inMemory.push(packed)
      return
    }
    this.#file ??= await openPrivateFile(this.#world)
    await this.#file.append(packed)
    this.#onDisk.push(packed.length)
  }

  /** All rows in the batches in which they were added. */
  async *batches(): AsyncGenerator<readonly TableRow[]> {
    for (const packed of this.#inMemory) yield JSON.parse(packed.toString())
    let position = 0
    for (const length of this.#onDisk) {
      yield JSON.parse((await this.#file!.read(position, length)).toString())
      position += length
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]()
  }
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
