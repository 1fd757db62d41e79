import type { ReportRow, SubstanceRow } from './rows/report-row.ts'

/**
 * What a column holds. Every format derives from it how a value is written: `id` is text that is never a number or a date, `ids` and
 * `list` are several values, `hits` is a count that should be 0, and `status` has the tone of its word.
 */
export type ColumnType =
  | 'id'
  | 'ids'
  | 'text'
  | 'list'
  | 'status'
  | 'gate'
  | 'day'
  | 'count'
  | 'hits'
  | 'amount'
  | 'percent'
  | 'flag'

/** A column as people see it. */
export interface Column {
  /** The heading. */
  readonly title: string
  /** What the column means. */
  readonly help: string
  readonly type: ColumnType
  /** In characters, in a workbook. */
  readonly width: number
  /** There to look up: closed in a workbook, behind the part number on a page. */
  readonly isDetail?: true
  /** Its importance on a terminal, from 1: as many columns are shown as fit, and one without a rank never. */
  readonly rank?: number
  /** A shorter heading for terminals. */
  readonly short?: string
}

const MULTIPLE: ReadonlySet<ColumnType> = new Set(['ids', 'list', 'gate'])

/** The columns of a report, in the order of every format. To add one, add it here and to `ReportRow`. */
export const PART_COLUMNS = {
  part: { title: 'Part', help: 'part number of the supplier', type: 'id', width: 18, rank: 1 },
  requester_part: { title: 'Your part', help: 'part number of the buyer', type: 'id', width: 13 },
  name: { title: 'Name', help: 'name of the part', type: 'text', width: 15 },
  supplier: { title: 'Supplier', help: 'the declaring company', type: 'text', width: 14, rank: 12 },
  company_id: {
    title: 'Company ID',
    help: 'identifiers of the company, a DUNS number first',
    type: 'ids',
    width: 12,
    isDetail: true,
  },
  date: {
    title: 'Declared on',
    help: 'day of the declaration',
    type: 'day',
    width: 11,
    rank: 9,
    short: 'date',
  },
  standard: { title: 'Standard', help: 'version of IPC-1752', type: 'text', width: 9, isDetail: true },
  classes: {
    title: 'Classes',
    help: 'declaration classes in the file',
    type: 'text',
    width: 8,
    isDetail: true,
    rank: 7,
  },
  rohs: { title: 'RoHS', help: 'RoHS status', type: 'status', width: 13, rank: 2 },
  exemptions: {
    title: 'RoHS exemptions',
    help: 'exemptions in use, each with its list and category',
    type: 'list',
    width: 18,
    rank: 5,
    short: 'exemptions',
  },
  rohs_list: {
    title: 'RoHS list',
    help: 'list that decides the RoHS status',
    type: 'list',
    width: 13,
    isDetail: true,
    rank: 10,
  },
  svhc_count: {
    title: 'SVHCs',
    help: 'number of SVHCs above 0.1 %; empty where none are declared',
    type: 'hits',
    width: 7,
    rank: 3,
    short: 'svhc',
  },
  svhc: {
    title: 'SVHC names',
    help: 'these SVHCs, with code and highest concentration',
    type: 'list',
    width: 18,
    rank: 6,
  },
  reach_list: {
    title: 'Candidate List',
    help: 'list that decides about SVHCs',
    type: 'list',
    width: 14,
    isDetail: true,
    rank: 11,
    short: 'reach list',
  },
  mass_mg: { title: 'Mass (mg)', help: 'milligrams of one unit', type: 'amount', width: 10, rank: 13 },
  declared_percent: {
    title: 'Mass declared (%)',
    help: 'share of the mass that class D declares',
    type: 'percent',
    width: 10,
    isDetail: true,
    rank: 8,
    short: 'declared %',
  },
  status: {
    title: 'Status',
    help: 'declared, missing, assembly, unreadable or superseded',
    type: 'status',
    width: 12,
    rank: 4,
  },
  note: {
    title: 'Remarks',
    help: 'reason for the status, and other remarks',
    type: 'text',
    width: 38,
    rank: 14,
  },
  source: { title: 'Source', help: 'file, or archive and entry', type: 'text', width: 26, isDetail: true },
  unit_type: {
    title: 'Unit',
    help: 'what one unit is; a piece by default',
    type: 'text',
    width: 8,
    isDetail: true,
  },
  exemption_expires: {
    title: 'Exemptions until',
    help: 'earliest nominal date of an exemption in use',
    type: 'day',
    width: 11,
  },
  svhc_list_behind: {
    title: 'Entries behind',
    help: 'how many more entries the newest Candidate List in the reference table has',
    type: 'count',
    width: 8,
  },
  gate: { title: 'Gate', help: 'rules that the row matches', type: 'gate', width: 22 },
  reach: { title: 'REACH', help: 'REACH status', type: 'text', width: 12 },
  other_lists: {
    title: 'Other lists',
    help: 'what lists other than RoHS and REACH state',
    type: 'list',
    width: 18,
  },
  indications: {
    title: 'Indications',
    help: 'substances of class D above a threshold that no list declares',
    type: 'list',
    width: 24,
  },
} as const satisfies Readonly<Record<keyof ReportRow, Column>>

/** The columns of the flat table of class D substances. */
export const SUBSTANCE_TABLE = {
  part: { title: 'Part', help: 'part number of the supplier', type: 'id', width: 18, rank: 1 },
  material: {
    title: 'Material',
    help: 'homogeneous material, after the sub-products that contain it',
    type: 'text',
    width: 32,
    rank: 6,
  },
  material_mass_mg: {
    title: 'Material mass (mg)',
    help: 'milligrams of the material in one unit of the part',
    type: 'amount',
    width: 13,
    rank: 9,
    short: 'material (mg)',
  },
  substance: { title: 'Substance', help: 'substance as declared', type: 'text', width: 36, rank: 2 },
  cas: { title: 'CAS number', help: 'its CAS number', type: 'id', width: 13, rank: 3, short: 'cas' },
  cas_valid: {
    title: 'CAS valid',
    help: 'false where the text is no CAS number or its check digit is wrong',
    type: 'flag',
    width: 8,
    rank: 8,
    short: 'valid',
  },
  mass_mg: {
    title: 'Mass (mg)',
    help: 'milligrams of the substance in one unit of the part',
    type: 'amount',
    width: 10,
    rank: 4,
  },
  percent_of_material: {
    title: '% of material',
    help: 'its share of the material, by mass',
    type: 'percent',
    width: 11,
    rank: 5,
    short: '% of mat.',
  },
  ppm_of_part: {
    title: 'ppm of part',
    help: 'its share of the part, in parts per million by mass',
    type: 'amount',
    width: 13,
    rank: 7,
  },
  source: { title: 'Source', help: 'file, or archive and entry', type: 'text', width: 26, isDetail: true },
} as const satisfies Readonly<Record<keyof SubstanceRow, Column>>

export type PartColumn = keyof typeof PART_COLUMNS
export type SubstanceColumn = keyof typeof SUBSTANCE_TABLE

/** The names of the columns of a report, in their order. */
export const REPORT_COLUMNS = Object.keys(PART_COLUMNS) as readonly PartColumn[]
/** Those of the table of substances. */
export const SUBSTANCE_COLUMNS = Object.keys(SUBSTANCE_TABLE) as readonly SubstanceColumn[]

/** The columns of the table of this kind, by name. */
export function columnsOf(kind: 'parts' | 'substances'): Readonly<Record<string, Column>> {
  return kind === 'parts' ? PART_COLUMNS : SUBSTANCE_TABLE
}

/** The columns of a report that may have several values. */
export const LIST_COLUMNS: readonly PartColumn[] = REPORT_COLUMNS.filter((name) =>
  MULTIPLE.has(PART_COLUMNS[name].type),
)

/** True for a column of numbers. */
export function isNumeric(type: ColumnType): boolean {
  return NUMERIC.has(type)
}

const NUMERIC: ReadonlySet<ColumnType> = new Set(['count', 'hits', 'amount', 'percent'])

export type CellValue = string | number | boolean | null

/** A row of either table, by column name. */
export type Row = Readonly<Record<string, unknown>>

/** The value of a column in a cell: several values are one text. */
export function cellOf(row: object, column: string): CellValue {
  return ((row as Row)[column] ?? null) as CellValue
}

/** The values of a column that may have several. They have no separator within them. */
export function valuesOf(row: object, column: string): readonly string[] {
  const joined = cellOf(row, column)
  return joined === null || joined === '' ? [] : String(joined).split('; ')
}
