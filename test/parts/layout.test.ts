import { describe, expect, test } from 'vitest'
import type { Failure } from '../../src/base/failure.ts'
import {
  type ChosenColumns,
  decideLayout,
  type Layout,
  layoutBelow,
  profileTable,
} from '../../src/parts/layout.ts'
import { soakTest } from '../support/soak.ts'

type Rows = readonly (readonly string[])[]

const decide = (rows: Rows, chosen: ChosenColumns = {}): Layout | undefined =>
  decideLayout(profileTable(rows, chosen), 'bom.csv', chosen)

const layoutOf = (rows: Rows, chosen: ChosenColumns = {}): Layout => decide(rows, chosen)!

/** The columns by what they are read for, from 0. */
const columnsOf = (rows: Rows, chosen: ChosenColumns = {}): unknown =>
  Object.fromEntries(Object.entries(layoutOf(rows, chosen).columns).map(([role, { index }]) => [role, index]))

function failureOf(rows: Rows, chosen: ChosenColumns = {}): Failure {
  try {
    decide(rows, chosen)
  } catch (error) {
    return error as Failure
  }
  return expect.unreachable('a mistake was not seen')
}

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

  test('is none below several rows as wide, whatever word a row above them has', () => {
    const rows = [
      ['Qty', 'Alpha', 'Beta', 'Gamma'],
      ...['A-101', 'A-202', 'A-303'].map((part) => [part, '10', 'x1', '7.5']),
      ['Part Number', 'Quantity', 'Description', 'Manufacturer'],
      ['B-101', '3', 'Resistor', 'Acme'],
    ]
    expect(failureOf(rows).message).toContain('no heading in row 1 says part number')
  })

  test('is none among rows of a shop', () => {
    const rows = [
      ['www.example.com', '1', 'Power toggle switch', 'EG2403-ND', 'Switch enables charge'],
      ['www.example.com', '1', 'DC Power Jack', 'SC1048-ND', ''],
      ['www.example.com', '15', '#22 snap socket', '94838-01-ND', 'Connect low power and signal wire'],
      ['www.example.com', '12', 'Red momentary switch', 'GH1368-ND', 'Mode switches'],
    ]
    expect(layoutOf(rows)).toMatchObject({ headingRow: -1, columns: { part: { index: 3 } } })
    expect(layoutOf(rows, { part: '4' })).toMatchObject({ headingRow: -1, columns: { part: { index: 3 } } })
  })

  test('is none of the paths of files', () => {
    const paths = ['a/b/boards.txt', 'a/b/upload.sh', 'a/x86/bin/dpinst-x86.exe', 'a/x86/bin/lsz64']
    const rows = [
      ['file', 'license'],
      ...paths.map((path, at) => [path, at === 2 ? 'Driver Kit 7 License' : '']),
    ]
    expect(failureOf(rows).message).toContain('no column of part numbers')
  })

  test('may have the quantities of prices of several shops, below a row of groups', () => {
    const { headingRow } = layoutOf([
      ['System Qty:', '25', '', '', 'Price/quantity', '', '', 'price per', '', '', 'ext price'],
      ['Cost/System', '$36.78', '', '', '', '', '', '', '', '', ''],
      ['Description', 'Part Number', 'Pad', 'Component Qty/System', '1', '5', '10', '1', '5', '10', 'Link'],
      ['Battery', 'PRT-13851', 'BT1', '1', '4.95', '', '', '4.95', '', '', ''],
    ])
    expect(headingRow).toBe(2)
  })

  test('is found below many that could be one', () => {
    const rows = [
      ...Array.from({ length: 9 }, () => ['Level', 'Unit', 'Qty']),
      ['Item', 'Part Number', 'Qty', 'Description', 'Manufacturer', 'Reference'],
      ['1', 'A-101', '3', 'Resistor', 'Acme', 'R1'],
    ]
    expect(layoutOf(rows)).toMatchObject({ headingRow: 9, columns: { part: { index: 1 } } })
  })

  test('may be below rows of values that are much narrower', () => {
    const rows = [
      ['4711', '0815', '12'],
      ['4712', '0816', '13'],
      ['Item', 'Part Number', 'Qty', 'Description', 'Manufacturer', 'Unit'],
      ['1', 'A-101', '3', 'Resistor', 'Acme', 'pcs'],
    ]
    expect(layoutOf(rows)).toMatchObject({ headingRow: 2, columns: { part: { index: 1 } } })
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
      'may have the quantities that prices are for',
      [
        ['', '', '', 'Unit Price at Quantity'],
        ['Part No', 'Desc.', 'Qty', '1', '100', '1000'],
        ['RC0603FR-0749R9L', '49.9 Ohm', '5', '0.1', '0.0057', '0.00257'],
        ['GRM188R71C104KA01D', '0.10uF', '4', '0.1', '0.0086', '0.0061'],
      ],
      1,
    ],
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
    expect(columns.part.heading).toMatch(/^(?:MPN|Part No|Manufacturer Part (?:No|Number))$/)
    expect(columns.quantity?.heading).toBe('Qty')
  })

  test('is none where labels go on below', () => {
    const rows = [
      ['Part Number', '9000-4711'],
      ['Description', 'Controller'],
      ['Color', 'red'],
    ]
    expect(failureOf(rows).message).toContain('no column of part numbers')
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
      ['Zeug', 'x'],
      ['A-1', 'x'],
      ['A-2', 'x'],
    ]
    expect(layoutOf(rows, { part: '1' }).headingRow).toBe(0)
    expect(layoutOf([['Zeug'], ['A-1'], ['A-2']])).toMatchObject({ headingRow: 0, isHeadingGuessed: true })
    expect(layoutOf([['ABC'], ['DEF'], ['A-2']]).headingRow).toBe(-1)
  })
})

describe('the column of the part numbers', () => {
  test.each<[string, readonly string[], number]>([
    ["manufacturer's before plain", ['Part Number', 'MPN', 'Qty'], 1],
    ["a model's before internal", ['Artikelnummer', 'Typnummer', 'Menge'], 1],
    ['plain before internal', ['Artikelnummer', 'Teilenummer', 'Menge'], 1],
    ["plain before supplier's", ['Digi-Key Part Number', 'Part Number', 'Qty'], 1],
    ['the first choice before the second', ['Manufacturer Part Number 2', 'Manufacturer Part Number 1'], 1],
    ['no number before the second choice', ['MPN 2', 'MPN'], 1],
    ['component before parent', ['Parent Part Number', 'Component Part Number', 'Qty'], 1],
  ])('%s', (_, headings, index) => {
    const row = headings.map((_heading, at) => `X${at}-100`)
    expect(layoutOf([headings, row]).columns.part.index).toBe(index)
  })

  test('says why it was chosen, with three values', () => {
    const { part } = layoutOf([
      ['Artikelnummer', 'MPN'],
      ['1', 'A-1'],
      ['2', 'A-2'],
    ]).columns
    expect(part).toMatchObject({
      index: 1,
      heading: 'MPN',
      why: 'heading says manufacturer number 6.5, values +5.5: 100 % like part numbers',
      examples: ['A-1', 'A-2'],
      usual: { kinds: ['part number'], numbers: 1, words: 0 },
    })
  })

  test('is not one that is empty, however long the list', () => {
    for (const count of [2, 60, 3000]) {
      const rows = Array.from({ length: count }, (_, index) => ['', `A-${index}`, '1'])
      expect(layoutOf([['MPN', 'Part Number', 'Qty'], ...rows]).columns.part.index).toBe(1)
    }
  })

  test.each<[string, Rows]>([
    [
      'a counter',
      [['Component', 'Name'], ...Array.from({ length: 26 }, (_, index) => [`${index + 1}`, 'x'])],
    ],
    [
      'materials',
      [
        ['Material', 'Thickness'],
        ['Steel', '1'],
        ['Ceramic', '2'],
        ['Copper', '3'],
      ],
    ],
    [
      'names',
      [
        ['Component', 'Price'],
        ['Servos', '1'],
        ['Main Controllers', '2'],
        ['Screws', '3'],
      ],
    ],
    [
      'designators',
      [
        ['Reference', 'Value'],
        ['R1, R2', '10k'],
        ['C1', '1u'],
      ],
    ],
    [
      'component values',
      [
        ['Part', 'Qty'],
        ['10k', '1'],
        ['100nF', '2'],
        ['4k7', '3'],
      ],
    ],
    [
      'footprints',
      [
        ['Part', 'Qty'],
        ['R_0603_1608Metric', '1'],
        ['SOIC-8', '2'],
        ['SOT-23', '3'],
      ],
    ],
    [
      'prices',
      [
        ['Part Number', 'Qty'],
        ['$1.20', '1'],
        ['$3.40', '2'],
        ['$5.00', '2'],
      ],
    ],
    [
      'links',
      [
        ['Part Number', 'Qty'],
        ['https://a.example/1', '1'],
        ['https://a.example/2', '2'],
        ['https://a.example/3', '3'],
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
  ])('is none of %s, whatever its heading says', (_, rows) => {
    expect(failureOf(rows).message).toContain('no column of part numbers')
  })

  test('may be the name of what a parent consists of', () => {
    const rows = [
      ['Parent Name', 'Child Name'],
      ['100 SNOW', '0114032'],
      ['100 SNOW', '0114659-11'],
      ['100 SNOW', '117004_9570_6_800'],
      ['5140898', '5263556'],
    ]
    expect(columnsOf(rows)).toMatchObject({ part: 1 })
  })

  test('is not the number of what the rows are about, in a table that neither counts nor places', () => {
    const rows = Array.from({ length: 30 }, (_, index) => [
      `MAT00${Math.floor(index / 4)}`,
      'weight',
      String(index),
    ])
    expect(failureOf([['material_id', 'specification', 'value'], ...rows]).kind).toBe('usage')
    const counted = rows.map((row) => [...row, '1'])
    expect(layoutOf([['material_id', 'specification', 'value', 'qty'], ...counted]).columns.part.index).toBe(
      0,
    )
  })

  test('takes further choices as alternates, and another number where it is empty', () => {
    const layout = layoutOf([
      ['MPN 1', 'MPN 2', 'P/N', 'IPN', 'Qty'],
      ['A-100', 'B-100', 'C-100', '900-1', '1'],
      ['A-200', '', 'C-200', '900-2', '1'],
      ['', '', 'C-300', '900-3', '1'],
    ])
    const sap = layoutOf([
      ['HerstTeileNr', 'Komponentennummer', 'Menge'],
      ['A-100', '100-200-300', '1'],
      ['', '100-200-301', '1'],
    ])
    expect(sap.alternates).toEqual([])
    expect(sap.columns['own part']?.heading).toBe('Komponentennummer')
    expect(layout.columns).toMatchObject({ part: { heading: 'MPN 1' }, 'own part': { heading: 'IPN' } })
    expect(layout.alternates.map(({ heading, isSubstitute = false }) => [heading, isSubstitute])).toEqual([
      ['MPN 2', false],
      ['P/N', true],
    ])
  })

  test.each<[string, Rows, string]>([
    [
      'a plain part number before one of a shop that has fewer',
      [
        ['Qty', 'Description', 'Sparkfun Part', 'Part', 'Mouser Part'],
        ['6', 'LED', 'COM-09661', 'YSL-R542G5C-A14', ''],
        ['1', 'MCU', '', 'Atmega328P', '556-ATMEGA328P-PU'],
        ['1', 'Cap', '', 'RDER71H104K0K1H03B', '81-RDER71H104K0K1H3B'],
      ],
      'Part',
    ],
    [
      'a part number before that of an order',
      [
        ['Name', 'Part id', 'order id', 'Retailer', 'Quantity'],
        ['Red LED', 'B5B-434-TY', '', 'Roithner', '1'],
        ['Red filter', 'FF01-586/20 BrightLine', 'F39-587', 'AHF', '1'],
        ['Green filter', 'FF01-513/17 BrightLine', 'F49-480', 'AHF', '2'],
      ],
      'Part id',
    ],
    [
      'the shop with the most numbers',
      [
        ['Part', 'Value', 'Digikey', 'MOUSER_PART_NUMBER'],
        ['R1', '4.7k', '311-4.70KCRCT-ND', ''],
        ['R2', '10k', '311-10.0KCRCT-ND', ''],
        ['J2', 'header', '', '200-SSW12501TD'],
      ],
      'Digikey',
    ],
    [
      'the first of two shops that have as many',
      [
        ['References', 'Qty', 'LCSC', 'Mouser'],
        ['C1', '1', 'C272878', '80-C0402C103K3R7867'],
        ['C2', '2', 'C541464', '81-GRM155C71H104JE9J'],
      ],
      'LCSC',
    ],
    [
      'MP beside MF',
      [
        ['Part', 'Value', 'Digikey', 'MF', 'MP'],
        ['CR1', '', 'EBR1225-ND', '', ''],
        ['U1', 'DS1339', 'DS1339U-33+T&RCT-ND', 'Maxim', 'DS1339AU+'],
        ['Y1', 'ECS', 'XC1307CT-ND', 'ECS', 'ECS-.327-6-17X-TR'],
      ],
      'MP',
    ],
    [
      'Vendor ID where each line has another',
      [
        ['Comment', 'Designator', 'Vendor', 'Vendor ID', 'Quantity'],
        ['100n', 'C1', 'Digikey', '399-C0603C104Z4VAC7867CT-ND', '1'],
        ['BATT_CLIP', 'J2', 'Digikey', '36-2898-ND', '1'],
        ['SPST', 'SW1, SW2', 'Digikey', '450-2161-ND', '2'],
      ],
      'Vendor ID',
    ],
    [
      'a link of a shop whose values are numbers',
      [
        ['Ref', 'Qnty', 'Value', 'Digikey Link'],
        ['C1', '2', '22u', '490-10476-1-ND'],
        ['IC1', '1', 'LT3571EUD', 'LT3571EUD#PBF-ND'],
      ],
      'Digikey Link',
    ],
    [
      'ID beside a count of orders',
      [
        ['class', 'value', 'distributor', 'ID', '# order'],
        ['capacitors', '100n', 'Mouser', '77-VJ1206Y104KXXPBC', '50'],
        ['', '10u/16V', 'Mouser', '581-1206ZC106MAT2A', '10'],
        ['driver', 'TLC5947', 'Mouser', '595-TLC5947DAPR', '5'],
      ],
      'ID',
    ],
    [
      'Referencia where it has no designators',
      [
        ['Cantidad', 'Nombre', 'Referencia', 'Costo'],
        ['4', 'Sensor', 'SEN-INF-OBST', '17600'],
        ['2', 'Puente H', 'DRIV-L298N', '18000'],
        ['2', 'Servo', 'FS90R', '36000'],
      ],
      'Referencia',
    ],
    [
      'names of which most are numbers beside their makers',
      [
        ['Description', 'Name', 'Manufacturer', 'Qty'],
        ['Box', '1595CBK', 'Hammond', '1'],
        ['MCU', 'ATMega328P-PU', 'Atmel', '1'],
        ['PCB', 'WEDIL', 'OshPark', '1'],
        ['FET', 'IRLB8721PBF', 'IR', '4'],
        ['Reference', 'REF5025AIDR', 'TI', '1'],
      ],
      'Name',
    ],
    [
      'the own numbers of what a parent has, though they repeat and could be designators',
      [
        ['parent', 'component', 'qty'],
        ['P0125', 'P0473', '1'],
        ['P0476', 'P0473', '2'],
        ['P0302', 'P0317', '5'],
        ['P0125', 'P0317', '1'],
      ],
      'component',
    ],
    [
      'that of a shop whose numbers could be designators and repeat, as each place has a row',
      [
        ['Chip', 'Name', 'Package', 'LCSC', 'Misc'],
        ['U1', 'ADS1232IPWR', 'TSSOP-24', 'C27919', ''],
        ['Q1', '2N7002', 'SOT-23-3', 'C8545', ''],
        ...['R1', 'R2', 'R3'].map((place) => [place, '0402WGF1000TCE', '0402', 'C25076', '100R']),
        ...['C1', 'C2', 'C3', 'C4'].map((place) => [place, 'GRM31C5C1H104JA01L', '1206', 'C97946', '100 nF']),
      ],
      'LCSC',
    ],
    [
      'that of a maker in short',
      [
        ['Part', 'Mfct No.', 'Mfct.', 'Vendor Part No.', 'Vendor', 'Qty.'],
        ['Motor driver', 'L9110S', '???', '', 'Makestore', '2'],
        ['Arduino', 'A000066', 'ARDUINO CC', 'A000066', 'Core', '1'],
        ['Shield', '', 'Freetronics', 'CE04491', 'Core', '1'],
      ],
      'Mfct No.',
    ],
    [
      'the shop\u2019s reference in German',
      [
        ['ID', 'Bezeichner', 'Gehäuse', 'Stückzahl', 'Bezeichnung', 'Anbieter und Referenz'],
        ['1', 'D3,D2,D4', 'D_SOD-123', '3', '1N4148W', 'RND 1N4148W'],
        ['2', 'RV8,RV6', 'Varistor_0805', '2', 'Varistor', 'VC 0805-14'],
        ['5', 'Q1', 'SOT-23', '1', 'IRLML6244', 'IRLML 6244'],
      ],
      'Anbieter und Referenz',
    ],
    [
      'a number behind labels',
      [
        ['Designation', 'Supplier', 'Core-elec reference', 'Qtity'],
        ['Beetle', 'DFRobot', 'SKU: DFR0339', '1'],
        ['Switch', 'Core-electronics', 'SKU: PRT-14330', '1'],
        ['Charger', 'Core-electronics', 'SKU: ADA1904', '1'],
      ],
      'Core-elec reference',
    ],
  ])('is %s', (_, rows, heading) => {
    expect(layoutOf(rows).columns.part.heading).toBe(heading)
  })

  test('of a shop is filled from those of others, the fullest first, where it has gaps', () => {
    const rows = (heading: string, first: string): Rows => [
      ['Qty', 'Mouser', heading, 'Digikey', 'Notes'],
      ['1', '', first, '296-1395-5-ND', ''],
      ['2', '595-NE555DR', 'NE555-1', '296-1411-1-ND', 'x'],
      ['4', '', 'BAT54S', 'BAT54SCT-ND', ''],
      ['4', '', 'BAT54T', '', ''],
    ]
    const substitutes = ({ alternates }: Layout): unknown =>
      alternates.map(({ heading, isSubstitute = false }) => [heading, isSubstitute])
    expect(substitutes(layoutOf(rows('Farnell', '')))).toEqual([
      ['Digikey', true],
      ['Mouser', true],
    ])
    expect(layoutOf(rows('Farnell', 'LM358')).alternates).toEqual([])
    // A shop's number is none of the manufacturer's.
    expect(layoutOf(rows('MPN', '')).alternates).toEqual([])
  })

  test('is not filled from a table beside it', () => {
    const rows = [
      ['Item', 'Supplier Reference', 'Qty', 'Consumable', 'Supplier Reference'],
      ['1', 'PI44GB', '1', 'tape', '398-199'],
      ['2', '', '2', 'glue', '398-307'],
      ['3', '201-1444', '1', '', ''],
    ]
    expect(layoutOf(rows)).toMatchObject({ columns: { part: { index: 1 } }, alternates: [] })
  })

  test.each([
    'Second Source',
    'Approved Alternate',
    '2nd source MPN',
    'Qualified_alternate',
    'Substitute',
    'Ersatztyp',
    'Alternative Type',
  ])('has its alternates under %s', (heading) => {
    const layout = layoutOf([
      ['Ref', 'Qty', 'MPN', heading],
      ['R1', '1', 'RC0603FR-0710KL', 'CRCW060310K0FKEA'],
      ['R2', '1', 'RC0603FR-0711KL', ''],
      ['R3', '1', 'RC0603FR-0712KL', 'CRCW060312K0FKEA'],
    ])
    expect(layout.alternates.map((one) => one.heading)).toEqual([heading])
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

  test('of makers is read where those of a fuller column are empty', () => {
    const rows = Array.from({ length: 9 }, (_, at) => [
      '1',
      `060${at}YC104`,
      at < 2 ? `iso722${at}a_d_8` : '',
    ])
    const { columns, alternates } = layoutOf([['Qty', 'Part #', 'MANUFACTURER_PART_NUMBER'], ...rows])
    expect([columns.part.index, alternates]).toMatchObject([1, [{ index: 2, isSubstitute: true }]])
  })

  test('that is ambiguous is refused, with the candidates, their first values and the options', () => {
    const rows = [
      ['Part No', 'Qty', 'Part Number'],
      ['A-1', '1', 'X-1'],
      ['A-2', '1', ''],
      ['A-3', '1', 'X-3'],
    ]
    const failure = failureOf(rows)
    expect(failure).toMatchObject({
      kind: 'usage',
      message: 'bom.csv: several columns could be the part number: 1 "Part No", 3 "Part Number"',
      hint: 'choose one by its number',
    })
    expect(failure.details.problems).toEqual([
      '1 "Part No": A-1, A-2, A-3',
      '3 "Part Number": X-1, X-3',
      '2 "Qty": 1',
    ])
    expect(failure.details.options).toEqual(['parts-column 1', 'parts-column 3'])
  })

  test('that is not found is asked for, with the columns in order of their score', () => {
    const failure = failureOf([
      ['Foo', 'Bar', 'Baz', 'Qty'],
      ['Screw', 'M4X12-A2', 'S-101', '1'],
      ['Nut', 'M4-A2', 'S-102', '2'],
      ['Washer', 'M4-DIN125', 'S-207', '3'],
    ])
    expect(failure.details.problems).toEqual([
      '2 "Bar": M4X12-A2, M4-A2, M4-DIN125',
      '3 "Baz": S-101, S-102, S-207',
      '1 "Foo": Screw, Nut, Washer',
      '4 "Qty": 1, 2, 3',
    ])
    expect(failure.details.options).toEqual(['parts-column 2'])
  })

  test.each<[string, Rows, number | undefined]>([
    [
      'a heading that says something else',
      [
        ['Serial', 'Description', 'Qty'],
        ['A-101', 'Nut', '1'],
        ['A-207', 'Cap', '2'],
        ['B-3', 'Fan', '3'],
      ],
      0,
    ],
    [
      'a language that is not known',
      [
        ['Nazwa', 'Indeks', 'Ilość'],
        ['Nut', 'A-101', '1'],
        ['Cap', 'A-207', '2'],
        ['Fan', 'B-3', '3'],
      ],
      1,
    ],
    [
      'plain numbers',
      [
        ['Part', 'Description', 'Qty'],
        ['3001', 'Nut', '1'],
        ['3020', 'Cap', '2'],
        ['4070', 'Fan', '3'],
      ],
      0,
    ],
    [
      'letters as designators have',
      [
        ['parent', 'component', 'qty'],
        ['P0125', 'P0473', '1'],
        ['P0125', 'P0317', '0'],
        ['P0476', 'P0125', '2'],
      ],
      1,
    ],
    [
      'comments',
      [
        ['Comment', 'Designator', 'LibRef'],
        ['LM358DR', 'U1', 'CMP-2006-1'],
        ['BAT54XV2', 'D1', 'CMP-2006-2'],
        ['RC0603FR-0710KL', 'R1', 'CMP-2006-3'],
      ],
      0,
    ],
    [
      'names beside their makers',
      [
        ['Name', 'Manufacturer', 'Qty'],
        ['LM358DR', 'TI', '1'],
        ['BAT54XV2', 'ST', '2'],
        ['SS12D00G3', 'SHOU', '1'],
      ],
      0,
    ],
    [
      'names',
      [
        ['Name', 'Supplier', 'Qty'],
        ['LM358DR', 'TI', '1'],
        ['BAT54XV2', 'ST', '2'],
        ['SS12D00G3', 'SHOU', '1'],
      ],
      undefined,
    ],
    [
      'serial numbers',
      [
        ['Serial No.', 'Description', 'Qty'],
        ['A-101', 'Nut', '1'],
        ['A-207', 'Cap', '2'],
        ['B-3', 'Fan', '3'],
      ],
      undefined,
    ],
    [
      'a list that counts nothing',
      [
        ['Serial', 'Description'],
        ['A-101', 'Nut'],
        ['A-207', 'Cap'],
        ['B-3', 'Fan'],
      ],
      undefined,
    ],
    [
      'a number that its values contradict',
      [
        ['Part Number', 'Foo', 'Qty'],
        ['a nut of brass', 'A-101', '1'],
        ['a cap of steel', 'A-207', '2'],
        ['a fan of 12 V', 'B-3', '3'],
      ],
      undefined,
    ],
    [
      'few of many rows',
      [['Foo', 'Note', 'Qty'], ...['A-1', 'B-2', 'C-3', '', '', ''].map((part) => [part, 'ok', '1'])],
      undefined,
    ],
  ])('that only its values show is read, if it is the only one: %s', (_, rows, index) => {
    if (index === undefined) expect(failureOf(rows).message).toContain('no column of part numbers')
    else
      expect(layoutOf(rows)).toMatchObject({
        columns: { part: { index } },
        partDoubt: expect.stringContaining('by its values'),
      })
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
    expect(decide([['', ' '], []])).toBeUndefined()
  })

  test.each<[string, Rows, string | undefined, string]>([
    ['none is it', [['Pos', 'Name']], undefined, 'no column of part numbers'],
    ['the name is not there', [['Pos', 'Name']], 'MPN', 'has no column "MPN" for the part number'],
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

  test('a number that falls after every step is a quantity, one that counts an item', () => {
    const rows = (numbers: string): Rows => [
      ['Designator', 'MPN', 'Number'],
      ...[...numbers].map((number, index) => [`C${index + 1}`, `GRM188R${index}`, number]),
    ]
    expect(columnsOf(rows('12211112211'))).toMatchObject({ quantity: 2 })
    expect(columnsOf(rows('123456789'))).toMatchObject({ item: 2 })
  })

  test('a column of zeros that may be the quantities of prices is none', () => {
    const rows = (heading: string): Rows => [
      ['MPN', 'Unit Price', heading],
      ...['A-101', 'A-102', 'A-103'].map((part) => [part, '0.24', '0']),
    ]
    expect(columnsOf(rows('@ qty'))).toEqual({ part: 0 })
    expect(columnsOf(rows('Qty'))).toEqual({ part: 0, quantity: 2 })
  })

  test('of the lines of an export, not of what it is for', () => {
    const erpNext = ['Item', 'Quantity', 'Item Code (Items)', 'Qty (Items)', 'Manufacturer Part No (Items)']
    expect(
      columnsOf([erpNext, ['CTRL', '1', 'R-001', '4', 'A-100'], ['', '', 'R-002', '2', 'A-200']]),
    ).toEqual({
      part: 4,
      'own part': 2,
      quantity: 3,
    })
    const lines = ['product_id/default_code', 'product_id/name', 'product_qty'].map(
      (name) => `bom_line_ids/${name}`,
    )
    expect(
      columnsOf([
        ['product_tmpl_id/name', ...lines],
        ['Box', 'A-100', 'Resistor', '4.0'],
      ]),
    ).toEqual({
      part: 1,
      quantity: 3,
      description: 2,
    })
  })

  test.each<[string, readonly string[], number, boolean]>([
    ['per assembly before the plain one', ['MPN', 'Qty', 'Qty Per'], 2, false],
    ['the plain one before the total', ['MPN', 'Total Qty', 'Qty'], 2, false],
    ['the total alone', ['MPN', 'Ext Qty'], 1, true],
    ['before what is there', ['MPN', 'Actual Qty', 'Qty'], 2, false],
    ['before what was ordered', ['MPN', 'Ordered Quantity', 'Quantity', 'Available Quantity'], 2, false],
    ['before that of a price', ['MPN', '@ Qty', 'Qty'], 2, false],
    ['per instrument', ['MPN', 'Quantity Ordered', 'Quantity/Instrument'], 2, false],
    ['short', ['MPN', 'Quan'], 1, false],
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

  test('manufacturer: not where makers have part numbers, which are named', () => {
    const rows = [
      ['Item', 'Qty', 'Mfr', 'Mfr No.'],
      ['1', '1', 'RC0805FR-101KL', ''],
      ['2', '1', 'RK73H2ATTD4700F', ''],
      ['3', '1', 'TL3342F160QG', ''],
      ['4', '2', '', 'SI1965DH-T1-BE3'],
    ]
    const profile = profileTable(rows, {})
    const layout = decideLayout(profile, 'bom.csv', {})!
    expect(layout.columns.manufacturer).toBeUndefined()
    expect(profile.otherNumbers(layout)).toMatchObject([{ heading: 'Mfr', filled: 3 }])
  })

  test('level: not the words and numbers of a shelf', () => {
    const rows = [
      ['MPN', 'Qty', 'Level'],
      ['A-100', '1', 'Electronics 7'],
      ['A-200', '2', 'Electronics 3'],
    ]
    expect(columnsOf(rows)).toEqual({ part: 0, quantity: 1 })
    expect(columnsOf([rows[0]!, ['A-100', '1', 'Level 1'], ['A-200', '2', '..2']])).toMatchObject({
      level: 2,
    })
  })

  test('level: outline numbers of the items where there is no such column', () => {
    const rows = [
      ['ITEM NO.', 'PART NUMBER', 'QTY.'],
      ['1', 'A-1', '1'],
      ['1.1', 'B-1', '1'],
      ['2', 'C-1', '1'],
    ]
    expect(columnsOf(rows)).toEqual({ part: 1, quantity: 2, level: 0, item: 0 })
    const flat = [
      ['ITEM NO.', 'PART NUMBER', 'QTY.'],
      ['10', 'A-1', '1'],
      ['20', 'B-1', '1'],
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
  ])('%s leave a doubt and no roll-up', (_, headings, chosen, doubt) => {
    const layout = layoutOf([headings, ['A-1', '2', '3', '4']], chosen)
    expect(layout.doubt).toContain(`bom.csv: ${doubt}`)
  })

  test('can be chosen', () => {
    const rows = [
      ['Part', 'Qty', 'Per board', 'Pos', 'Firma'],
      ['AB-12', '1', '2', '1', 'ACME'],
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
        ['AB-12', '1', '2', '3'],
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

  test('is read by the only column that has numbers, beside counts or designators', () => {
    const rows = [
      ['75', 'MF1/4CC75R0F', '2', 'x'],
      ['150', 'MF1/4CC1500F', '4', 'y'],
      ['1k', 'MF1/4CC1001F', '1', 'z'],
    ]
    expect(layoutOf(rows)).toMatchObject({
      headingRow: -1,
      columns: { part: { index: 1 }, quantity: { index: 2 } },
      partDoubt: 'no heading says part number: column 2 "2" is read, by its values',
    })
    const placed = [
      ['C1', 'A-10'],
      ['C2', 'A-10'],
      ['C3', 'A-20'],
      ['R1', 'B-30'],
      ['R2', 'B-30'],
    ]
    expect(layoutOf(placed).columns.part.index).toBe(1)
    expect(failureOf(rows.map(([value, part, , note]) => [value!, part!, note!])).kind).toBe('usage')
  })
})

test('a further table is read by its headings and the rows below them; one without part numbers is none', () => {
  const rows = [{ cells: ['AB-1', 'x', '2'] }, { cells: ['AB-2', 'y', '3'] }]
  const below = layoutBelow(['Part No.', 'Name', 'Quantity'], rows, 0)
  expect(below?.columns).toMatchObject({
    part: { index: 0 },
    description: { index: 1 },
    quantity: { index: 2 },
  })
  expect(below?.columns.item).toBeUndefined()
  expect(layoutBelow(['Tool', 'Supplier', 'Price'], rows, 0)).toBeUndefined()
})

test('makers\u2019 numbers in two columns are alternates', () => {
  const { columns, alternates } = layoutOf([
    ['Manufacturer 1 MPN', 'Supplier 1 MPN', 'Qty'],
    ['A-1', 'X-1', '1'],
    ['', 'X-2', '1'],
    ['A-3', 'X-3', '1'],
  ])
  expect([columns.part, ...alternates].map(({ heading }) => heading)).toEqual([
    'Manufacturer 1 MPN',
    'Supplier 1 MPN',
  ])
})

describe('headings in two rows', () => {
  const rows = Array.from({ length: 5 }, (_, at) => [
    `${at + 1}`,
    '2',
    'Murata',
    `GRM${at}55R71`,
    'TDK',
    `C1005X${at}R1`,
  ])
  test.each<readonly string[]>([
    ['Item', 'Qty', 'Manufacturer 1', 'Manufacturer 2', 'Name', 'Part Number'],
    ['Pos', 'Menge', 'Hersteller 1', 'Hersteller 2', 'Name', 'Teilenummer'],
    ['Poste', 'Qté', 'Fabricant 1', 'Fabricant 2', 'Nom', 'Référence'],
    ['Pos.', 'Q.tà', 'Produttore 1', 'Produttore 2', 'Nome', 'Codice'],
    ['Pos', 'Cantidad', 'Fabricante 1', 'Fabricante 2', 'Nombre', 'Número de pieza'],
    ['Pos', 'Quantidade', 'Fabricante 1', 'Fabricante 2', 'Nome', 'Código'],
    ['番号', '数量', 'メーカー1', 'メーカー2', '名称', '型番'],
    ['序号', '数量', '制造商1', '制造商2', '名称', '型号'],
    ['Item', 'Qty', 'Preferred', 'Alternate', 'Manufacturer', 'MPN'],
    ['Item', 'Qty', '1st Maker', '2nd Maker', 'Name', 'Part Number'],
  ])('%s, %s, %s above %s', (item, quantity, one, two, name, number) => {
    const below = [name!, number!, name!, number!]
    for (const [upper, lower] of [
      [
        [item!, quantity!, one!, '', two!, ''],
        ['', '', ...below],
      ],
      [
        [item!, quantity!, one!, one!, two!, two!],
        [item!, quantity!, ...below],
      ],
      [
        ['', '', one!, '', two!, ''],
        [item!, quantity!, ...below],
      ],
    ] as const) {
      const { headingRow, columns, alternates } = layoutOf([upper, lower, ...rows])
      expect(headingRow).toBe(1)
      expect([columns.part, ...alternates].map(({ index }) => index)).toEqual([3, 5])
      expect([columns.item?.index, columns.quantity?.index]).toEqual([0, 1])
    }
  })

  test('are none where one text is merged over all', () => {
    const { headings } = layoutOf([
      ['Bill of Materials', 'Bill of Materials', 'Bill of Materials'],
      ['Item', 'Part Number', 'Quantity'],
      ['1', 'AB-100', '2'],
    ])
    expect(headings).toEqual(['Item', 'Part Number', 'Quantity'])
  })

  test('are none where the upper is a title', () => {
    const { part } = layoutOf([['Parts List'], ['Item', 'Qty', 'Part Number'], ['1', '2', 'A-1']]).columns
    expect(part.heading).toBe('Part Number')
  })

  test.each<Rows>([
    [['Manufacturer'], ['Item', 'Qty', 'Name', 'Part Number'], ['1', '2', 'Murata', 'GRM155R71']],
    [
      ['', 'Manufacturer'],
      ['', 'Item', 'Qty', 'Part Number'],
      ['', '1', '2', 'GRM155R71'],
    ],
  ])('are none where the upper is a title that could be a heading', (...given) => {
    const { item, quantity, part } = layoutOf(given).columns
    expect([item?.heading, quantity?.heading, part.heading]).toEqual(['Item', 'Qty', 'Part Number'])
  })
})

test('of two columns with one role the better one is read, whatever their order', () => {
  for (const headings of [
    ['Item', 'Part Number', 'Qty', 'Part Name', 'Description'],
    ['Item', 'Part Number', 'Qty', 'Description', 'Part Name'],
  ]) {
    const { description } = layoutOf([headings, ['1', 'GRM155R71', '2', 'Capacitor', 'Resistor']]).columns
    expect(description?.heading).toBe('Description')
  }
})

describe('values rule out a role', () => {
  const table = (...columns: readonly (readonly [string, (index: number) => string])[]): Rows => [
    columns.map(([heading]) => heading),
    ...Array.from({ length: 8 }, (_, index) => columns.map(([, value]) => value(index + 1))),
  ]
  const number = (index: number): string => `GRM${index}55R71`
  const money = (index: number): string => (77.92 / index).toFixed(2)
  test.each<[string, Rows, object]>([
    ['money is no level', table(['MPN', number], ['Level', money]), { part: 0 }],
    ['nor is the total of a line an item', table(['MPN', number], ['Line Total', money]), { part: 0 }],
    ['nor a price a quantity', table(['MPN', number], ['Qty', () => '$1.20']), { part: 0 }],
    [
      'a component value is no quantity',
      table(['MPN', number], ['数量', (index) => `${index}0k`]),
      { part: 0 },
    ],
    [
      'nor is 数值',
      table(['型号', number], ['数值', () => '10'], ['数量', () => '2']),
      { part: 0, quantity: 2 },
    ],
    [
      'an order is no mark',
      table(['MPN', number], ['実装順', (index) => `${index - 1}`]),
      { part: 0, item: 1 },
    ],
    ['nor is a number', table(['MPN', number], ['Fitted', (index) => `${index * 3}`]), { part: 0 }],
    ['nor a kind of mounting', table(['MPN', number], ['Mounting', () => 'SMD']), { part: 0 }],
    ['marks are', table(['MPN', number], ['Fitted', () => 'yes']), { part: 0, fitted: 1 }],
    ['nor is the cost of an item', table(['MPN', number], ['Item Cost', money]), { part: 0 }],
    [
      'designators are no own number',
      table(['MPN', number], ['Customer Part Number', (at) => `BT${at}, R${at}`]),
      { part: 0 },
    ],
    [
      'the plain quantity is that of the part',
      table(
        ['Qty', (at) => `${at}`],
        ['Qty x6', (at) => `${6 * at}`],
        ['Qty to Buy', () => '40'],
        ['Part Number', number],
      ),
      { part: 3, quantity: 0 },
    ],
    [
      'a base quantity comes after a quantity',
      table(['MPN', number], ['底数', () => '1'], ['qty', (index) => `${index}`]),
      { part: 0, quantity: 2 },
    ],
    [
      'what is bought in packs is no quantity, the total of a product is one',
      table(
        ['MPN', number],
        ['QTY Per Pack', () => '50'],
        ['Min # Packs Needed for 1 Unit', () => '1'],
        ['Total QTY Needed', () => '2'],
      ),
      { part: 0, quantity: 3 },
    ],
    [
      'nor is that of a pack beside what is required',
      table(['MPN', number], ['Pkg Quantity', () => '50'], ['Quantity Required', (at) => `${at + 1}`]),
      { part: 0, quantity: 2 },
    ],
    ['nor is a stock', table(['MPN', number], ['Qty in stock', () => '5']), { part: 0 }],
    [
      'of two amounts the one without decimals is the quantity',
      table(['MPN', number], ['Amount', (at) => `${at}`], ['Amount', money]),
      { part: 0, quantity: 1 },
    ],
    [
      'a company that differs is the manufacturer',
      table(['Company', (at) => ['Basler', 'Arduino'][at % 2]!], ['Catalog Number', number]),
      { part: 1, manufacturer: 0 },
    ],
    [
      'and one that is always the same is not',
      table(['Company', () => 'Acme'], ['Catalog Number', number]),
      { part: 1 },
    ],
    [
      'an order of parts is no mark',
      table(['MPN', number], ['Can we place order right now?', () => 'YES']),
      { part: 0 },
    ],
    ['a shop is no manufacturer', table(['MPN', number], ['Supplier/ Brand', () => 'Mouser']), { part: 0 }],
    [
      'numbers that do not count are a quantity, beside a total that is said once',
      table(
        ['Component', (at) => `${at}0nF`],
        ['#', (at) => `${[1, 3, 1, 2][at % 4]}`],
        ['Part ID (Mouser)', number],
        ...Array.from({ length: 3 }, () => ['Note', () => ''] as const),
      ),
      { part: 2, quantity: 1 },
    ],
    [
      'quantities may have a sign of multiplication',
      table(['Material', number], ['Ilosc', (at) => `${at}x`]),
      { part: 0, quantity: 1 },
    ],
    [
      'the number of an order is none of a part',
      table(['part_id', (at) => `${60 + at * at}`], ['order_id', (at) => `42${at % 3}`], ['Code', number]),
      { part: 2 },
    ],
    [
      'boxes that nobody has ticked say nothing',
      table(['MPN', number], ['Sourced', () => 'NO'], ['Placed', () => 'NO'], ['Qty', () => '1']),
      { part: 0, quantity: 3 },
    ],
    [
      'nor do those that are ticked at work',
      table(['MPN', number], ['Sourced', () => 'Yes'], ['Placed', (at) => (at % 2 ? 'No' : 'Yes')]),
      { part: 0 },
    ],
    ['the sign 子 says nothing in a word', table(['電子部品', number], ['Part Number', number]), { part: 1 }],
    [
      'headings with dates are headings',
      table(
        ['MPN', number],
        ['Qty', () => '2'],
        ...[1, 2, 3, 4].map((at) => [`CHANGE HISTORY ON 11/${at}`, () => ''] as const),
      ),
      { part: 0, quantity: 1 },
    ],
    [
      'what is required is a quantity',
      table(['MPN', number], ['Required', () => '2']),
      { part: 0, quantity: 1 },
    ],
    ['a type may be a part number', table(['Qty', () => '1'], ['Type', number]), { part: 1, quantity: 0 }],
    [
      'beside a component a material is the assembly',
      table(['material', () => 'MAT001'], ['component', (index) => `MAT00${index + 1}`], ['qty', () => '1']),
      { part: 1, quantity: 2 },
    ],
    [
      'one number in each row is right where each place has a row',
      table(['Designator', (index) => `U${index}`], ['LCSC Part #', () => 'C2874113']),
      { part: 1, designator: 0 },
    ],
    [
      'a sign behind a counter changes nothing',
      table(['No.', (index) => `0${index}’`], ['Code', number]),
      { part: 1, item: 0 },
    ],
  ])('%s', (_, rows, columns) => {
    expect(columnsOf(rows)).toEqual(columns)
  })
})

test('the keys of rows as ERPNext writes them are no part numbers', () => {
  const names = 'Chicken Glycine Mango Pepper Almond Syrup Ginger Lemon'.split(' ')
  const failure = failureOf([
    ['ID', 'ID (Items)', 'Item Code (Items)', 'Qty (Items)'],
    ...names.map((name, at) => [at === 0 ? 'BOM-1' : '', `7lcc${at}d5va${at}`, `Boiled ${name}`, '4.0']),
  ])
  expect(failure.message).toContain('no column of part numbers')
  expect(failure.details.options).toEqual([])
  const words = failureOf([
    ['ID', 'ID (Items)', 'Item Code (Items)', 'Qty (Items)'],
    ...names.map((name, at) => [at === 0 ? 'BOM-1' : '', `7lcc${at}d5va${at}`, name, '4.0']),
  ])
  expect(words.message).toContain('the values of column "Item Code (Items)" do not look like part numbers')
})

test('of two columns of quantities the one that counts the designators is read', () => {
  const rows = (first: string, second: string): Rows => [
    ['MPN', first, 'Reference', second],
    ['A-101', '7', 'C1 C2 C3 C4 C5 C6 C7', '100'],
    ['A-102', '4', 'C19 C26 C27 C28', '25'],
    ['A-103', '1', 'C24', '25'],
  ]
  for (const [first, second] of [
    ['Qty', 'Pieces'],
    ['Pieces', 'Qty'],
  ] as const)
    expect(layoutOf(rows(first, second))).toMatchObject({
      columns: { quantity: { index: 1 } },
      doubt: undefined,
    })
  const alone = rows('Qty', 'Pieces').map((row, at) => (at === 1 ? [row[0]!, '8', ...row.slice(2)] : row))
  expect(layoutOf(alone).doubt).toContain('several columns could be the quantity')
})

test('what is needed comes before what is ordered to be safe', () => {
  const rows = [
    ['MPN', 'Safe Quantity', 'Nec. Quantity'],
    ['A-101', '6', '4'],
    ['A-102', '2', '1'],
  ]
  expect(layoutOf(rows)).toMatchObject({ columns: { quantity: { index: 2 } }, doubt: undefined })
})

test('a chosen column whose values have words in them is doubted', () => {
  const rows = [
    ['Ref', 'Code', 'Qty'],
    ['F0', 'Littelfuse 37202000411', '1'],
    ['C0', 'Nichicon LGU2G471MELC45', '1'],
    ['C3', 'Murata GRM188R71H104KA93D', '1'],
  ]
  expect(layoutOf(rows, { part: '2' }).partDoubt).toContain('most of its values have words in them')
  expect(
    layoutOf([...rows, ...['A-1', 'A-2', 'A-3'].map((part) => ['C9', part, '1'])], { part: '2' }).partDoubt,
  ).toBe(undefined)
})

test('a number of another kind beside the one that is read is named', () => {
  const rows = [
    ['MPN', 'Foo Id', 'Qty'],
    ['A-101', '3001', '1'],
    ['A-102', '3020', '2'],
    ['A-103', '4070', '1'],
  ]
  const profile = profileTable(rows, {})
  expect(profile.otherNumbers(decideLayout(profile, 'bom.csv', {})!)).toMatchObject([{ index: 1, filled: 3 }])
})

describe('what is offered where no column has part numbers', () => {
  test.each<[Rows, readonly string[]]>([
    [
      [
        ['Hardware', 'Component', 'Link', 'Price'],
        ['x', 'Button Head Hex Drive Screw', 'https://www.example.com/92949a143', '0.03'],
        ['x', 'Rubber Bumper', 'https://www.example.com/9540k708', '0.31'],
        ['x', 'Amplifier of low noise', 'LMC6482AIM', '2.83'],
        ['x', 'Converter of five volts', 'R-78E5.0-1.0', '3.26'],
        ['x', 'Transistor for the motor', 'DMN3404L-7', '0.36'],
      ],
      ['parts-column 3'],
    ],
    [
      [
        ['Description', 'BrickLink ID', 'Unit Cost', 'Volume'],
        ['Plate', '3032', '30', '76800'],
        ['Brick', '3035', '40', '102400'],
        ['Tire', '3030', '50', '128000'],
      ],
      ['parts-column 2'],
    ],
    [
      [
        ['Name', 'X', 'Y', 'Price', 'Link', 'Count'],
        ['Plate', '1.5', '2.5', '30', 'https://a.example/1', '1'],
        ['Brick', '3.5', '4.5', '40', 'https://a.example/2', '2'],
        ['Tire', '5.5', '6.5', '50', 'https://a.example/3', '3'],
      ],
      [],
    ],
    [
      [
        ['Parent Name', 'Vendor', 'Qty'],
        ['A-100', 'C6937126', '1'],
        ['A-200', 'C14663', '2'],
        ['A-300', 'C882513', '3'],
      ],
      ['parts-column 2'],
    ],
    [
      [
        ['Qty', 'Value', 'Device', 'Package', 'Parts', 'Price', 'Link'],
        ['1', 'ATMEGA328P', 'ATMEGA328P-AU', 'TQFP32', 'IC1', '1.20', 'https://a.example/x'],
        ['1', 'LM358', 'LM358D', 'SO8', 'IC2', '0.20', 'https://a.example/y'],
        ['2', '100n', 'C-EU0402', '0402', 'C1, C2', '0.01', 'https://a.example/z'],
      ],
      ['parts-column 3'],
    ],
    [
      [
        ['Name', 'Type', 'Qty', 'Shop'],
        ['ESP 8266', 'Adafruit HUZZAH', '16', 'Mouser'],
        ['microSD', '47352-1001', '16', 'Farnell'],
        ['Poti', 'MCP41010-I/SN', '16', 'Farnell'],
        ['1M', '', '16', ''],
      ],
      ['parts-column 2'],
    ],
    [
      [
        ['Comment', 'LibRef', 'Quantity', '*Package/Footprint', 'Specs', 'ORD', 'Costo'],
        ['10k', 'CMP-2006-02376-2', '1', 'TSSOP-16', '30 mm', '6x', '17600'],
        ['100n', 'CMP-06035-004324-1', '1', 'CAP_1206', 'M2.5x5mm', '2x', '18000'],
        ['88.7 kΩ*', 'CMP-1034-00582-1', '2', 'CAP0603', '1/4" NPT', '1x', '36000'],
      ],
      [],
    ],
    [
      [
        ['Ref', 'Taille', 'Longueur'],
        ['U 1 2', '25x25', '345'],
        ['BR 1 2', '25x25', '993.5'],
        ['FF 1', '25x25', '305'],
      ],
      [],
    ],
    [
      [
        ['Volgnummer', 'Naam', 'Omschrijving', 'Kostprijs/stuk', 'Aantal'],
        ['1', 'Motor', 'Stappenmotor met kabel', '17600', '2'],
        ['2', 'Lager', 'Kogellager voor de as', '18000', '4'],
        ['3', 'Riem', 'Tandriem', '36000', '1'],
      ],
      [],
    ],
    [
      [
        ['Assembly', 'Value', 'Qty'],
        ['ZR_V2.5', 'TP094003-1', '1'],
        ['ZR_V2.5', 'UM6K33NTN', '1'],
        ['ZR_V2.5', 'MCP73831-2-OT', '1'],
        ['ZR_V2.5', '4.7uf', '6'],
        ['ZR_V2.5', '10k', '2'],
      ],
      ['parts-column 2'],
    ],
    [
      [
        ['Name', 'Telephone', 'Delivery', 'Qty'],
        ['Motor', '135 9020 6526', '2-3 weeks', '2'],
        ['Battery', '136 9020 6527', '14 days', '1'],
        ['Propeller', '137 9020 6528', '3 Tage', '8'],
      ],
      [],
    ],
    [
      [
        ['Component', 'Description', 'Qty', 'Datasheet'],
        ['1', 'LED generic', '1', '732-4986-1-ND'],
        ['4', 'Diode', '3', 'BAV21W-FDICT-ND'],
        ['5', 'Screw terminal', '3', 'ED2610-ND'],
      ],
      ['parts-column 4'],
    ],
    [
      [
        ['Step', 'Route', 'Qty'],
        ...Array.from({ length: 12 }, (_, at) => [`Step no. ${at}`, `5AX_MILL_${at % 2}`, '2']),
      ],
      [],
    ],
    [
      [
        ['项目', '描述', '数量'],
        ['DB9母头', 'DB9铆合式母头，90度弯脚', '1'],
        ['接线端子', '3pin3.81mm插拔式接线端子，弯针', '1'],
        ['拨码开关', '1pin2.54mm直插平拨', '1'],
        ['电阻', '62欧0603', '2'],
      ],
      ['parts-column 2'],
    ],
    [[['Component'], ['resistor']], []],
    [
      [
        ['Name', 'Order Status', 'Qty', 'Value'],
        ['LNA', 'Received - 4022', '1', '17dB'],
        ['Mixer', 'Received - 4022', '2', '20dB'],
        ['Doppler', 'Received - 4022', '2', '8dB'],
      ],
      [],
    ],
    [
      [
        ['ID', 'Name', 'Quantity', 'Value'],
        ['1', 'C0603', '12', '100nF'],
        ['2', 'C0805', '1', '10uF'],
        ['4', 'L0805', '1', '100R'],
      ],
      [],
    ],
    [
      [
        ['material_id', 'name', 'qty'],
        ['AL6061-T6', 'bracket', '2'],
        ['S355J2', 'plate', '1'],
        ['PA66-GF30', 'rod', '4'],
        ['AISI 304', 'cap', '4'],
        ['SS316L', 'ring', '4'],
      ],
      [],
    ],
  ])('%j', (rows, options) => {
    const failure = failureOf(rows)
    expect(failure.message).toContain('no column of part numbers')
    expect(failure.details.options).toEqual(options)
  })
})

soakTest('a row of a great many cells is no strain', () => {
  const wide = Array.from({ length: 125_000 }, () => 'MPN')
  expect(() => decide([wide, wide.map((_, index) => `A-${index}`)])).not.toThrow(RangeError)
})
