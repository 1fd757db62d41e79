import { DATE_PASSED, NOT_JUDGED } from '../compliance/exemptions.ts'
import { VALUED } from '../compliance/finding-rules.ts'
import type { RohsStatus } from '../compliance/rohs.ts'
import type { Tone } from './document.ts'
import type { ReportCounts } from './report-result.ts'
import { isJudged, RULE_HELP, VERDICT_HELP, VERDICT_TONES, type Verdict } from './row-findings.ts'
import type { JudgedRow, ReportStatus } from './rows/report-row.ts'

/** What a report says of a row in one word: its RoHS status, or why it has none. */
export type RowStatus = RohsStatus | Exclude<ReportStatus, 'declared'>

/** The words for rows, worst first: how each is marked, and what it means. */
export const STATUSES: Readonly<Record<RowStatus, { readonly tone: Tone; readonly help: string }>> = {
  'not compliant': {
    tone: 'bad',
    help: 'a RoHS category is above its threshold, and no exemption covers it',
  },
  unreadable: {
    tone: 'bad',
    help: 'the file cannot be read as a declaration; the reason is under “Remarks”',
  },
  missing: { tone: 'bad', help: 'the part was requested, but no source declares it' },
  unknown: { tone: 'bad', help: 'the request for the part failed: it is not known whether it is declared' },
  incomplete: {
    tone: 'warn',
    help: 'not all ten RoHS groups are stated, or a statement is not recognized: the status is not known',
  },
  'not declared': {
    tone: 'warn',
    help: 'the declaration has no RoHS list, or an empty one: nothing is known',
  },
  'compliant with exemptions': {
    tone: 'fair',
    help: 'every category is below its threshold or covered by an exemption, which may end one day',
  },
  compliant: { tone: 'good', help: 'all ten RoHS groups are stated, and below their thresholds' },
  assembly: {
    tone: 'none',
    help: 'an assembly of the parts list without a declaration of its own, evaluated from its lines',
  },
  'not fitted': {
    tone: 'none',
    help: 'a line that is not fitted or has the quantity 0: asked for, and not part of the product',
  },
  superseded: { tone: 'none', help: 'a declaration that newer ones replace, in whole or in part' },
}

/** The tone of a word in a row: nothing is marked as good in one that is not clean. Undefined for a word that is no status. */
export function toneIn(row: Pick<JudgedRow, 'verdict'>, word: string): Tone | undefined {
  if (Object.hasOwn(VERDICT_HELP, word)) return VERDICT_TONES[word as Verdict]
  if (!Object.hasOwn(STATUSES, word)) return undefined
  if (!isJudged(row)) return 'none'
  const { tone } = STATUSES[word as RowStatus]
  return (tone === 'good' || tone === 'fair') && VERDICT_TONES[row.verdict] !== 'good' ? 'none' : tone
}

/** What a declared row says of the Candidate List, as it is counted. */
export type ReachWord = keyof ReportCounts['reach']

/** The words for it. */
export const REACH_WORDS: Readonly<
  Record<ReachWord, { readonly word: string; readonly tone: Tone; readonly help: string }>
> = {
  withSvhc: {
    word: 'with SVHC',
    tone: 'warn',
    help: 'at least one is declared above 0.1 %; the number in brackets is its code in the list',
  },
  withoutSvhc: {
    word: 'without SVHC',
    tone: 'good',
    help: 'a REACH list without gaps, and none above 0.1 %',
  },
  incomplete: {
    word: 'SVHC incomplete',
    tone: 'warn',
    help: 'the REACH list has gaps: no SVHC above 0.1 % is stated, but not every entry has a statement',
  },
  notDeclared: {
    word: 'SVHC not declared',
    tone: 'none',
    help: 'no REACH list: nothing is known',
  },
}

/** What is to say of how a date was found: nothing of one that was read in the act itself; the words of a table of one's own. */
export function unconfirmedText(research: string): string {
  const level = confidenceLevel(research)
  return level === 'high' ? '' : level === 'medium' || level === 'low' ? 'date not confirmed' : level
}

/** How well a date of a reference table is confirmed, from the words of the table for its research; other words stay as they are. */
export function confidenceLevel(research: string): string {
  for (const [level, words] of CONFIDENCE) if (words.test(research)) return level
  return research
}

/** The first that matches counts. */
const CONFIDENCE: readonly (readonly [level: string, words: RegExp])[] = [
  ['low', /^no date seen|^one summary/i],
  ['medium', /contradicted|dates cut off|^two agreeing summaries/i],
  ['high', /^verified|^text of the law seen/i],
]

/** What the words of a report mean, in groups. */
export const GLOSSARY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Verdict: VERDICT_HELP,
  SVHC: {
    SVHC: 'substance of very high concern on the REACH Candidate List, above 0.1 % by weight of an article',
    ...Object.fromEntries(Object.values(REACH_WORDS).map(({ word, help }) => [word, help])),
  },
  'Exemptions and dates': {
    'nominal date': 'the date in the reference table until which an exemption applies; for information only',
    [DATE_PASSED]:
      'the date is in the past; a renewal that was requested in time keeps the exemption valid until it is decided',
    [NOT_JUDGED]: 'the reference table has no date for the exemption, or its text is not recognized',
    'date not confirmed': 'the act is named, but its text with the date was not seen: others tell the date',
  },
  'Lists and classes': {
    'EUROHS-YYMM': 'the list of RoHS categories of that year and month that the declaration refers to',
    'EUREACH-MMYY': 'the REACH Candidate List of that month and year',
    'entries behind':
      'how many more entries the newest Candidate List in the reference table has than the declared one',
    'class A, B, C, D':
      'kinds of IPC-1752 declaration: A answers questions, B sums up material groups, C states substances of lists, D states all substances of each material',
    '1752A, 1752B': 'the version of the standard of the file',
  },
  Gate: {
    gate: 'the rules that make the report fail; the rows that match name them',
    waived: 'accepts a finding until a date: it stays visible, but does not fail the gate',
    ...Object.fromEntries(
      Object.entries(RULE_HELP).map(([rule, help]) => [VALUED.has(rule) ? `${rule}:…` : rule, help]),
    ),
  },
}
