import type { ReportRow, SubstanceRow } from '../rows/report-row.ts'

export type ColumnName = keyof ReportRow | keyof SubstanceRow

/** Headings of columns for people. */
export const COLUMN_TITLES = {
  part: 'Part',
  requester_part: 'Your part',
  name: 'Name',
  supplier: 'Supplier',
  company_id: 'Company ID',
  date: 'Declared on',
  standard: 'Standard',
  classes: 'Classes',
  rohs: 'RoHS',
  exemptions: 'RoHS exemptions',
  rohs_list: 'RoHS list',
  svhc_count: 'SVHCs',
  svhc: 'SVHC names',
  reach_list: 'Candidate List',
  mass_mg: 'Mass (mg)',
  declared_percent: 'Mass declared (%)',
  status: 'Status',
  note: 'Why',
  source: 'Source',
  unit_type: 'Unit',
  exemption_expires: 'Exemptions until',
  svhc_list_behind: 'List behind by',
  gate: 'Gate',
  material: 'Material',
  material_mass_mg: 'Material mass (mg)',
  substance: 'Substance',
  cas: 'CAS number',
  cas_valid: 'CAS valid',
  percent_of_material: '% of material',
  ppm_of_part: 'ppm of part',
} as const satisfies Readonly<Record<ColumnName, string>>
