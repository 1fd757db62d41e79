import { describe, expect, test } from 'vitest'
import {
  formatBytes,
  formatCount,
  formatDuration,
  parseDuration,
  parseSize,
  plural,
  typedDuration,
} from '../../src/base/units.ts'

describe('sizes', () => {
  test.each([
    ['8000', 8000],
    ['16GiB', 16 * 1024 ** 3],
    ['500MB', 500_000_000],
    ['2k', 2048],
    ['1.5 m', 1_572_864],
    ['1tb', 1e12],
    ['', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['10 parsecs', undefined],
    ['99999999tib', undefined],
  ])('%j is %j bytes', (text, bytes) => expect(parseSize(text)).toBe(bytes))

  test.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1_468_006, '1.4 MiB'],
    [150 * 1024, '150 KiB'],
    [5000 * 1024 ** 4, '5000 TiB'],
  ])('%j bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))
})

describe('durations', () => {
  test.each([
    ['10', 10_000],
    ['0.5', 500],
    ['500ms', 500],
    ['1m30s', 90_000],
    ['2H', 7_200_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['', undefined],
    ['10 s', undefined],
    ['s', undefined],
    ['-1s', undefined],
  ])('%j is %j ms', (text, ms) => expect(parseDuration(text)).toBe(ms))

  test.each([
    [-5, '0.0 s'],
    [20, '20 ms'],
    [400, '0.4 s'],
    [12_400, '12 s'],
    [60_000, '1 min'],
    [185_000, '3 min 5 s'],
    [7_800_000, '2 h 10 min'],
    [49 * 3_600_000, '2 d 1 h'],
  ])('%j ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  test.each([
    [300_000, '5m'],
    [90_000, '90s'],
    [1_500, '1500ms'],
  ])('%j ms as an option are %s', (ms, text) => {
    expect(typedDuration(ms)).toBe(text)
    expect(parseDuration(text)).toBe(ms)
  })
})

test.each([
  [0, '0 parts'],
  [1, '1 part'],
  [1_234_567, '1,234,567 parts'],
])('%j parts are %s', (count, text) => expect(plural(count, 'part')).toBe(text))

test('counts and plurals of their own', () => {
  expect(formatCount(999)).toBe('999')
  expect(plural(2, 'entry', 'entries')).toBe('2 entries')
})
