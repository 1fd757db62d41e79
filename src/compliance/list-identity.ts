import { MONTHS } from '../base/units.ts'

/** The subject of a list: EU RoHS, the REACH Candidate List (SVHC), or another one, which is only listed. */
type ListFamily = 'rohs' | 'svhc' | 'other'

/** A list identity such as `EUREACH-0624`. */
export interface ListIdentity {
  readonly identity: string
  readonly family: ListFamily
  /** The list's month, `YYYY-MM`; undefined when the identity names none. */
  readonly month: string | undefined
}

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
  const month = family === 'rohs' ? monthText(match[2], match[3]) : monthText(match[5], match[4])
  const revised = month === undefined ? revisionMonth(family, revision) : undefined
  if (revised === undefined) return { identity, family, month }
  const [year, monthOfYear] = [revised.slice(2, 4), revised.slice(5)]
  const usual = family === 'rohs' ? `EUROHS-${year}${monthOfYear}` : `EUREACH-${monthOfYear}${year}`
  return { identity: usual, family, month: revised }
}

/** The month that a revision such as `2024-06-27`, `06/2024`, `27.06.2024` or, as in identities, `0624` names. */
function revisionMonth(family: 'rohs' | 'svhc', revision: string): string | undefined {
  const text = revision.trim()
  const [, year, month] = /^20(\d\d)-?(\d\d)(?:-?\d\d)?(?!\d)/.exec(text) ?? []
  if (year !== undefined) return monthText(year, month)
  const [, monthFirst, yearLast] = /^(?:\d{1,2}[./])?(\d{1,2})[./-]20(\d\d)$/.exec(text) ?? []
  if (yearLast !== undefined) return monthText(yearLast, monthFirst)
  const [, first, second] = /^(?:EUROHS|EUREACH)?[\s_-]*(\d\d)(\d\d)$/i.exec(text) ?? []
  return family === 'rohs' ? monthText(first, second) : monthText(second, first)
}

/** `2024-06` for the last two digits of a year and the number of a month. */
function monthText(year: string | undefined, month = ''): string | undefined {
  const isMonth = Number(month) >= 1 && Number(month) <= 12
  return year !== undefined && isMonth ? `20${year}-${month.padStart(2, '0')}` : undefined
}

/** `June 2024`, or undefined when the identity names no month. */
export function listDate({ month }: ListIdentity): string | undefined {
  return month && `${MONTHS[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`
}

/** The age of a list in whole months at `nowMs`; undefined when its identity names no month. */
export function listAgeMonths(identity: string, nowMs: number): number | undefined {
  const { month } = readListIdentity(identity)
  if (month === undefined) return undefined
  const now = new Date(nowMs)
  const listed = new Date(month)
  const years = now.getUTCFullYear() - listed.getUTCFullYear()
  return years * 12 + now.getUTCMonth() - listed.getUTCMonth()
}

/**
 * What a list is: a RoHS list of IPC; the Candidate List of a month; one that names RoHS or the Candidate List otherwise; another one
 * that has a name; or one without.
 */
export type ListKind = 'rohs' | 'reach' | 'otherRohs' | 'otherReach' | 'named' | 'unnamed'

/** What a list is by its name. */
export function kindOfList(name: string): ListKind {
  const { family, month } = readListIdentity(name)
  if (family === 'rohs') return 'rohs'
  if (family === 'svhc' && month !== undefined) return 'reach'
  if (name.trim() === '') return 'unnamed'
  if (SAYS_ROHS.test(name)) return ANOTHER_ROHS.test(name) ? 'named' : 'otherRohs'
  if (SAYS_SVHC.test(name)) return 'otherReach'
  return SAYS_REACH.test(name) && !ANOTHER_REACH.test(name) ? 'otherReach' : 'named'
}

/** True for the name of a list that says RoHS, of any place. */
export function saysRohs(name: string): boolean {
  return SAYS_ROHS.test(name)
}

const SAYS_ROHS = /rohs|2002\/95|2011\/65|2015\/863/i
/** RoHS of other places, which restrict other substances. */
const ANOTHER_ROHS =
  /china|chinese|korea|japan|j-?moss|india|taiwan|bsmi|u\.?a\.?e\b|emirates|turk|ukrain|eurasia|eaeu|singapore|vietnam|thai|california|(?<![a-z])(?:cn|uk|us|usa|jp|kr|tw|in|tr|sg|vn)(?![a-z])|gb\/?t|sj\/?t|c-rohs|k-rohs|t-rohs|中国|中國/i
const SAYS_SVHC = /svhc|candidate|very high concern/i
const SAYS_REACH = /reach(?![a-z])|1907\/2006/i
/** Annex XIV (authorization) and Annex XVII (restriction), and REACH of other places. */
const ANOTHER_REACH =
  /xiv|xvii|annex[\s_-]*1[47]\b|authori[sz]ation|restrict|(?<![a-z])(?:k|uk|korea|korean|turkey|turkish|turkiye|tr)[\s_-]*reach|kkdik/i

/** The first day of a list's month, `YYYY-MM-DD`: the list is not older than that. Undefined when its identity names no month. */
export function listFirstDay(identity: string): string | undefined {
  const { month } = readListIdentity(identity)
  return month && `${month}-01`
}

/** Orders lists of one family from the oldest to the newest; one without a date counts as the oldest. */
export function compareListAge(
  { month: a = '' }: Pick<ListIdentity, 'month'>,
  { month: b = '' }: Pick<ListIdentity, 'month'>,
): number {
  return a < b ? -1 : Number(a > b)
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

/** A declared Candidate List. */
export interface ListAge {
  readonly declared: SvhcUpdate
  /** Entries that the newest list in the table has more. */
  readonly behind: number
}

/** Looks up `EUREACH-MMYY` identities in the updates of the Candidate List; undefined where none fits. */
export type ListAges = (identity: string) => ListAge | undefined

/** The lookup over updates in ascending order. The list is updated at most once in a month, so month and year name one update. */
export function createListAges(updates: readonly SvhcUpdate[]): ListAges {
  const newest = updates.at(-1)
  const byMonth = new Map(updates.map((update) => [update.date.slice(0, 7), update]))
  return (identity) => {
    const { family, month } = readListIdentity(identity)
    const declared = family === 'svhc' && month !== undefined ? byMonth.get(month) : undefined
    if (declared === undefined || newest === undefined) return undefined
    return { declared, behind: Math.max(0, newest.entries - declared.entries) }
  }
}
