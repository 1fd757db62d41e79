import { describe, expect, it } from 'vitest'
import { madeUpCatalog } from '../../src/sandbox/catalog.ts'
import { inventedPart } from '../../src/sandbox/default-catalog.ts'
import { describePart } from '../../src/sandbox/made-up.ts'
import { SPECIAL_PARTS } from '../../src/sandbox/special-parts.ts'
import { MADE_UP_SUPPLIERS } from '../../src/sandbox/suppliers.ts'
import { expectedOf } from '../support/expected-reports.ts'
import { soakTest } from '../support/soak.ts'

const parts = Array.from({ length: 1_000 }, (_, n) => ({ n, part: describePart(n) }))

describe('the made-up catalog', () => {
  it('describes a part the same way each time', () => {
    expect(describePart(4_711)).toEqual(describePart(4_711))
  })

  it('shows every situation to every supplier within 192 parts', () => {
    const seen = new Set(parts.slice(0, 192).map(({ part }) => `${part.supplier.id} ${part.situation}`))
    expect(seen.size).toBe(MADE_UP_SUPPLIERS.length * 24)
  })

  it('uses every number, supplier’s and buyer’s, for one part only', () => {
    const numbers = parts.flatMap(({ part }) =>
      part.numbers.flatMap(({ number, requesterNumber }) =>
        [number, requesterNumber].filter((own) => own !== undefined),
      ),
    )
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  it('finds a part by each of its numbers, and not by similar ones', () => {
    const catalog = madeUpCatalog(1_000)
    for (const { n, part } of parts) {
      for (const { number, requesterNumber } of part.numbers) {
        expect(catalog.find(number).map(({ index }) => index)).toEqual([n])
        if (requesterNumber) expect(catalog.find(requesterNumber).map(({ index }) => index)).toEqual([n])
        expect(catalog.find(`${number} `)).toEqual([])
        expect(catalog.find(`${number}0`)).toEqual([])
      }
    }
  })

  it.each([
    '',
    '-',
    '4021-',
    '4021-000000.0',
    '4021-999999.0',
    'EXC188R',
    'EXC188R99999KA',
    '1-1',
    'exc188r60000ka',
  ])('has no part %j', (number) => {
    expect(madeUpCatalog(1_000).find(number)).toEqual([])
  })

  it('has the requested number of parts', () => {
    const last = describePart(9).numbers[0].number
    expect(madeUpCatalog(10).find(last)).toHaveLength(1)
    expect(madeUpCatalog(9).find(last)).toHaveLength(0)
  })

  soakTest('lists a hundred thousand parts, evenly by supplier, without storing them', () => {
    const catalog = madeUpCatalog(100_000)
    const counts = catalog.suppliers.map(({ parts }) => parts)
    expect(counts.reduce((sum, count) => sum + count)).toBe(100_000)
    const places = Array.from(catalog.list('009008007'), ({ index }) => index)
    expect(places).toHaveLength(12_500)
    expect(places.every((index) => describePart(index).supplier.id === '009008007')).toBe(true)
  })

  it('lists only suppliers that have a part', () => {
    expect(madeUpCatalog(3).suppliers.map(({ parts, examples }) => [parts, examples.length])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ])
  })

  it('has materials that add up to the declared share of the mass', () => {
    for (const { part } of parts) {
      const { material, massMg } = part
      const { declaredPercent } = expectedOf(part)
      if (material === undefined || declaredPercent === undefined) continue
      const declared = material.materials.reduce((sum, { mass }) => {
        return sum + (mass.unit === 'massPercent' ? (mass.value / 100) * massMg : mass.value)
      }, 0)
      expect((declared / massMg) * 100).toBeCloseTo(declaredPercent, 2)
    }
  })

  it('has no dates in the future', () => {
    for (const { part } of parts) {
      for (const approved of [part.regulatory?.approved, part.material?.approved]) {
        if (approved !== undefined) expect(approved).toMatch(/^20(18|19|20|21|22|23|24)-\d\d-\d\d$/)
      }
    }
  })
})

it('made-up parts have masses of 5 mg to 5 g, except where a placeholder stands for it, and dates of their lists', () => {
  const masses = parts.flatMap(({ part }) => (part.situation === 'placeholders' ? [] : part.massMg))
  expect(Math.min(...masses)).toBeGreaterThanOrEqual(5)
  expect(Math.max(...masses)).toBeLessThan(5_005)
  expect(Math.max(...masses)).toBeGreaterThan(4_500)
  expect(new Set(masses).size).toBeGreaterThan(800)
  const placeholders = parts.filter(({ part }) => part.situation === 'placeholders')
  expect(new Set(placeholders.map(({ part }) => part.massMg))).toEqual(new Set([0]))
  const dates = (of: 'regulatory' | 'material'): string[] =>
    parts.flatMap(({ part }) => part[of]?.approved ?? []).sort()
  expect([dates('regulatory')[0]! >= '2019-02-04', dates('regulatory').at(-1)! < '2024-11-12']).toEqual([
    true,
    true,
  ])
  expect([dates('material')[0]! >= '2018-01-08', dates('material').at(-1)! < '2023-07-01']).toEqual([
    true,
    true,
  ])
  expect(new Set(dates('material')).size).toBeGreaterThan(50)
})

soakTest(
  'makes up some parts that are missing or contradict themselves for numbers that no catalog has',
  () => {
    const made = Array.from({ length: 2_000 }, (_, index) => inventedPart(`XQ${index}`))
    const share = (isOne: (facts: string) => boolean): number =>
      made.filter((part) => isOne(part === undefined ? '' : JSON.stringify(part.regulatory))).length / 20
    expect(Math.round(share((facts) => facts === ''))).toBe(7)
    const contradictory = SPECIAL_PARTS.find(({ numbers }) => numbers[0]!.number === 'HA-VALUE')!
    expect(Math.round(share((facts) => facts === JSON.stringify(contradictory.regulatory)))).toBe(2)
  },
)
