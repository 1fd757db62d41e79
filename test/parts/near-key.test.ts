import { expect, test } from 'vitest'
import { nearKey } from '../../src/parts/near-key.ts'

test.each([
  ['ab-1', 'AB 1'],
  ['AB_1', 'ab\u20111'],
  ['ab1\u200b', '\ufeffAB\u00a01'],
  ['\uff21\uff22\uff11', 'ab1'],
  ['a\u0308', '\u00c4'],
])('%j is near %j', (one, other) => {
  expect(nearKey(one)).toBe(nearKey(other))
})

test.each([
  ['AB1', 'AB10'],
  ['01', '1'],
  ['A.1', 'A1'],
  ['A/1', 'A1'],
  ['O1', '01'],
])('%j is not near %j', (one, other) => {
  expect(nearKey(one)).not.toBe(nearKey(other))
})
