import type { ExemptionId } from '../../compliance/exemption-number.ts'
import type { PartJudgement } from '../../compliance/judge.ts'
import type { ReachStatus } from '../../compliance/reach.ts'
import type { RohsStatus } from '../../compliance/rohs.ts'
import type { WaivedFinding } from '../gate/waivers.ts'

export type ReportStatus = 'declared' | 'assembly' | 'superseded' | 'missing' | 'unreadable'

/** One part of a report, with the columns of `PART_COLUMNS`. Absent text is empty, an absent number is null. */
export interface ReportRow {
  readonly part: string
  readonly requester_part: string
  readonly name: string
  readonly supplier: string
  readonly company_id: string
  readonly date: string
  readonly standard: '' | '1752A' | '1752B'
  readonly classes: string
  readonly rohs: RohsStatus
  readonly exemptions: string
  readonly rohs_list: string
  readonly svhc_count: number | null
  readonly svhc: string
  readonly reach_list: string
  readonly mass_mg: number | null
  readonly declared_percent: number | null
  readonly status: ReportStatus
  readonly note: string
  readonly source: string
  /** The unit that masses are for: `Each`, `Meter` and so on; empty where the file has none. */
  readonly unit_type: string
  /** The earliest date known for an exemption in use, `YYYY-MM-DD`; empty where none is known. */
  readonly exemption_expires: string
  /** Entries that the newest known Candidate List has more than the one declared against. */
  readonly svhc_list_behind: number | null
  /** The rules to fail on that the row matches. */
  readonly gate: string
  /** What is stated about SVHCs; empty in a row that is no declaration. */
  readonly reach: ReachStatus | ''
  /** What the lists state that are neither RoHS nor REACH, each with its name. */
  readonly other_lists: string
  /** Substances that class D has above a threshold and that no list declares as such. */
  readonly indications: string
}

/** A row with facts that only rules and counts need. */
export interface JudgedRow extends ReportRow {
  /** A list of the part has categories without a statement, or something stated is not recognized. */
  readonly has_gaps: boolean
  /** How many entries of the Candidate List the part has a statement for. */
  readonly svhc_stated: number
  /** The file says that its supplier has not accepted it. */
  readonly unaccepted: boolean
  /** A declaration that counts has no date that can be compared. */
  readonly undated: boolean
  /** The names of the substances of very high concern, for counting. */
  readonly svhc_names: readonly string[]
  /** Their codes, or names where a code is missing, in the same order: these stay the same from list to list. */
  readonly svhc_keys: readonly string[]
  /** The exemptions in use as declared, once each, for looking up their dates. */
  readonly exemption_ids: readonly ExemptionId[]
  /** Identifies the part of its supplier; undefined without a part number. */
  readonly part_key?: string | undefined
  /** Every statement behind the row; undefined in a row that is no declaration. */
  readonly judged?: PartJudgement | undefined
  /** The names of the manufacturers that the parts list has for it, if none of them is the supplier. */
  readonly listed_manufacturers: readonly string[]
  /** Rules that the row matches, but that are waived. */
  readonly waived: readonly WaivedFinding[]
}

/** One substance in one material of one part; masses in milligrams for one unit of the part. */
export interface SubstanceRow {
  readonly part: string
  readonly material: string
  readonly material_mass_mg: number | null
  readonly substance: string
  readonly cas: string
  /** Null where the substance has no identity. */
  readonly cas_valid: boolean | null
  readonly mass_mg: number | null
  readonly percent_of_material: number | null
  readonly ppm_of_part: number | null
  readonly source: string
}

/** Several values in one cell, separated by `; `. */
export function joinValues(values: readonly string[]): string {
  return values
    .filter((value) => value !== '')
    .map((value) => value.replaceAll('; ', ', '))
    .join('; ')
}

/** A row for a requested part that no source declares. */
export function missingRow(part: string, note: string): JudgedRow {
  return { ...EMPTY_ROW, part, status: 'missing', note }
}

/** A row for a file that cannot be read as a declaration. */
export function unreadableRow(source: string, reason: string): JudgedRow {
  return { ...EMPTY_ROW, status: 'unreadable', note: reason, source, has_gaps: true }
}

const EMPTY_ROW: JudgedRow = {
  part: '',
  requester_part: '',
  name: '',
  supplier: '',
  company_id: '',
  date: '',
  standard: '',
  classes: '',
  rohs: 'not declared',
  exemptions: '',
  rohs_list: '',
  svhc_count: null,
  svhc: '',
  reach_list: '',
  mass_mg: null,
  declared_percent: null,
  status: 'declared',
  note: '',
  source: '',
  unit_type: '',
  exemption_expires: '',
  svhc_list_behind: null,
  gate: '',
  reach: '',
  other_lists: '',
  indications: '',
  has_gaps: false,
  svhc_stated: 0,
  unaccepted: false,
  undated: false,
  svhc_names: [],
  svhc_keys: [],
  exemption_ids: [],
  listed_manufacturers: [],
  waived: [],
}
