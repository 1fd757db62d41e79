import { formatCount, plural } from '../../base/units.ts'
import { listDate, readListIdentity } from '../../compliance/list-identity.ts'
import { escapeHtml } from '../formats/escape-markup.ts'
import type { ReportSummary } from '../report-summary.ts'
import { type Filter, filterLink } from './html-links.ts'
import { ageScale, toneOfList } from './html-list-age.ts'
import { type Tone, VERDICT_TONES, type Verdict } from './html-tones.ts'

const SHOWN = 8

/** Three charts: RoHS status, SVHCs by number of parts, age of the lists. Bars are SVG, labels are text. */
export function charts(summary: ReportSummary): string {
  return `<div class="charts">${statusChart(summary)}${substanceChart(summary)}${ageChart(summary)}</div>\n`
}

function statusChart({ counts: { rohs, declared } }: ReportSummary): string {
  const bars = Object.entries(rohs).map(([name, number]) => ({
    label: name,
    size: number,
    text: `${formatCount(number)}${share(number, declared)}`,
    tone: VERDICT_TONES[name as Verdict],
    filter: { verdict: name },
  }))
  return chart('RoHS status of declared parts', bars, { scale: declared })
}

function substanceChart(summary: ReportSummary): string {
  const bars = summary.svhcs.slice(0, SHOWN).map(({ name, parts }) => ({
    label: name,
    size: parts,
    text: plural(parts, 'part'),
    tone: 'warn' as const,
    filter: { substance: name },
  }))
  const more = summary.svhcs.length - bars.length
  return chart('SVHCs by number of parts', bars, {
    scale: Math.max(0, ...bars.map(({ size }) => size)),
    nothing: withoutSvhcs(summary),
    foot: more > 0 ? `<p class="sub">${more} more in the table</p>` : '',
  })
}

/** All ages are on one scale that begins at 0. */
function ageChart({ lists }: ReportSummary): string {
  const uses = lists.slice(0, SHOWN)
  const bars = uses.map(({ name, parts, ageMonths }) => {
    const age = ageMonths === undefined ? 'no date' : plural(Math.max(0, ageMonths), 'month')
    return {
      label: labelOfList(name),
      size: Math.max(0, ageMonths ?? 0),
      text: `${age}, ${plural(parts, 'part')}`,
      tone: toneOfList(name, ageMonths),
      filter: { list: name },
    }
  })
  const scale = ageScale(uses.map(({ ageMonths }) => ageMonths ?? 0))
  return chart('Age of declared lists', bars, {
    scale: scale.months,
    marks: scale.marks,
    nothing: 'no lists declared',
    foot: bars.length === 0 ? '' : legend(AGE_LEGEND),
  })
}

const AGE_LEGEND: readonly (readonly [Tone, string])[] = [
  ['good', 'Candidate List: up to 12 months; RoHS list: all ten substance groups'],
  ['warn', 'Candidate List: 13 to 24 months'],
  ['bad', 'Candidate List: more than 24 months; RoHS list: before the ten groups (2015/863)'],
  ['none', 'no date in the name of the list'],
]

/** What an empty chart of SVHCs means: nothing is said about rows without a REACH statement. */
function withoutSvhcs({ counts: { rows, reach } }: ReportSummary): string {
  const silent = rows - reach.withoutSvhc
  if (reach.withoutSvhc === 0) return 'no complete statement on SVHCs'
  if (silent === 0) return 'no SVHC above 0.1 %'
  return `no SVHC above 0.1 % in ${plural(reach.withoutSvhc, 'row')}; ${plural(silent, 'row')} without a complete statement`
}

interface Bar {
  readonly label: string
  readonly size: number
  readonly text: string
  readonly tone: Tone
  /** The filter that a click applies. */
  readonly filter: Filter
}

interface ChartFacts {
  /** The size of a full bar. */
  readonly scale: number
  /** Marks of the scale, from its start to its end. */
  readonly marks?: readonly string[]
  /** What it means that there are no bars. */
  readonly nothing?: string
  /** HTML below the bars. */
  readonly foot?: string
}

function chart(title: string, bars: readonly Bar[], facts: ChartFacts): string {
  const { scale, marks = [], nothing = '', foot = '' } = facts
  const items = bars.map(({ label, size, text, tone, filter }) => {
    const width = ((size / Math.max(1, scale)) * 100).toFixed(2)
    const bar = `<svg class="bar ${tone}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="100" height="8"/><rect width="${width}" height="8"/></svg>`
    const content = `<span class="label">${escapeHtml(label)}</span><span class="value">${escapeHtml(text)}</span>${bar}`
    return `<li>${filterLink(filter, content)}</li>`
  })
  const body =
    items.length === 0 ? `<p class="sub">${nothing}</p>` : `<ul>${items.join('')}${axis(marks)}</ul>`
  return `<figure><figcaption>${title}</figcaption>${body}${foot}</figure>`
}

function axis(marks: readonly string[]): string {
  const spans = marks.map((mark) => `<span>${mark}</span>`).join('')
  return spans === '' ? '' : `<li class="axis" aria-hidden="true">${spans}</li>`
}

function legend(entries: readonly (readonly [Tone, string])[]): string {
  const items = entries.map(([tone, text]) => `<li><span class="swatch ${tone}"></span>${text}</li>`)
  return `<ul class="key" aria-label="colours">${items.join('')}</ul>`
}

function labelOfList(name: string): string {
  const date = listDate(readListIdentity(name))
  return date === undefined ? name : `${name} (${date})`
}

function share(number: number, all: number): string {
  return all === 0 ? '' : ` (${((number / all) * 100).toFixed(number === all || number === 0 ? 0 : 1)} %)`
}
