import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isFailure } from '../../src/base/failure.ts'
import { SILENT } from '../../src/base/notice.ts'
import { joinedAccount } from '../../src/parts/list-account.ts'
import { type PartsRead, readParts } from '../../src/parts/read-parts.ts'
import { seeded } from '../support/seeded.ts'
import { sweep } from '../support/soak.ts'
import { type Cell, formula, sheetXml, workbookOf } from '../support/workbook.ts'
import { type TestWorld, testWorld, withFolder } from '../support/world.ts'

type Files = Readonly<Record<string, string | Buffer>>

async function read(files: Files): Promise<PartsRead> {
  return withFolder((folder) => readIn(testWorld({ cwd: folder }), files))
}

async function readIn(world: TestWorld, files: Files): Promise<PartsRead> {
  for (const [name, data] of Object.entries(files)) await writeFile(join(world.cwd(), name), data)
  return readParts(world, { parts: [], files: Object.keys(files), strict: false, details: true }, SILENT)
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
      Boards: sheetXml([
        ['Part Number', 'Comment'],
        ['Power board', 'AB-1234'],
        ['Motor board', 'AB-1235'],
        ['Frame', 'AB-1236'],
      ]),
    })
    const { account } = (await read({ 'a.xlsx': bytes })).lists[0]!
    expect(account.sheets).toEqual({
      in: 5,
      used: 1,
      named: [
        named('other part numbers', '"Spares"'),
        named('no part numbers', '"Notes"'),
        named('empty', '"Empty"'),
        named('perhaps part numbers', '"Boards"'),
      ],
    })
    expect(account.cells.named).toEqual([named('formula without its result', 'row 3')])
  })

  test('of several lists is one, with the file of each place', async () => {
    const { lists } = await read({ 'a.txt': 'LM358DR\nTBD\n', 'b.txt': 'TBD\nBAT54S\n' })
    expect(joinedAccount(lists.map(({ list, account }) => ({ name: list.name, account }))).rows).toEqual({
      in: 4,
      used: 2,
      named: [named('placeholder', 'a.txt: row 2', 'b.txt: row 1')],
    })
  })
})

/** The lists of one kind: a file, and the part numbers in it. */
type Made = readonly [name: string, data: string | Buffer, parts: readonly string[]]

function madeList(random: () => number): Made {
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const count = 3 + Math.floor(random() * 12)
  const parts = Array.from(
    { length: count },
    (_, at) => `${one(['LM', 'BAT', '1N', 'TPS'])}${100 + at}${one(['DR', '-7', 'A', ''])}`,
  )
  const word = (): string =>
    one(['Screw 3/8"', 'amplifier', '5" pipe', '"', 'red, round', '', 'say ""x""', 'DNP', '"quoted"'])
  if (random() < 0.5) return madeText(random, parts, word)
  const quantity = (): Cell =>
    one<() => Cell>([
      () => 1 + Math.floor(random() * 9),
      () => formula(),
      () => formula(0),
      () => formula(3),
      () => '',
      () => 'two',
    ])()
  const struck = (part: string): Cell => ({
    xml: `<c t="inlineStr"><is><r><rPr><strike/></rPr><t>${part}</t></r></is></c>`,
  })
  const rows = parts.map((part, at): Cell[] => [
    random() < 0.1 ? formula() : at + 1,
    random() < 0.1 ? struck(part) : random() < 0.05 ? formula() : part,
    quantity(),
    word().replaceAll('"', ''),
  ])
  if (random() < 0.3)
    rows.splice(Math.floor(random() * rows.length), 0, ['', 'TBD', 1, ''], ['Total', '', formula(), ''])
  const merged = random() < 0.3 ? '<mergeCells><mergeCell ref="C2:C4"/></mergeCells>' : ''
  const others =
    random() < 0.4 ? { Notes: sheetXml([['nothing']]), Other: sheetXml([['MPN'], ['OPA1'], ['OPA2']]) } : {}
  const sheets = { BOM: sheetXml([['Item', 'MPN', 'Qty', 'Description'], ...rows], merged), ...others }
  return [
    'a.xlsx',
    workbookOf(sheets, { calcPr: one(['', '<calcPr fullCalcOnLoad="1"/>', '<calcPr calcId="191029"/>']) }),
    parts,
  ]
}

function madeText(random: () => number, parts: readonly string[], word: () => string): Made {
  const delimiter = [',', ';', '\t', '|'][Math.floor(random() * 4)]!
  const quoted = (text: string): string =>
    /["\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text
  const rows = parts.map((part, at) =>
    [String(at + 1), part, String(1 + (at % 5)), word()].map(quoted).join(delimiter),
  )
  let text = `${['Item', 'MPN', 'Qty', 'Description'].join(delimiter)}\n${rows.join('\n')}\n`
  // Quotation marks that open or close nothing.
  for (let marks = Math.floor(random() * 4); marks > 0; marks -= 1) {
    const at = Math.floor(random() * text.length)
    text =
      random() < 0.7
        ? `${text.slice(0, at)}"${text.slice(at)}`
        : text.slice(0, at) + text.slice(at).replace('"', '')
  }
  const encoding = (['utf8', 'utf16le', 'latin1'] as const)[Math.floor(random() * 3)]!
  return ['a.csv', Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding), parts]
}

test('what comes in with random and damaged lists is used or named', async () =>
  withFolder(async (folder) => {
    const world = testWorld({ cwd: folder })
    const random = seeded(48)
    let whole = 0
    for (let round = 0; round < sweep(300, 4000); round += 1) {
      const [name, data, parts] = madeList(random)
      const found = await readIn(world, { [name]: data }).catch((error: unknown) => {
        if (isFailure(error) && error.kind === 'usage') return undefined
        throw error
      })
      if (found === undefined) continue
      whole += 1
      const { account, lines, alternates, skipped } = found.lists[0]!
      const at = `round ${round}:\n${name === 'a.csv' ? data : ''}`
      for (const entry of Object.values(account).filter((one) => one !== undefined)) {
        expect(entry.used + entry.named.reduce((sum, { count }) => sum + count, 0), at).toBe(entry.in)
      }
      // An alternate may be in the row of its line.
      expect(account.rows.used, at).toBeGreaterThanOrEqual(lines)
      expect(account.rows.used, at).toBeLessThanOrEqual(lines + alternates)
      const known = [...found.parts, ...skipped.flatMap(({ first }) => first.map(({ value }) => value))]
      // A mark may have become part of a number, which is then warned of or not found: it is never gone.
      const lost = parts.filter((part) => !known.some((one) => one.replaceAll('"', '').includes(part)))
      const isChanged = (part: string): boolean => !String(data).includes(part) && name === 'a.csv'
      expect(
        account.rows.in - account.rows.named.filter(({ reason }) => reason === 'headings').length,
        at,
      ).toBeGreaterThanOrEqual(Math.min(parts.length - lost.filter(isChanged).length, parts.length))
    }
    expect(whole).toBeGreaterThan(sweep(120, 1600))
  }))
