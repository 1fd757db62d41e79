import { DATE_PASSED, passedText } from '../compliance/exemptions.ts'
import { type Finding, kindOf, type Place } from '../compliance/finding.ts'
import { type FindingRule, NOTHING_TO_JUDGE, VALUED } from '../compliance/finding-rules.ts'
import { lackText, type ReachStatus } from '../compliance/reach.ts'
import type { RohsStatus } from '../compliance/rohs.ts'
import type { Tone } from './document.ts'
import type { RowDates } from './regulations/reference-facts.ts'
import type { Rollup } from './report-result.ts'
import type { JudgedRow, RowFinding, Verdict } from './rows/report-row.ts'

export { NOTHING_TO_JUDGE, type RowFinding, type Verdict }

// What is found in the lines of a report. Everything that shows a verdict, a count, a color or a gate is a function of it: no other
// file compares a verdict.

/** What each rule finds, worst first. */
export const RULE_HELP: Readonly<Record<FindingRule, string>> = {
  'not-compliant': 'a RoHS category above its threshold, and no exemption covers it',
  missing: 'a line of the parts list that no source declares',
  unreadable: 'a file that cannot be read as a declaration',
  contradictory:
    'statements that contradict each other, such as a value above the threshold beside "not over", or class A against class C',
  indicated: 'a substance that class D has above a threshold and no list declares as such',
  threshold:
    'a statement "not over" a threshold that is higher than the limit of the law, or of something larger',
  'not-screened': 'a restricted substance in class D whose share is not known',
  incomplete:
    'a RoHS or REACH list that is not whole, or states something that is not recognized; a declaration without a part number',
  'not-declared': 'a declaration without a RoHS list',
  'reach-not-declared': 'a declaration without a Candidate List',
  unaccepted: 'a declaration that its supplier has not accepted',
  'other-manufacturer': 'a declaration of another company than the manufacturer in the parts list',
  'alternate-missing': 'a number that no source declares, on a line with another number that is declared',
  'exemption-passed': 'relies on an exemption whose nominal date has passed',
  svhc: 'an SVHC above 0.1 %',
  exemption: 'relies on an exemption',
  over: 'an entry above its threshold in a list that is neither RoHS nor REACH',
  stale: 'a list that is older than the one named, or than that many months or years',
  older: 'a declaration that is older than that many months or years',
  'exemption-expires': 'relies on an exemption whose earliest nominal date is on or before that day',
}

const RULES = Object.keys(RULE_HELP) as readonly FindingRule[]

/** The rules as counts name them. */
const RULE_WORDS: Readonly<Record<FindingRule, string>> = {
  'not-compliant': 'not compliant',
  missing: 'missing',
  unreadable: 'unreadable',
  contradictory: 'contradictory',
  indicated: 'with indications',
  threshold: 'with a threshold above the limit',
  'not-screened': 'not screened',
  incomplete: 'incomplete',
  'not-declared': 'without a RoHS list',
  'reach-not-declared': 'without a Candidate List',
  unaccepted: 'not accepted',
  'other-manufacturer': 'of another manufacturer',
  'alternate-missing': 'with an alternate missing',
  'exemption-passed': 'with an exemption past its date',
  svhc: 'with SVHC',
  exemption: 'with exemptions',
  over: 'over in',
  stale: 'with a list older than',
  older: 'older than',
  'exemption-expires': 'with an exemption that ends until',
}

/** A word of a finding as counts name it: `with SVHC`, `over in Prop_65`. */
export function inWords(word: string): string {
  const [rule, value] = ruleOf(word)
  return value === ''
    ? RULE_WORDS[rule]
    : `${RULE_WORDS[rule]} ${rule === 'indicated' ? `of ${value}` : value}`
}

/** What a finding is in a line of its own, in few words. */
const IN_FEW_WORDS: Readonly<Record<FindingRule, (subject: string) => string>> = {
  'not-compliant': (subject) => (subject === '' ? 'not compliant' : `${subject} over`),
  missing: () => 'missing',
  unreadable: () => 'unreadable',
  contradictory: (subject) => `contradictory: ${subject}`,
  indicated: (subject) => `material data: ${subject}`,
  incomplete: (subject) => `${subject} incomplete`,
  'not-declared': () => 'RoHS not declared',
  'reach-not-declared': () => 'REACH not declared',
  threshold: (subject) => `${subject}: threshold above the limit`,
  'not-screened': (subject) => `${subject} not screened`,
  unaccepted: () => 'not accepted',
  'other-manufacturer': (subject) => `not by ${subject}`,
  'alternate-missing': () => 'alternate missing',
  'exemption-passed': (subject) => `${subject} past its date`,
  svhc: (subject) => `SVHC ${subject}`,
  exemption: (subject) => `exemption ${subject}`,
  over: (subject) => `over in ${subject}`,
  stale: (subject) => `list older than ${subject}`,
  older: (subject) => `older than ${subject}`,
  'exemption-expires': (subject) => `exemption ends until ${subject}`,
}

/** What makes a status incomplete is said in its own words: the status has a column of its own. */
function inFewWords({ rule, subject, sentence, brief }: Finding): string {
  if (brief !== undefined) return brief
  return rule === 'incomplete' ? withoutList(sentence) : IN_FEW_WORDS[rule](subject)
}

/** Notes of a list are without its name. */
export function withoutList(sentence: string): string {
  return sentence.replace(/^(?:RoHS|REACH): /, '')
}

/** Why an assembly is not clean that is so because of its lines alone: `in its lines: not compliant, missing`. */
export function whyByLines({ findings, verdict, line }: JudgedRow): string | undefined {
  if (!needsAttention({ verdict }) || findings.some((finding) => !isNoted(finding))) return undefined
  const words = (line?.foundInside ?? []).toSorted((a, b) => wordRank(a) - wordRank(b))
  return `in its lines: ${words.map(inWords).join(', ') || 'not clean'}`
}

/** Why a row is not clean, else what is to know of it; an assembly may be so because of its lines alone. */
export function whyOf(row: JudgedRow): string {
  const { findings, notes, status, judged } = row
  const byLines = whyByLines(row)
  if (byLines !== undefined) return byLines
  const open = findings.filter((finding) => !isNoted(finding))
  const found = open.length > 0 ? open : findings
  if (found.length === 0 && status !== 'declared') return notes[0] ?? ''
  const lack = open.length > 0 ? '' : lackText(judged.reach)
  return [...new Set([...found.map(inFewWords), ...(lack === '' ? [] : [lack])])].join(', ')
}

/** The place of a word where the worst come first. */
export function wordRank(word: string): number {
  return RULES.indexOf(ruleOf(word)[0])
}

/** Words of a gate, those of failures before those of doubts. */
export function failuresFirst(words: readonly string[]): readonly string[] {
  return words.toSorted((a, b) => Number(b === ORDER[0]) - Number(a === ORDER[0]))
}

/** A word of a finding in its rule and its value. */
export function ruleOf(word: string): readonly [rule: FindingRule, value: string] {
  const at = word.indexOf(':')
  return at < 0 ? [word as FindingRule, ''] : [word.slice(0, at) as FindingRule, word.slice(at + 1)]
}

/** The rule of a finding as gates and columns have it: with its value, such as `over:Prop_65`. */
export function findingWord({ rule, subject, place }: Finding): string {
  if (VALUED.has(rule)) return `${rule}:${oneValue(subject)}`
  const ownList = rule === 'indicated' ? place?.list : ''
  return ownList ? `${rule}:${oneValue(ownList)}` : rule
}

/** Several words are separated by `; `. */
function oneValue(text: string): string {
  return text.replaceAll('; ', ', ')
}

/** The words of all findings, each once. */
export function findingWords(findings: readonly Finding[]): readonly string[] {
  return findings.length === 0 ? NONE : [...new Set(findings.map(findingWord))]
}

const NONE: readonly never[] = []

/** A finding in a sentence, with what kind it is. */
export function findingText(finding: Finding): string {
  return `${findingWord(finding)}: ${finding.sentence}`
}

/** What findings depend on beside the row. */
export interface FindingContext {
  /** The time of the report. */
  readonly nowMs: number
  readonly dates?: RowDates | undefined
}

/** Worst first, those of the same rule in their order. */
export function sortedFindings<T extends Finding>(findings: readonly T[]): readonly T[] {
  return findings.length < 2 ? findings : findings.toSorted((a, b) => findingRank(a) - findingRank(b))
}

/** The place of a finding where the worst come first. */
export function findingRank({ rule }: Finding): number {
  return RULES.indexOf(rule)
}

// What findings amount to

/** The verdict of a row by its findings alone. */
export function verdictOf(findings: readonly Finding[]): Exclude<Verdict, ''> {
  const kinds = new Set(findings.map(kindOf))
  return kinds.has('failed') ? 'failed' : kinds.has('doubtful') ? 'doubtful' : 'clean'
}

/** The verdict of several lines, parts or products together. That of nothing is a word of its own: it passes no gate. */
export type OverallVerdict = Exclude<Verdict, ''> | typeof NOTHING_TO_JUDGE

/** The worst of several verdicts. */
export function worstVerdict(verdicts: Iterable<Verdict | OverallVerdict>): OverallVerdict {
  const all = new Set(verdicts)
  return (['failed', 'doubtful', 'clean'] as const).find((verdict) => all.has(verdict)) ?? NOTHING_TO_JUDGE
}

/** True for the verdict of what fails. */
export function isFailing(verdict: Verdict): boolean {
  return verdict === 'failed'
}

/** Positive where the verdict is better now, negative where it is worse. */
export function verdictChange(old: Verdict, now: Verdict): number {
  return ORDER.indexOf(now) - ORDER.indexOf(old)
}

/** The verdict of rows that are counted by theirs. */
export function worstOfCounts(counts: Readonly<Record<Exclude<Verdict, ''>, number>>): OverallVerdict {
  return worstVerdict((['failed', 'doubtful', 'clean'] as const).filter((verdict) => counts[verdict] > 0))
}

/** The verdict of a line by its rows; empty for one that is not judged. */
export function lineVerdict(rows: readonly { readonly verdict: Verdict }[]): Verdict {
  const worst = worstVerdict(rows.map(({ verdict }) => verdict))
  return worst === NOTHING_TO_JUDGE ? '' : worst
}

/** False for a superseded declaration, and for a line that is not fitted. */
export function isJudged({ verdict }: { readonly verdict: Verdict }): boolean {
  return verdict !== ''
}

/** True for a finding that is only to know. */
export function isNoted(finding: Finding): boolean {
  return kindOf(finding) === 'note'
}

/** True for what somebody has to look at: everything that is judged and not clean. */
export function needsAttention({ verdict }: { readonly verdict: Verdict }): boolean {
  return verdict === 'failed' || verdict === 'doubtful'
}

/** How a verdict is marked: only what is clean is good. */
export const VERDICT_TONES: Readonly<Record<Verdict | OverallVerdict, Tone>> = {
  failed: 'bad',
  doubtful: 'warn',
  clean: 'good',
  [NOTHING_TO_JUDGE]: 'none',
  '': 'none',
}

/** What the words mean. */
export const VERDICT_HELP: Readonly<Record<OverallVerdict, string>> = {
  failed: 'a finding fails it: it is declared not compliant',
  doubtful: 'nothing fails it, but something is missing, not whole, not recognized or contradicts itself',
  clean: 'RoHS and REACH are declared as a whole, and nothing is found but what is to know',
  [NOTHING_TO_JUDGE]: 'no declaration and no line, or only lines that are not fitted: that passes no gate',
}

/** The place of a row where the worst come first: what fails the gate, then by its worst finding. */
export function rowRank({ gate, verdict, findings }: JudgedRow): number {
  if (verdict === '') return NOT_JUDGED_RANK
  const first = findings[0]
  const own = first === undefined ? RULES.length : findingRank(first)
  const inside = ORDER.indexOf(verdict) * RULES.length
  return (gate.open.length > 0 ? 0 : FIRST_PASSED) + inside + own
}

const ORDER: readonly Verdict[] = ['failed', 'doubtful', 'clean']
const FIRST_PASSED = 100
const NOT_JUDGED_RANK = 1_000

/**
 * What the statuses of a product say of it, as far as a finding of a line that no waiver accepts is behind it: a gate that has passed
 * never stands beside a product that its rules describe.
 */
export function productFindings(
  { rohs, reach }: { readonly rohs: Rollup['rohs']; readonly reach: Pick<Rollup['reach'], 'status'> },
  open: ReadonlySet<FindingRule>,
): readonly Finding[] {
  const of = (rule: FindingRule, subject: string, status: string): Finding => ({
    rule,
    subject,
    names: [],
    sentence: `the product: ${subject} ${status}`,
  })
  const byRohs = ROHS_RULES[rohs]
  const byReach = REACH_RULES[reach.status]
  return [
    ...(byRohs === undefined ? [] : [of(byRohs, 'RoHS', rohs)]),
    ...(byReach === undefined ? [] : [of(byReach, 'REACH', reach.status)]),
  ].filter(({ rule }) => (LACKING.includes(rule) ? LACKING : [rule]).some((behind) => open.has(behind)))
}

/** The findings by which a product is incomplete or not declared. */
const LACKING: readonly FindingRule[] = [
  'incomplete',
  'threshold',
  'missing',
  'not-declared',
  'reach-not-declared',
  'other-manufacturer',
]

const ROHS_RULES: Readonly<Record<string, FindingRule>> = {
  'not compliant': 'not-compliant',
  incomplete: 'incomplete',
  'not declared': 'not-declared',
}
const REACH_RULES: Readonly<Record<string, FindingRule>> = {
  SVHC: 'svhc',
  incomplete: 'incomplete',
  'not declared': 'reach-not-declared',
}

/** True for a RoHS or REACH status that says nothing. */
export function isSilent(status: RohsStatus | ReachStatus): boolean {
  return status === 'not declared'
}

/** True for what makes a part of a product count under a RoHS status: without a statement it is incomplete too. */
export function isBehind(status: RohsStatus, own: RohsStatus): boolean {
  return own === status || (status === 'incomplete' && isSilent(own))
}

/** True for the REACH status of a whole list without a substance above 0.1 %. */
export function isFreeOfSvhc(status: string): boolean {
  return status === 'no SVHC'
}

// What is found beside the declarations

/** What is found in a row that has no declaration, and what depends on the list, on dates and on settings. */
export function addedFindings(row: JudgedRow, { dates }: FindingContext): readonly Finding[] {
  const [sentence = ''] = row.notes
  if (row.status === 'missing')
    return [about(row, row.line?.declaredInstead.length ? 'alternate-missing' : 'missing', '', [], sentence)]
  if (row.status === 'unknown') return [about(row, 'incomplete', '', [], sentence)]
  if (row.status !== 'declared') return NONE
  const { part, requesterPart, otherManufacturers, supplier } = row
  const listed = otherManufacturers.join(', ')
  const text = `declared by ${supplier || 'an unnamed company'}, the parts list has ${listed}`
  return [
    ...(part.trim() === '' && requesterPart.trim() === ''
      ? [
          {
            ...about(row, 'incomplete', '', [], NO_NUMBER),
            ask: '{declaration} has no part number: which part is it about?',
          },
        ]
      : []),
    ...(listed === '' ? [] : [about(row, 'other-manufacturer', listed, otherManufacturers, text)]),
    ...passedExemptions(row, dates),
  ]
}

const NO_NUMBER = 'no part number: the part that it declares is not known'

function passedExemptions(row: JudgedRow, dates: RowDates | undefined): readonly Finding[] {
  if (dates === undefined) return NONE
  return row.judged.rohs.exemptionIds.flatMap((id) =>
    dates.exemption(id).flatMap(({ number, earliest, status }) => {
      if (!status.startsWith(DATE_PASSED)) return []
      const name = number || id.identity
      const sentence = `exemption ${name}: ${passedText({ earliest, status })}`
      return [about(row, 'exemption-passed', name, [id.identity], sentence, id.list)]
    }),
  )
}

/** A finding about a row. */
export function about(
  row: JudgedRow,
  rule: FindingRule,
  subject: string,
  names: readonly string[],
  sentence: string,
  list?: string,
): Finding {
  return { rule, subject, names, sentence, place: placeOf(row, list) }
}

/** Where a row is stated, as far as it is known. */
function placeOf({ sources, date }: JudgedRow, list?: string): Place {
  return { source: sources.join('; '), date, ...(list && { list }) }
}
