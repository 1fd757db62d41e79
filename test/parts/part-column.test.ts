import { describe, expect, test } from 'vitest'
import { findPartColumn, isPartHeading } from '../../src/parts/part-column.ts'

describe('headings that say part number', () => {
  test.each([
    'Part Number',
    'part number',
    'PART NO.',
    'Part No',
    'Part #',
    'P/N',
    'PN',
    'MPN',
    'Manufacturer Part Number',
    'Manufacturer Part Number 1',
    'Mfr. Part #',
    'Mfg P/N',
    'partNumber',
    'part_number',
    'partNumbers[]',
    'Item Number',
    'Item No.',
    'Teilenummer',
    'Teile-Nr.',
    'Artikelnummer',
    'Supplier Part Number',
    'part',
    'SKU',
    ' Part\u00a0Number ',
  ])('%j', (heading) => expect(isPartHeading(heading)).toBe(true))

  test.each([
    'Description',
    'Quantity',
    'Supplier',
    'Partner',
    'Reference',
    'Manufacturer',
    '',
    '4711',
    'PN-1',
    'SKU1',
  ])('%j does not', (heading) => expect(isPartHeading(heading)).toBe(false))
})

describe('the column', () => {
  const column = (rows: readonly (readonly string[])[], wanted?: string): unknown =>
    findPartColumn(rows, wanted, 'bom.csv')

  test('is found by its heading', () => {
    expect(column([['Qty', 'Part No.', 'Name']])).toEqual({
      column: 1,
      headingRow: 0,
      label: 'Part No.',
      width: 3,
    })
  })

  test('is found below title rows', () => {
    expect(column([['Bill of materials', ''], [''], ['Pos', 'MPN']])).toMatchObject({
      column: 1,
      headingRow: 2,
    })
  })

  test('of part numbers is preferred to one of item numbers', () => {
    expect(column([['Item Number', 'MPN']])).toMatchObject({ column: 1 })
  })

  test('that is the only one needs no heading', () => {
    expect(column([['4711'], ['4712']])).toMatchObject({ column: 0, headingRow: -1 })
  })

  test('can be named, exactly or nearly', () => {
    expect(column([['A', 'b number', 'B Number']], 'B Number')).toMatchObject({ column: 2 })
    expect(column([['A', 'B_Number']], 'b number')).toMatchObject({ column: 1 })
  })

  test('can be numbered from 1, and then the first row is data unless it is a heading', () => {
    expect(column([['x', '4711']], '2')).toMatchObject({ column: 1, headingRow: -1, label: '2' })
    expect(column([['Part Number', 'Other']], '2')).toMatchObject({
      column: 1,
      headingRow: 0,
      label: 'Other',
    })
  })

  test('does not exist in an empty table', () => {
    expect(column([['', ' '], []])).toBeUndefined()
  })

  test.each([
    [
      'several could be it',
      [['Part Number', 'MPN']],
      undefined,
      'several columns could be the part number: 1 "Part Number", 2 "MPN"',
    ],
    ['none is it', [['Pos', 'Name']], undefined, 'no part number column found by its heading'],
    ['the name is not there', [['Pos', 'Name']], 'MPN', 'there is no column "MPN"'],
    ['the number is too large', [['Pos', 'Name']], '3', 'has no column 3'],
    ['columns are counted from 1', [['Pos', 'Name']], '0', 'has no column 0'],
  ])('is a mistake when %s', (_, rows, wanted, message) => {
    expect(() => column(rows, wanted)).toThrow(message)
  })
})
