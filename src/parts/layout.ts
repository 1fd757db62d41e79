import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { headingKey, knownHeading, type Meaning, namedColumns } from './headings.ts'
import { isComponentValue, isDesignators, readNotFitted } from './row-kind.ts'

/** How many rows are searched for the headings: there may be titles above them. */
export const HEADING_ROWS = 50

/** The columns that were chosen by hand: a heading, or a number from 1. */
export interface ChosenColumns {
  readonly part?: string | undefined
  readonly quantity?: string | undefined
  readonly level?: string | undefined
  readonly manufacturer?: string | undefined
}

/** What the columns of a list are read for. */
export const COLUMN_ROLES = [
  'part',
  'quantity',
  'unit',
  'level',
  'item',
  'manufacturer',
  'designator',
  'fitted',
  'description',
] as const
export type ColumnRole = (typeof COLUMN_ROLES)[number]

/** A column that was found. */
export interface FoundColumn {
  /** Its index, from 0. */
  readonly index: number
  /** Its heading, or its number from 1 where there is none. */
  readonly heading: string
  readonly why: string
}

/** How a table is read. */
export interface Layout {
  /** The row of the headings, from 0; -1 when the table has none. Parts begin in the row after it. */
  readonly headingRow: number
  readonly headings: readonly string[]
  /** Columns of the heading row, or of the widest row seen. */
  readonly width: number
  readonly columns: { readonly [role in ColumnRole]?: FoundColumn } & { readonly part: FoundColumn }
  /** The quantities are those of the whole product, not of one assembly. */
  readonly isTotalQuantity: boolean
  /** The column of `fitted` says which rows are left out, not which are in. */
  readonly isFittedNegated: boolean
  /** Why the list has no quantities or levels although it might. */
  readonly doubt: string | undefined
}

/** The first rows of a table. */
export interface TableHead {
  readonly name: string
  readonly rows: readonly (readonly string[])[]
  /** The table has no other rows. */
  readonly isWhole: boolean
}

/** How well a row would do as the row of the headings. */
interface HeadingScore {
  readonly row: number
  readonly known: number
  readonly hasPart: boolean
  readonly filled: number
}

type Row = readonly string[]

/**
 * Finds the row of the headings and what the columns mean: the row with the most known headings, of those with a heading for part
 * numbers if there is one; ties go to the most filled cells, then to the first. Undefined for a table without values; a `usage`
 * failure where the column of the part numbers stays unknown or ambiguous, with the candidates and their first values.
 */
export function findLayout(head: TableHead, chosen: ChosenColumns): Layout | undefined {
  const widest = head.rows.reduce((width, row) => Math.max(width, filledWidth(row)), 0)
  if (widest === 0) return undefined
  const headingRow = headingRowOf(head, chosen, widest)
  const headings = headingRow < 0 ? [] : head.rows[headingRow]!
  const width = headingRow < 0 ? widest : headings.length
  const table = { ...head, headings, headingRow, width: Math.max(width, widest) }
  const part = partColumn(table, chosen.part)
  return { headingRow, headings, width, ...otherColumns(table, part, chosen) }
}

const NO_HEADINGS: HeadingScore = { row: -1, known: 0, hasPart: false, filled: 0 }

/** The row that is most likely that of the headings; row -1 where no row has a heading for part numbers, or two known ones. */
export function bestHeadings(rows: readonly Row[], chosen: ChosenColumns): HeadingScore {
  const scores = rows.slice(0, HEADING_ROWS).map((row, index) => scoreRow(row, index, chosen.part))
  return scores.filter(({ known, hasPart }) => hasPart || known > 1).sort(byQuality)[0] ?? NO_HEADINGS
}

function byQuality(a: HeadingScore, b: HeadingScore): number {
  return Number(b.hasPart) - Number(a.hasPart) || b.known - a.known || b.filled - a.filled || a.row - b.row
}

function scoreRow(row: Row, index: number, wanted: string | undefined): HeadingScore {
  const filled = row.filter((cell) => cell.trim() !== '')
  // `Material:` in a title block is a label; where every heading ends in a colon, as Mouser writes them, none is.
  const isLabel = (cell: string): boolean => !filled.every(endsInColon) && endsInColon(cell)
  const known = filled.flatMap((cell) => (isLabel(cell) ? [] : (knownHeading(cell) ?? [])))
  const isNamed = wanted !== undefined && !/^\d+$/.test(wanted) && namedColumns(row, wanted).length > 0
  const hasPart = known.some(({ meanings }) => meanings.some(isPartMeaning))
  return {
    row: index,
    known: known.length + (isNamed ? 1000 : 0),
    hasPart: isNamed || (hasPart && (known.length > 1 || filled.length === 1 || isSureOfParts(known))),
    filled: filled.length,
  }
}

// One known word in a row of others is a heading only where it can mean nothing else.
function isSureOfParts(known: readonly { readonly meanings: readonly Meaning[] }[]): boolean {
  return known.some(({ meanings }) => meanings.every(isPartMeaning))
}

function endsInColon(cell: string): boolean {
  return /[:：]\s*$/.test(cell)
}

function headingRowOf(head: TableHead, chosen: ChosenColumns, widest: number): number {
  const best = bestHeadings(head.rows, chosen)
  const { part } = chosen
  const isNamed = part !== undefined && !/^\d+$/.test(part)
  if (isNamed && best.known < 1000) throw noColumn(head, part)
  if (best.row >= 0) return best.row
  const column = part === undefined ? (widest === 1 ? 0 : -1) : Number(part) - 1
  return column < 0 ? -1 : unknownHeadingRow(head.rows, column)
}

/** A first value without a digit above values that all have digits is a heading in words that are not known. */
function unknownHeadingRow(rows: readonly Row[], column: number): number {
  const filled = rows.flatMap((row, index) => ((row[column] ?? '').trim() === '' ? [] : [index]))
  const hasDigit = (row: number): boolean => /\p{N}/u.test(rows[row]![column]!)
  const [first, ...others] = filled
  return first !== undefined && others.length >= 2 && !hasDigit(first) && others.every(hasDigit) ? first : -1
}

interface Table extends TableHead {
  readonly headings: Row
  readonly headingRow: number
  readonly width: number
}

/** The meanings of part number columns, the best first. */
const PART_MEANINGS: readonly (readonly Meaning[])[] = [
  ['manufacturer part number'],
  ['part number'],
  ['internal part number', 'supplier part number'],
  ['possible part number'],
]

function isPartMeaning(meaning: Meaning): boolean {
  return PART_MEANINGS.some((meanings) => meanings.includes(meaning))
}

/** True when the text is one of the usual headings of a part number column. */
export function isPartHeading(text: string): boolean {
  const { meanings = [] } = (!/\S\d/.test(text) && knownHeading(text)) || {}
  return meanings.some(isPartMeaning) && !meanings.includes('designator')
}

function partColumn(table: Table, wanted: string | undefined): FoundColumn {
  if (wanted !== undefined) return chosenColumn(table, 'part', wanted)
  const passed: number[] = []
  for (const meanings of PART_MEANINGS) {
    const [column, ...others] = candidates(table, meanings, passed)
    if (column === undefined) continue
    if (others.length > 0) throw severalColumns(table, [column, ...others])
    const heading = headingText(table, column)
    const what = table.headings[column] === undefined ? '' : meaningOf(table, column, meanings)
    const before = passed.length + otherPartColumns(table, column, meanings).length
    return {
      index: column,
      heading,
      why: before === 0 ? what : `${what}, preferred to ${rest(table, column)}`,
    }
  }
  if (passed.length > 0) return { index: passed[0]!, heading: headingText(table, passed[0]!), why: 'empty' }
  if (table.width === 1) return { index: 0, heading: headingText(table, 0), why: 'the only column' }
  throw noColumn(table, undefined)
}

/** The columns of these meanings that can be it; those of a whole table without a value go to `passed`. */
function candidates(table: Table, meanings: readonly Meaning[], passed: number[]): readonly number[] {
  const columns = columnsOf(table, meanings)
  const filled = columns.filter((column) => !table.isWhole || valuesOf(table, column).length > 0)
  passed.push(...columns.filter((column) => !filled.includes(column)))
  if (filled.length < 2) return filled
  const texts = filled.map((column) => valuesOf(table, column).join('\0'))
  return filled.filter((_, index) => texts[index] !== '' && texts.indexOf(texts[index]!) === index)
}

/** The columns whose heading has one of these meanings and whose values don't speak against it; of several choices the first. */
function columnsOf(table: Table, meanings: readonly Meaning[]): readonly number[] {
  const found = table.headings.flatMap((text, index) => {
    const known = knownHeading(text)
    const meaning = known?.meanings.find((one) => meanings.includes(one))
    return meaning === undefined || !fits(table, index, meaning)
      ? []
      : [{ index, choice: known!.choice, meaning }]
  })
  const isFirstChoice = ({ choice, meaning }: (typeof found)[number]): boolean =>
    found.every((other) => other.meaning !== meaning || other.choice >= choice) ||
    (choice === 0 && found.every((other) => other.meaning !== meaning || other.choice === 0))
  return found.filter(isFirstChoice).map(({ index }) => index)
}

// Headings with two meanings: `Reference` is a designator or a part number, `Item` a position or a part number.
function fits(table: Table, column: number, meaning: Meaning): boolean {
  const values = valuesOf(table, column)
  const other = knownHeading(table.headings[column]!)!.meanings.filter((one) => one !== meaning)
  // Inventor's `Unit QTY` holds units.
  if (/quantity/.test(meaning) && values.length > 0) return values.some((text) => /\d/.test(text))
  if (values.length === 0) return other.length === 0 || !isPartMeaning(meaning)
  if (values.length === 0 || (meaning !== 'possible part number' && !other.includes('item'))) return true
  if (isMostly(values, isDesignators) || values.every(isPosition)) return false
  const hasDesignators = columnsOf(table, ['designator']).some((one) => one !== column)
  const isNumber = (text: string): boolean => /\d/.test(text) && text.length > 4 && !isComponentValue(text)
  return hasDesignators || other.length > 0 ? isMostly(values, isNumber) : !isMostly(values, isComponentValue)
}

function isPosition(text: string): boolean {
  return /^\d{1,4}(?:\.\d{1,4})*\.?$/.test(text.trim())
}

function isMostly(values: readonly string[], test: (value: string) => boolean): boolean {
  return values.filter(test).length * 2 > values.length
}

function valuesOf({ rows, headingRow }: Table, column: number): readonly string[] {
  return rows.slice(headingRow + 1).flatMap((row) => {
    const value = (row[column] ?? '').trim()
    return value === '' ? [] : [value]
  })
}

function meaningOf({ headings }: Table, column: number, meanings: readonly Meaning[]): string {
  const meaning = knownHeading(headings[column]!)?.meanings.find((one) => meanings.includes(one))
  return `heading of ${meaning === 'internal part number' || meaning === 'item' ? 'an' : 'a'} ${meaning}`
}

function otherPartColumns(table: Table, column: number, meanings: readonly Meaning[]): readonly number[] {
  const from = PART_MEANINGS.indexOf(meanings as (typeof PART_MEANINGS)[number])
  return PART_MEANINGS.slice(from, 3)
    .flatMap((later) => allOf(table, later))
    .filter((other) => other !== column)
}

function allOf({ headings }: Table, meanings: readonly Meaning[]): readonly number[] {
  return headings.flatMap((text, index) => {
    const [first] = knownHeading(text)?.meanings ?? []
    return first !== undefined && meanings.includes(first) ? [index] : []
  })
}

function rest(table: Table, column: number): string {
  const others = PART_MEANINGS.slice(0, 3)
    .flatMap((meanings) => allOf(table, meanings))
    .filter((other) => other !== column)
  return others.map((other) => JSON.stringify(headingText(table, other))).join(', ')
}

function otherColumns(
  table: Table,
  part: FoundColumn,
  chosen: ChosenColumns,
): Pick<Layout, 'columns' | 'isTotalQuantity' | 'isFittedNegated' | 'doubt'> {
  const free = (meanings: readonly Meaning[]): readonly number[] =>
    candidates(table, meanings, []).filter((column) => column !== part.index)
  const first = (...meanings: Meaning[]): FoundColumn | undefined => {
    for (const meaning of meanings) {
      const [column] = free([meaning])
      if (column !== undefined) return foundBy(table, column, [meaning])
    }
    return undefined
  }
  const doubts: string[] = []
  const only = (role: 'quantity' | 'level', ...meanings: Meaning[]): FoundColumn | undefined => {
    for (const meaning of meanings) {
      const [column, ...others] = free([meaning]).filter(
        (one, index, all) => index === 0 || role !== 'level' || !hasEqualLevels(table, all[0]!, one),
      )
      if (column === undefined) continue
      if (others.length === 0) return foundBy(table, column, [meaning])
      const names = [column, ...others].map((one) => `${one + 1} ${JSON.stringify(headingText(table, one))}`)
      doubts.push(`several columns could be the ${role}: ${names.join(', ')}; choose one for the roll-up`)
      return undefined
    }
    return undefined
  }
  const pick = (role: 'quantity' | 'level' | 'manufacturer', found: () => FoundColumn | undefined) =>
    chosen[role] === undefined ? found() : chosenColumn(table, role, chosen[role])
  const quantity = pick('quantity', () =>
    only('quantity', 'quantity per assembly', 'quantity', 'total quantity'),
  )
  const item = first('item')
  const level = pick('level', () => only('level', 'level') ?? outlineColumn(table, item))
  const columns = {
    part,
    quantity,
    unit: first('unit'),
    level:
      doubts.length > 0 && chosen.level === undefined && level?.why.startsWith('outline') ? undefined : level,
    item,
    manufacturer: pick('manufacturer', () => first('manufacturer')),
    designator: first('designator'),
    fitted: first('fitted', 'not fitted'),
    description: first('description'),
  }
  if (
    quantity === undefined &&
    level !== undefined &&
    !level.why.startsWith('outline') &&
    doubts.length === 0
  ) {
    doubts.push('no quantity column found by its heading: no roll-up')
  }
  return {
    columns: Object.fromEntries(
      Object.entries(columns).filter(([, column]) => column !== undefined),
    ) as Layout['columns'],
    isTotalQuantity: quantity !== undefined && allOf(table, ['total quantity']).includes(quantity.index),
    isFittedNegated:
      columns.fitted !== undefined && allOf(table, ['not fitted']).includes(columns.fitted.index),
    doubt: doubts[0] === undefined ? undefined : `${table.name}: ${doubts[0]}`,
  }
}

/** True where two columns say the same level, as SAP writes `2` beside `..2`. */
function hasEqualLevels({ rows, headingRow }: Table, one: number, other: number): boolean {
  const depth = (text = ''): string => text.replace(/[^0-9]/g, '')
  return rows.slice(headingRow + 1).every((row) => depth(row[one]) === depth(row[other]))
}

/** Item numbers such as 1, 1.1, 1.1.2 say where a row belongs: without a column of levels they are read as such. */
function outlineColumn(table: Table, item: FoundColumn | undefined): FoundColumn | undefined {
  if (item === undefined) return undefined
  const values = valuesOf(table, item.index).filter((value) => readNotFitted(value) !== true)
  const outlines = values.filter((value) => /^\d{1,4}(?:\.\d{1,4})*\.?$/.test(value))
  const isOutline =
    outlines.some((value) => /\d\.\d/.test(value)) && outlines.length * 10 >= values.length * 9
  return isOutline ? { ...item, why: 'outline numbers such as 1.1.2' } : undefined
}

function foundBy(table: Table, index: number, meanings: readonly Meaning[]): FoundColumn {
  return { index, heading: headingText(table, index), why: meaningOf(table, index, meanings) }
}

/** A column that was chosen by hand. */
function chosenColumn(
  table: Table,
  role: 'part' | 'quantity' | 'level' | 'manufacturer',
  wanted: string,
): FoundColumn {
  const { headings, width, name: file } = table
  const isNumber = /^\d+$/.test(wanted)
  const columns = isNumber ? [Number(wanted) - 1] : namedColumns(headings, wanted)
  if (columns.length === 1 && columns[0]! >= 0 && columns[0]! < width) {
    return { index: columns[0]!, heading: headingText(table, columns[0]!), why: 'chosen' }
  }
  if (columns.length > 1) throw severalColumns(table, columns, role)
  const [what, options] = [role === 'part' ? 'part number' : role, [optionOf(role)]]
  if (isNumber) {
    throw new Failure('usage', `${file} has no column ${wanted} for the ${what}: its rows have ${width}`, {
      file,
      hint: 'count columns from 1, or give the heading of one',
      options,
    })
  }
  throw new Failure('usage', `${file} has no column "${cleanText(wanted, 80)}" for the ${what}`, {
    file,
    hint: headings.length === 0 ? 'it has no headings: count columns from 1' : `it has ${listed(headings)}`,
    options,
  })
}

function optionOf(role: string): string {
  return role === 'part' ? 'parts-column' : `${role}-column`
}

function listed(headings: Row): string {
  const names = headings.flatMap((heading, index) =>
    heading.trim() === '' ? [] : [`${index + 1} ${JSON.stringify(cleanText(heading, 40))}`],
  )
  return `${names.slice(0, 12).join(', ')}${names.length > 12 ? ' …' : ''}`
}

function headingText({ headings }: Pick<Table, 'headings'>, column: number): string {
  return cleanText(headings[column] ?? '', 80).trim() || String(column + 1)
}

function severalColumns(table: Table, columns: readonly number[], role = 'part'): Failure {
  const what = role === 'part' ? 'part number' : role
  const names = columns.map((column) => `${column + 1} ${JSON.stringify(headingText(table, column))}`)
  return new Failure('usage', `${table.name}: several columns could be the ${what}: ${names.join(', ')}`, {
    file: table.name,
    problems: columns.map((column) => example(table, column)),
    hint: 'choose one by its number',
    options: columns.map((column) => `${optionOf(role)} ${column + 1}`),
  })
}

function noColumn(head: TableHead, wanted: string | undefined): Failure {
  const { name, rows } = head
  const widths = rows.map(filledWidth)
  const likely = [
    bestHeadings(rows, {}).row,
    ...[2, 1].map((least) => widths.findIndex((width) => width >= least)),
  ]
  const headingRow = likely.find((row) => row >= 0)!
  const table = { ...head, headingRow, headings: rows[headingRow] ?? [], width: 0 }
  const columns = table.headings.flatMap((text, index) => (text.trim() === '' ? [] : [index])).slice(0, 12)
  return new Failure(
    'usage',
    wanted === undefined
      ? `${name}: no part number column found by its heading`
      : `${name}: there is no column "${cleanText(wanted, 80)}"`,
    {
      file: name,
      problems: columns.map((column) => example(table, column)),
      hint: `row ${headingRow + 1} has ${listed(table.headings)}; choose a column by its number or heading`,
      options: ['parts-column'],
    },
  )
}

/** `3 "Mfr Part No", A-3`. */
function example(table: Table, column: number): string {
  const values = valuesOf(table, column)
    .slice(0, 3)
    .map((value) => cleanText(value, 40))
  const shown = values.length === 0 ? 'no values' : values.join(', ')
  return `${column + 1} ${JSON.stringify(headingText(table, column))}: ${shown}`
}

function filledWidth(row: Row): number {
  let width = row.length
  while (width > 0 && row[width - 1]!.trim() === '') width -= 1
  return width
}

/** True for a row that repeats the headings, as at the top of each page. */
export function isHeadingAgain(cells: readonly string[], { headings, columns }: Layout): boolean {
  const cell = cells[columns.part.index] ?? ''
  const heading = headings[columns.part.index]
  if (heading === undefined || cell === '') return false
  if (cell === heading) return true
  // Nearly all part numbers have a digit, and no known heading has one.
  if (/\d/.test(cell) || cell.trim() === '') return false
  if (headingKey(cell) === headingKey(heading)) return true
  return isPartHeading(cell) && cells.filter((other) => knownHeading(other) !== undefined).length > 1
}
