import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SILENT } from '../../src/base/notice.ts'
import { BLANKS, shapeOf, unusualDelimiter } from '../../src/parts/list-shape.ts'
import { readParts } from '../../src/parts/read-parts.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { expectedLists } from './lists/expected.ts'

async function partsOf(name: string, data: string | Buffer): Promise<readonly string[]> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, name), data)
    const input = { parts: [], files: [name], strict: false }
    return (await readParts(testWorld({ cwd: folder }), input, SILENT)).parts
  })
}

const PATCH = 'what differs between two files (a patch)'
const OBJECTS = 'a list of objects (Python, JavaScript, YAML)'
const BLANK = 'a table with a blank between number and quantity'

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
    ['[[parts]]\nmpn = "LM358DR"\n', 'a settings file (INI, TOML)'],
    ['<!-- saved -->\n<ul>\n<li>LM358DR</li>\n</ul>\n', 'a web page (HTML)'],
    ['<?xml version="1.0"?>\n<office:document xmlns:office="urn:x">', 'an OpenDocument spreadsheet'],
    ['┌─────────┬───┐\n│ LM358DR │ 1 │\n└─────────┴───┘\n', 'a tree or a table drawn with lines'],
    ['[\nR1\n0603\n10k\n\n]\n(\nGND\nR1-2\n)\n', 'a netlist of a CAD program'],
    ['*PADS-PCB*\n*PART*\nU1 LM358DR@SO8\n', 'a netlist of a CAD program'],
    ['!PADS-POWERPCB-V9.0-MILS! DESIGN\n*PART*\n', 'a netlist of a CAD program'],
    ['$PACKAGES\n! SO8 ! LM358DR ; U1 U2\n$NETS\n', 'a netlist of a CAD program'],
    ['P  JOB   BOARD\nP  UNITS CUST 0\n327N001            U1    -1   D0400PA00\n', 'a netlist (IPC-D-356)'],
    ['* my circuit\nR1 1 0 10k\n.tran 1n 1u\n.END\n', 'a circuit (SPICE)'],
    ['G04 Layer*\n%FSLAX46Y46*%\nD10*\nX100Y200D02*\nM02*\n', 'a layer of a board (Gerber)'],
    ['%FSLAX46Y46*%\n%MOMM*%\n', 'a layer of a board (Gerber)'],
    ['; tools\nM48\nMETRIC,TZ\nT1C0.300\n%\nT1\nX100Y200\n', 'drill data (Excellon)'],
    ['G21\nG90\nG1 X10.0 Y20.0 F1500\nM30\n', 'data for a machine (G-code)'],
    ['  0\nSECTION\n  2\nHEADER\n', 'a drawing (DXF)'],
    [`${' '.repeat(72)}S      1\n1H,,1H;${' '.repeat(65)}G      1\n`, 'a model (IGES)'],
    ['ISO-10303-21;\nHEADER;\nENDSEC;\n', 'a model (STEP)'],
    ['#define R1 10k\n#define U1 LM358DR\n', 'source code'],
    ['--- bom.csv\t2026\n+++ bom.csv\n@@ -1 +1 @@\n-LM358DR\n+LM324N\n', PATCH],
    ['@@ -1,3 +1,3 @@\n Part Number,Qty\n-LM358DR,1\n+LM324N,1\n', PATCH],
    ['*** a.csv\n--- b.csv\n', PATCH],
    ['2c2\n< LM358DR\n---\n> LM324N\n', PATCH],
    ['MPN,Qty\n<<<<<<< HEAD\nLM358DR,1\n=======\nLM324N,1\n>>>>>>> b\n', 'a file with a merge conflict'],
    ["{'mpn': 'LM358DR', 'qty': 1}\n{'mpn': 'BAT54S', 'qty': 2}\n", OBJECTS],
    ["{mpn: 'LM358DR', qty: 1}\n", OBJECTS],
    ['- {mpn: LM358DR, qty: 1, ref: "R1, R2"}\n', OBJECTS],
    ["('LM358DR', 1)\n('BAT54S', 2)\n", OBJECTS],
    ["['LM358DR', 'BAT54S']\n", OBJECTS],
    ['404: Not Found', 'the answer of a server, not what was asked for'],
    ['HTTP/1.1 429 Too Many Requests\n', 'the answer of a server, not what was asked for'],
    ['Access denied\n', 'a text in words, no list of part numbers'],
    ['{| class="wikitable"\n! Part Number !! Qty\n|-\n| LM358DR || 1\n|}\n', 'a table of a wiki'],
    ['% mine\n\\documentclass{article}\n', 'a LaTeX document'],
    ['Part Number & Qty \\\\ \\hline\nLM358DR & 1 \\\\\nBAT54S & 2 \\\\\n', 'rows of a LaTeX table'],
    ['1. LM358DR\n2. BAT54S\n3. TPS62130RGTR\n', 'a numbered list'],
    ['======= ===\nLM358DR   1\nBAT54S    2\n======= ===\n', 'a table with columns of a fixed width'],
    ['LM358DR 1\nBAT54S 2\nTPS62130RGTR 3\n', BLANK],
    ['LM358DR    1\nBAT54S     2\nBAT54SDW1T 3\nGRM155R71C104KA88D 4\n', BLANK],
    ['2x LM358DR\n1 BAT54S\n13 TPS62130RGTR\n', BLANK],
    ['LM358DR (1)\nBAT54S (2)\nTPS62130RGTR (3)\n', BLANK],
    ['LM358DR - 1\nBAT54S x2\nTPS62130RGTR 3 pcs\n', BLANK],
    ['Part Number Qty\nLM358DR 1\nBAT54S 2\nTPS62130RGTR 3\n', BLANK],
    ['#1 LM358DR\n#2 BAT54S\n#3 TPS62130RGTR\n', 'a numbered list'],
    ['^ Part Number ^ Qty ^\n| LM358DR | 1 |\n', 'a table of a wiki, without headings that are known'],
    ['502 Bad Gateway\nnginx\n', 'the answer of a server, not what was asked for'],
    ['solid part\n facet normal 0 0 1\n', 'a model (STL)'],
    ['|HEADER=Protel for Windows\n|RECORD=1|\n', 'a netlist of a CAD program'],
    ['[\n  LM358DR,\n  BAT54S\n]\n', OBJECTS],
    ['R1\nR2\nC1\nU1\n', 'no list of part numbers: most of its lines are none, such as "R1", "R2", "C1"'],
    [
      '10k\n100nF\n4k7\n',
      'no list of part numbers: most of its lines are none, such as "10k", "100nF", "4k7"',
    ],
    [
      '00:1A:2B\na==1\n10.0.0.1:80\n',
      'no list of part numbers: most of its lines are none, such as "00:1A:2B", "a==1", "10.0.0.1:80"',
    ],
    ['From a@b.c Mon Jan  1 10:00:00 2026\n\nLM358DR\n', 'a mail'],
    [
      'R1\n1.370\nGND;\n.x { }\n2026-01-01\nLM358DR\n192.168.0.1\n',
      'no list of part numbers: most of its lines are none, such as "R1", "1.370", "GND;"',
    ],
    ['Part Number^Qty\nLM358DR^1\nBAT54S\nTPS^3\n', 'a table divided by ^, which not every row has as often'],
    [
      'Partlist\n\nQty Value       Device        Parts          Description\n3   10uF        C-EUC0805     C1, C2, C3     CAPACITOR\n1               R-EU_R0603    R1\n',
      'a table with columns of a fixed width',
    ],
  ])('%j', (text, what) => {
    expect(shapeOf(text, false)?.what).toBe(what)
    expect(shapeOf(text, false)?.hint).toMatch(/save|export|put|give|get|resolve/)
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
    ['a.csv', '52 61 72 21 1a 07', 'an archive (RAR, CAB or tar)'],
    ['a.csv', `${'61'.repeat(257)}7573746172`, 'an archive (RAR, CAB or tar)'],
    ['a.csv', '50 41 52 31 15 04', 'a table of Arrow or Parquet'],
    ['a.csv', '7f 45 4c 46 02 01', 'a program'],
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
    '1264EY-2R2N=P3\nB1047AS-2R7N=P3\n',
    '825C-PM-601CA-552=4729',
    'ER12\nPH2\nTR3\nRS1P\n',
    '0034.3122\n0034.3124\n0034.3127\n',
    'CD E012 6565\nCF E012 0100\nRR B031 2810\n',
    'G21-100\nM30-5\nG04X\n',
    'S0000001\nS0000002\n',
    'LM358DR,\nBAT54S,\n1N4148,\n',
    'M20x85\nM20\n20\n42\n',
    '404-100\n',
    'RC0402FR-0710KL\n1. FC Teile\n',
  ])('is none of these: %j', (text) => expect(shapeOf(text, false)).toBeUndefined())

  test('with headings may have blanks around its cells, or labels in them', async () => {
    const padded = 'Part Number ,  Mfr,  ,Qty \nLM358DR ,  ,  , 1 \nBAT54S ,  ,  , 2 \n'
    expect(await partsOf('a.csv', padded)).toEqual(['LM358DR', 'BAT54S'])
    const labelled =
      'Part Number,Qty\nPN: LM358DR,1\nPN: BAT54S,2\nPN: 1N4148,2\nPN: 2N2222A,1\nPN: BC847B,1\n'
    expect(await partsOf('a.csv', labelled)).toEqual(['LM358DR', 'BAT54S', '1N4148', '2N2222A', 'BC847B'])
  })

  const REAL = expectedLists.flatMap(({ file, parts = [] }) =>
    parts.length === 0 ? [] : [[file, parts] as const],
  )
  // As they stand in lists of hobbyists, makers and ERP systems.
  const ODD =
    'LM317(SOT223)|TLP291(GB,SE|TLP2745(TP,E|B2B-PH-K-S(LF)(SN)|U.FL-R-SMT-1(40)|LT3751IFE#PBF|LT1167ACS8#PBF-ND|MAX232CUE+T|' +
    'DS2482S-100+|74HC238PW,118|CUS10S30,H3F|BUK9K6R2-40E,115|AZ 3,2X6X0,4|CARB--94022,68-K|PCH14*09*90G|ST-PH-254-0087-1*6P-6T|' +
    'RMC06031K1%N|0805-NP0-50V-200pF-5%|1264EY-2R2N=P3|MQ C0XK 2600|106783 R19|R141A 605 000|5MF 6-R|C2Q 250|1613 11|DROK 200171|' +
    'PU 3001/3003/3005|C/Eje 16x16 LSA-39|12.50/14.25X2.13 IN Z/4N0478P|Bourns 3296W-1-103|Texas Instruments SN74LVC1G07DCKR|' +
    'C&K Components KMR231GLFS|USB_MICRO|msh_aqua1.8x75x205|XH2.54-5P 直插|2.54-1*4P反弯排针|Steckzungen lötbar 6.3x0.8|ERA−3AEB102V|' +
    'NW-C10µF|22232021|0039000038|1-1337478-0|8_7711|M3x10|SS34|ER12|C1525|0034.3122|17-21SUYC/TR8|6ES7 214-1AG40-0XB0|-7X2|.062X1'
  const lists = [...REAL, ['odd', ODD.split('|')] as const]
  test.each(lists)('of real numbers is one, whole or in part: %s', (_, parts) => {
    const orders = [parts, parts.toSorted(), parts.toReversed()]
    for (const all of orders) {
      for (const size of [1, 2, 3, 5, 10, all.length]) {
        for (let at = 0; at < all.length; at += size) {
          const part = all.slice(at, at + size)
          expect([part, shapeOf(`${part.join('\n')}\n`, false)]).toEqual([part, undefined])
        }
      }
    }
  })

  test.each(lists)('of real numbers is read: %s', async (_, parts) => {
    expect(await partsOf('a.txt', `${parts.join('\n')}\n`)).toEqual(parts)
  })
})

test('many comments or signs are looked at once', () => {
  expect(shapeOf(`${'<!---->'.repeat(500)}<foo/>`, false)?.what).toBe('XML')
  expect(shapeOf(`${'AB:'.repeat(300)}\n`.repeat(10), false)?.what).toMatch(/^no list of part numbers/)
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

  test.each([...'@*+&/:$}،：，；'])('is refused between known headings: %s', async (sign) => {
    const rows = [
      'Item|Part Number|Manufacturer|Qty',
      '1|LM358DR|TI|1',
      '2|BAT54S|Nexperia|2',
      '3|1N4148|ST|3',
    ]
    for (const name of ['a.csv', 'a.txt']) {
      await expect(partsOf(name, rows.join('\n').replaceAll('|', sign))).rejects.toMatchObject({
        message: `${name} is a table divided by ${sign}, which is no known delimiter`,
      })
    }
  })

  test.each([
    'Parts/Sub Part/Mfr Number\nLM358DR\nBAT54S\n74LVC1G07/TR\n',
    'Manufacturer: Part Number\nTI LM358DR\nST BAT54S\n',
    'Mfr-Part-Number\n1-1337478-0\n1-1337478-1\n',
  ])('is none in a heading alone: %j', (text) => expect(shapeOf(text, false)).toBeUndefined())
})

test.each(['"A,1"', 'A^1', 'A~1'])('a line alone, such as %s, is no table', (line) => {
  expect(shapeOf(`${line}\n`, false)).toBeUndefined()
})

test('a netlist in brackets is no parts list', () => {
  expect(shapeOf('( { OrCAD }\n ( 0001 R0805 R1 10k )\n)\n', false)?.what).toBe('a netlist of a CAD program')
})
