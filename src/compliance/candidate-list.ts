import { readListIdentity } from './list-identity.ts'

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
  const byMonth = new Map(updates.map((update) => [monthOf(update.date), update]))
  return (identity) => {
    const { family, month } = readListIdentity(identity)
    const declared = family === 'svhc' && month !== undefined ? byMonth.get(month) : undefined
    if (declared === undefined || newest === undefined) return undefined
    return { declared, newest, behind: Math.max(0, newest.entries - declared.entries) }
  }
}

/** Months since year 0, as in list identities. */
function monthOf(date: string): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1
}
