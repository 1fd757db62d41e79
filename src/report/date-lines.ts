import { plural } from '../base/units.ts'
import { listDate, readListIdentity } from '../compliance/list-identity.ts'
import type { CandidateListUse, ReferenceFacts } from './regulations/reference-facts.ts'
import type { ReferenceTable } from './regulations/reference-tables.ts'
import type { ReportSummary } from './report-summary.ts'
import type { ExemptionUse } from './rows/exemption-use.ts'

/** Lists and exemptions that a few lines have room for. */
const MAX_LISTS = 3
const MAX_EXEMPTIONS = 20
const MAX_PARTS = 3

/** How old the declared Candidate Lists are, and which tables say so. */
export function dateLines({ reference }: ReportSummary): string[] {
  if (reference === undefined) return []
  return [candidateListLine(reference), tablesLine(reference)].filter((line) => line !== '')
}

/** The exemptions in use as a block of lines: number, date over product categories, parts. Empty where none is in use. */
export function exemptionLines({ reference }: ReportSummary): string[] {
  if (reference === undefined || reference.exemptions.length === 0) return []
  const { exemptions, moreExemptions, withoutDate } = reference
  const shown = exemptions.slice(0, MAX_EXEMPTIONS)
  const names = shown.map((use) => exemptionName(use))
  const width = Math.max(...names.map((name) => name.length))
  const more = exemptions.length - shown.length + moreExemptions
  return [
    'exemptions in use, earliest nominal date first:',
    ...shown.map(
      (use, index) => `  ${names[index]!.padEnd(width)}  ${exemptionWords(use)}; ${partsWords(use)}`,
    ),
    ...(more > 0 ? [`  and ${plural(more, 'more exemption')}`] : []),
    ...(withoutDate > 0
      ? [`  ${plural(withoutDate, 'part')} with an exemption whose date is not known: not judged`]
      : []),
  ]
}

/** The legal number, or the text as declared where it is not recognized. */
export function exemptionName({ number, declared }: ExemptionUse): string {
  return number === '' ? `"${(declared[0] ?? '').slice(0, 40)}"` : number
}

/** `2026-12-11 to 2027-06-30 by product category, in force; two agreeing summaries`. */
export function exemptionWords({ earliest, latest, status, confidence, remark }: ExemptionUse): string {
  if (earliest === '') return `${status} (${[confidence, remark].filter((text) => text !== '').join('; ')})`
  const dates = earliest === latest ? earliest : `${earliest} to ${latest} by product category`
  return `${dates}, ${status}; ${confidence}`
}

function partsWords({ parts, firstParts }: ExemptionUse): string {
  const shown = firstParts.slice(0, MAX_PARTS)
  const more = parts > shown.length ? ' …' : ''
  return `${plural(parts, 'part')}: ${shown.join(', ')}${more}`
}

/** `Candidate List: 241 entries of June 2024 (3 parts); the newest list known to this table has 253 (2026-02-04, …)`. */
function candidateListLine({ candidateLists, tables }: ReferenceFacts): string {
  const newest = tables.svhcUpdates.rows.at(-1)
  if (candidateLists.length === 0 || newest === undefined) return ''
  const lists = candidateLists.map(listWords)
  // The newest and the oldest say the most.
  const left = lists.length - MAX_LISTS
  if (left > 0) lists.splice(MAX_LISTS - 1, left, `${plural(left, 'list')} between`)
  const sure = newest.confidence === '' ? '' : `, ${newest.confidence}`
  return `Candidate List: ${lists.join(', ')}; the newest list known to this table has ${newest.entries} (${newest.date}${sure})`
}

function listWords({ list, parts, entries }: CandidateListUse): string {
  if (entries === undefined) return `${list} is not in this table (${plural(parts, 'part')})`
  return `${entries} entries of ${listDate(readListIdentity(list))} (${plural(parts, 'part')})`
}

function tablesLine({ tables }: ReferenceFacts): string {
  const { svhcUpdates, rohsExemptions, svhcSubstances, rohsSubstances } = tables
  const all = [svhcUpdates, rohsExemptions, svhcSubstances, rohsSubstances]
  return `reference tables: ${all.map(tableWords).join(', ')}`
}

/** `rohs-exemptions.csv of matdecl 1.0.0 (newest date 2027-12-31, checked 2026-11-21)`. */
export function tableWords({ file, newest, checked }: ReferenceTable<unknown>): string {
  const facts = [
    newest === '' ? 'no date' : `newest date ${newest}`,
    checked === '' ? '' : `checked ${checked}`,
  ]
  return `${file} (${facts.filter((fact) => fact !== '').join(', ')})`
}
