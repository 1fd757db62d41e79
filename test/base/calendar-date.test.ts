import { expect, test } from 'vitest'
import { calendarDate, parseCalendarDate } from '../../src/base/calendar-date.ts'

test.each(['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('%s is a date', (text) => {
  expect(calendarDate(parseCalendarDate(text)!)).toBe(text)
})

test.each([
  '2023-02-29',
  '1900-02-29',
  '2024-02-30',
  '2024-04-31',
  '2024-13-01',
  '2024-00-01',
  '2024-01-00',
  '0000-01-01',
  '2024-1-1',
  ' 2024-01-01',
  '2024-01-01T00:00:00Z',
  '',
])('%j is not a date', (text) => {
  expect(parseCalendarDate(text)).toBeUndefined()
})
