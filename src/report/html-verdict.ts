import { formatCount, plural } from '../base/units.ts'
import { escapeHtml } from './escape-markup.ts'
import { ALL_ROWS, type Filter, filterLink } from './html-links.ts'
import { TONE_SIGNS, type Tone } from './html-tones.ts'
import type { ReportSummary } from './report-summary.ts'
import { waiverLine } from './summary-lines.ts'

/** The first line of a page that has no product: what is wrong with how many rows, or that nothing is. */
export function verdictBanner({ counts }: ReportSummary): string {
  const { rohs, reach, rows, missing, unreadable } = counts
  const faults = listed([
    [rohs['not compliant'], 'not compliant', { verdict: 'not compliant' }],
    [missing, 'missing', { verdict: 'missing' }],
    [unreadable, 'unreadable', { verdict: 'unreadable' }],
    [rohs.incomplete, 'incomplete', { verdict: 'incomplete' }],
    [rohs['not declared'], 'not declared', { verdict: 'not declared' }],
  ])
  const exempted = rohs['compliant with exemptions']
  const remarks = listed([
    [exempted, 'with exemptions', { verdict: 'compliant with exemptions' }],
    [reach.withSvhc, 'with SVHC', { svhc: 'with SVHC' }],
  ])
  if (rows === 0) return banner('none', 'no rows')
  const also = remarks === '' ? '' : `; ${remarks}`
  if (faults !== '') {
    const worst = rohs['not compliant'] + missing + unreadable > 0 ? 'bad' : 'warn'
    return banner(worst, `RoHS: of ${plural(rows, 'row')} ${faults}${also}`)
  }
  return banner(exempted > 0 ? 'fair' : 'good', `RoHS: all ${plural(rows, 'row')} compliant${also}`)
}

/** What the gate found, each rule a link to its rows. `matches` has the rows by rule. */
export function gateBanner({ gate, waivers }: ReportSummary, matches: ReadonlyMap<string, number>): string {
  if (gate === undefined) return ''
  const waived =
    waivers === undefined
      ? ''
      : `<span class="sub">${filterLink({ gate: 'waived' }, escapeHtml(waiverLine(waivers)))}</span>`
  if (gate.matched === 0) {
    return banner('good', `gate passed: no rows match ${escapeHtml(gate.rules.join(', '))}${waived}`, 'gate')
  }
  const found = gate.matched === 1 ? '1 row matches' : `${formatCount(gate.matched)} rows match`
  const rules = gate.rules.map((rule) => {
    const number = matches.get(rule) ?? 0
    const text = escapeHtml(rule)
    return number === 0 ? text : filterLink({ gate: rule }, `${text} (${formatCount(number)})`)
  })
  const all = filterLink({ gate: 'failed' }, `gate failed: ${found}`)
  return banner('bad', `${all} ${rules.join(', ')}${waived}`, 'gate')
}

/** The counts, each a link to its rows. */
export function tiles({ counts }: ReportSummary): string {
  const { rohs, reach, rows, missing, unreadable, superseded, files } = counts
  const all: readonly (readonly [number, string, Tone | '', Filter?])[] = [
    [rows, rows === 1 ? 'row' : 'rows', '', ALL_ROWS],
    [rohs['not compliant'], 'not compliant', 'bad', { verdict: 'not compliant' }],
    [missing, 'missing', 'bad', { verdict: 'missing' }],
    [unreadable, 'unreadable', 'bad', { verdict: 'unreadable' }],
    [rohs.incomplete, 'incomplete', 'warn', { verdict: 'incomplete' }],
    [reach.withSvhc, 'with SVHC', 'warn', { svhc: 'with SVHC' }],
    [superseded, 'superseded', '', { verdict: 'superseded' }],
    [files, files === 1 ? 'file' : 'files', ''],
  ]
  const items = all
    .filter(([number, name]) => name !== 'superseded' || number > 0)
    .map(([number, name, tone, filter]) => {
      const content = `<strong>${formatCount(number)}</strong> ${name}`
      const isLink = filter !== undefined && number > 0
      return `<li class="${number > 0 ? tone : ''}">${isLink ? filterLink(filter, content) : `<span>${content}</span>`}</li>`
    })
  return `<ul class="tiles" aria-label="counts">${items.join('')}</ul>\n`
}

function banner(tone: Tone, content: string, name = 'verdict'): string {
  return `<p class="banner ${name} ${tone}"><span class="sign" aria-hidden="true">${TONE_SIGNS[tone]}</span><span>${content}</span></p>\n`
}

function listed(items: readonly (readonly [number, string, Filter])[]): string {
  return items
    .filter(([number]) => number > 0)
    .map(([number, name, filter]) => filterLink(filter, `${formatCount(number)} ${name}`))
    .join(', ')
}
