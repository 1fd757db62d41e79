import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SILENT } from '../../src/base/notice.ts'
import { BLANKS, shapeOf, unusualDelimiter } from '../../src/parts/list-shape.ts'
import { readParts } from '../../src/parts/read-parts.ts'
import { testWorld, withFolder } from '../support/world.ts'

async function partsOf(name: string, data: string | Buffer): Promise<readonly string[]> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, name), data)
    const input = { parts: [], files: [name], strict: false }
    return (await readParts(testWorld({ cwd: folder }), input, SILENT)).parts
  })
}

describe('a text that is no list', () => {
  test.each([
    ['<table>\n<tr><td>LM358DR</td></tr>\n</table>\n', 'a web page (HTML)'],
    ['<html>', 'a web page (HTML)'],
    ['\ufeff  <!DOCTYPE html>', 'a web page (HTML)'],
    ['Sign in\n<form action="/x">\n<input name="u">\n</form>', 'HTML or XML'],
    ['<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>', 'an XML Spreadsheet'],
    ['<ss:Workbook xmlns:ss="urn:x">', 'an XML Spreadsheet'],
    ['<?xml version="1.0"?>\n<export version="E"/>', 'XML'],
    ['<svg/>', 'XML'],
    ['MIME-Version: 1.0\nContent-Type: multipart/related; boundary="x"\n', 'a web page in one file (MHTML)'],
    ['From: a@b.c\nSubject: parts\n\nLM358DR\n', 'a mail'],
    ['{\\rtf1 LM358DR}', 'an RTF document'],
    ['ID;PWXL;N;E', 'a SYLK file'],
    ['TABLE\n0,1\n"x"\n', 'a DIF file'],
    ['["LM358DR","BAT54S"]', 'JSON'],
    ['[22232021, 22232031]', 'JSON'],
    ['{"mpn":"LM358DR"}\n{"mpn":"BAT54S"}\n', 'JSON'],
    ['{\n  "parts": []\n}', 'JSON'],
    ['parts:\n  - LM358DR\n  - BAT54S\n', 'YAML, or a list of names and values'],
    ['part: LM358DR', 'YAML, or a list of names and values'],
    ['---\n- LM358DR\n', 'YAML'],
    ['- LM358DR\n- BAT54S\n', 'a list with bullets (YAML, Markdown)'],
    ['# Parts\n\n* LM358DR\n* BAT54S\n', 'a list with bullets (YAML, Markdown)'],
    ['(export (version D)\n  (components))', 'a netlist or a design file'],
    ['import os\nparts = ["LM358DR"]\nprint(parts)\n', 'source code'],
    ['const parts = [\n  "LM358DR",\n  "BAT54S",\n]\nmodule.exports = parts\n', 'source code'],
    ['#include <x.h>\nint main() {\n  return 0;\n}\n', 'source code'],
    ["INSERT INTO parts VALUES ('LM358DR');", 'SQL'],
    ['[parts]\na = LM358DR\nb = BAT54S\n', 'a settings file (INI, TOML)'],
    ['Part Number^Qty\nLM358DR^1\nBAT54S\nTPS^3\n', 'a table divided by ^, which not every row has as often'],
    [
      'Partlist\n\nQty Value       Device        Parts          Description\n3   10uF        C-EUC0805     C1, C2, C3     CAPACITOR\n1               R-EU_R0603    R1\n',
      'a table with columns of a fixed width',
    ],
  ])('%j', (text, what) => {
    expect(shapeOf(text)?.what).toBe(what)
    expect(shapeOf(text)?.hint).toMatch(/save|export|put/)
  })

  test.each(['a.txt', 'a.csv', 'a.xls', 'a.xlsx', 'a.ods'])('is refused as %s', async (name) => {
    await expect(partsOf(name, '<table><tr><td>LM358DR</td></tr></table>')).rejects.toMatchObject({
      kind: 'usage',
      message: `${name} is a web page (HTML)`,
    })
  })

  test('is refused by one line of markup among part numbers', async () => {
    await expect(partsOf('a.txt', 'LM358DR\nBAT54S\n1N4148\n<br/>\n2N2222\n')).rejects.toMatchObject({
      message: 'a.txt:4: "<br/>" is markup (HTML or XML)',
    })
  })

  test.each([
    ['a.dbf', '03 7c 01 01 02 00 00 00 61 00 32 00 00 00', 'a dBASE table (.dbf)'],
    ['a.xls', '09 08 10 00 00 06 05 00', 'an old Excel workbook (.xls)'],
    ['a.csv', '89 50 4e 47 0d 0a 1a 0a', 'a picture'],
  ])('is named by its bytes: %s', async (name, bytes, what) => {
    await expect(partsOf(name, Buffer.from(bytes.replaceAll(' ', ''), 'hex'))).rejects.toMatchObject({
      message: `${name} is ${what}, not a text list of parts`,
    })
  })
})

describe('a list', () => {
  test.each([
    'LM358DR',
    'LM358DR\nBAT54S\n1-123456-2\n(LM358)\n[X-1]\n{Y-2}\n',
    'Item,Part Number\n1,A-1\n',
    'Part Number;Qty;\nA-1;2;\nB-2;3;\n',
    '<0402> 10k',
    'RES 10K 1% 0402\nCAP 100NF\n',
  ])('is none of these: %j', (text) => expect(shapeOf(text)).toBeUndefined())
})

describe('an unusual delimiter', () => {
  test.each([
    ['MPN^Qty\nLM358DR^1\nBAT54S^2\n', '^'],
    ['MPN~Qty~Unit\nLM358DR~1~\nBAT54S~2~pcs\n', '~'],
    ['MPN\u001fQty\nLM358DR\u001f1\n', '\u001f'],
    ['Part Number   Qty\nLM358DR        1\nBAT54S         2\n', BLANKS],
    ['sep=^\nMPN^Qty\nLM358DR^1\n', '^'],
    ['Parts of X, 1.1.2026\n\nMPN^Qty\nLM358DR^1\nBAT54S^2\n', '^'],
    ['Parts of X\nLM358DR^1\nBAT54S^2\n', undefined],
    ['MPN#Manufacturer#Qty\nLM358DR#TI#1\nBAT54S#ST#2\n', '#'],
    ['MPN::Qty\nLM358DR::1\nBAT54S::2\n', '::'],
    ['MPN#Qty\nLM358DR#PBF#1\n', undefined],
    ['LT1117#PBF\nLT3080#PBF\n', undefined],
    ['Part #\nLT1117#PBF\nLT3080#PBF\n', undefined],
    ['LM358DR\nBAT54S^1\n', undefined],
    ['MPN,Qty\n5V~12V,1\n', undefined],
    ['LM358DR\nBAT54S\n', undefined],
    ['LM358DR^1', undefined],
  ])('of %j is %j', (text, delimiter) => expect(unusualDelimiter(text)).toBe(delimiter))

  test.each(['a.csv', 'a.txt', 'a.bom'])('divides the cells of %s', async (name) => {
    expect(await partsOf(name, 'Part Number^Qty\nLM358DR^1\nBAT54S^2\n')).toEqual(['LM358DR', 'BAT54S'])
    expect(await partsOf(name, 'MPN#Qty\nLM358DR#1\nBAT54S#2\n')).toEqual(['LM358DR', 'BAT54S'])
    expect(await partsOf(name, 'sep=^\nTitle\nMPN^Qty\nLM358DR^1\nBAT54S^2\n')).toEqual(['LM358DR', 'BAT54S'])
    expect(await partsOf(name, 'Part Number    Qty\nLM358DR        1\nBAT54S         2\n')).toEqual([
      'LM358DR',
      'BAT54S',
    ])
  })

  test('is never part of a number', async () => {
    await expect(partsOf('a.txt', 'LM358DR^1\nBAT54S^2\n')).rejects.toMatchObject({ kind: 'usage' })
  })
})

test.each(['"A,1"', 'A^1', 'A~1'])('a line alone, such as %s, is no table', (line) => {
  expect(shapeOf(`${line}\n`)).toBeUndefined()
})

test('a netlist in brackets is no parts list', () => {
  expect(shapeOf('( { OrCAD }\n ( 0001 R0805 R1 10k )\n)\n')?.what).toBe('a netlist of a CAD program')
})
