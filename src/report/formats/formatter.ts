import { LIST_ONLY, type PartColumn, REPORT_COLUMNS, SUBSTANCE_COLUMNS } from '../columns.ts'
import type { Report } from '../report.ts'
import type { ReportResult } from '../report-result.ts'
import type { SubstanceRow } from '../rows/part-declaration.ts'
import type { JudgedRow } from '../rows/report-row.ts'

/** The table to report. */
export interface ReportShape {
  readonly kind: 'parts' | 'substances'
  /** From when ages and days to an end are counted. */
  readonly nowMs: number
  /** When the report was created, where that is another time. */
  readonly createdMs?: number | undefined
  readonly version: string
  /** What the report is about, for formats with a head: the sources, the parts list. */
  readonly about?: readonly (readonly [name: string, text: string])[]
  /** The report is about parts lists, and has their columns. */
  readonly hasLines?: boolean
  /** What looks wrong in these, for formats that programs read. */
  readonly warned?: Pick<ReportResult, 'warnings' | 'warningCount'> | undefined
}

/** Writes a report in one format. Text is UTF-8. The report may be read several times, so nothing needs to be kept. */
export type Formatter = (report: Report) => AsyncIterable<string | Uint8Array>

/** The rows of a report of one kind, in batches that are not empty. */
export async function* rowsOf(
  report: Report,
  kind: ReportShape['kind'],
): AsyncGenerator<readonly (JudgedRow | SubstanceRow)[], void, void> {
  for await (const batch of report.batches) if (batch[kind].length > 0) yield batch[kind]
}

/** The names of the columns of a report. */
export function columnNames({
  kind,
  hasLines = false,
}: Pick<ReportShape, 'kind' | 'hasLines'>): readonly string[] {
  return kind === 'parts' ? partColumns(hasLines) : SUBSTANCE_COLUMNS
}

/** The columns of parts; those of the list only with one. */
export function partColumns(hasLines: boolean): readonly PartColumn[] {
  return hasLines ? REPORT_COLUMNS : REPORT_COLUMNS.filter((name) => !LIST_ONLY.has(name))
}
