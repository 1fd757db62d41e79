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
    '2026-03-02x',
  ])('%j is none', (text) => expect(readMoment(text)).toBeUndefined())

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
  })
})

test.each([
  ['2026-03-31', 1, '2026-02-28'],
  ['2026-03-02', 12, '2025-03-02'],
  ['2026-01-15', 14, '2024-11-15'],
])('%s less %d months is %s', (day, months, before) => expect(monthsBefore(day, months)).toBe(before))
