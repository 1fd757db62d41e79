const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

/**
 * Milliseconds since the epoch of the start (UTC) of a real calendar date written `YYYY-MM-DD`; undefined for anything else,
 * 30 February included, which JavaScript's own Date would silently move to March.
 */
export function parseCalendarDate(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return undefined
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (year < 1 || month < 1 || month > 12 || day < 1) return undefined
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const lastDay = month === 2 && isLeap ? 29 : DAYS_IN_MONTH[month - 1]!
  return day <= lastDay ? Date.parse(`${text}T00:00:00Z`) : undefined
}

/** The UTC calendar date of a moment, `YYYY-MM-DD`. */
export function calendarDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
