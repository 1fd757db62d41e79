import { cellOf, rowName, rowStatus, waivedText } from '../columns.ts'
import type { Report } from '../report.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { escapeMarkup } from './escape-markup.ts'
import { type Formatter, type ReportShape, rowsOf } from './formatter.ts'

/** The gate rules that a row matches; a row without any passes. */
type MatchedRules = (row: JudgedRow) => readonly string[]

/**
 * JUnit XML with a test case per part, superseded declarations aside: `classname` is the supplier, `name` the part, `file` the path.
 * A row that the gate matches is a failure, one whose every finding is waived is skipped, an unreadable file is an error. Without a
 * gate, `matched` should give `not compliant` and `incomplete`.
 */
export function junitFormatter({ nowMs }: Pick<ReportShape, 'nowMs'>, matched: MatchedRules): Formatter {
  return async function* (report) {
    const counts = { tests: 0, failure: 0, error: 0, skipped: 0 }
    for await (const { result } of casesOf(report, matched)) {
      counts.tests += 1
      if (result !== undefined) counts[result.kind] += 1
    }
    const time = new Date(nowMs).toISOString().slice(0, 19)
    const { tests, failure, error, skipped } = counts
    const totals = `tests="${tests}" failures="${failure}" errors="${error}"`
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield `<testsuites name="matdecl report" ${totals} time="0">\n`
    yield `<testsuite name="material declarations" ${totals} skipped="${skipped}" timestamp="${time}" time="0">\n`
    for await (const { row, result } of casesOf(report, matched)) yield testCase(row, result)
    yield '</testsuite>\n</testsuites>\n'
  }
}

async function* casesOf(
  report: Report,
  matched: MatchedRules,
): AsyncGenerator<{ readonly row: JudgedRow; readonly result: CaseResult | undefined }, void, void> {
  for await (const rows of rowsOf(report, 'parts') as AsyncIterable<readonly JudgedRow[]>) {
    for (const row of rows)
      if (row.status !== 'superseded') yield { row, result: resultOf(row, matched(row)) }
  }
}

/** What a case has beside its name; undefined for one that passes. */
interface CaseResult {
  readonly kind: 'failure' | 'error' | 'skipped'
  readonly type: string
  readonly message: string
}

function resultOf(row: JudgedRow, rules: readonly string[]): CaseResult | undefined {
  const status = rowStatus(row)
  const waived = row.gate.waived.map(waivedText)
  if (rules.length === 0 && waived.length > 0) {
    return { kind: 'skipped', type: 'waived', message: waived.join('; ') }
  }
  const isUnreadable = row.status === 'unreadable'
  if (!isUnreadable && rules.length === 0) return undefined
  if (isUnreadable) return { kind: 'error', type: 'unreadable', message: rules.join(', ') || 'unreadable' }
  const isNamed = row.status !== 'declared' || rules.includes(status.replaceAll(' ', '-'))
  const facts = [rules.join(', '), isNamed ? '' : status, String(cellOf(row, 'svhc'))]
  return { kind: 'failure', type: rules[0]!, message: facts.filter((fact) => fact !== '').join('; ') }
}

function testCase(row: JudgedRow, result: CaseResult | undefined): string {
  const { supplier, status } = row
  const source = String(cellOf(row, 'source'))
  const attributes = {
    classname: supplier || status,
    name: rowName(row),
    ...(source === '' ? {} : { file: source }),
    time: '0',
  }
  const open = `<testcase${attributesXml(attributes)}`
  if (result === undefined) return `${open}/>\n`
  const { kind, type, message } = result
  return `${open}><${kind}${attributesXml({ type, message })}>${escapeMarkup(String(cellOf(row, 'note')))}</${kind}></testcase>\n`
}

function attributesXml(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeMarkup(value)}"`)
    .join('')
}
