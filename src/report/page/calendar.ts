import { plural } from '../../base/units.ts'

/** A day on which something ends. */
export interface EndingDay {
  readonly day: string
  readonly what: string
  readonly details: string
}

/** The days as an iCalendar file (RFC 5545), each for the whole day with a reminder a month before; empty without any. */
export function calendarText(days: readonly EndingDay[], title: string, nowMs: number): string {
  if (days.length === 0) return ''
  const stamp = `${new Date(nowMs).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`
  const events = days.flatMap(({ day, what, details }) => [
    'BEGIN:VEVENT',
    `UID:${day}-${what.replace(/[^\w.-]+/g, '-').slice(0, 80)}@matdecl`,
    `DTSTAMP:${stamp}`,
    `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`,
    `SUMMARY:${escaped(`${title}: ${what}`)}`,
    `DESCRIPTION:${escaped(details)}`,
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    `DESCRIPTION:${escaped(what)}`,
    'TRIGGER:-P30D',
    'END:VALARM',
    'END:VEVENT',
  ])
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//matdecl//EN', ...events, 'END:VCALENDAR']
  return lines.map(folded).join('')
}

function escaped(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n/g, '\\n')
}

const LINE_BYTES = 74

/** A line of at most 75 bytes; what is longer goes on after a blank. */
function folded(line: string): string {
  let text = ''
  let bytes = 0
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (bytes + length > LINE_BYTES) {
      text += '\r\n '
      bytes = 1
    }
    text += character
    bytes += length
  }
  return `${text}\r\n`
}

/** `in 18 days`, `today`. */
export function inDays(day: string, today: string): string {
  const days = Math.round((Date.parse(day) - Date.parse(today)) / 86_400_000)
  return days === 0 ? 'today' : `in ${plural(days, 'day')}`
}
