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

/** The UTC calendar date of a moment, `YYYY-MM-DD`. */
export function calendarDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
