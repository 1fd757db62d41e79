import type { ReportShape } from '../../report/formats/formatter.ts'
import { junitFormatter } from '../../report/formats/junit.ts'
import { type FailOnRule, matchedWords, parseFailOn } from '../../report/gate/fail-on.ts'
import { gateWords } from '../../report/rows/finish-row.ts'
import type { JudgedRow } from '../../report/rows/report-row.ts'
import type { ReportFile, ReportOutput } from '../../report/write-report.ts'

/** What fails a test case without `--fail-on`. */
const WITHOUT_GATE = 'not-compliant,missing,incomplete'

/** The JUnit file beside a report; undefined without `--junit`. */
export function junitOutput(
  file: ReportFile | undefined,
  shape: ReportShape,
  failOn: readonly FailOnRule[] | undefined,
): ReportOutput | undefined {
  if (!file) return undefined
  const context = { nowMs: shape.nowMs, failOn: parseFailOn(WITHOUT_GATE) }
  const matched = (row: unknown): readonly string[] =>
    failOn ? gateWords(row as JudgedRow) : matchedWords(row as JudgedRow, context)
  return { rows: 'parts', formatter: junitFormatter(shape, matched), write: file.write }
}
