import { formatCount } from '../base/units.ts'
import { COLUMN_TITLES } from '../report/formats/column-titles.ts'
import { escapeHtml } from '../report/formats/escape-markup.ts'
import { oneValue, unbroken } from '../report/html/html-links.ts'
import { htmlPage } from '../report/html/html-page.ts'
import { TONE_SIGNS, type Tone, toneOf, verdictChip } from '../report/html/html-tones.ts'
import type { GateResult } from '../report/report-result.ts'
import { gateVerdict } from '../report/report-verdict.ts'
import type { DeclarationDiff } from './diff-result.ts'
import { DIFF_TITLES, type DiffRow, diffRows, diffVerdict } from './diff-rows.ts'
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

/** A diff as one self-contained page: what became worse, the gate and what it matches, the counts, then every change. */
export function diffHtml(diff: DeclarationDiff, facts: DiffFacts): Generator<string> {
  const { nowMs, version } = facts
  return htmlPage({ title: 'Changes in material declarations', nowMs, version }, content(diff, facts))
}

function* content(diff: DeclarationDiff, { oldSource, newSource }: DiffFacts): Generator<string> {
  const { gate } = diff
  const { tone, text } = diffVerdict(diff)
  yield banner(tone, text)
  if (gate) {
    const { word, tone: gateTone, found } = gateVerdict(gate)
    yield banner(gateTone, `${word}: ${found} ${gate.rules.join(', ')}`)
  }
  yield `<p>${escapeHtml(countsLine(diff))}</p>\n<p>before: ${escapeHtml(oldSource)}<br>now: ${escapeHtml(newSource)}</p>\n`
  if (gate && gate.matched > 0) yield* failedSection(gate)
  const rows = [...diffRows(diff)]
  for (const [change, title] of TITLES) {
    const chosen = rows.filter((row) => row.change === change)
    if (chosen.length > 0) yield* changesSection(title, chosen)
  }
}

function* failedSection({ rows, matched }: GateResult): Generator<string> {
  yield sectionStart('Failed', [COLUMN_TITLES.part, COLUMN_TITLES.gate, COLUMN_TITLES.source])
  for (const { part, rules, source } of rows) {
    yield `<tr><th scope="row">${oneValue(part)}</th><td>${unbroken(rules.join(', '))}</td><td class="prose">${escapeHtml(source)}</td></tr>\n`
  }
  yield '</tbody></table></div>\n'
  if (matched > rows.length) yield `<p class="sub">and ${formatCount(matched - rows.length)} more</p>\n`
  yield '</section>\n'
}

/** A part has one cell beside all that changed in it. */
function* changesSection(title: string, rows: readonly DiffRow[]): Generator<string> {
  const { part, what, old, new: now } = DIFF_TITLES
  yield sectionStart(title, [part, what, old, now])
  for (let at = 0; at < rows.length; ) {
    const first = rows[at]!
    let end = at + 1
    while (end < rows.length && isSamePart(first, rows[end]!)) end += 1
    const supplier = first.supplier === '' ? '' : `<span class="sub">${escapeHtml(first.supplier)}</span>`
    const name = `<th scope="rowgroup" rowspan="${end - at}">${oneValue(first.part)}${supplier}</th>`
    for (let line = at; line < end; line += 1) {
      const { what: fact, old: before, new: after } = rows[line]!
      yield `<tr>${line === at ? name : ''}<td>${escapeHtml(fact)}</td>${cell(before)}${cell(after)}</tr>\n`
    }
    at = end
  }
  yield '</tbody></table></div>\n</section>\n'
}

function isSamePart(a: DiffRow, b: DiffRow): boolean {
  return a.part !== '' && a.part === b.part && a.supplier === b.supplier
}

function sectionStart(title: string, headings: readonly string[]): string {
  const cells = headings.map((heading) => `<th scope="col">${heading}</th>`)
  return `<section>\n<h2>${title}</h2>\n<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="plain"><thead><tr>${cells.join('')}</tr></thead><tbody>\n`
}

/** A status has its sign and color, like in a report. */
function cell(value: string): string {
  return `<td>${toneOf(value) === 'none' ? unbroken(value) : verdictChip(value)}</td>`
}

function banner(tone: Tone, text: string): string {
  return `<p class="banner verdict ${tone}"><span class="sign" aria-hidden="true">${TONE_SIGNS[tone]}</span><span>${escapeHtml(text)}</span></p>\n`
}
