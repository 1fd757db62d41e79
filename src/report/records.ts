import type * as z from 'zod'
import { Account, addedAccounts } from '../base/account.ts'
import type { AccountEntry } from '../base/account-entry.ts'
import { cleanText, nearest } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import { formatCount, plural } from '../base/units.ts'
import type { CsvTable } from '../parts/list-table.ts'

/** A record of a file that a user wrote: its values, and its line. */
interface FileRecord {
  readonly line: number | undefined
  readonly values: Readonly<Record<string, unknown>>
}

/** A table of records, as a file has it: a CSV file, or the tables of a TOML file. */
export type UserTable = Omit<CsvTable, 'records'> & { readonly records: readonly FileRecord[] }

/** Where records are from and what they must be. */
interface RecordKind<Schema extends z.ZodType> {
  /** The file, as in messages. */
  readonly name: string
  readonly schema: Schema
  /** The columns that it must have, and those that it may have. */
  readonly columns: readonly string[]
  readonly optional: readonly string[]
  /** A table without records is a mistake. */
  readonly isNeeded?: boolean
  readonly hint: string
  /** Long names of options that help. */
  readonly options: readonly string[]
}

/** Reads the tables that a user wrote: waivers, manufacturers, substances, reference tables. Says what of them is not used. */
export class UserTables {
  readonly #reporter: Reporter
  readonly #accounts: AccountEntry[] = []

  constructor(reporter: Reporter = SILENT) {
    this.#reporter = reporter
  }

  /** What became of the records of all tables; undefined where none was read. */
  get account(): AccountEntry | undefined {
    return this.#accounts.length === 0 ? undefined : addedAccounts(this.#accounts)
  }

  /**
   * The records of a table by a schema. The first that does not fit is a `usage` failure with file, line and column, and so is a column
   * that is misspelt; blank and short rows, and columns that are not read, are named.
   */
  records<Schema extends z.ZodType>(table: UserTable, kind: RecordKind<Schema>): readonly z.infer<Schema>[] {
    const { name, schema, isNeeded = false } = kind
    const { records, blankLines, shortLines, headings } = table
    if (isNeeded && records.length === 0) throw recordFailure(kind, undefined, 'the table has no rows')
    const others = otherColumns(table, kind)
    const rows = records.map(({ line, values }) => {
      const result = schema.safeParse(values)
      if (result.success) return result.data
      const { path, message } = result.error.issues[0]!
      const column = path.map(String).join('.')
      const seen = String(values[column] ?? '')
      const isUnnamed = seen !== '' && message.startsWith('expected ')
      const what = isUnnamed ? `invalid value '${cleanText(seen, 80)}': ${message}` : message
      throw recordFailure(kind, line, column === '' ? what : `${column}: ${what}`)
    })
    const account = new Account()
    account.arrive(records.length + blankLines.length)
    account.use(records.length)
    for (const line of blankLines) account.name('blank', `${name}:${line}`)
    this.#accounts.push(account.close('records'))
    const says = [
      ...(records.length === 0 ? ['the table has no rows'] : []),
      ...(blankLines.length > 0
        ? [`${plural(blankLines.length, 'blank row')} (${linesText(blankLines)})`]
        : []),
      ...(shortLines.length > 0
        ? [
            `${plural(shortLines.length, 'row has', 'rows have')} fewer cells than the ${formatCount(headings.length)} columns (${linesText(shortLines)}): what lacks is read as empty`,
          ]
        : []),
      ...(others.length > 0
        ? [
            `${others.length === 1 ? 'a column is' : 'columns are'} not read: ${others.slice(0, MOST_NAMED).join(', ')}${others.length > MOST_NAMED ? ' …' : ''}`,
          ]
        : []),
    ]
    if (says.length > 0) {
      this.#reporter.notice({
        level: shortLines.length > 0 || records.length === 0 ? 'warning' : 'info',
        event: 'table.account',
        message: `${cleanText(name, 200)}: ${says.join('; ')}`,
        options: kind.options,
        data: { file: name, rows: records.length, blank: blankLines.length, short: shortLines.length },
      })
    }
    return rows
  }
}

const MOST_NAMED = 5

/** `rows 3, 4, 7, 9, 12 …` */
function linesText(lines: readonly number[]): string {
  const more = lines.length > MOST_NAMED ? ' …' : ''
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, MOST_NAMED).join(', ')}${more}`
}

/** The columns that are not read. One that is probably a misspelt optional one is a mistake: what it says would be lost. */
function otherColumns(
  { headings, headingLine, records }: UserTable,
  kind: RecordKind<z.ZodType>,
): readonly string[] {
  const known = [...kind.columns, ...kind.optional]
  return headings.flatMap((heading, index) => {
    if (known.includes(heading)) return []
    const isFilled = records.some(({ values }) => (values[heading] ?? '') !== '')
    if (heading === '') return isFilled ? [`column ${index + 1}`] : []
    const meant = nearest(
      heading,
      kind.optional.filter((one) => !headings.includes(one)),
    )
    if (meant !== undefined) {
      const line = records.find(({ values }) => heading in values && headingLine === 0)?.line ?? headingLine
      const what = `no column "${cleanText(heading, 60)}" is known: is it "${meant}"?`
      throw recordFailure(kind, line === 0 ? undefined : line, what)
    }
    return [`"${cleanText(heading, 60)}"`]
  })
}

export function recordFailure(
  { name, hint, options }: Pick<RecordKind<z.ZodType>, 'name' | 'hint' | 'options'>,
  line: number | undefined,
  what: string,
): Failure {
  return new Failure('usage', `${name}${line === undefined ? '' : `:${line}`}: ${cleanText(what, 300)}`, {
    hint,
    options,
    file: name,
    ...(line === undefined ? {} : { line }),
  })
}
