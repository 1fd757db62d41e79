import { parse } from 'csv-parse/sync'
import readSheets, { readSheet } from 'read-excel-file/node'
import { describe, expect, test } from 'vitest'
import { createXmlReader } from '../../src/base/xml.ts'
import { resultLines } from '../../src/cli/report/run-check.ts'
import { companyName } from '../../src/compliance/company-names.ts'
import { indexPage } from '../../src/report/check-result.ts'
import { NO_SUPPLIER } from '../../src/report/columns.ts'
import { annotateFormatter } from '../../src/report/formats/annotate.ts'
import { FORMATS, type FormatName } from '../../src/report/formats/choose-format.ts'
import { junitFormatter } from '../../src/report/formats/junit.ts'
import { stepSummary } from '../../src/report/formats/markdown.ts'
import { PLAIN_LOOK, textFormatter } from '../../src/report/formats/text.ts'
import { createLetters } from '../../src/report/letters.ts'
import type { PageData } from '../../src/report/page/page-data.ts'
import { randomProduct } from '../support/random-product.ts'
import { NOW, SHAPE, written } from '../support/report-rows.ts'
import { sweep } from '../support/soak.ts'

// One count of a product, in lines: each format is read as its user reads it, and compared with the rows of the CSV.

const SHAPED = { ...SHAPE, hasLines: true }
const VERDICTS = ['failed', 'doubtful', 'clean'] as const
type Counts = Readonly<Record<(typeof VERDICTS)[number] | 'notFitted', number>>

/** Lines by the worst verdict of their rows. */
function countLines(rows: readonly { readonly line: string; readonly verdict: string }[]): Counts {
  const lines = new Map<string, string[]>()
  for (const { line, verdict } of rows) {
    if (line !== '') lines.set(line, [...(lines.get(line) ?? []), verdict])
  }
  const worst = [...lines.values()].map((all) => VERDICTS.find((verdict) => all.includes(verdict)) ?? '')
  const count = (verdict: string): number => worst.filter((one) => one === verdict).length
  return { failed: count('failed'), doubtful: count('doubtful'), clean: count('clean'), notFitted: count('') }
}

/** The sentence, written a second time from the contract. */
function sentenceOf({ failed, doubtful, clean, notFitted }: Counts): string {
  const all = failed + doubtful + clean
  const of = `of ${all} lines`
  if (all === 0)
    return `nothing to judge: ${notFitted === 1 ? 'the only line is' : `all ${notFitted} lines are`} marked not fitted`
  const rest = notFitted > 0 ? `, ${notFitted} not fitted` : ''
  if (all === 1 && clean === 0) return `the only line ${failed > 0 ? 'failed' : 'is doubtful'}${rest}`
  if (failed > 0) return `${failed} ${of} failed${doubtful > 0 ? `, ${doubtful} doubtful` : ''}${rest}`
  if (doubtful > 0) return `${doubtful} ${of} doubtful${rest}`
  return `${all === 1 ? 'the only line is clean' : `all ${all} lines are clean`}${rest}`
}

/** What people see of a page. */
function visibleText(html: string): string {
  return html
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

function pageData(html: string): PageData {
  return JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)![1]!)
}

/** The suites with their attributes, and their cases with what came of them. */
function suitesOf(xml: string) {
  const suites: { name: string; tests: number; failures: number; cases: string[] }[] = []
  const reader = createXmlReader({
    open(element, attributes) {
      const number = (name: string): number => Number(attributes.get(name))
      if (element === 'testsuite') {
        const name = attributes.get('name')!
        suites.push({ name, tests: number('tests'), failures: number('failures'), cases: [] })
      } else if (element === 'testcase') suites.at(-1)!.cases.push('passed')
      else if (suites.at(-1)?.cases.length) suites.at(-1)!.cases.splice(-1, 1, element)
    },
    close: () => undefined,
  })
  reader.write(xml)
  reader.end()
  return suites
}

/** The cells of the first sheet by the heading that they are under. */
async function summarySheet(bytes: Buffer): Promise<ReadonlyMap<string, ReadonlyMap<string, unknown>>> {
  const sections = new Map<string, Map<string, unknown>>()
  let under: Map<string, unknown> | undefined
  for (const [name, value] of await readSheet(bytes, 'Summary')) {
    if (name === null) under = undefined
    else if (under === undefined) {
      under = new Map()
      sections.set(String(name), under)
    } else under.set(String(name), value)
  }
  return sections
}

const seeds = Array.from({ length: sweep(20, 200) }, (_, index) => index + 1)

describe('one product has one count, in lines', () => {
  test.each(seeds)('in every format, seed %i', async (seed) => {
    const { report, product, rows, files, list, summary: made } = randomProduct(seed)
    const bytesOf = async (name: FormatName): Promise<Buffer> =>
      written(await FORMATS[name].open(SHAPED), report)
    const csv: readonly Record<string, string>[] = parse(await bytesOf('csv'), { columns: true })
    const counts = countLines(csv as never)
    const { failed, doubtful, clean, notFitted } = counts
    const said = `list.csv: ${sentenceOf(counts)}`

    // The terminal, Markdown, the summary of a CI step, and the index of `check`.
    const text = (
      await written(
        textFormatter(SHAPED, PLAIN_LOOK, (left) => `${left} more`),
        report,
      )
    ).toString()
    expect(text.split('\n')[0]).toContain(said)
    const markdown = (await bytesOf('md')).toString()
    const step = (await written(stepSummary(SHAPED), report)).toString()
    for (const one of [markdown, step]) expect(one.replaceAll('\\', '')).toContain(said)
    let index = ''
    const about = { nowMs: NOW, version: '1', rules: [], isMadeUp: false }
    for await (const piece of indexPage([product], ['list.html'], about)) index += piece
    expect(visibleText(index)).toContain(sentenceOf(counts))
    for (const one of [text, markdown, step, visibleText(index)]) {
      if (failed + doubtful > 0 || clean === 0) expect(one).not.toContain('✓')
    }

    // JSON.
    const json = JSON.parse((await bytesOf('json')).toString())
    expect(json.counts).toMatchObject({ failed, doubtful, clean })
    expect(json.products[0].counts).toMatchObject({ failed, doubtful, clean, notFitted })
    expect(json.account.lines).toMatchObject({
      in: failed + doubtful + clean + notFitted,
      used: failed + doubtful + clean,
    })
    expect(json.failOn).toMatchObject({ matched: failed + doubtful, passed: json.verdict === 'clean' })
    expect(json.products[0].passed).toBe(failed + doubtful === 0 && clean > 0)
    expect(json.counts.findings).toEqual(wordCounts(csv))

    // The page: its first answer, its tabs, and its letters.
    const html = (await bytesOf('html')).toString()
    expect(visibleText(html)).toContain(sentenceOf(counts))
    const tab = (name: string): number =>
      new Set(
        pageData(html).rows.flatMap(({ part }) =>
          part!.line !== undefined && part!.tabs.includes(name as never) ? [part!.line] : [],
        ),
      ).size
    expect({ doubtful: tab('doubtful'), clean: tab('clean'), all: tab('all') }).toEqual({
      doubtful,
      clean,
      all: failed + doubtful + clean + notFitted,
    })

    // JUnit: a case for each line.
    const [head] = suitesOf((await written(junitFormatter(SHAPED), report)).toString())
    if (failed + doubtful + clean > 0) {
      expect(head).toMatchObject({
        name: expect.stringContaining(said),
        tests: failed + doubtful + clean,
        failures: failed + doubtful,
      })
      expect(head!.cases.filter((one) => one === 'failure')).toHaveLength(failed + doubtful)
      expect(head!.cases).toHaveLength(failed + doubtful + clean)
    }

    // The workbook, and whom to ask: as in the letters and on the page.
    const sheets = await bytesOf('xlsx')
    const summary = await summarySheet(sheets)
    expect(String(summary.get('Verdict')!.get('Status'))).toContain(said)
    const byVerdict = Object.fromEntries(summary.get('Lines by verdict') ?? [])
    expect(byVerdict).toEqual(
      Object.fromEntries(VERDICTS.flatMap((name) => (counts[name] > 0 ? [[name, counts[name]]] : []))),
    )
    const letters = createLetters(undefined)
    letters.add(rows)
    letters.add(rows.length === 0 ? [] : [])
    const asked = letters.result()
    const wanted = asked.map(({ supplier, parts, missing }) => [
      supplier,
      `${parts} ${parts === 1 ? 'part' : 'parts'}${missing === 0 ? '' : `, ${missing} without a declaration`}`,
    ])
    expect(Object.fromEntries(summary.get('Whom to ask') ?? [])).toEqual(Object.fromEntries(wanted))
    // The page spells a company as its rows do first.
    const spellings = [...rows.map((row) => row.supplier), NO_SUPPLIER]
    for (const [supplier, parts] of wanted) {
      const same = spellings.filter((one) => companyName(one) === companyName(supplier!))
      expect(same.some((one) => visibleText(html).includes(`${one} ${parts}`))).toBe(true)
    }
    for (const { supplier, parts, text: letter } of asked) {
      const lines = new Set(
        letter
          .split('\n')
          .filter((line) => line.startsWith('- '))
          .map((line) => line.replace(/:.*/, '')),
      )
      expect(lines.size, supplier).toBeLessThanOrEqual(parts)
    }

    // What `check` prints: the sentence, then every line that fails.
    const checked = {
      products: [product],
      rules: ['failed', 'doubtful'],
      reference: made.reference,
      isMadeUp: false,
    }
    const printed = resultLines(checked, undefined, PLAIN_LOOK)
    expect(printed[0]).toContain(said)
    expect(printedLines(printed)).toBe(failed + doubtful)

    // The user's own list, with a verdict to the right of each line.
    const own = {
      name: 'list.csv',
      sheet: undefined,
      delimiter: ',',
      headingLine: 0,
      async *table() {
        yield [{ line: 0, cells: ['Number'] }, ...list.lines.map(({ line, key }) => ({ line, cells: [key] }))]
      },
    }
    const annotated = parse(await written(annotateFormatter(own as never, 'csv'), report), { columns: true })
    expect(countVerdicts((annotated as Record<string, string>[]).map(({ Verdict }) => Verdict))).toEqual(
      counts,
    )
    const [heads = [], ...lines] = await readSheet(
      await written(annotateFormatter(own as never, 'xlsx'), report),
    )
    expect(countVerdicts(lines.map((cells) => cells[heads.indexOf('Verdict')] ?? ''))).toEqual(counts)

    // Exemptions in use, each with the lines that rely on it.
    const uses = exemptionLines(csv)
    const known = Object.keys(uses)
    const use = (exemption: string, lines: unknown) => [exemption.replaceAll('"', ''), Number(lines)] as const
    expect(
      Object.fromEntries(
        (json.exemptions as { number: string; exemption: string; parts: number }[]).map((one) =>
          use(one.number || one.exemption, one.parts),
        ),
      ),
    ).toEqual(uses)
    const names = (await readSheets(sheets)).map(({ sheet }) => sheet)
    expect(names.includes('Exemptions')).toBe(known.length > 0)
    if (known.length > 0) {
      const [titles = [], ...all] = await readSheet(sheets, 'Exemptions')
      const at = titles.indexOf('Lines')
      expect(Object.fromEntries(all.map((cells) => use(String(cells[0]), cells[at])))).toEqual(uses)
    }
    const filtered = known.map((exemption) => [
      exemption,
      new Set(
        pageData(html).rows.flatMap(({ part }) =>
          part!.filters.exemption?.includes(exemption) ? [part!.line] : [],
        ),
      ).size,
    ])
    expect(Object.fromEntries(filtered)).toEqual(uses)
    for (const one of [text, markdown.replaceAll('\\', ''), visibleText(html)]) {
      for (const exemption of known.filter((name) => ['6(c)', '6(b)-I'].includes(name))) {
        const next = new RegExp(`${escaped(exemption)} ends, (\\d+) lines?\\b`).exec(one)
        if (next !== null) expect(Number(next[1])).toBe(uses[exemption])
      }
      const passed = /8\(b\)-I: (\d+) lines?\b/.exec(one)
      if (passed !== null) expect(Number(passed[1])).toBe(uses['8(b)-I'])
    }
    if (known.includes('6(c)') || known.includes('6(b)-I')) expect(text).toMatch(/ ends, \d+ lines?\b/)

    // A file that no line is named after is told beside the count, and changes none.
    for (const file of files.filter((name) => name.includes('broken'))) {
      expect(text).toContain(`1 file cannot be read and may be about any of them: ${file}`)
    }
  })
})

/** How many lines these are, those that are only counted too. */
function printedLines(printed: readonly string[]): number {
  return printed.slice(1).reduce((sum, text) => {
    const named = /^ {2}lines? (.*?): /.exec(text)?.[1]
    const inside = /^ {2}by the lines in (?:it, an assembly|them, (\d+) assemblies): /.exec(text)
    const more = /(?:^ {2}and (\d+) more lines?$| and (\d+) more$)/.exec(named ?? text)
    return (
      sum +
      (named === undefined ? 0 : named.split(/, (?=\d+(?:[ ,]|$))/).length) +
      (inside === null ? 0 : Number(inside[1] ?? 1)) +
      (more === null ? 0 : Number(more[1] ?? more[2]))
    )
  }, 0)
}

function countVerdicts(verdicts: readonly unknown[]): Counts {
  const count = (verdict: string): number => verdicts.filter((one) => one === verdict).length
  return { failed: count('failed'), doubtful: count('doubtful'), clean: count('clean'), notFitted: count('') }
}

/** The exemptions in use by their numbers, each with the lines of the product that rely on it. */
function exemptionLines(rows: readonly Record<string, string>[]): Record<string, number> {
  const lines = new Map<string, Set<string>>()
  for (const { status, line = '', exemptions = '' } of rows) {
    if (status !== 'declared') continue
    for (const [number] of exemptions.matchAll(/[^ ;]+(?= \()/g))
      lines.set(number, (lines.get(number) ?? new Set()).add(line))
  }
  return Object.fromEntries([...lines].map(([number, all]) => [number, all.size]))
}

function escaped(text: string): string {
  return text.replace(/[()]/g, '\\$&')
}

/** Lines with a finding by its rule, and files that are about none of them. */
function wordCounts(rows: readonly Record<string, string>[]): Record<string, number> {
  const lines = new Map<string, Set<string>>()
  for (const [at, { line, status, source = '', findings = '' }] of rows.entries()) {
    if (status === 'unreadable' && !/!(?:broken|x\/none_2026)\.xml$/.test(source)) continue
    for (const word of findings.split('; ').filter((one) => one !== '')) {
      lines.set(word, (lines.get(word) ?? new Set()).add(line || `row ${at}`))
    }
  }
  return Object.fromEntries([...lines].map(([word, all]) => [word, all.size]))
}
