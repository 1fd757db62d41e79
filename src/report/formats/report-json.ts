import { jsonText } from '../../base/clean-text.ts'
import { cellOf, isPart, LIST_COLUMNS, valuesOf } from '../columns.ts'
import type { Report } from '../report.ts'
import { summaryFields } from '../report-summary.ts'
import { columnNames, type Formatter, type ReportShape, rowsOf } from './formatter.ts'

/** One JSON object: `schema`, `kind`, `columns`, `rows`, then the status and the facts of the summary. Rows are written as they are read. */
export function jsonFormatter(shape: ReportShape): Formatter {
  return async function* (report) {
    yield* openObject(report, shape)
    const summary = await report.summary()
    const status = summary.gate?.passed === false ? 'failed' : 'ok'
    yield closeObject({ status, ...summaryFields(summary), ...shape.warned })
  }
}

/** The object up to the last row. It begins with the first row: an invalid source leaves nothing behind. */
export async function* openObject(report: Report, shape: ReportShape): AsyncGenerator<string, void, void> {
  const columns = columnNames(shape)
  let before = `{"schema":"matdecl.report/1","kind":${jsonText(shape.kind)},"columns":${jsonText(columns)},"rows":[`
  let between = '\n'
  for await (const rows of rowsOf(report, shape.kind)) {
    yield before + between + rows.map((row) => jsonText(jsonRow(row, columns))).join(',\n')
    before = ''
    between = ',\n'
  }
  if (before !== '') yield before
}

/** The rest of the object. */
export function closeObject(fields: Readonly<Record<string, unknown>>): string {
  return `\n],${jsonText(fields).slice(1)}\n`
}

/** A JSON object per line for each row. */
export function ndjsonFormatter(shape: ReportShape): Formatter {
  const columns = columnNames(shape)
  return async function* (report) {
    for await (const rows of rowsOf(report, shape.kind)) {
      yield rows.map((row) => `${jsonText(jsonRow(row, columns))}\n`).join('')
    }
  }
}

/** A row in JSON: its columns, null for missing values, and the values of columns that may have several as `lists`. */
function jsonRow(row: object, columns: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const column of columns) picked[column] = cellOf(row, column)
  if (isPart(row)) {
    const lists = LIST_COLUMNS.filter((column) => column in picked)
    picked.lists = Object.fromEntries(lists.map((column) => [column, valuesOf(row, column)]))
  }
  return picked
}
