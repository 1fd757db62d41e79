import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import writeExcel, { type SheetData } from 'write-excel-file/node'
import { SILENT } from '../../src/base/notice.ts'
import { type PartsRead, readParts } from '../../src/parts/read-parts.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

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

async function workbook(rows: SheetData): Promise<Buffer> {
  return (await writeExcel(rows)).toBuffer()
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

const text = (...values: string[]): SheetData[number] => values.map((value) => ({ value, type: String }))

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
    ])
  })

  test('are read from the column whose heading says part number, with all characters', async () => {
    const bytes = await workbook([
      text('Bill of materials'),
      [],
      text('Pos', 'Part Number'),
      text('1', 'A&B <1> "x"'),
      text('2', ' Ü-2 '),
      text('3', '00123'),
      text('4', 'A,B'),
    ])
    expect((await readWorkbook(bytes)).parts).toEqual(['A&B <1> "x"', 'Ü-2', '00123', 'A,B'])
  })

  test('keep every digit of a number, and warn of what is not text', async () => {
    const bytes = await workbook([
      text('MPN'),
      [{ value: 4711, type: Number }],
      [{ value: 123456789012345, type: Number }],
      [{ value: 1.5, type: Number }],
      [{ value: 1e21, type: Number }],
      [{ value: new Date('2026-03-01T00:00:00Z'), type: Date, format: 'mmm-yy' }],
      [{ value: true, type: Boolean }],
    ])
    const read = await readWorkbook(bytes)
    expect(read.parts).toEqual(['4711', '123456789012345', '1.5', '1000000000000000000000', '2026-03-01'])
    expect(read.warnings.map(({ line, kind }) => [line, kind])).toEqual([
      [4, 'number'],
      [5, 'number'],
      [6, 'date'],
    ])
    expect(read.lists[0]!.skipped).toEqual([
      { kind: 'placeholder', count: 1, first: [{ line: 7, value: 'TRUE' }] },
    ])
  })

  test('count rows without a part number', async () => {
    const bytes = await workbook([
      text('MPN', 'Name'),
      text('A', 'a'),
      [null, { value: 'b' }],
      [],
      text('C', 'c'),
    ])
    const read = await readWorkbook(bytes)
    expect(read.parts).toEqual(['A', 'C'])
    expect(read.lists[0]!.skipped).toEqual([
      { kind: 'no part number', count: 1, first: [{ line: 3, value: '' }] },
    ])
  })

  test('may have the list on a later sheet', async () => {
    const bytes = await (
      await writeExcel([{ data: [text('Cover', 'page')] }, { data: [text('x', 'P/N'), text('1', 'A')] }])
    ).toBuffer()
    expect((await readWorkbook(bytes)).parts).toEqual(['A'])
  })

  test('a column can be named or numbered', async () => {
    const bytes = await workbook([text('a', 'b'), text('1', '2')])
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
      message: expect.stringContaining('bom.xlsx:4: the cell has a formula without its result'),
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
      'bom.xlsx is an old Excel workbook (.xls)',
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
    const bytes = await workbook([text('Pos', 'Name'), text('1', 'A')])
    await expect(readWorkbook(bytes)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('no heading in row 1 says part number'),
      details: expect.objectContaining({ problems: ['2 "Name": A', '1 "Pos": 1'] }),
    })
  })

  test('are a mistake wherever they are truncated', async () => {
    const bytes = await workbook([
      text('MPN'),
      ...Array.from({ length: 50 }, (_, index) => text(`PN-${index}`)),
    ])
    for (let end = 4; end < bytes.length; end += 37) {
      await expect(readWorkbook(bytes.subarray(0, end)), `cut at ${end}`).rejects.toMatchObject({
        kind: 'usage',
      })
    }
  })
})
