import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  noFacts,
  numberOf,
  readNumberFormat,
  type SheetRow,
  type SheetValue,
  showDigits,
} from '../../src/parts/sheet-rows.ts'
import { openSheet, openWorkbook } from '../../src/parts/workbook.ts'
import { soakTest } from '../support/soak.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

interface ReadSheet {
  readonly name: string
  readonly isHidden: boolean
  readonly rows: readonly SheetRow[]
}

const SHEET = 'xl/worksheets/sheet1.xml'
const ONE_SHEET: Readonly<Record<string, string>> = {
  'xl/workbook.xml': '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="r1" Type="t/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}

/** Reads every sheet of a workbook that consists of these files; without the first two it has one sheet. */
async function read(files: Readonly<Record<string, string | Buffer>>): Promise<readonly ReadSheet[]> {
  return withFolder(async (folder) => {
    const entries = Object.entries({ ...ONE_SHEET, ...files }).map(([name, data]) => ({ name, data }))
    await writeFile(join(folder, 'b.xlsx'), zip(entries))
    const world = testWorld({ cwd: folder })
    await using workbook = await openWorkbook(world, { path: 'b.xlsx', absolute: join(folder, 'b.xlsx') })
    const sheets: ReadSheet[] = []
    for (const { name, isHidden, rows } of workbook.sheets) {
      const all: SheetRow[] = []
      for await (const batch of rows(noFacts())) all.push(...batch)
      sheets.push({ name, isHidden, rows: all })
    }
    return sheets
  })
}

/** The values of one row with these cells, by column. */
async function valuesOf(cells: string, files: Readonly<Record<string, string>> = {}): Promise<SheetValue[]> {
  const [sheet] = await read({ ...files, [SHEET]: `<worksheet><row>${cells}</row></worksheet>` })
  const values: SheetValue[] = []
  for (const { column, value } of sheet!.rows[0]?.cells ?? []) values[column] = value
  return values
}

describe('cells', () => {
  test('have text of their own, shared, or as the result of a formula', async () => {
    const shared =
      '<sst><si><t>one</t></si><si><r><rPr><b/></rPr><t>rich </t></r><r><t>text</t></r></si><si><t>漢</t><rPh><t>kan</t></rPh></si></sst>'
    const cells =
      '<c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="str"><f>A1</f><v>a &amp; b</v></c>' +
      '<c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c><c t="inlineStr"><is><t><![CDATA[<x>]]>_x0041__x005F_x0042_RES_X1005_A</t></is></c>'
    expect(await valuesOf(cells, { 'xl/sharedStrings.xml': shared })).toEqual([
      'rich text',
      '漢',
      'a & b',
      'inline',
      '<x>A_x0042_RES_X1005_A',
    ])
  })

  test('have the text of their elements, not the space between these', async () => {
    const shared =
      '<sst>\n <si>\n  <t>one</t>\n </si>\n <si>\n  <r>\n   <t>tw</t>\n  </r>\n  <r>\n   <t>o</t>\n  </r>\n </si>\n</sst>'
    const cells =
      '<c t="s">\n <v>0</v>\n</c>\n<c t="s"><v>1</v></c><c t="inlineStr">\n <is>\n  <t>in</t>\n </is>\n</c><c>\n <v>5</v>\n</c>'
    expect(await valuesOf(cells, { 'xl/sharedStrings.xml': shared })).toEqual([
      'one',
      'two',
      'in',
      { digits: '5', format: undefined },
    ])
  })

  test('have numbers by their digits, truth values, errors and unsaved results', async () => {
    const cells =
      '<c t="n"><is><t>A-1</t></is></c><c><v>1.50</v></c><c t="n"><v>1E+21</v></c><c t="b"><v>1</v></c><c t="e"><f>X</f><v>#N/A</v></c><c><f>A1</f><v/></c>'
    expect(await valuesOf(cells)).toEqual([
      'A-1',
      { digits: '1.50', format: undefined },
      { digits: '1E+21', format: undefined },
      'TRUE',
      '#N/A',
      { isUncalculated: true },
    ])
  })

  test('that are empty are left out', async () => {
    const cells =
      '<c s="1"/><c t="s"/><c t="s"><v/></c><c t="str"><f>A1</f><v></v></c><c t="inlineStr"><is><t/></is></c><c><v/></c>'
    const shared = '<sst><si><r><rPr><strike/></rPr><t>MPN</t></r></si></sst>'
    expect(await valuesOf(cells, { 'xl/sharedStrings.xml': shared })).toEqual([])
  })

  test.each(['7', '-1', '0.5', 'x'])(
    'with the index %s of a text that is not there are damage',
    async (index) => {
      const cells = `<c t="inlineStr"><v>A-1</v></c><c t="s"><v>${index}</v></c>`
      const files = { 'xl/sharedStrings.xml': '<sst><si><t>MPN</t></si></sst>' }
      await expect(valuesOf(cells, files)).rejects.toMatchObject({
        message: expect.stringMatching(/is damaged: the cell in row 1, column 2 refers to a text/),
      })
    },
  )

  test('with text of their own have it wherever it stands', async () => {
    expect(await valuesOf('<c t="inlineStr"><v>A-1</v></c>')).toEqual(['A-1'])
  })

  test('show numbers and dates by their style', async () => {
    const styles =
      '<x:styleSheet><x:numFmts><x:numFmt numFmtId="164" formatCode="000&quot;-A&quot;"/><x:numFmt numFmtId="165" formatCode="[$-409]d\\-mmm;@"/></x:numFmts>' +
      '<x:cellStyleXfs><x:xf numFmtId="14"/></x:cellStyleXfs><x:cellXfs><x:xf numFmtId="0"/><x:xf numFmtId="164"/><x:xf numFmtId="165"/><x:xf numFmtId="14"/><x:xf numFmtId="11"/></x:cellXfs></x:styleSheet>'
    const cells = [0, 1, 2, 3, 4].map((style) => `<c s="${style}"><v>46082</v></c>`).join('')
    expect(
      await valuesOf(`${cells}<c t="d"><v>2026-03-01T00:00:00</v></c>`, { 'xl/styles.xml': styles }),
    ).toEqual([
      { digits: '46082', format: undefined },
      { digits: '46082', format: [null, null, null, '-A'] },
      { date: '2026-03-01' },
      { date: '2026-03-01' },
      { digits: '46082', format: 'scientific' },
      { date: '2026-03-01' },
    ])
  })

  test('have dates from 1904 if the workbook uses that system', async () => {
    const workbook =
      '<workbook><workbookPr date1904="1"/><sheets><sheet name="S" r:id="r1"/></sheets></workbook>'
    const styles = '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>'
    const files = { 'xl/workbook.xml': workbook, 'xl/styles.xml': styles }
    expect(await valuesOf('<c s="0"><v>44620</v></c>', files)).toEqual([{ date: '2026-03-01' }])
  })
})

test.each([
  ['number formats', `<numFmts>${'<numFmt numFmtId="ID" formatCode="000"/>'.repeat(10_001)}</numFmts>`],
  ['styles', `<cellXfs>${'<xf/>'.repeat(100_001)}</cellXfs>`],
  ['styles', `<fonts>${'<font/>'.repeat(100_001)}</fonts>`],
])('more %s than any program writes are refused', async (what, styles) => {
  let id = 0
  const text = `<styleSheet>${styles.replaceAll('ID', () => String(++id))}</styleSheet>`
  await expect(valuesOf('<c><v>1</v></c>', { 'xl/styles.xml': text })).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringMatching(new RegExp(`has more than [\\d,]+ ${what}, too much for a workbook`)),
  })
})

describe('rows', () => {
  test('have numbers without binary noise; what is no number has none', () =>
    withFolder(async (folder) => {
      const cells =
        '<c><v>0.30000000000000004</v></c><c><v>1E+999</v></c><c t="str"><v>5</v></c><c><v>1E+21</v></c>'
      const entries = { ...ONE_SHEET, [SHEET]: `<worksheet><row>${cells}</row></worksheet>` }
      const files = Object.entries(entries).map(([name, data]) => ({ name, data }))
      await writeFile(join(folder, 'b.xlsx'), zip(files))
      const file = { path: 'b.xlsx', absolute: join(folder, 'b.xlsx') }
      await using sheet = await openSheet(testWorld({ cwd: folder }), file, {}, undefined)
      const numbers: unknown[] = []
      for await (const rows of sheet.rows()) {
        for (const row of rows)
          numbers.push(...[0, 1, 2, 3, 4].map((column) => numberOf(row.typed?.[column])))
      }
      expect(numbers).toEqual([0.3, undefined, undefined, 1e21, undefined])
    }))

  test('and cells without addresses follow each other', async () => {
    const rows =
      '<row><c><v>1</v></c></row><row r="5"><c r="C5"><v>2</v></c><c><v>3</v></c></row><row/><row><c r="AA7"><v>4</v></c></row>'
    const [sheet] = await read({ [SHEET]: `<worksheet><sheetData>${rows}</sheetData></worksheet>` })
    const places = sheet!.rows.map(({ line, cells }) => [line, cells.map(({ column }) => column)])
    expect(places).toEqual([
      [1, [0]],
      [5, [2, 3]],
      [7, [26]],
    ])
  })

  test('may be anywhere in a sheet, and cost nothing', async () => {
    const [sheet] = await read({ [SHEET]: '<x><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></x>' })
    expect(sheet!.rows).toEqual([
      {
        line: 1_048_576,
        struck: [],
        isHidden: false,
        cells: [{ column: 16_383, value: { digits: '1', format: undefined } }],
      },
    ])
  })

  test.each([
    ['a column', '<row r="1"><c r="XFE1"><v>1</v></c></row>', 'XFE1'],
    ['a very far column', '<row r="1"><c r="ZZZZZZ1"><v>1</v></c></row>', 'ZZZZZZ1'],
    ['a row', '<row r="1048577"><c><v>1</v></c></row>', 'row 1048577'],
    ['no row number', '<row r="x"><c><v>1</v></c></row>', 'row NaN'],
    ['too many cells', `<row>${'<c><v>1</v></c>'.repeat(16_385)}</row>`, 'row 1'],
  ])('beyond the limits of a sheet are a mistake: %s', async (_, rows, what) => {
    await expect(read({ [SHEET]: `<x>${rows}</x>` })).rejects.toMatchObject({
      kind: 'usage',
      message: `b.xlsx: ${what} is outside of the 1,048,576 rows and 16,384 columns of a sheet`,
    })
  })
})

describe('a damaged sheet', () => {
  test.each([
    [
      'a cell twice',
      '<row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c><c r="A2"><v>3</v></c></row>',
      'the cell in row 2, column 1 is there twice',
    ],
    [
      'a cell outside of its rows',
      '<row r="2"/><c r="A3"><v>1</v></c>',
      'a cell stands outside of its rows, after row 2',
    ],
    ['rows in no order', '<row r="3"><c><v>1</v></c></row><row r="1"/>', 'row 1 stands behind row 3'],
  ])('is a mistake: %s', async (_, rows, what) => {
    await expect(read({ [SHEET]: `<x><sheetData>${rows}</sheetData></x>` })).rejects.toMatchObject({
      kind: 'usage',
      message: `b.xlsx is damaged: ${what}`,
    })
  })

  test('is named where there are several', async () => {
    const row = '<x><row r="2"/><row r="1"/></x>'
    const files = {
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="New" r:id="r0"/><sheet name="Old" r:id="r1"/></sheets></workbook>',
      [SHEET]: row,
      'xl/new.xml': '<x/>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r0" Target="new.xml"/><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
    }
    await expect(read(files)).rejects.toMatchObject({
      message: 'b.xlsx is damaged: sheet "Old": row 1 stands behind row 2',
    })
  })

  test('is none whose cells are in no order, or that has an empty cell twice', async () => {
    const values = await valuesOf('<c r="C1"><v>3</v></c><c r="A1"/><c r="A1"><v>1</v></c>')
    expect(values).toMatchObject([{ digits: '1' }, undefined, { digits: '3' }])
  })
})

describe('sheets', () => {
  test('are found by their relationships, in the order of the workbook', async () => {
    const workbook = `<x:workbook><x:sheets><x:sheet name="B &amp; C" state="veryHidden" rel:id="rId2"/><x:sheet name='A' rel:id='rId1' /></x:sheets></x:workbook>`
    const relations = `<Relationships><Relationship Id="rId1" Target="worksheets/a.xml"/><Relationship Target="/other/b.xml" Id="rId2"/></Relationships>`
    const sheet = (value: string): string => `<x><row><c t="str"><v>${value}</v></c></row></x>`
    const sheets = await read({
      'xl/workbook.xml': workbook,
      'xl/_rels/workbook.xml.rels': relations,
      'xl/worksheets/a.xml': sheet('a'),
      'other/b.xml': sheet('b'),
    })
    expect(sheets.map(({ name, isHidden, rows }) => [name, isHidden, rows[0]?.cells[0]?.value])).toEqual([
      ['B & C', true, 'b'],
      ['A', false, 'a'],
    ])
  })

  test('may be UTF-16', async () => {
    const xml = '\ufeff<?xml version="1.0" encoding="UTF-16"?><x><row><c t="str"><v>ÄΩ</v></c></row></x>'
    const [sheet] = await read({ [SHEET]: Buffer.from(xml, 'utf16le') })
    expect(sheet!.rows[0]!.cells[0]!.value).toBe('ÄΩ')
  })

  test.each([
    ['no sheets', { 'xl/workbook.xml': '<workbook/>' }],
    ['a missing sheet', {}],
    ['an empty sheet', { [SHEET]: '' }],
    ['a broken sheet', { [SHEET]: '<worksheet><row></worksheet>' }],
    ['a sheet that is cut', { [SHEET]: '<worksheet><row>' }],
    ['bytes that are not UTF-8', { [SHEET]: Buffer.from([0x3c, 0x78, 0x3e, 0xff]) }],
    ['a document type', { [SHEET]: '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>' }],
  ])('with %s are a mistake', async (_, files: Readonly<Record<string, string | Buffer>>) => {
    await expect(read(files)).rejects.toMatchObject({
      kind: 'usage',
      message: 'b.xlsx cannot be read as an Excel workbook',
    })
  })
})

/** The name of the sheet that is read of these: their rows, with an asterisk before the names of hidden ones. */
async function sheetOf(
  sheets: Readonly<Record<string, readonly string[]>>,
  wanted?: string,
): Promise<string> {
  return withFolder(async (folder) => {
    const cell = (value: string): string => `<c t="str"><v>${value}</v></c>`
    const all = Object.entries(sheets).map(([name, rows], index) => ({
      entry: `<sheet name="${name.replace('*', '')}"${name.startsWith('*') ? ' state="hidden"' : ''} r:id="r${index}"/>`,
      relation: `<Relationship Id="r${index}" Type="t/worksheet" Target="worksheets/${index}.xml"/>`,
      file: {
        name: `xl/worksheets/${index}.xml`,
        data: `<x>${rows.map((row) => `<row>${row.split(',').map(cell).join('')}</row>`).join('')}</x>`,
      },
    }))
    const files = [
      {
        name: 'xl/workbook.xml',
        data: `<workbook><sheets>${all.map(({ entry }) => entry).join('')}</sheets></workbook>`,
      },
      {
        name: 'xl/_rels/workbook.xml.rels',
        data: `<Relationships>${all.map(({ relation }) => relation).join('')}</Relationships>`,
      },
      ...all.map(({ file }) => file),
    ]
    await writeFile(join(folder, 'b.xlsx'), zip(files))
    const file = { path: 'b.xlsx', absolute: join(folder, 'b.xlsx') }
    await using opened = await openSheet(testWorld({ cwd: folder }), file, {}, wanted)
    expect(opened.sheet.of).toBe(all.length)
    return opened.sheet.name
  })
}

describe('the sheet that is read', () => {
  const LIST = ['Part Number,Qty', 'A-1,2']
  const OTHER = ['Item,Revision', '1,B']
  const LABELS = ['Part Number,9000-1,Rev,B', 'x']

  test.each<[string, Readonly<Record<string, readonly string[]>>, string]>([
    ['the first with a list', { Cover: ['Hello'], One: LIST, Two: LIST }, 'One'],
    ['a visible one', { '*Old': LIST, New: LIST }, 'New'],
    ['a hidden one where no other has a list', { Cover: ['Hello'], '*List': LIST }, 'List'],
    ['one that is sure to have part numbers', { Changes: OTHER, List: LIST }, 'List'],
    ['one with headings rather than with labels', { Cover: LABELS, List: LIST }, 'List'],
    ['the first visible one where none has headings', { '*Old': ['a'], A: ['b'], B: ['c'] }, 'A'],
  ])('is %s', async (_, sheets, name) => expect(await sheetOf(sheets)).toBe(name))

  test.each([
    ['Two', 'Two'],
    [' two ', 'Two'],
    ['TWO', 'TWO'],
    ['1', '3'],
    ['2', 'Two'],
    ['3', '3'],
  ])('named %j is %s: its name counts before its number', async (wanted, name) => {
    expect(await sheetOf({ '3': LIST, Two: LIST, TWO: LIST }, wanted)).toBe(name)
  })

  test.each([
    [12, ''],
    [13, ' …'],
  ])('that is not among %i is a mistake that names the first twelve', async (count, more) => {
    const names = Array.from({ length: count }, (_, index) => `S${index + 1}`)
    await expect(sheetOf(Object.fromEntries(names.map((name) => [name, LIST])), 'X')).rejects.toMatchObject({
      kind: 'usage',
      message: 'b.xlsx has no sheet "X"',
      hint: `it has ${names
        .slice(0, 12)
        .map((name, index) => `${index + 1} "${name}"`)
        .join(', ')}${more}`,
    })
  })
})

describe('a file of the workbook', () => {
  const sheet = (value: string): string => `<x><row><c t="str"><v>${value}</v></c></row></x>`
  /** The values of a workbook that also has this file, in one copy or several. */
  const withFile = (name: string, ...copies: string[]): Promise<string[]> =>
    withFolder(async (folder) => {
      const files = { ...ONE_SHEET, [SHEET]: sheet('A-1') }
      const entries = Object.entries(files).map(([name, data]) => ({ name, data }))
      await writeFile(join(folder, 'b.xlsx'), zip([...entries, ...copies.map((data) => ({ name, data }))]))
      const file = { path: 'b.xlsx', absolute: join(folder, 'b.xlsx') }
      await using opened = await openSheet(testWorld({ cwd: folder }), file, {}, undefined)
      const values: string[] = []
      for await (const rows of opened.rows()) values.push(...rows.flatMap(({ cells }) => cells))
      return values
    })

  test.each([SHEET, 'XL/worksheets/Sheet1.xml', 'xl\\worksheets\\sheet1.xml', './xl/worksheets/sheet1.xml'])(
    'that is there twice with another content is a mistake: %s',
    async (name) => {
      await expect(withFile(name, sheet('A-2'))).rejects.toMatchObject({
        kind: 'usage',
        message: `b.xlsx is damaged: it has the file ${JSON.stringify(SHEET)} twice`,
      })
    },
  )

  test('that is there twice with the same content is read', async () => {
    expect(await withFile(SHEET, sheet('A-1'))).toEqual(['A-1'])
  })

  test('that is not read may be there twice', async () => {
    expect(await withFile('docProps/app.xml', '<a/>', '<b/>')).toEqual(['A-1'])
  })
})

describe('limits', () => {
  const long = `<t>${'a'.repeat(600_000)}</t>`

  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'a cell',
      { [SHEET]: `<worksheet><row><c t="inlineStr"><is>${long}${long}</is></c></row></worksheet>` },
      'has a cell with more than 1.0 MiB of text',
    ],
    [
      'a shared text',
      {
        [SHEET]: '<worksheet><row><c t="s"><v>0</v></c></row></worksheet>',
        'xl/sharedStrings.xml': `<sst><si>${long}${long}</si></sst>`,
      },
      'has a cell with more than 1.0 MiB of text',
    ],
    [
      'sheets',
      {
        [SHEET]: '<worksheet/>',
        'xl/workbook.xml': `<workbook><sheets>${'<sheet name="S" r:id="r1"/>'.repeat(1001)}</sheets></workbook>`,
      },
      'has more than 1,000 sheets',
    ],
  ])('of %s', async (_, files, message) => {
    await expect(read(files)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(`b.xlsx ${message}`),
    })
  })

  soakTest('of all texts', async () => {
    const files = {
      [SHEET]: '<worksheet><row><c t="s"><v>0</v></c></row></worksheet>',
      'xl/sharedStrings.xml': `<sst>${`<si>${long}</si>`.repeat(340)}</sst>`,
    }
    const message = expect.stringContaining('b.xlsx has more than 192 MiB of text')
    await expect(read(files)).rejects.toMatchObject({ kind: 'usage', message })
  })

  test('leave texts of any order and size as they are', async () => {
    const texts = [
      '',
      'é'.repeat(1_000_000),
      'b',
      'c'.repeat(1_000_000),
      '',
      'ü'.repeat(1_000_000),
      'd',
      'é'.repeat(900_000),
    ]
    const values = await valuesOf(texts.map((_, index) => `<c t="s"><v>${index}</v></c>`).join(''), {
      'xl/sharedStrings.xml': `<sst>${texts.map((one) => `<si><t>${one}</t></si>`).join('')}</sst>`,
    })
    expect(texts.map((_, index) => values[index] ?? '').every((value, index) => value === texts[index])).toBe(
      true,
    )
  })
})

describe('number formats', () => {
  test.each([
    ['00000', '123', '00123'],
    ['000;@', '7', '007'],
    ['000-0000', '1234567', '123-4567'],
    ['000-0000', '12345678', '1234-5678'],
    ['000-0000', '1', '000-0001'],
    ['"PN-"0000\\/00', '12', 'PN-0000/12'],
    ['0" pcs"', '15', '15 pcs'],
  ])('%s shows %s as %s', (code, digits, shown) => {
    const format = readNumberFormat(code)
    expect(Array.isArray(format) && showDigits(digits, format)).toBe(shown)
  })

  test.each([['0.00E+00'], ['##0.0E+0'], ['0e-0']])('%s is scientific notation', (code) =>
    expect(readNumberFormat(code)).toBe('scientific'),
  )

  test.each([
    ['mmm-yy'],
    ['yyyy\\-mm\\-dd'],
    ['[$-414]mmmm\\ yyyy;@'],
    ['[h]:mm'],
    ['mm:ss.0'],
    ['d "de" mmm'],
    ['0;m/d'],
  ])('%s is a date', (code) => expect(readNumberFormat(code)).toBe('date'))

  test.each([['General'], ['0'], ['0.00'], ['#,##0'], ['@'], ['[Red]00'], ['"E+"#'], ['']])(
    '%s is none that part numbers are shown with',
    (code) => expect(readNumberFormat(code)).toBeUndefined(),
  )
})
