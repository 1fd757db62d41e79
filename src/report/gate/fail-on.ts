import { cleanText, nearest } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { calendarDate, parseCalendarDate } from '../../base/units.ts'
import { plainName } from '../../compliance/entry-keys.ts'
import { type ListIdentity, listFirstDay, readListIdentity } from '../../compliance/list-identity.ts'
import { monthsBefore } from '../../compliance/response-date.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import type { GateFinding, GateSubject } from './waivers.ts'

/** What rules know beside a row. */
export interface GateContext {
  readonly failOn: readonly FailOnRule[] | undefined
  readonly nowMs: number
  /** The day of a Candidate List, `YYYY-MM-DD`; undefined for one that the table does not have. */
  readonly listDay?: ((identity: string) => string | undefined) | undefined
  /** The CAS numbers of a substance by its name. */
  readonly casNumbers?: ((name: string) => readonly string[]) | undefined
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

const MATCHERS: Readonly<Record<keyof typeof FAIL_ON_WORDS, (row: JudgedRow) => boolean>> = {
  'not-compliant': (row) => row.rohs === 'not compliant',
  svhc: (row) => (row.svhc_count ?? 0) > 0,
  missing: (row) => row.status === 'missing',
  incomplete: (row) => row.has_gaps,
  unreadable: (row) => row.status === 'unreadable',
  'not-declared': (row) => row.status === 'declared' && row.rohs === 'not declared',
  'reach-not-declared': (row) => row.status === 'declared' && row.reach === 'not declared',
  unaccepted: (row) => row.unaccepted,
  contradictory: ({ judged }) => (judged?.contradictions.length ?? 0) > 0,
  indicated: ({ judged }) => (judged?.indications.length ?? 0) > 0,
  'other-manufacturer': ({ status, listed_manufacturers }) =>
    status === 'declared' && listed_manufacturers.length > 0,
}

/** The rules that match several things in a row. */
const SUBJECTS: Readonly<Record<string, NonNullable<FailOnRule['subjects']>>> = {
  svhc: ({ svhc_names, svhc_keys }, { casNumbers = () => [] }) =>
    svhc_names.map((name, index) => [name, svhc_keys[index] ?? name, ...casNumbers(name)]),
  indicated: ({ judged }) =>
    (judged?.indications ?? []).map(({ substance, group, cas }) => [substance, ...cas, group]),
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
    matches: ({ exemption_expires }) => exemption_expires !== '' && exemption_expires <= date,
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
  const column = limit.family === 'svhc' ? 'reach_list' : 'rohs_list'
  return {
    word: `stale:${limit.identity.toUpperCase()}`,
    matches: (row) =>
      (row[column] !== '' && row[column].split('; ').some((identity) => isOlder(identity, limit))) ||
      (column === 'reach_list' && hasUnidentified(row)),
  }
}

/** About the Candidate List, which has a new version twice a year; the RoHS list has stayed the same for years. To the day. */
function tooOldRule(age: string, months: number): FailOnRule {
  return {
    word: `stale:${age}`,
    matches(row, { nowMs, listDay }) {
      const isOld = (identity: string): boolean => {
        const day = listDay?.(identity) ?? listFirstDay(identity)
        return day === undefined || day < monthsBefore(calendarDate(nowMs), months)
      }
      return hasUnidentified(row) || (row.reach_list !== '' && row.reach_list.split('; ').some(isOld))
    },
  }
}

/** A list that has another name than the Candidate List cannot be shown to be new enough. */
function hasUnidentified({ judged }: JudgedRow): boolean {
  return (judged?.reach.unidentified.length ?? 0) > 0
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
    matches: ({ status, date, undated }, { nowMs }) =>
      status === 'declared' && (undated || date === '' || date < monthsBefore(calendarDate(nowMs), months)),
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
      (judged?.otherLists ?? []).some(({ list, status }) => status === 'over' && isNamed(list, name, wanted)),
  }
}

/** True for the name of the list, or its beginning up to a space or mark. */
function isNamed(list: string, name: string, wanted: string): boolean {
  if (plainName(list) === wanted) return true
  const isStart = list.toLowerCase().startsWith(name.toLowerCase())
  return isStart && !/^[\p{L}\p{N}]/u.test(list.slice(name.length))
}

/** A list without a date in its name counts as older: it cannot be shown to be new enough. */
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
