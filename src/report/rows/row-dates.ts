import { calendarDate } from '../../base/units.ts'
import { createListAges, type ListAge, type ListAges } from '../../compliance/candidate-list.ts'
import {
  createExemptionLookup,
  DATE_PASSED,
  type ExemptionDates,
  type ExemptionLookup,
} from '../../compliance/exemption-dates.ts'
import type { ExemptionId } from '../../compliance/exemption-number.ts'
import { substanceNames } from '../../compliance/substance-names.ts'
import type { ReferenceTables } from '../regulations/reference-tables.ts'
import type { JudgedRow } from './report-row.ts'

/** The reference tables as a report looks things up in them. */
export interface RowDates {
  readonly tables: ReferenceTables
  readonly listAge: ListAges
  readonly exemption: ExemptionLookup
  /** The day of a Candidate List by its identity, `YYYY-MM-DD`. */
  readonly listDay: (identity: string) => string | undefined
  /** The CAS numbers of a Candidate List substance by its name. */
  readonly casNumbers: (name: string) => readonly string[]
}

/** Most different exemptions whose dates are kept, so that memory stays bounded. */
const MAX_KEPT = 20_000
/** Exemptions that a note names. */
const MAX_NAMED = 10

/** Lookups for a report that is created at `nowMs`: days are those of UTC. */
export function createRowDates(tables: ReferenceTables, nowMs: number): RowDates {
  const listAge = createListAges(tables.svhcUpdates.rows)
  const { rows } = tables.svhcSubstances
  let byName: ReadonlyMap<string, readonly string[]> | undefined
  return {
    tables,
    listAge,
    listDay: (identity) => listAge(identity)?.declared.date,
    casNumbers(name) {
      byName ??= casByName(rows)
      return [...new Set(substanceNames(name).flatMap((one) => byName!.get(one) ?? []))]
    },
    exemption: remembered(createExemptionLookup(tables.rohsExemptions.rows, calendarDate(nowMs))),
  }
}

function casByName(rows: ReferenceTables['svhcSubstances']['rows']): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>()
  for (const { cas, name, entryName } of rows) {
    if (cas === '') continue
    for (const key of new Set([...substanceNames(name), ...substanceNames(entryName)])) {
      const known = all.get(key)
      if (known === undefined) all.set(key, [cas])
      else known.push(cas)
    }
  }
  return all
}

/** The row with what the tables know: `exemption_expires`, `svhc_list_behind`, and a note about what they do not know. */
export function withDates(row: JudgedRow & { readonly svhc_stated?: number }, dates: RowDates): JudgedRow {
  if (row.status !== 'declared') return row
  const exemptions = row.exemption_ids.flatMap((id) => dates.exemption(id).map((known) => ({ id, known })))
  const lists = row.reach_list === '' ? [] : row.reach_list.split('; ')
  const ages = lists.map((identity) => ({ identity, age: dates.listAge(identity) }))
  const notes = [
    row.note,
    ...exemptionNotes(exemptions),
    ...listNotes(ages),
    statedNote(row.svhc_stated, ages),
  ]
  return {
    ...row,
    exemption_expires: earliestOf(exemptions.map(({ known }) => known.earliest)),
    svhc_list_behind: worstAge(ages.map(({ age }) => age)),
    note: notes.filter((note) => note !== '').join('; '),
  }
}

/** Null where a list has no known age: the others do not speak for it. */
function worstAge(ages: readonly (ListAge | undefined)[]): number | null {
  const known = ages.filter((age) => age !== undefined)
  if (known.length === 0 || known.length < ages.length) return null
  return Math.max(...known.map(({ behind }) => behind))
}

function earliestOf(dates: readonly string[]): string {
  const known = dates.filter((date) => date !== '')
  return known.reduce((a, b) => (b < a ? b : a), known[0] ?? '')
}

function exemptionNotes(
  exemptions: readonly { readonly id: ExemptionId; readonly known: ExemptionDates }[],
): string[] {
  const named = ({ id, known }: (typeof exemptions)[number]): string => known.number || id.identity
  const passed = exemptions.filter(({ known }) => known.status.startsWith(DATE_PASSED))
  const unknown = exemptions.filter(({ known }) => known.earliest === '')
  return [
    ...passed
      .slice(0, MAX_NAMED)
      .map((one) => `exemption ${named(one)} (${one.known.earliest}): ${one.known.status}`),
    unknown.length === 0 ? '' : `no date known for ${listed(unknown.map(named))}: not judged`,
  ]
}

function listNotes(
  ages: readonly { readonly identity: string; readonly age: ListAge | undefined }[],
): string[] {
  return ages
    .filter(({ age }) => age === undefined)
    .map(({ identity }) => `${identity} is not in the reference table: number of entries not known`)
}

/** Services leave out unlikely entries, so a partly stated list is worth a note, no more. */
function statedNote(
  stated: number | undefined,
  [only, ...others]: readonly { readonly identity: string; readonly age: ListAge | undefined }[],
): string {
  if (!stated || only?.age === undefined || others.length > 0) return ''
  const { entries } = only.age.declared
  return stated < entries ? `${stated} of ${entries} entries of ${only.identity} stated` : ''
}

function listed(names: readonly string[]): string {
  const once = [...new Set(names)]
  const more = once.length > MAX_NAMED ? ` and ${once.length - MAX_NAMED} more` : ''
  return `exemption ${once.slice(0, MAX_NAMED).join(', ')}${more}`
}

function remembered(lookup: ExemptionLookup): ExemptionLookup {
  const known = new Map<string, readonly ExemptionDates[]>()
  return (id) => {
    const key = `${id.list}\n${id.identity}`
    const kept = known.get(key)
    if (kept !== undefined) return kept
    const found = lookup(id)
    if (known.size < MAX_KEPT) known.set(key, found)
    return found
  }
}
