import { cleanText } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { nearest } from '../base/nearest.ts'
import { type ListIdentity, readListIdentity } from '../compliance/list-identity.ts'
import type { JudgedRow } from './report-row.ts'

/** One rule of a gate: the word it was asked with, and which rows it matches. */
export interface FailOnRule {
  readonly word: string
  readonly matches: (row: JudgedRow) => boolean
}

/** The words of `--fail-on` but for `stale:LIST`, each with what it matches. */
export const FAIL_ON_WORDS = {
  'not-compliant': 'RoHS status "not compliant"',
  svhc: 'at least one SVHC above 0.1 %',
  missing: 'asked for, and in no source',
  incomplete: 'a RoHS or REACH list with categories that state nothing, or a file that can not be read',
  unreadable: 'a file that can not be read',
  'not-declared': 'a declaration without a RoHS list',
} as const satisfies Readonly<Record<string, string>>

const MATCHERS: Readonly<Record<keyof typeof FAIL_ON_WORDS, (row: JudgedRow) => boolean>> = {
  'not-compliant': (row) => row.rohs === 'not compliant',
  svhc: (row) => (row.svhc_count ?? 0) > 0,
  missing: (row) => row.status === 'missing',
  incomplete: (row) => row.has_gaps,
  unreadable: (row) => row.status === 'unreadable',
  'not-declared': (row) => row.status === 'declared' && row.rohs === 'not declared',
}

/**
 * Reads `not-compliant,svhc,missing,incomplete,stale:EUREACH-0624`: words separated by commas, a rule each. A word that is
 * none is a usage error with the nearest right one.
 */
export function parseFailOn(text: string): FailOnRule[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length === 0) throw new Failure('usage', '--fail-on names nothing', { hint: usage() })
  return [...new Set(words)].map(readRule)
}

function readRule(word: string): FailOnRule {
  const lower = word.toLowerCase()
  if (lower.startsWith('stale:')) return staleRule(word)
  if (Object.hasOwn(MATCHERS, lower)) {
    return { word: lower, matches: MATCHERS[lower as keyof typeof MATCHERS] }
  }
  const best = nearest(lower, [...Object.keys(MATCHERS), 'stale:'])
  throw new Failure('usage', `--fail-on does not know "${cleanText(word, 60)}"`, {
    hint: best === undefined ? usage() : `did you mean ${best === 'stale:' ? 'stale:EUREACH-0624' : best}?`,
  })
}

function staleRule(word: string): FailOnRule {
  const limit = readListIdentity(word.slice('stale:'.length).trim())
  if (limit.family === 'other' || limit.month === undefined) {
    throw new Failure('usage', `--fail-on ${cleanText(word, 60)}: no dated EUREACH or EUROHS list`, {
      hint: 'name the oldest list that will do, such as stale:EUREACH-0624 (June 2024, MMYY) or stale:EUROHS-1907 (July 2019, YYMM)',
    })
  }
  const column = limit.family === 'svhc' ? 'reach_list' : 'rohs_list'
  return {
    word: `stale:${limit.identity.toUpperCase()}`,
    matches: (row) =>
      row[column] !== '' && row[column].split('; ').some((identity) => isOlder(identity, limit)),
  }
}

/** A list whose name tells no date can't be shown to be new enough. */
function isOlder(identity: string, limit: ListIdentity): boolean {
  const { month } = readListIdentity(identity)
  return month === undefined || month < limit.month!
}

function usage(): string {
  return `words are ${Object.keys(MATCHERS).join(', ')} and stale:LIST, separated by commas`
}
