import { Failure } from '../base/failure.ts'
import { calendarDate } from '../base/units.ts'
import type { PartGroup } from './request.ts'

/** A period: some days until now, or since the last complete run. */
type Since = { readonly kind: 'days'; readonly days: number } | { readonly kind: 'last-run' }

/** The last complete run of a request. */
export interface LastRun {
  /** The server's date when that run began, milliseconds since the epoch. */
  readonly serverDateMs: number
  /** Whether that run requested a part. */
  readonly hasPart: (part: string) => boolean
}

const DAY_MS = 86_400_000
const MOST_DAYS = 36_500

/** Reads `7d`, `2w`, `yesterday` or `last-run`; anything else is a Failure of kind `usage`. */
export function parseSince(text: string): Since {
  const word = text.trim().toLowerCase()
  if (word === 'last-run') return { kind: 'last-run' }
  if (word === 'yesterday') return { kind: 'days', days: 1 }
  const match = /^(\d{1,6})([dw])$/.exec(word)
  const days = match === null ? 0 : Number(match[1]) * (match[2] === 'w' ? 7 : 1)
  if (days >= 1 && days <= MOST_DAYS) return { kind: 'days', days }
  throw new Failure('usage', `invalid period ${JSON.stringify(text)}`, {
    hint: 'use 7d, 2w, yesterday or last-run, or a start date instead',
    options: ['since', 'start-date'],
  })
}

/**
 * Groups the parts by start date. Days count back from today (UTC). For `last-run`, parts of that run start one day before it,
 * since the service may exclude the start date itself; new parts, and the first run, have no start date.
 */
export function resolveSince(
  since: Since,
  parts: readonly string[],
  nowMs: number,
  lastRun: LastRun | undefined,
): readonly PartGroup[] {
  if (since.kind === 'days') return [{ parts, startDate: calendarDate(nowMs - since.days * DAY_MS) }]
  if (lastRun === undefined) return [{ parts }]
  const startDate = calendarDate(lastRun.serverDateMs - DAY_MS)
  if (parts.length === 0) return [{ parts, startDate }]
  const known = parts.filter((part) => lastRun.hasPart(part))
  const added = parts.filter((part) => !lastRun.hasPart(part))
  return [
    ...(known.length === 0 ? [] : [{ parts: known, startDate }]),
    ...(added.length === 0 ? [] : [{ parts: added }]),
  ]
}
