import { describe, expect, test } from 'vitest'
import { isPiece, readPieces } from '../../src/parts/read-quantity.ts'

describe('a quantity', () => {
  test.each<[string, string, number]>([
    ['2', '', 2],
    [' 12 ', '', 12],
    ['0.5', '', 0.5],
    ['.5', '', 0.5],
    ['2 pcs', '', 2],
    ['2pcs.', '', 2],
    ['3 Stk.', '', 3],
    ['4', 'EA', 4],
    ['4 x', 'Stück', 4],
    ['２', '', 2],
  ])('%j in %j is %d pieces', (text, unit, pieces) => expect(readPieces(text, unit)).toEqual({ pieces }))

  test.each<[string, number, string]>([
    ['1,5', 1.5, 'the quantity 1,5 has a decimal comma, read as 1.5'],
    ['0,250', 0.25, 'the quantity 0,250 has a decimal comma, read as 0.25'],
    ['1.000', 1, 'the quantity 1.000 is read as 1'],
    ['0', 0, 'the quantity is 0: the part counts, without a mass'],
  ])('%j is %d with a doubt', (text, pieces, doubt) => {
    expect(readPieces(text, '')).toEqual({ pieces, doubt })
  })

  test.each([
    ['', 'the quantity is blank'],
    ['  ', 'the quantity is blank'],
    ['1,000', 'the quantity 1,000 may be 1000 or 1'],
    ['1.000,5', 'the quantity "1.000,5" is not recognized'],
    ['1.000.000', 'the quantity "1.000.000" is not recognized'],
    ['-1', 'the quantity "-1" is not recognized'],
    ['A/R', 'the quantity "A/R" is not recognized'],
    ['2 or 3', undefined],
    ['1e3', undefined],
    ['\u001b[31m', undefined],
  ])('%j is unknown, never 1', (text, reason) => {
    const read = readPieces(text, '')
    expect(read.pieces).toBeUndefined()
    expect(read.reason).not.toBe('')
    expect(read.reason).not.toContain('\u001b')
    if (reason !== undefined) expect(read).toMatchObject({ reason, doubt: reason })
  })

  test.each([
    ['2.5 m', '', 'm'],
    ['2.5', 'm', 'm'],
    ['3', 'kg', 'kg'],
    ['3 pcs', 'kg', 'kg'],
    ['4', 'm²', 'm2'],
  ])('%j in %j is known and not in pieces: no doubt', (text, unit, shown) => {
    const read = readPieces(text, unit)
    expect(read.pieces).toBeUndefined()
    expect(read.doubt).toBeUndefined()
    expect(read.reason?.normalize('NFKC')).toBe(`the quantity is in ${shown}, not in pieces`)
  })
})

test.each(['', 'Each', 'each', 'EA', 'pcs', 'Pc.', 'piece(s)', 'Stk.', 'St.', 'unit'])(
  '%j counts pieces',
  (unit) => expect(isPiece(unit)).toBe(true),
)

test.each(['Meter', 'm', 'kg', 'Roll', 'm²', 'l', '%', '100pcs'])('%j does not count pieces', (unit) =>
  expect(isPiece(unit)).toBe(false),
)
