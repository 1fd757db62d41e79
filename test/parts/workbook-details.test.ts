import { expect, test } from 'vitest'
import { cellName, numberStyles, sheetDetails, sheetPlaces } from '../../src/parts/workbook-details.ts'

test.each([
  [0, 1, 'A1'],
  [25, 9, 'Z9'],
  [26, 1, 'AA1'],
  [701, 2, 'ZZ2'],
  [702, 3, 'AAA3'],
  [16383, 1048576, 'XFD1048576'],
])('column %i, row %i is %s', (column, row, name) => expect(cellName(column, row)).toBe(name))

test('sheets are found by their relationships, in the order of the workbook', () => {
  const workbook = `<x:workbook><x:sheets><x:sheet name="B &amp; C" state="hidden" sheetId="2" r:id="rId2"/><x:sheet name='A' rel:id='rId1' /></x:sheets></x:workbook>`
  const relations = `<Relationships><Relationship Id="rId1" Target="worksheets/a.xml"/><Relationship Target="/xl/other/b.xml" Id="rId2"/></Relationships>`
  expect(sheetPlaces(workbook, relations)).toEqual([
    { name: 'B & C', isHidden: true, path: 'xl/other/b.xml' },
    { name: 'A', isHidden: false, path: 'xl/worksheets/a.xml' },
  ])
})

test('styles that show a number in another way are known by their format, and no others', () => {
  const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="000;@"/><numFmt numFmtId="166" formatCode="0.00"/><numFmt numFmtId="167" formatCode="&quot;A&amp;&quot;0"/></numFmts>
    <cellStyleXfs><xf numFmtId="164"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"><alignment/></xf><xf numFmtId="166"/><xf numFmtId="165"/><xf numFmtId="11"/><xf numFmtId="167"/></cellXfs></styleSheet>`
  expect(numberStyles(styles)).toEqual([
    undefined,
    [null, null, null, null, null],
    undefined,
    [null, null, null],
    'scientific',
    ['A&', null],
  ])
  expect(numberStyles('')).toEqual([])
})

test('cells are told by error, by format and by a formula without a result, texts are left alone', () => {
  const sheet = `<worksheet><sheetData><row><c r="A1" t="e"><v>#N/A</v></c><c r="B1" s="1"/><c r="C1" s="1" t="s"><v>0</v></c><c r="D1" s="1"><v>7</v></c><c r="E1"><f>A1</f><v/></c><c r="F1"><f>A1</f><v>7</v></c><c r="G1" t="str"><f>A1</f><v></v></c></row></sheetData></worksheet>`
  expect([...sheetDetails(sheet, [undefined, 'scientific'])]).toEqual([
    ['A1', { error: '#N/A' }],
    ['B1', { format: 'scientific' }],
    ['D1', { format: 'scientific' }],
    ['E1', { isUncalculated: true }],
  ])
  expect(sheetDetails('<worksheet><c r="A1"><v>1</v></c></worksheet>', []).size).toBe(0)
})
