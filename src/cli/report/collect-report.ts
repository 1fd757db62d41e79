import type { ReportRow } from '../../report/columns.ts'
import { columnNames, rowsOf } from '../../report/formats/formatter.ts'
import { jsonRow } from '../../report/formats/report-json.ts'
import type { ReportResult } from '../../report/report-result.ts'
import type { SubstanceRow } from '../../report/rows/part-declaration.ts'
import type { Context } from '../context.ts'
import { gateFailure } from './gate.ts'
import { hasReportFile, reportShape, runReport } from './run-report.ts'
import { refuseFormat } from './terminal-output.ts'

type Row = ReportRow | SubstanceRow

/** A report in memory: with its rows, unless they go to a file. Throws when the gate matched. */
export async function collectReport(
  context: Context,
): Promise<Omit<ReportResult, 'rows'> & { readonly rows?: readonly Row[] }> {
  const shape = reportShape(context)
  const { kind } = shape
  const columns = columnNames(shape)
  if (!hasReportFile(context)) refuseFormat(context)
  const rows: Row[] = []
  const { summary, result } = await runReport(context, async (report) => {
    for await (const batch of rowsOf(report, kind)) {
      for (const row of batch) rows.push(jsonRow(row, columns) as unknown as Row)
    }
  })
  const { rows: __, ...withoutRows } = result
  const complete = hasReportFile(context) ? withoutRows : { ...withoutRows, kind, columns, rows }
  const failure = gateFailure(summary.gate)
  if (failure === undefined) return complete
  const { schema: _, status, ...known } = complete
  Object.assign(context.facts, known)
  throw failure
}
