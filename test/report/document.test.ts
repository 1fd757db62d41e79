import { describe, expect, test } from 'vitest'
import { cellText, countsText, dayOf, firstOf, moreParts, plainText } from '../../src/report/document.ts'
import { NOW } from '../support/report-rows.ts'

const parts = (count: number, all = count) => ({
  parts: Array.from({ length: count }, (_, index) => `P${index + 1}`),
  count: all,
})

describe('a text of pieces', () => {
  test.each<[Parameters<typeof plainText>, string]>([
    [['as it is'], 'as it is'],
    [
      [['2 of ', { text: 'three', rows: {} }, ' ', { sources: 'https://a.example', label: 'law' }]],
      '2 of three law',
    ],
    [[[parts(3)], 3], 'P1, P2, P3'],
    [[[parts(4)], 3], 'P1, P2, P3 and 1 more'],
    [[[parts(2, 1_234)], 3], 'P1, P2 and 1,232 more'],
    [[[parts(12)]], 'P1, P2, P3, P4, P5, P6, P7, P8, P9, P10 and 2 more'],
    [[[{ parts: ['', 'A'], count: 2 }]], 'a row without part number, A'],
  ])('%j is %s', (args, expected) => expect(plainText(...args)).toBe(expected))
})

test.each([
  [0, ''],
  [-1, ''],
  [1, ' and 1 more'],
  [1_000, ' and 1,000 more'],
])('%i that are left out are said as "%s"', (left, expected) => expect(moreParts(left)).toBe(expected))

describe('the first things of many', () => {
  const of = (count: number) => ({ count, one: 'part', many: 'parts' })
  test.each<[Parameters<typeof firstOf<number>>, readonly number[], readonly string[]]>([
    [[[1, 2, 3], undefined, 2], [1, 2, 3], []],
    [[[1, 2, 3], of(3), 3], [1, 2, 3], []],
    [[[1, 2, 3], of(3), 2], [1, 2], ['and 1 more part']],
    [[[1, 2, 3], of(5), 3], [1, 2, 3], ['and 2 more parts']],
    [[[1, 2, 3], of(2_003)], [1, 2, 3], ['and 2,000 more parts']],
    [[[], of(0)], [], []],
  ])('%j', (args, shown, more) => expect(firstOf(...args)).toEqual({ shown, more }))
})

test('counts are a line without zeros; a sentence replaces it, and a picture has none', () => {
  const counts = {
    kind: 'counts',
    title: 'RoHS',
    look: 'line',
    counts: [
      { name: 'compliant', count: 2, tone: 'good' },
      { name: 'missing', count: 0, tone: 'bad' },
      { name: 'incomplete', count: 1, tone: 'warn' },
    ],
  } as const
  expect(countsText(counts)).toEqual(['RoHS: 2 compliant, 1 incomplete'])
  expect(countsText({ ...counts, sentence: 'all is well' })).toEqual(['all is well'])
  expect(countsText({ ...counts, look: 'chart' })).toEqual([])
})

test('cells are texts, and a document has the day on which it was made', () => {
  expect([null, 0, 1.5, 'a', [parts(2)]].map((cell) => cellText(cell, 1))).toEqual([
    '',
    '0',
    '1.5',
    'a',
    'P1 and 1 more',
  ])
  expect(dayOf({ nowMs: NOW })).toBe(new Date(NOW).toISOString().slice(0, 10))
})
