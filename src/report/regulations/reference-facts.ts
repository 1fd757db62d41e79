import { readListIdentity } from '../../compliance/list-identity.ts'
import type { ExemptionsInUse } from '../rows/exemption-use.ts'
import type { RowDates } from '../rows/row-dates.ts'
import type { ReferenceTables } from './reference-tables.ts'

/** A declared Candidate List and its place in the table of updates. */
export interface CandidateListUse {
  readonly list: string
  readonly parts: number
  /** The date of the update that the list is, `YYYY-MM-DD`; undefined for a list that the table does not have, as the next two. */
  readonly date: string | undefined
  readonly entries: number | undefined
  readonly behind: number | undefined
}

/** What a report says by date, and from which tables. */
export interface ReferenceFacts extends ExemptionsInUse {
  readonly tables: ReferenceTables
  /** The declared Candidate Lists, newest first. */
  readonly candidateLists: readonly CandidateListUse[]
}

/** The Candidate Lists among declared lists, in the same order. */
export function candidateLists(
  lists: readonly { readonly name: string; readonly parts: number }[],
  { listAge }: RowDates,
): CandidateListUse[] {
  return lists
    .filter(({ name }) => readListIdentity(name).family === 'svhc')
    .map(({ name, parts }) => {
      const age = listAge(name)
      return {
        list: name,
        parts,
        date: age?.declared.date,
        entries: age?.declared.entries,
        behind: age?.behind,
      }
    })
}
