import { worstRohs } from '../compliance/part-status.ts'
import { partKey, supplierKey } from '../report/rows/part-key.ts'
import type { JudgedRow } from '../report/rows/report-row.ts'

/** What a download says about one part, as far as it is compared. */
export interface PartState {
  readonly part: string
  readonly supplier: string
  readonly date: string
  readonly classes: string
  readonly rohs: JudgedRow['rohs']
  readonly exemptions: ReadonlySet<string>
  readonly rohs_list: string
  readonly svhc_count: number | null
  /** Names by code, or by name where a code is missing. */
  readonly svhc: ReadonlyMap<string, string>
  readonly reach_list: string
  readonly mass_mg: number | null
  readonly declared_percent: number | null
  /** Something stated in any of its declarations is missing or not recognized. */
  readonly has_gaps: boolean
  /** Its supplier has not accepted one of its declarations. */
  readonly unaccepted: boolean
  /** The rules to fail on that any of its declarations matches, each with the first such source. */
  readonly matched: ReadonlyMap<string, string>
}

/** Identifies a part of a supplier; without a part number, by its name. */
export function stateKey(row: JudgedRow): string {
  return partKey(row) ?? `${supplierKey(row)}\nname\n${oneSpace(row.name)}`
}

/** The state by one row, which matches the rules `words`. */
export function stateOf(row: JudgedRow, words: readonly string[] = []): PartState {
  return {
    part: row.part,
    supplier: row.supplier,
    date: row.date,
    classes: row.classes,
    rohs: row.rohs,
    exemptions: new Set(row.exemptions === '' ? [] : row.exemptions.split('; ').map(oneSpace)),
    rohs_list: row.rohs_list.toUpperCase(),
    svhc_count: row.svhc_count,
    svhc: new Map(row.svhc_keys.map((key, index) => [sameKey(key), row.svhc_names[index] ?? key])),
    reach_list: row.reach_list.toUpperCase(),
    mass_mg: row.mass_mg,
    declared_percent: row.declared_percent,
    has_gaps: row.has_gaps,
    unaccepted: row.unaccepted,
    matched: new Map(words.map((word) => [word, row.source])),
  }
}

/**
 * Merges two rows of one part, such as its class C and class D files: the newer statement counts, and of two with the same date the
 * worse one. No gap and no matching rule of either is lost, except that a part is declared where one of its files declares it.
 */
export function mergeStates(a: PartState, b: PartState): PartState {
  const [older, newer] = a.date <= b.date ? [a, b] : [b, a]
  const isSameDay = a.date === b.date
  const full = newer.declared_percent === null ? older : newer
  return {
    ...newer,
    ...mergeRohs(older, newer, isSameDay),
    ...mergeReach(older, newer, isSameDay),
    classes: [...new Set([...older.classes, ...newer.classes])].sort().join(''),
    mass_mg: newer.mass_mg ?? older.mass_mg,
    declared_percent: full.declared_percent,
    has_gaps: older.has_gaps || newer.has_gaps,
    unaccepted: older.unaccepted || newer.unaccepted,
    matched: mergeMatched(older, newer),
  }
}

function mergeMatched({ matched: one }: PartState, { matched: other }: PartState): PartState['matched'] {
  const all = new Map([...other, ...one])
  if (!(one.has(NOT_DECLARED) && other.has(NOT_DECLARED))) all.delete(NOT_DECLARED)
  return all
}

const NOT_DECLARED = 'not-declared'

// A row without a list, such as that of a class D file, may state exemptions all the same.
function mergeRohs(
  older: PartState,
  newer: PartState,
  isSameDay: boolean,
): Pick<PartState, 'rohs' | 'rohs_list' | 'exemptions'> {
  const isOlderWorse =
    isSameDay && older.rohs_list !== '' && worstRohs([older.rohs, newer.rohs]) === older.rohs
  const [chosen, other] = newer.rohs_list === '' || isOlderWorse ? [older, newer] : [newer, older]
  const isUnion = isSameDay || other.rohs_list === ''
  return {
    rohs: chosen.rohs,
    rohs_list: chosen.rohs_list,
    exemptions: isUnion ? new Set([...chosen.exemptions, ...other.exemptions]) : chosen.exemptions,
  }
}

function mergeReach(
  older: PartState,
  newer: PartState,
  isSameDay: boolean,
): Pick<PartState, 'svhc_count' | 'svhc' | 'reach_list'> {
  const isOlderWorse = isSameDay && (older.svhc_count ?? -1) > (newer.svhc_count ?? -1)
  const { svhc_count, svhc, reach_list } = newer.reach_list === '' || isOlderWorse ? older : newer
  return { svhc_count, svhc, reach_list }
}

function sameKey(key: string): string {
  return key.replace(/\s+/g, '').toLowerCase()
}

function oneSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
