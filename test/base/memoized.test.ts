import { expect, test, vi } from 'vitest'
import { memoized } from '../../src/base/memoized.ts'

test('a result is computed once for each key, also where it is undefined', () => {
  const compute = vi.fn((text: string) => (text === '' ? undefined : text.length))
  const length = memoized(compute, 10)
  expect([length('abc'), length(''), length('abc'), length('')]).toEqual([3, undefined, 3, undefined])
  expect(compute).toHaveBeenCalledTimes(2)
})

test('the key may be of several arguments', () => {
  const sum = memoized(
    (a: number, b: number) => a + b,
    10,
    (a, b) => `${a} ${b}`,
  )
  expect([sum(1, 2), sum(1, 3), sum(1, 2)]).toEqual([3, 4, 3])
})

test('no more than so many results are kept', () => {
  const compute = vi.fn((value: number) => value)
  const same = memoized(compute, 2)
  for (const value of [1, 2, 3, 3, 1]) expect(same(value)).toBe(value)
  expect(compute).toHaveBeenCalledTimes(4)
})
