import { escapeXml } from './escape-markup.ts'
import { cellOf, type Formatter, type ReportShape, type Row } from './formatter.ts'

/** The gate rules that a row matches; a row without any passes. */
export type MatchedRules = (row: Row) => readonly string[]

/**
 * JUnit XML with a test case per part, superseded declarations aside: a row that the gate matches is a failure, an unreadable file an error. Without a gate,
 * `matched` should give `not compliant` and `incomplete`.
 */
export function junitFormatter({ nowMs }: ReportShape, matched: MatchedRules): Formatter {
  const counts = { tests: 0, failures: 0, errors: 0 }
  const cases: string[] = []
  return {
    begin: () => '',
    add(rows) {
      for (const row of rows) {
        if (row.status !== 'superseded') cases.push(testCase(row, matched(row), counts))
      }
      return ''
    },
    *end() {
      const time = new Date(nowMs).toISOString().slice(0, 19)
      const { tests, failures, errors } = counts
      const totals = `tests="${tests}" failures="${failures}" errors="${errors}"`
      yield '<?xml version="1.0" encoding="UTF-8"?>\n'
      yield `<testsuites name="matdecl report" ${totals} time="0">\n`
      yield `<testsuite name="material declarations" ${totals} skipped="0" timestamp="${time}" time="0">\n`
      yield* cases
      yield '</testsuite>\n</testsuites>\n'
    },
  }
}

function testCase(
  row: Row,
  rules: readonly string[],
  counts: { tests: number; failures: number; errors: number },
): string {
  const text = (column: string): string => String(cellOf(row, column) ?? '')
  const isUnreadable = text('status') === 'unreadable'
  const name = text('part') || text('source') || 'no part number'
  counts.tests += 1
  const open = `<testcase classname="${escapeXml(text('source') || text('status'))}" name="${escapeXml(name)}" time="0"`
  if (!isUnreadable && rules.length === 0) return `${open}/>\n`
  if (isUnreadable) counts.errors += 1
  else counts.failures += 1
  const kind = isUnreadable ? 'error' : 'failure'
  const message = [rules.join(', '), text('rohs'), text('svhc')].filter((part) => part !== '').join('; ')
  return `${open}><${kind} type="${escapeXml(rules[0] ?? 'unreadable')}" message="${escapeXml(message)}">${escapeXml(text('note'))}</${kind}></testcase>\n`
}
