import { jsonText } from '../../base/visible-json.ts'
import { waiverFields } from '../gate/waiver-result.ts'
import { referenceFields } from '../regulations/reference-result.ts'
import type { ReportSummary } from '../report-summary.ts'
import { cellOf, type Formatter, type ReportShape, type Row } from './formatter.ts'

/** The keys after `rows`. */
export type JsonTail = (summary: ReportSummary) => Readonly<Record<string, unknown>>

/** One JSON object: `schema`, `kind`, `columns`, `rows`, then the keys of `tail`. Rows are written as they are read. */
export function jsonFormatter(shape: ReportShape, tail: JsonTail = reportTail): Formatter {
  let isFirst = true
  return {
    begin: () =>
      `{"schema":"matdecl.report/1","kind":${jsonText(shape.kind)},"columns":${jsonText(shape.columns)},"rows":[`,
    add(rows) {
      if (rows.length === 0) return ''
      const lines = rows.map((row) => jsonText(jsonRow(row, shape.columns))).join(',\n')
      const text = `${isFirst ? '\n' : ',\n'}${lines}`
      isFirst = false
      return text
    },
    end: (summary) => [`\n],${jsonText(tail(summary)).slice(1)}\n`],
  }
}

/** A JSON object per line for each row. */
export function ndjsonFormatter({ columns }: ReportShape): Formatter {
  return {
    begin: () => '',
    add: (rows) => rows.map((row) => `${jsonText(jsonRow(row, columns))}\n`).join(''),
    end: () => [],
  }
}

/** `status`, `counts` and, where there are any, the shard, the roll-up, the gate, the waivers and what the reference tables know. */
export function reportTail({
  counts,
  gate,
  reference,
  rollup,
  shard,
  waivers,
}: ReportSummary): Readonly<Record<string, unknown>> {
  return {
    status: gate !== undefined && gate.matched > 0 ? 'failed' : 'ok',
    counts,
    ...(shard === undefined ? {} : { shard }),
    ...(rollup === undefined ? {} : { rollup }),
    ...(gate === undefined ? {} : { failOn: gate }),
    ...waiverFields(waivers),
    ...referenceFields(reference),
  }
}

/** A row in JSON: its columns only, null for missing values. */
export function jsonRow(row: Row, columns: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const column of columns) picked[column] = cellOf(row, column)
  return picked
}
