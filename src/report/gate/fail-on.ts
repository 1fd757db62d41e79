import { cleanText, escapeUnsafe, nearest } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { calendarDate, parseCalendarDate } from '../../base/units.ts'
import { isUnaccepted } from '../../compliance/declaration.ts'
import { plainName } from '../../compliance/entry-keys.ts'
import { type ListIdentity, listFirstDay, readListIdentity } from '../../compliance/list-identity.ts'
import { monthsBefore } from '../../compliance/response-date.ts'
import type { RowDates } from '../regulations/reference-facts.ts'
import type { GateResult } from '../report-result.ts'
import type { JudgedRow } from '../rows/report-row.ts'

/** What rules know beside a row. */
export interface GateContext {
  /** Undefined without a gate. */
  readonly failOn: readonly FailOnRule[] | undefined
  /** The time of the report. */
  readonly nowMs: number
  readonly dates?: Pick<RowDates, 'listDay' | 'casNumbers'> | undefined
}

/** One thing that a rule matches, by all its names: the first is shown. */
type GateSubject = readonly string[]

/** A rule that a row matches, and with what. */
export interface GateFinding {
  readonly word: string
  readonly subjects: readonly GateSubject[]
}

/** A rule to fail on: its word, and the rows it matches. */
export interface FailOnRule {
  readonly word: string
  readonly matches: (row: JudgedRow, context: GateContext) => boolean
  /** What a row matches it with, for waivers that name one of them; a rule without is about the row as a whole. */
  readonly subjects?: (row: JudgedRow, context: GateContext) => readonly GateSubject[]
}

/** The rules that a row matches, in their order; a superseded declaration matches none. */
export function findingsOf(row: JudgedRow, context: GateContext): readonly GateFinding[] {
  if (row.status === 'superseded') return []
  return (context.failOn ?? [])
    .filter((rule) => rule.matches(row, context))
    .map(({ word, subjects }) => ({ word, subjects: subjects?.(row, context) ?? [] }))
}

/** The words of the rules that a row matches, in the order of the rules. */
export function matchedWords(row: JudgedRow, context: GateContext): readonly string[] {
  return findingsOf(row, context).map(({ word }) => word)
}

interface PlainRule extends Omit<FailOnRule, 'word'> {
  /** What it matches, as the help says it. */
  readonly help: string
}

function plain(
  help: string,
  matches: (row: JudgedRow) => boolean,
  subjects?: FailOnRule['subjects'],
): PlainRule {
  return { help, matches, ...(subjects && { subjects }) }
}

/** The rules without a value, by name. */
export const PLAIN_RULES = {
  'not-compliant': plain(
    'RoHS status "not compliant"',
    ({ judged }) => judged.rohs.status === 'not compliant',
  ),
  svhc: plain(
    'at least one SVHC above 0.1 %',
    ({ judged }) => judged.reach.over.length > 0,
    ({ judged }, { dates }) =>
      judged.reach.over.map(({ name, code }) => [name, code || name, ...(dates?.casNumbers(name) ?? [])]),
  ),
  missing: plain('a requested part that no source declares', ({ status }) => status === 'missing'),
  incomplete: plain(
    'a RoHS or REACH list with categories without a statement, something stated that is not recognized, or a file that cannot be read',
    ({ status, judged }) => status === 'unreadable' || judged.hasGaps,
  ),
  unreadable: plain('a file that cannot be read as a declaration', ({ status }) => status === 'unreadable'),
  'not-declared': plain(
    'a declaration without a RoHS list',
    ({ status, judged }) => status === 'declared' && judged.rohs.status === 'not declared',
  ),
  'reach-not-declared': plain(
    'a declaration without a Candidate List',
    ({ status, judged }) => status === 'declared' && judged.reach.status === 'not declared',
  ),
  unaccepted: plain('a declaration that its supplier has not accepted', ({ acceptance }) =>
    isUnaccepted(acceptance),
  ),
  contradictory: plain(
    'statements that contradict each other: a value above the threshold beside "not over", class A against class C',
    ({ judged }) => judged.contradictions.length > 0,
  ),
  indicated: plain(
    'a substance that class D has above a threshold and no list declares as such',
    ({ judged }) => judged.indications.length > 0,
    ({ judged }) => judged.indications.map(({ substance, group, cas }) => [substance, ...cas, group]),
  ),
  'other-manufacturer': plain(
    'a declaration of another company than the manufacturer in the parts list',
    ({ status, otherManufacturers }) => status === 'declared' && otherManufacturers.length > 0,
  ),
} as const

/** Rules with a value: an example, and the rule for one. */
const VALUE_RULES: Readonly<
  Record<string, { readonly example: string; readonly rule: (value: string) => FailOnRule }>
> = {
  'stale:': { example: 'stale:EUREACH-0624', rule: staleRule },
  'older:': { example: 'older:24m', rule: olderRule },
  'over:': { example: 'over:Prop_65_substances', rule: overRule },
  'exemption-expires:': { example: 'exemption-expires:2027-06-30', rule: expiresRule },
}

/**
 * Reads rules such as `not-compliant,svhc,missing,stale:EUREACH-0624`. An unknown word is a Failure of kind `usage` that
 * suggests the nearest known one.
 */
export function parseFailOn(text: string): FailOnRule[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length === 0) throw usageFailure('no rules given', allWords())
  return [...new Set(words)].map(readRule)
}

function readRule(word: string): FailOnRule {
  const lower = word.toLowerCase()
  const family = Object.keys(VALUE_RULES).find((one) => lower.startsWith(one))
  if (family !== undefined) return VALUE_RULES[family]!.rule(word.slice(family.length).trim())
  const plain = plainRule(lower)
  if (plain !== undefined) return { word: lower, ...plain }
  const best = nearest(lower, [...Object.keys(PLAIN_RULES), ...Object.keys(VALUE_RULES)])
  const message = `unknown rule "${cleanText(word, 60)}"`
  const hint = best === undefined ? allWords() : `did you mean ${VALUE_RULES[best]?.example ?? best}?`
  throw new Failure('usage', message, { hint, ...(best === undefined ? { options: ['fail-on'] } : {}) })
}

function plainRule(word: string): PlainRule | undefined {
  return Object.hasOwn(PLAIN_RULES, word) ? PLAIN_RULES[word as keyof typeof PLAIN_RULES] : undefined
}

/**
 * The rule of a waiver: the word of one rule, `stale` and the like for that rule with any value, or a rule with what it is about, such
 * as `svhc:7439-92-1`. Throws what `parseFailOn` does.
 */
export function readRuleOrFamily(text: string): string {
  const word = text.trim()
  const [, rule = '', about] = /^(\w+):\s*(.*)$/s.exec(word) ?? []
  if (about && plainRule(rule.toLowerCase())?.subjects !== undefined) return `${rule.toLowerCase()}:${about}`
  const family = word.toLowerCase()
  return Object.hasOwn(VALUE_RULES, `${family}:`) ? family : readRule(word).word
}

/** Matches an exemption in use whose earliest known date is on or before this one; a date that is not known does not match. */
function expiresRule(date: string): FailOnRule {
  if (parseCalendarDate(date) === undefined) {
    throw usageFailure(
      `${cleanText(`exemption-expires:${date}`, 60)} does not name a calendar date`,
      'name the last day to look at as YYYY-MM-DD, such as exemption-expires:2027-06-30',
    )
  }
  return {
    word: `exemption-expires:${date}`,
    matches: ({ exemptionExpires }) => exemptionExpires !== '' && exemptionExpires <= date,
  }
}

const STALE_HINT =
  'name the oldest acceptable list, such as stale:EUREACH-0624 (June 2024, MMYY) or stale:EUROHS-1907 (July 2019, YYMM), or its age in months or years, such as stale:12m or stale:1y'

function staleRule(value: string): FailOnRule {
  const months = monthsIn(value)
  if (months !== undefined) return tooOldRule(value.toLowerCase(), months)
  const limit = readListIdentity(value)
  if (limit.family === 'other' || limit.month === undefined) {
    throw usageFailure(
      `${cleanText(`stale:${value}`, 60)} names neither a dated EUREACH or EUROHS list nor an age`,
      STALE_HINT,
    )
  }
  const isAboutSvhc = limit.family === 'svhc'
  return {
    word: `stale:${limit.identity.toUpperCase()}`,
    matches: ({ judged: { rohs, reach } }) =>
      (isAboutSvhc ? [...reach.lists, ...reach.unidentified] : rohs.lists).some((identity) =>
        isOlder(identity, limit),
      ),
  }
}

/** The months of `24m` or `2y`; undefined for other text. */
function monthsIn(age: string): number | undefined {
  const [, number, unit] = /^([1-9]\d{0,2})([my])$/i.exec(age) ?? []
  return number === undefined ? undefined : Number(number) * (unit!.toLowerCase() === 'm' ? 1 : 12)
}

/** About the Candidate List, which has a new version twice a year; the RoHS list has stayed the same for years. To the day. */
function tooOldRule(age: string, months: number): FailOnRule {
  return {
    word: `stale:${age}`,
    matches({ judged: { reach } }, { nowMs, dates }) {
      const isOld = (identity: string): boolean => {
        const day = dates?.listDay(identity) ?? listFirstDay(identity)
        return day === undefined || day < monthsBefore(calendarDate(nowMs), months)
      }
      return reach.unidentified.length > 0 || reach.lists.some(isOld)
    },
  }
}

/** Matches a declaration whose date, or the oldest of those that count, is more than so many months ago, or not known. */
function olderRule(value: string): FailOnRule {
  const months = monthsIn(value)
  if (months === undefined) {
    throw usageFailure(
      `${cleanText(`older:${value}`, 60)} names no age`,
      'name the age of the oldest acceptable declaration in months or years, such as older:24m or older:2y',
    )
  }
  return {
    word: `older:${value.toLowerCase()}`,
    matches: ({ status, date, isUndated }, { nowMs }) =>
      status === 'declared' && (isUndated || date === '' || date < monthsBefore(calendarDate(nowMs), months)),
  }
}

/** Matches a part with an entry above its threshold in this list; the name may leave out the version: `over:IEC_62474`. */
function overRule(name: string): FailOnRule {
  const wanted = plainName(name)
  if (wanted === '') {
    throw usageFailure(
      `${cleanText(`over:${name}`, 60)} names no list`,
      'name a list, such as over:Prop_65_substances',
    )
  }
  return {
    word: `over:${cleanText(name, 60).replaceAll('; ', ', ')}`,
    matches: ({ judged }) =>
      judged.otherLists.some(({ list, status }) => status === 'over' && isNamed(list, name, wanted)),
  }
}

/** True for the name of the list, or its beginning up to a space or mark. */
function isNamed(list: string, name: string, wanted: string): boolean {
  if (plainName(list) === wanted) return true
  const isStart = list.toLowerCase().startsWith(name.toLowerCase())
  return isStart && !/^[\p{L}\p{N}]/u.test(list.slice(name.length))
}

/** A list without a date in its name, or with another name than the Candidate List, counts as older: it cannot be shown to be new enough. */
function isOlder(identity: string, limit: ListIdentity): boolean {
  const { month } = readListIdentity(identity)
  return month === undefined || month < limit.month!
}

function allWords(): string {
  return `the rules are ${Object.keys(PLAIN_RULES).join(', ')}, over:LIST, stale:LIST, stale:12m, older:24m and exemption-expires:DATE, separated by commas`
}

function usageFailure(message: string, hint: string): Failure {
  return new Failure('usage', message, { hint, options: ['fail-on'] })
}

const MAX_MATCHES = 1_000

/** Collects rows with the words of the rules that they match; the result is undefined without rules. */
export function createRowMatches(rules: readonly FailOnRule[] | undefined) {
  const rows: GateResult['rows'][number][] = []
  let matched = 0
  return {
    add(row: JudgedRow, words: readonly string[]): void {
      if (words.length === 0) return
      matched += 1
      if (rows.length >= MAX_MATCHES) return
      rows.push({ part: escapeUnsafe(row.part), source: row.sources.join('; '), rules: words })
    },
    result: (): GateResult | undefined => rules && { rules: rules.map((rule) => rule.word), matched, rows },
  }
}
