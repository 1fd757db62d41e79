import { expect, test } from 'vitest'
import { watchLeadingZeros } from '../../src/parts/lost-zeros.ts'

function watched(parts: readonly string[], keep?: number) {
  const watch = watchLeadingZeros(keep)
  for (const [index, part] of parts.entries()) watch.see(part, index + 1)
  return watch.result()
}

const NONE = { first: [], count: 0, width: 0 }

test.each([
  [['0012', '0345', '12'], { first: [{ part: '12', line: 3 }], count: 1, width: 4 }],
  [
    ['123', '0012', '45', '1234'],
    {
      first: [
        { part: '123', line: 1 },
        { part: '45', line: 3 },
      ],
      count: 2,
      width: 4,
    },
  ],
])('%j has numbers that lost zeros', (parts, expected) => {
  expect(watched(parts)).toEqual(expected)
})

test.each([
  ['no number begins with zero', ['1234', '5678', '12']],
  ['the full width is in the minority', ['0012', '12', '34']],
  ['longer numbers lost nothing', ['0012', '0034', '12345']],
  ['a shorter number has its zeros', ['0012', '0034', '01']],
  ['only digits count', ['0012', '0034', 'A1', '1-2', '', '１２']],
  ['a single digit has no width', ['0', '0', '1']],
])('nothing is lost if %s', (_, parts) => {
  expect(watched(parts)).toMatchObject({ first: [], count: 0 })
})

test('no digits at all are no finding', () => {
  expect(watched(['A', 'B'])).toEqual(NONE)
})

test('the first ones are kept, all are counted', () => {
  const { first, count } = watched([...Array(10).fill('00001'), '1', '22', '3', '4'], 2)
  expect([first, count]).toEqual([
    [
      { part: '1', line: 11 },
      { part: '22', line: 12 },
    ],
    4,
  ])
})
