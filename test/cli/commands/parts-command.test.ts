import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { describe, expect, it, test } from 'vitest'
import { displayWidth } from '../../../src/base/clean-text.ts'
import { expectedLists } from '../../parts/lists/expected.ts'
import { xmlOf } from '../../report/meaning/declarations.ts'
import { type CliResult, cli, tree } from '../../support/cli.ts'
import { sweep } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'

const LISTS = join(import.meta.dirname, '../../parts/lists')
const BOM =
  'Bill of materials\nMaterial:;9000-4711\n\nPos;Artikelnummer;Herstellernummer;Menge;ME\n1;100;A-1;1.250,000;ST\n2;200;B-2;0,750;M\n3;300;TBD;1;ST\n4;400;;2;ST\n5;500;A-1;0;ST\nSumme;;;1254;\n'

async function inFolder(
  files: Readonly<Record<string, string>>,
  argv: readonly string[],
): Promise<CliResult & { files: readonly string[] }> {
  return withFolder(async (cwd) => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
    return { ...(await cli(argv, { cwd })), files: await tree(cwd) }
  })
}

describe('parts', () => {
  it('shows the headings, the columns and why, the parts, and what is skipped', async () => {
    const { code, stdout, stderr } = await inFolder({ 'bom.csv': BOM }, ['parts', 'bom.csv'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe(`bom.csv
  utf-8, columns separated by semicolons
  headings in row 4; 2 rows above the headings (row 1, row 2)
  part number  column 3  Herstellernummer  heading says manufacturer number 6.5, values +4.9: 100 % like part numbers (A-1, B-2)
  quantity     column 4  Menge             heading says quantity 6.0, values +3.3: 50 % decimal (1.250,000, 0,750, 1)
  unit         column 5  ME                heading says unit 5.5, values +1.0: 100 % word (ST, M)
  item         column 1  Pos               heading says item 5.0, values +5.0: 100 % small number (1, 2, 3)

  row  quantity              part number
  5    1250 ST               A-1
  6    0.75 M                B-2
  9    0 ST      not fitted  A-1

  ! 1 placeholder skipped: TBD (row 7)
  ! 1 row without a part number (8)
  ! 1 total skipped: row 10
  6 rows: 3 lines with a part number, 1 without, 2 skipped

2 part numbers, 1 duplicate left out
`)
  })

  it('says that a table has no quantities, also where no other column is known', async () => {
    const { stdout } = await inFolder({ 'p.csv': 'part_id,risk\nP_0001,0.37\nP_0002,0.32\n' }, [
      'parts',
      'p.csv',
    ])
    expect(stdout).toContain('2 lines with a part number, no quantity column')
  })

  it('says that a table without headings has no quantities', async () => {
    const rows = [
      'CAP;GRM188R71C104;x',
      'RES;MF1/4CC75R0F;x',
      'IC;AD8022ARMZ;x',
      'C1;LM358DR;C1',
      'R2;74HC14D;R2',
    ]
    const { stdout } = await inFolder({ 'bom.csv': `${rows.join('\n')}\n` }, [
      'parts',
      'bom.csv',
      '--parts-column',
      '2',
    ])
    expect(stdout).toContain(', no quantity column')
  })

  it.each([
    [12, ''],
    [13, ' …'],
  ])('names the first twelve of %i rows that are skipped, by their values', async (count, rest) => {
    const words = ['TBD', 'N/A', 'DNP', 'none', 'null', 'nil']
    const lines = Array.from({ length: count }, (_, index) => `${words[index % words.length]};1\n`)
    const { stdout } = await inFolder({ 'bom.csv': `Part Number;Qty\n${lines.join('')}A-1;2\n` }, [
      'parts',
      'bom.csv',
    ])
    const named = words.map((word, index) => `${word} (rows ${index + 2}, ${index + 8})`).join(', ')
    expect(stdout).toContain(`  ! ${count} placeholders skipped: ${named}${rest}\n`)
  })

  it('has all of it in --json', async () => {
    const { json, stderr } = await inFolder({ 'bom.csv': BOM }, ['parts', 'bom.csv', '--json'])
    expect(stderr).toBe('')
    expect(json()).toMatchObject({
      schema: 'matdecl.parts/1',
      status: 'ok',
      parts: ['A-1', 'B-2'],
      duplicates: 1,
      lists: [
        {
          file: 'bom.csv',
          encoding: 'utf-8',
          delimiter: ';',
          headingRow: 4,
          columns: expect.arrayContaining([
            {
              role: 'part',
              column: 3,
              heading: 'Herstellernummer',
              why: 'heading says manufacturer number 6.5, values +4.9: 100 % like part numbers',
              examples: ['A-1', 'B-2'],
            },
          ]),
          rows: [
            { row: 5, part: 'A-1', quantity: 1250, unit: 'ST', isFitted: true },
            { row: 6, part: 'B-2', quantity: 0.75 },
            { row: 9, part: 'A-1', quantity: 0, isFitted: false },
          ],
          skipped: [
            { kind: 'placeholder', count: 1, rows: [7], values: ['TBD'] },
            { kind: 'no part number', count: 1, rows: [8], values: [] },
            { kind: 'total', count: 1, rows: [10] },
          ],
        },
      ],
    })
  })

  it('never writes lines that are wider than the terminal', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), BOM)
      const { stdout } = await cli(['parts', 'bom.csv'], {
        cwd,
        env: { COLUMNS: '50' },
        isTerminal: true,
      } as never)
      for (const line of stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(140)
    })
  })

  it('does not run without a list, and says what is wrong with one', async () => {
    expect((await cli(['parts'])).code).toBe(2)
    const gone = await inFolder({}, ['parts', 'gone.csv'])
    expect([gone.code, gone.stdout]).toEqual([2, ''])
    expect(gone.stderr).toContain('the parts list gone.csv does not exist')
  })

  it('prints the candidates of an ambiguous list with the options to copy', async () => {
    const { code, stdout, stderr } = await inFolder({ 'b.csv': 'Part No,Part Number\nA-1,X-1\nB-2,Y-2\n' }, [
      'parts',
      'b.csv',
    ])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('1 "Part No": A-1, B-2')
    expect(stderr).toContain('hint: choose one by its number: --parts-column 1, --parts-column 2')
  })
})

test.each([
  ['parts', 'bom.csv'],
  ['download', '--sandbox', '--parts-file', 'bom.csv', '--report', 'r.json', '-o', 'o.zip'],
  ['sync', '--sandbox', '--library', 'lib', '--parts-file', 'bom.csv'],
  ['check', '--sandbox', '--library', 'lib', 'bom.csv'],
  ['download', '--sandbox', '--parts-file', 'bom.csv', '-o', 'o.zip', '--dry-run'],
  ['sync', '--sandbox', '--library', 'lib', '--parts-file', 'bom.csv', '--dry-run'],
  ['report', 'a.xml', '--parts-file', 'bom.csv'],
  ['report', 'a.xml', '--parts-file', 'bom.csv', '-o', '-'],
  ['report', 'a.xml', '--parts-file', 'bom.csv', '-o', 'o.csv'],
  ['diff', 'a.xml', 'a.xml', '--parts-file', 'bom.csv'],
  ['diff', 'a.xml', 'a.xml', '--parts-file', 'bom.csv', '-o', 'o.md'],
])('%s --json has every warning about the list that the terminal has', async (...argv) => {
  const list =
    'Item,MPN,P/N,Qty A,Menge\n1,ABC-1001,,1,2\n2,,ABC-1002,1,3\n3,MAR-01,,2,4\n4,TBD,,2,4\n5,ABC-1003,,3,1\n'
  const { stderr, json } = await inFolder({ 'bom.csv': list, 'a.xml': xmlOf({ part: 'ABC-1001' }) }, [
    ...argv,
    '--json',
  ])
  const { warnings, warningCount } = json() as { warnings: { message: string }[]; warningCount: number }
  const messages = warnings.map(({ message }) => message)
  const shown = stderr.split('\n').flatMap((line) => /^matdecl: warning: (bom\.csv.*)/.exec(line)?.[1] ?? [])
  expect(shown).not.toEqual([])
  for (const message of shown) expect(messages).toContain(message)
  expect(warningCount).toBe(warnings.length)
  expect(warnings).toContainEqual(expect.objectContaining({ kind: 'date', file: 'bom.csv', line: 4 }))
  expect(warnings).toContainEqual(expect.objectContaining({ kind: 'substitute', file: 'bom.csv' }))
})

describe('parts -o', () => {
  test.each([
    ['-', true],
    ['c.txt', true],
    ['c.csv', false],
  ])(
    '%s says what the list has beside its parts, and what it has no place for',
    async (output, isLeftOut) => {
      const list = 'Item,MPN,Qty\n1,A-100,1\n2,TBD,3\n3,,4\n'
      const { code, stdout, stderr } = await inFolder({ 'bom.csv': list }, ['parts', 'bom.csv', '-o', output])
      expect([code, stdout]).toEqual([0, output === '-' ? 'A-100\n' : `${output}\n`])
      expect(stderr).toContain('bom.csv: 3 rows: 1 line with a part number')
      expect(stderr).toContain('1 placeholder skipped')
      const said = 'warning: 2 lines without a part number are not in a list of part numbers alone'
      expect(stderr.includes(said)).toBe(isLeftOut)
    },
  )

  test('- is standard input and output, one part number per line', async () => {
    const piped = await cli(['parts', '-', '-o', '-'], {
      stdin: Readable.from(['MPN;Qty\nA 1;2\nTBD;1\nB-2;1\n']),
    })
    expect(piped).toMatchObject({ code: 0, stdout: 'A 1\nB-2\n' })
    const both = await cli(['parts', '-', '-o', '-', '--json'], { stdin: Readable.from(['A\n']) })
    expect(both.json()).toMatchObject({ error: { code: 'usage' } })
  })

  const lists = expectedLists.filter((_, index) => index % sweep(9, 1) === 0)
  test.each(['clean.csv', 'clean.tsv'])('%s reads as the same bill of materials', async (output) => {
    for (const { file, options = {}, error } of lists) {
      if (error !== undefined || options.column !== undefined) continue
      await withFolder(async (cwd) => {
        await copyFile(join(LISTS, file), join(cwd, file))
        const encoding = options.encoding === undefined ? [] : ['--encoding', options.encoding]
        const sheet = options.sheet === undefined ? [] : ['--sheet', options.sheet]
        const before = await cli(['parts', file, ...encoding, ...sheet, '--json'], { cwd })
        const written = await cli(['parts', file, ...encoding, ...sheet, '-o', output], { cwd })
        expect([written.code, written.stdout], file).toEqual([0, `${output}\n`])
        const after = await cli(['parts', output, '--json'], { cwd })
        expect(summary(after), file).toEqual(summary(before))
      })
    }
  })

  test.each([
    [
      'lines with an own number only',
      'Pos,MPN,Item Number,Qty\n1,ABC-1,1001,1\n2,,1002,2\n3,,1003,2\n4,,1004,1\n5,,1005,1\n6,,1006,1\n',
      [],
    ],
    [
      'words in the place of part numbers',
      'Name;No.;Count;Of\nsteel plate, blue;1;2;ACME 7\nrubber hose;2;;ACME 7\nM4 bolt;3;4;ACME 7\n',
      ['--parts-column', '1', '--quantity-column', '3', '--manufacturer-column', '4'],
    ],
    ['quantities of three decimals', 'MPN,Qty,Unit\nAB-1,7.239,kg\nAB-2,0.5,kg\nAB-3,12.25,kg\n', []],
  ])('%s are read by the headings of the clean list', async (_, text, options) => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'list.csv'), text)
      const before = await cli(['parts', 'list.csv', ...options, '--json'], { cwd })
      expect((await cli(['parts', 'list.csv', ...options, '-o', 'clean.csv'], { cwd })).code).toBe(0)
      const after = await cli(['parts', 'clean.csv', '--json'], { cwd })
      expect(rolesOf(after)).toEqual(rolesOf(before))
      expect(summary(after)).toEqual(summary(before))
    })
  })

  it('is one part number per line in a text, and never replaces a file', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), BOM)
      expect((await cli(['parts', 'bom.csv', '-o', 'p.txt'], { cwd })).code).toBe(0)
      expect(await readFile(join(cwd, 'p.txt'), 'utf8')).toBe('A-1\nB-2\n')
      expect((await cli(['parts', 'bom.csv', '-o', 'p.txt'], { cwd })).code).toBe(9)
      expect((await cli(['parts', 'bom.csv', '-o', 'p.txt', '--overwrite'], { cwd })).code).toBe(0)
    })
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.csv'), BOM)
      expect((await cli(['parts', 'bom.csv', '-o', './bom.csv', '--overwrite'], { cwd })).code).toBe(2)
      expect(await readFile(join(cwd, 'bom.csv'), 'utf8')).toBe(BOM)
    })
    const refused = await inFolder({ 'bom.csv': BOM }, ['parts', 'bom.csv', '-o', 'p.xlsx'])
    expect([refused.code, refused.files]).toEqual([2, ['bom.csv']])
  })
})

function rolesOf(result: CliResult): unknown {
  const { lists } = result.json() as { lists: { columns: { role: string }[] }[] }
  return lists.map(({ columns }) => columns.map(({ role }) => role).sort())
}

/** The parts of a result, with quantities and whether they are fitted. */
function summary(result: CliResult): unknown {
  const { parts, lists } = result.json() as { parts: unknown; lists: { rows: Record<string, unknown>[] }[] }
  const rows = lists.flatMap((list) =>
    list.rows.map(({ part, quantity, unit, isFitted }) => ({ part, quantity, unit, isFitted })),
  )
  return { parts, rows }
}

test('nothing but a part number is ever in a plan', async () => {
  for (const { file, options = {}, parts, everyNumber, error } of expectedLists) {
    const { encoding, column, sheet } = options
    const argv = [
      ...[
        'download',
        '--base-url',
        'http://127.0.0.1:9',
        '--parts-file',
        join(LISTS, file),
        '--dry-run',
        '--json',
      ],
      ...(encoding === undefined ? [] : ['--encoding', encoding]),
      ...(column === undefined ? [] : ['--parts-column', String(column)]),
      ...(sheet === undefined ? [] : ['--sheet', sheet]),
    ]
    const result = await cli(argv)
    const plan = result.json() as { requests?: { parts: string[] }[] }
    if (error === undefined)
      expect(
        plan.requests?.flatMap((request) => request.parts),
        file,
      ).toEqual(everyNumber ?? parts)
    else expect([result.code, plan.requests], file).toEqual([2, undefined])
  }
})

test.each([
  ['clean.tsv', '\t'],
  ['clean.csv', ','],
])('a clean list has no cell that a spreadsheet runs: %s', async (name, delimiter) => {
  await withFolder(async (cwd) => {
    const list =
      'Part Number,Qty,Description\nLM358DR,1,"""=HYPERLINK(""x"")"""\nBAT54S,2,=1+1\n1N4148,1,a diode\n'
    await writeFile(join(cwd, 'a.csv'), list)
    await cli(['parts', 'a.csv', '-o', name], { cwd })
    const rows: string[][] = parse(await readFile(join(cwd, name), 'utf8'), { delimiter })
    expect(rows.map((cells) => cells.at(-1))).toEqual([
      'Description',
      `'"=HYPERLINK("x")"`,
      '="=1+1"',
      'a diode',
    ])
  })
})
