import { waivedWords } from '../rows/finish-row.ts'
import { escapeXml } from './escape-markup.ts'
import { cellOf, type Formatter, type ReportShape, type Row } from './formatter.ts'

/** The gate rules that a row matches; a row without any passes. */
export type MatchedRules = (row: Row) => readonly string[]

/**
 * JUnit XML with a test case per part, superseded declarations aside: `classname` is the supplier, `name` the part, `file` the path.
 * A row that the gate matches is a failure, one whose every finding is waived is skipped, an unreadable file is an error. Without a
 * gate, `matched` should give `not compliant` and `incomplete`.
 */
export function junitFormatter({ nowMs }: ReportShape, matched: MatchedRules): Formatter {
  const counts = { tests: 0, failure: 0, error: 0, skipped: 0 }
  const cases: string[] = []
  return {
    begin: () => '',
    add(rows) {
      for (const row of rows) {
        if (row.status === 'superseded') continue
        const result = resultOf(row, matched(row))
        counts.tests += 1
        if (result !== undefined) counts[result.kind] += 1
        cases.push(testCase(row, result))
      }
      return ''
    },
    *end() {
      const time = new Date(nowMs).toISOString().slice(0, 19)
      const { tests, failure, error, skipped } = counts
      const totals = `tests="${tests}" failures="${failure}" errors="${error}"`
      yield '<?xml version="1.0" encoding="UTF-8"?>\n'
      yield `<testsuites name="matdecl report" ${totals} time="0">\n`
      yield `<testsuite name="material declarations" ${totals} skipped="${skipped}" timestamp="${time}" time="0">\n`
      yield* cases
      yield '</testsuite>\n</testsuites>\n'
    },
  }
}

/** What a case has beside its name; undefined for one that passes. */
interface CaseResult {
  readonly kind: 'failure' | 'error' | 'skipped'
  readonly type: string
  readonly message: string
}

function resultOf(row: Row, rules: readonly string[]): CaseResult | undefined {
  const text = textOf(row)
  const waived = waivedWords({ gate: text('gate') })
  if (rules.length === 0 && waived.length > 0) {
    return { kind: 'skipped', type: 'waived', message: waived.join('; ') }
  }
  const isUnreadable = text('status') === 'unreadable'
  if (!isUnreadable && rules.length === 0) return undefined
  if (isUnreadable) return { kind: 'error', type: 'unreadable', message: rules.join(', ') || 'unreadable' }
  const rohs = text('rohs')
  const isNamed = text('status') !== 'declared' || rules.includes(rohs.replaceAll(' ', '-'))
  const facts = [rules.join(', '), isNamed ? '' : rohs, text('svhc')].filter((fact) => fact !== '')
  return { kind: 'failure', type: rules[0]!, message: facts.join('; ') }
}

function testCase(row: Row, result: CaseResult | undefined): string {
  const text = textOf(row)
  const attributes = {
    classname: text('supplier') || text('status'),
    name: text('part') || text('requester_part') || text('source') || 'no part number',
    ...(text('source') === '' ? {} : { file: text('source') }),
    time: '0',
  }
  const open = `<testcase${attributesXml(attributes)}`
  if (result === undefined) return `${open}/>\n`
  const { kind, type, message } = result
  return `${open}><${kind}${attributesXml({ type, message })}>${escapeXml(text('note'))}</${kind}></testcase>\n`
}

function textOf(row: Row): (column: string) => string {
  return (column) => String(cellOf(row, column) ?? '')
}

function attributesXml(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('')
}
