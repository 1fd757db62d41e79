import { resolve } from 'node:path'
import { cleanText } from '../base/clean-text.ts'
import { detached } from '../base/detached.ts'
import { Failure, type FailureOptions, isFailure } from '../base/failure.ts'
import type { Notice, Reporter } from '../base/notice.ts'
import { ResourceStack } from '../base/resource-stack.ts'
import { formatCount, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import { type Bom, BomBuilder, type BomRow, type DoubtOf, LevelColumn } from './bom.ts'
import { hashOf } from './column-values.ts'
import type { Unlike } from './judge-value.ts'
import { type ChosenColumns, isAnyChosen, type Layout } from './layout.ts'
import {
  countsOf,
  ListCounter,
  type ListCounts,
  namedValues,
  rowCountsText,
  type SkippedRows,
  skippedText,
  unreadPlaces,
} from './list-account.ts'
import type { ListSource } from './list-text.ts'
import { byPlace, type ListWarning, NAMED, quote, SHOWN, Warnings } from './list-warnings.ts'
import { type DamageKind, findDamage, LeadingZeros } from './part-number.ts'
import { isTextFile, PartsList } from './read-list.ts'
import { QuantityColumn } from './read-quantity.ts'
import type { ListRow, RowDetails } from './read-row.ts'
import { CALCULATE, NO_RESULT } from './sheet-rows.ts'

/** Where the parts of a run come from. */
export interface PartsInput {
  /** Part numbers given one by one, exact. */
  readonly parts: readonly string[]
  /** Paths of lists; `-` is standard input. */
  readonly files: readonly string[]
  /** The columns of tables that are not found by their headings. */
  readonly columns?: ChosenColumns
  /** The encoding of text lists. */
  readonly encoding?: string | undefined
  /** The sheet of workbooks: its name, or a number from 1. */
  readonly sheet?: string | undefined
  /** Also read what the rows say beside the part numbers. */
  readonly details?: boolean
  /** Also read tables with quantities as a bill of materials. */
  readonly bom?: boolean
  /** Doubtful values are mistakes. */
  readonly strict: boolean
}

/** One mistake about the requested parts; `file` and `line` are absent for a part that was given by itself. */
interface Problem extends Pick<FailureOptions, 'file' | 'line' | 'hint' | 'options' | 'problems'> {
  readonly message: string
}

/** What was read from one list. */
export interface ReadList extends ListCounts {
  readonly list: PartsList
  /** What the quantities and levels of the whole list say of each. */
  readonly quantities: QuantityColumn
  readonly levels: LevelColumn
  /** Its bill of materials, if requested. */
  readonly bom: Bom | undefined
}

export interface PartsRead {
  /** Each part once, in the order first seen. */
  readonly parts: readonly string[]
  /** How many repeated values were dropped. */
  readonly duplicates: number
  /** The first of each kind; `warningCount` is the number of all. */
  readonly warnings: readonly ListWarning[]
  readonly warningCount: number
  readonly lists: readonly ReadList[]
}

/** Reads all requested parts as `openParts` does, and closes their lists. */
export async function readParts(world: World, input: PartsInput, reporter: Reporter): Promise<PartsRead> {
  await using open = new ResourceStack()
  return await openParts(world, input, reporter, open)
}

/**
 * Reads all requested parts, from the command line and from lists, before any request is sent. Values are kept exactly as they
 * are. Doubtful ones are reported with file and line; all mistakes are thrown together as one `usage` failure. The rows of the lists
 * can be read again until `open` is disposed.
 */
export async function openParts(
  world: World,
  input: PartsInput,
  reporter: Reporter,
  open: ResourceStack,
): Promise<PartsRead> {
  const sources = listSources(world, input)
  const reading: Reading = {
    input,
    parts: new Set(),
    problems: new Problems(),
    warnings: new Warnings(reporter),
  }
  const { parts, problems, warnings } = reading
  for (const part of input.parts) {
    checkArgument(part, reading)
    parts.add(part)
  }
  const lists: ReadList[] = []
  for (const source of sources) {
    const problemsBefore = problems.count
    const { columns = {}, encoding, sheet } = input
    const details = input.bom === true || input.details === true
    const list = open.use(new PartsList(world, source, { columns, encoding, sheet, details }))
    const read = await readOne(list, reading)
    if (read.lines === 0 && problems.count === problemsBefore) addFailure(withoutNumbers(read), problems)
    lists.push(read)
  }

  const failure = inputFailure(reading)
  if (failure !== undefined) throw failure
  warnings.report()
  const values = lists.reduce((sum, list) => sum + list.lines + list.alternates, input.parts.length)
  return {
    parts: [...parts],
    duplicates: values - parts.size,
    warnings: warnings.first,
    warningCount: warnings.count,
    lists,
  }
}

function withoutNumbers({ list, skipped }: ReadList): Failure {
  return list.withoutNumbers(
    skipped.map((rows) => skippedText(rows)),
    skipped.every(({ kind }) => kind === 'no part number'),
  )
}

function addFailure({ message, hint, details }: Failure, problems: Problems): void {
  problems.add({ ...details, message, hint })
}

function listSources(world: World, input: PartsInput): readonly ListSource[] {
  if (input.files.filter((file) => file === '-').length > 1) {
    throw new Failure('usage', 'standard input can be read only once', {
      hint: 'give - once',
      options: ['parts-file'],
    })
  }
  if (input.files.includes('-') && world.stdin.isTTY === true) {
    throw new Failure('usage', 'the parts list - is standard input, which is a terminal', {
      hint: 'pipe a list into it, or name a file',
      options: ['parts-file'],
    })
  }
  const sources = input.files.map(
    (file): ListSource =>
      file === '-' ? { stdin: world.stdin } : { path: file, absolute: resolve(world.cwd(), file) },
  )
  if (isAnyChosen(input.columns ?? {}) && sources.every(isTextFile)) {
    throw new Failure('usage', 'a column is named, but every list is a text file, which has no columns', {
      hint: 'leave the column out, or give a .csv, .tsv or .xlsx file',
      options: ['parts-file'],
    })
  }
  return sources
}

function checkArgument(part: string, { problems, warnings }: Reading): void {
  const options = ['part']
  const isBlank = part.trim() === ''
  const fault = isBlank ? 'is blank' : unsendable(part)
  const damage = findDamage(part)
  if (fault !== undefined) {
    const hint = isBlank ? 'give a part number, or leave it out' : 'remove it'
    problems.add({ message: `part ${quote(part)} ${fault}`, hint, options })
  } else if (part.includes('\ufffd')) {
    const message = `part ${quote(part)} was not valid UTF-8 on the command line`
    problems.add({ message, hint: 'give it in UTF-8', options })
  } else if (damage !== undefined) {
    warnings.doubt({ kind: damage.kind, part, message: `part ${quote(part)} ${damage.says}` })
  }
}

/** What the lists are read into. */
interface Reading {
  readonly input: PartsInput
  readonly parts: Set<string>
  readonly problems: Problems
  readonly warnings: Warnings
}

/** Adds the parts of one list to those of the reading, and what is wrong with them to its problems and warnings. */
async function readOne(list: PartsList, reading: Reading): Promise<ReadList> {
  const { input, parts, problems, warnings } = reading
  const file = list.name
  const leadingZeros = new LeadingZeros()
  const quantities = new QuantityColumn()
  const levels = new LevelColumn()
  const counter = new ListCounter(list)
  const remarks = ROW_REMARKS.map((remark) => ({ ...remark, count: 0, first: [] as number[] }))
  const tables = new PlacedTables()
  const unlike = new Map<string, NonNullable<ListRow['unlike']> & Pick<SkippedRows, 'count' | 'first'>>()
  let bom: BomBuilder | undefined
  let own: Bom | undefined
  let isRefused = false
  const warn = (kind: DamageKind, line: number, part: string, says: string, more?: number): void =>
    warnings.doubt(
      { kind, file, line, part, message: `${file}:${line}: ${quote(part)} ${says}` },
      more,
      kind === 'sign' ? says : kind,
    )
  const doubt: DoubtOf = (kind, line, says) => {
    if (says !== NO_RESULT) warnings.doubt({ kind, file, line, message: `${file}:${line}: ${says}` })
  }
  const fail = (line: number, says: string, hint: string): void =>
    problems.add({ file, line, message: `${file}:${line}: ${says}`, hint })
  const addPart = (row: ListRow): void => {
    const { part, line, doubts } = row
    const fault = unsendable(part)
    if (fault !== undefined) {
      fail(
        line,
        `${quote(part)} ${fault}`,
        part.includes('\t') ? 'name a table so that it ends in .tsv' : 'remove it from the list',
      )
      return
    }
    const damage = doubts === undefined ? findDamage(part) : undefined
    if (damage !== undefined) warn(damage.kind, line, part, damage.says)
    else if (list.layout === undefined && areSeveral(part)) warn('columns', line, part, SEVERAL)
    leadingZeros.see(part, line)
    parts.add(detached(part))
    if (row.unlike === undefined) return
    const key = `${row.unlike.what} ${row.unlike.column}`
    const same = unlike.get(key) ?? { ...row.unlike, count: 0, first: [] }
    unlike.set(key, same)
    same.count += 1
    if (same.first.length < SHOWN) same.first.push({ line, value: part })
  }
  const see = (row: ListRow): void => {
    const { part, line, problem, doubts = [], details } = row
    for (const { kind, says } of doubts) doubt(kind, line, says)
    let unread: string | undefined
    if (details !== undefined) {
      const { reason } = quantities.readNumber(details.quantity, line)
      if (reason !== undefined && reason !== NO_RESULT && details.quantity !== '') unread = reason
      if (bom === undefined && unread !== undefined) doubt('quantity', line, unread)
      levels.see(details.level)
    }
    tables.see(row)
    for (const remark of remarks) {
      if (remark.isOf(row) !== true) continue
      remark.count += 1
      if (remark.first.length < NAMED) remark.first.push(line)
    }
    counter.see(row, unread === undefined ? [] : ['quantity that is not recognized'])
    if (row.skip === 'ruler') return
    if (problem !== undefined)
      fail(line, problem, problem.endsWith(NO_RESULT) ? CALCULATE : 'export the list again as .csv or .xlsx')
    else if (row.skip !== undefined) {
      // A spreadsheet has lost the part number; other placeholders were written by people.
      if (input.strict && /^#./.test(part))
        fail(line, `${quote(part)} is a spreadsheet error value`, 'correct its formula')
    } else if (part !== '') addPart(row)
    if (problem === undefined && !row.isAlternate && isLine(row)) bom?.add(bomRow(row))
  }
  try {
    await list.open()
    const { partDoubt, fittedDoubt } = list.layout ?? {}
    for (const says of [partDoubt, fittedDoubt])
      if (says !== undefined) doubt('heading', list.headingLine ?? 1, says)
    bom = bomOf(list, doubt, input)
    for await (const batch of list.rows()) for (const row of batch) see(row)
    if (bom !== undefined) own = bom.result()
    else if (quantities.doubt !== undefined) doubt('quantity', quantities.doubt.line, quantities.doubt.says)
  } catch (error) {
    if (!isFailure(error) || error.kind !== 'usage') throw error
    addFailure(error, problems)
    isRefused = true
  }
  const read = { list, ...counter.close(isRefused), quantities, levels, bom: own }
  for (const notice of listNotices(read, input)) warnings.notice(file, notice)
  for (const { about, says, rest = '', isSaid, count, first } of remarks) {
    const [line] = first
    if (line === undefined || isSaid?.(read, count) === false) continue
    const text = `${plural(count, 'row')} ${says(count === 1, list.layout)} (${rowsText(first, count)})${rest}`
    if (about === 'formula' || about === 'quantity') {
      warnings.doubt({ kind: about, file, line, message: `${file}:${line}: ${text}`, hint: CALCULATE })
    } else {
      const data = { count, rows: first }
      warnings.notice(file, { level: 'warning', event: `parts.${about}`, message: `${file}: ${text}`, data })
    }
  }
  for (const [key, { what, column, count, first }] of unlike) {
    const { line } = first[0]!
    const [one, several] = UNLIKE[what]
    const values = `${plural(count, 'value')} ${count === 1 ? one : several}, unlike the others of column "${column}"`
    const says = `${values}, and requested: ${namedValues(first.slice(0, SHOWN))}${count > SHOWN ? ' …' : ''}`
    warnings.doubt({ kind: 'unlike', file, line, message: `${file}:${line}: ${says}` }, 0, `${key} ${file}`)
  }
  const repeated = isRefused ? undefined : tables.repeated
  if (repeated !== undefined) {
    const message = `${file}: ${repeated} are parts at the same places: each is read twice`
    warnings.notice(file, { level: 'warning', event: 'parts.repeated', message })
  }
  const { first: shorter, count: shorterCount, width } = leadingZeros.result()
  for (const [index, { part, line }] of shorter.entries()) {
    const says = `is shorter than the ${width} digits of the other values: were leading zeros lost?`
    warn('leading-zeros', line, part, says, index === 0 ? shorterCount - shorter.length : 0)
  }
  return read
}

const SEVERAL = 'looks like several part numbers, which need a line each, or a table'

function areSeveral(part: string): boolean {
  const each = part.split(/[,;|]\s*/)
  return each.length > 2 && each.every((one) => /^(?=.*\d)\S{4,}$/.test(one))
}

/** Numbers, and what people write in place of one, are lines of the list; totals and remarks below it are none. */
function isLine({ skip }: ListRow): boolean {
  return skip === undefined || skip === 'placeholder' || skip === 'remark'
}

/** The rows of one table, and the first places that they name. */
interface PlacedTable {
  readonly from: number
  to: number
  readonly places: Set<number>
}

const MOST_PLACES = 10_000

/** The tables of a list, such as `Individual Components` and `Collated Components` of KiCad. */
class PlacedTables {
  #before: PlacedTable | undefined
  #table: PlacedTable | undefined
  #repeated: string | undefined

  see(row: ListRow): void {
    const { line, skip, details } = row
    if (skip === 'heading') this.#close()
    if (!details?.reference || !isLine(row)) return
    this.#table ??= { from: line, to: line, places: new Set() }
    const { places } = this.#table
    this.#table.to = line
    for (const place of details.reference.split(/[\s,;]+/))
      if (place !== '' && places.size < MOST_PLACES) places.add(hashOf(place))
  }

  /** `rows 4–6 and rows 11–12`: the first two tables, one after the other, with nearly the same places. */
  get repeated(): string | undefined {
    this.#close()
    return this.#repeated
  }

  #close(): void {
    const [before, table] = [this.#before, this.#table]
    if (table === undefined) return
    if (before !== undefined) {
      const same = [...table.places].filter((place) => before.places.has(place)).length
      const isSame = same > 1 && same >= 0.8 * Math.max(before.places.size, table.places.size)
      if (isSame) this.#repeated ??= `rows ${before.from}–${before.to} and rows ${table.from}–${table.to}`
    }
    this.#before = table
    this.#table = undefined
  }
}

/** A row for the bill of materials: what it says in place of a number describes it. */
function bomRow({ line, part, skip, details = NO_DETAILS }: ListRow): BomRow {
  if (skip === undefined) return { line, part, details }
  const description = details.description || part
  return { line, part: '', details: { ...details, description }, isCertain: skip === 'placeholder' }
}

/** `rows 3, 4, 7, 9, 12 …`. */
function rowsText(first: readonly number[], count: number): string {
  return `${count === 1 ? 'row' : 'rows'} ${first.join(', ')}${count > first.length ? ' …' : ''}`
}

/** What is said once of all rows of which it is true. */
interface RowRemark {
  readonly about:
    | 'hidden'
    | 'struck'
    | 'beneath'
    | 'ditto'
    | 'substitute'
    | 'no-quantity'
    | 'quantity'
    | 'formula'
  readonly isOf: (row: ListRow) => boolean | undefined
  /** What follows the number of rows, and their numbers. */
  readonly says: (isOne: boolean, layout: Layout | undefined) => string
  readonly rest?: string
  readonly isSaid?: (read: ReadList, count: number) => boolean
}

const ROW_REMARKS: readonly RowRemark[] = [
  {
    about: 'hidden',
    isOf: ({ isHidden }) => isHidden,
    says: (isOne) => `read although the sheet hides ${isOne ? 'it' : 'them'}`,
  },
  {
    about: 'struck',
    isOf: ({ isStruck }) => isStruck,
    says: (isOne) =>
      `read although ${isOne ? 'its number or quantity is' : 'their numbers or quantities are'} struck through`,
    rest: ': of one that is struck in part, the rest is read',
  },
  {
    about: 'beneath',
    isOf: ({ isBeneath }) => isBeneath,
    says: (isOne) => `${isOne ? 'has' : 'have'} a value beneath a merged cell, in a column of part numbers`,
    rest: ': it is not read, as no program shows it',
  },
  {
    about: 'ditto',
    isOf: ({ isDitto }) => isDitto,
    says: (isOne) => `${isOne ? 'has' : 'have'} the number above, by a ditto mark`,
  },
  {
    about: 'substitute',
    isOf: ({ isSubstitute, part, skip }) => isSubstitute && part !== '' && skip === undefined,
    says: (isOne, layout) => {
      const headings = layout?.alternates.flatMap(({ heading, isSubstitute }) =>
        isSubstitute ? [`"${heading}"`] : [],
      )
      return `${isOne ? 'has' : 'have'} no number in column "${layout?.columns.part.heading}": that in ${headings?.join(' or ')} is requested`
    },
  },
  {
    about: 'no-quantity',
    isOf: ({ part, skip, isAlternate, details }) =>
      part !== '' && skip === undefined && !isAlternate && details?.quantity === '',
    says: (isOne, layout) =>
      `${isOne ? 'has' : 'have'} no quantity in column "${layout?.columns.quantity?.heading}"`,
    rest: ': is it the right column?',
    isSaid: ({ list, lines }, count) => list.layout?.columns.quantity !== undefined && 2 * count > lines,
  },
  {
    about: 'quantity',
    isOf: ({ isFormulaZero }) => isFormulaZero,
    says: (isOne) => `${isOne ? 'has' : 'have'} a quantity or a mark that is 0 by a formula`,
    rest: ', and read as not fitted: is it calculated?',
  },
  {
    about: 'formula',
    isOf: ({ unused }) => unused?.includes(NO_RESULT),
    says: (isOne) => `${isOne ? 'has' : 'have'} a ${NO_RESULT}`,
    rest: ': what it says, such as a quantity, is unknown',
  },
]

/** What one value is that is unlike the others of its column, and what several are. */
const UNLIKE: Readonly<Record<Unlike, readonly [string, string]>> = {
  word: ['is a word', 'are words'],
  words: ['has several words', 'have several words'],
  'short number': ['is a short number', 'are short numbers'],
  'component value': ['is a component value', 'are component values'],
  'screw size': ['is the size of a screw', 'are sizes of screws'],
  'several numbers': ['has several numbers', 'have several numbers'],
}

/** The bill of materials of a list, if requested. */
function bomOf({ name, layout }: PartsList, doubt: DoubtOf, input: PartsInput): BomBuilder | undefined {
  const { columns, isTotalQuantity: isTotal = false } = layout ?? {}
  const hasLevels = columns?.level !== undefined
  const hasQuantities = columns?.quantity !== undefined
  // Without levels there is no structure that could be wrong.
  const isChecked = input.details === true && hasLevels && hasQuantities
  if (input.bom !== true && !isChecked) return undefined
  return new BomBuilder(name, doubt, { hasLevels, isTotal, hasQuantities })
}

/** What to say about one list: the account, the encoding, and on one line for each kind the rows that are no parts. */
function listNotices(read: ReadList, input: PartsInput): readonly Notice[] {
  const { list, lines, skipped } = read
  const { name: file, layout, sheet } = list
  const notices: Notice[] = []
  const warning = (
    event: string,
    says: string,
    data: NonNullable<Notice['data']>,
    options: readonly string[] = [],
  ): void => {
    notices.push({ level: 'warning', event, message: `${file}: ${says}`, options, data })
  }
  // A list that is refused says why.
  if (read.rows > 0) {
    notices.push({
      level: 'info',
      event: 'parts.column',
      message: `${file}: ${accountText(read, input.bom === true)}`,
      data: {
        ...(layout === undefined ? {} : { column: layout.columns.part.heading }),
        ...(list.headingLine === undefined ? {} : { headingRow: list.headingLine }),
        ...(sheet === undefined || sheet.of === 1 ? {} : { sheet: sheet.name }),
      },
    })
  }
  if ((input.bom ?? input.details) === true && layout?.doubt !== undefined) {
    const options = ['quantity-column', 'level-column']
    notices.push({ level: 'warning', event: 'parts.no-quantity', message: layout.doubt, options })
  }
  if (sheet?.isHidden) warning('parts.hidden', `sheet "${cleanText(sheet.name, 80)}" is hidden, and read`, {})
  if (list.hiddenColumns.length > 0) {
    const columns = list.hiddenColumns.map((heading) => `"${heading}"`).join(', ')
    warning('parts.hidden', `columns are read although the sheet hides them: ${columns}`, {})
  }
  if (list.otherSheets.length > 0) {
    const named = list.otherSheets.map(
      ({ name, parts }) => `"${cleanText(name, 80)}" (${plural(parts, 'part number')})`,
    )
    warning('parts.other-sheets', `other sheets with parts are not read: ${named.join(', ')}`, {}, ['sheet'])
  }
  if (list.missingSheets.length > 0) {
    const names = list.missingSheets.map((name) => `"${cleanText(name, 80)}"`)
    warning(
      'parts.missing-sheets',
      `sheets that the workbook names are not in it: ${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ' …' : ''}`,
      {
        sheets: list.missingSheets.slice(0, NAMED),
      },
    )
  }
  const { otherLines = 0, firstOtherLine } = list.text ?? {}
  if (otherLines > 0) {
    const says = `${plural(otherLines, 'line')} (the first is ${firstOtherLine}) not UTF-8, read as Windows-1252; name another encoding if that is wrong`
    warning('parts.encoding', says, { lines: otherLines, firstLine: firstOtherLine }, [list.otherEncoding])
  }
  for (const rows of skipped) {
    const { kind, count, first } = rows
    // Most rows have their number somewhere else, or are not parts at all.
    const isMost = kind === 'no part number' && count > lines
    // Rows of another table or of notes below a list: one of these words may be a part number after all.
    const isDoubtful = kind === 'footer' && first.some(({ value }) => /^\S*\d\S*$/.test(value))
    notices.push({
      level: kind === 'placeholder' || kind === 'remark' || isMost || isDoubtful ? 'warning' : 'info',
      event: 'parts.skipped',
      message: `${file}: ${skippedText(rows)}${isMost ? '; is this the right column?' : ''}`,
      ...(isMost ? { options: ['parts-column'] } : {}),
      data: { kind, count, rows: first.slice(0, NAMED).map(({ line }) => line) },
    })
  }
  return notices
}

/** `12 rows: 8 lines with a part number from column "MPN", 2 alternates, 1 without, 3 skipped; not read: column "LCSC" (8)`. */
function accountText(read: ReadList, isBom: boolean): string {
  const { sheet, otherColumns, layout } = read.list
  const counts = countsOf(read)
  if (layout === undefined) return rowCountsText(counts)
  const { columns } = layout
  const where = sheet === undefined || sheet.of === 1 ? '' : ` of sheet "${cleanText(sheet.name, 80)}"`
  const levels = columns.level === undefined ? '' : `, levels from "${columns.level.heading}"`
  const bom =
    isBom && columns.quantity !== undefined ? ` (quantities from "${columns.quantity.heading}"${levels})` : ''
  const more = layout.alternates.flatMap(({ heading, isSubstitute }) => (isSubstitute ? [] : `"${heading}"`))
  const noun = more.length === 1 ? 'column' : 'columns'
  const further = more.length === 0 ? '' : ` (${noun} ${more.slice(0, NAMED).join(', ')})`
  const facts = rowCountsText(counts, ` from column "${columns.part.heading}"${where}${bom}`, further)
  const without = lacksQuantities(layout) ? ', no quantity column' : ''
  const unread = otherColumns.map(({ heading, filled }) => `column "${heading}" (${formatCount(filled)})`)
  const notRead = unread.length === 0 ? [] : [`not read: ${unread.slice(0, NAMED).join(', ')}`]
  const rest = [...notRead, ...unreadPlaces(read.account)].map((says) => `; ${says}`).join('')
  return `${facts}${without}${rest}`
}

/** True for a table, not a list of numbers alone, of which no column has quantities. */
export function lacksQuantities(layout: Layout | undefined): boolean {
  return layout !== undefined && layout.width > 1 && layout.columns.quantity === undefined
}

/** What a list of part numbers alone says beside them. */
const NO_DETAILS: RowDetails = {
  quantity: '',
  unit: '',
  level: '',
  item: '',
  description: '',
  manufacturer: '',
  ownPart: '',
  reference: '',
  isFitted: true,
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

function unsendable(part: string): string | undefined {
  if (CONTROL.test(part)) {
    return part.includes('\t') ? 'has a tab in it: is this a table?' : 'has a control character in it'
  }
  return part.isWellFormed() ? undefined : 'is not valid Unicode'
}

/** Keeps the first mistakes, and counts the rest. */
class Problems {
  readonly first: Problem[] = []
  count = 0

  add(problem: Problem): void {
    this.count += 1
    if (this.first.length < SHOWN) this.first.push(problem)
  }
}

/** One `usage` failure for all mistakes (with `strict`, doubts too); undefined when there are none. */
function inputFailure({ input: { strict }, problems, warnings }: Reading): Failure | undefined {
  const mistakes = byPlace(problems.first)
  const all: readonly Problem[] = [...mistakes, ...(strict ? warnings.doubts : [])]
  const count = problems.count + (strict ? warnings.doubtCount : 0)
  const [first] = all
  if (first === undefined) return undefined
  const hinted = mistakes[0] ?? first
  const { hint, options } = hinted.hint === undefined ? CORRECT : hinted
  const { message, file, line } = first
  if (count === 1)
    return new Failure('usage', message, { hint, options, problems: first.problems, file, line })
  const rest = count > SHOWN ? [`and ${formatCount(count - SHOWN)} more`] : []
  const shown = [...all.slice(0, SHOWN).map((one) => one.message), ...rest]
  const what = `${formatCount(count)} problems with the requested parts`
  return new Failure('usage', what, { hint, options, problems: shown, file, line })
}

const CORRECT = {
  hint: 'correct the list, or leave this out to request the values unchanged',
  options: ['strict-parts'],
}
