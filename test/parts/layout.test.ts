import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/base/failure.ts'
import { headingGroups, knownHeading } from '../../src/parts/headings.ts'
import {
  type ChosenColumns,
  findLayout,
  isOtherHeading,
  isPartHeading,
  type Layout,
} from '../../src/parts/layout.ts'

type Rows = readonly (readonly string[])[]

const layoutOf = (rows: Rows, chosen: ChosenColumns = {}, isWhole = true): Layout =>
  findLayout({ name: 'bom.csv', rows, isWhole }, chosen)!

/** The columns by what they are read for, from 0. */
const columnsOf = (rows: Rows, chosen: ChosenColumns = {}): unknown =>
  Object.fromEntries(Object.entries(layoutOf(rows, chosen).columns).map(([role, { index }]) => [role, index]))

function failureOf(rows: Rows, chosen: ChosenColumns = {}): Failure {
  try {
    findLayout({ name: 'bom.csv', rows, isWhole: true }, chosen)
  } catch (error) {
    return error as Failure
  }
  return expect.unreachable('a mistake was not seen')
}

test('every heading of the table is recognized with its meaning', () => {
  for (const { meaning, headings } of headingGroups()) {
    for (const heading of headings) expect(knownHeading(heading)?.meanings, heading).toContain(meaning)
  }
})

test('a heading has at most 80 characters', () => {
  const heading = (length: number): string => `${'Part Number ('.padEnd(length - 1, 'x')})`
  expect(isPartHeading(heading(80))).toBe(true)
  expect(isPartHeading(heading(81))).toBe(false)
})

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
    'Manufacturer\nPart Number',
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
    'Référence fabricant',
    'Codice articolo',
    'Nº de pieza',
    'メーカー型番',
    '制造商料号',
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
    'TOTAL-100',
  ])('%j does not', (heading) => expect(isPartHeading(heading)).toBe(false))
})

describe('the row of the headings', () => {
  test('is the one with the most known headings, below titles and labels', () => {
    const { headingRow } = layoutOf([
      ['Bill of materials'],
      ['Material:', '9000-4711', '', ''],
      ['Part number', '4711'],
      [],
      ['Pos', 'Part Number', 'Menge', 'Unit'],
      ['1', 'A-1', '2', 'pcs'],
    ])
    expect(headingRow).toBe(4)
  })

  test('is the one with more cells where two have equally many known headings', () => {
    const rows = [
      ['Part Number', 'Qty', ''],
      ['Part Number', 'Qty', 'Farbe'],
      ['A-1', '2', 'rot'],
    ]
    expect(layoutOf(rows).headingRow).toBe(1)
  })

  test.each<[string, Rows, number]>([
    [
      'is not one of labels with their values, even if it has more known headings',
      [
        ['Part Number', '9000-4711', 'Description', 'Controller', 'Rev', 'B'],
        ['Ref', 'MPN', 'Qty'],
        ['R1', 'A-1', '2'],
      ],
      1,
    ],
    [
      'may be two rows',
      [
        ['Item', 'Qty', 'Manufacturer', ''],
        ['', '', 'Name', 'Part No'],
        ['1', '2', 'ACME', 'A-1'],
      ],
      1,
    ],
    [
      'may be two rows of which the upper has no blank cells',
      [
        ['Item', 'Qty', 'Manufacturer', 'Manufacturer'],
        ['', '', 'Name', 'Part Number'],
        ['1', '2', 'ACME', 'A-1'],
      ],
      1,
    ],
  ])('%s', (_, rows, row) => {
    const { headingRow, columns } = layoutOf(rows)
    expect(headingRow).toBe(row)
    expect(columns.part.heading).toMatch(/^(?:MPN|Part No|Part Number)$/)
    expect(columns.quantity?.heading).toBe('Qty')
  })

  test('is none where labels go on below', () => {
    const rows = [
      ['Part Number', '9000-4711'],
      ['Description', 'Controller'],
      ['Color', 'red'],
    ]
    expect(failureOf(rows).message).toContain('no part number column found by its heading')
  })

  test('may have colons, when all of its cells have one', () => {
    expect(
      layoutOf([
        ['Mfr. No:', 'Order Qty.:', 'Desc.:'],
        ['A-1', '1', 'x'],
      ]).headingRow,
    ).toBe(0)
    expect(
      failureOf([
        ['Material:', '9000-4711'],
        ['Farbe', 'rot'],
      ]).kind,
    ).toBe('usage')
  })

  test('in words that are not known is seen where its values have digits', () => {
    const rows = [
      ['Bauteil', 'x'],
      ['A-1', 'x'],
      ['A-2', 'x'],
    ]
    expect(layoutOf(rows, { part: '1' }).headingRow).toBe(0)
    expect(layoutOf([['Bauteil'], ['A-1'], ['A-2']]).headingRow).toBe(0)
    expect(layoutOf([['ABC'], ['DEF'], ['A-2']]).headingRow).toBe(-1)
  })
})

describe('the column of the part numbers', () => {
  test.each<[string, readonly string[], number]>([
    ["manufacturer's before plain", ['Part Number', 'MPN', 'Qty'], 1],
    ['plain before internal', ['Artikelnummer', 'Teilenummer', 'Menge'], 1],
    ["plain before supplier's", ['Digi-Key Part Number', 'Part Number', 'Qty'], 1],
    ['the first choice before the second', ['Manufacturer Part Number 2', 'Manufacturer Part Number 1'], 1],
    ['no number before the second choice', ['MPN 2', 'MPN'], 1],
    ['component before parent', ['Parent Part Number', 'Component Part Number', 'Qty'], 1],
  ])('%s', (_, headings, index) => {
    const row = headings.map((_heading, at) => `X${at}-100`)
    expect(layoutOf([headings, row]).columns.part.index).toBe(index)
  })

  test('says why it was chosen', () => {
    const { part } = layoutOf([
      ['Artikelnummer', 'MPN'],
      ['1', 'A-1'],
    ]).columns
    expect(part).toEqual({
      index: 1,
      heading: 'MPN',
      why: 'heading of a manufacturer part number, preferred to "Artikelnummer"',
    })
  })

  test('is not one that is empty in the whole list', () => {
    const rows = [
      ['MPN', 'Part Number'],
      ['', 'A-1'],
      ['', 'A-2'],
    ]
    expect(layoutOf(rows).columns.part.index).toBe(1)
    expect(layoutOf(rows, {}, false).columns.part.index).toBe(0)
  })

  test('with the same values twice is the first of them', () => {
    expect(
      layoutOf([
        ['MPN', 'Mfr Part No'],
        ['A', 'A'],
        ['B', 'B'],
      ]).columns.part.index,
    ).toBe(0)
  })

  test.each<[string, Rows]>([
    [
      'designators',
      [
        ['Reference', 'Value'],
        ['R1, R2', '10k'],
        ['C1', '1u'],
      ],
    ],
    [
      'positions',
      [
        ['Item', 'Name'],
        ['1', 'x'],
        ['2', 'y'],
      ],
    ],
  ])('is not one of %s', (_, rows) => expect(failureOf(rows).message).toContain('no part number column'))

  test('that is ambiguous is refused, with the candidates, their first values and the options', () => {
    const rows = [
      ['MPN', 'Qty', 'Mfr Part No'],
      ['A-1', '1', 'X-1'],
      ['A-2', '1', ''],
      ['A-3', '1', 'X-3'],
    ]
    const failure = failureOf(rows)
    expect(failure).toMatchObject({
      kind: 'usage',
      message: 'bom.csv: several columns could be the part number: 1 "MPN", 3 "Mfr Part No"',
      hint: 'choose one by its number',
    })
    expect(failure.details.problems).toEqual(['1 "MPN": A-1, A-2, A-3', '3 "Mfr Part No": X-1, X-3'])
    expect(failure.details.options).toEqual(['parts-column 1', 'parts-column 3'])
  })

  test.each([12, 13])('is not known in a table with %i other columns, of which twelve are named', (count) => {
    const headings = Array.from({ length: count }, (_, index) => `Color ${'abcdefghijklm'[index]}`)
    const rows = [headings, ...['1', '2', '3', '4'].map((value) => headings.map(() => value))]
    const { hint, details } = failureOf(rows)
    const named = headings.slice(0, 12).map((heading, index) => `${index + 1} "${heading}"`)
    const more = count > 12 ? ' …' : ''
    expect(hint).toBe(`row 1 has ${named.join(', ')}${more}; choose a column by its number or heading`)
    expect(details.problems).toEqual(named.map((name) => `${name}: 1, 2, 3`))
    const { hint: chosen } = failureOf(rows, { part: 'Color a', quantity: 'x' })
    expect(chosen).toBe(`it has ${named.join(', ')}${more}`)
  })

  test('can be named, exactly or nearly, and numbered; the row with its heading is never a part', () => {
    const rows = [
      ['A', 'b number', 'B Number'],
      ['1', '2', '3'],
    ]
    expect(layoutOf(rows, { part: 'B Number' })).toMatchObject({
      headingRow: 0,
      columns: { part: { index: 2 } },
    })
    expect(
      columnsOf(
        [
          ['A', 'B_Number'],
          ['1', '2'],
        ],
        { part: 'b number' },
      ),
    ).toEqual({ part: 1 })
    const numbered = layoutOf(
      [
        ['Part Number', 'Other'],
        ['A', 'X'],
      ],
      { part: '2' },
    )
    expect(numbered).toMatchObject({ headingRow: 0, columns: { part: { index: 1, heading: 'Other' } } })
    expect(layoutOf([['x', '4711']], { part: '2' }).headingRow).toBe(-1)
  })

  test('that is the only one needs no heading; an empty table has none', () => {
    expect(layoutOf([['4711'], ['4712']])).toMatchObject({ headingRow: -1, columns: { part: { index: 0 } } })
    expect(findLayout({ name: 'b', rows: [['', ' '], []], isWhole: true }, {})).toBeUndefined()
  })

  test.each<[string, Rows, string | undefined, string]>([
    ['none is it', [['Pos', 'Name']], undefined, 'no part number column found by its heading'],
    ['the name is not there', [['Pos', 'Name']], 'MPN', 'there is no column "MPN"'],
    ['the number is too large', [['Pos', 'Name']], '3', 'has no column 3'],
    ['columns are counted from 1', [['Pos', 'Name']], '0', 'has no column 0'],
    ['its name is there twice', [['X', 'X']], 'X', 'several columns could be the part number: 1 "X", 2 "X"'],
  ])('is a mistake when %s', (_, rows, part, message) => {
    const failure = failureOf(rows, { part })
    expect(failure.kind).toBe('usage')
    expect(failure.message).toContain(message)
  })
})

describe('the other columns', () => {
  test('are found by their headings', () => {
    const headings = ['Lvl.', 'Find No.', 'MPN', 'Hersteller', 'Bezeichnung', 'Qty', 'UoM', 'Ref Des', 'DNP']
    expect(columnsOf([headings, ['1', '10', 'A-1', 'ACME', 'x', '2', 'ea', 'R1', 'x']])).toEqual({
      part: 2,
      quantity: 5,
      unit: 6,
      level: 0,
      item: 1,
      manufacturer: 3,
      designator: 7,
      fitted: 8,
      description: 4,
    })
  })

  test.each<[string, readonly string[], number, boolean]>([
    ['per assembly before the plain one', ['MPN', 'Qty', 'Qty Per'], 2, false],
    ['the plain one before the total', ['MPN', 'Total Qty', 'Qty'], 2, false],
    ['the total alone', ['MPN', 'Ext Qty'], 1, true],
  ])('quantity: %s', (_, headings, index, isTotalQuantity) => {
    const layout = layoutOf([headings, ['A-1', '2', '4']])
    expect(layout).toMatchObject({ columns: { quantity: { index } }, isTotalQuantity })
  })

  test('quantity: units under such a heading are units', () => {
    const rows = [
      ['Part Number', 'Unit QTY', 'QTY'],
      ['A-1', 'Each', '2'],
    ]
    expect(columnsOf(rows)).toEqual({ part: 0, quantity: 2, unit: 1 })
  })

  test('level: outline numbers of the items where there is no such column', () => {
    const rows = [
      ['ITEM NO.', 'PART NUMBER', 'QTY.'],
      ['1', 'A', '1'],
      ['1.1', 'B', '1'],
      ['2', 'C', '1'],
    ]
    expect(columnsOf(rows)).toEqual({ part: 1, quantity: 2, level: 0, item: 0 })
    const flat = [
      ['ITEM NO.', 'PART NUMBER', 'QTY.'],
      ['10', 'A', '1'],
      ['20', 'B', '1'],
    ]
    expect(columnsOf(flat)).toEqual({ part: 1, quantity: 2, item: 0 })
  })

  test('level: the first of two that say the same', () => {
    const rows = [
      ['Level', 'Explosion level', 'MPN', 'Qty'],
      ['1', '.1', 'A', '1'],
      ['2', '..2', 'B', '1'],
    ]
    expect(layoutOf(rows)).toMatchObject({ columns: { level: { index: 0 } }, doubt: undefined })
  })

  test.each<[string, readonly string[], ChosenColumns, string]>([
    [
      'two quantities',
      ['MPN', 'Qty', 'Menge'],
      {},
      'several columns could be the quantity: 2 "Qty", 3 "Menge"',
    ],
    ['two levels', ['MPN', 'Level', 'Stufe', 'Qty'], {}, 'several columns could be the level'],
    ['levels without a quantity', ['MPN', 'Level'], {}, 'no quantity column found by its heading'],
  ])('%s leave a doubt and no roll-up', (_, headings, chosen, doubt) => {
    const layout = layoutOf([headings, ['A-1', '2', '3', '4']], chosen)
    expect(layout.doubt).toContain(`bom.csv: ${doubt}`)
  })

  test('can be chosen', () => {
    const rows = [
      ['Part', 'Qty', 'Per board', 'Pos', 'Firma'],
      ['A1', '1', '2', '1', 'ACME'],
    ]
    const chosen = { quantity: 'per board', level: '4', manufacturer: 'Firma' }
    expect(columnsOf(rows, chosen)).toMatchObject({ part: 0, quantity: 2, level: 3, manufacturer: 4 })
    expect(columnsOf([['A', '2', 'x']], { part: '1', quantity: '2' })).toEqual({ part: 0, quantity: 1 })
  })

  test.each<[ChosenColumns, string]>([
    [{ quantity: 'Nope' }, 'bom.csv has no column "Nope" for the quantity'],
    [{ quantity: '9' }, 'bom.csv has no column 9 for the quantity'],
    [{ quantity: '0' }, 'bom.csv has no column 0 for the quantity'],
    [{ level: 'Nope' }, 'bom.csv has no column "Nope" for the level'],
    [{ level: 'Twice' }, 'bom.csv: several columns could be the level'],
  ])('%j that is not there is a usage failure', (chosen, message) => {
    const failure = failureOf(
      [
        ['Part', 'Qty', 'Twice', 'Twice'],
        ['A1', '1', '2', '3'],
      ],
      chosen,
    )
    expect(failure.kind).toBe('usage')
    expect(failure.message).toContain(message)
  })
})

describe('a list without known headings', () => {
  test('has its parts in the chosen column, below the row that is no part number', () => {
    const rows = [
      ['Qty.', 'Foo'],
      ['1', 'AB-12345'],
      ['2', 'AB-12346'],
    ]
    expect(layoutOf(rows, { part: '2' })).toMatchObject({ headingRow: 0 })
    expect(columnsOf(rows, { part: '2' })).toMatchObject({ part: 1 })
    expect(columnsOf([['AB-1'], ['AB-2']])).toEqual({ part: 0 })
  })
})

describe('a row of other headings', () => {
  const layout = layoutOf([
    ['Part Number', 'Qty', 'Description', 'Revision'],
    ['AB-1', '2', 'x', 'A'],
    ['AB-2', '3', 'y', 'B'],
  ])
  test.each([
    [['Revision', 'Date', 'Author', ''], true],
    [['Alternate', 'Manufacturer', 'Description', 'Revision'], true],
    [['Foo', 'Manufacturer', 'Bar', 'Revision'], true],
    [['Foo', 'Manufacturer', 'Bar', 'Baz'], false],
    [['Foo', 'Quux', 'Bar', 'Description'], false],
    [['Revision', 'Date', '', ''], false],
    [['Revision', 'Date', 'Author 2', ''], false],
    [['AB-7', 'Manufacturer', 'Description', 'Revision'], false],
    [['AB', '4', 'Description', 'Revision'], false],
  ])('%j: %s', (cells, expected) => expect(isOtherHeading(cells, layout)).toBe(expected))
})
