import { describe, expect, test } from 'vitest'
import { mergeStates, stateKey, stateOf } from '../../src/diff/part-state.ts'
import { partRowOf } from '../support/report-rows.ts'

test('a part is identified by its number and the id of its supplier, else the name', () => {
  const key = (change: Parameters<typeof partRowOf>[0]) => stateKey(partRowOf(change))
  expect(key({ supplier: 'renamed' })).toBe(key({}))
  expect(key({ company_id: '', supplier: 'A' })).not.toBe(key({ company_id: '', supplier: 'B' }))
  expect(key({ part: 'x' })).not.toBe(key({ part: 'X' }))
})

test('spelling of lists, exemptions and codes does not count', () => {
  const state = stateOf(
    partRowOf({
      rohs_list: 'euRoHS-1907',
      exemptions: '6(c)  (EL);  7(a)',
      svhc_keys: ['0 01', 'DEHP'],
      svhc_names: ['Lead'],
    }),
  )
  expect(state.rohs_list).toBe('EUROHS-1907')
  expect([...state.exemptions]).toEqual(['6(c) (EL)', '7(a)'])
  expect([...state.svhc]).toEqual([
    ['001', 'Lead'],
    ['dehp', 'DEHP'],
  ])
})

describe('mergeStates', () => {
  const old = stateOf(partRowOf({ date: '2024-01-01', classes: 'C', rohs: 'compliant', mass_mg: 5 }))

  test.each([
    ['statements', {}, 'not compliant', 'EUREACH-0624'],
    ['nothing on RoHS', { rohs_list: '' }, 'compliant', 'EUREACH-0624'],
    ['nothing on REACH', { reach_list: '' }, 'not compliant', 'EUREACH-0119'],
  ])('a newer file with %s', (_, change, rohs, reach) => {
    const before = { ...old, reach_list: 'EUREACH-0119' }
    const newer = stateOf(
      partRowOf({ date: '2025-01-01', classes: 'DA', rohs: 'not compliant', mass_mg: null, ...change }),
    )
    for (const merged of [mergeStates(before, newer), mergeStates(newer, before)]) {
      expect(merged).toMatchObject({
        date: '2025-01-01',
        classes: 'ACD',
        rohs,
        reach_list: reach,
        mass_mg: 5,
      })
      expect(merged.row.rohs).toBe(rohs)
    }
  })

  test('the gate sees the gaps of the statements that count', () => {
    const gaps = stateOf(partRowOf({ date: '2023-01-01', has_gaps: true }))
    expect(mergeStates(gaps, old).row.has_gaps).toBe(false)
    expect(mergeStates(old, stateOf(partRowOf({ date: '2025-01-01', has_gaps: true }))).row.has_gaps).toBe(
      true,
    )
  })
})
