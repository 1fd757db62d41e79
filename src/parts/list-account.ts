import { Account } from '../base/account.ts'
import type { AccountEntry, ListAccount } from '../base/account-entry.ts'
import type { PartsList } from './read-list.ts'
import type { ListRow } from './read-row.ts'

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

/** Counts what became of each row, table and cell of one list. */
export class ListCounter {
  readonly #list: PartsList
  readonly #rows = new Account()
  readonly #tables = new Account()
  readonly #cells = new Account()

  constructor(list: PartsList) {
    this.#list = list
  }

  see(row: ListRow, unused: readonly string[]): void {
    const { line, part, skip, problem, isOfSameRow, filled = 0, furtherTable } = row
    if (furtherTable !== undefined) {
      this.#tables.arrive()
      if (furtherTable === 'read') this.#tables.use()
      else this.#tables.name('no heading of part numbers', `row ${line}`)
    }
    if (isOfSameRow) {
      // Words beside a part number.
      if (skip !== undefined) this.#moveCell(skip, line)
      return
    }
    const reason =
      problem !== undefined ? 'cannot be used' : (skip ?? (part === '' ? 'no part number' : undefined))
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

  #moveCell(reason: string, line: number): void {
    this.#cells.use(-1)
    this.#cells.name(reason, `row ${line}`)
  }

  close(): ListAccount {
    const { above, headingLine, rowsIn, sheets } = this.#list
    this.#rows.arrive(rowsIn)
    for (const line of above)
      this.#rows.name(line === headingLine ? 'headings' : 'above the headings', `row ${line}`)
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

/** Of a list that is refused. */
export const NO_ACCOUNT: ListAccount = { rows: NOTHING, tables: NOTHING, cells: NOTHING }
