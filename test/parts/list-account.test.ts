import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SILENT } from '../../src/base/notice.ts'
import { joinedAccount } from '../../src/parts/list-account.ts'
import { type PartsRead, readParts } from '../../src/parts/read-parts.ts'
import { formula, sheetXml, workbookOf } from '../support/workbook.ts'
import { testWorld, withFolder } from '../support/world.ts'

async function read(files: Readonly<Record<string, string | Buffer>>): Promise<PartsRead> {
  return withFolder(async (folder) => {
    for (const [name, data] of Object.entries(files)) await writeFile(join(folder, name), data)
    const input = { parts: [], files: Object.keys(files), strict: false, details: true }
    return readParts(testWorld({ cwd: folder }), input, SILENT)
  })
}

const named = (reason: string, ...places: readonly string[]) => ({ reason, count: places.length, places })

describe('the account of a list', () => {
  test('says of each row of a table whether it is used, or why not', async () => {
    const list =
      'Bill of materials\nItem,MPN,Qty,Description\n1,LM358DR,2,amplifier\n2,N/A,1,screw\n3,,1,cable\n\nTotal,,4,\n'
    expect((await read({ 'a.csv': list })).lists[0]!.account).toEqual({
      rows: {
        in: 6,
        used: 1,
        named: [
          named('placeholder', 'row 4'),
          named('no part number', 'row 5'),
          named('total', 'row 7'),
          named('above the headings', 'row 1'),
          named('headings', 'row 2'),
        ],
      },
      tables: { in: 1, used: 1, named: [] },
      cells: {
        in: 13,
        used: 7,
        named: [
          { ...named('placeholder', 'row 4'), count: 4 },
          { ...named('total', 'row 7'), count: 2 },
        ],
      },
    })
  })

  test('has the rows of alternates among those that are used, and of rulers among the others', async () => {
    const list = 'Item  ;MPN;Qty\n----;----;----\n1;LM358DR;2\n;LM358DT;\n2;BAT54S;1\n'
    const { account, lines, alternates } = (await read({ 'a.csv': list })).lists[0]!
    expect([lines, alternates]).toEqual([2, 1])
    expect(account.rows).toEqual({
      in: 5,
      used: 3,
      named: [named('ruler', 'row 2'), named('headings', 'row 1')],
    })
  })

  test('names cells of columns that are read and say nothing', async () => {
    const list = 'Item,MPN 1,MPN 2,Qty\n1,LM358DR,TBD,about ten\n2,BAT54S,BAT54C,3\n'
    const { cells } = (await read({ 'a.csv': list })).lists[0]!.account
    expect(cells).toEqual({
      in: 8,
      used: 6,
      named: [named('placeholder', 'row 2'), named('quantity that is not recognized', 'row 2')],
    })
  })

  test('counts a text by its lines', async () => {
    const { account } = (await read({ 'a.txt': 'LM358DR\n\nN/A\nBAT54S\n' })).lists[0]!
    expect(account.rows).toEqual({ in: 3, used: 2, named: [named('placeholder', 'row 3')] })
    expect(account).not.toHaveProperty('sheets')
  })

  test('says of a further table whether it is read', async () => {
    const list =
      'Item,MPN,Qty\n1,LM358DR,2\n2,BAT54S,1\n\nItem,Manufacturer Part Number,Quantity\n1,TPS62130RGTR,1\n'
    const { account, lines } = (await read({ 'a.csv': list })).lists[0]!
    expect(lines).toBe(3)
    expect(account.tables).toEqual({ in: 2, used: 2, named: [] })
    expect(account.rows.named).toEqual([named('heading', 'row 5'), named('headings', 'row 1')])
  })

  test('names each sheet of a workbook that is not read', async () => {
    const rows = [
      ['Item', 'MPN', 'Qty'],
      [1, 'LM358DR', 2],
      [2, 'BAT54S', formula()],
    ]
    const spare = [['Part Number'], ['TPS62130RGTR'], ['CRCW040210K0FKED']]
    const bytes = workbookOf({
      BOM: sheetXml(rows),
      Spares: sheetXml(spare),
      Notes: sheetXml([['Nothing to see in this sheet']]),
      Empty: sheetXml([]),
    })
    const { account } = (await read({ 'a.xlsx': bytes })).lists[0]!
    expect(account.sheets).toEqual({
      in: 4,
      used: 1,
      named: [
        named('other part numbers', '"Spares"'),
        named('no part numbers', '"Notes"'),
        named('empty', '"Empty"'),
      ],
    })
    expect(account.cells.named).toEqual([named('formula without its result', 'row 3')])
  })

  test('of several lists is one, with the file of each place', async () => {
    const { lists } = await read({ 'a.txt': 'LM358DR\nTBD\n', 'b.txt': 'TBD\nBAT54S\n' })
    expect(joinedAccount(lists).rows).toEqual({
      in: 4,
      used: 2,
      named: [named('placeholder', 'a.txt: row 2', 'b.txt: row 1')],
    })
  })
})
