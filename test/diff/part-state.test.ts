import { expect, test } from 'vitest'
import { hasWorsened, type PartChanges, stateKey, stateOf } from '../../src/diff/part-state.ts'
import { partRowOf } from '../support/report-rows.ts'

test('a part is identified by its number and the id of its supplier, else the name', () => {
  const key = (change: Parameters<typeof partRowOf>[0]) => stateKey(partRowOf(change))
  expect(key({ supplier: 'renamed' })).toBe(key({}))
  expect(key({ company_id: '', supplier: 'A' })).not.toBe(key({ company_id: '', supplier: 'B' }))
  expect(key({ part: 'x' })).not.toBe(key({ part: 'X' }))
  expect(key({ part: '', name: 'x' })).not.toBe(key({ part: '', name: 'y' }))
})

test('spelling of lists and exemptions does not count', () => {
  const state = stateOf(
    partRowOf({
      rohs_list: 'euRoHS-1907',
      exemptions: '6(c)  (EL);  7(a)',
    }),
  )
  expect(state.rohs_list).toBe('EUROHS-1907')
  expect([...state.exemptions]).toEqual(['6(c) (EL)', '7(a)'])
})

const SVHC = { gained: [], lost: [], noLongerStated: [], grown: [] }
const OTHERS = { newlyOver: [], noLongerOver: [], noLongerStated: [], newlyStated: [] }
const NONE = { added: [], removed: [] }

test.each<[boolean, PartChanges]>([
  [true, { rohs: { old: 'compliant', new: 'not compliant' } }],
  [true, { svhc: { ...SVHC, gained: ['Lead'] } }],
  [true, { svhc: { ...SVHC, grown: [{ name: 'Lead', old: 1, new: 2 }] } }],
  [true, { other_lists: { ...OTHERS, newlyOver: ['PFAS: PFOA'] } }],
  [true, { contradictions: { ...NONE, added: ['x'] } }],
  [true, { indications: { ...NONE, added: ['x'] } }],
  [false, {}],
  [false, { rohs: { old: 'not compliant', new: 'compliant' }, svhc: { ...SVHC, lost: ['Lead'] } }],
  [false, { svhc: SVHC, other_lists: { ...OTHERS, newlyStated: ['PFAS'] }, contradictions: NONE }],
  [false, { indications: { ...NONE, removed: ['x'] }, date: { old: '2025-01-01', new: '2026-01-01' } }],
])('that a part has worsened is %s for %j', (worse, changes) => {
  expect(hasWorsened(changes)).toBe(worse)
})
