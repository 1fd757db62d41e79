import { readListIdentity } from '../compliance/list-identity.ts'
import type { RohsStatus } from '../compliance/rohs.ts'
import type { FailOnRule } from './fail-on.ts'
import type { JudgedRow } from './report-row.ts'
import { createRowMatches, type GateResult } from './row-matches.ts'

/** How many rows have which result. */
export interface ReportCounts {
  readonly rows: number
  readonly declared: number
  readonly missing: number
  readonly unreadable: number
  /** Of the declared rows. */
  readonly rohs: Readonly<Record<RohsStatus, number>>
  /** Declared rows with at least one SVHC, with a REACH list and none, and without a statement. */
  readonly reach: { readonly withSvhc: number; readonly withoutSvhc: number; readonly notDeclared: number }
  /** Files that were read, and entries that were left out because they are not XML. */
  readonly files: number
  readonly skipped: number
  readonly substances: number
}

export interface Frequency {
  readonly name: string
  readonly parts: number
}

export interface ListUse extends Frequency {
  /** Age of the list in whole months at the time of the report; undefined where its name has no date. */
  readonly ageMonths: number | undefined
}

/** The summary after the last row. */
export interface ReportSummary {
  readonly counts: ReportCounts
  readonly gate: GateResult | undefined
  /** The most frequent substances of very high concern, at most fifty. */
  readonly svhcs: readonly Frequency[]
  /** The lists that the statements refer to, newest first, at most fifty. */
  readonly lists: readonly ListUse[]
}

/** Adds up rows; memory does not grow with their number. */
export interface SummaryBuilder {
  readonly add: (row: JudgedRow) => void
  readonly addSubstances: (count: number) => void
  readonly addFiles: (count: number) => void
  readonly addSkipped: (count: number) => void
  readonly result: () => ReportSummary
}

/** Most different names that are counted, so that memory stays bounded. */
const MAX_NAMES = 20_000
const MAX_SHOWN = 50

/** Summarises rows and what the rules to fail on match; the age of a list is its age at `nowMs`. */
export function createSummary(rules: readonly FailOnRule[] | undefined, nowMs: number): SummaryBuilder {
  const rohs: Record<RohsStatus, number> = {
    compliant: 0,
    'compliant with exemptions': 0,
    'not compliant': 0,
    incomplete: 0,
    'not declared': 0,
  }
  const status = { declared: 0, missing: 0, unreadable: 0 }
  const reach = { withSvhc: 0, withoutSvhc: 0, notDeclared: 0 }
  const svhcs = new Map<string, number>()
  const lists = new Map<string, number>()
  const matches = createRowMatches(rules)
  let files = 0
  let skipped = 0
  let substances = 0

  return {
    add(row) {
      status[row.status] += 1
      if (row.status === 'declared') {
        rohs[row.rohs] += 1
        if (row.svhc_count === null) reach.notDeclared += 1
        else if (row.svhc_count > 0) reach.withSvhc += 1
        else reach.withoutSvhc += 1
        for (const name of row.svhc_names) count(svhcs, name)
        for (const name of `${row.rohs_list}; ${row.reach_list}`.split('; ')) count(lists, name)
      }
      matches.look(row)
    },
    addSubstances: (number) => {
      substances += number
    },
    addFiles: (number) => {
      files += number
    },
    addSkipped: (number) => {
      skipped += number
    },
    result: () => ({
      counts: {
        rows: status.declared + status.missing + status.unreadable,
        ...status,
        rohs,
        reach,
        files,
        skipped,
        substances,
      },
      gate: matches.result(),
      svhcs: mostFrequent(svhcs),
      lists: mostFrequent(lists)
        .map((use) => ({ ...use, ageMonths: ageMonths(use.name, nowMs) }))
        .sort((a, b) => (a.ageMonths ?? Infinity) - (b.ageMonths ?? Infinity)),
    }),
  }
}

function count(counts: Map<string, number>, name: string): void {
  if (name === '') return
  const known = counts.get(name)
  if (known !== undefined || counts.size < MAX_NAMES) counts.set(name, (known ?? 0) + 1)
}

function mostFrequent(counts: ReadonlyMap<string, number>): Frequency[] {
  return [...counts]
    .map(([name, parts]) => ({ name, parts }))
    .sort((a, b) => b.parts - a.parts || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SHOWN)
}

function ageMonths(identity: string, nowMs: number): number | undefined {
  const { month } = readListIdentity(identity)
  if (month === undefined) return undefined
  const now = new Date(nowMs)
  return now.getUTCFullYear() * 12 + now.getUTCMonth() - month
}
