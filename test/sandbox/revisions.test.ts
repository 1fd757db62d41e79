import { expect, test } from 'vitest'
import type { PartFacts } from '../../src/sandbox/facts.ts'
import { declaredOn } from '../../src/sandbox/revisions.ts'

const state = (c: string, d = '', accepted = true): PartFacts => ({
  supplier: { id: '123456789', name: 'Ours' },
  numbers: [{ number: 'A', name: 'A' }],
  massMg: 1,
  style: {},
  accepted,
  regulatory: c === '' ? undefined : { approved: c, lists: [] },
  material: d === '' ? undefined : { approved: d, materials: [] },
})

test.each([
  ['C', '2025-01-01', '2025-01-01', 'C'],
  ['D', '2025-01-01', '2025-01-01', 'D'],
  ['checkDthenC', '2025-01-01', '2025-01-01', 'D'],
  ['checkDthenC', '2025-01-01', '', 'C'],
  ['D', '2025-01-01', '', undefined],
  ['C', '', '2025-01-01', undefined],
  ['checkDthenC', '', '', undefined],
] as const)('class %s of a part with C of %j and D of %j is %s', (formatClass, c, d, letter) => {
  expect(declaredOn(state(c, d), formatClass, undefined)?.declarationClass).toBe(letter)
})

const FIRST = state('2025-02-01', '2025-02-02', false)
const SECOND = state('2025-05-01', '', false)
const PART = { ...state('2025-09-01'), revisions: [FIRST, SECOND] }

test.each([
  ['C', undefined, '2025-09-01', true],
  ['C', '2025-09-01', '2025-09-01', true],
  ['C', '2025-08-31', '2025-05-01', false],
  ['C', '2025-04-30', '2025-02-01', false],
  ['C', '2025-01-31', undefined, undefined],
  ['D', undefined, '2025-02-02', false],
  ['checkDthenC', '2025-12-31', '2025-02-02', false],
  ['checkDthenC', '2025-02-01', '2025-02-01', false],
] as const)(
  'class %s on %s is the declaration of %s, with its own facts',
  (formatClass, day, approved, accepted) => {
    const declared = declaredOn(PART, formatClass, day)
    expect([declared?.approved, declared?.part.accepted]).toEqual([approved, accepted])
  },
)

test('revisions may stand in any order', () => {
  for (const revisions of [
    [PART, FIRST, SECOND],
    [SECOND, PART, FIRST],
  ]) {
    for (const day of [undefined, '2025-08-31', '2025-02-01']) {
      const declared = declaredOn({ ...state(''), revisions }, 'C', day)
      expect(declared?.approved).toBe(declaredOn(PART, 'C', day)?.approved)
    }
  }
})
