import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { nearest } from '../base/nearest.ts'
import { type ListIdentity, readListIdentity } from '../compliance/list-identity.ts'
import type { JudgedRow } from './report-row.ts'

/** A rule to fail on: its word, and the rows it matches. */
export interface FailOnRule {
  readonly word: string
  readonly matches: (row: JudgedRow) => boolean
}

/** The rules by name, except `stale:LIST`, each with a description of its matches. */
export const FAIL_ON_WORDS = {
  'not-compliant': 'RoHS status "not compliant"',
  svhc: 'at least one SVHC above 0.1 %',
  missing: 'a requested part that no source declares',
  incomplete:
    'a RoHS or REACH list with categories without a statement, something stated that is not understood, or a file that cannot be read',
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
  if (words.length === 0) throw usageFailure('no rule to fail on', allWords())
  return [...new Set(words)].map(readRule)
}

function readRule(word: string): FailOnRule {
  const lower = word.toLowerCase()
  if (lower.startsWith('stale:')) return staleRule(word)
  if (Object.hasOwn(MATCHERS, lower)) {
    return { word: lower, matches: MATCHERS[lower as keyof typeof MATCHERS] }
  }
  const best = nearest(lower, [...Object.keys(MATCHERS), 'stale:'])
  const message = `unknown rule to fail on "${cleanText(word, 60)}"`
  if (best === undefined) throw usageFailure(message, allWords())
  throw new Failure('usage', message, {
    hint: `did you mean ${best === 'stale:' ? 'stale:EUREACH-0624' : best}?`,
  })
}

function staleRule(word: string): FailOnRule {
  const limit = readListIdentity(word.slice('stale:'.length).trim())
  if (limit.family === 'other' || limit.month === undefined) {
    throw usageFailure(
      `${cleanText(word, 60)} names no dated EUREACH or EUROHS list`,
      'name the oldest acceptable list, such as stale:EUREACH-0624 (June 2024, MMYY) or stale:EUROHS-1907 (July 2019, YYMM)',
    )
  }
  const column = limit.family === 'svhc' ? 'reach_list' : 'rohs_list'
  return {
    word: `stale:${limit.identity.toUpperCase()}`,
    matches: (row) =>
      row[column] !== '' && row[column].split('; ').some((identity) => isOlder(identity, limit)),
  }
}

/** A list without a date in its name counts as older: it cannot be shown to be new enough. */
function isOlder(identity: string, limit: ListIdentity): boolean {
  const { month } = readListIdentity(identity)
  return month === undefined || month < limit.month!
}

function allWords(): string {
  return `the rules are ${Object.keys(MATCHERS).join(', ')} and stale:LIST, separated by commas`
}

function usageFailure(message: string, hint: string): Failure {
  return new Failure('usage', message, { hint, options: ['fail-on'] })
}
