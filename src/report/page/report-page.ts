import { plural } from '../../base/units.ts'
import { unique } from '../../compliance/rohs.ts'
import { type Column, cellOf, columnsOf, isNumeric, isPart, NO_SUPPLIER } from '../columns.ts'
import { type Document, TONE_SIGNS } from '../document.ts'
import { escapeMarkup } from '../formats/escape-markup.ts'
import { columnNames, type Formatter, type ReportShape, rowsOf } from '../formats/formatter.ts'
import { createLetters, type Letter, newestList } from '../letters.ts'
import type { Report } from '../report.ts'
import { reportDocument } from '../report-document.ts'
import type { ReportSummary } from '../report-summary.ts'
import { needsAttention } from '../row-findings.ts'
import type { SubstanceRow } from '../rows/part-declaration.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import type { WantedLines } from '../sources/excerpts.ts'
import { GLOSSARY, STATUSES } from '../words.ts'
import { calendarText } from './calendar.ts'
import { htmlPage, scriptJson, sectionHtml } from './html.ts'
import type { Mark, PageColumn, PageData, PageRow, PartRow } from './page-data.ts'
import {
  createFileTable,
  createSupplierNames,
  datesOf,
  excerptPlaces,
  mailOf,
  partRow,
  type RowView,
} from './page-row.ts'
import { type AnswerFacts, answersHtml, endingDays, exemptionDays } from './three-answers.ts'

/** Rows with a page of their own; of more, those that are not clean have one. */
const MOST_PAGES = 20_000

/**
 * One self-contained page: three answers, the rows with the worst first and a page for each, the letters to suppliers, then what all of
 * it rests on and what each word means. The script draws the rows from data; without scripts there is a plain table.
 */
export function htmlFormatter(shape: ReportShape): Formatter {
  return async function* (report) {
    const summary = await report.summary()
    if (shape.kind === 'substances') {
      const document = reportDocument(shape, summary)
      yield* htmlPage(document, substancesHtml(report, shape), glossaryHtml(shape.kind))
      return
    }
    const found = await collect(report, shape, summary)
    const { facts } = found
    const document = reportDocument(shape, summary, facts.matches)
    const head = { ...document, verdicts: [], sections: [] }
    // An entry of a calendar is read far from the page.
    const list = shape.about?.find(([name]) => name === 'parts list')?.[1]
    const calendar = calendarText(endingDays(summary, shape.nowMs), list ?? document.title, shape.nowMs)
    async function* content(): AsyncGenerator<string, void, void> {
      yield answersHtml(facts, calendar !== '')
      yield* rowsHtml(report, shape, found, calendar)
      yield lettersHtml(facts.letters)
      yield evidenceHtml(document)
    }
    yield* htmlPage(head, content(), glossaryHtml(shape.kind), TOOLS)
  }
}

const TOOLS =
  '<span class="tools-line"> · <a href="#evidence">what this rests on</a></span><span class="needs-script" hidden> · <button type="button" id="copy-link">copy link</button> · <button type="button" id="print">print</button></span>'

/** What is known of the rows before the first is written. */
interface Collected {
  readonly facts: AnswerFacts
  readonly view: RowView
  readonly isDetailed: (row: JudgedRow) => boolean
}

async function collect(report: Report, shape: ReportShape, summary: ReportSummary): Promise<Collected> {
  const newest = newestList(summary.reference?.tables)
  const dates = exemptionDays(summary)
  const failing = new Map<string, number>()
  const matches = new Map<string, number>()
  // The rows of a line follow each other.
  const seen = new Map<string, string>()
  const days = new Map<string, number>()
  const letters = createLetters(newest)
  const wanted = new Map<string, Set<number>>()
  const supplierName = createSupplierNames(summary.suppliers.map(({ name }) => name))
  const isDetailed = (row: JudgedRow): boolean => summary.counts.rows <= MOST_PAGES || needsAttention(row)
  for await (const { parts } of report.batches) {
    letters.add(parts)
    for (const row of parts) {
      const line = row.line && `${row.line.product}:${row.line.line}`
      for (const rule of unique([...row.gate.open, ...(row.line?.openInside ?? [])])) {
        if (line === undefined || seen.get(rule) !== line) addOne(matches, rule)
        if (line !== undefined) seen.set(rule, line)
      }
      for (const name of new Set(
        row.findings.flatMap((one) => (one.rule === 'not-compliant' ? [one.names[0] ?? one.subject] : [])),
      )) {
        // Beside the count of lines stands a count of lines.
        const isOnList = line !== undefined && seen.get(`over ${name}`) !== line
        if (isOnList || summary.products === undefined) addOne(failing, name)
        if (line !== undefined) seen.set(`over ${name}`, line)
      }
      for (const day of datesOf(row, { dates })) {
        if (line === undefined || seen.get(day) !== line) addOne(days, day)
        if (line !== undefined) seen.set(day, line)
      }
      if (isDetailed(row)) wantLines(row, wanted)
    }
  }
  const all = letters.result().map((letter) => ({ ...letter, supplier: supplierName(letter.supplier) }))
  const excerpts = await report.excerpts(wanted)
  return {
    facts: {
      shape,
      summary,
      failing,
      matches,
      days,
      letters: all,
      addresses: all.filter((letter) => mailOf(letter) !== '').length,
    },
    view: {
      nowMs: shape.nowMs,
      newest,
      dates,
      supplierName,
      excerpts,
      files: createFileTable(excerpts),
    },
    isDetailed,
  }
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** Every file of a row is read for its hash, and for the lines of its findings. */
function wantLines(row: JudgedRow, wanted: Map<string, Set<number>>): WantedLines {
  for (const source of row.sources) if (!wanted.has(source)) wanted.set(source, new Set())
  for (const { source, line } of excerptPlaces(row)) wanted.get(source)?.add(line)
  return wanted
}

// Rows

export const SIGNS: Readonly<Record<Mark, string>> = {
  ...TONE_SIGNS,
  none: '',
  missing: '○',
  unreadable: '⊘',
}

async function* rowsHtml(
  report: Report,
  shape: ReportShape,
  { facts, view, isDetailed }: Collected,
  calendar: string,
): AsyncGenerator<string, void, void> {
  yield `<section id="rows-section" aria-label="parts">
<nav id="tabs" class="needs-script" aria-label="which rows" hidden></nav>
<form id="controls" class="needs-script" role="search" hidden></form>
<p id="chips" class="needs-script" hidden></p>
<div id="view" class="needs-script" hidden><table role="table"><thead role="rowgroup"><tr role="row"></tr></thead></table></div>
<nav id="pages" class="needs-script" aria-label="pages of rows" hidden></nav>
`
  yield* dataHtml(
    report,
    shape,
    calendar,
    (row, columns) => pageRow(row as JudgedRow, columns, view, isDetailed),
    view,
  )
  const plain = facts.summary.gate !== undefined ? PLAIN : PLAIN.filter(([title]) => title !== 'Gate')
  const headings = plain.map(([title]) => `<th scope="col">${title}</th>`).join('')
  yield `<noscript><div class="scroll"><table class="plain"><thead><tr>${headings}</tr></thead><tbody>\n`
  for await (const batch of rowsOf(report, 'parts'))
    yield batch.map((row) => plainRow(plain, partRow(row as JudgedRow, view, false), row)).join('')
  yield '</tbody></table></div></noscript>\n</section>\n<article id="part" tabindex="-1" hidden></article>\n'
}

async function* dataHtml(
  report: Report,
  shape: ReportShape,
  calendar: string,
  rowOf: (row: JudgedRow | SubstanceRow, columns: readonly string[]) => PageRow,
  view?: RowView,
): AsyncGenerator<string, void, void> {
  const names = columnNames(shape)
  const columns = columnsOf(shape.kind)
  const head: Omit<PageData, 'rows' | 'files'> = {
    kind: shape.kind,
    columns: names.map((name) => pageColumn(name, columns[name]!)),
    signs: SIGNS,
    calendar,
  }
  yield `<script type="application/json" id="data">${scriptJson(head).slice(0, -1)},"rows":[`
  let separator = '\n'
  for await (const batch of rowsOf(report, shape.kind)) {
    yield separator + batch.map((row) => scriptJson(rowOf(row, names))).join(',\n')
    separator = ',\n'
  }
  yield `\n],"files":${scriptJson(view?.files.all ?? [])}}</script>\n`
}

function pageColumn(name: string, { title, type, isDetail }: Column): PageColumn {
  return { name, title, isNumber: isNumeric(type), isMain: isDetail !== true }
}

function pageRow(
  row: JudgedRow,
  columns: readonly string[],
  view: RowView,
  isDetailed: (row: JudgedRow) => boolean,
): PageRow {
  return {
    cells: columns.map((column) => cellOf(row, column)),
    part: partRow(row, view, isDetailed(row)),
  }
}

/** The columns of a page without scripts. */
const PLAIN: readonly (readonly [title: string, value: (row: PartRow, own: object) => string])[] = [
  ['Part', ({ name, about }) => [name, about].filter(Boolean).join(', ')],
  ['Verdict', (_, row) => String(cellOf(row, 'verdict'))],
  ['RoHS', ({ rohs }) => valueText(rohs)],
  ['REACH', ({ reach }) => valueText(reach)],
  ['Why', ({ why }) => why],
  ['Gate', (_, row) => String(cellOf(row, 'gate'))],
  ['Where used', ({ used }) => used],
  ['Supplier', ({ supplier, isListed }) => `${supplier}${isListed ? ' (parts list)' : ''}`],
  ['Stated', ({ date }) => date],
  ['Source', (_, row) => String(cellOf(row, 'source'))],
]

function valueText([mark, text, small]: PartRow['rohs']): string {
  return [SIGNS[mark], text, small].filter(Boolean).join(' ')
}

function plainRow(columns: typeof PLAIN, row: PartRow, own: object): string {
  return `<tr class="${row.mark}">${columns.map(([, value]) => `<td>${escapeMarkup(value(row, own))}</td>`).join('')}</tr>\n`
}

async function* substancesHtml(report: Report, shape: ReportShape): AsyncGenerator<string, void, void> {
  yield `<section id="rows-section" aria-label="substances">
<form id="controls" class="needs-script" role="search" hidden></form>
<div id="view" class="needs-script substances" hidden><table role="table"><thead role="rowgroup"><tr role="row"></tr></thead></table></div>
<nav id="pages" class="needs-script" aria-label="pages of rows" hidden></nav>
`
  yield* dataHtml(report, shape, '', (row, names) => ({ cells: names.map((name) => cellOf(row, name)) }))
  const names = columnNames(shape)
  const headings = names.map(
    (name) => `<th scope="col">${escapeMarkup(columnsOf(shape.kind)[name]!.title)}</th>`,
  )
  yield `<noscript><div class="scroll"><table class="plain"><thead><tr>${headings.join('')}</tr></thead><tbody>\n`
  for await (const batch of rowsOf(report, shape.kind))
    yield batch
      .filter((row) => !isPart(row))
      .map(
        (row) =>
          `<tr>${names.map((name) => `<td>${escapeMarkup(String(cellOf(row, name) ?? ''))}</td>`).join('')}</tr>\n`,
      )
      .join('')
  yield '</tbody></table></div></noscript>\n</section>\n'
}

// Letters, and what everything rests on

function lettersHtml(letters: readonly Letter[]): string {
  if (letters.length === 0) return ''
  return `<section id="letters" aria-labelledby="letters-title">
<h2 id="letters-title">Letters to suppliers</h2>
${letters.map((letter) => letterHtml(letter)).join('')}</section>\n`
}

function letterHtml(letter: Letter): string {
  const { supplier, parts, missing, text } = letter
  const mail = mailOf(letter)
  const about = [plural(parts, 'part'), missing > 0 ? `${missing} without a declaration` : '', mail]
    .filter((fact) => fact !== '')
    .join(', ')
  const isKnown = supplier !== NO_SUPPLIER
  const tools = isKnown
    ? `<p class="tools needs-script" hidden><a class="mail" data-mail="${escapeMarkup(mail)}" href="#letters">open in mail</a> <button type="button" class="copy">copy</button></p>`
    : ''
  return `<details class="letter"><summary><strong>${escapeMarkup(supplier)}</strong> <span class="sub">${escapeMarkup(about)}</span></summary>
<pre>${escapeMarkup(text).replaceAll('&#10;', '\n')}</pre>${tools}</details>\n`
}

function evidenceHtml({ sections }: Document): string {
  const content = sections.map(sectionHtml).join('')
  return `<details id="evidence"><summary><h2>What this rests on</h2></summary>\n${content}</details>\n`
}

/** What every word on the page means, closed until it is opened. */
function glossaryHtml(kind: ReportShape['kind']): string {
  const statuses = Object.entries(STATUSES).map(([status, { help }]) => [status, help] as const)
  const columns = Object.values(columnsOf(kind)).map(({ title, help }) => [title, help] as const)
  const groups = [
    ['RoHS status', statuses] as const,
    ...Object.entries(GLOSSARY).map(([title, words]) => [title, Object.entries(words)] as const),
    ['Columns', columns] as const,
  ]
  return `<details id="words">
<summary><h2>What the words mean</h2></summary>
<div class="words">
${groups.map(([title, words]) => glossaryGroup(title, words)).join('')}</div>
</details>
`
}

function glossaryGroup(title: string, words: readonly (readonly [string, string])[]): string {
  const items = words.map(([word, help]) => `<dt>${escapeMarkup(word)}</dt><dd>${escapeMarkup(help)}</dd>`)
  return `<section><h3>${title}</h3><dl>${items.join('')}</dl></section>\n`
}
