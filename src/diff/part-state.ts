import { partKey, supplierKey } from '../report/rows/part-key.ts'
import { type JudgedRow, missingRow } from '../report/rows/report-row.ts'

/** What a download says about one part, as far as it is compared. */
export interface PartState {
  readonly part: string
  readonly supplier: string
  readonly date: string
  readonly classes: string
  readonly rohs: string
  readonly exemptions: ReadonlySet<string>
  readonly rohs_list: string
  readonly svhc_count: number | null
  /** Names by code, or by name where a code is missing. */
  readonly svhc: ReadonlyMap<string, string>
  readonly reach_list: string
  readonly mass_mg: number | null
  readonly declared_percent: number | null
  /** The row for the rules to fail on. */
  readonly row: JudgedRow
}

/** Identifies a part of a supplier. */
export function stateKey(row: JudgedRow): string {
  return partKey(row) ?? supplierKey(row)
}

export function stateOf(row: JudgedRow): PartState {
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
    row: gateRow(row),
  }
}

/** Merges two rows of one part, such as its class C and class D files, or an older and a newer file: the newer statement counts. */
export function mergeStates(a: PartState, b: PartState): PartState {
  const [older, newer] = a.date <= b.date ? [a, b] : [b, a]
  const rohs = newer.rohs_list === '' ? older : newer
  const reach = newer.reach_list === '' ? older : newer
  const full = newer.declared_percent === null ? older : newer
  return {
    ...newer,
    classes: [...new Set([...older.classes, ...newer.classes])].sort().join(''),
    rohs: rohs.rohs,
    exemptions: rohs.exemptions,
    rohs_list: rohs.rohs_list,
    svhc_count: reach.svhc_count,
    svhc: reach.svhc,
    reach_list: reach.reach_list,
    mass_mg: newer.mass_mg ?? older.mass_mg,
    declared_percent: full.declared_percent,
    row: {
      ...newer.row,
      rohs: rohs.row.rohs,
      rohs_list: rohs.row.rohs_list,
      exemption_expires: rohs.row.exemption_expires,
      svhc_count: reach.row.svhc_count,
      reach_list: reach.row.reach_list,
      has_gaps: rohs.row.has_gaps || reach.row.has_gaps,
    },
  }
}

/** Only what the rules look at: a hundred thousand notes would take too much memory. */
function gateRow({
  part,
  source,
  status,
  rohs,
  rohs_list,
  svhc_count,
  reach_list,
  has_gaps,
  unaccepted,
  exemption_expires,
}: JudgedRow): JudgedRow {
  const facts = { rohs, rohs_list, svhc_count, reach_list, has_gaps, unaccepted, exemption_expires }
  return { ...missingRow(part, ''), source, status, ...facts }
}

function sameKey(key: string): string {
  return key.replace(/\s+/g, '').toLowerCase()
}

function oneSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
