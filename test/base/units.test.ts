import { describe, expect, test } from 'vitest'
import {
  calendarDate,
  formatBytes,
  formatCount,
  formatCountdown,
  formatDuration,
  formatInstant,
  monthNumber,
  parseCalendarDate,
  parseDuration,
  parseSize,
  plural,
  typedDuration,
} from '../../src/base/units.ts'

describe('parseSize', () => {
  test.each([
    ['8000', 8000],
    ['1.5k', 1536],
    ['500MB', 500_000_000],
    [' 16 GiB ', 16 * 1024 ** 3],
    ['', undefined],
    ['-1', undefined],
    ['5 XB', undefined],
    ['9999999TiB', undefined],
    ['8191TiB', 8191 * 1024 ** 4],
    ['8192TiB', undefined],
  ])('%j', (text, bytes) => expect(parseSize(text)).toBe(bytes))

  test.each(['k', 'm', 'g', 't'])('%s alone is binary', (unit) => {
    const power = 'kmgt'.indexOf(unit) + 1
    expect([unit, `${unit}ib`, `${unit}b`].map((each) => parseSize(`3${each}`))).toEqual([
      3 * 1024 ** power,
      3 * 1024 ** power,
      3 * 1000 ** power,
    ])
  })
})

describe('parseDuration', () => {
  test.each([
    ['10', 10_000],
    ['0.5', 500],
    ['500ms', 500],
    ['1m30s', 90_000],
    ['2H', 7_200_000],
    ['1w1d', 691_200_000],
    ['1.5h', 5_400_000],
    ['0.4ms', 0],
    ['9007199254740991ms', 9_007_199_254_740_991],
    ['9007199254740993ms', undefined],
    ['', undefined],
    ['1x', undefined],
    ['m', undefined],
  ])('%j', (text, ms) => expect(parseDuration(text)).toBe(ms))
})

test.each([
  [0, '0 B'],
  [812, '812 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [99.9 * 1024, '99.9 KiB'],
  [100 * 1024, '100 KiB'],
  [1.4 * 1024 ** 2, '1.4 MiB'],
  [300 * 1024 ** 3, '300 GiB'],
  [5000 * 1024 ** 4, '5000 TiB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

test.each([
  [-1, '0.0 s'],
  [0, '0.0 s'],
  [0.1, '1 ms'],
  [20, '20 ms'],
  [49, '49 ms'],
  [50, '0.1 s'],
  [400, '0.4 s'],
  [9_900, '9.9 s'],
  [10_000, '10 s'],
  [12_000, '12 s'],
  [59_499, '59 s'],
  [59_500, '1 min'],
  [185_000, '3 min 5 s'],
  [3_599_499, '59 min 59 s'],
  [3_599_500, '1 h'],
  [7_800_000, '2 h 10 min'],
  [(48 * 60 - 1) * 60_000, '47 h 59 min'],
  [48 * 3_600_000, '2 d'],
  [49 * 3_600_000, '2 d 1 h'],
  [3 * 86_400_000, '3 d'],
])('%d milliseconds are %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

test.each([
  [-5, '0 s'],
  [1, '1 s'],
  [9_000, '9 s'],
  [9_001, '10 s'],
  [184_001, '3 min 5 s'],
])('%d milliseconds to wait are %s', (ms, text) => expect(formatCountdown(ms)).toBe(text))

test.each([
  [0, '1970-01-01T00:00:00Z'],
  [1_772_600_000_999, '2026-03-04T04:53:20Z'],
  [8.64e15, '+275760-09-13T00:00:00Z'],
  [8.64e15 + 1, 'a date out of range'],
])('the moment %d is %s', (ms, text) => expect(formatInstant(ms)).toBe(text))

test.each([
  [90 * 86_400_000, '90d'],
  [300_000, '5m'],
  [90_000, '90s'],
  [500, '500ms'],
])('%d milliseconds are written %s', (ms, text) => {
  expect(typedDuration(ms)).toBe(text)
  expect(parseDuration(text)).toBe(ms)
})

test('counts have digit groups and the right noun', () => {
  expect([0, 999, 1000, 1_234_567].map(formatCount)).toEqual(['0', '999', '1,000', '1,234,567'])
  expect([plural(1, 'part'), plural(1000, 'part'), plural(2, 'entry', 'entries')]).toEqual([
    '1 part',
    '1,000 parts',
    '2 entries',
  ])
})

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

test.each([
  [-8.64e15, '0001-01-01'],
  [-8.64e15 - 1, '0001-01-01'],
  [9e15, '9999-12-31'],
  [0, '1970-01-01'],
  [-1, '1969-12-31'],
])('%d is the day %s', (ms, day) => {
  expect(calendarDate(ms)).toBe(day)
})

test.each([8.64e15 + 1, -8.64e15 - 1, Number.NaN])('%d is no instant', (ms) => {
  expect(formatInstant(ms)).toBe('a date out of range')
})

test.each([
  ['Jan', 1],
  ['may', 5],
  ['DEC', 12],
  ['', undefined],
  ['Ja', undefined],
  ['January', undefined],
  ['Mai', undefined],
])('%j is month %s', (name, expected) => {
  expect(monthNumber(name)).toBe(expected)
})
