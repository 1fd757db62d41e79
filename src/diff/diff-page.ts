import { PART_COLUMNS } from '../report/columns.ts'
import type { Document } from '../report/document.ts'
import { escapeMarkup } from '../report/formats/escape-markup.ts'
import { htmlPage, scriptJson } from '../report/page/html.ts'
import type { PageData } from '../report/page/page-data.ts'
import { SIGNS } from '../report/page/report-page.ts'
import { CHANGE_WORDS, CHANGES_COLUMN, type ChangedLine, isOfParts } from './diff-document.ts'

const TITLES = ['Change', PART_COLUMNS.part.title, PART_COLUMNS.supplier.title, CHANGES_COLUMN.title]

/**
 * A diff as a page: the verdicts, then a line for each part, worse first, which the script of pages searches and sorts; its state is the
 * address. The counts are links to their parts.
 */
export function diffPage(
  document: Document,
  lines: readonly ChangedLine[],
): AsyncGenerator<string, void, void> {
  const rows = lines.flatMap(({ change, part, supplier, changes }) => {
    const word = CHANGE_WORDS[change]
    return word === undefined ? [] : [[word, part, supplier, changes.join('; ')]]
  })
  const sections = document.sections.filter((section) => !isOfParts(section))
  return htmlPage({ ...document, sections }, rows.length === 0 ? [] : rowsHtml(rows))
}

function* rowsHtml(rows: readonly (readonly string[])[]): Generator<string, void, void> {
  const links = Object.values(CHANGE_WORDS).flatMap((word) => {
    const count = rows.filter(([one]) => one === word).length
    const address = escapeMarkup(`#${new URLSearchParams({ q: word })}`)
    return count === 0 ? [] : [`<a href="${address}">${count} ${word.replace(' part', '')}</a>`]
  })
  yield `<section id="rows-section" aria-labelledby="rows-title">
<h2 id="rows-title">Parts that changed</h2>
<p>${[...links, `<a href="#q=">all ${rows.length}</a>`].join(' · ')}</p>
<form id="controls" class="needs-script" role="search" hidden></form>
<div id="view" class="needs-script substances" hidden><table role="table"><thead role="rowgroup"><tr role="row"></tr></thead></table></div>
<nav id="pages" class="needs-script" aria-label="pages of rows" hidden></nav>
`
  const data: PageData = {
    kind: 'substances',
    columns: TITLES.map((title) => ({ name: title.toLowerCase(), title, isNumber: false, isMain: true })),
    signs: SIGNS,
    calendar: '',
    rows: rows.map((cells) => ({ cells })),
    files: [],
  }
  yield `<script type="application/json" id="data">${scriptJson(data)}</script>\n`
  const plain = rows.map(
    (cells) => `<tr>${cells.map((cell) => `<td>${escapeMarkup(cell)}</td>`).join('')}</tr>`,
  )
  const heads = TITLES.map((title) => `<th scope="col">${title}</th>`).join('')
  yield `<noscript><div class="scroll"><table class="plain"><thead><tr>${heads}</tr></thead><tbody>\n${plain.join('\n')}\n</tbody></table></div></noscript>\n</section>\n`
}
