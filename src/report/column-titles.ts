import type { ReportRow, SubstanceRow } from './report-row.ts'

/** The heading of a column for people, and what its values mean. */
export interface ColumnTitle {
  readonly title: string
  readonly about: string
}

type ColumnName = keyof ReportRow | keyof SubstanceRow

/** Headings of all columns of parts and substances. */
export const COLUMN_TITLES = {
  part: { title: 'Part', about: "the supplier's part number" },
  requester_part: { title: 'Your part', about: "the buyer's part number" },
  name: { title: 'Name', about: 'the name of the part' },
  supplier: { title: 'Supplier', about: 'the declaring company' },
  company_id: { title: 'Company ID', about: 'identifiers of the supplier, a DUNS number first' },
  date: { title: 'Declared on', about: 'the date of the declaration' },
  standard: { title: 'Standard', about: 'the version of IPC-1752' },
  classes: { title: 'Classes', about: 'the declaration classes in the file' },
  rohs: { title: 'RoHS', about: 'the RoHS status; a part without a RoHS list is not declared' },
  exemptions: { title: 'RoHS exemptions', about: 'the exemptions in use' },
  rohs_list: { title: 'RoHS list', about: 'the list that the RoHS status is about' },
  svhc_count: {
    title: 'SVHCs',
    about: 'substances of very high concern above 0.1 %; empty without a REACH statement',
  },
  svhc: { title: 'SVHC names', about: 'these substances, with code and concentration' },
  reach_list: { title: 'Candidate List', about: 'the REACH list that the statement is about' },
  mass_mg: { title: 'Mass (mg)', about: 'milligrams of one unit' },
  declared_percent: { title: 'Mass declared (%)', about: 'the share of the mass that class D declares' },
  status: { title: 'Status', about: 'declared, superseded, missing or unreadable' },
  note: { title: 'Why', about: 'the reason for the status, and other remarks' },
  source: { title: 'Source', about: 'the file that declares it' },
  unit_type: { title: 'Unit', about: 'what one unit is: masses are per that unit' },
  exemption_expires: {
    title: 'Exemptions until',
    about: 'the earliest nominal date known for an exemption in use',
  },
  svhc_list_behind: {
    title: 'List behind by',
    about: 'entries that the newest known Candidate List has more than the declared one',
  },
  gate: {
    title: 'Gate',
    about: 'the conditions to fail on that the part matches; waived ones with a reason',
  },
  material: { title: 'Material', about: 'the homogeneous material' },
  material_mass_mg: { title: 'Material mass (mg)', about: 'milligrams of the material in one unit' },
  substance: { title: 'Substance', about: 'the declared substance' },
  cas: { title: 'CAS number', about: 'its CAS number, as declared' },
  cas_valid: { title: 'CAS valid', about: 'the check digit of the CAS number is right' },
  percent_of_material: { title: '% of material', about: 'the share of the material in percent' },
  ppm_of_part: { title: 'ppm of part', about: 'the share of the part in parts per million' },
} as const satisfies Readonly<Record<ColumnName, ColumnTitle>>
