import { describe, expect, test } from 'vitest'
import { createXmlReader } from '../../src/base/xml.ts'
import { kindOf } from '../../src/compliance/finding.ts'
import { csvFormatter } from '../../src/report/formats/delimited.ts'
import { junitFormatter } from '../../src/report/formats/junit.ts'
import { markdownFormatter } from '../../src/report/formats/markdown.ts'
import { jsonFormatter } from '../../src/report/formats/report-json.ts'
import { PLAIN_LOOK, textFormatter } from '../../src/report/formats/text.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { type ListLine, type ProductList, plainList } from '../../src/report/lines.ts'
import { createListRows } from '../../src/report/list-rows.ts'
import { htmlFormatter } from '../../src/report/page/report-page.ts'
import { productFields } from '../../src/report/product.ts'
import type { Report } from '../../src/report/report.ts'
import { createSummary } from '../../src/report/report-summary.ts'
import { requestsOf } from '../../src/report/requests.ts'
import type { JudgedRow } from '../../src/report/rows/report-row.ts'
import { createRequestedParts } from '../../src/report/rows/resolve-rows.ts'
import { NOW, partRowOf, SHAPE, written } from '../support/report-rows.ts'
import { pick, seeded } from '../support/seeded.ts'
import { sweep } from '../support/soak.ts'

const SHAPED = { ...SHAPE, hasLines: true }

/** A product with random lines: alternates, assemblies, lines without a number, not fitted ones, and random declarations. */
function randomProduct(seed: number) {
  const random = seeded(seed)
  const count = 1 + Math.floor(random() * 8)
  const isGood = random() < 0.4
  const numbers = Array.from({ length: count }, (_, index) => `N-${seed}-${index}`)
  const plain = plainList('list.csv', numbers)
  const lines = plain.lines.map((line, index): ListLine => {
    const alternates = random() < 0.2 ? [{ part: `${line.key}-ALT`, manufacturer: '' }] : []
    const own = !isGood && random() < 0.1 ? [] : [...line.numbers, ...alternates]
    const parent = index > 0 && random() < 0.4 ? plain.lines[Math.floor(random() * index)]!.line : undefined
    return { ...line, numbers: own, parent, isLeftOut: random() < 0.1 }
  })
  const parents = new Set(lines.filter((line) => !line.isLeftOut).map(({ parent }) => parent))
  const list: ProductList = {
    ...plain,
    lines: lines.map((line) => ({ ...line, isAssembly: parents.has(line.line) })),
  }
  const failOn = parseFailOn('failed,doubtful')
  const context = { nowMs: NOW, failOn }
  const all = list.lines.flatMap((line) => line.numbers.map(({ part }) => part))
  const rows = createListRows([list], {
    asked: createRequestedParts(all),
    isSameCompany: () => true,
    context,
    unknown: new Set(),
  })
  for (const part of new Set(all)) {
    if (!isGood && random() < 0.2) continue
    const rohs = isGood
      ? 'compliant'
      : pick(random, ['compliant', 'compliant', 'not compliant', 'incomplete', 'not declared'] as const)
    const svhc = random() < 0.2 ? { svhc_count: 1, svhc_names: ['Lead'], svhc_keys: ['00167'] } : {}
    const doubt = !isGood && random() < 0.15 ? { contradictions: ['over and not over'] } : {}
    rows.keep(partRowOf({ part, rohs, ...svhc, ...doubt }))
  }
  const [made] = rows.result([])
  const summary = createSummary(context)
  summary.add(made!.rows)
  const finished = summary.result([made!.product])
  const report: Report = {
    batches: {
      async *[Symbol.asyncIterator]() {
        yield { parts: made!.rows, substances: [] }
      },
    },
    summary: async () => finished,
    excerpts: async () => new Map(),
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { list, rows: made!.rows, product: made!.product, summary: finished, report }
}

const seeds = Array.from({ length: sweep(60, 300) }, (_, index) => index + 1)

function isBad({ findings }: JudgedRow): boolean {
  return findings.some((finding) => kindOf(finding) !== 'note')
}

describe('a product', () => {
  test.each(seeds)('is clean exactly when no line has a failing or doubtful finding, seed %i', (seed) => {
    const { rows, product, summary } = randomProduct(seed)
    const { lines, failed, doubtful, clean, notFitted } = product.counts
    const { verdict } = product.count
    expect(verdict === 'clean').toBe(!rows.some(isBad) && clean > 0)
    expect(verdict === 'nothing to judge').toBe(lines === notFitted)
    expect(summary.count.verdict).toBe(verdict)
    // "Gate passed" never stands beside a product that is not clean.
    expect(summary.gate!.passed).toBe(verdict === 'clean')
    expect(product.gate!.passed).toBe(verdict === 'clean')
    expect(failed + doubtful + clean + notFitted).toBe(lines)
    expect(product.account).toMatchObject({ in: lines, used: lines - notFitted })
  })

  test.each(seeds.slice(0, sweep(20, 300)))('has the same counts in every format, seed %i', async (seed) => {
    const { rows, report, summary, product } = randomProduct(seed)
    const { counts } = summary
    const { failed, doubtful, clean, findings } = counts
    const texts = await Promise.all(
      [
        csvFormatter(SHAPED),
        jsonFormatter(SHAPED),
        markdownFormatter(SHAPED),
        textFormatter(SHAPED, PLAIN_LOOK, 'list', (left) => `and ${left} more`),
        htmlFormatter(SHAPED),
        junitFormatter(SHAPED),
      ].map(async (formatter) => (await written(formatter, report)).toString()),
    )
    const [csv, json, md, text, html, junit] = texts as [string, string, string, string, string, string]
    const verdicts = (cells: readonly (string | undefined)[]): Record<string, number> => ({
      failed: cells.filter((cell) => cell === 'failed').length,
      doubtful: cells.filter((cell) => cell === 'doubtful').length,
      clean: cells.filter((cell) => cell === 'clean').length,
    })
    const expected = { failed, doubtful, clean }
    expect(verdicts(rows.map(({ verdict }) => verdict))).toEqual(expected)
    const table = csv
      .split('\r\n')
      .map((line) => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)!.map((cell) => cell.replace(/,$/, '')))
    const at = table[0]!.indexOf('verdict')
    expect(verdicts(table.slice(1).map((cells) => cells[at]))).toEqual(expected)
    const result = JSON.parse(json)
    expect(verdicts(result.rows.map((row: { verdict: string }) => row.verdict))).toEqual(expected)
    expect(result.counts.findings).toEqual(findings)
    const words = result.rows.flatMap((row: { lists: { findings: string[] } }) => row.lists.findings)
    expect(
      Object.entries(findings).every(
        ([word, count]) => words.filter((one: string) => one === word).length === count,
      ),
    ).toBe(true)
    expect(html.match(/"verdict":"failed"/g)?.length ?? 0).toBe(failed)
    expect(html.match(/"verdict":"doubtful"/g)?.length ?? 0).toBe(doubtful)
    const lines = product.counts
    for (const shown of [md, text]) {
      if (lines.failed > 0)
        expect(shown).toMatch(
          new RegExp(`${lines.failed} of ${lines.failed + lines.doubtful + lines.clean} lines? failed`),
        )
      const { verdict } = product.count
      if (verdict === 'clean') expect(shown).toContain('✓ list.csv')
      else expect(shown).not.toContain('✓')
      if (verdict === 'nothing to judge') expect(shown).toContain('– list.csv: nothing to judge')
    }
    expect(failuresOf(junit)).toBe(failed + doubtful)
    // `check` shows every finding that is not only to know, and letters ask for all that a supplier can answer.
    const open = rows.flatMap((row) => row.findings.filter((finding) => kindOf(finding) !== 'note'))
    expect(productFields(product).findings).toHaveLength(open.length)
    const asked = open.filter(({ rule }) => rule !== 'not-compliant')
    expect(requestsOf(rows, undefined)).toHaveLength(asked.length)
  })
})

function failuresOf(xml: string): number {
  let failures = 0
  // What describes the product as a whole has a case of its own.
  let isOfLine = false
  const reader = createXmlReader({
    open(element, attributes) {
      if (element === 'testcase') isOfLine = attributes.get('classname') !== 'product'
      if (isOfLine && (element === 'failure' || element === 'error')) failures += 1
    },
    close: () => undefined,
  })
  reader.write(xml)
  reader.end()
  return failures
}
