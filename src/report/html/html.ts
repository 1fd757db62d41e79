import { exemptionLabel, exemptionNumbers } from '../../compliance/exemption-number.ts'
import { COLUMN_TITLES, type ColumnName } from '../formats/column-titles.ts'
import { escapeHtml } from '../formats/escape-markup.ts'
import { cellOf, type Formatter, type ReportShape, type Row } from '../formats/formatter.ts'
import { type ReportSummary, reachStatus } from '../report-summary.ts'
import { gateWords } from '../rows/finish-row.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { createSpool } from '../spool.ts'
import { charts } from './html-charts.ts'
import { exemptionsHtml, tablesHtml, waiversHtml } from './html-dates.ts'
import { wordsHtml } from './html-glossary.ts'
import { htmlPage } from './html-page.ts'
import { productHtml } from './html-product.ts'
import { SCRIPT } from './html-script.ts'
import { gateBanner, tiles, verdictBanner } from './html-verdict.ts'

/** What filters need beside the columns of a row. */
const HIDDEN = ['reach_count', 'exemption_numbers', 'svhc_names'] as const

/**
 * One self-contained page: the verdict and what failed, counts and charts that filter, the rows with the worst first, what will end,
 * waivers, and what each word means. Without scripts it shows a plain table.
 */
export function htmlFormatter(shape: ReportShape): Formatter {
  const { kind, columns, nowMs, version } = shape
  const spool = createSpool(kind === 'parts' ? [...columns, ...HIDDEN] : columns)
  const matches = new Map<string, number>()
  const title = kind === 'parts' ? 'Material declarations' : 'Declared substances'
  return {
    begin: () => '',
    add(rows) {
      if (kind === 'substances') spool.add(rows)
      else spool.add((rows as unknown as readonly JudgedRow[]).map((row) => withHidden(row, matches)))
      return ''
    },
    *end(summary) {
      yield* htmlPage({ title, nowMs, version, script: SCRIPT }, content(summary))
    },
  }

  function* content(summary: ReportSummary): Generator<string> {
    yield summary.rollup === undefined ? verdictBanner(summary) : productHtml(summary.rollup)
    yield gateBanner(summary, matches)
    yield tiles(summary, kind)
    yield charts(summary)
    yield `<section id="rows-section" aria-labelledby="rows-title" data-day="${new Date(nowMs).toISOString().slice(0, 10)}"${summary.reference === undefined ? '' : ' data-dated'}>
<h2 id="rows-title">${kind === 'parts' ? 'Parts' : 'Substances'}</h2>
<form id="controls" class="needs-script" role="search" hidden></form>
<p id="chips" class="needs-script" hidden></p>
<div id="view" class="needs-script" tabindex="0" role="region" aria-label="table of rows" hidden><table role="table"><thead role="rowgroup"><tr role="row"></tr></thead></table></div>
<nav id="pages" class="needs-script" aria-label="pages of rows" hidden></nav>
<dialog id="details" aria-labelledby="details-title"><form method="dialog"><h2 id="details-title"></h2><button>close</button></form><dl></dl></dialog>
`
    // With scripts enabled, a browser keeps the content of noscript as text, which the script reads.
    yield `<noscript id="rows"><div class="scroll"><table class="plain"><thead><tr>${headings(columns)}</tr></thead><tbody>\n`
    for (const rows of spool.batches()) yield rows.map((row) => rowHtml(row, columns)).join('')
    yield '</tbody></table></div></noscript>\n</section>\n'
    yield exemptionsHtml(summary)
    yield waiversHtml(summary)
    yield tablesHtml(summary)
    yield wordsHtml(kind)
  }
}

/** The row with what filters need; counts its gate words. */
function withHidden(row: JudgedRow, matches: Map<string, number>): Row {
  for (const word of gateWords(row)) matches.set(word, (matches.get(word) ?? 0) + 1)
  const isDeclared = row.status === 'declared'
  return {
    reach_count: isDeclared ? reachStatus(row) : '',
    exemption_numbers: isDeclared ? exemptionKeys(row) : [],
    ...row,
    svhc_names: isDeclared ? row.svhc_names : [],
  }
}

/** The exemptions of a row as the list of exemptions names them. */
function exemptionKeys({ exemption_ids }: JudgedRow): readonly string[] {
  const keys = exemption_ids.flatMap(({ identity, list }) => {
    const numbers = exemptionNumbers(identity, list)
    return numbers.length === 0 ? [identity] : numbers.map(exemptionLabel)
  })
  return [...new Set(keys)]
}

function headings(columns: readonly string[]): string {
  return columns
    .map((name) => `<th scope="col" data-name="${name}">${COLUMN_TITLES[name as ColumnName]}</th>`)
    .join('')
}

function rowHtml(row: Row, columns: readonly string[]): string {
  const cells = columns.map((column) => `<td>${escapeHtml(String(cellOf(row, column) ?? ''))}</td>`)
  const { reach_count: reach, exemption_numbers: exemptions, svhc_names: substances } = row
  return `<tr${hidden('r', reach)}${hidden('e', exemptions)}${hidden('s', substances)}>${cells.join('')}</tr>\n`
}

/** An attribute that the script reads; several values are on a line each. */
function hidden(name: string, value: unknown): string {
  const text = Array.isArray(value) ? value.join('\n') : String(value ?? '')
  return text === '' ? '' : ` data-${name}="${escapeHtml(text)}"`
}
