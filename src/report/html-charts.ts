import { formatCount, plural } from '../base/units.ts'
import { compareListAge, listDate, readListIdentity } from '../compliance/list-identity.ts'
import { escapeHtml } from './escape-markup.ts'
import type { ReportSummary } from './report-summary.ts'

const TONES: Readonly<Record<string, string>> = {
  compliant: 'good',
  'compliant with exemptions': 'fair',
  'not compliant': 'bad',
  incomplete: 'warn',
  'not declared': 'none',
}

const SHOWN = 12
const TEN_GROUPS = readListIdentity('EUROHS-1506')

/** The tiles with the counts. */
export function counts({ counts: all }: ReportSummary): string {
  const tiles: readonly (readonly [string, number, string])[] = [
    ['rows', all.rows, ''],
    ['not compliant', all.rohs['not compliant'], 'bad'],
    ['with SVHC', all.reach.withSvhc, 'warn'],
    ['incomplete', all.rohs.incomplete, 'warn'],
    ['missing', all.missing, 'bad'],
    ['unreadable', all.unreadable, 'bad'],
    ['files', all.files, ''],
  ]
  const items = tiles.map(
    ([name, number, tone]) =>
      `<li class="${number > 0 ? tone : ''}"><strong>${formatCount(number)}</strong> ${name}</li>`,
  )
  return `<ul class="tiles" aria-label="counts">${items.join('')}</ul>`
}

/** Three charts: RoHS status, SVHCs by number of parts, age of the lists. Bars are SVG, labels are text. */
export function charts(summary: ReportSummary): string {
  const { rohs } = summary.counts
  const status = Object.entries(rohs).map(([name, number]) => ({
    label: name,
    size: number,
    text: `${formatCount(number)}${share(number, summary.counts.declared)}`,
    tone: TONES[name] ?? 'none',
    filter: `data-column="rohs" data-value="${name}"`,
  }))
  const svhcs = summary.svhcs.slice(0, SHOWN).map(({ name, parts }) => ({
    label: name,
    size: parts,
    text: plural(parts, 'part'),
    tone: 'warn',
    filter: `data-search="${escapeHtml(name)}"`,
  }))
  const lists = summary.lists.slice(0, SHOWN).map(({ name, parts, ageMonths }) => ({
    label: labelOfList(name),
    size: Math.max(0, ageMonths ?? 0),
    text: `${ageMonths === undefined ? 'no date' : plural(Math.max(0, ageMonths), 'month')}, ${plural(parts, 'part')}`,
    tone: toneOfList(name, ageMonths),
    filter: `data-search="${escapeHtml(name)}"`,
  }))
  return `<div class="charts">${chart('RoHS status', status, 'nothing declared')}${chart(
    'SVHCs by number of parts',
    svhcs,
    withoutSvhcs(summary),
    summary.svhcs.length > SHOWN ? `${summary.svhcs.length - SHOWN} more in the table` : '',
  )}${chart('Age of declared lists', lists, 'no lists declared')}</div>`
}

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
  readonly tone: string
  /** Data attributes of the filter that a click applies. */
  readonly filter: string
}

function chart(title: string, bars: readonly Bar[], nothing: string, foot = ''): string {
  const largest = Math.max(1, ...bars.map(({ size }) => size))
  const items = bars.map(
    ({ label, size, text, tone, filter }) =>
      `<li ${filter} title="${escapeHtml(`${label}: ${text}`)}"><span class="label">${escapeHtml(label)}</span><svg class="bar ${tone}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="100" height="8"/><rect width="${((size / largest) * 100).toFixed(2)}" height="8"/></svg><span class="value">${escapeHtml(text)}</span></li>`,
  )
  const body = items.length === 0 ? `<p class="faint">${nothing}</p>` : `<ul>${items.join('')}</ul>`
  return `<figure><figcaption>${title}</figcaption>${body}${foot === '' ? '' : `<p class="faint">${foot}</p>`}</figure>`
}

/** The Candidate List grows twice a year; a RoHS list is up to date if it covers all ten groups (2015/863). */
function toneOfList(name: string, ageMonths: number | undefined): string {
  if (ageMonths === undefined) return 'none'
  const list = readListIdentity(name)
  if (list.family === 'rohs') return compareListAge(list, TEN_GROUPS) >= 0 ? 'good' : 'bad'
  return ageMonths > 24 ? 'bad' : ageMonths > 12 ? 'warn' : 'good'
}

function labelOfList(name: string): string {
  const date = listDate(readListIdentity(name))
  return date === undefined ? name : `${name} (${date})`
}

function share(number: number, all: number): string {
  return all === 0 ? '' : ` (${((number / all) * 100).toFixed(number === all || number === 0 ? 0 : 1)} %)`
}
