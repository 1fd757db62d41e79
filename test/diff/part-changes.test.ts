import { expect, test } from 'vitest'
import { changesOf, directionOf, type PartChanges, stateKey } from '../../src/diff/part-changes.ts'
import { METALS_AND_FLAME_RETARDANTS, PHTHALATES, rohs, xmlOf } from '../report/meaning/declarations.ts'
import { readJudged } from '../support/read-text.ts'
import { partRowOf } from '../support/report-rows.ts'

test('a part is identified by its number and the id of its supplier, else the name', () => {
  const key = (change: Parameters<typeof partRowOf>[0]) => stateKey(partRowOf(change))
  expect(key({ supplier: 'renamed' })).toBe(key({}))
  expect(key({ company_id: '', supplier: 'A' })).not.toBe(key({ company_id: '', supplier: 'B' }))
  expect(key({ part: 'x' })).not.toBe(key({ part: 'X' }))
  expect(key({ part: '', name: 'x' })).not.toBe(key({ part: '', name: 'y' }))
})

test('spelling of lists and exemptions does not count', () => {
  const [one, same] = [
    { rohs_list: 'euRoHS-1907', exemptions: '6(c)  (EL);  7(a)' },
    { rohs_list: 'EUROHS-1907', exemptions: '6(c) (EL); 7(a)' },
  ].map(partRowOf)
  expect(changesOf(one!, same!)).toEqual({})
})

test('a group that one of two sub-products no longer states is no longer stated', () => {
  const [then, now] = [rohs(), rohs({}, { groups: PHTHALATES })].map((list) => {
    const subProducts = [rohs(), list].map((one, at) => ({ part: `S${at}`, lists: [one] }))
    return readJudged(xmlOf({ subProducts }))
  })
  expect(changesOf(then!, now!)).toMatchObject({ rohs: { old: 'compliant', new: 'incomplete' } })
  const { rohs_groups } = changesOf(then!, now!)
  expect(rohs_groups?.noLongerStated).toHaveLength(METALS_AND_FLAME_RETARDANTS.length)
  expect(changesOf(now!, then!).rohs_groups?.newlyStated).toEqual(rohs_groups?.noLongerStated)
})

const SVHC = { gained: [], lost: [], noLongerStated: [], grown: [] }
const value = (grown: boolean) => ({ changed: [{ what: 'x', old: '3 mg', new: '30000 mg', grown }] })

test.each<[ReturnType<typeof directionOf>, PartChanges]>([
  ['worse', { verdict: { old: 'clean', new: 'doubtful' } }],
  ['worse', { findings: { added: ['svhc: Lead'], removed: [] } }],
  [
    'worse',
    { findings: { added: ['svhc: Lead'], removed: ['missing'] }, verdict: { old: 'doubtful', new: 'clean' } },
  ],
  ['worse', { svhc: { ...SVHC, grown: [{ name: 'Lead', old: 1, new: 2 }] } }],
  ['worse', { values: value(true) }],
  ['better', { verdict: { old: 'failed', new: 'doubtful' } }],
  ['better', { findings: { added: [], removed: ['contradictory'] } }],
  ['changed', { values: value(false) }],
  // What is no longer stated is not better.
  [
    'changed',
    {
      verdict: { old: 'doubtful', new: 'clean' },
      svhc: { ...SVHC, lost: ['Lead'], noLongerStated: ['Lead'] },
    },
  ],
  [
    'changed',
    {
      verdict: { old: 'doubtful', new: 'clean' },
      substances: {
        changed: [{ what: 'class D Lead', old: '3 mg', new: 'no longer stated', grown: false }],
      },
    },
  ],
  [
    'changed',
    { findings: { added: [], removed: ['contradictory'] }, reach: { old: 'SVHC', new: 'not declared' } },
  ],
  ['changed', { date: { old: '2025-01-01', new: '2026-01-01' } }],
  ['changed', {}],
])('a part is %s with %j', (direction, changes) => {
  expect(directionOf(changes)).toBe(direction)
})
