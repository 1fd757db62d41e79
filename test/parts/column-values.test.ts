import { describe, expect, test } from 'vitest'
import {
  ColumnValues,
  repetition,
  type ValueKind,
  valueKind,
  valueScore,
} from '../../src/parts/column-values.ts'

const KINDS: readonly (readonly [ValueKind, readonly string[]])[] = [
  [
    'part number',
    [
      'GRM188R71H104KA93D',
      '576-2835-1-ND',
      'LM317T',
      '1N4148',
      '1729173',
      '0000000101',
      'TBD62781AFWG,EL',
      'A-1',
      'B1C/M',
      '74LVC1G07GV,125',
      'M4X12',
      '8505K745',
      '6604K11',
      '1N914',
      '1N 4148',
      '50N06',
      '27G184',
    ],
  ],
  ['letters', ['LOCTITE', 'TAP-CORONA', 'U.FL-R-SMT']],
  ['designator or number', ['C1525', 'LED101']],
  ['designators', ['R1', 'R1, R2', 'C1-C24', 'U3;U4', 'R1 R2 R3', 'FB2,FB10', 'TP1']],
  ['component value', ['10k', '100nF', '4k7', '0.1uF', '10uF/25V', '47R', '1M', '5.1k', '2k49', '100N']],
  ['footprint', ['R_0603_1608Metric', 'SOT-23', 'Capacitor_SMD:C_0603', 'SOIC-8_3.9x4.9mm_P1.27mm']],
  ['small number', ['1', '26', '0012', '01’', '2 (DNC)', '1x', '10 x', 'x2']],
  ['number', ['100', '4711']],
  ['decimal', ['0.35', '1,5', '1.250,000', '-3']],
  ['outline', ['1.1.2', '..2']],
  ['price', ['$1.20', '3,40 €', '0.12 USD']],
  ['date', ['2026-01-05', '5.1.2026', '1/5/26 10:00']],
  ['scientific', ['4.52E+11']],
  ['identifier', ['550e8400-e29b-41d4-a716-446655440000', '__export__.mrp_bom_12', '24a1eda95ca6fb66']],
  [
    'link',
    [
      'https://www.digikey.com/x',
      'www.example.com',
      '=HYPERLINK("x")',
      'amazon.de/abc',
      'a/x86/bin/lsz64',
      'a/b/boards.txt',
    ],
  ],
  ['flag', ['yes', 'x', 'N']],
  ['none', ['TBD', 'N/A', '-', '#REF!', 'DNP']],
  ['designators', ['U 1 2', 'BR 3 4 5']],
  ['decimal', ['25x25', '10 x 2,5 mm']],
  ['word', ['Steel', 'Screw', '基板']],
  ['words', ['Main Controllers', 'Timer IC']],
  ['mixed', ['Bearing 6204', 'MG995 180度', 'Size: DFR0339']],
  ['part number', ['SKU: DFR0339', 'Farnell order code 2310668', 'MOUSER 511-STM32F301C8T6']],
  ['prose', ['Download all 3D printed parts at the link at the top', 'x'.repeat(121)]],
]

test.each(KINDS.flatMap(([kind, values]) => values.map((value) => [value, kind] as const)))(
  '%j is %s',
  (value, kind) => expect(valueKind(value)).toBe(kind),
)

function valuesOf(cells: readonly string[]): ColumnValues {
  const values = new ColumnValues()
  for (const cell of cells) values.add(cell)
  return values
}

const many = (make: (index: number) => string, count = 30): ColumnValues =>
  valuesOf(Array.from({ length: count }, (_, index) => make(index)))

test('of a long list each row is counted once', () => {
  const values = many((index) => (index % 10 === 0 ? '' : `A-${index}`), 10_000)
  expect([values.rows, values.filled]).toEqual([10_000, 9_000])
})

describe('as part numbers', () => {
  test('good values are worth more than bad ones', () => {
    const good = valueScore(
      'part number',
      many((index) => `GRM${index}R71H`),
    )
    expect(good).toBeCloseTo(5.5)
    const bad = {
      counter: many((index) => String(index + 1)),
      tens: many((index) => String(10 * index + 10)),
      words: many((index) => `Blue ${'abcdefghijklmnopqrstuvwxyzabcdefgh'[index]}ox`),
      prose: many(() => 'a sentence with many words in it'),
      links: many((index) => `https://a.example/${index}`),
      prices: many((index) => `$${index}.20`),
      values: many((index) => `${index}k`),
      designators: many((index) => `R${index}`),
    }
    for (const [name, values] of Object.entries(bad)) {
      expect(valueScore('part number', values), name).toBeLessThan(1)
    }
  })

  test('values that repeat speak against one, the more in a table that does not count', () => {
    const once = many((index) => `A-${100 + index}`)
    const often = many((index) => `A-${100 + Math.floor(index / 10)}`)
    expect(repetition(once, false)).toBe(0)
    expect(repetition(often, true)).toBeGreaterThan(2)
    expect(repetition(often, false)).toBeGreaterThan(repetition(often, true) + 3)
    expect(
      repetition(
        many(() => 'A-100'),
        true,
      ),
    ).toBeGreaterThan(9)
  })

  test('a column without values is never good, nor one of placeholders', () => {
    expect(
      valueScore(
        'part number',
        many(() => ''),
      ),
    ).toBe(-100)
    expect(
      valueScore(
        'part number',
        many(() => 'TBD'),
      ),
    ).toBe(-100)
  })

  test('is judged by all rows, not by the first', () => {
    const late = many((index) => (index < 5000 ? '' : `A-${index}`), 20_000)
    expect(valueScore('part number', late)).toBeGreaterThan(4.5)
    const turned = many((index) => (index < 100 ? `A-${index}` : 'some words'), 1000)
    expect(valueScore('part number', turned)).toBeLessThan(-1)
  })

  test('one odd value contradicts less than three', () => {
    expect(valueScore('part number', valuesOf(['Steel']))).toBeGreaterThan(
      valueScore('part number', valuesOf(['Steel', 'Copper', 'Brass'])),
    )
  })
})

test.each<[Parameters<typeof valueScore>[0], readonly string[], readonly string[]]>([
  ['quantity', ['1', '2.5', '10'], ['$1.20', '$3.40', '$9.00']],
  ['unit', ['pcs', 'kg', 'm'], ['1.20', '3', '9']],
  ['level', ['1', '2', '..3'], ['10.5', '3.2', '4.4']],
  ['item', ['1', '2', '3'], ['Steel', 'Copper', 'Brass']],
  ['manufacturer', ['Murata', 'TDK', 'Texas Instruments'], ['1', '2', '3']],
  ['designator', ['R1, R2', 'C1', 'U3'], ['1', '2', '3']],
  ['description', ['Capacitor 10 uF', 'a screw', 'Cable'], ['$1.20', '3', '9']],
])('%s has values such as %j, not such as %j', (role, good, bad) => {
  expect(valueScore(role, valuesOf(good))).toBeGreaterThan(valueScore(role, valuesOf(bad)) + 2)
})

test('a counter, an outline and a depth are known', () => {
  expect(many((index) => String(index + 1)).isCounter).toBe(true)
  expect(many((index) => String(index + 1), 200_000).isCounter).toBe(true)
  expect(many((index) => String(index * 37 + 500)).isCounter).toBe(false)
  expect(many((index) => String((index % 7) + 1)).isCounter).toBe(true)
  expect(many((index) => String((index % 2) + 1)).isCounter).toBe(false)
  expect(many(() => '1').isCounter).toBe(false)
  expect(valuesOf(['1', '1.1', '1.1.2', '2']).isOutline).toBe(true)
  expect(valuesOf(['1', '2', '3']).isOutline).toBe(false)
  expect(valuesOf(['1', '2']).digits).toBe(valuesOf(['.1', '..2']).digits)
})

test('how many values are different is estimated', () => {
  expect(many((index) => `A-${index}`, 2000).distinct).toBeGreaterThan(0.8)
  expect(many((index) => `A-${index % 20}`, 2000).distinct).toBeCloseTo(0.01)
  expect(many((index) => `A-${index % 1000}`, 4000).distinct).toBeGreaterThan(0.2)
})
