import type { ReportSummary } from './report-summary.ts'

export type CellValue = string | number | boolean | null
/** One line of a report by column name; further fields are not shown. */
export type Row = Readonly<Record<string, unknown>>

/** What is reported: its columns and the words around it. */
export interface ReportShape {
  readonly kind: 'parts' | 'substances'
  readonly columns: readonly string[]
  /** When the report was made, for formats that say so. */
  readonly nowMs: number
  readonly version: string
}

/** Turns rows, as they come, into one format. Text is UTF-8; `add` may hold rows back, `end` gives what is left. */
export interface Formatter {
  readonly begin: () => string | Uint8Array
  readonly add: (rows: readonly Row[]) => string | Uint8Array
  readonly end: (summary: ReportSummary) => Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
}

/** The value of a column as the formats show it. */
export function cellOf(row: Row, column: string): CellValue {
  return (row[column] ?? null) as CellValue
}
