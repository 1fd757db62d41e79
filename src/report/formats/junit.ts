import { cellOf, rowName, waivedText } from '../columns.ts'
import { plainText } from '../document.ts'
import { countPieces } from '../line-counts.ts'
import type { Report } from '../report.ts'
import { findingText, findingWords, isJudged, isNoted, NOTHING_TO_JUDGE } from '../row-findings.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { escapeMarkup } from './escape-markup.ts'
import { type Formatter, type ReportShape, rowsOf } from './formatter.ts'

/**
 * JUnit XML with a test case per row, assemblies too, superseded declarations and lines that are not fitted aside: `classname` is the
 * supplier, `name` the part, `file` the path. A row that the gate matches is a failure, without a gate one that is not clean; one whose
 * every finding is waived is skipped, an unreadable file is an error. A product that the gate matches as a whole, or without anything to
 * judge, is a failure of its own.
 */
export function junitFormatter({ nowMs }: Pick<ReportShape, 'nowMs'>): Formatter {
  return async function* (report) {
    const { gate, count, products: lists } = await report.summary()
    const empty = (lists ?? [{ list: 'report', count }]).filter(
      (one) => one.count.verdict === NOTHING_TO_JUDGE,
    )
    const hasGate = gate !== undefined
    const products = [
      ...(gate?.rows ?? []).filter(({ product }) => product !== undefined),
      ...empty.map(({ list, count }) => ({
        product: list,
        rules: [NOTHING_TO_JUDGE],
        findings: [plainText(countPieces(count))],
      })),
    ]
    const counts = { tests: products.length, failure: products.length, error: 0, skipped: 0 }
    for await (const { result } of casesOf(report, hasGate)) {
      counts.tests += 1
      if (result !== undefined) counts[result.kind] += 1
    }
    const time = new Date(nowMs).toISOString().slice(0, 19)
    const { tests, failure, error, skipped } = counts
    const totals = `tests="${tests}" failures="${failure}" errors="${error}"`
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield `<testsuites name="matdecl report" ${totals} time="0">\n`
    yield `<testsuite name="material declarations" ${totals} skipped="${skipped}" timestamp="${time}" time="0">\n`
    for await (const { row, result } of casesOf(report, hasGate)) yield testCase(row, result)
    for (const { product, rules, findings = [] } of products) {
      const name = attributesXml({ classname: 'product', name: product!, time: '0' })
      const failure = attributesXml({ type: rules[0]!, message: findings.join('; ') })
      yield `<testcase${name}><failure${failure}/></testcase>\n`
    }
    yield '</testsuite>\n</testsuites>\n'
  }
}

async function* casesOf(
  report: Report,
  hasGate: boolean,
): AsyncGenerator<{ readonly row: JudgedRow; readonly result: CaseResult | undefined }, void, void> {
  for await (const rows of rowsOf(report, 'parts') as AsyncIterable<readonly JudgedRow[]>) {
    for (const row of rows) if (isJudged(row)) yield { row, result: resultOf(row, hasGate) }
  }
}

/** What a case has beside its name; undefined for one that passes. */
interface CaseResult {
  readonly kind: 'failure' | 'error' | 'skipped'
  readonly type: string
  readonly message: string
}

function resultOf(row: JudgedRow, hasGate: boolean): CaseResult | undefined {
  const { gate, findings, line } = row
  const found = findings.filter((finding) => !isNoted(finding))
  const open = found.filter(({ waivers }) => waivers === undefined)
  const inside = (hasGate ? line?.openInside : line?.foundInside) ?? []
  const rules = [...(hasGate ? gate.open : findingWords(open)), ...inside]
  if (rules.length === 0) {
    const waived = (hasGate ? gate.waived : found).map(waivedText)
    return waived.length === 0 ? undefined : { kind: 'skipped', type: 'waived', message: waived.join('; ') }
  }
  const sentences = findings.filter(({ waivers }) => waivers === undefined).map(findingText)
  const message = sentences.join('; ') || `lines in it: ${rules.join(', ')}`
  return { kind: row.status === 'unreadable' ? 'error' : 'failure', type: rules[0]!, message }
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
