import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SILENT } from '../../src/base/notice.ts'
import type { PartsResult } from '../../src/parts/parts-result.ts'
import { shownParts } from '../support/parts.ts'
import { testWorld, withFolder } from '../support/world.ts'

function read(text: string, name = 'bom.csv', part?: string): Promise<PartsResult> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, name), text)
    return shownParts(
      testWorld({ cwd: folder }),
      { parts: [], files: [name], columns: part === undefined ? {} : { part }, strict: false },
      SILENT,
    )
  })
}

/** The part numbers of a list with a semicolon between its cells, and the rows of each kind that are none. */
async function taken(...rows: readonly string[]): Promise<unknown> {
  const { lists } = await read(rows.map((row) => `${row}\n`).join(''))
  const [{ rows: parts, skipped }] = lists as [PartsResult['lists'][number]]
  return [parts.map(({ part }) => part), Object.fromEntries(skipped.map((one) => [one.kind, one.rows]))]
}

const HEADINGS = 'Item;Part Number;Qty;Description'

describe('part numbers that look like something else are taken', () => {
  test.each([
    'LOCTITE',
    'NIPPLE',
    'TL',
    'N-A',
    'X',
    'LM 317 T',
    'AB: 12',
    'X/Y 1',
    'Poly(methyl methacrylate)',
    'SHEET 12',
    'PAGE 4 DIVIDER',
    'TOTAL 100',
    'SUM 5',
    'PRINTED BY HAND 3',
    'NOTES',
  ])('%s', async (part) => {
    expect(await taken(HEADINGS, `1;${part};2;x`)).toEqual([[part], {}])
    expect(await taken('Part Number;Qty;Description', `${part};2;x`)).toEqual([[part], {}])
  })

  test.each<[string, string, string]>([
    ['a description with a colon', 'Description;MPN', 'Capacitor: 10 uF;GRM155'],
    ['a description with a colon, without a quantity', 'Description;MPN;Qty', 'Capacitor: 10 uF;GRM155;'],
    ['the sheet of a circuit diagram', 'Sheet;Ref;MPN', 'Sheet 1;R1;GRM155'],
    ['the manufacturer Total', 'Manufacturer;MPN;Qty', 'Total;GRM155;2'],
    ['a lone value without a quantity column', 'MPN;Description', 'GRM155;'],
  ])('beside %s', async (_, headings, row) => {
    expect(await taken(headings, row)).toEqual([['GRM155'], {}])
  })

  test.each(['MPN;Qty\nA-1;0\n', 'MPN;Menge\nA-1;0,00\nA-2;0\n', 'MPN;Quantity;Qty rest\nA-1;0;\n'])(
    'a column of quantities that are all 0 is one: %j',
    async (text) => {
      const { lists, warnings } = await read(text)
      for (const row of lists[0]!.rows) expect(row).toMatchObject({ isFitted: false })
      expect(warnings).toMatchObject([
        { message: expect.stringContaining('has only 0, so no part is fitted') },
      ])
    },
  )

  test.each(['Qty A;Qty B', 'Qty Base;Qty Option', 'Qty (EU);Qty (US)', 'Qty;Qty'])(
    'of the quantities of variants none is read: %s',
    async (headings) => {
      const { lists, warnings } = await read(`MPN;${headings}\nA-1;1;0\nA-2;0;2\nA-3;3;3\n`)
      expect(lists[0]!.rows.map(({ quantity, isFitted }) => [quantity, isFitted])).toEqual(
        [1, 2, 3].map(() => [null, true]),
      )
      expect(warnings).toMatchObject([
        { message: expect.stringContaining('several columns could be the quantity') },
      ])
    },
  )

  test('a ditto mark repeats a mark among notes', async () => {
    const { lists } = await read('MPN;Qty;Note\nA-1;1;DNP\nA-2;1;"\nA-3;1;\n')
    expect(lists[0]!.rows.map(({ isFitted }) => isFitted)).toEqual([false, false, true])
  })

  test('a part below a gap whose quantity is no number is one of the list', async () => {
    const rows = Array.from({ length: 20 }, (_, index) => `${index + 1};A-${index}00;1;x\n`).join('')
    const { parts, lists } = await read(`Item;MPN;Qty;Note\n${rows};;;\n;B-100;A/R;glue\n`)
    expect(parts).toContain('B-100')
    expect(lists[0]!.rows.at(-1)).toMatchObject({ quantity: null, isFitted: true })
  })

  test('a cell with more alternates than are kept of it is refused', async () => {
    const numbers = Array.from({ length: 120 }, (_, index) => `AB${index}-7700`).join(' / ')
    await expect(read(`MPN;Qty\nA-100;1\n${numbers};1\n`)).rejects.toMatchObject({
      message: expect.stringContaining('has part numbers beyond 1,000 characters'),
    })
  })

  test('a part that one variant has and another has not is fitted, and named', async () => {
    const headings = 'MPN;Qty;Variant A;Variant B'
    const { lists, warnings } = await read(
      `${headings}\nA-1;1;Not Fitted;Fitted\nA-2;1;Fitted;Fitted\nA-3;1;Not Fitted;Not Fitted\n`,
    )
    expect(lists[0]!.rows.map(({ isFitted }) => isFitted)).toEqual([true, true, false])
    expect(warnings).toMatchObject([{ kind: 'fitted', line: 2 }])
  })

  test.each([
    ['Fitted EU;Fitted US', ['yes;no', 'no;yes', 'no;no', 'yes;yes'], [true, true, false, true], [2, 3]],
    ['DNP EU;DNP US', ['yes;no', 'x;', ';', 'x;x'], [true, true, true, false], [2, 3]],
    ['DNP;Exclude from BOM', ['DNP;', 'DNP;Excluded', ';'], [false, false, true], []],
    ['DNP;DNP', ['x;', ';x', ';', 'x;x'], [true, true, true, false], [2, 3]],
    ['EU;US', ['DNP;', ';DNP', ';', 'DNP;DNP'], [true, true, true, false], [2, 3]],
    ['EU;US', ['x;DNP', 'x;x', 'x;x', 'x;x'], [true, true, true, true], [2]],
    ['EU;Foo', ['DNP;1.5', ';', ';', ';'], [false, true, true, true], []],
    ['EU;US;Note', ['DNP;;', ';DNP;', ';;DNP', ';;'], [true, true, false, true], [2, 3]],
  ])('a part is left out where all variants are without it: %s', async (headings, marks, fitted, warned) => {
    const rows = marks.map((mark, index) => `A-${index};1;${mark}\n`)
    const { lists, warnings } = await read(`MPN;Qty;${headings}\n${rows.join('')}`)
    expect(lists[0]!.rows.map(({ isFitted }) => isFitted)).toEqual(fitted)
    expect(warnings.map(({ kind, line }) => [kind, line])).toEqual(warned.map((line) => ['fitted', line]))
  })

  test('of quantities for several numbers of boards, that of one is read', async () => {
    const { lists } = await read('MPN;Qty-1;Qty-5;Qty-25\nA-1;20;100;500\nA-2;1;5;25\nA-3;2;10;50\n')
    expect(lists[0]!.rows.map(({ quantity }) => quantity)).toEqual([20, 1, 2])
  })

  test('words under a heading of part numbers are named', async () => {
    const { warnings } = await read(
      'bom_line_ids/product_id;Qty\nOberrohr;1\nSteuerrohr;1\nFettentferner A;10\n',
    )
    expect(warnings).toMatchObject([
      { kind: 'heading', message: expect.stringContaining('its values are words') },
    ])
  })

  test('a mark may stand beside the designators', async () => {
    const { lists } = await read(
      'Ref;MPN;Qty\nD1;A-1;1\nDNS D4;A-2;1\nDNS;A-3;1\nR7 (DNP);A-4;1\nDNP: R8, R9;A-5;2\nTP D4;A-6;1\n',
    )
    expect(lists[0]!.rows.map(({ isFitted }) => isFitted)).toEqual([true, false, false, false, false, true])
  })

  test('a description of which most are part numbers is named', async () => {
    const { lists } = await read(
      'Part No;Part Name;Qty\nANT-1;AT8010-E2R2HAA;1\nR0402-1K;0402WGJ0102TCE;1\nN-1;W25Q80BL;1\nN-2;front cover;1\n',
    )
    expect(lists[0]!.otherColumns).toEqual([{ column: 2, heading: 'Part Name', filled: 4 }])
  })

  test('none to order is no quantity: the part may be in stock', async () => {
    const { lists, warnings } = await read('MPN;Order Qty\nA-1;2\nA-2;0\nA-3;0 pcs\n')
    expect(lists[0]!.rows.map(({ quantity, isFitted }) => [quantity, isFitted])).toEqual([
      [2, true],
      [null, true],
      [null, true],
    ])
    expect(warnings).toMatchObject([
      { kind: 'quantity', line: 3, message: expect.stringContaining('in stock') },
      { kind: 'quantity', line: 4 },
    ])
  })

  test('a column that only its values show is named', async () => {
    const { parts, warnings } = await read('Serial;Qty\nA-1;2\nA-2;1\nB-7;1\n')
    expect(parts).toEqual(['A-1', 'A-2', 'B-7'])
    expect(warnings).toMatchObject([
      { kind: 'heading', line: 1, message: expect.stringContaining('column 1 "Serial"') },
    ])
  })

  test.each(['Placement', 'Load', 'Status', 'Comment'])('short marks below %s do', async (heading) => {
    const { lists } = await read(`MPN;Qty;${heading}\nA-1;2;\nA-2;1;NC\nA-3;1;n.b.\nA-4;1;SMD\n`)
    expect(lists[0]!.rows.map(({ isFitted }) => isFitted)).toEqual([true, false, false, true])
  })

  test.each([
    ['Codice', 'Codice alternativo'],
    ['料号', '替代料号'],
  ])('%s and %s are choices of the same line', async (part, alternate) => {
    const { lists } = await read(`${part};Qty;${alternate}\nA-1001;2;B-1001\nA-1002;1;\nA-1003;4;B-1003\n`)
    expect(lists[0]!.rows.map(({ alternates }) => alternates)).toEqual([['B-1001'], [], ['B-1003']])
  })

  test.each([
    [
      ['CH340C', '1206 / 0805', 'LM358'],
      ['CH340C', '1206 / 0805', 'LM358'],
    ],
    [
      ['CH340C', '1056 or CR1220-2', 'LM358'],
      ['CH340C', '1056', 'CR1220-2', 'LM358'],
    ],
  ])('%j are %j', async (cells, numbers) => {
    const { parts } = await read(`Qty;MPN\n${cells.map((cell) => `1;${cell}\n`).join('')}`)
    expect(parts).toEqual(numbers)
  })

  test('a maker in the place of the number of a row with too many cells is named', async () => {
    const rows = ['C1;10u;2;CL21A106', 'R1;5;1 k;YAGEO;RC0402FR-075K1L', 'R3;10k;2;RC0402FR-0710KL']
    const { parts, warnings } = await read(`Reference;Value;Qty;MPN\n${rows.join('\n')}\n`)
    expect(parts).toEqual(['CL21A106', 'RC0402FR-0710KL'])
    expect(warnings.map(({ kind, line }) => [kind, line])).toContainEqual(['columns', 3])
  })

  test('the heading of the numbers again, under another title, changes nothing', async () => {
    const rows = [
      '6;R 0603;;P20086CT-ND',
      '8;R 0805;;YAG1497CT-ND',
      'Power Supply;;;Digikey',
      '2;Trafo;;2469-AHI02528-ND',
    ]
    const { lists } = await read(`Anzahl;Bauteil;Bestellen Anzahl;Digikey\n${rows.join('\n')}\n`)
    expect(lists[0]!.rows.map(({ quantity }) => quantity)).toEqual([6, 8, 2])
  })

  test('a number without quantity and description is an alternate of the line above', async () => {
    const rows = [
      'Heat sink;1;110990048',
      ';;RPB1488H',
      'Switch;2;1825910-7',
      'LDO;;ADP3338',
      'Cap;1;CL21A106',
    ]
    const { lists } = await read(`Spec;Qty;Part#\n${rows.join('\n')}\n`)
    expect(lists[0]!.rows.map(({ alternates }) => alternates)).toEqual([['RPB1488H'], [], [], []])
  })

  test('a word between lines is a remark', async () => {
    expect(await taken('Qty;Part Number;Description', '2;A-1;x', ';Heatsink;', '3;A-3;y')).toEqual([
      ['A-1', 'A-3'],
      { remark: [3] },
    ])
  })

  test('a standard or a torque does not say that a part is not fitted', async () => {
    const { lists } = await read('MPN;Qty;Standard;Torque\nA-1;2;NF;NM\n')
    expect(lists[0]!.rows).toMatchObject([{ part: 'A-1', isFitted: true }])
  })
})

describe('what is below a list is not asked for', () => {
  test.each([
    ';Printed 2026-01-01 10:00;;',
    'Approved;Miller;;',
    'Prepared by;J. Smith;2026;',
    ';BOM Total:;5;',
    'Number of items;2;;',
    ';2026-01-01;;',
    'Checked;Date;Miller;',
    'File: C:\\boards\\a.sch;;;',
  ])('%s', async (row) => {
    const [parts, skipped] = (await taken(HEADINGS, '1;A-1;2;x', row)) as [unknown, Record<string, unknown>]
    expect(parts).toEqual(['A-1'])
    expect(Object.values(skipped)).toEqual([[3]])
  })

  test('the label of a day, where rows have their number and quantity', async () => {
    expect(await taken('MPN;Qty', 'A-100;1', 'A-200;2', 'Date:;2026-01-01')).toEqual([
      ['A-100', 'A-200'],
      { footer: [4] },
    ])
  })

  test('the approval of an Altium template, beside the number of parts', async () => {
    const headings = 'Footprint;Designator;Quantity;MPN'
    expect(await taken(headings, 'C0603;C1;1;A-100', ';;;', 'Approved;Notes;1;')).toEqual([
      ['A-100'],
      { footer: [4] },
    ])
  })

  test('headings with numbers, when they come again', async () => {
    const rows = ['Item;MPN 1;Qty 16', '1;A-1;2', '2;A-2;3', ';;', 'Item;MPN 1;Qty 16', '3;A-3;1']
    expect(await taken(...rows)).toEqual([['A-1', 'A-2', 'A-3'], { heading: [5] }])
  })

  test('another table, until the headings come again', async () => {
    const rows = [HEADINGS, '1;A-1;2;x', 'Rev;Date;Author;Description', 'A;2026-01-05;Miller;first']
    expect(await taken(...rows)).toEqual([['A-1'], { heading: [3], footer: [4] }])
    expect(await taken(...rows, HEADINGS, '2;A-2;3;y')).toEqual([
      ['A-1', 'A-2'],
      { heading: [3, 5], footer: [4] },
    ])
  })
})

test('a drawing or a customer in Japanese or Chinese is a placeholder', async () => {
  const rows = ['1;A-100;1', '2;図面参照;1', '3;支給品;1', '4;客供;1', '5;A-200;1']
  expect(await taken('Item;MPN;Qty', ...rows)).toEqual([['A-100', 'A-200'], { placeholder: [3, 4, 5] }])
})

test('a delimiter in the first line holds for the rows too', async () => {
  const { lists } = await read('sep=;\n"MPN";"Qty"\n"A;100";"2"\nA-200;3;more\n')
  expect(lists[0]).toMatchObject({ delimiter: ';', headingRow: 2, counts: { lines: 2 } })
  const other = await read('sep=,\nMPN;Qty\nA-100;2\nA-200;3\n')
  expect(other.parts).toEqual(['A-100', 'A-200'])
  const broken = 'sep=;\nItem;MPN;Qty\n1;A-100;2\n"2;A-200;3"\n3;A-300;4\n'
  await expect(read(broken)).rejects.toMatchObject({ message: expect.stringContaining('wholly in quotes') })
})

test('blank lines are no placeholders in a table without headings', async () => {
  await expect(read('\n\n  \n')).rejects.toMatchObject({
    message: 'bom.csv has no part numbers: it is empty',
  })
})

test('what is not known of the quantities is named', async () => {
  const { warnings } = await read('MPN;Qty\nA-100;1,500\nA-200;2,000\n')
  expect(warnings.map(({ message }) => message)).toEqual([
    'bom.csv:2: 1,500 (row 2), 2,000 (row 3) may have thousands or decimals: these quantities are unknown',
  ])
})

test('a first row that is only guessed to be a heading is named', async () => {
  expect(await taken('Zeug', 'A-1', 'A-2')).toEqual([['A-1', 'A-2'], { heading: [1] }])
})

test.each(['bom.txt', 'bom.csv'])('%s with columns of a fixed width is refused', async (name) => {
  const table =
    'Part     Value     Device       Package  MPN\n\nC1       100n      C-EUC0402    C0402    GRM155\nR1                 R-EU_R0402    R0402    RC0402\n'
  await expect(read(table, name)).rejects.toMatchObject({
    kind: 'usage',
    message: `${name} is a table with columns of a fixed width`,
  })
})

test('a unit in the heading of the quantities is theirs', async () => {
  const { lists } = await read('MPN;Quantity [kg]\nA-1;2\n')
  expect(lists[0]!.rows).toMatchObject([{ part: 'A-1', quantity: 2, unit: 'kg' }])
})

test('a row with more columns than any sheet has is refused', async () => {
  await expect(read(`MPN${','.repeat(20_000)}\nA-1\n`)).rejects.toMatchObject({
    kind: 'usage',
    message: 'bom.csv:1: the row has 20,001 columns, more than 16,384',
  })
})

/** The lines of a list as part, alternates and quantity. */
async function lines(...rows: readonly string[]): Promise<unknown> {
  const { lists } = await read(rows.map((row) => `${row}\n`).join(''))
  return lists[0]!.rows.map(({ part, alternates, quantity }) => [part, alternates, quantity])
}

describe('alternates of a line', () => {
  test('are in columns with a number, and in those that say so', async () => {
    expect(
      await lines(
        'Item;MPN 1;MPN 2;Alternate Part Number;Qty',
        '1;A-100;B-100;C-100;4',
        '2;;B-200;;2',
        '3;A-300;;;1',
      ),
    ).toEqual([
      ['A-100', ['B-100', 'C-100'], 4],
      ['B-200', [], 2],
      ['A-300', [], 1],
    ])
  })

  test('are in rows below without an item and a quantity', async () => {
    expect(await lines('Item;MPN;Qty', '1;GRM1555;4', ';C1005X;', ';CC0402;', '2;RC0402;2')).toEqual([
      ['GRM1555', ['C1005X', 'CC0402'], 4],
      ['RC0402', [], 2],
    ])
  })

  test('are not rows below where the list has no items', async () => {
    expect(await lines('MPN;Qty', 'GRM1555;4', 'C1005X;')).toEqual([
      ['GRM1555', [], 4],
      ['C1005X', [], null],
    ])
  })

  test.each([
    ['LM358DR / LM358D', ['LM358DR', 'LM358D']],
    ['576-2835-1-ND or ADP121-AUJZ28', ['576-2835-1-ND', 'ADP121-AUJZ28']],
    ['"LM358DR; LM358D"', ['LM358DR', 'LM358D']],
    ['LM358DR|LM358D', ['LM358DR', 'LM358D']],
    ['LM358DR (alt: LM358D)', ['LM358DR', 'LM358D']],
    ['"LM358DR, LM358D"', ['LM358DR', 'LM358D']],
    ['"LM358DR\nLM358D"', ['LM358DR', 'LM358D']],
    ['"TBD62781AFWG,EL"', ['TBD62781AFWG,EL']],
    ['"74LVC1G07GV,125"', ['74LVC1G07GV,125']],
    ['MB6060/M', ['MB6060/M']],
    ['LM358DR [LM358D]', ['LM358DR', 'LM358D']],
    ['"LMU6\n【LMC02-d6】\t\n"', ['LMU6', 'LMC02-d6']],
    ['"B6000ZZ\n[BAY6000ZZ]\t\n]"', ['B6000ZZ', 'BAY6000ZZ']],
    ['[BAL608ZZ-E-SUS]', ['BAL608ZZ-E-SUS']],
    ['LM358DR [obsolete]', ['LM358DR [obsolete]']],
    ['"Capacitor_0,1u_10_50V_X7R"', ['Capacitor_0,1u_10_50V_X7R']],
    ['LM358DR / eBay', ['LM358DR']],
    ['TLP291(GB', ['TLP291(GB']],
    ['"Cable USB 3.0, 8 m"', ['Cable USB 3.0, 8 m']],
    ['"PZ254R\n-11-10P"', ['PZ254R-11-10P']],
  ])('of the cell %j are %j', async (cell, [part, ...alternates]) => {
    expect(await lines('Item;MPN;Qty', `1;${cell};4`, '2;AB-200;1', '3;AB-300;1')).toEqual([
      [part, alternates, 4],
      ['AB-200', [], 1],
      ['AB-300', [], 1],
    ])
  })
})

test.each([
  'same as item 1',
  '最大32GBytesまで',
  '呼び径65',
  't=8mm、85Φ',
  'セメダインスーパーX',
  'base_fisheye_part1.stl',
  '3D Printed in PETG',
  '100V+ Schottky',
  '40mm 12V tach fan',
  'No tantalum, tolerance 20 % or better',
  'https://www.example.com/part',
  'Use whatever is left in the drawer',
  'Adhesive from drawer 7 below',
  '=A1',
  "='Sheet 2'!B7",
  '=SVERWEIS(A2;B:C;2)',
  '4400mah',
  '10%',
  '±0.5 %',
  'Capacitor (330)',
  'Inductor (5e-06H)',
  'Capacitor (34..110)',
  'CAP 8pF 50V 0402(1005)',
  'PinHeader_1x02_P2.54mm_Vertical',
  'Conn_01x08_Male',
  '(specify rating)',
  'CT (specify ratio e.g., 50A:50mA)',
])('%j in place of a part number is a remark', async (cell) => {
  expect(await taken('Item;MPN;Qty', '1;A-100;1', `2;"${cell}";1`, '3;A-300;1', '4;A-400;1')).toEqual([
    ['A-100', 'A-300', 'A-400'],
    { remark: [3] },
  ])
})

test.each([
  '9600K25',
  '78M05',
  '317M',
  '1729173R',
  '3M 5302',
  '2W METALL 56',
  '1N4148',
  'X7R-5 100N',
  '435A',
  'SMD1206R500SF',
  'Header-Male-2.54_1x1',
  'CM7V-T1A 32.768kHz 7pF +/-10ppm TA QC',
])('%j is a part number', async (cell) => {
  const list = ['Item;MPN;Qty', '1;A-100;1', `2;${cell};1`, '3;A-300;1', '4;A-400;1']
  expect(await taken(...list)).toEqual([['A-100', cell, 'A-300', 'A-400'], {}])
})

test.each(['08-01-1638B-保护膜', '格氏4s5300mah30C', 'ＳＢ６１２Ａ', 'M3X4-A2'])(
  '%j is a part number',
  async (part) => {
    const [parts] = (await taken('Item;MPN;Qty', '1;A-100;1', `2;${part};1`, '3;A-300;1', '4;A-400;1')) as [
      unknown,
    ]
    expect(parts).toContain(part)
  },
)

test.each(['Obsolete', 'Discontinued', 'Any', 'already have them', 'in stock'])(
  '%j is a placeholder',
  async (text) => {
    expect(await taken('Item;MPN;Qty', '1;A-100;1', `2;${text};1`, '3;A-300;1')).toEqual([
      ['A-100', 'A-300'],
      { placeholder: [3] },
    ])
  },
)

test.each([
  ['SKU: DFR0339', 'DFR0339'],
  ['Ref: MTRR110RPM-A', 'MTRR110RPM-A'],
  ['Farnell order code 2310668', '2310668'],
  ['RS Stock No. 758-2001', '758-2001'],
  ['FARNELL 2320856', '2320856'],
  ['3287528 (Farnell)', '3287528'],
])('the label of %j is no part of the number', async (cell, part) => {
  const [parts] = (await taken('Item;Supplier Ref;Qty', '1;A-100;1', `2;${cell};1`, '3;A-300;1')) as [unknown]
  expect(parts).toEqual(['A-100', part, 'A-300'])
})

test('four words among numbers are named, a colon among them or not', async () => {
  const { warnings } = await read(
    'Component,MPN,Qty\nIMU,BNO085 ADA4754,1\nFlow,PMW3901,1\nOptic,Gravity: UART Fiber Optic,2\nFC,Teensy 4.1,1\nESC,500780583A2,1\nMotor,2212 920kV,1\n',
  )
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('requested: Gravity: UART Fiber Optic (row 4)'),
  )
})

test('a part above the headings is named', async () => {
  const { parts, warnings } = await read('BAT54S,1,x\nPart Number,Qty,Desc\nLM358DR,1,a\nTPS62130RGTR,2,b\n')
  expect(parts).toEqual(['LM358DR', 'TPS62130RGTR'])
  expect(warnings).toMatchObject([
    { message: 'bom.csv:2: row 1 above the headings looks like a part, and is not read' },
  ])
})

test('rows of a clean list are lines of their own', async () => {
  const { lists } = await read(
    'Requested Part Number,Own Part Number,Quantity,Unit,Level,Item,Reference Designator,Description,Manufacturer,Fitted\nA-100,,1,,,,,a,,\nB-100,,,,,,,,,\nRev,,,,,,,,,\n',
  )
  expect(lists[0]!.rows.map(({ part, alternates }) => [part, alternates])).toEqual([
    ['A-100', []],
    ['B-100', []],
    ['Rev', []],
  ])
})

test.each(['TDA 7266', 'RS 15-12', 'Model 3B', 'Type 2', 'LED 3MM 2MA GN'])(
  '%j has no label',
  async (part) => {
    const [parts] = (await taken('Item;MPN;Qty', '1;A-100;1', `2;${part};1`, '3;A-300;1')) as [unknown]
    expect(parts).toContain(part)
  },
)

test('a row below the headings that explains them is no further table', async () => {
  const { lists } = await read(
    'Part_ID,SKU,Price,Description\nUnique ID,Inventory SKU code,Price in USD,Text\nwb-1130,WB-1131,299,x\nmotor-a-1330,MOT-A-1331,300,y\n',
  )
  expect(lists[0]!.rows.map(({ part }) => part)).toEqual(['wb-1130', 'motor-a-1330'])
})

test('words alone in their row, in a list with quantities, are no part', async () => {
  const rows = [
    '1;A-100;;Nut;1',
    '2;A-200;1;Nut;2',
    ';Other Electronics;;;35',
    ';Platform;;;20',
    '3;Bracket;1;x;5',
  ]
  expect(await taken('Item;Supplier Part;Qty;Description;Weight', ...rows)).toEqual([
    ['A-100', 'A-200', 'Bracket'],
    { remark: [4, 5] },
  ])
})

test('two words that could be headings are none in a list that has five', async () => {
  const headings = 'Item;Manufacturer Part Number;Quantity;Description;Manufacturer'
  const rows = ['1;A-100;1;Nut;Acme', ';;;Level;Unit', '3;A-300;1;Nut;Acme']
  expect(await taken(headings, ...rows)).toEqual([['A-100', 'A-300'], { 'no part number': [3] }])
})

test('a remark is quoted as it stands in the list, a long one in part', async () => {
  const remark = 'Adhesive  from drawer 7 below'
  const long = `${remark}, ${'or whatever is left in it, '.repeat(9)}`
  const rows = ['Item;MPN;Qty', '1;A-100;1', `2;${remark};1`, `3;${long};1`, '4;A-400;1', '']
  const { lists } = await read(rows.join('\n'))
  expect(lists[0]!.skipped).toMatchObject([
    { kind: 'remark', rows: [3, 4], values: [remark, `${long.replace('  ', ' ').slice(0, 199)}…`] },
  ])
})

test('a further table is read by its own headings, one without part numbers is not', async () => {
  const rows = [
    'Item;MPN;Qty',
    '1;A-100;1',
    '2;A-200;2',
    '',
    'Part Number;Description;Quantity',
    'B-100;x;3',
    '',
    'Tool;Supplier;Price',
    'Iron;Weller;100',
  ]
  expect(await lines(...rows)).toEqual([
    ['A-100', [], 1],
    ['A-200', [], 2],
    ['B-100', [], 3],
  ])
})

test('a further table may have its headings in another order', async () => {
  expect(
    await lines('Item;MPN;Qty', '1;A-100;2', '2;A-200;1', 'Qty;MPN;Item', '5;B-100;1', '7;B-200;2'),
  ).toEqual([
    ['A-100', [], 2],
    ['A-200', [], 1],
    ['B-100', [], 5],
    ['B-200', [], 7],
  ])
})

test('a table above one with better headings is read too', async () => {
  const below = ['Pos;Description;Qty;Part Number;Manufacturer', '1;Screw;4;B-100;x', '2;Nut;5;B-200;x']
  expect(await lines('Item;Part Number;Qty', '1;A-100;2', '', 'Mechanics', ...below)).toEqual([
    ['A-100', [], 2],
    ['B-100', [], 4],
    ['B-200', [], 5],
  ])
})

test('a further table has only the alternates, marks and numbers that its own headings name', async () => {
  const { lists } = await read(
    [
      'Item;MPN;MPN 2;Qty',
      '1;A-100;A-101;1',
      '2;A-200;;2',
      '',
      'Item;MPN;Description;Qty;DNP',
      '3;B-100;X-900;3;',
      '4;B-200;X-901;4;x',
      '',
      'Artikelnummer;Menge [kg]',
      'C-100;2',
    ].join('\n'),
  )
  expect(
    lists[0]!.rows.map(({ part, alternates, unit, isFitted }) => [part, alternates, unit, isFitted]),
  ).toEqual([
    ['A-100', ['A-101'], '', true],
    ['A-200', [], '', true],
    ['B-100', [], '', true],
    ['B-200', [], '', false],
    ['C-100', [], 'kg', true],
  ])
})

test('a row of headings is no part where it is not the first', async () => {
  const rows = ['A-100;1;red', 'A-200;2;red', 'Part Number;Qty;Description', 'B-100;3;red']
  await expect(read(`${rows.join('\n')}\n`)).rejects.toMatchObject({
    message: expect.stringContaining('no row of headings is found'),
    details: { options: ['parts-column 1'] },
  })
  const { parts } = await read(`${rows.join('\n')}\n`, 'bom.csv', '1')
  expect(parts).toEqual(['A-100', 'A-200', 'B-100'])
})

test('names and dates below a list are not asked for', async () => {
  const rows = Array.from({ length: 12 }, (_, index) => `${index + 1};A-${index}00;1`)
  const [parts] = (await taken('Item;MPN;Qty', ...rows, '', ';J.Smith2;', ';QA-Dept;')) as [string[]]
  expect(parts).toHaveLength(12)
})

test.each(['"Item,MPN,Qty"\n"1,PN-1,4"\n"2,PN-2,1"\n', 'Item,MPN,Qty\n1,PN-1,4\n"2,PN-2,1"\n3,PN-3,1\n'])(
  'lines wholly in quotes are refused: %j',
  async (text) => {
    await expect(read(text)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/wholly in quotes/),
    })
  },
)

test.each([
  '├── A-1\n│   └── B-2\n└── C-3\n',
  'https://www.example.com/a\nhttps://www.example.com/b\n',
  '100uf capacitor electrolytic\n1k resistor\n10k resistor\n1N4148 diode\n',
  '1 Sensor Mount (3D Print)\n1 Enclosure Box for it\n1 Slide Switch with a knob\n1 Some more things\n',
])('a text that is no list is refused: %j', async (text) => {
  await expect(read(text, 'bom.txt')).rejects.toMatchObject({ kind: 'usage' })
})

test('an unknown mark in a column of fitted parts is named once', async () => {
  const { lists, warnings } = await read(
    'MPN;Qty;Fitted\nA-100;1;yes\nA-200;1;OPTION\nA-300;1;OPTION\nA-400;1;NI\n',
  )
  expect(lists[0]!.rows.map(({ isFitted }) => isFitted)).toEqual([true, true, true, false])
  expect(warnings.map(({ message }) => message)).toEqual([
    'bom.csv:3: "OPTION" in column "Fitted" is not known as a mark: read as fitted',
  ])
})

describe('foreign text of any length', () => {
  test.each([
    ['a quantity', `MPN,Qty\nA-100,${'1 '.repeat(20_000)}\nA-200,1\n`],
    ['a quantity of spaces', `MPN,Qty\nA-100,"1${' '.repeat(40_000)}x"\nA-200,1\n`],
    ['a description', `MPN,Description,Qty\nA-100,${'a b '.repeat(20_000)},1\nA-200,x,1\n`],
    ['a heading', `MPN,${'Part '.repeat(20_000)},Qty\nA-100,x,1\nA-200,x,1\n`],
    ['a designator', `MPN,Ref,Qty\nA-100,"${'R1, '.repeat(20_000)}",1\nA-200,x,1\n`],
  ])('%s does not hold up the list', async (_, text) => {
    const { parts } = await read(text)
    expect(parts).toEqual(['A-100', 'A-200'])
  })

  test('as a part number is named, and not asked for', async () => {
    const { parts, lists } = await read(`MPN,Qty\nA-100,1\n${'B-'.repeat(20_000)},1\nA-300,1\n`)
    expect(parts).toEqual(['A-100', 'A-300'])
    expect(lists[0]!.skipped).toMatchObject([{ kind: 'remark', count: 1, rows: [3] }])
  })
})

test('blanks of any kind and marks of direction around a number are no part of it', async () => {
  const { parts, warningCount } = await read(
    'MPN,Qty\n\u00a0GRM155R71\u00a0,1\n\u200eNCP551SN31T1G\u200e ,2\n',
  )
  expect([parts, warningCount]).toEqual([['GRM155R71', 'NCP551SN31T1G'], 0])
})

test('the name of a shop is no part number', async () => {
  expect(await taken(HEADINGS, '1;A-100;1;x', '2;eBay;1;x', '3;Digi-Key;1;x')).toEqual([
    ['A-100'],
    { remark: [3, 4] },
  ])
})

test('a date beside a page number is no part', async () => {
  expect(await taken('MPN;Description', 'A-100;x', 'A-200;x', '26.11.2026;Page 1 of 2')).toEqual([
    ['A-100', 'A-200'],
    { footer: [4] },
  ])
})
