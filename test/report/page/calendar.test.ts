import { expect, test } from 'vitest'
import { calendarText, inDays } from '../../../src/report/page/calendar.ts'
import { NOW } from '../../support/report-rows.ts'

test('days are an iCalendar file with lines of at most 75 bytes and escaped texts', () => {
  const what = 'exemption 6(c), 12 parts'
  const details = `in force; renewal, announced\nPART-${'0123456789'.repeat(12)} 部品部品部品`
  const text = calendarText([{ day: '2027-06-30', what, details }], 'Pump; rev. B', NOW)
  const lines = text.split('\r\n')
  expect(lines.slice(0, 6)).toEqual([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//matdecl//EN',
    'BEGIN:VEVENT',
    'UID:2027-06-30-exemption-6-c-12-parts@matdecl',
    'DTSTAMP:20260304T050607Z',
  ])
  expect(lines).toContain('DTSTART;VALUE=DATE:20270630')
  expect(lines).toContain('SUMMARY:Pump\\; rev. B: exemption 6(c)\\, 12 parts')
  expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75)
  const unfolded = text.replaceAll('\r\n ', '')
  expect(unfolded).toContain(
    `DESCRIPTION:in force\\; renewal\\, announced\\nPART-${'0123456789'.repeat(12)} 部品`,
  )
  expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true)
  expect(calendarText([], 'Pump', NOW)).toBe('')
})

test.each([
  ['2026-03-04', 'today'],
  ['2026-03-05', 'in 1 day'],
  ['2026-12-11', 'in 282 days'],
])('%s is %s', (day, text) => {
  expect(inDays(day, '2026-03-04')).toBe(text)
})
