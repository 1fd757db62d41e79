import type { ReportSummary } from '../report-summary.ts'
import type { CsvDialect } from './csv-dialect.ts'

export type CellValue = string | number | boolean | null
/** A row by column name. Other fields are not written. */
export type Row = Readonly<Record<string, unknown>>

/** The table to report. */
export interface ReportShape {
  readonly kind: 'parts' | 'substances'
  readonly columns: readonly string[]
  /** When the report was created, for formats that show it. */
  readonly nowMs: number
  readonly version: string
  /** How CSV is written; by default as in RFC 4180. */
  readonly csv?: CsvDialect
}

/** Turns rows into the bytes of one format. Text is UTF-8. `add` may keep rows until `end`. */
export interface Formatter {
  readonly begin: () => string | Uint8Array
  readonly add: (rows: readonly Row[]) => string | Uint8Array
  /** Takes rows of the other table, for formats that have both. */
  readonly addOther?: (rows: readonly Row[]) => void
  readonly end: (summary: ReportSummary) => Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
}

/** The value of a column. */
export function cellOf(row: Row, column: string): CellValue {
  return (row[column] ?? null) as CellValue
}
