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
type ColumnRole = (typeof COLUMN_ROLES)[number]

/** A column that was found. */
interface FoundColumn {
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
  /** The row of the headings has none that is known: it is a guess from the values. */
  readonly isHeadingGuessed: boolean
  /** Columns of the heading row, or of the widest row seen. */
  readonly width: number
  readonly columns: { readonly [role in ColumnRole]?: FoundColumn } & { readonly part: FoundColumn }
  /** The quantities are those of the whole product, not of one assembly. */
  readonly isTotalQuantity: boolean
  /** The unit that the heading of the quantities names, if they are no pieces; else ''. */
  readonly unitOfQuantity: string
  /** The column of `fitted` says which rows are left out, not which are in. */
  readonly isFittedNegated: boolean
  /** Why the list has no quantities or levels although it might. */
  readonly doubt: string | undefined
}

/** The first rows of a table. */
interface TableHead {
  readonly name: string
  readonly rows: readonly (readonly string[])[]
  /** The table has no other rows. */
  readonly isWhole: boolean
}

type Row = readonly string[]

/** How well a row would do as the row of the headings. */
export interface HeadingScore {
  readonly row: number
  /** Its cells; where headings take two rows, those of both. */
  readonly headings: Row
  readonly known: number
  readonly hasPart: boolean
  /** A heading says part number before it says anything else. */
  readonly isSure: boolean
  /** Values stand beside its headings: `Part Number, 9000-1, Rev, B`. */
  readonly isLabels: boolean
  readonly filled: number
}

/** A column of a table with headings. */
interface Column {
  readonly index: number
  /** Its heading, or its number from 1. */
  readonly name: string
  /** What its heading can mean, the usual meaning first. */
  readonly meanings: readonly Meaning[]
  readonly choice: number
  /** Its values below the headings, in the rows that were looked at. */
  readonly values: readonly string[]
}

interface Table extends TableHead {
  readonly headings: Row
  readonly headingRow: number
  readonly width: number
  readonly columns: readonly Column[]
}

/**
 * Finds the row of the headings and what the columns mean: the row with the most known headings, of those with a heading for part
 * numbers if there is one; ties go to the most filled cells, then to the first. Undefined for a table without values; a `usage`
 * failure where the column of the part numbers stays unknown or ambiguous, with the candidates and their first values.
 */
export function findLayout(head: TableHead, chosen: ChosenColumns): Layout | undefined {
  const widest = head.rows.reduce((width, row) => Math.max(width, filledWidth(row)), 0)
  if (widest === 0) return undefined
  const { row: headingRow, headings, isHeadingGuessed } = headingsOf(head, chosen, widest)
  const width = headingRow < 0 ? widest : headings.length
  const table = tableOf(head, headingRow, headings, Math.max(width, widest))
  const part = partColumn(table, chosen.part)
  return { headingRow, headings, isHeadingGuessed, width, ...otherColumns(table, part, chosen) }
}

function tableOf(head: TableHead, headingRow: number, headings: Row, width: number): Table {
  const below = head.rows.slice(headingRow + 1)
  const columns = Array.from({ length: Math.max(width, headings.length) }, (_, index): Column => {
    const { meanings = [], choice = 0 } = knownHeading(headings[index] ?? '') ?? {}
    const values = below.map((row) => (row[index] ?? '').trim()).filter((value) => value !== '')
    const name = cleanText(headings[index] ?? '', 80).trim() || String(index + 1)
    return { index, name, meanings, choice, values }
  })
  return { ...head, headingRow, headings, width, columns }
}

/** The row that is most likely that of the headings; row -1 where no row has a heading for part numbers, or two known ones. */
export function bestHeadings(rows: readonly Row[], chosen: ChosenColumns): HeadingScore {
  const first = rows.slice(0, HEADING_ROWS)
  const scores = first.map((row, index) => scoreRow(row, index, chosen.part))
  const pairs = scores.slice(1).flatMap((lower, index): HeadingScore[] => {
    const upper = scores[index]!
    return isHeadings(upper) && isHeadings(lower)
      ? [scoreRow(bothRows(upper.headings, lower.headings), lower.row, chosen.part)]
      : []
  })
  const found = [...scores, ...pairs].filter(({ known, hasPart }) => hasPart || known > 1)
  return found.sort(byQuality)[0] ?? scoreRow([], -1, undefined)
}

function byQuality(a: HeadingScore, b: HeadingScore): number {
  return (
    Number(b.hasPart) - Number(a.hasPart) ||
    Number(a.isLabels) - Number(b.isLabels) ||
    b.known - a.known ||
    Number(b.isSure) - Number(a.isSure) ||
    b.filled - a.filled ||
    a.row - b.row
  )
}

/** True for a row of words of which most are known headings. */
function isHeadings({ headings, known, filled }: HeadingScore): boolean {
  return known > 0 && known * 2 >= filled && headings.every((cell) => !/\d/.test(cell) || isKnown(cell))
}

/** Headings in two rows, such as `Manufacturer` above `Name` and `Part No`: the lower where it is known, else the upper. */
function bothRows(upper: Row, lower: Row): Row {
  return Array.from({ length: Math.max(upper.length, lower.length) }, (_, index) => {
    const [above = '', below = ''] = [upper[index], lower[index]]
    return isKnown(below) || above.trim() === '' ? below : above
  })
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
    headings: row,
    known: known.length + (isNamed ? 1000 : 0),
    hasPart: isNamed || (hasPart && (known.length > 1 || filled.length === 1 || isSureOfParts(known))),
    isSure: isNamed || known.some(({ meanings }) => SURE_PART_MEANINGS.includes(meanings[0]!)),
    isLabels: !isNamed && isLabelRow(row),
    filled: filled.length,
  }
}

/** True where each known heading has a value on its right, at least one of them with a digit. */
function isLabelRow(row: Row): boolean {
  const values = row.flatMap((cell, index) => (isKnown(cell) ? [(row[index + 1] ?? '').trim()] : []))
  return values.every((value) => value !== '' && !isKnown(value)) && values.some((value) => /\d/.test(value))
}

// One known word in a row of others is a heading only where it can mean nothing else.
function isSureOfParts(known: readonly { readonly meanings: readonly Meaning[] }[]): boolean {
  return known.some(({ meanings }) => meanings.every(isPartMeaning))
}

function isKnown(cell: string): boolean {
  return knownHeading(cell) !== undefined
}

function endsInColon(cell: string): boolean {
  return /[:：]\s*$/.test(cell)
}

function headingsOf(
  head: TableHead,
  chosen: ChosenColumns,
  widest: number,
): { readonly row: number; readonly headings: Row; readonly isHeadingGuessed: boolean } {
  const best = bestHeadings(head.rows, chosen)
  const { part } = chosen
  const isNamed = part !== undefined && !/^\d+$/.test(part)
  if (isNamed && best.known < 1000) throw noColumn(head, part)
  if (best.row >= 0 && !isLabelBlock(head.rows, best)) return { ...best, isHeadingGuessed: false }
  const column = part === undefined ? (widest === 1 ? 0 : -1) : Number(part) - 1
  const row = column < 0 ? -1 : unknownHeadingRow(head.rows, column)
  return { row, headings: row < 0 ? [] : head.rows[row]!, isHeadingGuessed: row >= 0 }
}

/** True for labels that go on below: `Part Number, 9000-1` above `Description, Controller`. */
function isLabelBlock(rows: readonly Row[], { row, isLabels, headings }: HeadingScore): boolean {
  const column = headings.findIndex(isKnown)
  return isLabels && rows.slice(row + 1, row + 4).some((below) => isKnown(below[column] ?? ''))
}

/** A first value without a digit above values that all have digits is a heading in words that are not known. */
function unknownHeadingRow(rows: readonly Row[], column: number): number {
  const filled = rows.flatMap((row, index) => ((row[column] ?? '').trim() === '' ? [] : [index]))
  const hasDigit = (row: number): boolean => /\p{N}/u.test(rows[row]![column]!)
  const [first, ...others] = filled
  return first !== undefined && others.length >= 2 && !hasDigit(first) && others.every(hasDigit) ? first : -1
}

/** The meanings of part number columns, the best first. */
const PART_MEANINGS: readonly (readonly Meaning[])[] = [
  ['manufacturer part number'],
  ['part number'],
  ['internal part number', 'supplier part number'],
  ['possible part number'],
]
const SURE_PART_MEANINGS = PART_MEANINGS.slice(0, 3).flat()

function isPartMeaning(meaning: Meaning): boolean {
  return PART_MEANINGS.some((meanings) => meanings.includes(meaning))
}

/** True when the text is one of the usual headings of a part number column. */
export function isPartHeading(text: string): boolean {
  const { meanings = [] } = (!/\S\d/.test(text) && knownHeading(text)) || {}
  return meanings.some(isPartMeaning) && !meanings.includes('designator')
}

/** True for a heading that can mean nothing but a manufacturer's or a plain part number, such as `MPN` and `Part No.`. */
export function isSurePartHeading(text: string): boolean {
  if (/\S\d/.test(text)) return false
  const [first] = knownHeading(text)?.meanings ?? []
  return first === 'manufacturer part number' || first === 'part number'
}

function partColumn(table: Table, wanted: string | undefined): FoundColumn {
  if (wanted !== undefined) return chosenColumn(table, 'part', wanted)
  let empty: Column | undefined
  for (const meanings of PART_MEANINGS) {
    const found = columnsFor(table, meanings)
    const filled = found.filter(({ values }) => !table.isWhole || values.length > 0)
    empty ??= found.find((column) => !filled.includes(column))
    const [column, ...others] = withoutCopies(filled)
    if (column === undefined) continue
    if (others.length > 0) throw severalColumns(table, [column, ...others])
    const passed = table.columns.filter(
      (other) => other !== column && SURE_PART_MEANINGS.includes(other.meanings[0]!),
    )
    const names = passed.map(({ name }) => JSON.stringify(name)).join(', ')
    const chosen = foundBy(column, meanings)
    return names === '' ? chosen : { ...chosen, why: `${chosen.why}, preferred to ${names}` }
  }
  const [only] = table.columns
  if (empty !== undefined)
    return { index: empty.index, heading: empty.name, why: 'the heading of part numbers, without values' }
  if (table.width === 1) return { index: 0, heading: only!.name, why: 'the only column' }
  throw noColumn(table, undefined)
}

/** Columns with the same values count once, as the first of them; of several, empty ones do not count. */
function withoutCopies(columns: readonly Column[]): readonly Column[] {
  if (columns.length < 2) return columns
  const texts = columns.map(({ values }) => values.join('\0'))
  return columns.filter((_, index) => texts[index] !== '' && texts.indexOf(texts[index]!) === index)
}

/** The columns whose heading has one of these meanings and whose values don't speak against it; of several choices the first. */
function columnsFor(table: Table, meanings: readonly Meaning[]): readonly Column[] {
  const found = table.columns.flatMap((column) => {
    const meaning = column.meanings.find((one) => meanings.includes(one))
    return meaning === undefined || !fits(table, column, meaning) ? [] : [{ column, meaning }]
  })
  return found
    .filter(({ column, meaning }) =>
      found.every((other) => other.meaning !== meaning || other.column.choice >= column.choice),
    )
    .map(({ column }) => column)
}

// Headings with two meanings: `Reference` is a designator or a part number, `Item` a position or a part number.
function fits(table: Table, column: Column, meaning: Meaning): boolean {
  const { values } = column
  const others = column.meanings.filter((one) => one !== meaning)
  if (values.length === 0) return others.length === 0 || !isPartMeaning(meaning)
  // Inventor's `Unit QTY` holds units.
  if (/quantity/.test(meaning)) return values.some((text) => /\p{N}/u.test(text))
  if (meaning !== 'possible part number' && !others.includes('item')) return true
  if (isMostly(values, isDesignators) || values.every(isPosition)) return false
  const hasDesignators = columnsFor(table, ['designator']).some((one) => one !== column)
  const isNumber = (text: string): boolean => /\d/.test(text) && text.length > 4 && !isComponentValue(text)
  return hasDesignators || others.length > 0
    ? isMostly(values, isNumber)
    : !isMostly(values, isComponentValue)
}

function isPosition(text: string): boolean {
  return /^\d{1,4}(?:\.\d{1,4})*\.?$/.test(text)
}

function isMostly(values: readonly string[], test: (value: string) => boolean): boolean {
  return values.filter(test).length * 2 > values.length
}

function foundBy({ index, name, meanings }: Column, wanted: readonly Meaning[]): FoundColumn {
  const meaning = meanings.find((one) => wanted.includes(one))
  const article = meaning === 'internal part number' || meaning === 'item' ? 'an' : 'a'
  return { index, heading: name, why: `heading of ${article} ${meaning}` }
}

// Units that are no pieces, as headings have them: `Quantity [kg]`.
const MEASURE = /[([（【]\s*(kg|g|mg|t|m|mm|cm|km|l|ml|ft|in|inch|m2|m²|m3|m³|lbs?|oz)\.?\s*[)\]）】]/i

function otherColumns(
  table: Table,
  part: FoundColumn,
  chosen: ChosenColumns,
): Omit<Layout, 'headingRow' | 'headings' | 'isHeadingGuessed' | 'width'> {
  const doubts: string[] = []
  /** The first column of the first of these meanings that has one; with a role, it has to be the only one. */
  const find = (meanings: readonly Meaning[], role?: 'quantity' | 'level'): FoundColumn | undefined => {
    for (const meaning of meanings) {
      const [column, ...others] = withoutCopies(columnsFor(table, [meaning])).filter(
        ({ index }) => index !== part.index,
      )
      if (column === undefined) continue
      const rivals = others.filter((other) => role !== 'level' || !hasEqualLevels(table, column, other))
      if (role === undefined || rivals.length === 0) return foundBy(column, [meaning])
      const names = named([column, ...rivals])
      doubts.push(`several columns could be the ${role}: ${names}; choose one for the roll-up`)
      return undefined
    }
    return undefined
  }
  const pick = (role: ChosenRole, found: () => FoundColumn | undefined) =>
    chosen[role] === undefined ? found() : chosenColumn(table, role, chosen[role])
  const quantity = pick('quantity', () =>
    find(['quantity per assembly', 'quantity', 'total quantity'], 'quantity'),
  )
  const item = find(['item'])
  const level = pick(
    'level',
    () => find(['level'], 'level') ?? (doubts.length > 0 ? undefined : outlineColumn(table, item)),
  )
  const fitted = find(['fitted', 'not fitted'])
  const columns = {
    part,
    quantity,
    unit: find(['unit']),
    level,
    item,
    manufacturer: pick('manufacturer', () => find(['manufacturer'])),
    designator: find(['designator']),
    fitted,
    description: find(['description']),
  }
  if (quantity === undefined && level !== undefined && level.index !== item?.index && doubts.length === 0) {
    doubts.push('no quantity column found by its heading: no roll-up')
  }
  const means = (column: FoundColumn | undefined, meaning: Meaning): boolean =>
    column !== undefined && table.columns[column.index]!.meanings[0] === meaning
  return {
    columns: Object.fromEntries(
      Object.entries(columns).filter(([, column]) => column !== undefined),
    ) as Layout['columns'],
    isTotalQuantity: means(quantity, 'total quantity'),
    unitOfQuantity: MEASURE.exec(quantity?.heading ?? '')?.[1] ?? '',
    isFittedNegated: means(fitted, 'not fitted'),
    doubt: doubts[0] === undefined ? undefined : `${table.name}: ${doubts[0]}`,
  }
}

/** True where two columns say the same level, as SAP writes `2` beside `..2`. */
function hasEqualLevels({ rows, headingRow }: Table, one: Column, other: Column): boolean {
  const depth = (text = ''): string => text.replace(/[^0-9]/g, '')
  return rows.slice(headingRow + 1).every((row) => depth(row[one.index]) === depth(row[other.index]))
}

/** Item numbers such as 1, 1.1, 1.1.2 say where a row belongs: without a column of levels they are read as such. */
function outlineColumn(table: Table, item: FoundColumn | undefined): FoundColumn | undefined {
  if (item === undefined) return undefined
  const values = table.columns[item.index]!.values.filter((value) => !readNotFitted(value))
  const outlines = values.filter(isPosition)
  const isOutline =
    outlines.some((value) => /\d\.\d/.test(value)) && outlines.length * 10 >= values.length * 9
  return isOutline ? { ...item, why: 'outline numbers such as 1.1.2' } : undefined
}

type ChosenRole = keyof ChosenColumns

/** A column that was chosen by hand. */
function chosenColumn(table: Table, role: ChosenRole, wanted: string): FoundColumn {
  const { headings, width, columns, name: file } = table
  const isNumber = /^\d+$/.test(wanted)
  const found = isNumber ? [Number(wanted) - 1] : namedColumns(headings, wanted)
  if (found.length > 1) {
    throw severalColumns(
      table,
      found.map((index) => columns[index]!),
      role,
    )
  }
  const column = found[0] === undefined || found[0] >= width ? undefined : columns[found[0]]
  if (column !== undefined) return { index: column.index, heading: column.name, why: 'chosen' }
  const [what, options] = [nounOf(role), [optionOf(role)]]
  if (isNumber) {
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
        : `it has ${listed(columns.filter(({ index }) => (headings[index] ?? '').trim() !== ''))}`,
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

function severalColumns(table: Table, columns: readonly Column[], role: ChosenRole = 'part'): Failure {
  return new Failure(
    'usage',
    `${table.name}: several columns could be the ${nounOf(role)}: ${named(columns)}`,
    {
      file: table.name,
      problems: columns.map(example),
      hint: 'choose one by its number',
      options: columns.map(({ index }) => `${optionOf(role)} ${index + 1}`),
    },
  )
}

function noColumn(head: TableHead, wanted: string | undefined): Failure {
  const { name, rows } = head
  const widths = rows.map(filledWidth)
  const likely = [
    bestHeadings(rows, {}).row,
    ...[2, 1].map((least) => widths.findIndex((width) => width >= least)),
  ]
  const headingRow = likely.find((row) => row >= 0)!
  const headings = rows[headingRow] ?? []
  const columns = tableOf(head, headingRow, headings, 0).columns.filter(
    ({ index }) => headings[index]!.trim() !== '',
  )
  return new Failure(
    'usage',
    wanted === undefined
      ? `${name}: no part number column found by its heading`
      : `${name}: there is no column "${cleanText(wanted, 80)}"`,
    {
      file: name,
      problems: columns.slice(0, 12).map(example),
      hint: `row ${headingRow + 1} has ${listed(columns)}; choose a column by its number or heading`,
      options: ['parts-column'],
    },
  )
}

function listed(columns: readonly Column[]): string {
  return `${named(columns.slice(0, 12))}${columns.length > 12 ? ' …' : ''}`
}

/** `3 "Mfr Part No", A-3`. */
function example({ index, name, values }: Column): string {
  const shown = values.slice(0, 3).map((value) => cleanText(value, 40))
  return `${index + 1} ${JSON.stringify(name)}: ${shown.length === 0 ? 'no values' : shown.join(', ')}`
}

function filledWidth(row: Row): number {
  let width = row.length
  while (width > 0 && row[width - 1]!.trim() === '') width -= 1
  return width
}

/** True for a row that repeats the headings, as at the top of each page. */
export function isHeadingAgain(cells: Row, { headings, columns }: Layout): boolean {
  const cell = cells[columns.part.index] ?? ''
  const heading = headings[columns.part.index]
  if (heading === undefined || cell === '') return false
  if (cell === heading) return true
  // Nearly all part numbers have a digit, and no known heading has one.
  if (/\d/.test(cell) || cell.trim() === '') return false
  if (headingKey(cell) === headingKey(heading)) return true
  return isPartHeading(cell) && cells.filter(isKnown).length > 1
}

/** True for a row with the headings of another table, such as one of revisions or alternates. */
export function isOtherHeading(cells: Row, { columns }: Layout): boolean {
  const { part, quantity } = columns
  // Nearly all rows have a digit in one of these.
  if (/\d/.test(cells[part.index] ?? '') || (quantity && /\d/.test(cells[quantity.index] ?? ''))) return false
  const filled = cells.filter((cell) => cell.trim() !== '')
  if (filled.length < 3 || filled.some((cell) => /\d/.test(cell))) return false
  // `Revision, Date, Author`: where a row has its part number and its quantity stand other headings.
  if (quantity !== undefined && isKnown(cells[part.index] ?? '')) return true
  const known = filled.filter((cell) => cell.trim().length > 2 && isKnown(cell)).length
  return known > 1 && (quantity === undefined ? known === filled.length : known * 2 >= filled.length)
}
