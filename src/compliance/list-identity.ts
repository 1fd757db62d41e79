/** The subject of a list: EU RoHS, the REACH Candidate List (SVHC), or another one, which is only listed. */
export type ListFamily = 'rohs' | 'svhc' | 'other'

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

/**
 * Reads a list identity, ignoring case. `EUROHS-` is followed by YYMM (0508, 1506, 1907), `EUREACH-` by the MMYY of the update of
 * the Candidate List.
 */
export function readListIdentity(identity: string): ListIdentity {
  const match = /^\s*(EUROHS|EUREACH)(?:[\s_-]*(\d{2})(\d{2})(?!\d))?/i.exec(identity)
  if (!match) return { identity, family: 'other', month: undefined }
  const isRohs = match[1]!.toUpperCase() === 'EUROHS'
  const [year, month] = isRohs ? [match[2], match[3]] : [match[3], match[2]]
  return { identity, family: isRohs ? 'rohs' : 'svhc', month: monthNumber(year, month) }
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

/** Orders lists of one family from the oldest to the newest; one without a date counts as the oldest. */
export function compareListAge(a: ListIdentity, b: ListIdentity): number {
  return (a.month ?? -1) - (b.month ?? -1)
}

function monthNumber(year: string | undefined, month: string | undefined): number | undefined {
  const monthOfYear = Number(month)
  if (year === undefined || monthOfYear < 1 || monthOfYear > 12) return undefined
  return (2000 + Number(year)) * 12 + monthOfYear - 1
}
