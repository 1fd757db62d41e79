import { expect, test } from 'vitest'
import { calendarDate, parseCalendarDate } from '../../src/base/calendar-date.ts'

test.each(['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31', '2026-03-04'])('%s is a date', (text) => {
  expect(calendarDate(parseCalendarDate(text)!)).toBe(text)
})

test.each([
  '2026-02-30',
  '2023-02-29',
  '1900-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-04-31',
  '0000-01-01',
  '2026-3-4',
  '2026-03-04T00:00:00Z',
  ' 2026-03-04',
  '',
])('%j is not', (text) => expect(parseCalendarDate(text)).toBeUndefined())

test('the date of a moment is that of UTC, whatever the time zone', () => {
  expect(calendarDate(Date.parse('2026-03-04T23:59:59Z'))).toBe('2026-03-04')
  expect(calendarDate(Date.parse('2026-03-05T00:30:00+01:00'))).toBe('2026-03-04')
})
