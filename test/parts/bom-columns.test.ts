import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/base/failure.ts'
import { findBomColumns, type WantedBomColumns } from '../../src/parts/bom-columns.ts'

const find = (headings: readonly string[], wanted: WantedBomColumns = {}): unknown =>
  findBomColumns(
    [headings],
    { column: 0, headingRow: 0, label: 'Part', width: headings.length },
    wanted,
    'bom.csv',
  )

function failureOf(headings: readonly string[], wanted: WantedBomColumns, headingRow = 0): Failure {
  try {
    const column = { column: 0, headingRow, label: '1', width: headings.length }
    findBomColumns([headings], column, wanted, 'bom.csv')
  } catch (error) {
    return error as Failure
  }
  return expect.unreachable('a mistake was not seen')
}

describe('headings that say quantity', () => {
  test.each([
    'Quantity',
    'Qty',
    'QTY.',
    'Qty per assembly',
    'Menge',
    'Stückzahl',
    'Anzahl',
    'Quantité',
    'Cantidad',
    '数量',
  ])('%j', (heading) =>
    expect(find(['Part', heading])).toMatchObject({ columns: { quantity: 1, level: undefined } }),
  )
  test.each(['Description', 'Partner', 'Mass', 'Price', 'Quantity break', 'Footprint', ''])(
    '%j does not',
    (heading) => expect(find(['Part', heading])).toEqual({}),
  )
})

describe('headings that say level', () => {
  test.each(['Level', 'LVL', 'BOM Level', 'Indent', 'Stufe', 'Ebene', 'Strukturstufe', 'Niveau', '階層'])(
    '%j',
    (heading) => expect(find(['Part', heading, 'Qty'])).toMatchObject({ columns: { quantity: 2, level: 1 } }),
  )
  test.each(['Moisture sensitivity level', 'Pos', 'Depth'])('%j does not', (heading) =>
    expect(find(['Part', heading, 'Qty'])).toMatchObject({ columns: { level: undefined } }),
  )
})

describe('the columns of a bill of materials', () => {
  test('have a unit, and the labels of quantity and level', () => {
    expect(find(['Part', 'UoM', 'Lvl.', 'Qty'])).toEqual({
      columns: { quantity: 3, level: 2, unit: 1, labels: ['Qty', 'Lvl.'] },
    })
  })

  test('are chosen by heading or number, instead of the usual ones', () => {
    expect(find(['Part', 'Qty', 'Per board', 'Pos'], { quantity: 'per board', level: '4' })).toMatchObject({
      columns: { quantity: 2, level: 3 },
    })
  })

  test('are chosen by number where there are no headings', () => {
    const column = { column: 0, headingRow: -1, label: '1', width: 3 }
    expect(findBomColumns([['A', '2', 'x']], column, { quantity: '2' }, 'bom.csv')).toEqual({
      columns: { quantity: 1, level: undefined, unit: undefined, labels: ['2'] },
    })
  })

  test('that several headings could be are not guessed', () => {
    expect(find(['Part', 'Qty', 'Menge'])).toEqual({
      doubt: 'bom.csv: several columns could be the quantity: 2 "Qty", 3 "Menge"; choose one for the roll-up',
    })
    expect(find(['Part', 'Qty', 'Level', 'Stufe'])).toHaveProperty('doubt')
    expect(find(['Part', 'Level'], { level: 'Level' })).toHaveProperty('doubt')
  })

  test.each<[WantedBomColumns, string]>([
    [{ quantity: 'Nope' }, 'bom.csv has no column "Nope" for the quantity'],
    [{ quantity: '9' }, 'bom.csv has no column 9 for the quantity'],
    [{ quantity: '0' }, 'bom.csv has no column 0 for the quantity'],
    [{ level: 'Nope' }, 'bom.csv has no column "Nope" for the level'],
    [{ level: 'Twice' }, 'bom.csv has more than one column "Twice" for the level'],
  ])('%j that is not there is a usage failure', (wanted, message) => {
    const failure = failureOf(['Part', 'Qty', 'Twice', 'Twice'], wanted)
    expect(failure).toMatchObject({ kind: 'usage', message })
    expect(failure.hint).toBe('it has 1 "Part", 2 "Qty", 3 "Twice", 4 "Twice"')
  })

  test('cannot be named where there are no headings', () => {
    expect(failureOf(['A', '2'], { quantity: 'Qty' }, -1).hint).toBe(
      'it has no headings: count columns from 1',
    )
  })
})
