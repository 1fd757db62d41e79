import { Account } from '../base/account.ts'
import type { AccountEntry, ListAccount } from '../base/account-entry.ts'
import { cleanText } from '../base/clean-text.ts'
import { formatCount, plural } from '../base/units.ts'
import { NAMED } from './list-warnings.ts'
import type { PartsList } from './read-list.ts'
import type { ListRow } from './read-row.ts'
import type { SkipKind } from './row-kind.ts'

/** The account of several lists as one, as results of commands have it. */
export function joinedAccount(
  lists: readonly { readonly name: string; readonly account: ListAccount }[],
): ListAccount {
  const joined = (kind: keyof ListAccount): AccountEntry => {
    const all = new Account()
    for (const { name, account } of lists) {
      const entry = account[kind]
      if (entry !== undefined) all.include(entry, lists.length > 1 ? `${name}: ` : '')
    }
    return all.close(kind)
  }
  const hasSheets = lists.some(({ account }) => account.sheets !== undefined)
  return {
    rows: joined('rows'),
    tables: joined('tables'),
    ...(hasSheets ? { sheets: joined('sheets') } : {}),
    cells: joined('cells'),
  }
}

/** What no other text says of an account: `3 rows above the headings (row 1, row 2, row 4)`, and tables that are not read. */
export function unreadPlaces({ rows, tables }: ListAccount): readonly string[] {
  const named = [...rows.named.filter(({ reason }) => reason === ABOVE), ...tables.named]
  return named.map(({ reason, count, places }) => {
    const what = plural(count, reason === ABOVE ? 'row' : 'table')
    return `${what} ${reason} (${places.slice(0, NAMED).join(', ')}${count > NAMED ? ' …' : ''})`
  })
}

/** The rows of a list in short. */
export function countsOf({ rows, lines, alternates, skipped }: Omit<ListCounts, 'account'>) {
  const withoutNumber = skipped.find(({ kind }) => kind === 'no part number')?.count ?? 0
  return { rows, lines, alternates, withoutNumber, skipped: rows - lines - withoutNumber }
}

/** `6 rows: 3 lines with a part number, 1 without, 2 skipped`. */
export function rowCountsText(
  { rows, lines, alternates, withoutNumber, skipped }: ReturnType<typeof countsOf>,
  from = '',
  further = '',
): string {
  const others = [
    ...(alternates === 0 ? [] : [`${plural(alternates, 'alternate')}${further}`]),
    ...(withoutNumber === 0 ? [] : [`${formatCount(withoutNumber)} without`]),
    ...(skipped === 0 ? [] : [`${formatCount(skipped)} skipped`]),
  ]
  return [`${plural(rows, 'row')}: ${plural(lines, 'line')} with a part number${from}`, ...others].join(', ')
}

/** `3 placeholders skipped: N/A (rows 4, 9), TBD (row 7)`. */
export function skippedText({ kind, count, first: all }: SkippedRows, most = NAMED): string {
  const first = all.slice(0, most)
  const rest = count > first.length ? ' …' : ''
  if (kind === 'no part number')
    return `${plural(count, 'row')} without a part number (${first.map(({ line }) => line).join(', ')}${rest})`
  return `${plural(count, kind)} skipped: ${namedValues(first)}${rest}`
}

/** `N/A (rows 4, 9), TBD (row 7)`. */
export function namedValues(first: SkippedRows['first']): string {
  const named = [...new Set(first.map(({ value }) => value))].map((value) => {
    const lines = first.filter((row) => row.value === value).map(({ line }) => line)
    const rows = `${lines.length === 1 ? 'row' : 'rows'} ${lines.join(', ')}`
    return value === '' ? rows : `${cleanText(value, 40)} (${rows})`
  })
  return named.join(', ')
}

const ABOVE = 'above the headings'

/** Rows of one list that are no parts, for one reason. */
export interface SkippedRows {
  readonly kind: Exclude<SkipKind, 'ruler'> | 'no part number'
  count: number
  /** The first of them, with the value that is no part number. */
  readonly first: { readonly line: number; readonly value: string }[]
}

/** Skipped rows of each kind that are kept. */
const KEPT = 1000

/** What became of the rows of one list. */
export interface ListCounts {
  /** Rows with a value, but headings. */
  readonly rows: number
  /** Rows with a part number. */
  readonly lines: number
  /** Further part numbers of these. */
  readonly alternates: number
  readonly skipped: readonly SkippedRows[]
  /** What came in, and what became of it. */
  readonly account: ListAccount
}

/** Counts what became of each row, table and cell of one list. */
export class ListCounter {
  readonly #list: PartsList
  readonly #rows = new Account()
  readonly #tables = new Account()
  readonly #cells = new Account()
  readonly #skipped = new Map<SkippedRows['kind'], SkippedRows>()
  readonly #counts = { rows: 0, lines: 0, alternates: 0 }

  constructor(list: PartsList) {
    this.#list = list
  }

  see(row: ListRow, unused: readonly string[]): void {
    const { line, part, skip, problem, isAlternate, isOfSameRow, filled = 0, furtherTable } = row
    if (furtherTable !== undefined) {
      this.#tables.arrive()
      if (furtherTable === 'read') this.#tables.use()
      else this.#tables.name('without a heading of part numbers', `row ${line}`)
    }
    const reason =
      problem !== undefined ? 'cannot be used' : (skip ?? (part === '' ? 'no part number' : undefined))
    if (!isAlternate && !isOfSameRow && reason !== 'heading' && reason !== 'ruler') this.#counts.rows += 1
    if (reason === undefined && isAlternate) this.#counts.alternates += 1
    else if (reason === undefined) this.#counts.lines += 1
    else if (reason !== 'cannot be used' && reason !== 'ruler') this.#skip(reason, row)
    if (isOfSameRow) {
      // Words beside a part number.
      if (skip !== undefined) this.#moveCell(skip, line)
      return
    }
    if (reason === undefined) this.#rows.use()
    else this.#rows.name(reason, `row ${line}`)
    this.#cells.arrive(filled)
    if (reason !== undefined && reason !== 'no part number') {
      if (filled > 0) this.#cells.name(reason, `row ${line}`, filled)
      return
    }
    const all = [...(row.unused ?? []), ...unused]
    for (const one of all) this.#cells.name(one, `row ${line}`)
    this.#cells.use(filled - all.length)
  }

  #skip(kind: SkippedRows['kind'], { line, part }: ListRow): void {
    const same = this.#skipped.get(kind) ?? { kind, count: 0, first: [] }
    this.#skipped.set(kind, same)
    same.count += 1
    if (same.first.length < KEPT) same.first.push({ line, value: part })
  }

  #moveCell(reason: string, line: number): void {
    this.#cells.use(-1)
    this.#cells.name(reason, `row ${line}`)
  }

  /** A list that is refused has no account. */
  close(isRefused: boolean): ListCounts {
    const account = isRefused ? NO_ACCOUNT : this.#account()
    return { ...this.#counts, skipped: [...this.#skipped.values()], account }
  }

  #account(): ListAccount {
    const { above, headingLine, rowsIn, sheets } = this.#list
    this.#rows.arrive(rowsIn)
    for (const line of above) this.#rows.name(line === headingLine ? 'headings' : ABOVE, `row ${line}`)
    this.#tables.arrive()
    this.#tables.use()
    return {
      rows: this.#rows.close('rows'),
      tables: this.#tables.close('tables'),
      ...(sheets === undefined ? {} : { sheets }),
      cells: this.#cells.close('cells'),
    }
  }
}

const NOTHING: AccountEntry = { in: 0, used: 0, named: [] }

const NO_ACCOUNT: ListAccount = { rows: NOTHING, tables: NOTHING, cells: NOTHING }
