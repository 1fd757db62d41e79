import { calendarDate } from '../../base/units.ts'
import { companyName } from '../../compliance/company-names.ts'
import { DATE_PASSED, NOT_JUDGED } from '../../compliance/exemptions.ts'
import {
  type Column,
  cellOf,
  columnsOf,
  exemptionKeys,
  isNumeric,
  isPart,
  NO_SUPPLIER,
  reachWord,
  rowName,
  rowStatus,
  supplierOf,
  waivedText,
} from '../columns.ts'
import { TONE_SIGNS } from '../document.ts'
import { escapeMarkup } from '../formats/escape-markup.ts'
import { columnNames, type Formatter, type ReportShape, rowsOf } from '../formats/formatter.ts'
import type { Report } from '../report.ts'
import { reportDocument } from '../report-document.ts'
import type { ReportSummary } from '../report-summary.ts'
import { findingWords, isJudged, needsAttention, rowRank, VERDICT_TONES } from '../row-findings.ts'
import type { SubstanceRow } from '../rows/part-declaration.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { GLOSSARY, REACH_WORDS, STATUSES, toneIn } from '../words.ts'
import { htmlPage, scriptJson, statusChip } from './html.ts'
import type { PageColumn, PageData, PageRow } from './page-data.ts'

/** Columns of the table that are not details; the main ones of parts are drawn together by the script. */
const BESIDE: ReadonlySet<string> = new Set(['date', 'mass_mg'])

/**
 * One self-contained page: the verdict, all rows by status, the rows with the worst first, then what they rest on and what each word
 * means. The script draws the rows from data; without scripts there is a plain table.
 */
export function htmlFormatter(shape: ReportShape): Formatter {
  return async function* (report) {
    const matches = new Map<string, number>()
    for await (const { parts } of report.batches) {
      for (const row of parts)
        for (const rule of row.gate.open) matches.set(rule, (matches.get(rule) ?? 0) + 1)
    }
    const summary = await report.summary()
    const document = reportDocument(shape, summary, matches)
    yield* htmlPage(document, rowsHtml(report, shape, summary), glossaryHtml(shape.kind))
  }
}

async function* rowsHtml(
  report: Report,
  shape: ReportShape,
  { reference, suppliers }: ReportSummary,
): AsyncGenerator<string, void, void> {
  const { kind, nowMs } = shape
  const columns = columnNames(shape)
  yield `<section id="rows-section" aria-labelledby="rows-title">
<h2 id="rows-title">${kind === 'parts' ? 'Parts' : 'Substances'}</h2>
<form id="controls" class="needs-script" role="search" hidden></form>
<p id="chips" class="needs-script" hidden></p>
<div id="view" class="needs-script" hidden><table role="table"><thead role="rowgroup"><tr role="row"></tr></thead></table></div>
<nav id="pages" class="needs-script" aria-label="pages of rows" hidden></nav>
<dialog id="details" aria-labelledby="details-title"><form method="dialog"><h2 id="details-title"></h2><button>close</button></form><dl></dl></dialog>
`
  yield `<script type="application/json" id="data">${scriptJson(pageHead(shape)).slice(0, -1)},"rows":[`
  let separator = '\n'
  const today = reference === undefined ? undefined : calendarDate(nowMs)
  const names = new Map(suppliers.map(({ name }) => [companyName(name), name]))
  const supplierName = (row: JudgedRow): string => {
    const name = supplierOf(row)
    return names.get(companyName(name)) || name || NO_SUPPLIER
  }
  for await (const batch of rowsOf(report, kind)) {
    yield separator + batch.map((row) => scriptJson(pageRow(row, columns, today, supplierName))).join(',\n')
    separator = ',\n'
  }
  yield '\n]}</script>\n'
  const plain = kind === 'parts' ? PLAIN : columns
  const titles = columnsOf(kind)
  const headings = plain.map((name) => `<th scope="col">${escapeMarkup(titles[name]!.title)}</th>`)
  yield `<noscript><div class="scroll"><table class="plain"><thead><tr>${headings.join('')}</tr></thead><tbody>\n`
  for await (const batch of rowsOf(report, kind)) yield batch.map((row) => plainRow(row, plain)).join('')
  yield '</tbody></table></div></noscript>\n</section>\n'
}

/** The columns of a page without scripts. */
const PLAIN = [
  'part',
  'requester_part',
  'verdict',
  'findings',
  'rohs',
  'status',
  'gate',
  'svhc',
  'exemptions',
  'note',
  'source',
]

function plainRow(row: object, columns: readonly string[]): string {
  const cells = columns.map((column) => `<td>${escapeMarkup(String(cellOf(row, column) ?? ''))}</td>`)
  return `<tr>${cells.join('')}</tr>\n`
}

function pageHead(shape: ReportShape): Omit<PageData, 'rows'> {
  const columns = columnsOf(shape.kind)
  return {
    kind: shape.kind,
    columns: columnNames(shape).map((name) => pageColumn(name, columns[name]!, shape)),
    signs: TONE_SIGNS,
  }
}

function pageColumn(name: string, { title, type, isDetail }: Column, { kind }: ReportShape): PageColumn {
  const isMain = kind === 'parts' ? BESIDE.has(name) : isDetail !== true
  return { name, title, isNumber: isNumeric(type), isMain }
}

/** A row as data for the script. Everything that is decided about it is decided here. */
function pageRow(
  row: JudgedRow | SubstanceRow,
  columns: readonly string[],
  today: string | undefined,
  supplierName: (row: JudgedRow) => string,
): PageRow {
  const cells = columns.map((column) => cellOf(row, column))
  if (!isPart(row)) return { cells }
  const { rohs, reach } = row.judged
  const isDeclared = row.status === 'declared'
  // A filter shows as many rows as its count says.
  const isCounted = isJudged(row) && row.status !== 'assembly'
  return {
    cells,
    name: rowName(row),
    status: rowStatus(row),
    tone: VERDICT_TONES[row.verdict],
    chip: toneIn(row, rowStatus(row)) ?? 'none',
    verdict: row.verdict,
    findings: some(findingWords(row.findings)),
    rank: rowRank(row),
    supplier: isCounted ? supplierName(row) : undefined,
    needsAttention: needsAttention(row) || undefined,
    reach: isDeclared ? REACH_WORDS[reachWord(row)!].word : undefined,
    gate: some(row.gate.open),
    waived: some(row.gate.waived.map(waivedText)),
    exemptions: some(exemptionKeys(row)),
    dates: today === undefined || rohs.exemptions.length === 0 ? undefined : datesText(row, today),
    svhcs: some(isDeclared ? reach.over.map(({ name }) => name) : []),
    lists: some(isDeclared ? [...rohs.lists, ...reach.lists] : []),
  }
}

/** Nothing for no values: JSON leaves it out. */
function some(values: readonly string[]): readonly string[] | undefined {
  return values.length === 0 ? undefined : values
}

function datesText({ exemptionExpires: day }: JudgedRow, today: string): string {
  if (day === '') return `no date known: ${NOT_JUDGED}`
  return day < today ? `${day}: ${DATE_PASSED}` : `earliest nominal date ${day}`
}

/** What every word on the page means, closed until it is opened. */
function glossaryHtml(kind: ReportShape['kind']): string {
  const statuses = Object.entries(STATUSES).map(
    ([status, { tone, help }]) => [statusChip(status, tone), help] as const,
  )
  const columns = Object.values(columnsOf(kind)).map(
    ({ title, help }) => [escapeMarkup(title), help] as const,
  )
  const groups = Object.entries(GLOSSARY).map(([title, words]) =>
    glossaryGroup(
      title,
      Object.entries(words).map(([word, help]) => [escapeMarkup(word), help]),
    ),
  )
  return `<details id="words">
<summary><h2>What the words mean</h2></summary>
<div class="words">
${glossaryGroup('RoHS status', statuses)}${groups.join('')}${glossaryGroup('Columns', columns)}</div>
</details>
`
}

function glossaryGroup(title: string, words: readonly (readonly [string, string])[]): string {
  const items = words.map(([word, help]) => `<dt>${word}</dt><dd>${escapeMarkup(help)}</dd>`)
  return `<section><h3>${title}</h3><dl>${items.join('')}</dl></section>\n`
}
