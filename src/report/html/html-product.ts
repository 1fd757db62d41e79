import { formatCount, plural } from '../../base/units.ts'
import { DATE_PASSED, NOT_JUDGED } from '../../compliance/exemption-dates.ts'
import { escapeHtml } from '../formats/escape-markup.ts'
import { formatMass, formatNumber } from '../rollup/rollup-lines.ts'
import type { Rollup } from '../rollup/rollup-result.ts'
import { filterLink, partLinks } from './html-links.ts'
import { TONE_SIGNS, VERDICT_TONES, type Verdict, verdictChip } from './html-tones.ts'

/** Parts named beside an exemption, a substance or a fault; the rest are behind its link. */
const NAMED = 8
/** Exemptions, substances and assemblies that have a line each. */
const LINES = 50

/** The product: its status first, then what it rests on. */
export function productHtml(rollup: Rollup): string {
  const { rohs, parts, pieces, notCompliant, incomplete, withoutData, exemptions, svhcs, reach } = rollup
  const tone = VERDICT_TONES[rohs as Verdict] ?? 'none'
  const amount = pieces === null ? 'not all quantities are known' : `${formatNumber(pieces)} pieces`
  const missing = withoutData.missing + withoutData.notDeclared
  const facts = [
    fact('not compliant', notCompliant.count, partLinks(notCompliant.parts, notCompliant.count, NAMED)),
    fact('incomplete', incomplete.count, partLinks(incomplete.parts, incomplete.count, NAMED)),
    fact('without data', missing, withoutDataText(rollup)),
    fact('unreadable', withoutData.unreadable, unreadableText(withoutData.unreadable)),
    fact('exemptions in use', exemptions.length, lines(exemptions.map(exemptionText), exemptions.length)),
    fact('SVHC above 0.1 %', svhcs.length, lines(svhcs.map(substanceText), svhcs.length)),
    fact('no REACH statement', reach.notDeclared, plural(reach.notDeclared, 'part')),
    fact('mass', 1, massText(rollup.mass)),
  ]
  return `<section class="product ${tone}" aria-labelledby="product-title">
<h2 id="product-title"><span class="sign" aria-hidden="true">${TONE_SIGNS[tone]}</span><span>Product: RoHS ${escapeHtml(rohs)}</span></h2>
<p class="sub">${plural(parts, 'part')}, ${amount}</p>
<dl>${facts.join('')}</dl>
${assemblies(rollup.assemblies)}</section>
`
}

function fact(name: string, count: number, content: string): string {
  return count === 0 ? '' : `<div><dt>${name}</dt><dd>${content}</dd></div>`
}

function withoutDataText({ withoutData: { parts, missing, notDeclared } }: Rollup): string {
  const kinds = [
    missing > 0 ? `${formatCount(missing)} missing` : '',
    notDeclared > 0 ? `${formatCount(notDeclared)} not declared` : '',
  ].filter((kind) => kind !== '')
  const names = parts.map(({ part }) => part)
  return `${partLinks(names, missing + notDeclared, NAMED)} (${kinds.join(', ')})`
}

function unreadableText(files: number): string {
  const link = filterLink({ verdict: 'unreadable' }, plural(files, 'file'))
  return `${link}, which may be about any of the parts`
}

function exemptionText({ exemption, expires, status, parts, count }: Rollup['exemptions'][number]): string {
  const passed = status.startsWith(DATE_PASSED) ? `: ${status}` : ''
  const date = expires === null ? `no date known: ${NOT_JUDGED}` : `earliest nominal date ${expires}${passed}`
  return `<strong>${filterLink({ exemption }, escapeHtml(exemption))}</strong> (${escapeHtml(date)}): ${partLinks(parts, count, NAMED)}`
}

function substanceText({ substance, parts, count }: Rollup['svhcs'][number]): string {
  return `<strong>${filterLink({ substance }, escapeHtml(substance))}</strong>: ${partLinks(parts, count, NAMED)}`
}

function massText({ mg, knownMg, unknown, unknownCount }: Rollup['mass']): string {
  if (mg !== null) return formatMass(mg)
  const [first] = unknown
  const more = unknownCount > 1 ? ` and ${formatCount(unknownCount - 1)} more` : ''
  const why =
    first === undefined ? '' : `: ${partLinks([first.part], 1, 1)} (${escapeHtml(first.reason)})${more}`
  return `no total (${formatMass(knownMg)} known)${why}`
}

function lines(items: readonly string[], count: number): string {
  const more = count - Math.min(items.length, LINES)
  const shown = items.slice(0, LINES).map((item) => `<li>${item}</li>`)
  return `<ul>${shown.join('')}${more > 0 ? `<li>and ${formatCount(more)} more</li>` : ''}</ul>`
}

function assemblies({ count, declared, flattened, lines: all }: Rollup['assemblies']): string {
  if (flattened !== null) return `<p class="sub">assemblies: none, ${escapeHtml(flattened)}</p>\n`
  if (count === 0) return ''
  const own = declared === 0 ? '' : `, ${formatCount(declared)} with their own declaration`
  const more = count > LINES ? `<p class="sub">and ${formatCount(count - LINES)} more</p>` : ''
  const rows = all
    .slice(0, LINES)
    .map(
      ({ part, quantity, rohs, withoutData, withSvhc, massMg }) =>
        `<tr><th scope="row">${escapeHtml(part)}</th><td class="number">${quantity === null ? 'unknown' : formatNumber(quantity)}</td><td>${verdictChip(rohs)}</td><td class="number">${formatCount(withoutData)}</td><td class="number">${formatCount(withSvhc)}</td><td class="number">${massMg === null ? 'unknown' : formatMass(massMg)}</td></tr>`,
    )
  return `<div class="scroll" tabindex="0" role="region" aria-label="assemblies"><table>
<caption>${plural(count, 'assembly', 'assemblies')}, evaluated from their parts${own}</caption>
<thead><tr><th scope="col">Assembly</th><th scope="col" class="number">Quantity</th><th scope="col">RoHS</th><th scope="col" class="number">Parts without data</th><th scope="col" class="number">Parts with SVHC</th><th scope="col" class="number">Mass of one</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>${more}
`
}
