import { describe, expect, it } from 'vitest'
import { createNewestDeclarations } from '../../../src/report/rows/newest-declarations.ts'

/** A declaration: date, classes and number of its file. */
type One = readonly [date: string, classes: string, file: number]

function replacedBy(first: One, second: One, keys: readonly [string, string] = ['P', 'P']): unknown {
  const newest = createNewestDeclarations()
  const rowOf = ([date, classes]: One) => ({ date, classes })
  newest.see(keys[0], rowOf(first), first[2])
  newest.see(keys[1], rowOf(second), second[2])
  expect(newest.replacedBy(keys[1], rowOf(second), second[2])).toBeUndefined()
  return newest.replacedBy(keys[0], rowOf(first), first[2])
}

describe('a declaration and a newer one', () => {
  it.each<[string, One, One, string | undefined]>([
    ['of the same class', ['2024-01-31', 'C', 1], ['2024-02-01', 'C', 2], '2024-02-01'],
    ['of the same class, read first', ['2024-01-31', 'C', 2], ['2024-02-01', 'C', 1], '2024-02-01'],
    ['of more classes', ['2024-01-31', 'C', 1], ['2026-12-31', 'ACD', 2], '2026-12-31'],
    ['of fewer classes', ['2024-01-31', 'CD', 1], ['2024-02-01', 'C', 2], undefined],
    ['of another class', ['2024-01-31', 'C', 1], ['2024-02-01', 'D', 2], undefined],
    ['of no class', ['2024-01-31', 'C', 1], ['2024-02-01', '', 2], undefined],
    ['when the older has no class', ['2024-01-31', '', 1], ['2024-02-01', 'D', 2], '2024-02-01'],
    ['when the older has no date', ['', 'C', 2], ['1999-01-01', 'C', 1], '1999-01-01'],
    ['of the same date, in a later file', ['2024-01-31', 'C', 1], ['2024-01-31', 'C', 2], '2024-01-31'],
    ['of the same date, in the same file', ['2024-01-31', 'C', 1], ['2024-01-31', 'C', 1], undefined],
    ['when neither has a date', ['', 'C', 1], ['', 'C', 2], ''],
    ['of the last day there is', ['9999-12-30', 'C', 2 ** 31 - 1], ['9999-12-31', 'C', 1], '9999-12-31'],
  ])('%s', (_, older, newer, expected) => {
    expect(replacedBy(older, newer)).toBe(expected)
  })

  it('of another part', () => {
    expect(replacedBy(['2024-01-31', 'C', 1], ['2024-02-01', 'C', 2], ['P', 'Q'])).toBeUndefined()
  })
})

it('names the newest of many, in any order', () => {
  const dates = ['2024-03-01', '2025-01-01', '2023-07-07', '']
  for (const order of [dates, [...dates].reverse()]) {
    const newest = createNewestDeclarations()
    for (const [file, date] of order.entries()) newest.see('P', { date, classes: 'C' }, file)
    const replacements = dates.map((date) =>
      newest.replacedBy('P', { date, classes: 'C' }, order.indexOf(date)),
    )
    expect(replacements).toEqual(['2025-01-01', undefined, '2025-01-01', '2025-01-01'])
  }
})
