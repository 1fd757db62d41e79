import { cleanText, escapeUnsafe, nearest } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { calendarDate, parseCalendarDate } from '../../base/units.ts'
import { plainName } from '../../compliance/entry-keys.ts'
import { type ListIdentity, listFirstDay, readListIdentity } from '../../compliance/list-identity.ts'
import { svhcName } from '../../compliance/reach.ts'
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
export type GateSubject = readonly string[]

/** A rule that a row matches, and with what. */
export interface GateFinding {
  readonly word: string
  readonly subjects: readonly GateSubject[]
}

/** A row before its gate is known. */
export type UngatedRow = Omit<JudgedRow, 'gate'>

/** A rule to fail on: its word, and the rows it matches. */
export interface FailOnRule {
  readonly word: string
  readonly matches: (row: UngatedRow, context: GateContext) => boolean
  /** What a row matches it with, for waivers that name one of them; a rule without is about the row as a whole. */
  readonly subjects?: (row: UngatedRow, context: GateContext) => readonly GateSubject[]
}

/** The rules that a row matches, in their order; a superseded declaration matches none. */
export function findingsOf(row: UngatedRow, context: GateContext): readonly GateFinding[] {
  if (row.status === 'superseded') return []
  return (context.failOn ?? [])
    .filter((rule) => rule.matches(row, context))
    .map(({ word, subjects }) => ({ word, subjects: subjects?.(row, context) ?? [] }))
}

/** The words of the rules that a row matches, in the order of the rules. */
export function matchedWords(row: UngatedRow, context: GateContext): readonly string[] {
  return findingsOf(row, context).map(({ word }) => word)
}

/** The rules by name, except `stale:LIST` and `stale:AGE`, each with a description of its matches. */
export const FAIL_ON_WORDS = {
  'not-compliant': 'RoHS status "not compliant"',
  svhc: 'at least one SVHC above 0.1 %',
  missing: 'a requested part that no source declares',
  incomplete:
    'a RoHS or REACH list with categories without a statement, something stated that is not recognized, or a file that cannot be read',
  unreadable: 'a file that cannot be read as a declaration',
  'not-declared': 'a declaration without a RoHS list',
  'reach-not-declared': 'a declaration without a Candidate List',
  unaccepted: 'a declaration that its supplier has not accepted',
  contradictory:
    'statements that contradict each other: a value above the threshold beside "not over", class A against class C',
  indicated: 'a substance that class D has above a threshold and no list declares as such',
  'other-manufacturer': 'a declaration of another company than the manufacturer in the parts list',
} as const satisfies Readonly<Record<string, string>>

const MATCHERS: Readonly<Record<keyof typeof FAIL_ON_WORDS, (row: UngatedRow) => boolean>> = {
  'not-compliant': ({ judged }) => judged.rohs.status === 'not compliant',
  svhc: ({ judged }) => judged.reach.over.length > 0,
  missing: ({ status }) => status === 'missing',
  incomplete: ({ status, judged }) => status === 'unreadable' || judged.hasGaps,
  unreadable: ({ status }) => status === 'unreadable',
  'not-declared': ({ status, judged }) => status === 'declared' && judged.rohs.status === 'not declared',
  'reach-not-declared': ({ status, judged }) =>
    status === 'declared' && judged.reach.status === 'not declared',
  unaccepted: ({ isUnaccepted }) => isUnaccepted,
  contradictory: ({ judged }) => judged.contradictions.length > 0,
  indicated: ({ judged }) => judged.indications.length > 0,
  'other-manufacturer': ({ status, otherManufacturers }) =>
    status === 'declared' && otherManufacturers.length > 0,
}

const MOST_SUBJECTS = 500

/** The rules that match several things in a row. */
const SUBJECTS: Readonly<Record<string, NonNullable<FailOnRule['subjects']>>> = {
  svhc: ({ judged }, { dates }) =>
    judged.reach.over.slice(0, MOST_SUBJECTS).map((one) => {
      const name = svhcName(one)
      return [name, one.code || one.name, ...(dates?.casNumbers(name) ?? [])]
    }),
  indicated: ({ judged }) =>
    judged.indications.map(({ substance, group, cas }) => [substance, ...cas, group]),
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
  if (lower.startsWith('stale:')) return staleRule(word)
  if (lower.startsWith('older:')) return olderRule(word)
  if (lower.startsWith('over:')) return overRule(word)
  if (lower.startsWith('exemption-expires:')) return expiresRule(word)
  if (Object.hasOwn(MATCHERS, lower)) {
    const subjects = SUBJECTS[lower]
    return { word: lower, matches: MATCHERS[lower as keyof typeof MATCHERS], ...(subjects && { subjects }) }
  }
  const best = nearest(lower, [...Object.keys(MATCHERS), ...Object.keys(EXAMPLES)])
  const message = `unknown rule "${cleanText(word, 60)}"`
  if (best === undefined) throw usageFailure(message, allWords())
  throw new Failure('usage', message, {
    hint: `did you mean ${EXAMPLES[best] ?? best}?`,
  })
}

/**
 * The rule of a waiver: the word of one rule, `stale` and the like for that rule with any value, or a rule with what it is about, such
 * as `svhc:7439-92-1`. Throws what `parseFailOn` does.
 */
export function readRuleOrFamily(text: string): string {
  const word = text.trim()
  const [, rule, about] = /^(\w+):\s*(.*)$/s.exec(word) ?? []
  if (rule !== undefined && Object.hasOwn(SUBJECTS, rule.toLowerCase()) && about !== '') {
    return `${rule.toLowerCase()}:${about}`
  }
  const family = `${word.toLowerCase()}:`
  return Object.hasOwn(EXAMPLES, family) ? family.slice(0, -1) : readRule(word).word
}

/** Rules with a value, each with an example of one. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'stale:': 'stale:EUREACH-0624',
  'older:': 'older:24m',
  'over:': 'over:Prop_65_substances',
  'exemption-expires:': 'exemption-expires:2027-06-30',
}

/** Matches an exemption in use whose earliest known date is on or before this one; a date that is not known does not match. */
function expiresRule(word: string): FailOnRule {
  const date = word.slice('exemption-expires:'.length).trim()
  if (parseCalendarDate(date) === undefined) {
    throw usageFailure(
      `${cleanText(word, 60)} does not name a calendar date`,
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

function staleRule(word: string): FailOnRule {
  const text = word.slice('stale:'.length).trim()
  const age = /^([1-9]\d{0,2})([my])$/i.exec(text)
  if (age !== null) return tooOldRule(text.toLowerCase(), Number(age[1]) * (/m/i.test(age[2]!) ? 1 : 12))
  const limit = readListIdentity(text)
  if (limit.family === 'other' || limit.month === undefined) {
    throw usageFailure(
      `${cleanText(word, 60)} names neither a dated EUREACH or EUROHS list nor an age`,
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
function olderRule(word: string): FailOnRule {
  const age = /^([1-9]\d{0,2})([my])$/i.exec(word.slice('older:'.length).trim())
  if (age === null) {
    throw usageFailure(
      `${cleanText(word, 60)} names no age`,
      'name the age of the oldest acceptable declaration in months or years, such as older:24m or older:2y',
    )
  }
  const months = Number(age[1]) * (/m/i.test(age[2]!) ? 1 : 12)
  return {
    word: `older:${age[1]}${age[2]!.toLowerCase()}`,
    matches: ({ status, date, isUndated }, { nowMs }) =>
      status === 'declared' && (isUndated || date === '' || date < monthsBefore(calendarDate(nowMs), months)),
  }
}

/** Matches a part with an entry above its threshold in this list; the name may leave out the version: `over:IEC_62474`. */
function overRule(word: string): FailOnRule {
  const name = word.slice('over:'.length).trim()
  const wanted = plainName(name)
  if (wanted === '')
    throw usageFailure(`${cleanText(word, 60)} names no list`, 'name a list, such as over:Prop_65_substances')
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
  return `the rules are ${Object.keys(MATCHERS).join(', ')}, over:LIST, stale:LIST, stale:12m, older:24m and exemption-expires:DATE, separated by commas`
}

function usageFailure(message: string, hint: string): Failure {
  return new Failure('usage', message, { hint, options: ['fail-on'] })
}

/** Collects the rows that match; the result is undefined without rules. */
export interface RowMatches {
  /** Takes a row and the words of the rules that it matches. */
  readonly add: (row: UngatedRow, words: readonly string[]) => void
  readonly result: () => GateResult | undefined
}

const MAX_MATCHES = 1_000

export function createRowMatches(rules: readonly FailOnRule[] | undefined): RowMatches {
  const rows: GateResult['rows'][number][] = []
  let matched = 0
  return {
    add(row, words) {
      if (words.length === 0) return
      matched += 1
      if (rows.length >= MAX_MATCHES) return
      rows.push({ part: escapeUnsafe(row.part), source: row.sources.join('; '), rules: words })
    },
    result: () => rules && { rules: rules.map((rule) => rule.word), matched, rows },
  }
}
