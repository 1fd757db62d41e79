import { escapeUnsafe } from '../../base/clean-text.ts'
import { largest } from '../../base/extremes.ts'
import { memoized } from '../../base/memoized.ts'
import { calendarDate } from '../../base/units.ts'
import type { ExemptionId } from '../../compliance/exemptions.ts'
import {
  createExemptionLookup,
  DATE_PASSED,
  type ExemptionDates,
  type ExemptionLookup,
  passedText,
} from '../../compliance/exemptions.ts'
import {
  createListAges,
  type ListAge,
  readListIdentity,
  type SvhcUpdate,
} from '../../compliance/list-identity.ts'
import { createSubstanceTables, type SubstanceTables } from '../../compliance/recognize.ts'
import { monthsBefore } from '../../compliance/response-date.ts'
import { named } from '../../compliance/rohs.ts'
import { substanceNames } from '../../compliance/substance-identity.ts'
import type { CandidateListUse } from '../report-result.ts'
import type { JudgedRow, OpenRow } from '../rows/report-row.ts'
import type { ReferenceTables } from './reference-tables.ts'

/** The reference tables as a report looks things up in them. */
export type RowDates = ReturnType<typeof createRowDates>

/** Most different exemptions whose dates are kept, so that memory stays bounded. */
const MAX_KEPT = 20_000
/** Exemptions that a note names. */
const MAX_NAMED = 10

/** Lookups for a report that is created at `nowMs`: days are those of UTC. */
export function createRowDates(tables: ReferenceTables, nowMs: number) {
  const listAge = createListAges(tables.svhcUpdates.rows)
  const { rows } = tables.svhcSubstances
  let byName: ReadonlyMap<string, readonly string[]> | undefined
  return {
    tables,
    listAge,
    /** The day of a Candidate List by its identity, `YYYY-MM-DD`. */
    listDay: (identity: string) => listAge(identity)?.declared.date,
    updateOf: (identity: string): SvhcUpdate | undefined => listAge(identity)?.declared,
    substances: preparedSubstances(tables),
    /** The CAS numbers of a Candidate List substance by its name, and of what a RoHS group restricts by that of the group. */
    casNumbers(name: string): readonly string[] {
      byName ??= casByName([...rows, ...groupNames(tables.rohsSubstances.rows)])
      return [...new Set(substanceNames(name).flatMap((one) => byName!.get(one) ?? []))]
    },
    exemption: memoized(
      createExemptionLookup(tables.rohsExemptions.rows, calendarDate(nowMs)),
      MAX_KEPT,
      ({ identity, list }) => `${list}\n${identity}`,
    ),
  }
}

let prepared: { readonly rohs: unknown; readonly svhc: unknown; readonly tables: SubstanceTables } | undefined

/** The tables of substances; those of the last report again where they are the same, as for each list of a check. */
function preparedSubstances({ rohsSubstances, svhcSubstances }: ReferenceTables): SubstanceTables {
  const [rohs, svhc] = [rohsSubstances.rows, svhcSubstances.rows]
  if (prepared?.rohs !== rohs || prepared.svhc !== svhc)
    prepared = { rohs, svhc, tables: createSubstanceTables(rohs, svhc) }
  return prepared.tables
}

interface NamedCas {
  readonly cas: string
  readonly name: string
  readonly entryName: string
}

/** Each substance that is wholly what its RoHS group restricts, such as lead itself, under the name of the group. */
function groupNames(rows: ReferenceTables['rohsSubstances']['rows']): readonly NamedCas[] {
  return rows.flatMap(({ group, cas, share }) =>
    share === 1 ? [{ cas, name: group, entryName: group }] : [],
  )
}

function casByName(rows: readonly NamedCas[]): ReadonlyMap<string, readonly string[]> {
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

/** Adds what the tables know to a row, and a note about what they do not know. */
export function addDates(row: OpenRow, dates: RowDates): void {
  const { rohs, reach } = row.judged
  const exemptions = rohs.exemptionIds.flatMap((id) => dates.exemption(id).map((known) => ({ id, known })))
  const ages = reach.lists.map((identity) => ({ identity, age: dates.listAge(identity) }))
  const [earliest = ''] = exemptions.flatMap(({ known }) => known.earliest || []).sort()
  row.exemptionExpires = earliest
  row.listBehind = worstAge(ages.map(({ age }) => age))
  const notes = [...exemptionNotes(exemptions), ...listNotes(ages)]
  if (notes.length > 0) row.notes = [...row.notes, ...notes]
}

/** Undefined where a list has no known age: the others do not speak for it. */
function worstAge(ages: readonly (ListAge | undefined)[]): number | undefined {
  const known = ages.filter((age) => age !== undefined)
  if (known.length === 0 || known.length < ages.length) return undefined
  return largest(known.map(({ behind }) => behind))
}

function exemptionNotes(
  exemptions: readonly { readonly id: ExemptionId; readonly known: ExemptionDates }[],
): string[] {
  const nameOf = ({ id, known }: (typeof exemptions)[number]): string => known.number || id.identity
  const passed = exemptions.filter(({ known }) => known.status.startsWith(DATE_PASSED))
  const unknown = exemptions.filter(({ known }) => known.earliest === '')
  return [
    ...passed.slice(0, MAX_NAMED).map((one) => `exemption ${nameOf(one)}: ${passedText(one.known)}`),
    ...(unknown.length === 0
      ? []
      : [`no date known for exemption ${named(unknown.map(nameOf))}: not judged`]),
  ]
}

interface DeclaredList {
  readonly identity: string
  readonly age: ListAge | undefined
}

function listNotes(ages: readonly DeclaredList[]): string[] {
  return ages
    .filter(({ age }) => age === undefined)
    .map(({ identity }) => `${identity} is not in the reference table: number of entries not known`)
}

/** An exemption that declared parts rely on, with what the reference table knows about it. */
export interface ExemptionUse extends ExemptionDates {
  /** How the declarations write it, at most five spellings. */
  readonly declared: readonly string[]
  /** The lines that rely on it, without a list the parts. */
  readonly parts: number
  /** The first of them by part number, at most ten. */
  readonly firstParts: readonly string[]
}

/** The exemptions in use of a report. */
export interface ExemptionsInUse {
  /** Earliest date first, those without a date last; at most two hundred. */
  readonly exemptions: readonly ExemptionUse[]
  /** How many exemptions were left out because of these bounds. */
  readonly moreExemptions: number
  /** Lines or parts with an exemption in use that has no known date. */
  readonly withoutDate: number
}

const MAX_EXEMPTIONS = 2_000
const MAX_SHOWN = 200
const MAX_PARTS = 10
const MAX_SPELLINGS = 5

type Counted = ExemptionUse & {
  declared: string[]
  firstParts: string[]
  parts: number
  line?: string | undefined
}

/** Collects the exemptions of rows; those of a line follow each other. */
export function createExemptionCounter(lookup: ExemptionLookup) {
  const uses = new Map<string, Counted>()
  const left = new Set<string>()
  let withoutDate = 0
  let undatedLine: string | undefined
  return {
    add(row: JudgedRow): void {
      const { exemptionIds } = row.judged.rohs
      if (exemptionIds.length === 0) return
      const found = exemptionIds.flatMap((id) => lookup(id).map((dates) => ({ id, dates })))
      const line = row.line && `${row.line.product}:${row.line.line}`
      if (found.some(({ dates }) => dates.earliest === '') && (line === undefined || line !== undatedLine)) {
        withoutDate += 1
        undatedLine = line
      }
      const counted = new Set<Counted>()
      for (const { id, dates } of found) {
        const name = dates.number === '' ? `as declared ${id.identity}` : `${dates.number} ${dates.annex}`
        if (!uses.has(name) && uses.size >= MAX_EXEMPTIONS) {
          if (left.size < MAX_EXEMPTIONS) left.add(name)
          continue
        }
        const use: Counted = uses.get(name) ?? { ...dates, declared: [], parts: 0, firstParts: [] }
        uses.set(name, use)
        const isNew = !use.declared.includes(id.identity)
        if (isNew && use.declared.length < MAX_SPELLINGS) use.declared.push(id.identity)
        if (counted.has(use)) continue
        counted.add(use)
        if (line !== undefined && line === use.line) continue
        use.line = line
        use.parts += 1
        if (use.firstParts.length < MAX_PARTS) use.firstParts.push(escapeUnsafe(row.part))
      }
    },
    result(): ExemptionsInUse {
      const shown = [...uses.values()].sort(soonestFirst).slice(0, MAX_SHOWN)
      const exemptions = shown.map(({ line: _, ...use }) => use)
      return { exemptions, moreExemptions: uses.size - exemptions.length + left.size, withoutDate }
    },
  }
}

function soonestFirst(a: ExemptionUse, b: ExemptionUse): number {
  const [first, second] = [a.earliest || '9999', b.earliest || '9999']
  return first < second ? -1 : first > second ? 1 : b.parts - a.parts
}

/** What a report says by date, and from which tables. */
export interface ReferenceFacts extends ExemptionsInUse {
  readonly tables: ReferenceTables
  /** Says that the table of the Candidate List is old; empty for one that is not. */
  readonly oldTable: string
  /** The declared Candidate Lists, newest first. */
  readonly candidateLists: readonly CandidateListUse[]
}

/** The Candidate List is updated twice a year: a table that ends longer ago may lack an update. */
const OLD_MONTHS = 8

/** What is said of a table of the Candidate List that is old. */
export function oldTableText({ svhcUpdates: { newest, file } }: ReferenceTables, nowMs: number): string {
  const today = calendarDate(nowMs)
  if (newest === '' || newest >= monthsBefore(today, OLD_MONTHS)) return ''
  return `the newest update of the Candidate List in ${file} is of ${newest}, more than ${OLD_MONTHS} months ago: later entries are not known`
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
        date: age?.declared.date ?? null,
        entries: age?.declared.entries ?? null,
        behind: age?.behind ?? null,
      }
    })
}
