const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1000 ** 4,
  tib: 1024 ** 4,
}

const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** The months by their English names, as dates and list names have them. */
export const MONTHS =
  'January February March April May June July August September October November December'.split(' ')

/** The number of a month (1 to 12) by the first three letters of its English name, in any case; undefined for other text. */
export function monthNumber(abbreviation: string): number | undefined {
  const wanted = abbreviation.toLowerCase()
  const at = MONTHS.findIndex((name) => name.slice(0, 3).toLowerCase() === wanted)
  return at < 0 ? undefined : at + 1
}

/** Parses a size such as `16GiB`, `500MB` or `8000` to bytes; `k`, `m`, `g` alone are binary. Undefined when invalid. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim())
  const unit = match ? SIZE_UNITS[match[2]!.toLowerCase()] : undefined
  if (!match || unit === undefined) return undefined
  const bytes = Math.round(Number(match[1]) * unit)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** Parses a duration such as `500ms`, `1m30s`, `2h` or `7d` to milliseconds; a bare number is seconds. Undefined when invalid. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase()
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * 1000)
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d|w))+$/.test(trimmed)) return undefined
  let totalMs = 0
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g)) {
    totalMs += Number(amount) * DURATION_UNITS[unit!]!
  }
  return Number.isSafeInteger(Math.round(totalMs)) ? Math.round(totalMs) : undefined
}

/** `1.4 MiB`, `812 B`: binary units. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return unit === 0 ? `${value} B` : `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${units[unit]}`
}

/** `20 ms`, `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds > 0 && seconds < 0.05) return `${Math.ceil(seconds * 1000)} ms`
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return joinUnits(Math.floor(whole / 60), 'min', whole % 60, 's')
  const minutes = Math.round(whole / 60)
  if (minutes < 48 * 60) return joinUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.round(minutes / 60)
  return joinUnits(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

/** `1 s`, `35 s`, `3 min 5 s`: a time still to wait, rounded up to seconds. */
export function formatCountdown(ms: number): string {
  const seconds = Math.ceil(Math.max(0, ms) / 1000)
  return seconds < 10 ? `${seconds} s` : formatDuration(seconds * 1000)
}

/** `90d`, `5m`, `90s`, `500ms`: a duration as typed on the command line. */
export function typedDuration(ms: number): string {
  if (ms > 0 && ms % 86_400_000 === 0) return `${ms / 86_400_000}d`
  if (ms % 60_000 === 0) return `${ms / 60_000}m`
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}

const LAST_DATE_MS = 8.64e15

/** A moment in RFC 3339, UTC, to the second. */
export function formatInstant(ms: number): string {
  if (!(Math.abs(ms) <= LAST_DATE_MS)) return 'a date out of range'
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** `1,234,567`, in every locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

/** `1 part`, `2 parts`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : nouns}`
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

/**
 * Start (UTC) of a real calendar date `YYYY-MM-DD` in milliseconds since the epoch. Undefined for anything else, 30 February
 * included.
 */
export function parseCalendarDate(text: string): number | undefined {
  if (!/^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const ms = Date.parse(`${text}T00:00:00Z`)
  // Date moves 30 February to March.
  return Number.isNaN(ms) || calendarDate(ms) !== text ? undefined : ms
}

const FIRST_DAY_MS = Date.parse('0001-01-01')
const LAST_DAY_MS = Date.UTC(9999, 11, 31)

/**
 * The UTC calendar date of a moment, `YYYY-MM-DD`; beyond the years 1 to 9999 the nearest in between, as
 * damaged records have any number.
 */
export function calendarDate(ms: number): string {
  const inRange = Math.min(LAST_DAY_MS, Math.max(FIRST_DAY_MS, ms))
  return new Date(inRange).toISOString().slice(0, 10)
}
