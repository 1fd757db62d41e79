import { parseCalendarDate } from '../../base/calendar-date.ts'
import { cleanText } from '../../base/clean-text.ts'
import { Failure } from '../../base/failure.ts'
import { nearest } from '../../base/nearest.ts'
import { type ListIdentity, listAgeMonths, readListIdentity } from '../../compliance/list-identity.ts'
import type { JudgedRow } from '../rows/report-row.ts'

/** A rule to fail on: its word, and the rows it matches. */
export interface FailOnRule {
  readonly word: string
  /** The age of a list is its age at `nowMs`. */
  readonly matches: (row: JudgedRow, nowMs: number) => boolean
}

/** The words of the rules that a row matches, in the order of the rules; a superseded declaration matches none. */
export function matchedWords(
  row: JudgedRow,
  { failOn = [], nowMs }: { readonly failOn: readonly FailOnRule[] | undefined; readonly nowMs: number },
): readonly string[] {
  if (row.status === 'superseded') return []
  return failOn.filter((rule) => rule.matches(row, nowMs)).map((rule) => rule.word)
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
  unaccepted: 'a declaration that its supplier has not accepted',
} as const satisfies Readonly<Record<string, string>>

const MATCHERS: Readonly<Record<keyof typeof FAIL_ON_WORDS, (row: JudgedRow) => boolean>> = {
  'not-compliant': (row) => row.rohs === 'not compliant',
  svhc: (row) => (row.svhc_count ?? 0) > 0,
  missing: (row) => row.status === 'missing',
  incomplete: (row) => row.has_gaps,
  unreadable: (row) => row.status === 'unreadable',
  'not-declared': (row) => row.status === 'declared' && row.rohs === 'not declared',
  unaccepted: (row) => row.unaccepted,
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
  if (lower.startsWith('exemption-expires:')) return expiresRule(word)
  if (Object.hasOwn(MATCHERS, lower)) {
    return { word: lower, matches: MATCHERS[lower as keyof typeof MATCHERS] }
  }
  const best = nearest(lower, [...Object.keys(MATCHERS), ...Object.keys(EXAMPLES)])
  const message = `unknown rule "${cleanText(word, 60)}"`
  if (best === undefined) throw usageFailure(message, allWords())
  throw new Failure('usage', message, {
    hint: `did you mean ${EXAMPLES[best] ?? best}?`,
  })
}

/** The word of one rule, or `stale` or `exemption-expires` for that rule with any value. Throws what `parseFailOn` does. */
export function readRuleOrFamily(text: string): string {
  const word = text.trim()
  const family = `${word.toLowerCase()}:`
  return Object.hasOwn(EXAMPLES, family) ? family.slice(0, -1) : readRule(word).word
}

/** Rules with a value, each with an example of one. */
const EXAMPLES: Readonly<Record<string, string>> = {
  'stale:': 'stale:EUREACH-0624',
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
      row[column] !== '' && row[column].split('; ').some((identity) => isOlder(identity, limit)),
  }
}

/** About the Candidate List, which has a new version twice a year; the RoHS list has stayed the same for years. */
function tooOldRule(age: string, months: number): FailOnRule {
  return {
    word: `stale:${age}`,
    matches: ({ reach_list }, nowMs) =>
      reach_list !== '' && reach_list.split('; ').some((identity) => isOverAge(identity, months, nowMs)),
  }
}

function isOverAge(identity: string, months: number, nowMs: number): boolean {
  const age = listAgeMonths(identity, nowMs)
  return age === undefined || age > months
}

/** A list without a date in its name counts as older: it cannot be shown to be new enough. */
function isOlder(identity: string, limit: ListIdentity): boolean {
  const { month } = readListIdentity(identity)
  return month === undefined || month < limit.month!
}

function allWords(): string {
  return `the rules are ${Object.keys(MATCHERS).join(', ')}, stale:LIST, stale:12m and exemption-expires:DATE, separated by commas`
}

function usageFailure(message: string, hint: string): Failure {
  return new Failure('usage', message, { hint, options: ['fail-on'] })
}
