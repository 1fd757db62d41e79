import { COLUMN_TITLES, type ColumnName } from '../formats/column-titles.ts'
import { COLUMN_WORDS, SUBSTANCE_WORDS } from '../html/html-glossary.ts'
import { REPORT_COLUMNS, SUBSTANCE_COLUMNS } from '../rows/report-row.ts'
import type { CellKind } from './xlsx-cells.ts'
import type { SheetColumn } from './xlsx-table.ts'

/** Kind, width in characters, and whether it is a detail. */
type Layout = readonly [kind: CellKind, width: number, detail?: 'detail']

const LAYOUT: Readonly<Partial<Record<ColumnName, Layout>>> = {
  part: ['code', 18],
  requester_part: ['code', 13],
  name: ['text', 15],
  supplier: ['text', 14],
  company_id: ['code', 12, 'detail'],
  date: ['date', 11],
  standard: ['text', 9, 'detail'],
  classes: ['text', 8, 'detail'],
  rohs: ['verdict', 13],
  exemptions: ['text', 18],
  rohs_list: ['text', 13, 'detail'],
  svhc_count: ['hits', 7],
  svhc: ['text', 18],
  reach_list: ['text', 14, 'detail'],
  mass_mg: ['mass', 10],
  declared_percent: ['percent', 10, 'detail'],
  status: ['verdict', 12],
  note: ['text', 38],
  source: ['text', 26, 'detail'],
  unit_type: ['text', 8, 'detail'],
  exemption_expires: ['date', 11],
  svhc_list_behind: ['count', 8],
  gate: ['gate', 22],
  material: ['text', 32],
  material_mass_mg: ['mass', 13],
  substance: ['text', 36],
  cas: ['code', 13],
  cas_valid: ['flag', 8],
  percent_of_material: ['percent', 11],
  ppm_of_part: ['mass', 13],
}

const ABOUT: Readonly<Record<ColumnName, string>> = { ...SUBSTANCE_WORDS, ...COLUMN_WORDS }

/** What a failing part needs: its reason first. */
const FAILED = [
  'part',
  'requester_part',
  'gate',
  'rohs',
  'svhc_count',
  'svhc',
  'exemptions',
  'exemption_expires',
  'status',
  'note',
  'name',
  'supplier',
  'source',
] as const

/** The sheets for rows of the report, and their columns. */
export const SHEET_COLUMNS = {
  parts: REPORT_COLUMNS.map(sheetColumn),
  failed: FAILED.map(sheetColumn),
  missing: (['part', 'status', 'gate', 'note'] as const).map(sheetColumn),
  substances: SUBSTANCE_COLUMNS.map(sheetColumn),
} as const satisfies Readonly<Record<string, readonly SheetColumn[]>>

function sheetColumn(name: ColumnName): SheetColumn {
  const [kind, width, detail] = LAYOUT[name] ?? ['text', 14]
  const about = ABOUT[name]
  return { name, title: COLUMN_TITLES[name], about, kind, width, isDetail: detail !== undefined }
}
