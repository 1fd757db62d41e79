import { DATE_PASSED, NOT_JUDGED } from '../../compliance/exemption-dates.ts'
import { COLUMN_TITLES, type ColumnName } from '../formats/column-titles.ts'
import { escapeHtml } from '../formats/escape-markup.ts'
import { FAIL_ON_WORDS } from '../gate/fail-on.ts'
import type { ReportRow, SubstanceRow } from '../rows/report-row.ts'
import { VERDICT_TONES, type Verdict, verdictChip } from './html-tones.ts'

const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  'not compliant': 'a RoHS category is above its threshold, and no exemption covers it',
  unreadable: 'the file cannot be read as a declaration; the reason is under “Why”',
  missing: 'the part was requested, but no source declares it',
  incomplete: 'not all ten RoHS groups are stated, or a statement is not recognized: the status is not known',
  'not declared': 'the declaration has no RoHS list, or an empty one: nothing is known',
  'compliant with exemptions':
    'every category is below its threshold or covered by an exemption, which may end one day',
  compliant: 'all ten RoHS groups are stated, and below their thresholds',
  assembly: 'an assembly of the parts list without a declaration of its own, evaluated from its parts',
  superseded: 'a declaration that newer ones replace, in whole or in part',
}

const SVHC_WORDS: Readonly<Record<string, string>> = {
  SVHC: 'substance of very high concern on the REACH Candidate List, above 0.1 % by weight of an article',
  'with SVHC': 'at least one is declared above 0.1 %; the number in brackets is its code in the list',
  'without SVHC': 'a REACH list without gaps, and none above 0.1 %',
  'SVHC incomplete':
    'the REACH list has gaps: no SVHC above 0.1 % is stated, but not every entry has a statement',
  'SVHC not declared': 'no REACH list: nothing is known',
}

const DATE_WORDS: Readonly<Record<string, string>> = {
  'nominal date': 'the date in the reference table until which an exemption applies; for information only',
  [DATE_PASSED]:
    'the date is in the past; a renewal that was requested in time keeps the exemption valid until it is decided',
  [NOT_JUDGED]: 'the reference table has no date for the exemption, or its text is not recognized',
  'how sure': 'how well the date is confirmed, as stated in the reference table',
}

const LIST_WORDS: Readonly<Record<string, string>> = {
  'EUROHS-YYMM': 'the list of RoHS categories of that year and month that the declaration refers to',
  'EUREACH-MMYY': 'the REACH Candidate List of that month and year',
  'entries behind':
    'how many more entries the newest Candidate List in the reference table has than the declared one',
  'class A, B, C, D':
    'kinds of IPC-1752 declaration: A answers questions, B sums up material groups, C states substances of lists, D states all substances of each material',
  '1752A, 1752B': 'the version of the standard of the file',
}

const GATE_WORDS: Readonly<Record<string, string>> = {
  gate: 'the rules that make the report fail; the rows that match name them',
  waived: 'accepts a finding until a date: it stays visible, but does not fail the gate',
  ...FAIL_ON_WORDS,
  'stale:…': 'a list that is older than the one named, or than that many months or years',
  'exemption-expires:…': 'relies on an exemption whose earliest nominal date is on or before that day',
}

/** What the columns of parts mean. */
export const COLUMN_WORDS: Readonly<Record<keyof ReportRow, string>> = {
  part: 'part number of the supplier',
  requester_part: 'part number of the buyer',
  name: 'name of the part',
  supplier: 'the declaring company',
  company_id: 'its identifiers, a DUNS number first',
  date: 'day of the declaration',
  standard: 'version of IPC-1752',
  classes: 'declaration classes in the file',
  rohs: 'RoHS status',
  exemptions: 'RoHS exemptions in use, each with its list and category',
  rohs_list: 'list that decides the RoHS status',
  svhc_count: 'SVHCs above 0.1 %; empty where none are declared',
  svhc: 'these SVHCs, with code and highest concentration',
  reach_list: 'list that decides about SVHCs',
  mass_mg: 'milligrams of one unit',
  declared_percent: 'share of the mass that class D declares',
  status: 'declared, missing, assembly, unreadable or superseded',
  note: 'reason for the status, and other remarks',
  source: 'file, or archive and entry',
  unit_type: 'what one unit is; a piece by default',
  exemption_expires: 'earliest nominal date of an exemption in use',
  svhc_list_behind: 'how many more entries the newest Candidate List has',
  gate: 'rules that the row matches',
  reach: 'REACH status',
  other_lists: 'what lists other than RoHS and REACH state',
  indications: 'substances of class D above a threshold that no list declares',
}

/** What the columns of substances mean. */
export const SUBSTANCE_WORDS: Readonly<Record<keyof SubstanceRow, string>> = {
  part: 'part number of the supplier',
  material: 'homogeneous material, after the sub-products that contain it',
  material_mass_mg: 'milligrams of the material in one unit of the part',
  substance: 'substance as declared',
  cas: 'its CAS number',
  cas_valid: 'false where the text is no CAS number or its check digit is wrong',
  mass_mg: 'milligrams of the substance in one unit of the part',
  percent_of_material: 'its share of the material, by mass',
  ppm_of_part: 'its share of the part, in parts per million by mass',
  source: 'file, or archive and entry',
}

/** What every word on the page means, closed until it is opened or printed. */
export function wordsHtml(kind: 'parts' | 'substances'): string {
  const verdicts = Object.keys(VERDICT_TONES).map(
    (verdict) => [verdictChip(verdict), VERDICT_WORDS[verdict as Verdict]] as const,
  )
  const columns = kind === 'parts' ? COLUMN_WORDS : SUBSTANCE_WORDS
  return `<details id="words">
<summary><h2>What the words mean</h2></summary>
<div class="words">
${group('Verdict', verdicts)}${group('SVHC', escaped(SVHC_WORDS))}${group('Exemptions and dates', escaped(DATE_WORDS))}${group('Lists and classes', escaped(LIST_WORDS))}${group('Gate', escaped(GATE_WORDS))}${group(
  'Columns',
  Object.entries(columns).map(([name, text]) => [COLUMN_TITLES[name as ColumnName], text]),
)}</div>
</details>
`
}

function escaped(words: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(words).map(([word, text]) => [escapeHtml(word), text])
}

function group(title: string, words: readonly (readonly [string, string])[]): string {
  const items = words.map(([word, text]) => `<dt>${word}</dt><dd>${escapeHtml(text)}</dd>`)
  return `<section><h3>${title}</h3><dl>${items.join('')}</dl></section>\n`
}
