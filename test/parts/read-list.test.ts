import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SILENT } from '../../src/base/notice.ts'
import type { PartsResult } from '../../src/parts/parts-result.ts'
import { shownParts } from '../support/parts.ts'
import { testWorld, withFolder } from '../support/world.ts'

function read(text: string, name = 'bom.csv'): Promise<PartsResult> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, name), text)
    return shownParts(
      testWorld({ cwd: folder }),
      { parts: [], files: [name], columns: {}, strict: false },
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

  test('notes, as far as they have no quantity', async () => {
    const rows = [HEADINGS, '1;A-1;2;x', 'Notes:;;;', '1;Use torque wrench;;', '2;B-1;2;y', '3;B-2;;z']
    expect(await taken(...rows)).toEqual([['A-1', 'B-1', 'B-2'], { footer: [3, 4] }])
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

test('a first row that is only guessed to be a heading is named', async () => {
  expect(await taken('Zeug', 'A-1', 'A-2')).toEqual([['A-1', 'A-2'], { heading: [1] }])
})

test.each(['bom.txt', 'bom.csv'])('%s with columns of a fixed width is refused', async (name) => {
  const table =
    'Part     Value     Device       Package  MPN\n\nC1       100n      C-EUC0402    C0402    GRM155\n'
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
