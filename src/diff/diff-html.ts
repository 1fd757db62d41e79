import { plural } from '../base/units.ts'
import { escapeHtml } from '../report/escape-markup.ts'
import { htmlPage } from '../report/html-page.ts'
import { TONE_SIGNS, toneOf, verdictChip } from '../report/html-tones.ts'
import { gateLine } from '../report/summary-lines.ts'
import type { DeclarationDiff } from './diff-result.ts'
import { DIFF_COLUMNS, type DiffRow, diffRows, worseParts } from './diff-rows.ts'
import { countsLine } from './diff-text.ts'

/** What a diff shows beside the changes. */
export interface DiffFacts {
  readonly oldSource: string
  readonly newSource: string
  /** When it was made. */
  readonly nowMs: number
  readonly version: string
}

const TITLES: readonly (readonly [change: DiffRow['change'], title: string])[] = [
  ['worse', 'Not compliant now, and not before'],
  ['changed', 'Changed'],
  ['added', 'Added'],
  ['removed', 'Removed'],
  ['list updated', 'Lists updated, nothing else changed'],
  ['unreadable', 'Unreadable'],
]

/** A diff as one self-contained page: the gate and what became worse, the counts, then every change. */
export function diffHtml(diff: DeclarationDiff, facts: DiffFacts): Generator<string> {
  const { nowMs, version } = facts
  return htmlPage({ title: 'Changes in material declarations', nowMs, version }, content(diff, facts))
}

function* content(diff: DeclarationDiff, { oldSource, newSource }: DiffFacts): Generator<string> {
  const worse = worseParts(diff).length
  const tone = worse > 0 ? 'bad' : 'good'
  const found = worse === 0 ? 'no part became not compliant' : `${plural(worse, 'part')} became not compliant`
  yield banner(tone, found)
  if (diff.gate) yield banner(diff.gate.matched > 0 ? 'bad' : 'good', gateLine(diff.gate))
  yield `<p>${escapeHtml(countsLine(diff))}</p>\n<p>before: ${escapeHtml(oldSource)}<br>now: ${escapeHtml(newSource)}</p>\n`
  const rows = [...diffRows(diff)]
  for (const [change, title] of TITLES) {
    const chosen = rows.filter((row) => row.change === change)
    if (chosen.length > 0) yield* section(title, chosen)
  }
}

function* section(title: string, rows: readonly DiffRow[]): Generator<string> {
  const columns = DIFF_COLUMNS.slice(1)
  const headings = columns.map((column) => `<th scope="col">${column}</th>`).join('')
  yield `<section>\n<h2>${title}</h2>\n<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="plain"><thead><tr>${headings}</tr></thead><tbody>\n`
  for (const row of rows) yield `<tr>${columns.map((column) => cell(row[column])).join('')}</tr>\n`
  yield '</tbody></table></div>\n</section>\n'
}

/** A status has its sign and color, like in a report. */
function cell(value: string): string {
  return `<td>${toneOf(value) === 'none' ? escapeHtml(value) : verdictChip(value)}</td>`
}

function banner(tone: 'good' | 'bad', text: string): string {
  return `<p class="banner verdict ${tone}"><span class="sign" aria-hidden="true">${TONE_SIGNS[tone]}</span><span>${escapeHtml(text)}</span></p>\n`
}
