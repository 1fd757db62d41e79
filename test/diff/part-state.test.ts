import { describe, expect, test } from 'vitest'
import { mergeStates, stateKey, stateOf } from '../../src/diff/part-state.ts'
import { partRowOf } from '../support/report-rows.ts'

test('a part is identified by its number and the id of its supplier, else the name', () => {
  const key = (change: Parameters<typeof partRowOf>[0]) => stateKey(partRowOf(change))
  expect(key({ supplier: 'renamed' })).toBe(key({}))
  expect(key({ company_id: '', supplier: 'A' })).not.toBe(key({ company_id: '', supplier: 'B' }))
  expect(key({ part: 'x' })).not.toBe(key({ part: 'X' }))
  expect(key({ part: '', name: 'x' })).not.toBe(key({ part: '', name: 'y' }))
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
    }
  })

  test('no gap and no matching rule of either is lost', () => {
    const gaps = stateOf(partRowOf({ date: '2023-01-01', has_gaps: true, source: 'c.xml' }), ['incomplete'])
    const newer = stateOf(partRowOf({ date: '2025-01-01', unaccepted: true, source: 'd.xml' }), [
      'unaccepted',
    ])
    for (const merged of [mergeStates(gaps, newer), mergeStates(newer, gaps)]) {
      expect(merged).toMatchObject({ has_gaps: true, unaccepted: true })
      expect(merged.matched).toEqual(
        new Map([
          ['incomplete', 'c.xml'],
          ['unaccepted', 'd.xml'],
        ]),
      )
    }
  })

  test('of two with the same date, the worse counts', () => {
    const good = stateOf(partRowOf())
    const bad = stateOf(
      partRowOf({ rohs: 'not compliant', svhc_count: 1, svhc_keys: ['1'], svhc_names: ['Lead'] }),
    )
    for (const merged of [mergeStates(good, bad), mergeStates(bad, good)]) {
      expect(merged).toMatchObject({ rohs: 'not compliant', svhc_count: 1 })
      expect([...merged.svhc.values()]).toEqual(['Lead'])
    }
  })

  test('exemptions of a file without a RoHS list count too', () => {
    const full = stateOf(partRowOf({ exemptions: '6(c) (L, Lead)' }))
    const substances = { rohs: 'not declared', rohs_list: '', exemptions: '7(a) (L, Lead)' } as const
    for (const date of ['2023-01-01', '2025-01-01']) {
      const merged = mergeStates(full, stateOf(partRowOf({ date, ...substances })))
      expect([...merged.exemptions].sort()).toEqual(['6(c) (L, Lead)', '7(a) (L, Lead)'])
      expect(merged.rohs).toBe('compliant')
    }
  })
})
