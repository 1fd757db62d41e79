import { largest } from '../base/extremes.ts'
import { monthNumber } from '../base/units.ts'

/** The rate limit in a response. Times are relative, so clocks may differ. */
export interface RateLimit {
  readonly limit?: number | undefined
  readonly remaining?: number | undefined
  /** Milliseconds until the window resets; 0 in the course of this second. */
  readonly resetMs?: number | undefined
  /** True when the reset is a time of day: it counts from the response. Seconds may count from the request. */
  readonly isResetDate?: boolean | undefined
  /** The length of the window that the limit is for, where it is stated. */
  readonly windowMs?: number | undefined
}

// A later reset is another kind of value, such as an ID.
const FARTHEST_RESET_MS = 400 * 86_400_000

/**
 * Reads `X-RateLimit-Limit`, `-Remaining` and `-Reset`, or the same without `X-` or with `X-Rate-Limit`, or `RateLimit` and `RateLimit-Policy` of the IETF, or
 * `X-RateLimit-Limit-Second` and its kind, from lower-case headers; undefined when none of them is valid. Reset may be a date-time, epoch
 * seconds, epoch milliseconds or seconds from now: the interpretation after the server's own time counts.
 */
export function readRateLimit(
  headers: Readonly<Record<string, string>>,
  serverDateMs: number | undefined,
  nowMs: number,
): RateLimit | undefined {
  const policies = readPolicies(headers['ratelimit-policy'])
  const units = readUnits(headers)
  for (const prefix of PREFIXES) {
    const stated = headers[`${prefix}-limit`]
    const limit = count(stated)
    const remaining = count(headers[`${prefix}-remaining`])
    const reset = readReset(headers[`${prefix}-reset`], serverDateMs ?? nowMs)
    if (limit === undefined && remaining === undefined && reset === undefined) continue
    const windows = [...readPolicies(stated), ...policies, ...units]
    const window = windows.find((each) => each.limit === limit && each.windowMs !== undefined)
    return { limit, remaining, ...reset, windowMs: window?.windowMs }
  }
  return readStructured(headers.ratelimit, policies) ?? tightest(units)
}

const PREFIXES = ['x-ratelimit', 'ratelimit', 'x-rate-limit'] as const
const UNITS = [
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
] as const

// A header for each window: `X-RateLimit-Limit-Second` and `X-RateLimit-Remaining-Second`.
function readUnits(headers: Readonly<Record<string, string>>): RateLimit[] {
  return PREFIXES.flatMap((prefix) =>
    UNITS.flatMap(([unit, windowMs]) => {
      const limit = count(headers[`${prefix}-limit-${unit}`])
      const remaining = count(headers[`${prefix}-remaining-${unit}`])
      return limit === undefined && remaining === undefined ? [] : { limit, remaining, windowMs }
    }),
  )
}

// Of several limits, the one with the fewest left counts.
function tightest<T extends RateLimit>(limits: readonly T[]): T | undefined {
  return limits.toSorted((one, other) => (one.remaining ?? Infinity) - (other.remaining ?? Infinity))[0]
}

interface Policy {
  readonly name: string
  readonly isRate: boolean
  readonly limit: number | undefined
  readonly windowMs: number | undefined
}

// `"burst";q=10;w=60, …`, or `10;w=60, …`. Limits of bytes or connections are no rates.
function readPolicies(value: string | undefined): Policy[] {
  return listItems(value).map((text) => {
    const seconds = parameter(text, 'w')
    return {
      name: itemName(text),
      isRate: !/;\s*qu=(?!"?requests)/i.test(text),
      limit: parameter(text, 'q') ?? count(text),
      windowMs: seconds ? seconds * 1000 : undefined,
    }
  })
}

// `"burst";r=5;t=1, "day";r=900;t=3600`, or `limit=10, remaining=5, reset=1`.
function readStructured(value: string | undefined, policies: readonly Policy[]): RateLimit | undefined {
  const isNamed = /;\s*r=/.test(value ?? '')
  const items = isNamed ? listItems(value) : [value ?? '']
  const limits = items.flatMap((text) => {
    const stated = parameter(text, 'limit')
    const policy = isNamed
      ? policies.find(({ name }) => name === itemName(text))
      : (policies.find((each) => stated !== undefined && each.limit === stated) ?? policies[0])
    const seconds = parameter(text, isNamed ? 't' : 'reset')
    if (policy?.isRate === false) return []
    return {
      limit: stated ?? policy?.limit,
      remaining: parameter(text, isNamed ? 'r' : 'remaining'),
      resetMs: seconds === undefined ? undefined : seconds * 1000,
      windowMs: policy?.windowMs,
    }
  })
  return tightest(
    limits.filter(({ limit, remaining, resetMs }) => (limit ?? remaining ?? resetMs) !== undefined),
  )
}

function itemName(text: string): string {
  return text.split(';', 1)[0]!.trim()
}

function listItems(value = ''): string[] {
  return value.match(/(?:"[^"]*"|[^,"])+/g) ?? []
}

function parameter(text: string, name: string): number | undefined {
  const match = new RegExp(`(?:^|[;,\\s])${name}=(\\d{1,15}(?:\\.\\d+)?)(?![\\d.])`).exec(text)
  return match ? Number(match[1]) : undefined
}

function readReset(
  value: string | undefined,
  serverNowMs: number,
): Pick<RateLimit, 'resetMs' | 'isResetDate'> | undefined {
  const text = value?.trim() ?? ''
  const number = largestNumber(text)
  const dates =
    number === undefined
      ? [parseTimestamp(text) ?? parseHttpDate(text) ?? Number.NaN]
      : [number * 1000, number]
  const isAhead = (waitMs: number): boolean => waitMs >= 0 && waitMs <= FARTHEST_RESET_MS
  const untilDateMs = dates.map((atMs) => atMs - serverNowMs).find(isAhead)
  if (untilDateMs !== undefined) return { resetMs: untilDateMs, isResetDate: true }
  return number !== undefined && isAhead(number * 1000) ? { resetMs: number * 1000 } : undefined
}

// Each of several servers on the way may have sent one.
function largestNumber(text: string): number | undefined {
  if (!/^\d+(?:\.\d+)?(?:\s*,\s*\d+(?:\.\d+)?)*$/.test(text)) return undefined
  return largest(text.split(',').map(Number))
}

function count(value: string | undefined): number | undefined {
  const match = /^\s*(\d{1,15})\s*(?:[,;].*)?$/.exec(value ?? '')
  return match ? Number(match[1]) : undefined
}

/** Upper limit for values from a server: a thousand years. */
export const LONGEST_WAIT_MS = 1000 * 365 * 86_400_000

/**
 * The wait in a `Retry-After` header (RFC 9110 10.2.3), in milliseconds. A date is compared with the response's own `Date`, so a
 * wrong clock on either side does not matter. Undefined when there is none, or it is invalid or in the past.
 */
export function parseRetryAfter(
  value: string | undefined,
  serverDateMs: number | undefined,
  nowMs: number,
): number | undefined {
  const text = value?.trim() ?? ''
  const seconds = largestNumber(text)
  if (seconds !== undefined) return Math.min(seconds * 1000, LONGEST_WAIT_MS)
  const atMs = parseHttpDate(text) ?? parseTimestamp(text)
  if (atMs === undefined) return undefined
  const waitMs = atMs - (serverDateMs ?? nowMs)
  return waitMs > 0 ? Math.min(waitMs, LONGEST_WAIT_MS) : undefined
}

/** Headers that say until when in a way that has several meanings or none, such as a time of day without a zone. */
export function unreadTimes(headers: Readonly<Record<string, string>>): readonly string[] {
  return ['retry-after', ...PREFIXES.map((prefix) => `${prefix}-reset`)].flatMap((name) => {
    const text = headers[name]?.trim() ?? ''
    const read = largestNumber(text) ?? parseTimestamp(text) ?? parseHttpDate(text)
    return text === '' || read !== undefined ? [] : [`${name}: ${text}`]
  })
}

/**
 * How long the response to a refused request asks to wait: its `Retry-After`, or else the time until the limit resets, unless it says
 * that requests are left. Undefined when it does not say.
 */
export function requestedWaitMs(
  response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly serverDateMs: number | undefined
  },
  nowMs: number,
): number | undefined {
  const { status, headers, serverDateMs } = response
  const retryAfterMs = parseRetryAfter(headers['retry-after'], serverDateMs, nowMs)
  if (retryAfterMs !== undefined && retryAfterMs > 0) return retryAfterMs
  const { remaining = 0, resetMs } = readRateLimit(headers, serverDateMs, nowMs) ?? {}
  if (resetMs === undefined || (status !== 429 && remaining > 0)) return undefined
  return resetMs === 0 ? 1_000 : resetMs
}

/** Milliseconds since the epoch of an HTTP date in any of the three formats (RFC 9110 5.6.7), or undefined. */
export function parseHttpDate(value: string | undefined): number | undefined {
  const text = value?.trim() ?? ''
  const modern = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i.exec(text)
  if (modern) return utc(modern[3]!, monthNumber(modern[2]!), modern[1]!, modern.slice(4))
  const dashed = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) gmt$/i.exec(text)
  if (dashed) return utc(centuryOf(dashed[3]!), monthNumber(dashed[2]!), dashed[1]!, dashed.slice(4))
  const asctime = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/i.exec(text)
  if (asctime) return utc(asctime[6]!, monthNumber(asctime[1]!), asctime[2]!, asctime.slice(3, 6))
  return undefined
}

/** Milliseconds since the epoch of an RFC 3339 date-time (zone required; `2026-03-04T05:06:07Z`), or undefined. */
export function parseTimestamp(value: string): number | undefined {
  const shape =
    /^(\d{4})-(\d{2})-(\d{2})[t ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)? ?(z|utc|gmt|[+-]\d{2}:?\d{2})$/i
  const match = shape.exec(value.trim())
  if (!match) return undefined
  const [, year, month, day, hour, minute, second = '00', zone] = match
  const atMs = utc(year!, Number(month), day!, [hour!, minute!, second])
  return atMs === undefined ? undefined : atMs - zoneMs(zone!)
}

function utc(
  year: string,
  month: number | undefined,
  day: string,
  clock: readonly string[],
): number | undefined {
  const [hour, minute, second] = clock.map(Number) as [number, number, number]
  if (month === undefined || month < 1 || month > 12 || hour > 23 || minute > 59 || second > 60)
    return undefined
  const atMs = Date.UTC(Number(year), month - 1, Number(day), hour, minute, second)
  return new Date(Date.UTC(Number(year), month - 1, Number(day))).getUTCDate() === Number(day)
    ? atMs
    : undefined
}

// RFC 9110 5.6.7: a two-digit year more than 50 years in the future is in the past century.
function centuryOf(year: string): string {
  return Number(year) >= 70 ? `19${year}` : `20${year}`
}

function zoneMs(zone: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (!match) return 0
  const ms = (Number(match[2]) * 60 + Number(match[3])) * 60_000
  return match[1] === '-' ? -ms : ms
}
