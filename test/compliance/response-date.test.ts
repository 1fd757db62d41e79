import { describe, expect, test } from 'vitest'
import { isAhead, isLater, monthsBefore, readMoment } from '../../src/compliance/response-date.ts'

const NOON = Date.parse('2026-03-02T12:00:00Z')

describe('a response date', () => {
  test.each([
    ['2026-03-02', '2026-03-02'],
    [' 2026-03-02 ', '2026-03-02'],
    ['2026-3-2', '2026-03-02'],
    ['2026/3/2', '2026-03-02'],
    ['20260302', '2026-03-02'],
    ['2.3.2026', '2026-03-02'],
    ['02.03.2026', '2026-03-02'],
    ['2-Mar-2026', '2026-03-02'],
    ['02-MAR-2026', '2026-03-02'],
    ['2026-03-02T12:00:00Z', '2026-03-02'],
    ['2026-03-02T12:00', '2026-03-02'],
    ['2026-03-02 12:00:00.5', '2026-03-02'],
    ['2026-03-02-00-00', '2026-03-02'],
    ['2026-03-02+01:00', '2026-03-02'],
  ])('%j is %s', (text, day) => expect(readMoment(text)?.day).toBe(day))

  test.each([
    '',
    'soon',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '3/2/2026',
    '2-March-2026',
    '2026-03-02T99:00',
    '2026-03-02T25:00',
    '2026-03-02T12:60',
    '2026-03-02T12:00:61',
    '2026-03-02x',
  ])('%j is none', (text) => expect(readMoment(text)).toBeUndefined())

  test('may have its month as a word', () => {
    const words = ['Jan', 'feb', 'MAR', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
    expect(words.map((word) => readMoment(`01-${word}-2026`)?.day.slice(5, 7))).toEqual(
      words.map((_, index) => String(index + 1).padStart(2, '0')),
    )
  })

  test.each([
    ['2026-03-02', '2026-03-02T00:00:00.000Z', '2026-03-02T23:59:59.999Z'],
    ['2026-03-02T00:00Z', '2026-03-02T00:00:00.000Z'],
    ['2026-03-02T01:02:03.5Z', '2026-03-02T01:02:03.500Z'],
    ['2026-03-02 1.02.03,25', '2026-03-02T01:02:03.250Z'],
    ['2026-03-02T23:59:60Z', '2026-03-03T00:00:00.000Z'],
    ['2026-03-02T24:00Z', '2026-03-03T00:00:00.000Z'],
    ['2026-03-02T01:02+01:30', '2026-03-01T23:32:00.000Z'],
    ['2026-03-02T01:02-0130', '2026-03-02T02:32:00.000Z'],
    ['2026-03-02T01:02+01', '2026-03-02T00:02:00.000Z'],
    ['2026-03-02-01-02-03', '2026-03-02T01:02:03.000Z'],
    ['2026-03-02-01-02', '2026-03-02T01:02:00.000Z'],
  ])('%j is from %s to %s', (text, from, to = from) => {
    const { fromMs, toMs } = readMoment(text)!
    expect([fromMs, toMs].map((ms) => new Date(ms).toISOString())).toEqual([from, to])
  })

  test('counts to the time of day, where it is given', () => {
    const at = (text: string) => readMoment(text)!
    expect(at('2026-03-02T12:00:00Z')).toMatchObject({ fromMs: NOON, toMs: NOON })
    expect(at('2026-03-02T13:00:00+01:00').fromMs).toBe(NOON)
    expect(isLater(at('2026-03-02T12:00:00Z'), at('2026-03-02T11:59:59Z'))).toBe(true)
    expect(isLater(at('2026-03-02T12:00:00Z'), at('2026-03-02T12:00:00Z'))).toBe(false)
    expect(isLater(at('2026-03-02T12:00:00Z'), at('2026-03-02'))).toBe(false)
    expect(isLater(at('2026-03-02'), at('2026-03-02T12:00:00Z'))).toBe(false)
    expect(isLater(at('2026-03-03'), at('2026-03-02T23:59:59Z'))).toBe(true)
  })

  test('is ahead from more than a day after now', () => {
    expect(isAhead(readMoment('2026-03-03')!, NOON)).toBe(false)
    expect(isAhead(readMoment('2026-03-04')!, NOON)).toBe(true)
    expect(isAhead(readMoment('2026-03-03T12:00:00Z')!, NOON)).toBe(false)
    expect(isAhead(readMoment('2026-03-03T12:00:01Z')!, NOON)).toBe(true)
  })
})

test.each([
  ['2026-03-31', 1, '2026-02-28'],
  ['2026-03-02', 12, '2025-03-02'],
  ['2026-03-31', 0, '2026-03-31'],
  ['2024-03-30', 1, '2024-02-29'],
  ['2026-01-01', 1, '2025-12-01'],
  ['2026-12-31', 1, '2026-11-30'],
  ['2026-01-15', 14, '2024-11-15'],
])('%s less %d months is %s', (day, months, before) => expect(monthsBefore(day, months)).toBe(before))
