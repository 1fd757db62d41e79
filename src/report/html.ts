import { createHash } from 'node:crypto'
import { formatCount } from '../base/units.ts'
import { dateLines } from './date-lines.ts'
import { escapeHtml } from './escape-markup.ts'
import { cellOf, type Formatter, type ReportShape, type Row } from './formatter.ts'
import { charts, counts } from './html-charts.ts'
import { SCRIPT } from './html-script.ts'
import { STYLE } from './html-style.ts'
import type { ReportSummary } from './report-summary.ts'
import { createSpool } from './spool.ts'

/**
 * One self-contained page: counts and charts, then a table to search, sort and filter. It loads nothing (its policy forbids
 * it), prints all filtered rows, and shows a plain table without scripts.
 */
export function htmlFormatter(shape: ReportShape): Formatter {
  const spool = createSpool(shape.columns)
  return {
    begin: () => '',
    add(rows) {
      spool.add(rows)
      return ''
    },
    *end(summary) {
      yield pageStart(shape, summary)
      // With scripts enabled, a browser keeps the content of noscript as text, which the script reads.
      yield `<noscript id="rows"><div class="plain"><table><thead><tr>${headings(shape.columns)}</tr></thead><tbody>\n`
      for (const rows of spool.batches()) yield rows.map((row) => rowHtml(row, shape.columns)).join('')
      yield `</tbody></table></div></noscript>\n</section>\n${datesHtml(summary)}</main>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`
    },
  }
}

function pageStart(shape: ReportShape, summary: ReportSummary): string {
  const made = new Date(shape.nowMs).toISOString().replace('T', ' ').slice(0, 16)
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHash(STYLE)}'`,
    `script-src '${sourceHash(SCRIPT)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  const title = shape.kind === 'parts' ? 'Material declarations' : 'Declared substances'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="made">created ${made} UTC by matdecl ${escapeHtml(shape.version)}</p>
<button type="button" id="theme" class="needs-script" hidden>dark/light mode</button>
</header>
<main>
${gateBanner(summary)}${counts(summary)}
${charts(summary)}
<section aria-labelledby="table-title">
<h2 id="table-title">${shape.kind === 'parts' ? 'Parts' : 'Substances'}</h2>
<div id="controls" class="needs-script" hidden></div>
<div id="view" class="needs-script" tabindex="0" role="region" aria-label="rows" hidden><table><thead><tr></tr></thead><tbody></tbody></table></div>
<p id="empty" class="needs-script" hidden>no matching rows</p>
<dialog id="details"><form method="dialog"><button>close</button></form><dl></dl></dialog>
`
}

/** How old the lists are, and from which tables the page knows it. */
function datesHtml(summary: ReportSummary): string {
  const lines = dateLines(summary).map((line) => `<p>${escapeHtml(line)}</p>\n`)
  return lines.length === 0 ? '' : `<section aria-label="reference tables">\n${lines.join('')}</section>\n`
}

function gateBanner({ gate }: ReportSummary): string {
  if (gate === undefined) return ''
  const rules = escapeHtml(gate.rules.join(', '))
  if (gate.matched === 0) return `<p class="gate good">✓ gate passed: no rows match ${rules}</p>\n`
  const found = gate.matched === 1 ? '1 row matches' : `${formatCount(gate.matched)} rows match`
  return `<p class="gate bad">✗ gate failed: ${found} ${rules}</p>\n`
}

function headings(columns: readonly string[]): string {
  return columns.map((column) => `<th scope="col">${column.replaceAll('_', ' ')}</th>`).join('')
}

function rowHtml(row: Row, columns: readonly string[]): string {
  return `<tr>${columns.map((column) => `<td>${escapeHtml(String(cellOf(row, column) ?? ''))}</td>`).join('')}</tr>\n`
}

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
