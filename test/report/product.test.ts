import { describe, expect, test } from 'vitest'
import type { RohsStatus } from '../../src/compliance/rohs.ts'
import type { Bom } from '../../src/parts/bom.ts'
import {
  type DeclaredPart,
  NOT_DECLARED,
  type PartSummary,
  partSummary,
  rollUp,
} from '../../src/report/product.ts'
import type { Rollup } from '../../src/report/report-result.ts'
import { seeded } from '../support/seeded.ts'

type Quantities = Readonly<Record<string, number | undefined>>

function bomOf(top: Quantities, assemblies: Readonly<Record<string, Quantities>> = {}): Bom {
  const pieces = (quantities: Quantities): Map<string, number | undefined> =>
    new Map(Object.entries(quantities))
  return {
    top: pieces(top),
    assemblies: new Map(Object.entries(assemblies).map(([part, inside]) => [part, pieces(inside)])),
    reasons: new Map(),
    flattened: undefined,
    names: new Map(),
    leftOut: 0,
    lines: [],
    hasQuantities: true,
  }
}

const PLAIN: Omit<DeclaredPart, 'number'> = {
  rohs: 'compliant',
  exemptions: [],
  reach: 'no SVHC',
  svhcs: [],
  lacking: [],
  massMg: 10,
  unitType: 'Each',
  isOtherManufacturer: false,
}

/** The roll-up with these declarations; a part without one is missing. */
function rolled(bom: Bom, declared: Readonly<Record<string, Partial<DeclaredPart>>>, unreadable = 0): Rollup {
  const facts = new Map(
    Object.entries(declared).map(([part, change]) => {
      const reach = (change.svhcs ?? []).length > 0 ? 'SVHC' : 'no SVHC'
      return [part, partSummary([{ ...PLAIN, number: part, reach, ...change }])] as const
    }),
  )
  return rollUp(bom, (part) => facts.get(part) ?? NOT_DECLARED, unreadable)
}

describe('the status of a product', () => {
  test.each<[RohsStatus, Readonly<Record<string, RohsStatus | undefined>>]>([
    ['compliant', { A: 'compliant', B: 'compliant' }],
    ['compliant with exemptions', { A: 'compliant', B: 'compliant with exemptions' }],
    ['incomplete', { A: 'compliant', B: 'incomplete' }],
    ['incomplete', { A: 'compliant', B: 'not declared' }],
    ['incomplete', { A: 'compliant', B: undefined }],
    ['not compliant', { A: 'not compliant', B: undefined }],
    ['not declared', { A: 'not declared', B: undefined }],
    ['not declared', { A: undefined }],
  ])('is %s for %j', (rohs, statuses) => {
    const top = Object.fromEntries(Object.keys(statuses).map((part) => [part, 1]))
    const known = Object.entries(statuses).flatMap(([part, status]) =>
      status ? [[part, { rohs: status }]] : [],
    )
    expect(rolled(bomOf(top), Object.fromEntries(known) as never).rohs).toBe(rohs)
  })

  test('is at best incomplete where a row has no part number; a file that cannot be read is counted', () => {
    expect(rolled(bomOf({ A: 1 }), { A: {} }, 1)).toMatchObject({
      rohs: 'compliant',
      withoutData: { unreadable: 1 },
    })
    const nameless = rolled(bomOf({ A: 1, '': 2 }), { A: {} })
    expect(nameless.rohs).toBe('incomplete')
    expect(nameless.withoutData.parts).toEqual([{ part: '', reason: 'missing' }])
  })

  test('names the parts behind it, and those without data with the reason', () => {
    const rollup = rolled(bomOf({ A: 1, B: 1, C: 1, D: 1 }), {
      A: { rohs: 'not compliant' },
      B: { rohs: 'incomplete' },
      C: { rohs: 'not declared' },
    })
    expect(rollup).toMatchObject({
      parts: 4,
      pieces: 4,
      statuses: { 'not compliant': 1, incomplete: 1, 'not declared': 2 },
      notCompliant: { parts: ['A'], count: 1 },
      incomplete: { parts: ['B'], count: 1 },
      withoutData: {
        parts: [
          { part: 'C', reason: 'not declared' },
          { part: 'D', reason: 'missing' },
        ],
        missing: 1,
        notDeclared: 1,
      },
    })
  })
})

describe('exemptions and SVHCs', () => {
  test('have the parts that use them, the earliest date first and none last', () => {
    const rollup = rolled(bomOf({ A: 1, B: 1 }, { B: { C: 1 } }), {
      A: {
        exemptions: [
          { identity: '6(c)', expires: '2027-06-30', status: '' },
          { identity: '99', expires: '', status: '' },
        ],
      },
      B: { exemptions: [{ identity: '7(a)', expires: '2026-12-11', status: '' }] },
      C: { exemptions: [{ identity: '6(c)', expires: '2027-06-30', status: '' }] },
    })
    expect(rollup.exemptions).toEqual([
      { exemption: '7(a)', expires: '2026-12-11', status: '', parts: ['B'], count: 1 },
      { exemption: '6(c)', expires: '2027-06-30', status: '', parts: ['A', 'C'], count: 2 },
      { exemption: '99', expires: null, status: '', parts: ['A'], count: 1 },
    ])
  })

  test('parts without a REACH statement are neither with nor without SVHC', () => {
    const rollup = rolled(bomOf({ A: 1, B: 1, C: 1, D: 1 }), {
      A: { svhcs: ['Lead', 'DEHP'] },
      B: { svhcs: ['Lead'] },
      C: { svhcs: [] },
      D: { reach: 'not declared' },
    })
    expect(rollup.svhcs).toEqual([
      { substance: 'Lead', parts: ['A', 'B'], count: 2 },
      { substance: 'DEHP', parts: ['A'], count: 1 },
    ])
    expect(rollup.reach).toEqual({
      status: 'SVHC',
      withSvhc: 2,
      withoutSvhc: 1,
      incomplete: 0,
      notDeclared: 1,
      notStated: [],
    })
    expect(rolled(bomOf({ X: 1 }), {}).reach).toMatchObject({
      status: 'not declared',
      notDeclared: 1,
    })
  })

  test('are cleaned for the terminal, and counted in full where there are many', () => {
    const many = Array.from({ length: 1_200 }, (_, index) => `P${index}\u001b`)
    const rollup = rolled(
      bomOf(Object.fromEntries(many.map((part) => [part, 1]))),
      Object.fromEntries(many.map((part) => [part, { svhcs: ['Lead'] }])),
    )
    expect(rollup.svhcs[0]).toMatchObject({ count: 1_200 })
    expect(rollup.svhcs[0]?.parts).toHaveLength(1_000)
    expect(rollup.svhcs[0]?.parts[0]).toBe('P0\\u001b')
  })
})

describe('assemblies', () => {
  const bom = bomOf({ P: 2 }, { P: { A: 3, S: 2 }, S: { B: 5 } })

  test('are judged by their parts: not missing where only these are declared', () => {
    const rollup = rolled(bom, { A: {}, B: { rohs: 'compliant with exemptions' } })
    expect(rollup).toMatchObject({ rohs: 'compliant with exemptions', parts: 2, pieces: 26 })
    expect(rollup.withoutData.parts).toEqual([])
    expect(rollup.assemblies).toEqual({
      count: 2,
      declared: 0,
      flattened: null,
      lines: [
        {
          part: 'P',
          declared: false,
          quantity: 2,
          rohs: 'compliant with exemptions',
          parts: 2,
          withoutData: 0,
          withSvhc: 0,
          massMg: 130,
        },
        {
          part: 'S',
          declared: false,
          quantity: 4,
          rohs: 'compliant with exemptions',
          parts: 1,
          withoutData: 0,
          withSvhc: 0,
          massMg: 50,
        },
      ],
    })
    expect(rollup.mass).toEqual({ mg: 260, knownMg: 260, unknown: [], unknownCount: 0 })
  })

  test('count with their own declaration beside their parts; their own mass does not', () => {
    const rollup = rolled(bom, { A: {}, B: {}, S: { rohs: 'not compliant', svhcs: ['Lead'], massMg: 999 } })
    expect(rollup).toMatchObject({ rohs: 'not compliant', notCompliant: { parts: ['S'] }, mass: { mg: 260 } })
    expect(rollup.svhcs).toEqual([{ substance: 'Lead', parts: ['S'], count: 1 }])
    expect(rollup.assemblies.lines.map(({ rohs, declared }) => [rohs, declared])).toEqual([
      ['not compliant', false],
      ['not compliant', true],
    ])
  })

  test('with a declaration of their own do not speak for parts without data', () => {
    const rollup = rolled(bom, { A: {}, S: {} })
    expect(rollup.rohs).toBe('incomplete')
    expect(rollup.withoutData.parts).toEqual([{ part: 'B', reason: 'missing' }])
    expect(rollup.assemblies.lines[1]).toMatchObject({ part: 'S', rohs: 'incomplete', withoutData: 1 })
  })

  test('whose own declaration says nothing about RoHS are judged by their parts', () => {
    expect(rolled(bom, { A: {}, B: {}, S: { rohs: 'not declared' } }).rohs).toBe('compliant')
  })
})

describe('the mass of a product', () => {
  test.each<[string, Bom, Readonly<Record<string, Partial<DeclaredPart>>>, string]>([
    ['a part without a declaration', bomOf({ A: 1, X: 1 }), { A: {} }, 'it has no declaration'],
    [
      'a part without a mass',
      bomOf({ A: 1, X: 1 }),
      { A: {}, X: { massMg: undefined } },
      'no mass is declared',
    ],
    [
      'a part per meter',
      bomOf({ A: 1, X: 1 }),
      { A: {}, X: { unitType: 'Meter' } },
      'its mass is per Meter, not per piece',
    ],
    [
      'an unknown quantity',
      { ...bomOf({ A: 1, X: undefined }), reasons: new Map([['X', 'the quantity is blank']]) },
      { A: {}, X: {} },
      'the quantity is blank',
    ],
    [
      'an assembly of unknown quantity',
      bomOf({ A: 1, S: undefined }, { S: { X: 2 } }),
      { A: {}, X: {} },
      'an assembly with it has an unknown quantity',
    ],
  ])('is no total with %s', (_, bom, declared, reason) => {
    expect(rolled(bom, declared).mass).toEqual({
      mg: null,
      knownMg: 10,
      unknown: [{ part: 'X', reason }],
      unknownCount: 1,
    })
  })

  test('does not need the mass of a part with quantity 0, which counts for the status', () => {
    const rollup = rolled(bomOf({ A: 2, X: 0 }), { A: {}, X: { massMg: undefined, rohs: 'incomplete' } })
    expect(rollup).toMatchObject({ rohs: 'incomplete', mass: { mg: 20 } })
  })
})

describe('properties', () => {
  const STATUSES = [
    'compliant',
    'compliant with exemptions',
    'not declared',
    'incomplete',
    'not compliant',
  ] as const
  const random = seeded(12)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const anyDeclared = (): Partial<DeclaredPart> => ({
    rohs: pick(STATUSES),
    ...pick([{ reach: 'not declared' }, { svhcs: [] }, { svhcs: ['Lead'] }] as const),
    massMg: pick([undefined, 5, 7.25]),
    exemptions: pick([[], [{ identity: '6(c)', expires: '2027-06-30', status: '' }]]),
  })
  const anyProduct = (): [string, Partial<DeclaredPart> | undefined][] =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, (_, index) => [
      `P${index}`,
      random() < 0.85 ? anyDeclared() : undefined,
    ])
  const rollupOf = (product: readonly [string, Partial<DeclaredPart> | undefined][]): Rollup =>
    rolled(
      bomOf(Object.fromEntries(product.map(([part]) => [part, 2]))),
      Object.fromEntries(product.filter(([, declared]) => declared !== undefined)) as never,
    )

  test('one more part never makes the status better', () => {
    for (let round = 0; round < 500; round += 1) {
      const product = anyProduct()
      const more = [...product, ['MORE', random() < 0.85 ? anyDeclared() : undefined] as const]
      const [before, after] = [rollupOf(product).rohs, rollupOf(more as never).rohs]
      expect(STATUSES.indexOf(after as never)).toBeGreaterThanOrEqual(STATUSES.indexOf(before as never))
    }
  })

  test('the order of parts does not matter', () => {
    for (let round = 0; round < 200; round += 1) {
      const product = anyProduct()
      expect(rollupOf([...product].reverse())).toEqual(rollupOf(product))
    }
  })

  test('a part without data is never better than incomplete', () => {
    for (let round = 0; round < 500; round += 1) {
      const product = anyProduct()
      const { rohs, withoutData } = rollupOf(product)
      if (withoutData.parts.length > 0)
        expect(['incomplete', 'not declared', 'not compliant']).toContain(rohs)
      if (rohs === 'compliant')
        expect(product.every(([, declared]) => declared?.rohs === 'compliant')).toBe(true)
    }
  })
})

function summaryOf(...declared: readonly Partial<DeclaredPart>[]): PartSummary {
  return partSummary(declared.map((one) => ({ ...PLAIN, number: 'P', ...one })))
}

describe('what is declared of a part', () => {
  test('is the worst of several suppliers', () => {
    expect(summaryOf({}, { rohs: 'not compliant' }).rohs).toBe('not compliant')
    expect(summaryOf({}, { rohs: 'compliant with exemptions' }).rohs).toBe('compliant with exemptions')
  })

  test('is incomplete where only another company than the manufacturer declares it', () => {
    const other = { isOtherManufacturer: true }
    expect(summaryOf(other)).toMatchObject({ rohs: 'incomplete', reach: 'not declared' })
    expect(summaryOf({ ...other, rohs: 'not compliant', reach: 'SVHC' })).toMatchObject({
      rohs: 'not compliant',
      reach: 'SVHC',
    })
    expect(summaryOf(other, {})).toMatchObject({ rohs: 'compliant', reach: 'no SVHC' })
  })

  test('is incomplete where one of several suppliers is silent', () => {
    const parts = summaryOf({}, { rohs: 'not declared', reach: 'not declared' })
    expect(parts).toMatchObject({ rohs: 'incomplete', reach: 'not declared' })
    expect(summaryOf({ rohs: 'not declared' }).rohs).toBe('not declared')
  })

  test('has all exemptions with their earliest dates, and all SVHCs', () => {
    const part = summaryOf(
      { exemptions: [{ identity: '6(c)', expires: '', status: '' }], svhcs: ['Lead'] },
      { exemptions: [{ identity: '6(c)', expires: '2027-06-30', status: '' }], svhcs: ['DEHP', 'Lead'] },
      {
        exemptions: [
          { identity: '6(c)', expires: '2026-12-11', status: '' },
          { identity: '7(a)', expires: '', status: '' },
        ],
      },
    )
    const { exemptions, svhcs } = rollUp(bomOf({ P: 1 }), () => part, 0)
    expect(exemptions.map(({ exemption, expires, count }) => [exemption, expires, count])).toEqual([
      ['6(c)', '2026-12-11', 1],
      ['7(a)', null, 1],
    ])
    expect(svhcs.map(({ substance, count }) => [substance, count])).toEqual([
      ['DEHP', 1],
      ['Lead', 1],
    ])
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
