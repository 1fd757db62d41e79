/** The subject of a list: EU RoHS, the REACH Candidate List (SVHC), or another one, which is only listed. */
type ListFamily = 'rohs' | 'svhc' | 'other'

/** A list identity such as `EUREACH-0624`. */
export interface ListIdentity {
  readonly identity: string
  readonly family: ListFamily
  /** The list's date in months since year 0; undefined when the identity names no month. */
  readonly month: number | undefined
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** A Candidate List has no more in its name: `EUREACH-0624 Annex XIV` is another list. */
const IDENTITY = /^\s*(?:(EUROHS)(?:[\s_-]*(\d{2})(\d{2})(?!\d))?|EUREACH(?:[\s_-]*(\d{2})(\d{2}))?\s*$)/i

/**
 * Reads a list identity, ignoring case. `EUROHS-` is followed by YYMM (0508, 1506, 1907), `EUREACH-` by the MMYY of the update of
 * the Candidate List. Where it has no date, the list's `revision` gives it; the identity is then the usual one with that date.
 */
export function readListIdentity(identity: string, revision = ''): ListIdentity {
  const match = IDENTITY.exec(identity)
  if (!match) return { identity, family: 'other', month: undefined }
  const family = match[1] === undefined ? 'svhc' : 'rohs'
  const month = family === 'rohs' ? monthNumber(match[2], match[3]) : monthNumber(match[5], match[4])
  const revised = month === undefined && revision !== '' ? revisionMonth(family, revision) : undefined
  return revised === undefined
    ? { identity, family, month }
    : { identity: usualIdentity(family, revised), family, month: revised }
}

/** The month that a revision such as `2024-06-27`, `06/2024`, `27.06.2024` or, as in identities, `0624` names. */
function revisionMonth(family: 'rohs' | 'svhc', revision: string): number | undefined {
  const text = revision.trim()
  const [, year, month] = /^20(\d\d)-?(\d\d)(?:-?\d\d)?(?!\d)/.exec(text) ?? []
  if (year !== undefined) return monthNumber(year, month)
  const [, monthFirst, yearLast] = /^(?:\d{1,2}[./])?(\d{1,2})[./-]20(\d\d)$/.exec(text) ?? []
  if (yearLast !== undefined) return monthNumber(yearLast, monthFirst)
  const [, first, second] = /^(?:EUROHS|EUREACH)?[\s_-]*(\d\d)(\d\d)$/i.exec(text) ?? []
  return monthOf(family, first, second)
}

function usualIdentity(family: 'rohs' | 'svhc', month: number): string {
  const year = String(Math.floor(month / 12) % 100).padStart(2, '0')
  const monthOfYear = String((month % 12) + 1).padStart(2, '0')
  return family === 'rohs' ? `EUROHS-${year}${monthOfYear}` : `EUREACH-${monthOfYear}${year}`
}

/** `June 2024`, or undefined when the identity names no month. */
export function listDate(list: ListIdentity): string | undefined {
  if (list.month === undefined) return undefined
  return `${MONTHS[list.month % 12]} ${Math.floor(list.month / 12)}`
}

/** The age of a list in whole months at `nowMs`; undefined when its identity names no month. */
export function listAgeMonths(identity: string, nowMs: number): number | undefined {
  const { month } = readListIdentity(identity)
  if (month === undefined) return undefined
  const now = new Date(nowMs)
  return now.getUTCFullYear() * 12 + now.getUTCMonth() - month
}

/** The first day of a list's month, `YYYY-MM-DD`: the list is not older than that. Undefined when its identity names no month. */
export function listFirstDay(identity: string): string | undefined {
  const { month } = readListIdentity(identity)
  if (month === undefined) return undefined
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}-01`
}

/** Orders lists of one family from the oldest to the newest; one without a date counts as the oldest. */
export function compareListAge(a: ListIdentity, b: ListIdentity): number {
  return (a.month ?? -1) - (b.month ?? -1)
}

/** The month of the two numbers in an identity: YYMM for RoHS, MMYY for the Candidate List. */
function monthOf(
  family: 'rohs' | 'svhc',
  first: string | undefined,
  second: string | undefined,
): number | undefined {
  return family === 'rohs' ? monthNumber(first, second) : monthNumber(second, first)
}

function monthNumber(year: string | undefined, month: string | undefined): number | undefined {
  const monthOfYear = Number(month)
  if (year === undefined || monthOfYear < 1 || monthOfYear > 12) return undefined
  return (2000 + Number(year)) * 12 + monthOfYear - 1
}

/** An update of the REACH Candidate List. */
export interface SvhcUpdate {
  /** `YYYY-MM-DD`. */
  readonly date: string
  /** How many entries the list has since then. */
  readonly entries: number
  readonly confidence: string
  readonly source: string
}

/** A declared Candidate List and the newest one that the table knows. */
export interface ListAge {
  readonly declared: SvhcUpdate
  readonly newest: SvhcUpdate
  /** Entries that the newest list has more. */
  readonly behind: number
}

/** Looks up `EUREACH-MMYY` identities in the updates of the Candidate List; undefined where none fits. */
export type ListAges = (identity: string) => ListAge | undefined

/** The lookup over updates in ascending order. The list is updated at most once in a month, so month and year name one update. */
export function createListAges(updates: readonly SvhcUpdate[]): ListAges {
  const newest = updates.at(-1)
  const byMonth = new Map(updates.map((update) => [monthOfDay(update.date), update]))
  return (identity) => {
    const { family, month } = readListIdentity(identity)
    const declared = family === 'svhc' && month !== undefined ? byMonth.get(month) : undefined
    if (declared === undefined || newest === undefined) return undefined
    return { declared, newest, behind: Math.max(0, newest.entries - declared.entries) }
  }
}

/** Months since year 0, as in list identities. */
function monthOfDay(date: string): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
}
