import { formatCount } from '../../base/units.ts'
import { escapeHtml } from '../formats/escape-markup.ts'
import type { WaiverFacts } from '../gate/waivers.ts'
import type { ReportSummary } from '../report-summary.ts'
import { gateVerdict, rohsVerdict, type VerdictFact, verdictSentence } from '../report-verdict.ts'
import { waiverLine } from '../summary-lines.ts'
import { ALL_ROWS, type Filter, filterLink, unbroken } from './html-links.ts'
import { TONE_SIGNS, type Tone } from './html-tones.ts'

/** The first line of a page that has no product: what is wrong with how many rows, or that nothing is. */
export function verdictBanner(summary: ReportSummary): string {
  const verdict = rohsVerdict(summary)
  const link = ({ count, name, rows }: VerdictFact): string =>
    filterLink(rows, `${formatCount(count)} ${name}`)
  return banner(verdict.tone, verdictSentence(verdict, link))
}

/** What the gate found, each rule a link to its rows. `matches` has the rows by rule. */
export function gateBanner({ gate, waivers }: ReportSummary, matches: ReadonlyMap<string, number>): string {
  if (gate === undefined) return ''
  const waived = waivers === undefined ? '' : `<span class="sub">${waivedText(waivers)}</span>`
  const { word, tone, found } = gateVerdict(gate)
  const rules = gate.rules.map((rule) => {
    const number = matches.get(rule) ?? 0
    const text = unbroken(rule)
    return number === 0 ? text : filterLink({ gate: rule }, `${text} (${formatCount(number)})`)
  })
  const result = `${word}: ${found}`
  const all = gate.matched === 0 ? result : filterLink({ gate: 'failed' }, result)
  return banner(tone, `${all} ${rules.join(', ')}${waived}`, 'gate')
}

function waivedText(waivers: WaiverFacts): string {
  const text = escapeHtml(waiverLine(waivers))
  return waivers.findings === 0 ? text : filterLink({ gate: 'waived' }, text)
}

type Tile = readonly [count: number, name: string, tone: Tone | '', filter?: Filter | undefined]

/** The counts, each a link to its rows. */
export function tiles({ counts }: ReportSummary, kind: 'parts' | 'substances'): string {
  const { rohs, reach, rows, missing, unreadable, superseded, notListed, requests, files } = counts
  const isHistory = rows > counts.declared + missing + unreadable
  const all: readonly Tile[] = [
    kind === 'parts'
      ? [rows, rows === 1 ? 'row' : 'rows', '', ALL_ROWS]
      : [counts.substances, 'substances', '', ALL_ROWS],
    [rohs['not compliant'], 'not compliant', 'bad', { verdict: 'not compliant' }],
    [missing, 'missing', 'bad', { verdict: 'missing' }],
    [unreadable, 'unreadable', 'bad', { verdict: 'unreadable' }],
    [rohs.incomplete, 'incomplete', 'warn', { verdict: 'incomplete' }],
    [reach.withSvhc, 'with SVHC', 'warn', { svhc: 'with SVHC' }],
    ...some([superseded, 'superseded', '', isHistory ? { verdict: 'superseded' } : undefined]),
    ...some([notListed, 'not on the list', '']),
    ...some([requests, requests === 1 ? 'request' : 'requests', '']),
    [files, files === 1 ? 'file' : 'files', ''],
  ]
  const items = all.map(([number, name, tone, filter]) => {
    const content = `<strong>${formatCount(number)}</strong> ${name}`
    const isLink = filter !== undefined && number > 0
    return `<li class="${number > 0 ? tone : ''}">${isLink ? filterLink(filter, content) : `<span>${content}</span>`}</li>`
  })
  return `<ul class="tiles" aria-label="counts">${items.join('')}</ul>\n`
}

function some(tile: Tile): readonly Tile[] {
  return tile[0] > 0 ? [tile] : []
}

function banner(tone: Tone, content: string, name = 'verdict'): string {
  return `<p class="banner ${name} ${tone}"><span class="sign" aria-hidden="true">${TONE_SIGNS[tone]}</span><span>${content}</span></p>\n`
}
