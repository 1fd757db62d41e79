import { expect, test } from 'vitest'
import { stateKey, stateOf } from '../../src/diff/part-state.ts'
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
