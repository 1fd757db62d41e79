import { memoized } from '../base/memoized.ts'
import { calendarDate, monthNumber, parseCalendarDate } from '../base/units.ts'

/** When a declaration was made: a point in time, or a whole day where the file has no time of day. */
export interface Moment {
  /** `YYYY-MM-DD`, as written. */
  readonly day: string
  readonly fromMs: number
  readonly toMs: number
}

const DAY_MS = 86_400_000

/**
 * Reads a date as writers have it: ISO with or without a time, `YYYY/M/D`, `YYYY-M-D`, `YYYYMMDD`, `D.M.YYYY`, `D-Mon-YYYY`.
 * Undefined for any other text.
 */
export const readMoment = memoized(momentIn, 1_000)

function momentIn(text: string): Moment | undefined {
  const written = text.trim()
  const [, year, month, day, rest = ''] =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(.*)$/s.exec(written) ??
    /^(\d{4})\/(\d{1,2})\/(\d{1,2})$/.exec(written) ??
    /^(\d{4})(\d\d)(\d\d)$/.exec(written) ??
    dayFirst(written)
  if (year === undefined) return undefined
  const date = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`
  const startMs = parseCalendarDate(date)
  if (startMs === undefined) return undefined
  const timeMs = timeOfDay(rest)
  if (timeMs === undefined) return undefined
  if (timeMs === 'none') return { day: date, fromMs: startMs, toMs: startMs + DAY_MS - 1 }
  return { day: date, fromMs: startMs + timeMs, toMs: startMs + timeMs }
}

function dayFirst(text: string): readonly (string | undefined)[] {
  const dots = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text)
  if (dots !== null) return ['', dots[3], dots[2], dots[1]]
  const named = /^(\d{1,2})-([a-z]{3})-(\d{4})$/i.exec(text)
  const month = monthNumber(named?.[2] ?? '')
  return month === undefined ? [] : ['', named![3], String(month), named![1]]
}

/** Milliseconds since midnight UTC; some writers give an empty time as `-00-00`. */
function timeOfDay(text: string): number | 'none' | undefined {
  if (/^(?:\s*|-00-00|Z|[+-]\d\d:?\d\d)$/.test(text)) return 'none'
  const match =
    /^[T ]\s*(\d{1,2})[:.](\d\d)(?:[:.](\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i.exec(text) ??
    /^-(\d\d)-(\d\d)(?:-(\d\d))?$/.exec(text)
  if (match === null) return undefined
  const [, hours, minutes, seconds = '0', fraction = '', zone = ''] = match
  if (Number(hours) > 24 || Number(minutes) > 59 || Number(seconds) > 60) return undefined
  const time =
    Number(hours) * 3_600_000 +
    Number(minutes) * 60_000 +
    Number(seconds) * 1000 +
    Math.floor(Number(`0.${fraction || '0'}`) * 1000)
  return time - zoneMs(zone)
}

function zoneMs(zone: string): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600_000 + Number(minutes) * 60_000)
}

/** True for a date that cannot be right: more than a day after `nowMs`. */
export function isAhead({ fromMs }: Moment, nowMs: number): boolean {
  return fromMs > nowMs + DAY_MS
}

/** True when one declaration was certainly made after another; a whole day and a time within it are the same moment. */
export function isLater(a: Pick<Moment, 'fromMs'>, b: Pick<Moment, 'toMs'>): boolean {
  return a.fromMs > b.toMs
}

/** A date so many months before a day, `YYYY-MM-DD`; the last day of a shorter month. */
export function monthsBefore(day: string, months: number): string {
  const total = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 - months
  const [year, month] = [Math.floor(total / 12), total % 12]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return calendarDate(Date.UTC(year, month, Math.min(Number(day.slice(8, 10)), last)))
}
