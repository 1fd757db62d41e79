import { describe, expect, test } from 'vitest'
import { type Bom, BomBuilder, type PartPieces } from '../../src/parts/bom.ts'
import type { RowDetails } from '../../src/parts/read-row.ts'
import { seeded } from '../support/seeded.ts'

type Row = readonly [level: string, part: string, quantity: string, details?: Partial<RowDetails>]

const BLANK = {
  ownPart: '',
  reference: '',
  unit: '',
  item: '',
  description: '',
  manufacturer: '',
  isFitted: true,
}

interface Built {
  readonly bom: Bom
  readonly doubts: readonly string[]
}

/** A bill of one list; rows have levels unless all are blank. Lines count from 2. */
function build(rows: readonly Row[], isTotal = false): Built {
  const doubts: string[] = []
  const columns = { hasLevels: rows.some(([level]) => level !== ''), isTotal, hasQuantities: true }
  const doubt = (what: string, line: number, says: string): unknown => doubts.push(`${what} ${line}: ${says}`)
  const builder = new BomBuilder('bom.csv', doubt, columns)
  for (const [index, [level, part, quantity, details]] of rows.entries()) {
    builder.add({ part, line: index + 2, details: { ...BLANK, quantity, level, ...details } })
  }
  return { bom: builder.result()!, doubts }
}

const plain = (pieces: PartPieces | undefined): unknown => pieces && Object.fromEntries(pieces)

describe('a list without levels', () => {
  test('adds up rows of the same part', () => {
    const { bom, doubts } = build([
      ['', 'A', '2'],
      ['', 'B', '1'],
      ['', 'A', '0.5'],
    ])
    expect(plain(bom.top)).toEqual({ A: 2.5, B: 1 })
    expect(bom.assemblies.size).toBe(0)
    expect(doubts).toEqual([])
  })

  test('has an unknown quantity where one row of a part has none, with the reason', () => {
    const { bom, doubts } = build([
      ['', 'A', '2'],
      ['', 'A', ''],
      ['', 'B', 'AR'],
    ])
    expect(plain(bom.top)).toEqual({ A: undefined, B: undefined })
    expect(plain(bom.reasons as never)).toEqual({
      A: 'the quantity is blank',
      B: 'the quantity "AR" is not recognized',
    })
    expect(doubts).toEqual([
      'quantity 3: the quantity is blank',
      'quantity 4: the quantity "AR" is not recognized',
    ])
  })
})

describe('levels', () => {
  const NESTED = { top: { P: 1 }, P: { A: 2, C: 1 }, A: { B: 3, C: 4 } }
  test.each<[string, readonly string[]]>([
    ['depths', ['1', '2', '3', '3', '2']],
    ['depths from 0', ['0', '1', '2', '2', '1']],
    ['depths with an indent', ['.1', '..2', '...3', '...3', '..2']],
    ['positions', ['1', '1.1', '1.1.1', '1.1.2', '1.2']],
    ['positions with gaps', ['10', '10.10', '10.10.5', '10.10.20', '10.20']],
    ['positions that end in a dot', ['1.', '1.1.', '1.1.1.', '1.1.2.', '1.2.']],
    ['positions below an unlisted product', ['1.1', '1.1.1', '1.1.1.1', '1.1.1.2', '1.1.2']],
  ])('as %s', (_, [p, a, b, c, d]) => {
    const { bom, doubts } = build([
      [p!, 'P', '1'],
      [a!, 'A', '2'],
      [b!, 'B', '3'],
      [c!, 'C', '4'],
      [d!, 'C', '1'],
    ])
    expect(doubts).toEqual([])
    expect(plain(bom.top)).toEqual(NESTED.top)
    expect([...bom.assemblies.keys()]).toEqual(['P', 'A'])
    expect(plain(bom.assemblies.get('P'))).toEqual(NESTED.P)
    expect(plain(bom.assemblies.get('A'))).toEqual(NESTED.A)
  })

  test('1, 2, 3 are positions as soon as one has a dot, depths otherwise', () => {
    const flat = build([
      ['1', 'A', '1'],
      ['2', 'B', '1'],
      ['3', 'C', '1'],
      ['3.1', 'D', '1'],
    ])
    expect(plain(flat.bom.top)).toEqual({ A: 1, B: 1, C: 1 })
    expect(plain(flat.bom.assemblies.get('C'))).toEqual({ D: 1 })
    const chain = build([
      ['1', 'A', '1'],
      ['2', 'B', '1'],
      ['3', 'C', '1'],
    ])
    expect(plain(chain.bom.top)).toEqual({ A: 1 })
    expect([...chain.bom.assemblies.keys()]).toEqual(['A', 'B'])
  })

  test.each([
    [['1', '2', '3'], 1],
    [['2', '3'], 1],
    [['1', '2', '2'], 1],
    [['1', '2', '1'], 2],
    [['1', '3'], 2],
    [['1', '2', '4'], 3],
    [['10', '20', '30'], 3],
  ])('of %j have %i outermost rows', (levels, count) => {
    expect(build(levels.map((level, index): Row => [level, `P${index}`, '1'])).bom.top.size).toBe(count)
  })

  test.each([
    [100, 1],
    [101, 101],
    [150, 150],
  ])('hold few rows: %i rising numbers have %i outermost rows', (count, outermost) => {
    const rows = Array.from({ length: count }, (_, index): Row => [String(index + 1), `P${index}`, '1'])
    const { bom } = build(rows)
    expect(bom.top.size).toBe(outermost)
    expect(bom.assemblies.size).toBe(outermost === 1 ? count - 1 : 0)
  })

  test('an assembly listed again without its parts is the same assembly', () => {
    const { bom, doubts } = build([
      ['1', 'A', '1'],
      ['2', 'B', '3'],
      ['1', 'C', '1'],
      ['2', 'A', '2'],
    ])
    expect(doubts).toEqual([])
    expect(plain(bom.top)).toEqual({ A: 1, C: 1 })
    expect([...bom.assemblies.keys()]).toEqual(['C', 'A'])
  })

  test('an assembly listed with other parts has both, in unknown quantity', () => {
    const { bom, doubts } = build([
      ['1', 'A', '1'],
      ['2', 'B', '3'],
      ['2', 'C', '1'],
      ['1', 'A', '1'],
      ['2', 'B', '4'],
      ['2', 'C', '1'],
    ])
    expect(plain(bom.assemblies.get('A'))).toEqual({ B: undefined, C: 1 })
    expect(plain(bom.top)).toEqual({ A: 2 })
    expect(doubts).toEqual(['level 5: "A" has other parts here than at bom.csv:2'])
    expect(bom.reasons.get('B')).toBe('the quantity differs between bom.csv:2 and bom.csv:5')
  })

  test('a blank quantity of the first row is one product, and said; of any other row it is unknown', () => {
    const { bom, doubts } = build([
      ['0', 'P', ''],
      ['1', 'A', ''],
      ['2', 'B', '1'],
    ])
    expect(plain(bom.top)).toEqual({ P: 1 })
    expect(plain(bom.assemblies.get('P'))).toEqual({ A: undefined })
    expect(doubts).toEqual([
      'quantity 2: the quantity of the first row is blank, read as one product',
      'quantity 3: the quantity is blank',
    ])
  })

  test.each<[string, readonly Row[], string]>([
    [
      'a blank level',
      [
        ['1', 'A', '1'],
        ['', 'B', '1'],
      ],
      '3: the level "" is not recognized',
    ],
    [
      'a word',
      [
        ['1', 'A', '1'],
        ['high', 'B', '1'],
      ],
      '3: the level "high" is not recognized',
    ],
    [
      'a mixture',
      [
        ['1', 'A', '1'],
        ['1', 'B', '1'],
        ['1.1', 'C', '1'],
      ],
      '4: level "1.1" does not fit the others',
    ],
    [
      'an endless depth',
      [
        ['1', 'A', '1'],
        ['1', 'B', '1'],
        ['101', 'C', '1'],
      ],
      '4: level "101" does not fit the others',
    ],
    [
      'an assembly in itself',
      [
        ['1', 'A', '1'],
        ['2', 'B', '1'],
        ['3', 'A', '1'],
        ['3', 'C', '1'],
      ],
      '4: "A" is inside itself',
    ],
  ])('%s leaves a flat list of unknown quantities', (_, rows, reason) => {
    const { bom, doubts } = build(rows)
    expect(bom.flattened).toBe(`bom.csv:${reason}`)
    expect(doubts).toEqual([`level ${reason}: no assemblies in the roll-up`])
    expect(bom.assemblies.size).toBe(0)
    expect(plain(bom.top)).toEqual(Object.fromEntries(rows.map(([, part]) => [part, undefined])))
  })

  test('an assembly inside itself by way of another one is found', () => {
    const { bom } = build([
      ['1', 'A', '1'],
      ['2', 'B', '1'],
      ['1', 'B', '1'],
      ['2', 'A', '1'],
    ])
    expect(bom.flattened).toBe('an assembly is inside itself')
    expect(plain(bom.top)).toEqual({ A: undefined, B: undefined })
  })
})

describe('a level that is skipped', () => {
  test.each<[string, readonly Row[], string]>([
    [
      'as a depth',
      [
        ['1', 'A', '1'],
        ['1', 'B', '1'],
        ['3', 'C', '5'],
        ['2', 'D', '2'],
      ],
      '3',
    ],
    [
      'as a position',
      [
        ['1', 'A', '1'],
        ['2', 'B', '1'],
        ['2.1.1', 'C', '5'],
        ['2.2', 'D', '2'],
      ],
      '2.1.1',
    ],
    [
      'at the start',
      [
        ['0', 'B', '1'],
        ['2', 'C', '5'],
        ['2', 'C', '5'],
        ['1', 'D', '2'],
      ],
      '2',
    ],
  ])('%s is read into the row above, in unknown quantity, and said once', (_, rows, level) => {
    const { bom, doubts } = build(rows)
    expect(plain(bom.assemblies.get('B'))).toEqual({ C: undefined, D: 2 })
    expect(bom.reasons.get('C')).toBe(`level ${level} comes without the level above it`)
    expect(doubts).toHaveLength(1)
    expect(doubts[0]).toContain('it is put into the row above, in unknown quantity')
    expect(bom.flattened).toBeUndefined()
  })
})

describe('rows without a part number', () => {
  test('are each of their own, named by description, item or row', () => {
    const { bom } = build([
      ['1', '', '2', { description: 'Housing', item: '10' }],
      ['2', 'A', '3'],
      ['1', '', '1', { item: '20' }],
      ['2', 'A', '4'],
      ['1', '', '1'],
    ])
    expect([...bom.names.values()]).toEqual(['Housing', 'item 20', 'row 6'])
    expect([...bom.top.values()]).toEqual([2, 1, 1])
    expect([...bom.assemblies.values()].map(plain)).toEqual([{ A: 3 }, { A: 4 }])
    for (const key of bom.names.keys()) expect(key).toMatch(/^\0/)
  })

  test('that say neither quantity nor level are none', () => {
    expect(
      build([
        ['', '', '', { description: 'Resistors' }],
        ['', 'A', '1'],
      ]).bom.top.size,
    ).toBe(1)
  })
})

describe('rows that are left out', () => {
  test('are those that are not fitted or have the quantity 0, with everything in them', () => {
    const { bom } = build([
      ['1', 'P', '1'],
      ['2', 'A', '2', { isFitted: false }],
      ['3', 'B', '1'],
      ['2', 'C', '0'],
      ['2', 'D', '0,000'],
      ['2', 'B', '4'],
    ])
    expect(plain(bom.top)).toEqual({ P: 1 })
    expect(plain(bom.assemblies.get('P'))).toEqual({ B: 4 })
    expect(bom.leftOut).toBe(4)
  })
})

describe('quantities of the whole product', () => {
  test('are divided by those of the assembly', () => {
    const { bom } = build(
      [
        ['1', 'P', '2'],
        ['2', 'A', '6'],
        ['3', 'B', '12'],
        ['2', 'C', ''],
      ],
      true,
    )
    expect(plain(bom.top)).toEqual({ P: 2 })
    expect(plain(bom.assemblies.get('P'))).toEqual({ A: 3, C: undefined })
    expect(plain(bom.assemblies.get('A'))).toEqual({ B: 2 })
  })
})

describe('decimal signs', () => {
  test('are those of the whole list', () => {
    const { bom, doubts } = build([
      ['', 'A', '1,000'],
      ['', 'B', '1.250,000'],
      ['', 'A', '0,500'],
    ])
    expect(plain(bom.top)).toEqual({ A: 1.5, B: 1250 })
    expect(doubts).toEqual([])
  })

  test('that stay ambiguous make the quantity unknown, and are named', () => {
    const { bom, doubts } = build([
      ['', 'A', '1,000'],
      ['', 'B', '2'],
    ])
    expect(plain(bom.top)).toEqual({ A: undefined, B: 2 })
    expect(bom.reasons.get('A')).toBe('the quantity may be 1000 or 1')
    expect(doubts).toEqual([
      'quantity 2: 1,000 (row 2) may have thousands or decimals: these quantities are unknown',
    ])
    const many = (count: number) => build(Array.from({ length: count }, (): Row => ['', 'A', '1,000'])).doubts
    const first = 'quantity 2: 1,000 (row 2), 1,000 (row 3), 1,000 (row 4)'
    const says = 'may have thousands or decimals: these quantities are unknown'
    expect(many(3)).toEqual([`${first} ${says}`])
    expect(many(5)).toEqual([`${first} and 2 more ${says}`])
  })
})

test('no rows are no bill', () => {
  expect(build([]).bom).toBeUndefined()
})

describe('properties', () => {
  interface Node {
    readonly part: string
    readonly quantity: number
    readonly inside: readonly Node[]
  }
  const tree = (random: () => number, depth = 0): Node[] =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, (_, index) => {
      const inside = depth < 3 && random() < 0.4 ? tree(random, depth + 1) : []
      const part =
        inside.length > 0 ? `A${depth}${index}${Math.floor(random() * 1e6)}` : `P${Math.floor(random() * 8)}`
      return { part, quantity: 1 + Math.floor(random() * 5), inside }
    })
  const rowsOf = (nodes: readonly Node[], depth = 1): Row[] =>
    nodes.flatMap(({ part, quantity, inside }) => [
      [String(depth), part, String(quantity)] as const,
      ...rowsOf(inside, depth + 1),
    ])
  const shuffled = (nodes: readonly Node[], random: () => number): Node[] =>
    nodes
      .map((node) => ({ node: { ...node, inside: shuffled(node.inside, random) }, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ node }) => node)
  const split = (nodes: readonly Node[], random: () => number): Node[] =>
    nodes.flatMap((node) => {
      const inside = split(node.inside, random)
      const first = random() < 0.5 ? node.quantity : 1
      return first === node.quantity
        ? [{ ...node, inside }]
        : [
            { ...node, inside, quantity: first },
            { ...node, inside, quantity: node.quantity - first },
          ]
    })
  const known = ({ bom }: Built): unknown => ({
    top: sorted(bom.top),
    assemblies: [...bom.assemblies].map(([part, inside]) => [part, sorted(inside)] as const).sort(byName),
  })
  const sorted = (pieces: PartPieces): unknown => [...pieces].sort(byName)
  const byName = (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
    a[0] < b[0] ? -1 : 1

  test.each(Array.from({ length: 60 }, (_, seed) => seed))(
    'seed %i: order and split rows do not matter',
    (seed) => {
      const random = seeded(seed)
      // The first row decides nothing: a product above all of them.
      const wrap = (inside: readonly Node[]): Row[] =>
        rowsOf([
          { part: 'PRODUCT', quantity: 1, inside },
          { part: 'P0', quantity: 1, inside: [] },
        ])
      const nodes = tree(random)
      const expected = known(build(wrap(nodes)))
      expect(known(build(wrap(shuffled(nodes, random))))).toEqual(expected)
      expect(known(build(wrap(split(nodes, random))))).toEqual(expected)
    },
  )
})

test('an assembly that is used by two others comes after both', () => {
  const { bom } = build([
    ['1', 'A', '2'],
    ['2', 'SHARED', '3'],
    ['3', 'SCREW', '4'],
    ['1', 'B', '5'],
    ['2', 'C', '1'],
    ['3', 'SHARED', '6'],
    ['4', 'SCREW', '4'],
  ])
  const order = [...bom.assemblies.keys()]
  expect(order.toSorted()).toEqual(['A', 'B', 'C', 'SHARED'])
  expect(order.at(-1)).toBe('SHARED')
  expect(order.indexOf('B')).toBeLessThan(order.indexOf('C'))
  expect(plain(bom.assemblies.get('SHARED'))).toEqual({ SCREW: 4 })
})

test.each<[string, readonly string[], readonly string[]]>([
  ['decimals that a program made of whole numbers', ['1.0', '2.0', '1.0'], ['A']],
  ['letters before the number', ['L1', 'L2', 'L1'], ['A']],
  ['bars', ['|1', '||2', '|1'], ['A']],
])('levels may be %s', (_, levels, assemblies) => {
  const { bom, doubts } = build([
    [levels[0]!, 'A', '2'],
    [levels[1]!, 'B', '1'],
    [levels[2]!, 'C', '1'],
  ])
  expect([...bom.assemblies.keys()]).toEqual(assemblies)
  expect(doubts).toEqual([])
})
