import type { SchemaElement } from 'hyparquet-writer'
import type { REPORT_COLUMNS, SUBSTANCE_COLUMNS } from '../rows/report-row.ts'

type Column = (typeof REPORT_COLUMNS | typeof SUBSTANCE_COLUMNS)[number]
type ColumnType = 'text' | 'texts' | 'day' | 'count' | 'amount' | 'flag'

/** Columns that are not text. `note` is prose, and `classes` one word. */
const TYPES: Readonly<Partial<Record<Column, ColumnType>>> = {
  company_id: 'texts',
  date: 'day',
  exemptions: 'texts',
  rohs_list: 'texts',
  svhc_count: 'count',
  svhc: 'texts',
  reach_list: 'texts',
  mass_mg: 'amount',
  declared_percent: 'amount',
  exemption_expires: 'day',
  svhc_list_behind: 'count',
  gate: 'texts',
  material_mass_mg: 'amount',
  cas_valid: 'flag',
  percent_of_material: 'amount',
  ppm_of_part: 'amount',
}

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const
const DAY_MS = 86_400_000

/** How a type is stored, and the stored value of one that is not absent. */
const STORED = {
  text: { schema: (name) => [{ name, ...TEXT, ...OPTIONAL }], value: String },
  texts: {
    schema: (name) => [
      { name, ...OPTIONAL, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', ...TEXT, repetition_type: 'REQUIRED' },
    ],
    // Values that are joined have no separator within them.
    value: (joined) => String(joined).split('; '),
  },
  day: {
    schema: (name) => [
      { name, type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' }, ...OPTIONAL },
    ],
    value: (date) => Date.parse(String(date)) / DAY_MS,
  },
  count: { schema: (name) => [{ name, type: 'INT32', ...OPTIONAL }], value: (count) => count },
  amount: { schema: (name) => [{ name, type: 'DOUBLE', ...OPTIONAL }], value: (amount) => amount },
  flag: { schema: (name) => [{ name, type: 'BOOLEAN', ...OPTIONAL }], value: (flag) => flag },
} as const satisfies Record<
  ColumnType,
  {
    readonly schema: (name: string) => readonly SchemaElement[]
    readonly value: (cell: string | number | boolean) => unknown
  }
>

/** A column of a Parquet file. */
export interface ParquetColumn {
  readonly name: string
  readonly schema: readonly SchemaElement[]
  /** The stored value of a cell; null for an absent one. */
  readonly value: (cell: unknown) => unknown
}

/** The columns with these names, all of them nullable: an absent number and an empty text are null. */
export function parquetColumns(names: readonly string[]): readonly ParquetColumn[] {
  return names.map((name) => {
    const { schema, value } = STORED[TYPES[name as Column] ?? 'text']
    return {
      name,
      schema: schema(name),
      value: (cell) =>
        cell === null || cell === undefined || cell === '' ? null : value(cell as string | number | boolean),
    }
  })
}
