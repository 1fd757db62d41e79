import { describe, expect, test } from 'vitest'
import {
  calendarDate,
  formatBytes,
  formatCount,
  formatDuration,
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
  ])('%j', (text, bytes) => expect(parseSize(text)).toBe(bytes))
})

describe('parseDuration', () => {
  test.each([
    ['10', 10_000],
    ['0.5', 500],
    ['500ms', 500],
    ['1m30s', 90_000],
    ['2H', 7_200_000],
    ['1w1d', 691_200_000],
    ['', undefined],
    ['1x', undefined],
    ['m', undefined],
  ])('%j', (text, ms) => expect(parseDuration(text)).toBe(ms))
})

test.each([
  [812, '812 B'],
  [1024, '1.0 KiB'],
  [1.4 * 1024 ** 2, '1.4 MiB'],
  [300 * 1024 ** 3, '300 GiB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

test.each([
  [0, '0.0 s'],
  [20, '20 ms'],
  [400, '0.4 s'],
  [12_000, '12 s'],
  [185_000, '3 min 5 s'],
  [7_800_000, '2 h 10 min'],
  [3 * 86_400_000, '3 d'],
])('%d milliseconds are %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

test.each([
  [300_000, '5m'],
  [90_000, '90s'],
  [500, '500ms'],
])('%d milliseconds are written %s', (ms, text) => {
  expect(typedDuration(ms)).toBe(text)
  expect(parseDuration(text)).toBe(ms)
})

test('counts have digit groups and the right noun', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567')
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
