import { cellOf, rowName, waivedText } from '../columns.ts'
import { plainText } from '../document.ts'
import { countPieces, type JudgedCount } from '../line-counts.ts'
import type { Product } from '../product.ts'
import type { Report } from '../report.ts'
import type { GateResult } from '../report-result.ts'
import {
  failuresFirst,
  findingText,
  findingWords,
  isJudged,
  isNoted,
  lineVerdict,
  NOTHING_TO_JUDGE,
  needsAttention,
} from '../row-findings.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { escapeMarkup } from './escape-markup.ts'
import { type Formatter, type ReportShape, rowsOf } from './formatter.ts'

/**
 * JUnit XML with a suite for each parts list, and in it a test case for each line that is judged, assemblies too; without a list one
 * for each row. `classname` is the supplier, `name` the part, `file` the path. A line that the gate matches is a failure, without a gate
 * one that is not clean; one whose every finding is waived is skipped, a file that cannot be read is an error. What is in no list, a
 * product that the gate matches as a whole, and one without anything to judge have cases in a suite of their own.
 */
export function junitFormatter({
  nowMs,
  createdMs = nowMs,
}: Pick<ReportShape, 'nowMs' | 'createdMs'>): Formatter {
  return async function* (report) {
    const { gate, count, products } = await report.summary()
    const hasGate = gate !== undefined
    const lists: readonly Suite[] = (products ?? [{ list: 'material declarations', count }]).map((one) => ({
      ...NO_CASES,
      name: `${one.list}: ${plainText(countPieces(one.count))}`,
    }))
    const others: Suite = { ...NO_CASES, name: 'beside the lines' }
    const suiteOf = (row: JudgedRow): Suite =>
      products === undefined ? lists[0]! : (lists[row.line?.product ?? -1] ?? others)
    for await (const { rows, result } of casesOf(report, hasGate)) addCase(suiteOf(rows[0]!), result)
    const wholes = [
      ...(gate?.rows ?? []).filter(({ product }) => product !== undefined).map(wholeCase),
      ...(products ?? [{ list: 'report', count, gate, matchedFiles: [] }])
        .filter((one) => one.count.verdict === NOTHING_TO_JUDGE || isUnfounded(one))
        .map(emptyCase),
    ]
    for (const _ of wholes) addCase(others, { kind: 'failure' })
    const suites = [...lists, others].filter(({ tests }) => tests > 0)
    const time = new Date(createdMs).toISOString().slice(0, 19)
    const sum = (name: 'tests' | 'failures' | 'errors'): string =>
      String(suites.reduce((total, suite) => total + suite[name], 0))
    const totals = { tests: sum('tests'), failures: sum('failures'), errors: sum('errors') }
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield `<testsuites${attributesXml({ name: 'matdecl report', ...totals, time: '0' })}>\n`
    for (const suite of suites) {
      const { name, tests, failures, errors, skipped } = suite
      const numbers = { tests, failures, errors, skipped }
      const texts = Object.fromEntries(Object.entries(numbers).map(([key, value]) => [key, String(value)]))
      yield `<testsuite${attributesXml({ name, ...texts, timestamp: time, time: '0' })}>\n`
      for await (const { rows, result } of casesOf(report, hasGate)) {
        if (suiteOf(rows[0]!) === suite) yield testCase(rows, result)
      }
      if (suite === others) yield wholes.join('')
      yield '</testsuite>\n'
    }
    yield '</testsuites>\n'
  }
}

interface Suite {
  readonly name: string
  tests: number
  failures: number
  errors: number
  skipped: number
}

const NO_CASES = { tests: 0, failures: 0, errors: 0, skipped: 0 }
const COUNTED = { failure: 'failures', error: 'errors', skipped: 'skipped' } as const

function addCase(suite: Suite, result: Pick<CaseResult, 'kind'> | undefined): void {
  suite.tests += 1
  if (result !== undefined) suite[COUNTED[result.kind]] += 1
}

/** The lines that are judged, each with its rows, and the rows that are on no line. */
async function* casesOf(
  report: Report,
  hasGate: boolean,
): AsyncGenerator<{ readonly rows: readonly JudgedRow[]; readonly result: CaseResult | undefined }> {
  let rows: JudgedRow[] = []
  const isSame = ({ line }: JudgedRow): boolean => {
    const known = rows[0]?.line
    return line !== undefined && line.line === known?.line && line.product === known.product
  }
  const lineCase = () => ({ rows, result: resultOf(rows, hasGate) })
  for await (const batch of rowsOf(report, 'parts') as AsyncIterable<readonly JudgedRow[]>) {
    for (const row of batch) {
      if (rows.length > 0 && !isSame(row)) {
        if (lineVerdict(rows) !== '') yield lineCase()
        rows = []
      }
      rows.push(row)
    }
  }
  if (lineVerdict(rows) !== '') yield lineCase()
}

/** What a case has beside its name; undefined for one that passes. */
interface CaseResult {
  readonly kind: 'failure' | 'error' | 'skipped'
  readonly type: string
  readonly message: string
}

function resultOf(rows: readonly JudgedRow[], hasGate: boolean): CaseResult | undefined {
  const judged = rows.filter(isJudged)
  const [first] = judged
  const inside = (hasGate ? first!.line?.openInside : first!.line?.foundInside) ?? []
  const failing = judged.filter((row) => rulesOf(row, hasGate).length > 0)
  const rules = failuresFirst([...new Set([...failing.flatMap((row) => rulesOf(row, hasGate)), ...inside])])
  if (rules.length === 0)
    return first!.status === 'unreadable' ? unreadCase(first!) : waivedCase(judged, hasGate)
  const texts = failing.map((row) => {
    const sentences = row.findings.filter(({ waivers }) => waivers === undefined).map(findingText)
    return `${judged.length > 1 ? `${rowName(row)}: ` : ''}${sentences.join('; ')}`
  })
  const message = texts.filter(Boolean).join('; ') || `lines in it: ${rules.join(', ')}`
  return { kind: first!.status === 'unreadable' ? 'error' : 'failure', type: rules[0]!, message }
}

function rulesOf({ gate, findings }: JudgedRow, hasGate: boolean): readonly string[] {
  return hasGate
    ? gate.open
    : findingWords(findings.filter((one) => !isNoted(one) && one.waivers === undefined))
}

function waivedCase(rows: readonly JudgedRow[], hasGate: boolean): CaseResult | undefined {
  const waived = rows.flatMap(({ gate, findings }) =>
    (hasGate ? gate.waived : findings.filter((one) => !isNoted(one))).map(waivedText),
  )
  return waived.length === 0 ? undefined : { kind: 'skipped', type: 'waived', message: waived.join('; ') }
}

/** A file that cannot be read and that no rule asks for never passes. */
function unreadCase(row: JudgedRow): CaseResult | undefined {
  if (!needsAttention(row)) return undefined
  return { kind: 'skipped', type: 'unreadable', message: row.findings.map(findingText).join('; ') }
}

/** Of a line with several rows the case is about the first that is not clean. */
function testCase(rows: readonly JudgedRow[], result: CaseResult | undefined): string {
  const row = rows.find(needsAttention) ?? rows[0]!
  const { supplier, status } = row
  const source = String(cellOf(row, 'source'))
  const attributes = {
    classname: supplier || status,
    name: rowName(rows[0]!),
    ...(source === '' ? {} : { file: source }),
    time: '0',
  }
  const open = `<testcase${attributesXml(attributes)}`
  if (result === undefined) return `${open}/>\n`
  const { kind, type, message } = result
  return `${open}><${kind}${attributesXml({ type, message })}>${escapeMarkup(String(cellOf(row, 'note')))}</${kind}></testcase>\n`
}

/** A gate does not pass although nothing matches: no line has a declaration. */
function isUnfounded({ gate, matchedFiles }: Pick<Product, 'gate' | 'matchedFiles'>): boolean {
  return gate?.passed === false && gate.matched + matchedFiles.length === 0
}

function wholeCase({ product, rules, findings = [] }: GateResult['rows'][number]): string {
  return productCase(product!, rules[0]!, findings.join('; '))
}

function emptyCase({ list, count }: { readonly list: string; readonly count: JudgedCount }): string {
  return productCase(list, NOTHING_TO_JUDGE, plainText(countPieces(count)))
}

function productCase(product: string, type: string, message: string): string {
  const name = attributesXml({ classname: 'product', name: product, time: '0' })
  return `<testcase${name}><failure${attributesXml({ type, message })}/></testcase>\n`
}

function attributesXml(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeMarkup(value)}"`)
    .join('')
}
