import { expect, test } from 'vitest'
import { collectDistinct } from '../../src/parts/distinct.ts'

test.each([
  ['sorted', ['A', 'B', 'C']],
  ['sorted with repeats', ['A', 'A', 'B', 'B', 'B']],
  ['sorted at first', ['A', 'B', 'D', 'C', 'A', 'D', 'E']],
  ['falling', ['C', 'B', 'A', 'B']],
  ['beginning with nothing', ['', '', 'A', '']],
  ['in no order of people', ['a10', 'a9', 'B', '\u{1F600}', '\uffff', 'a10']],
  ['nothing', []],
])('texts that are %s come out once, in the order first seen', (_, texts) => {
  const distinct = collectDistinct()
  for (const text of texts) distinct.add(text)
  expect(distinct.values()).toEqual([...new Set(texts)])
  expect(distinct.count()).toBe(new Set(texts).size)
})
