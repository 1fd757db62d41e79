import { describe, expect, test } from 'vitest'
import { isPiece, QuantityColumn } from '../../src/parts/read-quantity.ts'

/** The quantities of a column in pieces. */
function column(...texts: readonly string[]): readonly (number | undefined)[] {
  const quantities = new QuantityColumn()
  return texts
    .map((text, index) => quantities.read(text, '', index + 2).amount)
    .map((amount) => quantities.settle(amount))
}

const reasonOf = (text: string | number, unit = ''): string | undefined =>
  new QuantityColumn().read(text, unit, 1).reason

describe('a quantity', () => {
  test.each<[string, string, number]>([
    ['2', '', 2],
    [' 12 ', '', 12],
    ['0.5', '', 0.5],
    ['.5', '', 0.5],
    ['1,5', '', 1.5],
    ['0,250', '', 0.25],
    ['1.000.000', '', 1_000_000],
    ['1.000,5', '', 1000.5],
    ["1'250", '', 1250],
    ['1\u00a0250', '', 1250],
    ['2 pcs', '', 2],
    ['2pcs.', '', 2],
    ['2 (DNC)', '', 2],
    ['3 Stk.', '', 3],
    ['4', 'EA', 4],
    ['4 x', 'Stück', 4],
    ['1x', '', 1],
    ['x2', '', 2],
    ['x 2', '', 2],
    ['２', '', 2],
    ['0 m', '', 0],
    ['1e2', '', 100],
    ['2.5E+1', '', 25],
    ['1,5e01 pcs', '', 15],
    ['5E-1', '', 0.5],
  ])('%j in %j is %d pieces', (text, unit, pieces) => {
    const quantities = new QuantityColumn()
    const { amount, reason } = quantities.read(text, unit, 1)
    expect([quantities.settle(amount), reason]).toEqual([pieces, undefined])
  })

  test.each<[string | number, string]>([
    ['', 'the quantity is blank'],
    ['  ', 'the quantity is blank'],
    ['-1', 'the quantity "-1" is not recognized'],
    ['A/R', 'the quantity "A/R" is not recognized'],
    ['2 or 3', 'the quantity "2 or 3" is not recognized'],
    ['5 to 7', 'the quantity "5 to 7" is not recognized'],
    ['1 (2)', 'the quantity "1 (2)" is not recognized'],
    ['1 pack (1)', 'the quantity is in pack, not in pieces'],
    ['2.5 m2', 'the quantity is in m2, not in pieces'],
    ['0x2', 'the quantity "0x2" is not recognized'],
    [-2, 'the quantity "-2" is not recognized'],
    ['1e400', 'the quantity "1e400" is not recognized'],
    ['1.2.3e4', 'the quantity "1.2.3e4" is not recognized'],
    ['\u001b[31m', 'the quantity "\\u001b[31m" is not recognized'],
    ['2.5 m', 'the quantity is in m, not in pieces'],
    ['1,2.3', 'the quantity "1,2.3" is not recognized'],
  ])('%j is unknown, never 1', (text, reason) => expect(reasonOf(text)).toBe(reason))

  test.each([
    ['2.5', 'm'],
    ['3', 'kg'],
    ['3 pcs', 'kg'],
  ])('%j in %j is not in pieces', (text, unit) =>
    expect(reasonOf(text, unit)).toBe(`the quantity is in ${unit}, not in pieces`),
  )
})

describe('decimal sign and thousands', () => {
  test.each<[readonly string[], readonly (number | undefined)[]]>([
    [
      ['1.250,000', '0,750', '1,000', '24,000'],
      [1250, 0.75, 1, 24],
    ],
    [
      ['1,250.000', '0.750', '1.000', '24.000'],
      [1250, 0.75, 1, 24],
    ],
    [
      ['1 250,000', '1,000'],
      [1250, 1],
    ],
    [
      ['1.250', '0,5'],
      [1250, 0.5],
    ],
    [
      ['1,250', '0.5'],
      [1250, 0.5],
    ],
    [
      ['1.250', '2'],
      [undefined, 2],
    ],
    [
      ['1,000', '2,000'],
      [undefined, undefined],
    ],
    [
      ['1,250', '0,5', '0.5'],
      [undefined, 0.5, 0.5],
    ],
    [
      ['1.000.000', '1.250'],
      [1_000_000, 1250],
    ],
  ])('%j are %j', (texts, pieces) => expect(column(...texts)).toEqual(pieces))

  test('what stays ambiguous is named', () => {
    const quantities = new QuantityColumn()
    quantities.read('1,250', '', 7)
    expect(quantities.doubt).toEqual({
      line: 7,
      says: '1,250 (row 7) may have thousands or decimals: these quantities are unknown',
    })
    quantities.read('0,5', '', 8)
    expect(quantities.doubt).toBeUndefined()
  })

  test('the numbers of workbooks are never ambiguous', () => {
    const quantities = new QuantityColumn()
    expect(quantities.settle(quantities.read(1.125, '', 1).amount)).toBe(1.125)
    expect(quantities.doubt).toBeUndefined()
  })
})

test.each(['', 'Each', 'each', 'EA', 'pcs', 'Pc.', 'piece(s)', 'Stk.', 'St.', 'unit'])(
  '%j counts pieces',
  (unit) => expect(isPiece(unit)).toBe(true),
)

test.each(['Meter', 'm', 'kg', 'Roll', 'm²', 'l', '%', '100pcs'])('%j does not count pieces', (unit) =>
  expect(isPiece(unit)).toBe(false),
)
