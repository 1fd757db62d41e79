import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isFailure } from '../../src/base/failure.ts'
import { type Notice, SILENT } from '../../src/base/notice.ts'
import type { PartsResult } from '../../src/parts/parts-result.ts'
import { type PartsRead, readParts } from '../../src/parts/read-parts.ts'
import { readNumberFormat } from '../../src/parts/sheet-rows.ts'
import { shownParts } from '../support/parts.ts'
import { seeded } from '../support/seeded.ts'
import { soakTest, sweep } from '../support/soak.ts'
import { type Cell, formula, sheetXml, workbookOf } from '../support/workbook.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { extraField, type ZipEntry, zip } from '../support/zip.ts'

async function readWorkbook(bytes: Buffer, column?: string, name = 'bom.xlsx'): Promise<PartsRead> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, name), bytes)
    return readParts(
      testWorld({ cwd: folder }),
      { parts: [], files: [name], columns: { part: column }, strict: false },
      SILENT,
    )
  })
}

function workbook(rows: readonly (readonly Cell[])[]): Buffer {
  return workbookOf({ Sheet1: sheetXml(rows) })
}

/**
 * A workbook of one sheet with this inside, after a hidden one if given. Style 1 shows numbers with five digits, 2 as
 * `000-0000`, 3 in scientific notation.
 */
function rawWorkbook(rows: string, hiddenRows?: string): Buffer {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
  const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const relation = (id: string, type: string, target: string, others = ''): string =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="${id}" Type="${relations}/${type}" Target="${target}"/>${others}</Relationships>`
  const sheet = (inside: string): string => `<worksheet ${main}><sheetData>${inside}</sheetData></worksheet>`
  const hidden = hiddenRows === undefined ? '' : '<sheet name="Old" sheetId="2" state="hidden" r:id="r8"/>'
  return zip([
    { name: '[Content_Types].xml', data: '<Types/>' },
    { name: '_rels/.rels', data: relation('r1', 'officeDocument', 'xl/workbook.xml') },
    {
      name: 'xl/workbook.xml',
      data: `<workbook ${main} xmlns:r="${relations}"><sheets>${hidden}<sheet name="Parts" sheetId="1" r:id="r7"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: relation(
        'r7',
        'worksheet',
        'worksheets/sheet9.xml',
        hidden && `<Relationship Id="r8" Type="${relations}/worksheet" Target="worksheets/sheet8.xml"/>`,
      ),
    },
    {
      name: 'xl/styles.xml',
      data: `<styleSheet ${main}><numFmts count="2"><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="000-0000"/></numFmts><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165"/><xf numFmtId="11"/></cellXfs></styleSheet>`,
    },
    { name: 'xl/worksheets/sheet8.xml', data: sheet(hiddenRows ?? '') },
    { name: 'xl/worksheets/sheet9.xml', data: sheet(rows) },
  ])
}

describe('workbooks', () => {
  test('have numbers without binary noise and exponents', async () => {
    const values = [
      '0.30000000000000004',
      '1E+21',
      '1.5E-7',
      '1E-3',
      '0.1',
      '1234567890123456',
      '2.50',
      '0.000001',
      ...['10000000001', '10000000002', '10000000003', '10000000004'],
    ]
    const cells = values.map((value) => `<row><c><v>${value}</v></c></row>`).join('')
    const { lists } = await readWorkbook(rawWorkbook(`<row><c t="str"><v>Part Number</v></c></row>${cells}`))
    const { parts } = await readWorkbook(rawWorkbook(`<row><c t="str"><v>Part Number</v></c></row>${cells}`))
    expect(lists).toHaveLength(1)
    expect(parts).toEqual([
      '0.3',
      '1000000000000000000000',
      '0.000000150000',
      '0.001',
      '0.1',
      '1234567890123456',
      '2.5',
      '0.000001',
      ...['10000000001', '10000000002', '10000000003', '10000000004'],
    ])
  })

  test('are read from the column whose heading says part number, with all characters', async () => {
    const bytes = workbook([
      ['Bill of materials'],
      [],
      ['Pos', 'Part Number'],
      ['1', 'A&B <1> "x"'],
      ['2', ' Ü-2 '],
      ['3', '00123'],
      ['4', 'A,B'],
    ])
    expect((await readWorkbook(bytes)).parts).toEqual(['A&B <1> "x"', 'Ü-2', '00123', 'A,B'])
  })

  test('keep every digit of a number, and warn of what is not text', async () => {
    const bytes = workbook([
      ['MPN'],
      [4711],
      [123456789012345],
      [1.5],
      [1e21],
      [{ xml: '<c t="d"><v>2026-03-01T00:00:00Z</v></c>' }],
      [{ xml: '<c t="b"><v>1</v></c>' }],
    ])
    const read = await readWorkbook(bytes)
    expect(read.parts).toEqual(['4711', '123456789012345', '1.5', '1000000000000000000000', '2026-03-01'])
    expect(read.warnings.map(({ line, kind }) => [line, kind])).toEqual([
      [undefined, 'skipped'],
      [4, 'number'],
      [5, 'number'],
      [6, 'date'],
    ])
    expect(read.lists[0]!.skipped).toEqual([
      { kind: 'placeholder', count: 1, first: [{ line: 7, value: 'TRUE' }] },
    ])
  })

  test('count rows without a part number', async () => {
    const bytes = workbook([['MPN', 'Name'], ['A', 'a'], [undefined, 'b'], [], ['C', 'c']])
    const read = await readWorkbook(bytes)
    expect(read.parts).toEqual(['A', 'C'])
    expect(read.lists[0]!.skipped).toEqual([
      { kind: 'no part number', count: 1, first: [{ line: 3, value: '' }] },
    ])
  })

  test('may have the list on a later sheet', async () => {
    const bytes = workbookOf({
      Cover: sheetXml([['Cover', 'page']]),
      Parts: sheetXml([
        ['x', 'P/N'],
        ['1', 'A'],
      ]),
    })
    expect((await readWorkbook(bytes)).parts).toEqual(['A'])
  })

  test('with a row that is wider than its headings have no warning: no quotation mark is missing', async () => {
    const rows = [
      ['Name', 'MPN'],
      ['x', 'AB-101'],
      ['y', 'AB-202', 'C', 'D'],
      ['z', 'AB-303'],
    ]
    const read = await readWorkbook(workbook(rows))
    expect(read.parts).toEqual(['AB-101', 'AB-202', 'AB-303'])
    expect(read.warnings).toEqual([])
  })

  test('a column can be named or numbered', async () => {
    const bytes = workbook([
      ['a', 'b'],
      ['1', '2'],
    ])
    expect((await readWorkbook(bytes, 'B')).parts).toEqual(['2'])
    expect((await readWorkbook(bytes, '1')).parts).toEqual(['a', '1'])
  })

  test('are read as shown, with errors and leading zeros', async () => {
    const read = await readWorkbook(
      rawWorkbook(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>Part No</t></is></c></row>' +
          '<row r="2"><c r="A2" s="1"><v>123</v></c></row>' +
          '<row r="3"><c r="A3" t="e"><f>VLOOKUP(1,B:C,2)</f><v>#N/A</v></c><c r="B3"><v>1</v></c></row>' +
          '<row r="4"><c r="A4"><v>456</v></c></row>' +
          '<row r="6"><c t="e" r="A6"><v>#REF!</v></c></row>',
      ),
    )
    expect(read.parts).toEqual(['00123', '456'])
    expect(read.lists[0]!.skipped).toMatchObject([
      { kind: 'placeholder', first: [{ value: '#N/A' }, { value: '#REF!' }] },
    ])
    expect(read.warnings.map(({ line, kind }) => [line, kind])).toEqual([
      [undefined, 'skipped'],
      [2, 'number'],
      [4, 'leading-zeros'],
    ])
  })

  test('are read as their number format shows them, with a warning', async () => {
    const read = await readWorkbook(
      rawWorkbook(
        '<row r="1"><c r="A1" t="inlineStr"><is><t>MPN</t></is></c></row>' +
          '<row r="2"><c r="A2" s="2"><v>1234567</v></c></row>' +
          '<row r="3"><c r="A3" s="3"><v>100000</v></c></row>',
      ),
    )
    expect(read.parts).toEqual(['123-4567', '100000'])
    expect(read.warnings.map(({ line, kind }) => [line, kind])).toEqual([
      [2, 'number'],
      [3, 'number'],
    ])
  })

  test('with formulas without saved results are a mistake, since parts would be lost silently', async () => {
    const bytes = rawWorkbook(
      '<row r="1"><c r="A1" t="inlineStr"><is><t>MPN</t></is></c></row>' +
        '<row r="2"><c r="A2" t="str"><f>B2</f><v>A-1</v></c></row>' +
        '<row r="3"><c r="A3" t="str"><f>B3</f><v></v></c></row>' +
        '<row r="4"><c r="A4"><f>B4</f><v></v></c></row>',
    )
    await expect(readWorkbook(bytes)).rejects.toMatchObject({
      kind: 'usage',
      message: 'bom.xlsx:4: the cell in column "MPN" has a formula without its result',
      hint: expect.stringContaining('calculate it'),
    })
  })

  test('with a hidden first sheet are read from the first visible one', async () => {
    const row = (part: string): string =>
      `<row r="1"><c r="A1" t="inlineStr"><is><t>MPN</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>${part}</t></is></c></row>`
    expect((await readWorkbook(rawWorkbook(row('NEW'), row('OLD')))).parts).toEqual(['NEW'])
  })

  test('that unpack to too much are refused before they are unpacked', async () => {
    const huge = zip([
      { name: 'xl/workbook.xml', data: 'x', central: { bytes: 2 ** 31 }, local: { bytes: 2 ** 31 } },
    ])
    await expect(readWorkbook(huge)).rejects.toMatchObject({
      kind: 'usage',
      message: 'bom.xlsx unpacks to 2.0 GiB, too much for a workbook',
    })
  })

  test.each([
    ['text', Buffer.from('A\nB\n'), 'bom.xlsx is not an Excel workbook'],
    ['nothing', Buffer.alloc(0), 'bom.xlsx is not an Excel workbook'],
    [
      'an old workbook',
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]),
      'bom.xlsx is an Excel workbook with a password, or an old one (.xls)',
    ],
    [
      'a broken ZIP',
      Buffer.from('PK\u0003\u0004 and no more'),
      'bom.xlsx cannot be read as an Excel workbook',
    ],
  ])('that are %s are a mistake', async (_, bytes, message) => {
    await expect(readWorkbook(bytes)).rejects.toMatchObject({ kind: 'usage', message })
  })

  test('without a part number column are a mistake that names the headings', async () => {
    const bytes = workbook([
      ['Pos', 'Name'],
      ['1', 'A'],
    ])
    await expect(readWorkbook(bytes)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('no heading in row 1 says part number'),
      details: expect.objectContaining({ problems: ['2 "Name": A', '1 "Pos": 1'] }),
    })
  })

  test('are a mistake wherever they are truncated', async () => {
    const bytes = workbook([['MPN'], ...Array.from({ length: 50 }, (_, index) => [`PN-${index}`])])
    for (let end = 4; end < bytes.length; end += sweep(149, 37)) {
      await expect(readWorkbook(bytes.subarray(0, end)), `cut at ${end}`).rejects.toMatchObject({
        kind: 'usage',
      })
    }
  })
})

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'

/** A workbook of sheets with these contents; cells hold their text themselves. */
function sheetsOf(sheets: Readonly<Record<string, string>>, entry: Partial<ZipEntry> = {}): Buffer {
  const names = Object.keys(sheets)
  const list = names.map((name, index) => `<sheet name="${name}" r:id="r${index}"/>`).join('')
  const relations = names.map(
    (_, index) => `<Relationship Id="r${index}" Type="t/worksheet" Target="worksheets/sheet${index}.xml"/>`,
  )
  return zip([
    { name: 'xl/workbook.xml', data: `<workbook ${MAIN}><sheets>${list}</sheets></workbook>` },
    { name: 'xl/_rels/workbook.xml.rels', data: `<Relationships>${relations.join('')}</Relationships>` },
    ...Object.values(sheets).map((inside, index) => ({
      name: `xl/worksheets/sheet${index}.xml`,
      data: `<worksheet ${MAIN}>${inside}</worksheet>`,
      ...entry,
    })),
  ])
}

function row(line: number, cells: Readonly<Record<string, string>>, attributes = ''): string {
  const inside = Object.entries(cells).map(
    ([column, value]) => `<c r="${column}${line}" t="inlineStr"><is><t>${value}</t></is></c>`,
  )
  return `<row r="${line}" ${attributes}>${inside.join('')}</row>`
}

const TABLE = [
  row(1, { A: 'Item', B: 'MPN', C: 'Qty' }),
  row(2, { A: '1', B: 'A-100', C: '4' }),
  row(3, { A: '2', B: 'A-200', C: '2' }, 'hidden="1"'),
  row(4, { A: '3', B: 'A-300', C: '1' }),
].join('')

async function shown(
  bytes: Buffer,
  sheet?: string,
): Promise<{ result: PartsResult; notices: readonly string[] }> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, 'bom.xlsx'), bytes)
    const notices: string[] = []
    const reporter = { ...SILENT, notice: ({ message }: Notice) => void notices.push(message) }
    const input = { parts: [], files: ['bom.xlsx'], sheet, strict: false }
    return { result: await shownParts(testWorld({ cwd: folder }), input, reporter), notices }
  })
}

describe('a sheet', () => {
  test('that hides a column of alternates or of notes says so', async () => {
    const cols = '<cols><col min="2" max="4" hidden="1"/></cols>'
    const rows = sheetXml([
      ['MPN 1', 'MPN 2', 'Notes', 'Price'],
      ...LIST.map((part) => [part, `${part}-ALT`, 'x', 1]),
    ])
    const { notices } = await shown(workbookOf({ S: rows.replace('<sheetData>', `${cols}<sheetData>`) }))
    expect(notices).toContain('bom.xlsx: columns are read although the sheet hides them: "MPN 2", "Notes"')
  })

  test('with hidden rows and columns that are read says so', async () => {
    const cols = '<cols><col min="2" max="3" hidden="1"/></cols>'
    const { result, notices } = await shown(sheetsOf({ S: `${cols}<sheetData>${TABLE}</sheetData>` }))
    expect(result.parts).toEqual(['A-100', 'A-200', 'A-300'])
    expect(notices).toContain('bom.xlsx: 1 row read although the sheet hides it (row 3)')
    expect(notices).toContain('bom.xlsx: columns are read although the sheet hides them: "MPN", "Qty"')
  })

  test('with rows and columns of no size hides them', async () => {
    const cols =
      '<cols><col min="2" max="2" width="0" customWidth="1"/><col min="3" max="3" width="9"/></cols>'
    const rows = TABLE.replace('<row r="2"', '<row r="2" ht="0" customHeight="1"').replace(
      ' hidden="1"',
      ' ht="15"',
    )
    const { notices } = await shown(sheetsOf({ S: `${cols}<sheetData>${rows}</sheetData>` }))
    expect(notices).toContain('bom.xlsx: 1 row read although the sheet hides it (row 2)')
    expect(notices).toContain('bom.xlsx: columns are read although the sheet hides them: "MPN"')
  })

  test('with merged cells has their value in each row', async () => {
    const rows = [
      row(1, { A: 'Item', B: 'Manufacturer', C: 'MPN', D: 'Qty' }),
      row(2, { A: '1', B: 'Murata', C: 'A-100', D: '4' }),
      row(3, { A: '2', C: 'A-200', D: '2' }),
      row(4, { A: '3', B: 'TDK', C: 'A-300', D: '1' }),
      row(5, { C: 'B-300' }),
    ]
    const merged =
      '<mergeCells><mergeCell ref="B2:B3"/><mergeCell ref="A4:A5"/><mergeCell ref="D4:D5"/></mergeCells>'
    const { result } = await shown(sheetsOf({ S: `<sheetData>${rows.join('')}</sheetData>${merged}` }))
    expect(result.lists[0]!.rows.map((line) => [line.part, line.manufacturer, line.alternates])).toEqual([
      ['A-100', 'Murata', []],
      ['A-200', 'Murata', []],
      ['A-300', 'TDK', ['B-300']],
    ])
  })

  test('with a heading that is merged with the row below it has no number there', async () => {
    const rows = [
      ['Item', 'MPN', 'Qty'],
      ['1', '', '2'],
      ['2', 'LM358DR', '1'],
    ]
    const { result } = await shown(
      sheetsOf({ S: sheetXml(rows, '<mergeCells><mergeCell ref="B1:B2"/></mergeCells>') }),
    )
    expect(result.parts).toEqual(['LM358DR'])
  })

  soakTest(
    'whose rows have a value far to the right of the list are refused before they fill the disk',
    async () => {
      const row = (line: number): string =>
        `<row r="${line}"><c r="A${line}" t="inlineStr"><is><t>AB-${line}</t></is></c><c r="XFD${line}"><v>1</v></c></row>`
      const rows = Array.from({ length: 4200 }, (_, index) => row(index + 1)).join('')
      await expect(readWorkbook(rawWorkbook(rows))).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringMatching(/has values as far to the right as column 16,384 of row 4,\d\d\d/),
      })
    },
  )

  test('shows nothing of what merged cells hide', async () => {
    const rows = [
      ['RefDes', 'MPN', 'Qty', 'Description'],
      ['J1', '839-1514-ND', 1, 'Jack'],
      ['McMaster', '1460-1297-ND', 3, 'pigtail'],
      ['J2', '94459A110', 4, 'insert'],
      ['J3', '94459A111', 4, 'insert'],
    ]
    const merged = '<mergeCells><mergeCell ref="A3:D3"/><mergeCell ref="B4:B5"/></mergeCells>'
    const { result } = await shown(sheetsOf({ S: sheetXml(rows, merged) }))
    expect(result.parts).toEqual(['839-1514-ND', '94459A110'])
  })

  test('with values beneath merged cells names those in columns that are read', async () => {
    const rows = [
      ['MPN', 'Alternate', 'Qty', 'Remark'],
      ['LM358DR', '', 1, 'a'],
      ['BAT54S', '', 2, 'b'],
      ['TPS62130RGTR', 'LM324N', 3, 'c'],
      ['', 'GRM155R71C104KA88D'],
      ['1N4148W', '', 4, 'd'],
      ['1N4148W', '', 5, 'e'],
    ]
    const refs = ['A2:A3', 'A4:B4', 'A5:B5', 'A6:A7', 'D2:D3']
    const merged = `<mergeCells>${refs.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`
    const { result, notices } = await shown(sheetsOf({ S: sheetXml(rows, merged) }))
    expect(result.parts).toEqual(['LM358DR', 'TPS62130RGTR', 'GRM155R71C104KA88D', '1N4148W'])
    expect(notices).toContain(
      'bom.xlsx: 2 rows have a value beneath a merged cell, in a column of part numbers (rows 3, 4): it is not read, as no program shows it',
    )
    expect(result.lists[0]!.account.cells.named).toContainEqual({
      reason: 'beneath a merged cell',
      count: 2,
      places: ['row 3', 'row 4'],
    })
  })

  test('with a number merged over two rows has it once, and the second row is named', async () => {
    const rows = [
      row(1, { A: 'Index', B: 'Quantity', C: 'Part Number', D: 'Availability' }),
      row(2, { A: '1', B: '2', C: '4816P-1-103LFCT-ND', D: 'Stock' }),
      row(3, { D: 'Immediate' }),
      row(4, { A: '2', B: '1', C: '311-100KGRCT-ND', D: 'Stock' }),
    ]
    const merged = '<mergeCells><mergeCell ref="C2:C3"/></mergeCells>'
    const { result } = await shown(sheetsOf({ S: `<sheetData>${rows.join('')}</sheetData>${merged}` }))
    const [list] = result.lists
    expect(list!.rows.map((line) => [line.part, line.alternates])).toEqual([
      ['4816P-1-103LFCT-ND', []],
      ['311-100KGRCT-ND', []],
    ])
    expect(list!.skipped).toMatchObject([{ kind: 'repetition', count: 1, rows: [3] }])
    expect(list!.counts).toMatchObject({ rows: 3, lines: 2, alternates: 0, skipped: 1 })
  })

  test('has more numbers than one whose headings say more', async () => {
    const bom = Array.from({ length: 20 }, (_, at): Cell[] => [
      '1',
      `C${at}`,
      '1u',
      'Murata',
      `GRM188R71C${at}05K`,
    ])
    const sparse = Array.from({ length: 14 }, (_, at): Cell[] =>
      at < 3
        ? [
            '1',
            '1u',
            `C${at}`,
            `490-17${at}-1-ND`,
            'Murata',
            'TDK',
            `GRM188R71C${at}05K`,
            `GRM188R71C${at}05K`,
            '',
          ]
        : ['1', '10k', `R${at}`],
    )
    const { result } = await shown(
      workbookOf({
        Export: sheetXml([
          [
            'Qty',
            'Value',
            'Parts',
            'DIGIKEY',
            'MANUF1',
            'MANUF2',
            'MANUFACTURER_PART_NUMBER',
            'MPN1',
            'MPN2',
          ],
          ...sparse,
        ]),
        BOM: sheetXml([['Qty', 'RefDes', 'Value', 'Manuf', 'MPN\nHighlighted=No Sub'], ...bom]),
      }),
    )
    expect(result.lists[0]).toMatchObject({ sheet: 'BOM', otherSheets: [{ name: 'Export', parts: 3 }] })
  })

  test('named as a list comes before one of quotes or purchases', async () => {
    const rows = (count: number): readonly (readonly Cell[])[] => [
      ['Item', 'Part Number', 'Qty'],
      ...Array.from({ length: count }, (_, at): Cell[] => [at + 1, `LM${358 + at}DR`, 1]),
    ]
    const bytes = workbookOf({ 'Quotes 2': sheetXml(rows(12)), 'Bill of Materials': sheetXml(rows(6)) })
    expect((await shown(bytes)).result.lists[0]).toMatchObject({
      sheet: 'Bill of Materials',
      otherSheets: [{ name: 'Quotes 2', parts: 12 }],
    })
  })

  test('in which several columns could be the part number is named among the others', async () => {
    const bytes = workbookOf({
      Catalog: sheetXml([['MPN', 'Qty'], ...LIST.map((part) => [part, 1])]),
      Machine: sheetXml([['Part No', 'Part Number', 'Qty'], ...LIST.map((part, at) => [`X-${at}`, part, 1])]),
    })
    const { result } = await shown(bytes)
    expect(result.lists[0]).toMatchObject({ sheet: 'Catalog', otherSheets: [{ name: 'Machine', parts: 4 }] })
  })

  test('that goes on without headings on another one names it, and no cover or notes', async () => {
    const bytes = workbookOf({
      Cover: sheetXml([['Document', 'BOM-4711'], ['Revision', 'B'], ['Author', 'J. Doe'], ['CC-4712']]),
      'Page 1': sheetXml([['Part Number', 'Qty'], ...LIST.map((part) => [part, 1])]),
      'Page 2': sheetXml([...LIST.map((part) => [`${part}-2`, 1]), ['Total', 4]]),
      Notes: sheetXml([['LM358DR-7 is obsolete'], ['1N4148W-7']]),
    })
    const { result, notices } = await shown(bytes)
    expect(result.lists[0]).toMatchObject({ sheet: 'Page 1', otherSheets: [{ name: 'Page 2', parts: 4 }] })
    expect(result.lists[0]!.account.sheets?.named).toContainEqual({
      reason: 'other part numbers',
      count: 1,
      places: ['"Page 2"'],
    })
    expect(notices).toContain('bom.xlsx: other sheets with parts are not read: "Page 2" (4 part numbers)')
  })

  test('beside others with parts is the best of them, and the others are named', async () => {
    const other = [
      row(1, { A: 'Part Number', B: 'Qty' }),
      row(2, { A: 'X-1', B: '1' }),
      row(3, { A: 'X-2', B: '1' }),
    ]
    const bytes = sheetsOf({
      Notes: `<sheetData>${row(1, { A: 'Part' })}${row(2, { A: 'see the other sheets for it' })}</sheetData>`,
      Spare: `<sheetData>${other.join('')}</sheetData>`,
      Main: `<sheetData>${TABLE}</sheetData>`,
    })
    const { result, notices } = await shown(bytes)
    expect(result.lists[0]).toMatchObject({ sheet: 'Main', otherSheets: [{ name: 'Spare', parts: 2 }] })
    expect(notices).toContain('bom.xlsx: other sheets with parts are not read: "Spare" (2 part numbers)')
    expect((await shown(bytes, 'Spare')).result.parts).toEqual(['X-1', 'X-2'])
  })

  test('has no warning about quotation marks where a row is longer than its headings', async () => {
    const rows = `${row(1, { A: 'MPN', B: 'Qty' })}${row(2, { A: 'A-100', B: '1', C: 'more', D: 'more' })}`
    const { notices, result } = await shown(sheetsOf({ S: `<sheetData>${rows}</sheetData>` }))
    expect([notices.filter((text) => /quotation/.test(text)), result.warningCount]).toEqual([[], 0])
  })

  test('with a number of 400 digits has these, and never Infinity', async () => {
    const digits = '9'.repeat(400)
    const rows = `${row(1, { A: 'MPN', B: 'Qty' })}<row r="2"><c r="A2"><v>${digits}</v></c></row>${row(3, { A: 'A-100', B: '1' })}`
    const { result } = await shown(sheetsOf({ S: `<sheetData>${rows}</sheetData>` }))
    expect(result.parts).toEqual([digits, 'A-100'])
  })
})

test('what Apple Numbers writes into local headers is no reason to refuse a workbook', async () => {
  const zip64 = extraField(1, Buffer.alloc(16, 7))
  const { result } = await shown(
    sheetsOf({ S: `<sheetData>${TABLE}</sheetData>` }, { local: { extra: zip64 } }),
  )
  expect(result.parts).toEqual(['A-100', 'A-200', 'A-300'])
})

describe('a broken workbook', () => {
  const unhandled: unknown[] = []
  const keep = (reason: unknown): void => void unhandled.push(reason)
  beforeEach(() => {
    unhandled.length = 0
    process.on('unhandledRejection', keep)
  })
  afterEach(() => {
    process.off('unhandledRejection', keep)
  })

  /** Whatever happens, it is one failure, and no promise is left behind. */
  async function failsCleanly(bytes: Buffer): Promise<void> {
    const failure = await shown(bytes).then(
      () => undefined,
      (error: unknown) => error,
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
    if (failure !== undefined) expect(isFailure(failure) && failure.kind).toMatch(/usage|archive/)
  }

  test('without its sheet, and with shared texts that are damaged', async () => {
    const entries = (name: string): Buffer =>
      zip([
        {
          name: 'xl/workbook.xml',
          data: '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
        },
        {
          name: 'xl/_rels/workbook.xml.rels',
          data: '<Relationships><Relationship Id="r1" Type="t/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        },
        { name: 'xl/sharedStrings.xml', data: '<sst><si><t>one</t>' },
        { name, data: '<worksheet><row><c t="s"><v>0</v></c></row></worksheet>' },
      ])
    await failsCleanly(entries('xl/worksheets/other.xml'))
    await failsCleanly(entries('xl/worksheets/sheet1.xml'))
  })

  test('with any bytes changed', async () => {
    const good = sheetsOf({ S: `<sheetData>${TABLE}</sheetData>`, T: `<sheetData>${TABLE}</sheetData>` })
    const random = seeded(7)
    for (let round = 0; round < sweep(25, 150); round += 1) {
      const bytes = Buffer.from(good)
      for (let count = 0; count < 3; count += 1)
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
      await failsCleanly(bytes)
    }
  })
})

test('a number format of any length takes no time', () => {
  expect(readNumberFormat('G[['.repeat(150_000))).toBeUndefined()
  expect(readNumberFormat(`${'['.repeat(900)}0`)).toBeUndefined()
})

/** What is shown of a workbook, and what is said of it. */
async function shownList(bytes: Buffer): Promise<{
  readonly list: PartsResult['lists'][number]
  readonly notices: readonly Notice[]
  readonly parts: readonly string[]
}> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, 'bom.xlsx'), bytes)
    const notices: Notice[] = []
    const { lists, parts } = await shownParts(
      testWorld({ cwd: folder }),
      { parts: [], files: ['bom.xlsx'], strict: false },
      { ...SILENT, notice: (one) => notices.push(one) },
    )
    return { list: lists[0]!, notices, parts }
  })
}

const LIST = ['LM358DR', 'TPS62130RGTR', 'BAT54S', 'GRM155R71C104KA88D']

describe('a formula without its result', () => {
  /** A list whose items and quantities below the first are these cells. */
  const listOf = (cell: ReturnType<typeof formula>, calcPr = ''): Buffer =>
    workbookOf(
      {
        BOM: sheetXml([
          ['Item', 'Part Number', 'Qty'],
          ...LIST.map((part, at) => [at === 0 ? 1 : cell, part, at === 0 ? 2 : cell]),
        ]),
      },
      { calcPr },
    )
  const UNKNOWN = [2, null, null, null]

  test.each([
    ['none', formula(), ''],
    ['none of a text', { xml: '<c t="str"><f>B3</f></c>' }, ''],
    ['none of a truth value', { xml: '<c t="b"><f>B3</f></c>' }, ''],
    ['an empty one', { xml: '<c><f>B3</f><v></v></c>' }, ''],
    ['0.0, with which Apache POI begins', { xml: '<c><f>B3</f><v>0.0</v></c>' }, ''],
    ['0 of XlsxWriter and openpyxl', formula(0), '<calcPr calcId="124519" fullCalcOnLoad="1"/>'],
    ['0 of a writer that names no engine', formula(0), '<calcPr fullPrecision="1"/>'],
    ['0 of engine 0', formula(0), '<calcPr calcId="0"/>'],
    [
      '0 of a shared formula',
      { xml: '<c><f t="shared" si="0"/><v>0</v></c>' },
      '<calcPr fullCalcOnLoad="true"/>',
    ],
    ['an empty text', formula(''), '<calcPr fullCalcOnLoad="1"/>'],
  ])('leaves the quantity unknown, and the row a line: %s', async (_, cell, calcPr) => {
    const { list, notices, parts } = await shownList(listOf(cell, calcPr))
    expect(parts).toEqual(LIST)
    expect(list.rows.map(({ quantity }) => quantity)).toEqual(UNKNOWN)
    expect(list.rows.map(({ isFitted, alternates }) => [isFitted, alternates])).toEqual(
      LIST.map(() => [true, []]),
    )
    expect(notices.map(({ message }) => message)).toContain(
      'bom.xlsx:3: 3 rows have a formula without its result (rows 3, 4, 5): what it says, such as a quantity, is unknown',
    )
  })

  test.each(['t="array" ref="C2:C5"', 't="array" ref="$B$2:$C$5"', 't="dataTable" ref="C2:C5" r1="A2"'])(
    'is that of every cell in the range of an array: %s',
    async (range) => {
      const rows = LIST.map((part, at) => [
        part,
        1,
        at === 0 ? { xml: `<c><f ${range}>D2:D5</f><v>3</v></c>` } : 0,
      ])
      const sheet = sheetXml([['Part Number', 'Item', 'Qty'], ...rows, ['1N4148W', 5, 0]])
      const quantities = async (calcPr: string) =>
        (await shownList(workbookOf({ BOM: sheet }, { calcPr }))).list.rows.map(({ quantity }) => quantity)
      expect(await quantities('<calcPr fullCalcOnLoad="1"/>')).toEqual([3, null, null, null, 0])
      const { notices } = await shownList(workbookOf({ BOM: sheet }, { calcPr: '<calcPr calcId="191029"/>' }))
      expect(notices.map(({ message }) => message)).toContain(
        'bom.xlsx:3: 3 rows have a quantity or a mark that is 0 by a formula (rows 3, 4, 5), and read as not fitted: is it calculated?',
      )
    },
  )

  test.each(['DNP', 'Fitted'])('is named in a column %s that has nothing else', async (heading) => {
    const rows = [['Part Number', 'Qty', heading], ...LIST.map((part) => [part, 1, formula()])]
    const { list, notices } = await shownList(workbookOf({ BOM: sheetXml(rows) }))
    expect(list.rows.map(({ isFitted }) => isFitted)).toEqual(LIST.map(() => true))
    const messages = notices.map(({ message }) => message)
    expect(messages).toContain(
      'bom.xlsx:2: 4 rows have a formula without its result (rows 2, 3, 4, 5): what it says, such as a quantity, is unknown',
    )
    expect(messages.join('\n')).not.toContain('not known as a mark')
  })

  test('of a sheet that asks for its calculation behind its rows', async () => {
    const rows = [['Item', 'Part Number', 'Qty'], ...LIST.map((part, at) => [at + 1, part, formula(0)])]
    const bytes = workbookOf({ BOM: sheetXml(rows, '<sheetCalcPr fullCalcOnLoad="1"/>') })
    expect((await shownList(bytes)).list.rows.map(({ quantity }) => quantity)).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  test.each([
    ['Excel', '<calcPr calcId="191029"/>'],
    ['LibreOffice', '<calcPr iterateCount="100" refMode="A1" iterate="false" iterateDelta="0.001"/>'],
    ['nobody', ''],
  ])('is not a 0 that %s has calculated', async (_, calcPr) => {
    const { list, notices } = await shownList(listOf(formula(0), calcPr))
    expect(list.rows.map(({ quantity, isFitted }) => [quantity, isFitted])).toEqual([
      [2, true],
      [0, false],
      [0, false],
      [0, false],
    ])
    // LibreOffice keeps a 0 that a library wrote, and saves it as its own.
    expect(notices.map(({ message }) => message)).toContain(
      'bom.xlsx:3: 3 rows have a quantity or a mark that is 0 by a formula (rows 3, 4, 5), and read as not fitted: is it calculated?',
    )
  })

  test('that may be a mark of what is fitted is named too', async () => {
    const rows = [['Part Number', 'Qty', 'Fitted'], ...LIST.map((part) => [part, 1, formula(0)])]
    const { notices } = await shownList(workbookOf({ BOM: sheetXml(rows) }))
    expect(notices.map(({ message }) => message)).toContain(
      'bom.xlsx:2: 4 rows have a quantity or a mark that is 0 by a formula (rows 2, 3, 4, 5), and read as not fitted: is it calculated?',
    )
  })

  test('is an error as a part number, in any column of them', async () => {
    const heading = ['Item', 'MPN 1', 'MPN 2', 'Qty']
    const rows = LIST.map((part, at) => [at + 1, part, at === 2 ? formula() : `${part}-ALT`, 1])
    await expect(shownList(workbookOf({ BOM: sheetXml([heading, ...rows]) }))).rejects.toMatchObject({
      kind: 'usage',
      message: 'bom.xlsx:4: the cell in column "MPN 2" has a formula without its result',
      hint: 'open the workbook in a spreadsheet program, calculate it (Ctrl+Alt+F9 in Excel, Ctrl+Shift+F9 in LibreOffice), and save it',
    })
  })

  test('in rows that have formulas of other columns alone makes them no rows of the list', async () => {
    const heading = ['Item', 'MPN 1', 'MPN 2', 'Qty', 'Purch']
    const rows = LIST.map((part, at) => [at + 1, part, '', 1, formula()])
    const below = [1, 2, 3].map(() => ['', '', formula(), '', formula()])
    const { list } = await shownList(workbookOf({ BOM: sheetXml([heading, ...rows, ...below]) }))
    expect(list.counts).toMatchObject({ lines: LIST.length, skipped: 3 })
    expect(list.skipped).toMatchObject([{ kind: 'formula', count: 3, rows: [6, 7, 8] }])
  })

  test('fills its column: another one with numbers does not take its place', async () => {
    const rows = LIST.map((part, at) => [at + 1, formula(), `100-${part.length}-${at}`, 1])
    const bytes = workbookOf({
      BOM: sheetXml([['Item', 'Manufacturer Part Number', 'Internal Part Number', 'Qty'], ...rows]),
    })
    await expect(shownList(bytes)).rejects.toMatchObject({ message: '4 problems with the requested parts' })
  })

  test('in the totals below a list is none of its problems', async () => {
    const rows = [
      ['Item', 'Part Number', 'Qty'],
      ...LIST.map((part, at) => [at + 1, part, 1]),
      ['Total', formula(), formula()],
    ]
    const { list } = await shownList(workbookOf({ BOM: sheetXml(rows) }))
    expect(list.skipped).toMatchObject([{ kind: 'total', rows: [6] }])
  })
})

describe('a row that is struck through', () => {
  const STYLES =
    '<styleSheet><fonts><font><b/><sz val="11"/></font><font><strike/></font><font><strike val="0"/><i/></font></fonts><cellXfs><xf fontId="0"/><xf fontId="1"/><xf fontId="2"/></cellXfs></styleSheet>'
  const text = (value: string, style: number) => ({
    xml: `<c t="inlineStr" s="${style}"><is><t>${value}</t></is></c>`,
  })

  test('is read, and named', async () => {
    const rich = (struck: string, rest: string): Cell => ({
      xml: `<c t="inlineStr"><is><r><rPr><strike/></rPr><t>${struck}</t></r><r><t>${rest}</t></r></is></c>`,
    })
    const rows = [
      ['Item', 'Part Number', 'Qty'],
      [1, text('LM358DR', 1), 1],
      [2, text('BAT54S', 2), 1],
      [text('3', 1), 'TPS62130RGTR', 1],
      [4, { xml: '<c t="s"><v>0</v></c>' }, 1],
      [5, rich('OLD-1', ' NEW-1'), 1],
      [6, 'CRCW0402', text('7', 1)],
      [7, { xml: '<c t="s"><v>1</v></c>' }, rich('10', '4')],
    ]
    const files = {
      'xl/styles.xml': STYLES,
      'xl/sharedStrings.xml':
        '<sst><si><r><rPr><strike/></rPr><t>1N4148</t></r><r><t>, </t></r></si><si><r><t>LM3</t></r><r><rPr><strike/></rPr><t>24</t></r><r><rPr><b/></rPr><t>58N</t></r></si></sst>',
    }
    const { list, notices } = await shownList(workbookOf({ BOM: sheetXml(rows) }, { files }))
    expect(list.rows.map(({ part, quantity }) => [part, quantity])).toEqual([
      ['LM358DR', 1],
      ['BAT54S', 1],
      ['TPS62130RGTR', 1],
      ['1N4148', 1],
      ['NEW-1', 1],
      ['CRCW0402', 7],
      ['LM358N', 4],
    ])
    expect(notices.map(({ message }) => message)).toContain(
      'bom.xlsx: 5 rows read although their numbers or quantities are struck through (rows 2, 5, 6, 7, 8): of one that is struck in part, the rest is read',
    )
  })
})

describe('the parts of a workbook', () => {
  const SHEET = sheetXml([['Part Number', 'Qty'], ...LIST.map((part) => [part, 1])])
  const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const relations = (...all: readonly (readonly [id: string, type: string, target: string])[]): string =>
    `<Relationships>${all.map(([id, type, target]) => `<Relationship Id="${id}" Type="${REL}/${type}" Target="${target}"/>`).join('')}</Relationships>`
  const book = (...ids: readonly string[]): string =>
    `<workbook><sheets>${ids.map((id, at) => `<sheet name="S${at + 1}" sheetId="${at + 1}"${id === '' ? '' : ` r:id="${id}"`}/>`).join('')}</sheets></workbook>`
  const packed = (files: Readonly<Record<string, string>>): Buffer =>
    zip(Object.entries(files).map(([name, data]): ZipEntry => ({ name, data })))

  test.each([
    [
      'the workbook at the top',
      'workbook.xml',
      '_rels/workbook.xml.rels',
      'workbook.xml',
      'sheet1.xml',
      'sheet1.xml',
    ],
    [
      'other names',
      'data/book1.xml',
      'data/_rels/book1.xml.rels',
      '/data/book1.xml',
      '../s/1.xml',
      's/1.xml',
    ],
    ['backslashes in targets', 'xl/w.xml', 'xl/_rels/w.xml.rels', 'xl\\w.xml', 'ws\\a.xml', 'xl/ws/a.xml'],
    ['backslashes in names', 'xl\\w.xml', 'xl\\_rels\\w.xml.rels', 'xl/w.xml', 'ws/a.xml', 'xl\\ws\\a.xml'],
    [
      './ in names and targets',
      './xl/w.xml',
      './xl/_rels/w.xml.rels',
      './xl/w.xml',
      './ws/./a.xml',
      './xl/ws/a.xml',
    ],
    [
      '.. in targets',
      'xl/w.xml',
      'xl/_rels/w.xml.rels',
      'a/../xl/w.xml',
      '../xl/ws/../ws/a.xml',
      'xl/ws/a.xml',
    ],
    [
      '%20 for a blank',
      'xl/w.xml',
      'xl/_rels/w.xml.rels',
      'xl/w.xml',
      'ws/my%20sheet.xml',
      'xl/ws/my sheet.xml',
    ],
    [
      '%20 as it is',
      'xl/w.xml',
      'xl/_rels/w.xml.rels',
      'xl/w.xml',
      'ws/my%20sheet.xml',
      'xl/ws/my%20sheet.xml',
    ],
    ['a lone %', 'xl/w.xml', 'xl/_rels/w.xml.rels', 'xl/w.xml', 'ws/100%.xml', 'xl/ws/100%.xml'],
    ['absolute targets', 'xl/w.xml', 'xl/_rels/w.xml.rels', '/xl/w.xml', '/xl/ws/a.xml', 'xl/ws/a.xml'],
    ['absolute names', '/xl/w.xml', '/xl/_rels/w.xml.rels', '/xl/w.xml', '/xl/ws/a.xml', '/xl/ws/a.xml'],
    [
      'addresses',
      'xl/w.xml',
      'xl/_rels/w.xml.rels',
      'pack://x/xl/w.xml',
      'file:///xl/ws/a.xml',
      'xl/ws/a.xml',
    ],
    ['another case', 'xl/W.xml', 'xl/_rels/w.XML.rels', 'XL/w.xml', 'WS/a.xml', 'xl/ws/A.xml'],
  ])('are found by their relationships: %s', async (_, name, rels, target, sheetTarget, sheetName) => {
    const bytes = packed({
      '_rels/.rels': relations(['a', 'officeDocument', target]),
      [name]: book('b'),
      [rels]: relations(['b', 'worksheet', sheetTarget]),
      [sheetName]: SHEET,
    })
    expect((await shownList(bytes)).parts).toEqual(LIST)
  })

  test('that are missing are named, and the others read', async () => {
    const bytes = packed({
      '_rels/.rels': relations(['a', 'officeDocument', 'xl/workbook.xml']),
      'xl/workbook.xml': book('', 'gone', 'b', 'nowhere'),
      'xl/_rels/workbook.xml.rels': relations(['b', 'worksheet', 'b.xml'], ['gone', 'worksheet', 'gone.xml']),
      'xl/b.xml': SHEET,
    })
    const { list, parts, notices } = await shownList(bytes)
    expect(parts).toEqual(LIST)
    expect(list.account.sheets).toEqual({
      in: 4,
      used: 1,
      named: [{ reason: 'missing in the file', count: 3, places: ['"S1"', '"S2"', '"S4"'] }],
    })
    expect(notices.map(({ message }) => message)).toContain(
      'bom.xlsx: sheets that the workbook names are not in it: "S1", "S2", "S4"',
    )
  })

  test.each([
    ['xl/workbook.bin', 'a binary Excel workbook (.xlsb)'],
    ['word/document.xml', 'a Word document'],
    ['ppt/presentation.xml', 'a PowerPoint presentation'],
  ])('of another program are named: %s', async (name, what) => {
    const bytes = packed({ '_rels/.rels': relations(['a', 'officeDocument', name]), [name]: '<x/>' })
    await expect(shownList(bytes)).rejects.toMatchObject({ kind: 'usage', message: `bom.xlsx is ${what}` })
  })

  test.each([
    ['at the end', 'LM358DR_x000D_'],
    ['and a line break at the end', 'LM358DR_x000D_\n'],
    ['at the start', '_x000D_LM358DR'],
    ['with tabs', '\tLM358DR_x000D_\t'],
    ['with an ideographic and a narrow no-break space', '\u202fLM358DR\u3000'],
  ])('have values without the carriage return %s', async (_, value) => {
    const bytes = workbookOf({
      BOM: sheetXml([
        ['Part Number', 'Qty'],
        [value, 1],
        ['BAT54S', 2],
        ['1N4148', 3],
      ]),
    })
    expect((await shownList(bytes)).parts).toEqual(['LM358DR', 'BAT54S', '1N4148'])
  })
})
