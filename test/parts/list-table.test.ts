import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { findDelimiter, readCsvTable, type TableRow, tableRows } from '../../src/parts/list-table.ts'
import { sweep } from '../support/soak.ts'

/** The records of a text that comes in these blocks of whole lines. */
const readAll = (...blocks: readonly string[]): Promise<TableRow[]> => readBlocks(blocks)

async function readBlocks(blocks: Iterable<string>): Promise<TableRow[]> {
  async function* stream(): AsyncGenerator<{ text: string; firstLine: number }> {
    for (const text of blocks) yield { text, firstLine: 1 }
  }
  const rows: TableRow[] = []
  for await (const batch of tableRows(
    stream(),
    'b.csv',
    (text, declared) => declared ?? findDelimiter(text, {}).delimiter,
  ))
    rows.push(...batch)
  return rows
}

async function cellsOf(...blocks: readonly string[]): Promise<(readonly string[])[]> {
  return (await readAll(...blocks)).map(({ cells }) => cells)
}

describe('records of a delimited text', () => {
  test.each([
    [
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"a,b",c', [['a,b', 'c']]],
    ['"a ""b""",c', [['a "b"', 'c']]],
    ['"a\nb",c\nd', [['a\nb', 'c'], ['d']]],
    [' "a" ,b', [['a', 'b']]],
    ['5" pipe,b', [['5" pipe', 'b']]],
    [',,\n', [['', '', '']]],
    ['""', [['']]],
    [
      'a,b\n1, "x, ""y"", "\n',
      [
        ['a', 'b'],
        ['1', 'x, "y", '],
      ],
    ],
    ['5" a, "b, c"', [['5" a', 'b, c']]],
    ['a,"b, ""c"', [['a', 'b, "c']]],
    ['x\n\n\ufeffa', [['x'], [''], ['\ufeffa']]],
  ])('%j', async (text, rows) => expect(await cellsOf(text)).toEqual(rows))

  test('have the line on which they begin', async () => {
    const lines = (await readAll('a\n"b\n\nc",d\n\ne')).map(({ line }) => line)
    expect(lines).toEqual([1, 2, 5, 6])
  })

  test('may go over several blocks', async () => {
    const rows = await readAll('a,b\n1,"x\n', 'y""\n', 'z"\n', '\ufeff2,w\n')
    expect(rows).toEqual([
      { cells: ['a', 'b'], line: 1 },
      { cells: ['1', 'x\ny"\nz'], line: 2 },
      { cells: ['\ufeff2', 'w'], line: 5 },
    ])
  })

  test('with an unclosed quote are a mistake where they begin', async () => {
    await expect(readAll('a\nb,"c\n', 'd\n')).rejects.toMatchObject({ kind: 'usage', details: { line: 2 } })
    const long = 'x'.repeat(700_000)
    let taken = 0
    function* blocks(): Generator<string> {
      for (const text of [`a\n"${long}\n`, `${long}\n`, 'the rest of a large file\n']) {
        taken += 1
        yield text
      }
    }
    await expect(readBlocks(blocks())).rejects.toMatchObject({
      message: 'b.csv:2: a quotation mark is opened here and never closed',
    })
    expect(taken).toBe(2)
  })

  test('with text after a closing quote are a mistake', async () => {
    await expect(readAll('x\n"y\nz",1\n"a"b,c\n"d\n')).rejects.toMatchObject({
      message: 'b.csv:4: text follows a closing quotation mark',
    })
  })

  test('are what csv-parse reads, for random tables', async () => {
    const random = seeded(7)
    let compared = 0
    const pieces = ['a', 'b1', ' x', '""', ',', ';', '\n', ' ', 'ü', '-']
    for (let round = 0; round < sweep(500, 10_000); round += 1) {
      const rows = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
        Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
          const content = Array.from({ length: Math.floor(random() * 4) }, () => pick(pieces, random)).join(
            '',
          )
          return /[",\n]/.test(content) || content.startsWith(' ') || random() < 0.2
            ? `"${content}"`
            : content
        }).join(','),
      )
      const text = `${rows.join('\n')}\n`
      const found = await cellsOf(`sep=,\n${text}`).catch((error: Error) => error.message)
      // Such a cell may as well be two rows, or a ditto mark.
      if (typeof found === 'string' && found.includes('whole rows')) continue
      if (/(?:^|[,\n])"(?:$|[,\n])/.test(text)) continue
      compared += 1
      expect(found, text).toEqual(parse(text, { relaxColumnCount: true, skipEmptyLines: false }))
    }
    expect(compared).toBeGreaterThan(sweep(100, 2000))
  })

  test.each([
    ['the headings', 'Item,MPN,"Qty,Description\n1,BAT100DR,1,"""\n2,BAT101DR,2,DNP\n', 1],
    [
      'a row beside cells in quotation marks',
      'Item,MPN,Qty,Note\n1,BAT100,"1,amplifier\n2,TPS101A",2,"red, round"\n3,BAT102,3,""\n',
      2,
    ],
  ])('are not taken into %s by a quotation mark', async (_, text, line) => {
    await expect(readAll(text)).rejects.toMatchObject({
      message: `b.csv:${line}: a quotation mark opens a cell that goes on to line ${line + 1}, with whole rows in it`,
    })
  })

  test('have ditto marks as values', async () => {
    const rows = await cellsOf('Item,Maker,Qty\n1,TI,"\n2,",3\n,",3\n","",4\n5,"a\nb",6\n')
    expect(rows).toEqual([
      ['Item', 'Maker', 'Qty'],
      ['1', 'TI', '"'],
      ['2', '"', '3'],
      ['', '"', '3'],
      ['"', '', '4'],
      ['5', 'a\nb', '6'],
    ])
  })

  test.each([
    [
      'a stray mark, and inches',
      'Item,MPN,Desc,Qty\n1,A-1,"Screw,2\n2,A-2,Nut,3\n3,A-3,Pin 3/8",4\n4,A-4,Rod,1\n',
      2,
      4,
    ],
    ['two rows', 'Item,MPN,Desc,Qty\n1,A-1,Nut,1\n2,"A-2,Nut,3\n3,A-3",Pin,4\n4,A-4,Rod,1\n', 3, 4],
    ['two rows of a list with no others', 'Item\tMPN\tQty\n1\t"A-1\t2\n2\tA-2"\t3\n', 2, 3],
    [
      'semicolons and 40 rows',
      `MPN;Qty\n"A-0;1\n${Array.from({ length: 40 }, (_, at) => `A-${at};1`).join('\n')}\nA-41";1\n`,
      2,
      43,
    ],
  ])('that took other rows into a cell are a mistake: %s', async (_, text, from, to) => {
    await expect(readAll(text)).rejects.toMatchObject({
      kind: 'usage',
      message: `b.csv:${from}: a quotation mark opens a cell that goes on to line ${to}, with whole rows in it`,
    })
  })

  test.each([
    [
      'designators',
      'Item,Ref,MPN,Desc,Qty\n1,R1,A-1,x,1\n2,"R1, R2, R3, R4,\nR5, R6, R7, R8,\nR9",A-2,y,9\n3,C1,A-3,z,1\n4,C2,A-4,z,1\n',
    ],
    ['sentences', 'MPN,Description\nA-1,"red, round\nsoft, warm\nsmall, cold"\nA-2,blue\nA-3,"x\ny"\n'],
  ])('with line breaks in a cell are none: %s', async (_, text) => {
    expect(await cellsOf(text)).toEqual(parse(text, { relaxColumnCount: true }))
  })
})

test.each([
  ['Part,Qty', ','],
  ['Part;Qty;Name, long', ';'],
  ['Part\tQty', '\t'],
  ['Part|Qty', '|'],
  ['"a;b;c",d', ','],
  ['Part', ','],
  ['"one; two\nthree",b', ','],
])('the delimiter of %j is %j', (line, delimiter) =>
  expect(findDelimiter(line, {}).delimiter).toBe(delimiter),
)

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const readTable = (text: string): ReturnType<typeof readCsvTable> =>
  readCsvTable(text, 'table.csv', ['date', 'entries'])
const read = async (text: string) => (await readTable(text)).records

describe('the records of a CSV table', () => {
  test.each([
    ['commas and LF', 'date,entries\n2024-01-01,5\n'],
    ['semicolons and CRLF', 'date;entries\r\n2024-01-01;5\r\n'],
    ['no line break at the end', 'date,entries\n2024-01-01,5'],
    ['other case, blanks and quotation marks', ' Date , ENTRIES\n"2024-01-01", "5"\n'],
    ['blank rows', '\ndate,entries\n\n2024-01-01,5\n,\n'],
  ])('are read with %s', async (_, text) => {
    const records = await read(text)
    expect(records.map(({ values }) => values)).toEqual([{ date: '2024-01-01', entries: '5' }])
  })

  test('are separated by what stands between the headings, whatever cells look like', async () => {
    const records = await read('date;entries;note\n2024-01-01;5;"Part Number,Quantity,Manufacturer"\n')
    expect(records[0]!.values).toEqual({
      date: '2024-01-01',
      entries: '5',
      note: 'Part Number,Quantity,Manufacturer',
    })
    const unquoted = await read('date;entries\nPart Number, Qty, Manufacturer, MPN;5\n')
    expect(unquoted[0]!.values).toEqual({ date: 'Part Number, Qty, Manufacturer, MPN', entries: '5' })
  })

  test('know their lines, also after a cell with line breaks', async () => {
    const records = await read('date,entries,note\n2024-01-01,5,"a\nb"\n2024-02-01,6\n')
    expect(records).toEqual([
      { line: 2, values: { date: '2024-01-01', entries: '5', note: 'a\nb' } },
      { line: 4, values: { date: '2024-02-01', entries: '6', note: '' } },
    ])
  })

  test('name the lines of blank rows and of rows with too few cells', async () => {
    const text = '\n,\ndate,entries,note\n\n2024-01-01,5\n,,\n2024-02-01,6,x\n'
    expect(await readTable(text)).toMatchObject({ headingLine: 3, blankLines: [6], shortLines: [5] })
  })

  test.each([
    ['', 'table.csv:1: no column "date"'],
    ['date,count\n2024-01-01,5\n', 'table.csv:1: no column "entries"'],
    ['date,entries\n2024-01-01,5\n2024-02-01,6,more\n', 'table.csv:3: 3 cells, but 2 columns'],
    ['date,entries,date\n2024-01-01,5,2025-01-01\n', 'table.csv:1: two columns "date"'],
    ['date,entries\n"2024-01-01,5\n', 'table.csv:2: a quotation mark is opened here and never closed'],
  ])('%j is a usage failure', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ kind: 'usage', message, details: { file: 'table.csv' } })
  })
})
