import { formatCount, plural } from '../../base/units.ts'
import { NOT_JUDGED } from '../../compliance/exemption-dates.ts'
import { dateLines, exemptionName } from '../date-lines.ts'
import { escapeHtml } from '../formats/escape-markup.ts'
import type { Waiver } from '../gate/waivers.ts'
import type { ReportSummary } from '../report-summary.ts'
import type { ExemptionUse } from '../rows/exemption-use.ts'
import { filterLink, partLinks, unbroken, withLinks } from './html-links.ts'

const NAMED = 8
const MAX_WAIVERS = 200

/** What will end: each exemption in use with its nominal dates, how sure they are, the parts that rely on it, and the sources. */
export function exemptionsHtml({ reference }: ReportSummary): string {
  if (reference === undefined || reference.exemptions.length === 0) return ''
  const { exemptions, moreExemptions, withoutDate, tables } = reference
  const notes = [
    moreExemptions > 0 ? `and ${plural(moreExemptions, 'more exemption')}` : '',
    withoutDate > 0
      ? `${plural(withoutDate, 'part')} with an exemption whose date is not known: ${NOT_JUDGED}`
      : '',
    `dates from ${tables.rohsExemptions.file}; nominal dates are for information only: a renewal that was requested in time keeps an exemption valid until it is decided`,
  ].filter((note) => note !== '')
  return `<section aria-labelledby="ends-title">
<h2 id="ends-title">What will end</h2>
<div class="scroll" tabindex="0" role="region" aria-label="exemptions in use"><table class="ends">
<thead><tr><th scope="col">Exemption</th><th scope="col">Nominal date</th><th scope="col">What is known</th><th scope="col">How sure</th><th scope="col">Parts that rely on it</th><th scope="col">Source</th></tr></thead>
<tbody>${exemptions.map(exemptionRow).join('')}</tbody></table></div>
${notes.map((note) => `<p class="sub">${unbroken(note)}</p>\n`).join('')}</section>
`
}

function exemptionRow(use: ExemptionUse): string {
  const { number, annex, declared, earliest, latest, status, confidence, remark, parts, firstParts } = use
  const key = number === '' ? (declared[0] ?? '') : number
  const named = annex === '' ? '' : `<br><span class="sub">Annex ${annex}</span>`
  const dates =
    earliest === ''
      ? 'none known'
      : earliest === latest
        ? earliest
        : `${earliest} to ${latest}<br><span class="sub">by product category</span>`
  const sure = [confidence, remark].filter((text) => text !== '').map(unbroken)
  return `<tr><th scope="row">${filterLink({ exemption: key }, escapeHtml(exemptionName(use)))}${named}</th><td class="date">${dates}</td><td>${escapeHtml(status)}</td><td class="prose">${sure.join('; ')}</td><td class="prose"><strong>${formatCount(parts)}</strong>: ${partLinks(firstParts, parts, NAMED)}</td><td class="prose">${withLinks(use.source)}</td></tr>
`
}

/** The used, expired and unmatched waivers, each with its reason, owner and last day. */
export function waiversHtml({ waivers }: ReportSummary): string {
  if (waivers === undefined) return ''
  const { file, used, runOut, unmatched } = waivers
  const groups: readonly (readonly [string, readonly Waiver[]])[] = [
    ['has expired', runOut],
    ['matches nothing', unmatched],
    ['in use', used],
  ]
  const all = groups.flatMap(([state, list]) => list.map((waiver) => ({ state, waiver })))
  if (all.length === 0) return ''
  const rows = all
    .slice(0, MAX_WAIVERS)
    .map(
      ({ state, waiver: { part, rule, reason, owner, until } }) =>
        `<tr><th scope="row">${filterLink({ part }, escapeHtml(part))}</th><td>${escapeHtml(rule)}</td><td>${state}</td><td class="date">${escapeHtml(until)}</td><td class="prose">${escapeHtml(reason)}</td><td>${escapeHtml(owner)}</td></tr>`,
    )
  const more = all.length - rows.length
  return `<section aria-labelledby="waivers-title">
<h2 id="waivers-title">Waivers of ${escapeHtml(file)}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="waivers"><table>
<thead><tr><th scope="col">Part</th><th scope="col">Rule</th><th scope="col">Waiver</th><th scope="col">Until</th><th scope="col">Reason</th><th scope="col">Owner</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>
${more > 0 ? `<p class="sub">and ${formatCount(more)} more</p>\n` : ''}</section>
`
}

/** How old the declared lists are, and which tables of which date the page knows it from. */
export function tablesHtml(summary: ReportSummary): string {
  const lines = dateLines(summary).map((line) => `<p>${unbroken(line)}</p>\n`)
  if (lines.length === 0) return ''
  return `<section aria-labelledby="tables-title">\n<h2 id="tables-title">Lists and reference tables</h2>\n${lines.join('')}</section>\n`
}
