import { expect, test } from 'vitest'
import { largest, smallest } from '../../src/base/extremes.ts'

test('the largest and the smallest of a million values', () => {
  const values = Array.from({ length: 1_000_000 }, (_, at) => (at * 7919) % 1_000_003)
  expect([largest(values), smallest(values)]).toEqual([1_000_002, 0])
  expect([largest(new Set([-1, -2])), smallest(new Set([-1, -2]))]).toEqual([-1, -2])
})

test('none are what Math.max and Math.min say of none', () => {
  expect([largest([]), smallest([])]).toEqual([Math.max(), Math.min()])
})
