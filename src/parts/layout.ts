import { cleanText } from '../base/clean-text.ts'
import { Failure, isFailure } from '../base/failure.ts'
import {
  ColumnValues,
  isNumberRole,
  repetition,
  type UsualValues,
  type ValueKind,
  valueKind,
  valueScore,
} from './column-values.ts'
import {
  type HeadingRole,
  type HeadingScores,
  headingScores,
  NUMBER_ROLES,
  type NumberRole,
  numberPointsOf,
} from './heading.ts'
import { countFilled, isBelowList, readFitted } from './row-kind.ts'

/** As many columns as a sheet of Excel has: no more are looked at. */
export const MOST_COLUMNS = 16_384

/** How many rows are searched for the headings: there may be titles above them. */
const HEADING_ROWS = 50

/** The columns that were chosen by hand: a heading, or a number from 1. */
export interface ChosenColumns {
  readonly part?: string | undefined
  readonly quantity?: string | undefined
  readonly level?: string | undefined
  readonly manufacturer?: string | undefined
}

/** True where a column was chosen by hand. */
export function isAnyChosen({ part, quantity, level, manufacturer }: ChosenColumns): boolean {
  return [part, quantity, level, manufacturer].some((column) => column !== undefined)
}

/** What the columns of a list are read for. Several may be alternates. */
export const COLUMN_ROLES = [
  'part',
  'alternate',
  'own part',
  'quantity',
  'unit',
  'level',
  'item',
  'manufacturer',
  'designator',
  'fitted',
  'description',
] as const
type ColumnRole = (typeof COLUMN_ROLES)[number]
export type OneColumnRole = Exclude<ColumnRole, 'alternate'>

/** The headings of a clean list. The first makes it one: whoever had it written has chosen its columns. */
export const CLEAN_HEADINGS: Readonly<Record<OneColumnRole, string>> = {
  part: 'Requested Part Number',
  'own part': 'Own Part Number',
  quantity: 'Quantity',
  unit: 'Unit',
  level: 'Level',
  item: 'Item',
  designator: 'Reference Designator',
  description: 'Description',
  manufacturer: 'Manufacturer',
  fitted: 'Fitted',
}

/** The headings of alternates in a clean list, without their number. */
export const CLEAN_ALTERNATE = 'Alternate Part Number'

/** A column that was found. */
export interface FoundColumn {
  /** Its index, from 0. */
  readonly index: number
  /** Its heading, or its number from 1 where there is none. */
  readonly heading: string
  readonly why: string
  readonly examples: readonly string[]
  /** Of a column of part numbers: what its values are. */
  readonly usual?: UsualValues
  /** It is read in rows without a number before it only. */
  readonly isSubstitute?: boolean
}

/** How a table is read. */
export interface Layout {
  /** The row of the headings, from 0; -1 when the table has none. Parts begin in the row after it. */
  readonly headingRow: number
  readonly headings: readonly string[]
  /** The row of the headings has none that is known: it is a guess from the values. */
  readonly isHeadingGuessed: boolean
  /** Columns of the heading row, or of the widest row seen. */
  readonly width: number
  readonly columns: { readonly [role in OneColumnRole]?: FoundColumn } & { readonly part: FoundColumn }
  /** Why the column of the part numbers may be another one. */
  readonly partDoubt: string | undefined
  /** Why a column of marks is not read. */
  readonly fittedDoubt: string | undefined
  /** Columns with further choices of the same part. */
  readonly alternates: readonly FoundColumn[]
  /** The quantities are those of the whole product, not of one assembly. */
  readonly isTotalQuantity: boolean
  /** Nearly all rows have a number as their quantity. */
  readonly hasQuantities: boolean
  /** The quantities are to be bought: 0 may mean that a part is in stock. */
  readonly isOrderQuantity: boolean
  /** The unit that the heading of the quantities names, if they are no pieces; else ''. */
  readonly unitOfQuantity: string
  /** The column of `fitted` says which rows are left out, not which are in. */
  readonly isFittedNegated: boolean
  /** Columns that say the same as that of `fitted` of other variants of the product; without it, those of all variants. */
  readonly variants: readonly FoundColumn[]
  /** Why the list has no quantities or levels. */
  readonly doubt: string | undefined
}

type Row = readonly string[]

/** The least score of a part number column, and of any other. */
const TAKE = 5.5
const TAKE_OTHER = 3.5
/** Values alone make no column of part numbers. */
const LEAST_SAID = 1.3
/** Two part number columns closer than this are a question to the user. */
const MARGIN = 0.6
const OTHER_MARGIN = 0.3
/** The least score of a row of headings. */
const HEADINGS = 3
/** So many rows below the headings of a further table decide how it is read. */
const ROWS_BELOW = 200
/** A column that was named by the user makes its row the one of the headings. */
const NAMED = 1000

/** What is added when part number columns are compared: the manufacturer's number comes first where its values are as good. */
const PREFERRED: Readonly<Record<NumberRole, number>> = {
  'manufacturer number': 3,
  'part number': 2,
  'supplier number': 0,
  'own number': 0,
}

/** How much a row looks like one of headings. */
interface HeadingRowScore {
  readonly total: number
  readonly known: number
  readonly filled: number
  /** Cells that are values. */
  readonly data: number
  /** How much its best heading of a part number says so. */
  readonly number: number
}

export function scoreHeadingRow(row: Row): HeadingRowScore {
  let total = 0
  let known = 0
  let data = 0
  let number = 0
  const numbers: number[] = []
  const cells = row
    .slice(0, MOST_COLUMNS)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
  for (const cell of cells) {
    const heading = headingScores(cell)
    const { best } = heading
    const hasDigits = /\d/.test(cell.slice(0, 200).replace(/[1-9](?=\D*$)/, ''))
    const kind = valueKind(cell)
    const isData = hasDigits && kind !== 'phrase'
    if (kind === 'link' && !/\s/.test(cell)) {
      total -= 2
      data += 1
      continue
    }
    if (best >= 1.5 && !(isData && best < 5)) {
      total += Math.min(best, 4)
      known += 1
      number = Math.max(number, numberPointsOf(heading))
    } else if (/^[1-9]\d{0,6}$/.test(cell)) numbers.push(Number(cell))
    else if (isData || cell.length > 50) {
      total -= 2
      data += 1
    }
  }
  // Beside headings, numbers that grow are the quantities of prices, perhaps of several shops.
  const arePrices =
    known >= 3 &&
    numbers.length > 1 &&
    numbers.every((one, at) => one > (numbers[at - 1] ?? 0) || one === numbers[0])
  if (!arePrices) {
    total -= 2 * numbers.length
    data += numbers.length
  }
  return { total: total + 0.8 * number, known, filled: cells.length, data, number }
}

/** A row that may be the one of the headings, or two of them joined. */
interface Candidate {
  readonly row: number
  readonly headings: Row
  readonly total: number
}

/** The best few candidates among the first rows. */
function headingCandidates(rows: readonly Row[], wanted: string | undefined): readonly Candidate[] {
  const first = rows.slice(0, HEADING_ROWS)
  const scores = first.map(scoreHeadingRow)
  const name = wanted === undefined || /^\d+$/.test(wanted) ? undefined : wanted
  const found: Candidate[] = []
  for (const [row, headings] of first.entries()) {
    const { known, filled, data, number, total } = scores[row]!
    const isNamed =
      isCleanHeading(headings) || (name !== undefined && namedColumns(headings, name).length > 0)
    if (!isNamed && isBelowRows(scores, row)) continue
    const named = isNamed ? NAMED : 0
    // `Part Number, 9000-1` is a label with its value.
    const isLabelled = known >= 2 || filled === 1 || number >= 5
    // A lone cell above several headings is the title of a table.
    const isTitle = filled === 1 && scores.slice(row + 1, row + 6).some((below) => below.known >= 2)
    const isHeadings = total >= HEADINGS && known > data && isLabelled && !isTitle
    if (isHeadings || isNamed) found.push({ row, headings, total: total + named })
    const lower = scores[row + 1]
    if (lower === undefined || !areJoined(headings, scores[row]!, first[row + 1]!, lower)) continue
    const both = joinedRows(headings, first[row + 1]!)
    const joined = scoreHeadingRow(both)
    if (joined.total > total + 1 && joined.total > lower.total + 1) {
      found.push({ row: row + 1, headings: both, total: joined.total + named })
    }
  }
  return found.sort((a, b) => b.total - a.total || a.row - b.row).slice(0, 8)
}

/** True for a row below several as wide that have values and are below no headings: it is one of a list. */
function isBelowRows(scores: readonly HeadingRowScore[], row: number): boolean {
  const width = Math.max(3, 0.8 * scores[row]!.filled)
  const first = scores.findIndex(({ known }) => known > 1)
  const above = scores.slice(0, first < 0 ? row : Math.min(first, row))
  return above.filter(({ filled, known, data }) => filled >= width && known === 0 && data > 0).length > 1
}

function areJoined(upper: Row, above: HeadingRowScore, lower: Row, below: HeadingRowScore): boolean {
  if (above.known < 1 || above.known * 2 < above.filled) return false
  if (below.filled < 2 || below.known * 2 < below.filled) return false
  const isChoice = (cell: string): boolean => !/\d/.test(cell.replace(/\b[1-9](?:st|nd|rd|th)?\b/i, ''))
  return [...upper, ...lower].every((cell) => isChoice(cell) || headingScores(cell).best >= 3.5)
}

/** Headings in two rows: what stands above several columns, once, merged or repeated, belongs to each of them. */
function joinedRows(upper: Row, lower: Row): Row {
  const textAt = (row: Row, index: number): string => (row[index] ?? '').trim()
  const width = Math.max(upper.length, lower.length)
  const isGroup = (index: number): boolean => {
    const [over, next] = [textAt(upper, index), textAt(upper, index + 1)]
    return (
      over !== '' &&
      textAt(lower, index) !== '' &&
      textAt(lower, index + 1) !== '' &&
      (next === '' || next === over)
    )
  }
  // One text above the first column is a title, in a lone cell or merged over all.
  const groups = new Set(upper.map((cell) => cell.trim()).filter((cell) => cell !== ''))
  const isDivided = groups.size > 1 || textAt(upper, firstFilled(lower)) === ''
  let group = ''
  return Array.from({ length: width }, (_, index) => {
    const [over, below] = [textAt(upper, index), textAt(lower, index)]
    if (over !== '' && over !== group) group = isDivided && isGroup(index) ? over : ''
    if (below === '') return over
    if (group !== '') return `${group} ${below}`
    return below
  })
}

/** A column of a table: its heading and what is known of its values. */
interface Column {
  readonly index: number
  /** Its heading, or its number from 1. */
  readonly name: string
  readonly heading: HeadingScores
  readonly values: ColumnValues
}

/** A column as one of a role. */
interface Ranked<Role extends HeadingRole = HeadingRole> {
  readonly column: Column
  readonly role: Role
  readonly points: number
  readonly score: number
  /** The score with what the role is preferred by. */
  readonly order: number
}

function rankedNumber(one: Omit<Ranked<NumberRole>, 'order'>): Ranked<NumberRole> {
  const certainty = Math.max(0, Math.min(1, (one.points - 2) / 3))
  return { ...one, order: one.score + PREFERRED[one.role] * certainty }
}

/** How many values of a column look like numbers. */
function countNumbers({ column: { values } }: Ranked): number {
  return values.filled * values.share('part number', 'designator or number', 'number', 'letters')
}

/** True for a column with more numbers than one of a shop, that may be of another shop, or plain ones many times those of makers. */
function isFuller(one: Ranked<NumberRole>, other: Ranked<NumberRole>): boolean {
  const isOfMaker = one.role === 'part number' && other.role === 'manufacturer number'
  const times = other.role === 'supplier number' ? 1 : isOfMaker ? 3 : Number.POSITIVE_INFINITY
  return one.score >= TAKE && countNumbers(one) > times * countNumbers(other)
}

/** A table under one row of headings, and the values of its columns as far as they were added. */
export class Profile {
  readonly headingRow: number
  readonly headings: Row
  readonly #total: number
  readonly #heading: HeadingRowScore
  #columns: Column[] = []
  #isEnded = false
  readonly #first: Row[] = []

  constructor({ row, headings, total }: Candidate) {
    this.headingRow = row
    this.headings = headings
    this.#total = total
    this.#heading = scoreHeadingRow(headings)
    this.#widen(headings.length)
  }

  get columns(): readonly Column[] {
    return this.#columns
  }

  addRows(rows: readonly { readonly cells: Row }[]): void {
    for (const { cells } of rows) this.add(cells)
  }

  add(row: Row): void {
    if (this.#isEnded) return
    const filled = countFilled(row)
    if (filled === 0) return
    if (filled > 1 && this.headings.length > 1 && this.#isOfOtherTable(row)) {
      // Headings in a second language are right below.
      this.#isEnded = this.#columns.some(({ values }) => values.filled > 0) && !isSameRow(row, this.headings)
      return
    }
    const first = row.find((cell) => cell.trim() !== '')!.trim()
    if (isBelowList(first)) return
    // Titles, groups and notes.
    if (filled < 2 && this.#heading.filled > 1 && valueKind(first) !== 'part number') return
    if (row.length > this.#columns.length && this.#columns.length < MOST_COLUMNS)
      this.#widen(filledWidth(row))
    if (this.#first.length < ROWS_BELOW) this.#first.push(row)
    for (const column of this.#columns) column.values.add(row[column.index] ?? '')
  }

  #isOfOtherTable(row: Row): boolean {
    if (row.some((cell) => /\d{2}|^\s*\d/.test(cell.slice(0, 100)))) return false
    const score = scoreHeadingRow(row)
    return score.known >= 2 && score.total >= 0.75 * this.#heading.total
  }

  #widen(width: number): void {
    for (let index = this.#columns.length; index < Math.min(width, MOST_COLUMNS); index += 1) {
      const text = this.headings[index] ?? ''
      const name = cleanText(text, 80).trim() || String(index + 1)
      this.#columns.push({ index, name, heading: headingScores(text), values: new ColumnValues() })
    }
  }

  /** The columns whose heading may say one of the roles, in their order; each once. */
  ranked<Role extends HeadingRole>(roles: readonly Role[]): readonly Ranked<Role>[] {
    return this.#columns.flatMap((column) => {
      const all = roles.flatMap((role): Ranked<Role>[] => {
        const points = column.heading.points[role]
        if (points === undefined || points <= 0) return []
        const score = points + valueScore(role, column.values)
        return [{ column, role, points, score, order: score }]
      })
      return all.length === 0 ? [] : [all.reduce((one, other) => (other.order > one.order ? other : one))]
    })
  }

  has(role: HeadingRole): boolean {
    return this.ranked([role]).some(({ score }) => score >= TAKE_OTHER)
  }

  /** The columns whose heading may say part number, the best first. */
  numbers(): readonly Ranked<NumberRole>[] {
    const { isCounted, isPlaced } = this
    // Beside a manufacturer, the only number is most likely the manufacturer's.
    const isOfMaker =
      this.has('manufacturer') &&
      this.#columns.every(
        ({ heading: { points } }) =>
          Math.max(points['manufacturer number'] ?? 0, points['part number'] ?? 0) < 3,
      )
    const roles = this.#columns.flatMap((column) =>
      NUMBER_ROLES.flatMap((role): Ranked<NumberRole>[] => {
        const points = column.heading.points[role]
        if (points === undefined || points < (column.heading.isAlternate ? 0 : LEAST_SAID)) return []
        // Nearly all columns such as `Vendor ID` repeat the companies.
        if (role === 'supplier number' && points < 3 && column.values.distinct < 0.9) return []
        // A part has as many rows as places where each place has a row.
        const repeated = isPlaced && points >= 3.5 ? 0 : repetition(column.values, isCounted)
        const near = isOfMaker && role === 'own number' ? 1.5 : 0
        const said = points + near + valueScore(role, column.values) - repeated
        // Names are no codes; a `product_id` of Odoo may have nothing else.
        const areNames = role === 'own number' && !/id$/i.test(column.name) && areOfWords(column.values)
        const score = areNames ? Math.min(said, TAKE - 0.1) : said
        return [rankedNumber({ column, role, points, score })]
      }),
    )
    // Beside a part number, the number of an order is that of a shop.
    const isOrder = ({ column, role }: Ranked): boolean => role === 'part number' && column.heading.isOrder
    const hasNumber = roles.some(
      (one) => one.score >= TAKE && one.points >= 5 && PREFERRED[one.role] >= 2 && !isOrder(one),
    )
    // Beside what an assembly is made of, a plain item is the assembly.
    const hasChild = roles.some(({ column, score }) => column.heading.isChild && score >= TAKE)
    const isAssembly = ({ column: { heading }, role }: Ranked): boolean =>
      hasChild && role === 'own number' && !heading.isChild
    const best = new Map<Column, Ranked<NumberRole>>()
    for (const said of roles) {
      const one = hasNumber && isOrder(said) ? rankedNumber({ ...said, role: 'supplier number' }) : said
      const known = best.get(one.column)
      if (!isAssembly(one) && (known === undefined || one.order > known.order)) best.set(one.column, one)
    }
    const sorted = [...best.values()].sort(
      (a, b) => Number(b.score >= TAKE) - Number(a.score >= TAKE) || b.order - a.order,
    )
    const top = sorted.reduce((one, other) => (isFuller(other, one) ? other : one), sorted[0]!)
    return sorted.length === 0 ? [] : [top, ...sorted.filter((one) => one !== top)]
  }

  /** Columns that could be read as part numbers, and are not: by heading and values, or by one of them where that is certain. */
  otherNumbers({ columns, alternates }: Layout): readonly (FoundColumn & { readonly filled: number })[] {
    // A description may be another number.
    const { description, ...others } = columns
    const read = new Set([...Object.values(others), ...alternates].map(({ index }) => index))
    const numbers = this.numbers()
    const isOfMaker =
      numbers.find(({ column }) => column.index === columns.part.index)?.role === 'manufacturer number'
    const isLikely = ({ column, points }: Ranked): boolean =>
      points >= 5
        ? !column.values.isCounter && column.values.share('word', 'words', 'link', 'flag') < 0.5
        : (points >= TAKE_OTHER && mayHaveNumbers(column)) ||
          (column.heading.isAlternate && column.values.share('part number') > 0.2)
    const named = numbers.filter((one) => one.score >= TAKE || isLikely(one))
    const notes = this.#columns.filter((column) => isNumberedNote(column, isOfMaker))
    return [...new Set([...named.map(({ column }) => column), ...notes])]
      .filter(({ index, values }) => values.filled > 0 && !read.has(index))
      .map((column) => ({ ...found(column, 'not read'), filled: column.values.filled }))
  }

  /** How good the table is as a parts list; more than `NAMED` where it has the column that was named. */
  get quality(): number {
    const best = this.numbers()[0]?.score ?? 0
    return this.#total + 2 * Math.max(0, Math.min(10, best))
  }

  get isNamed(): boolean {
    return this.#total >= NAMED / 2
  }

  /** It says where each part is, whatever the heading. */
  get isPlaced(): boolean {
    return (
      this.has('designator') ||
      this.#columns.some(
        ({ values }) => values.filled > 3 && values.share('designators') > 0.8 && values.distinct > 0.9,
      )
    )
  }

  /** True for quantities that are as many as the designators beside them, in the first rows that have several. */
  isCountOf(quantity: Column, places: Column): boolean {
    const compared = this.#first.flatMap((row) => {
      const text = (row[places.index] ?? '').trim()
      const count =
        valueKind(text) === 'designators' && !/[-–…]/.test(text) ? text.split(/[\s,;]+/).length : 0
      return count > 1 ? [Number(row[quantity.index]) === count] : []
    })
    return compared.length > 1 && compared.filter(Boolean).length > 0.9 * compared.length
  }

  /** It says how many of each part there are, or where. */
  get isCounted(): boolean {
    return this.isPlaced || this.has('quantity')
  }

  /** It has parts, and ends at the headings of a further table. */
  get isList(): boolean {
    return this.#isEnded && this.isCounted && (this.numbers()[0]?.score ?? 0) >= TAKE
  }
}

/**
 * The table under the best row of headings: the one that names the most roles, with the columns that look the most like part numbers.
 * Without headings, one whose columns have none. Rows beyond the first are added by the caller.
 */
export function profileTable(rows: readonly Row[], chosen: ChosenColumns): Profile {
  const candidates = headingCandidates(rows, chosen.part)
  const profiles = (candidates.length === 0 ? [withoutHeadings(rows, chosen)] : candidates).map((one) => {
    const profile = new Profile(one)
    for (const row of rows.slice(one.row + 1)) profile.add(row)
    return profile
  })
  // Of headings in two languages the first, and of tables the first with parts.
  return profiles
    .sort((a, b) => a.headingRow - b.headingRow)
    .reduce((one, other) =>
      other.quality > one.quality + 2.5 && (other.isNamed || !one.isList) ? other : one,
    )
}

/** A row with a known heading beside unknown ones, or a first value without a digit above values that all have digits. */
function withoutHeadings(rows: readonly Row[], { part }: ChosenColumns): Candidate {
  const widest = rows.reduce((width, row) => Math.max(width, filledWidth(row)), 0)
  const scores = rows.slice(0, HEADING_ROWS).map(scoreHeadingRow)
  const row = scores.findIndex(
    ({ known, filled, data }, at) => known > 0 && filled > 1 && data === 0 && !isBelowRows(scores, at),
  )
  if (row >= 0) return { row, headings: rows[row]!, total: 0 }
  const none = { row: -1, headings: [], total: 0 }
  const index = part !== undefined && /^\d+$/.test(part) ? Number(part) - 1 : widest === 1 ? 0 : -1
  const filled = rows.flatMap((row, at) => ((row[index] ?? '').trim() === '' ? [] : [at]))
  const hasDigit = (row: number): boolean => /\p{N}/u.test(rows[row]![index]!)
  const [first, ...others] = filled
  if (first === undefined || others.length < 2 || hasDigit(first) || !others.every(hasDigit)) return none
  return { row: first, headings: rows[first]!, total: 0 }
}

/**
 * Decides how a table is read; undefined for one without values. A `usage` failure with the candidates in order of their score where
 * no column, or more than one, can be that of the part numbers.
 */
export function decideLayout(profile: Profile, name: string, chosen: ChosenColumns): Layout | undefined {
  const { columns, headings, headingRow } = profile
  if (columns.every(({ values }) => values.rows === 0) && headings.length === 0) return undefined
  const table = { name, profile }
  const group = chosen.part === undefined ? partColumns(table) : chosenPart(table, chosen.part)
  const [part, ...alternates] = group
  const taken = new Set(group.map(({ index }) => index))
  const width = headings.length > 0 ? headings.length : columns.length
  return {
    headingRow,
    headings,
    isHeadingGuessed: headingRow >= 0 && scoreHeadingRow(headings).known === 0 && !profile.isNamed,
    width,
    alternates,
    ...otherColumns(table, { part: part!, taken }, chosen),
  }
}

/** A `usage` failure where the whole list has its part numbers in other columns than its first rows, which decided how it is read. */
export function confirmLayout(profile: Profile, name: string, layout: Layout): void {
  const table = { name, profile }
  const indexesOf = (columns: readonly FoundColumn[]): readonly number[] =>
    columns.flatMap(({ index, isSubstitute }) => (isSubstitute ? [] : [index]))
  const read = indexesOf([layout.columns.part, ...layout.alternates])
  const found = indexesOf(partColumns(table))
  const all = [...new Set([...found, ...read])]
  if (all.length === read.length && all.length === found.length) return
  throw severalColumns(
    table,
    all.map((index) => ({ column: profile.columns[index]! })),
  )
}

/** How a further table is read, by its headings and the rows from `start` on; undefined for one that is no parts list. */
export function layoutBelow(
  headings: Row,
  rows: readonly { readonly cells: Row }[],
  start: number,
): Layout | undefined {
  const profile = new Profile({ row: -1, headings, total: scoreHeadingRow(headings).total })
  profile.addRows(rows.slice(start, start + ROWS_BELOW))
  try {
    const layout = decideLayout(profile, '', {})
    return layout?.partDoubt === undefined ? layout : undefined
  } catch (error) {
    if (!isFailure(error)) throw error
    return undefined
  }
}

interface Table {
  readonly name: string
  readonly profile: Profile
}

export function isCleanHeading(headings: Row): boolean {
  return headings[0] === CLEAN_HEADINGS.part
}

/** The columns of a clean list with one of these headings. */
function cleanColumns({ columns, headings }: Profile, wanted: string): readonly FoundColumn[] {
  return columns
    .filter(({ index }) => headings[index]?.replace(/ \d+$/, '') === wanted)
    .map((column) => found(column, 'the heading of a clean list'))
}

/** The column of the part numbers, then those of their alternates. */
function partColumns(table: Table): readonly FoundColumn[] {
  const { profile } = table
  if (isCleanHeading(profile.headings))
    return [CLEAN_HEADINGS.part, CLEAN_ALTERNATE].flatMap((heading) => cleanColumns(profile, heading))
  const ranked = profile.numbers()
  const [top, ...rest] = ranked
  if (top === undefined || top.score < TAKE) {
    const only = onlyColumn(profile)
    if (only !== undefined) return [only]
    const empty = emptyColumn(ranked, profile)
    if (empty !== undefined) return [foundRanked(empty)]
    const likely = columnByValues(profile, top)
    if (likely !== undefined) return [{ ...found(likely, BY_VALUES), usual: likely.values.usual }]
    throw noColumn(table, top)
  }
  const isTaken = ({ score }: Ranked): boolean => score >= TAKE
  // One that is empty may have values further down.
  const isEmpty = ({ column }: Ranked): boolean => column.values.filled === 0
  const isChoice = (one: Ranked): boolean => {
    const [{ heading }, first] = [one.column, top.column.heading]
    if (heading.isAlternate) return one.role === top.role || one.role === 'part number'
    if (one.role !== top.role) return false
    if (one.role === 'manufacturer number' && isTaken(one)) return true
    return first.isAlternate || (heading.key === first.key && heading.choice !== first.choice)
  }
  // Of the numbers of shops, the column with the most is read.
  const isOfShop = (one: Ranked): boolean => one.role === 'supplier number' && top.role !== 'own number'
  const isNear = (one: Ranked): boolean =>
    isTaken(one) && top.order - one.order < MARGIN && 2 * countNumbers(one) > countNumbers(top)
  const isPlain = (one: Ranked): boolean =>
    (one.role === 'part number' &&
      top.role === 'manufacturer number' &&
      one.column.heading.points['own number'] === undefined) ||
    (one.role === 'manufacturer number' && top.role === 'part number')
  const near = rest.filter((one) => isNear(one) && !isChoice(one) && !isOfShop(one))
  if (near.length > 0) throw severalColumns(table, [top, ...near])
  // Names are no numbers, whatever is above them.
  const areNames = ({ column: { values } }: Ranked): boolean =>
    values.share('word', 'words') > 0.5 || values.share('word', 'words', 'letters') > 0.8
  const choices = rest.filter(
    (one) => isChoice(one) && (isEmpty(one) || (one.score >= TAKE - 1.5 && !areNames(one))),
  )
  const columns = [top, ...choices].sort(
    (a, b) =>
      Number(isEmpty(a)) - Number(isEmpty(b)) ||
      Number(a.column.heading.isAlternate) - Number(b.column.heading.isAlternate) ||
      a.column.heading.choice - b.column.heading.choice,
  )
  const mayFill = (one: Ranked): boolean =>
    isPlain(one)
      ? one.score >= TAKE + 1
      : // A shop's number is none of the manufacturer's: it fills that of another shop alone.
        top.role === 'supplier number' &&
        isOfShop(one) &&
        isTaken(one) &&
        top.column.values.fill < 1 &&
        // Equal headings are those of tables beside each other.
        one.column.name !== top.column.name
  const substitutes = rest
    .filter((one) => mayFill(one) && !columns.includes(one))
    .sort(
      (a, b) => Number(isPlain(b)) - Number(isPlain(a)) || b.column.values.filled - a.column.values.filled,
    )
  return [
    ...columns.map(foundRanked),
    ...substitutes.map((one) => {
      const { why, ...column } = foundRanked(one)
      return { ...column, why: `where the others are empty: ${why}`, isSubstitute: true }
    }),
  ]
}

/** A column that certainly is the one of part numbers, and has only placeholders, where no other column looks like one. */
function emptyColumn<One extends Ranked>(ranked: readonly One[], { columns }: Profile): One | undefined {
  const isLikely = columns.some(({ values }) => values.filled > 0 && valueScore('own number', values) > 3)
  return isLikely ? undefined : ranked.find(({ points, column }) => points >= 5 && column.values.filled === 0)
}

/** What speaks against a column of part numbers that is read. */
function doubtOf({ index, heading, why }: FoundColumn, profile: Profile): string | undefined {
  const { columns } = profile
  const name = `column ${index + 1} "${cleanText(heading, 40)}"`
  if (why === BY_VALUES) return `no heading says part number: ${name} is read, by its values`
  if (/^material/i.test(heading) && !profile.isCounted && why !== 'chosen')
    return `${name} is read, without quantities: are its values parts, or materials?`
  const { values } = columns[index]!
  if (areOfWords(values)) return `${name} is read, but its values are words, not part numbers`
  const haveWords = why === 'chosen' && values.share('mixed', 'word', 'words', 'phrase', 'prose') > 0.5
  return haveWords ? `${name} is read, but most of its values have words in them` : undefined
}

function areOfWords(values: ColumnValues): boolean {
  return values.filled > 2 && values.share('word', 'words', 'phrase') > 0.9
}

/** Why a column is read that no heading says is the one. */
const BY_VALUES = 'no heading says part number, and only its values look like one'

/**
 * The one column whose values are part numbers, in a list with headings of quantities or designators, none of which says part number:
 * `Serial`, `Symbol` or a word of a language that is not known.
 */
function columnByValues(profile: Profile, top: Ranked | undefined): Column | undefined {
  // A heading that its values contradict leaves no other to be believed.
  const isCount = top?.column.values.mostly === 'small number'
  if (top !== undefined && top.points >= 4 && top.column.values.filled > 0 && !isCount) return undefined
  const isSaid = ({ heading }: Column): boolean => numberPointsOf(heading) >= 2
  const shareOf = (one: Column): number =>
    isSaid(one)
      ? one.values.share('part number', 'number', 'designator or number')
      : one.values.share('part number')
  const isOther = ({ heading: { points, isNote } }: Column): boolean =>
    !isNote && (points.other ?? 0) >= TAKE_OTHER
  const [only, ...others] = profile.columns.filter(
    (one) => mayHaveNumbers(one) && !isOther(one) && shareOf(one) > 0.3,
  )
  const isOf = (kind: ValueKind): boolean => profile.columns.some(({ values }) => values.share(kind) > 0.8)
  const hasPlaces = profile.headingRow < 0 && isOf('designators')
  const isCounted = profile.headingRow < 0 ? hasPlaces || isOf('small number') : profile.isCounted
  if (only === undefined || others.length > 0 || !isCounted) return undefined
  const { filled, fill, distinct } = only.values
  // Names beside their makers.
  const isName = (only.heading.points.description ?? 0) > 0 && profile.has('manufacturer')
  const repeats = only.heading.isChild || hasPlaces ? 0.3 : isSaid(only) ? 0.5 : 0.8
  const isLike = shareOf(only) > (isName ? 0.6 : 0.9) && distinct > repeats
  const mayBe = isUnknown(only.heading) || only.heading.isNote || isName
  return mayBe && isLike && filled > 2 && fill > (isName ? 0.6 : 0.8) ? only : undefined
}

/** The only column of a list, unless its heading says something else or its values are a text. */
function onlyColumn({ columns }: Profile): FoundColumn | undefined {
  const [only, ...others] = columns
  if (only === undefined || others.some(({ values }) => values.filled > 0) || isText(only.values))
    return undefined
  const points = numberPointsOf(only.heading)
  const isLike = only.values.share('part number') > 0.5
  const areWords = points < 5 && only.values.share('word', 'words', 'letters') === 1
  const isNumber = only.heading.best === 0 || (isLike ? points > 0 : points >= only.heading.best && !areWords)
  return isNumber ? found(only, 'the only column') : undefined
}

/** The values are sentences, names or links. */
export function isText(values: ColumnValues): boolean {
  if (values.share('link') === 1 || values.share('prose') === 1) return true
  if (values.filled <= 2) return false
  // `100uF capacitor`, but not `4700R`.
  const ofComponents = values.usual.spaced > 0.5 ? values.share('component value') : 0
  return values.share('prose', 'phrase', 'words', 'link') + ofComponents > 0.5
}

const SHOWN_KINDS: Readonly<Record<string, string>> = {
  'part number': 'like part numbers',
  none: 'empty',
}

function found({ index, name, values }: Column, why: string): FoundColumn {
  return { index, heading: name, why, examples: values.examples }
}

function foundRanked({ column, role, points, score }: Ranked): FoundColumn {
  const one = found(column, reasonOf(role, points, score - points, column.values))
  return isNumberRole(role) ? { ...one, usual: column.values.usual } : one
}

/** `heading says manufacturer number 6.5, values +5.2: 97 % like part numbers`. */
function reasonOf(role: HeadingRole, points: number, value: number, values: ColumnValues): string {
  const kind = values.mostly
  const percent = `${Math.round(100 * values.share(kind))} % ${SHOWN_KINDS[kind] ?? kind}`
  const sign = value < 0 ? '' : '+'
  const what =
    values.filled === 0
      ? areZeros(values)
        ? 'only 0'
        : 'no values'
      : `values ${sign}${value.toFixed(1)}: ${percent}`
  return `heading says ${role} ${points.toFixed(1)}, ${what}`
}

function chosenPart(table: Table, wanted: string): readonly FoundColumn[] {
  const column = chosenColumn(table, 'part', wanted)
  return [{ ...column, usual: table.profile.columns[column.index]!.values.usual }]
}

// Units that are no pieces, as headings have them: `Quantity [kg]`.
const MEASURE = /[([（【]\s*(kg|g|mg|t|m|mm|cm|km|l|ml|ft|in|inch|m2|m²|m3|m³|lbs?|oz)\.?\s*[)\]）】]/i

type OtherColumns = Pick<
  Layout,
  | 'columns'
  | 'partDoubt'
  | 'fittedDoubt'
  | 'isTotalQuantity'
  | 'isOrderQuantity'
  | 'hasQuantities'
  | 'unitOfQuantity'
  | 'isFittedNegated'
  | 'variants'
  | 'doubt'
>

/** The headings of each role beside part numbers. */
const SIDE_ROLES: Readonly<Record<Exclude<OneColumnRole, 'part'>, readonly HeadingRole[]>> = {
  'own part': ['own number'],
  quantity: ['quantity'],
  unit: ['unit'],
  level: ['level'],
  item: ['item'],
  manufacturer: ['manufacturer'],
  designator: ['designator'],
  fitted: ['not fitted', 'fitted'],
  description: ['description'],
}
type SideRole = keyof typeof SIDE_ROLES

function otherColumns(
  table: Table,
  { part, taken }: { readonly part: FoundColumn; readonly taken: Set<number> },
  chosen: ChosenColumns,
): OtherColumns {
  const { profile } = table
  const { columns, headings } = profile
  const known: { [role in OneColumnRole]?: FoundColumn } & { part: FoundColumn } = { part }
  for (const role of ['quantity', 'level', 'manufacturer'] as const) {
    const wanted = chosen[role]
    if (wanted === undefined) continue
    known[role] = chosenColumn(table, role, wanted)
    taken.add(known[role].index)
  }
  const isOfChild = columns[part.index]!.heading.isChild
  const isClean = isCleanHeading(headings)
  if (isClean) {
    for (const role of Object.keys(SIDE_ROLES) as SideRole[]) {
      const [column] = cleanColumns(profile, CLEAN_HEADINGS[role])
      if (column !== undefined) known[role] ??= column
    }
  }
  // One ranking: each column is that of the role for which it scores the most.
  const all = Object.entries(isClean ? {} : SIDE_ROLES)
    .flatMap(([role, headingRoles]) =>
      profile.ranked(headingRoles).map((one) => ({ ...one, of: role as SideRole })),
    )
    .filter(({ score, role, points, column }) => {
      // `Company` is one's own where it is always the same.
      if (role === 'manufacturer' && points < 6 && column.values.isConstant) return false
      if (role === 'manufacturer' && column.values.examples.every(isDistributor)) return false
      // Nothing but 0 is no quantity where the heading may say another thing: `@ qty` is that of a price.
      if (role === 'quantity' && points < 5 && areZeros(column.values)) return false
      if (!isNumberRole(role)) return score >= TAKE_OTHER
      // `SKU` over each of several shops says no own number.
      if (columns.filter(({ name }) => name === column.name).length > 2) return false
      // Beside what an assembly is made of, an item is the assembly.
      const isSaid = points >= LEAST_SAID && score >= points
      return score >= TAKE - 1.5 && isSaid && (column.heading.isChild || !isOfChild)
    })
    .sort((a, b) => b.score - a.score)
  const best = new Map<SideRole, Ranked>()
  for (const one of all) {
    if (known[one.of] !== undefined || taken.has(one.column.index)) continue
    known[one.of] = foundRanked(one)
    best.set(one.of, one)
    taken.add(one.column.index)
  }
  let doubt: string | undefined
  for (const role of ['quantity', 'level'] as const) {
    const first = best.get(role)
    const rivals = all.filter(
      (one) => one.of === role && first !== undefined && !taken.has(one.column.index) && isRival(first, one),
    )
    if (rivals.length === 0) continue
    const places = role === 'quantity' ? best.get('designator') : undefined
    const [counts, ...alike] =
      places === undefined
        ? []
        : [first!, ...rivals].filter(({ column }) => profile.isCountOf(column, places.column))
    if (counts !== undefined && alike.length === 0) {
      known[role] = foundRanked(counts)
      taken.add(counts.column.index)
      continue
    }
    const names = named([first!, ...rivals].map(({ column }) => column))
    doubt ??= `several columns could be the ${role}: ${names}; choose one for the roll-up`
    delete known[role]
  }
  const counts = known.quantity && columns[known.quantity.index]!
  if (counts !== undefined && areZeros(counts.values))
    doubt ??= `column ${named([counts])} has only 0, so no part is fitted: is it the quantity?`
  // Boxes that nobody has ticked yet, or that are ticked while parts are placed, as those of InteractiveHtmlBom.
  const ticks = best.get('fitted')
  const areTicks =
    ticks?.role === 'fitted' &&
    (columns.some(({ name }) => /^sourced$/i.test(name)) || saysNo(ticks.column.values))
  if (areTicks) delete known.fitted
  // Without headings, the only small numbers that do not count the rows are the quantities.
  const small = columns.filter(
    ({ index, values }) => !taken.has(index) && !values.isCounter && values.share('small number') > 0.9,
  )
  if (profile.headingRow < 0 && small.length === 1) known.quantity ??= found(small[0]!, 'by its values')
  const { item, level, quantity, fitted } = known
  const fittedVariants = all.filter(
    ({ of, role, column: { index } }) =>
      of === 'fitted' &&
      fitted &&
      role === best.get('fitted')?.role &&
      !taken.has(index) &&
      isVariant(headings[fitted.index]!, headings[index]!),
  )
  const without = columns.find(
    ({ index, heading }) => (heading.points.quantity ?? 0) >= 5 && !taken.has(index),
  )
  if (quantity === undefined && without !== undefined)
    doubt ??= `column ${named([without])} has no quantities`
  if (level === undefined && doubt === undefined && item && columns[item.index]!.values.isOutline) {
    known.level = { ...item, why: 'outline numbers such as 1.1.2' }
  }
  const quantities = quantity && columns[quantity.index]!.values
  return {
    columns: known,
    partDoubt: doubtOf(part, profile),
    fittedDoubt: areTicks
      ? `column ${named([ticks.column])} is not read: its marks may be those of work done`
      : undefined,
    ...saidOf(known, headings.map(headingScores)),
    hasQuantities:
      (quantities?.share('small number', 'number', 'decimal') ?? 0) > 0.9 && quantities!.fill > 0.9,
    variants: fitted === undefined ? markedVariants(columns, taken) : fittedVariants.map(foundRanked),
    doubt: doubt === undefined ? undefined : `${table.name}: ${doubt}`,
  }
}

/** Columns such as `EU` and `US`, with nothing but marks that say in which variant a part is not fitted. */
function markedVariants(columns: readonly Column[], taken: ReadonlySet<number>): readonly FoundColumn[] {
  const isMarked = ({ index, heading, values }: Column): boolean =>
    !taken.has(index) && (heading.points.other ?? 0) < TAKE_OTHER && values.areOnlyMarks
  const marked = columns.filter(isMarked)
  const negative = marked.filter(({ values }) => values.sayNotFitted)
  const isLike = ({ values }: Column, other: Column): boolean =>
    values.examples.some((mark) => other.values.examples.includes(mark))
  const variants = marked.filter(
    (one) => negative.includes(one) || negative.some((other) => isLike(one, other)),
  )
  return negative.length === 0 || variants.length < 2
    ? []
    : variants.map((column) => found(column, 'marks of a variant'))
}

/** True for equal headings, and for those that differ in one of several words: `Fitted EU` and `Fitted US`. */
function isVariant(one: string, other: string): boolean {
  const [words, others] = [one, other].map((heading) => heading.toLowerCase().split(/[^\p{L}\p{N}]+/u))
  const differing = words!.filter((word, index) => word !== others![index])
  const isNamed = differing.every((word) => !/\d/.test(word))
  return words!.length === others!.length && differing.length <= Math.min(1, words!.length - 1) && isNamed
}

/** True for a column of other values with nearly the same score, or of another variant of the product: `Qty EU` and `Qty US`. */
function isRival(one: Ranked, other: Ranked): boolean {
  const [a, b] = [one.column, other.column]
  if (a.heading.isTotal !== b.heading.isTotal) return false
  const isOfVariant =
    one.role === 'quantity' &&
    ['small number', 'none'].includes(b.values.mostly) &&
    isVariant(a.name, b.name) &&
    a.heading.isOrder === b.heading.isOrder &&
    Math.abs(one.points - other.points) <= 1
  if (one.score - other.score >= OTHER_MARGIN && !isOfVariant) return false
  return one.role === 'level' ? a.values.digits !== b.values.digits : a.values.sum !== b.values.sum
}

function areZeros({ filled, zeros }: ColumnValues): boolean {
  return filled === 0 && zeros > 0
}

function saysNo({ isConstant, fill, examples }: ColumnValues): boolean {
  return isConstant && fill > 0.9 && readFitted(examples[0]!, false) === false
}

/** Other shops are makers too. */
function isDistributor(name: string): boolean {
  return /^(?:mouser|digi-?key|lcsc|farnell|newark|reichelt|rs components|tme)\b/i.test(name)
}

type ChosenRole = keyof ChosenColumns

/** A column that was chosen by hand. */
function chosenColumn(table: Table, role: ChosenRole, wanted: string): FoundColumn {
  const { name: file, profile } = table
  const { headings, columns } = profile
  const isNumber = /^\d+$/.test(wanted)
  const indexes = isNumber ? [Number(wanted) - 1] : namedColumns(headings, wanted)
  if (indexes.length > 1) {
    throw severalColumns(
      table,
      indexes.map((index) => ({ column: columns[index]! })),
      role,
    )
  }
  const column = indexes[0] === undefined ? undefined : columns[indexes[0]]
  if (column !== undefined) return found(column, 'chosen')
  const [what, options] = [nounOf(role), [optionOf(role)]]
  if (isNumber) {
    const width = columns.length
    throw new Failure('usage', `${file} has no column ${wanted} for the ${what}: its rows have ${width}`, {
      file,
      hint: 'count columns from 1, or give the heading of one',
      options,
    })
  }
  throw new Failure('usage', `${file} has no column "${cleanText(wanted, 80)}" for the ${what}`, {
    file,
    hint:
      headings.length === 0
        ? 'it has no headings: count columns from 1'
        : `row ${profile.headingRow + 1} has ${listed(columns.filter(({ heading }) => heading.key !== ''))}`,
    options,
  })
}

function nounOf(role: ChosenRole): string {
  return role === 'part' ? 'part number' : role
}

function optionOf(role: ChosenRole): string {
  return role === 'part' ? 'parts-column' : `${role}-column`
}

/** `1 "Item", 3 "Qty"`. */
function named(columns: readonly Column[]): string {
  return columns.map(({ index, name }) => `${index + 1} ${JSON.stringify(cleanText(name, 40))}`).join(', ')
}

function listed(columns: readonly Column[]): string {
  return `${named(columns.slice(0, 12))}${columns.length > 12 ? ' …' : ''}`
}

function severalColumns(
  { name, profile }: Table,
  columns: readonly { readonly column: Column }[],
  role: ChosenRole = 'part',
): Failure {
  const rows = columns.map(({ column }) => column)
  const rest = role === 'part' ? inOrder(profile).filter((column) => !rows.includes(column)) : []
  return new Failure('usage', `${name}: several columns could be the ${nounOf(role)}: ${named(rows)}`, {
    file: name,
    problems: [...rows, ...rest].slice(0, MOST_SHOWN).map(example),
    hint: 'choose one by its number',
    options: rows.map(({ index }) => `${optionOf(role)} ${index + 1}`),
  })
}

/** Columns shown with a refusal. */
const MOST_SHOWN = 8

function noColumn({ name, profile }: Table, best: Ranked | undefined): Failure {
  const { headingRow, headings } = profile
  const what =
    best === undefined
      ? headings.length > 1
        ? `no heading in row ${headingRow + 1} says part number`
        : 'no row of headings is found'
      : best.column.values.filled === 0
        ? `column "${best.column.name}" has no values`
        : `the values of column "${best.column.name}" do not look like part numbers`
  return withoutNumbers(profile, name, `${name}: no column of part numbers: ${what}`)
}

/** The failure of a list without part numbers, with the columns that it has. */
export function withoutNumbers(profile: Profile, file: string, message: string): Failure {
  const columns = inOrder(profile)
  // Beside the numbers of what an assembly consists of, others are of the assembly.
  const ofLines = columns.filter(({ heading }) => heading.isChild && numberPointsOf(heading) >= TAKE)
  const differing = (ofLines.length > 0 ? ofLines : columns).filter(({ heading, values }) =>
    values.filled < 3
      ? values.rows < 12
      : !values.isConstant &&
        (values.distinct > 0.2 || areManyNumbers(values) || numberPointsOf(heading) > 1),
  )
  const likely =
    differing.find(mayHaveNumbers) ??
    differing.find(haveSomeNumbers) ??
    differing.find(
      ({ heading, values }) =>
        heading.best === numberPointsOf(heading) &&
        heading.best > 1 &&
        values.share('part number') > Math.max(0.3, values.share('component value')),
    )
  const shown = likely === undefined ? columns : [likely, ...columns.filter((one) => one !== likely)]
  return new Failure('usage', message, {
    file,
    problems: shown.slice(0, MOST_SHOWN).map(example),
    hint:
      likely === undefined
        ? 'none of its columns can have them: is it a parts list?'
        : 'is it a parts list? if it is, choose a column by its number or heading',
    options: likely === undefined ? [] : [`parts-column ${likely.index + 1}`],
  })
}

/** Many part numbers, each of them in several rows. */
function areManyNumbers(values: ColumnValues): boolean {
  return values.share('part number') > 0.9 && values.distinct * values.filled > 9
}

/** All columns with values, the most likely to hold part numbers first. */
function inOrder(profile: Profile): readonly Column[] {
  const scores = new Map(profile.numbers().map(({ column, order }) => [column, order]))
  const scoreOf = (column: Column): number =>
    scores.get(column) ?? Math.min(TAKE, valueScore('own number', column.values))
  const isLast = (column: Column): number => Number(!mayHaveNumbers(column)) + Number(column.heading.isElse)
  return profile.columns
    .filter(({ values }) => values.filled > 0)
    .toSorted((a, b) => isLast(a) - isLast(b) || scoreOf(b) - scoreOf(a))
}

/**
 * True for a column that nothing is known of but that all its values look like part numbers; beside numbers that are not a maker's, for
 * names, comments and values of which most do.
 */
function isNumberedNote({ heading, values }: Column, isBesideMaker: boolean): boolean {
  const share = values.share('part number')
  // Numbers below `Mfr` are no names.
  if ((heading.points.manufacturer ?? 0) > 0) return share > 0.5
  if (values.distinct <= 0.5) return false
  if (isUnknown(heading)) {
    const isNumber = numberPointsOf(heading) > 0 && !values.isCounter
    return (isNumber ? share + values.share('number') : share) > (heading.isOrder ? 0.5 : 0.9)
  }
  return (
    !isBesideMaker &&
    ((heading.isNote && share > 0.5) || ((heading.points.description ?? 0) > 0 && share > 0.7))
  )
}

/** The heading says nothing but, perhaps, a number. */
function isUnknown({ points }: HeadingScores): boolean {
  return Object.entries(points).every(
    ([role, most]) => isNumberRole(role as HeadingRole) || (most ?? 0) < TAKE_OTHER,
  )
}

/** What a heading says of columns that are never offered, whatever their values. */
const NEVER_OFFERED = ['designator', 'quantity', 'unit', 'level', 'other'] as const

/** False for a column of words, money, counts, coordinates, links and the like, by its values and its heading. */
function mayHaveNumbers({ heading, values }: Column): boolean {
  const { points, best } = heading
  const most = numberPointsOf(heading)
  // `ID (Items)` is a key.
  if ((points.parent ?? 0) > most || (heading.isChild && best === 0)) return false
  // Values of components may be what each is ordered by; other columns are as they are named, unless all of their values are numbers.
  const hasLetters = values.examples.some((value) => /\p{L}/u.test(value))
  const least = heading.isNote ? 0.7 : 0.9
  // Beside numbers, a link has none.
  const numbers = values.share('part number') / Math.max(0.1, 1 - values.share('link'))
  if (hasLetters && numbers > least && values.distinct > 0.8) return true
  const isSaid = (role: HeadingRole): boolean => (points[role] ?? 0) >= Math.max(TAKE_OTHER, most + 1.5)
  if (NEVER_OFFERED.some(isSaid)) return false
  if (hasLetters && values.share('part number', 'designator or number') > 0.4) return true
  const isOther = best >= TAKE_OTHER && most < best - 1.5
  return !isOther && !values.isCounter && values.share('part number', 'letters', 'number', 'mixed') > 0.4
}

/** True for a column of which some values look like part numbers, or are labels with one, whatever its heading says. */
function haveSomeNumbers({ heading, values }: Column): boolean {
  if (heading.isNote && values.filled > 4 && values.share('part number') > 0.45) return true
  return (
    !heading.isElse &&
    values.share('part number', 'mixed') > 0.3 &&
    values.share('part number', 'mixed', 'word', 'words', 'letters') > 0.6
  )
}

/** `3 "Mfr Part No", A-3`. */
function example({ index, name, values }: Column): string {
  const shown = values.examples.length === 0 ? 'no values' : values.examples.join(', ')
  return `${index + 1} ${JSON.stringify(name)}: ${shown}`
}

/** A heading without case, spaces and punctuation; `#` reads as "no". */
function headingKey(heading: string): string {
  return heading
    .slice(0, 200)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('#', 'no')
    .replaceAll('n°', 'no')
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** The columns (from 0) with this heading: exactly, else without case, spaces and punctuation. */
function namedColumns(headings: Row, name: string): readonly number[] {
  const indexes = (matches: (heading: string) => boolean): number[] =>
    headings.flatMap((heading, index) => (matches(heading) ? [index] : []))
  const exact = indexes((heading) => heading.trim() === name.trim())
  if (exact.length > 0) return exact
  const key = headingKey(name)
  return key === '' ? [] : indexes((heading) => headingKey(heading) === key)
}

function isSameRow(row: Row, headings: Row): boolean {
  const width = Math.max(filledWidth(row), filledWidth(headings))
  return Array.from({ length: width }).every(
    (_, index) => (row[index] ?? '').trim() === (headings[index] ?? '').trim(),
  )
}

function firstFilled(row: Row): number {
  return row.findIndex((cell) => cell.trim() !== '')
}

function filledWidth(row: Row): number {
  let width = row.length
  while (width > 0 && row[width - 1]!.trim() === '') width -= 1
  return width
}

/** What the headings of these columns say of their values. */
function saidOf(
  { quantity, fitted }: Layout['columns'],
  scores: readonly HeadingScores[],
): Pick<Layout, 'isTotalQuantity' | 'isOrderQuantity' | 'unitOfQuantity' | 'isFittedNegated'> {
  return {
    isTotalQuantity: quantity !== undefined && scores[quantity.index]?.isTotal === true,
    isOrderQuantity: quantity !== undefined && scores[quantity.index]?.isOrder === true,
    unitOfQuantity: MEASURE.exec(quantity?.heading ?? '')?.[1] ?? '',
    isFittedNegated: fitted !== undefined && scores[fitted.index]?.points['not fitted'] !== undefined,
  }
}
