import { Account } from '../base/account.ts'
import type { AccountEntry, ListAccount } from '../base/account-entry.ts'
import { plural } from '../base/units.ts'
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

/** Rows above the headings, and tables that are not read, in words: `above the headings: 3 rows (row 1, row 2, row 4)`. */
export function unreadPlaces({ rows, tables }: ListAccount): {
  readonly above: readonly string[]
  readonly tables: readonly string[]
} {
  const say = (what: string, count: number, places: readonly string[]): string =>
    `${what} (${places.slice(0, NAMED).join(', ')}${count > NAMED ? ' …' : ''})`
  return {
    above: rows.named.flatMap(({ reason, count, places }) =>
      reason === ABOVE ? [say(`${reason}: ${plural(count, 'row')}`, count, places)] : [],
    ),
    tables: tables.named.map(({ reason, count, places }) =>
      say(`${plural(count, 'table')} with ${reason}`, count, places),
    ),
  }
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
      else this.#tables.name('no heading of part numbers', `row ${line}`)
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
