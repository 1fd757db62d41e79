import { describe, expect, test } from 'vitest'
import {
  createPartFacts,
  type DeclaredPart,
  type PartSummary,
} from '../../../src/report/rollup/rollup-facts.ts'

const PLAIN: DeclaredPart = {
  rohs: 'compliant',
  exemptions: [],
  reach: 'no SVHC',
  svhcs: [],
  massMg: 10,
  unitType: 'Each',
}

function summaryOf(...declared: readonly Partial<DeclaredPart>[]): PartSummary {
  const facts = createPartFacts()
  for (const one of declared) facts.add({ ...PLAIN, ...one })
  return facts.summary()
}

describe('what is declared of a part', () => {
  test('is the worst of several suppliers', () => {
    expect(summaryOf({}, { rohs: 'not compliant' }).rohs).toBe('not compliant')
    expect(summaryOf({}, { rohs: 'compliant with exemptions' }).rohs).toBe('compliant with exemptions')
  })

  test('is incomplete where one of several suppliers is silent', () => {
    const parts = summaryOf({}, { rohs: 'not declared', reach: 'not declared' })
    expect(parts).toMatchObject({ rohs: 'incomplete', reach: 'not declared' })
    expect(summaryOf({ rohs: 'not declared' }).rohs).toBe('not declared')
  })

  test('has all exemptions with their earliest dates, and all SVHCs', () => {
    const parts = summaryOf(
      { exemptions: [{ identity: '6(c)', expires: '', status: '' }], svhcs: ['Lead'] },
      { exemptions: [{ identity: '6(c)', expires: '2027-06-30', status: '' }], svhcs: ['DEHP', 'Lead'] },
      {
        exemptions: [
          { identity: '6(c)', expires: '2026-12-11', status: '' },
          { identity: '7(a)', expires: '', status: '' },
        ],
      },
    )
    expect([...parts.exemptions.values()].map(({ identity, expires }) => [identity, expires])).toEqual([
      ['6(c)', '2026-12-11'],
      ['7(a)', ''],
    ])
    expect([...parts.svhcs]).toEqual(['Lead', 'DEHP'])
  })

  test.each<[string, readonly Partial<DeclaredPart>[], number | undefined, string]>([
    ['one mass', [{}], 10, ''],
    ['the same mass twice', [{}, {}], 10, ''],
    ['a mass and none', [{}, { massMg: undefined }], 10, ''],
    ['a mass and a placeholder', [{ massMg: 0 }, {}], 10, ''],
    ['a placeholder', [{ massMg: 0 }], undefined, 'no mass is declared'],
    ['none', [{ massMg: undefined }], undefined, 'no mass is declared'],
    ['two masses', [{}, { massMg: 11 }], undefined, 'different masses are declared'],
    ['no unit', [{ unitType: '' }], 10, ''],
    ['a mass per meter', [{ unitType: 'Meter' }], undefined, 'its mass is per Meter, not per piece'],
  ])('with %s', (_, declared, massMg, massReason) => {
    expect(summaryOf(...declared)).toMatchObject({ massMg, massReason })
  })
})
