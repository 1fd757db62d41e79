import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { wrongAccounts } from '../../support/accounts.ts'
import { cli } from '../../support/cli.ts'
import { fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { withFolder } from '../../support/world.ts'

const SOURCE = fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories())))

interface Table {
  readonly option: string
  readonly head: string
  readonly row: string
  /** The row without a value that it must have, and what is wrong with it. */
  readonly bad: readonly [row: string, message: string]
  /** A column that it may have, misspelt. */
  readonly misspelt?: readonly [column: string, meant: string]
}

const TABLES: readonly Table[] = [
  {
    option: '--waivers',
    head: 'part,rule,reason,owner,until',
    row: 'P1,svhc,known,JD,2030-01-01',
    bad: ['P1,svhc,,JD,2030-01-01', 'reason: expected why'],
    misspelt: ['suplier', 'supplier'],
  },
  {
    option: '--manufacturers',
    head: 'name,alias',
    row: 'Hypothetical Semiconductor,HS',
    bad: [',HS', 'name: expected the name'],
  },
  {
    option: '--substance-list',
    head: 'cas,name,threshold,of',
    row: '7439-92-1,Lead,0.1 %,material',
    bad: [',Lead,0.1 %,material', 'cas: expected a CAS number'],
  },
  {
    option: '--svhc-updates',
    head: 'date,entries,confidence',
    row: '2024-01-23,240,sure',
    bad: [',240,sure', 'date: expected a calendar date'],
    misspelt: ['sourse', 'source'],
  },
  {
    option: '--svhc-substances',
    head: 'entry,cas,name',
    row: '1,7439-92-1,Lead',
    bad: [',7439-92-1,Lead', 'entry: expected the number'],
    misspelt: ['includet', 'included'],
  },
  {
    option: '--rohs-substances',
    head: 'group,cas,share',
    row: 'Lead,7439-92-1,1',
    bad: [',7439-92-1,1', 'group: expected a restricted group'],
    misspelt: ['sorce', 'source'],
  },
  {
    option: '--rohs-exemptions',
    head: 'exemption,annex,expires,confidence',
    row: '6(c),III,2027-06-30,sure',
    bad: [',III,2027-06-30,sure', 'exemption: expected an exemption number'],
    misspelt: ['substanse', 'substance'],
  },
]

async function report(option: string, text: string, name = 'own.csv') {
  return withFolder(async (cwd) => {
    await writeFile(join(cwd, 'p.xml'), SOURCE)
    await writeFile(join(cwd, name), text)
    return cli(['report', 'p.xml', option, name, '--json'], { cwd })
  })
}

describe.each(TABLES)('the file of $option', ({ option, head, row, bad, misspelt }) => {
  const cells = row.split(',').length

  test('is read as it is, and counted', async () => {
    const run = await report(option, `${head}\n${row}\n`)
    expect(run.code, run.stderr).toBe(0)
    expect(run.json().account).toMatchObject({ records: { in: 1, used: 1, named: [] } })
    expect(run.stderr).not.toContain('own.csv:')
  })

  test('names blank rows, rows with too few cells and columns that are not read', async () => {
    const short = `${head},ticket\n${','.repeat(cells)}\n${row},T-1\n${row.replace('2024-01-23', '2025-01-21')}\n`
    const run = await report(option, short)
    expect(run.code, run.stderr).toBe(0)
    expect(run.stderr).toContain(
      `own.csv: 1 blank row (line 2); 1 row has fewer cells than the ${cells + 1} columns (line 4): what lacks is read as empty; a column is not read: "ticket"`,
    )
    expect(wrongAccounts(run.json())).toEqual([])
    expect(run.json().account).toMatchObject({
      records: { in: 3, used: 2, named: [{ reason: 'blank', count: 1, places: ['own.csv:2'] }] },
    })
  })

  test.each([
    ['a cell too many', `${head}\n${row},more\n`, `own.csv:2: ${cells + 1} cells, but ${cells} columns`],
    ['no value where one is needed', `${head}\n${row}\n${bad[0]}\n`, `own.csv:3: ${bad[1]}`],
    [
      'a column twice',
      `${head},${head.split(',')[0]}\n${row},x\n`,
      `own.csv:1: two columns "${head.split(',')[0]}"`,
    ],
    [
      'a row that a quotation mark swallows',
      `${head}\n"${row}\n`,
      'own.csv:2: a quotation mark is opened here',
    ],
  ])('is an error with %s', async (_, text, message) => {
    const run = await report(option, text)
    expect(run.code, run.stderr).toBe(2)
    expect(run.stderr).toContain(message)
  })

  test.runIf(misspelt !== undefined)('is an error with a misspelt column that it may have', async () => {
    const [column, meant] = misspelt!
    const run = await report(option, `${head},${column}\n${row},x\n`)
    expect(run.code, run.stderr).toBe(2)
    expect(run.stderr).toContain(`own.csv:1: no column "${column}" is known: is it "${meant}"?`)
  })
})

test.each([
  '--substance-list',
  '--svhc-updates',
  '--svhc-substances',
  '--rohs-substances',
  '--rohs-exemptions',
])('a file of %s without rows is an error', async (option) => {
  const { head } = TABLES.find((one) => one.option === option)!
  const run = await report(option, `${head}\n`)
  expect(run.code, run.stderr).toBe(2)
  expect(run.stderr).toContain('own.csv: the table has no rows')
})

test.each(['--waivers', '--manufacturers'])('a file of %s without rows is named', async (option) => {
  const { head } = TABLES.find((one) => one.option === option)!
  const run = await report(option, `${head}\n`)
  expect(run.code, run.stderr).toBe(0)
  expect(run.stderr).toContain('matdecl: warning: own.csv: the table has no rows')
  expect(run.json().account).toMatchObject({ records: { in: 0, used: 0, named: [] } })
})

test.each([
  ['--waivers', 'P1,svhc,known,JD,2030-13-01', "until: invalid value '2030-13-01': expected the last day"],
  [
    '--substance-list',
    '7439-92-2,Lead,0.1 %,material',
    "cas: invalid value '7439-92-2': expected a CAS number",
  ],
  [
    '--substance-list',
    '7439-92-1,Lead,0.1 %,lot',
    "of: invalid value 'lot': expected material, article or any",
  ],
  ['--svhc-updates', '2026-02-30,240,sure', "date: invalid value '2026-02-30': expected a calendar date"],
])('a file of %s with %s names the value', async (option, row, message) => {
  const { head } = TABLES.find((one) => one.option === option)!
  const run = await report(option, `${head}\n${row}\n`)
  expect(run.code).toBe(2)
  expect(run.stderr).toContain(`own.csv:2: ${message}`)
})

test('the result of a download counts the rows of the tables that its report is judged by', () =>
  withFolder(async (cwd) => {
    const { head, row } = TABLES.find(({ option }) => option === '--svhc-updates')!
    await writeFile(join(cwd, 'own.csv'), `${head}\n${row}\n`)
    const argv = ['download', '--sandbox', '--part', 'EXC188R60004KA', '-o', 'x.zip', '--json']
    const run = await cli([...argv, '--report', 'r.csv', '--svhc-updates', 'own.csv'], { cwd })
    expect(run.json().account).toMatchObject({ records: { in: 1, used: 1, named: [] } })
    const without = await cli([...argv, '--overwrite'], { cwd })
    expect(without.json().account).not.toHaveProperty('records')
  }))

test('waivers in TOML name keys that are not read, and refuse a misspelt one', async () => {
  const waiver =
    '[[waiver]]\npart = "P1"\nrule = "svhc"\nreason = "known"\nowner = "JD"\nuntil = 2030-01-01\n'
  const named = await report('--waivers', `${waiver}ticket = "T-1"\n`, 'own.toml')
  expect(named.code, named.stderr).toBe(0)
  expect(named.stderr).toContain('own.toml: a column is not read: "ticket"')
  const refused = await report('--waivers', `${waiver}\n${waiver}suplier = "X"\n`, 'own.toml')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('own.toml:8: no column "suplier" is known: is it "supplier"?')
})

test('the strictest row of a substance counts, however many rows it has', async () => {
  const { createSubstanceTables } = await import('../../../src/compliance/recognize.ts')
  const substances = Array.from({ length: 1000 }, (_, index) => ({
    cas: '7439-92-1',
    name: `Lead ${index % 10}`,
    percent: 1 + ((index * 7) % 1000),
    of: index % 2 === 0 ? ('material' as const) : ('article' as const),
  }))
  const [list] = createSubstanceTables([], [], [{ name: 'own', substances }]).lists
  expect(list!.byCas.get('7439-92-1')!.map(({ of, percent }) => [of, percent])).toEqual([
    ['material', 1],
    ['article', 2],
  ])
  expect(list!.byName.size).toBeGreaterThanOrEqual(10)
  for (const rows of list!.byName.values()) expect(rows.length).toBeLessThanOrEqual(2)
})

test('a rule for a substance list that is not given is refused: nothing would match it', () =>
  withFolder(async (cwd) => {
    await writeFile(join(cwd, 'a.xml'), SOURCE)
    await writeFile(join(cwd, 'Mine.csv'), 'cas,name,threshold,of\n7439-92-1,Lead,0.1 %,material\n')
    const given = ['--substance-list', 'Mine.csv']
    for (const [argv, hint] of [
      [['report', 'a.xml'], 'give the list: --substance-list'],
      [['report', 'a.xml', ...given], 'there are indicated:Mine: --fail-on'],
      [['diff', 'a.xml', 'a.xml'], 'give the list'],
    ] as const) {
      const { code, stdout, stderr } = await cli([...argv, '--fail-on', 'failed,indicated:myne'], { cwd })
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toBe(
        `matdecl: error: the rule indicated:myne names a substance list that is not given\n  hint: ${hint}\n`,
      )
    }
    const known = await cli(['report', 'a.xml', ...given, '--fail-on', 'indicated:mine'], { cwd })
    expect(known.code, known.stderr).toBe(0)
  }))
