import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli } from '../support/cli.ts'
import { withFolder } from '../support/world.ts'
import { type Folder, TODAY, writeFolder } from './meaning/cases.ts'
import { other, reach, rohs } from './meaning/declarations.ts'

const GOOD = { lists: [rohs(), reach()] }
const BAD = { lists: [rohs({ Pb: true }), reach()] }
const NOW = Date.parse(`${TODAY}T12:00:00Z`)

interface Answer {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly verdict: string
  readonly products: readonly {
    readonly list: string
    readonly verdict: string
    readonly passed?: boolean
    readonly counts: Readonly<Record<string, number>>
    readonly findings: readonly { readonly line: number; readonly rule: string }[]
  }[]
}

/** A report of these declarations on lists, as JSON. */
async function answer(
  files: Folder,
  lists: Readonly<Record<string, string>>,
  ...options: readonly string[]
): Promise<Answer & { readonly code: number; readonly stderr: string }> {
  return withFolder(async (cwd) => {
    await writeFolder(join(cwd, 'xml'), files)
    for (const [name, text] of Object.entries(lists)) await writeFile(join(cwd, name), text)
    const named = Object.keys(lists)
      .filter((name) => name.endsWith('.csv') && !name.startsWith('w-'))
      .flatMap((name) => ['--parts-file', name])
    const result = await cli(['report', 'xml', ...named, '--json', ...options], {
      cwd,
      nowMs: NOW,
    })
    return { ...(result.json() as unknown as Answer), code: result.code, stderr: result.stderr }
  })
}

const DECLARED: Folder = {
  a: { part: 'AB-1001', ...GOOD },
  b: { part: 'AB-1002', ...BAD },
  c: { part: 'AB-1003', ...GOOD },
}

const LIST = `Item,Level,Part Number,Quantity,Description
1,0,AB-9000,1,Product
2,1,AB-1001,2,Resistor
3,1,TBD,1,Spacer
4,1,AB-9001,1,Board
5,2,AB-1001,4,Resistor
6,2,AB-1002,0,Not used
7,1,AB-7777,3,Capacitor
`

test('with a list its lines are the rows, in its order, none merged, with its own columns', async () => {
  const { rows } = await answer(DECLARED, { 'bom.csv': LIST })
  expect(rows.map(({ line, part, status, verdict }) => [line, part, status, verdict])).toEqual([
    [2, 'AB-9000', 'assembly', 'doubtful'],
    [3, 'AB-1001', 'declared', 'clean'],
    [4, '', 'missing', 'doubtful'],
    [5, 'AB-9001', 'assembly', 'clean'],
    [6, 'AB-1001', 'declared', 'clean'],
    [7, 'AB-1002', 'not fitted', ''],
    [8, 'AB-7777', 'missing', 'doubtful'],
  ])
  const missing = rows.at(-1)!
  expect(missing).toMatchObject({
    item: '7',
    level: '1',
    quantity: 3,
    description: 'Capacitor',
    name: 'Capacitor',
  })
  expect(rows[1]).toMatchObject({ used_in: 'AB-9000 (2); AB-9001 (4)' })
})

test('a number that a row below repeats is no alternate, and the next row has alternates of the line', async () => {
  const list = 'Item,Part Number,Quantity\n1,AB-1001,2\n,AB-1001,\n,AB-1002,\n2,AB-1003,1\n'
  const { rows } = await answer(DECLARED, { 'bom.csv': list })
  expect(rows.map(({ line, part, alternate }) => [line, part, alternate])).toEqual([
    [2, 'AB-1001', null],
    [2, 'AB-1002', 1],
    [5, 'AB-1003', null],
  ])
})

test('a line without a number and a missing one keep the product from passing', async () => {
  const { code, products, verdict } = await answer(
    DECLARED,
    { 'bom.csv': LIST },
    '--fail-on',
    'failed,doubtful',
  )
  expect([code, verdict, products[0]!.passed]).toEqual([13, 'doubtful', false])
  expect(products[0]!.counts).toMatchObject({ lines: 7, failed: 0, doubtful: 3, clean: 3, notFitted: 1 })
  expect(products[0]!.findings.map(({ line, rule }) => [line, rule])).toEqual([
    [4, 'missing'],
    [8, 'missing'],
  ])
})

test('a gate that has passed never stands beside a product that one of its rules describes', async () => {
  const { code, stderr } = await answer(DECLARED, { 'bom.csv': LIST }, '--fail-on', 'incomplete')
  expect(code).toBe(13)
  expect(stderr).not.toContain('gate passed')
})

describe('alternates of a line', () => {
  const list =
    'Item,Part Number,Alternate PN,Quantity\n1,AB-1001,AB-1002,1\n2,AB-1003,AB-7777,1\n3,AB-7778,AB-7779,1\n'

  test('have a row each with the same line; a line is the worst of them', async () => {
    const { rows, products } = await answer(DECLARED, { 'bom.csv': list })
    expect(
      rows.map(({ line, part, alternate, verdict, findings }) => [line, part, alternate, verdict, findings]),
    ).toEqual([
      [2, 'AB-1001', null, 'clean', ''],
      [2, 'AB-1002', 1, 'failed', 'not-compliant'],
      [3, 'AB-1003', null, 'clean', ''],
      [3, 'AB-7777', 1, 'doubtful', 'alternate-missing'],
      [4, 'AB-7778', null, 'doubtful', 'missing'],
      [4, 'AB-7779', 1, 'doubtful', 'missing'],
    ])
    expect(products[0]!.counts).toMatchObject({ lines: 3, failed: 1, doubtful: 2, clean: 0 })
  })
})

test('several lists are several products', async () => {
  const lists = {
    'a.csv': 'Part Number,Quantity\nAB-1001,1\n',
    'b.csv': 'Part Number,Quantity\nAB-1001,2\nAB-1002,1\n',
  }
  const { rows, products, verdict } = await answer(DECLARED, lists)
  expect(products.map((one) => [one.list, one.verdict])).toEqual([
    ['a.csv', 'clean'],
    ['b.csv', 'failed'],
  ])
  expect(verdict).toBe('failed')
  expect(rows.map(({ part, used_in }) => [part, used_in])).toEqual([
    ['AB-1001', 'a.csv (1); b.csv (2)'],
    ['AB-1001', 'a.csv (1); b.csv (2)'],
    ['AB-1002', 'b.csv (1)'],
  ])
})

test('a row that is not fitted is no use of its part', async () => {
  const list =
    'Level,Part Number,Quantity,Fitted\n0,AB-9000,1,\n1,AB-1001,2,\n1,AB-1001,3,DNP\n1,AB-1002,1,DNP\n'
  const { rows } = await answer(DECLARED, { 'bom.csv': list })
  expect(rows.map(({ status, used_in }) => [status, used_in])).toEqual([
    ['assembly', ''],
    ['declared', 'AB-9000 (2)'],
    ['not fitted', 'AB-9000 (2)'],
    ['not fitted', ''],
  ])
})

test('check shows a waived file that cannot be read, with who, why and until when', async () => {
  await withFolder(async (cwd) => {
    await writeFolder(join(cwd, 'xml'), DECLARED)
    await writeFile(join(cwd, 'xml', 'stray.xml'), 'x')
    await writeFile(join(cwd, 'bom.csv'), 'Part Number,Quantity\nAB-1001,1\n')
    await writeFile(
      join(cwd, 'w.csv'),
      'part,rule,reason,owner,until\nstray.xml,unreadable,a note,Jo,2027-01-31\n',
    )
    const options = ['--library', 'xml', '--offline', '--waivers', 'w.csv']
    const { code, stdout } = await cli(['check', 'bom.csv', ...options], { cwd, nowMs: NOW })
    expect(code).toBe(0)
    expect(stdout).toContain('with 1 waived finding')
    expect(stdout).toContain('stray.xml: unreadable, waived until 2027-01-31: a note (Jo)')
  })
})

test('a letter on lists of two declarations that contradict each other says so', async () => {
  await withFolder(async (cwd) => {
    const lead = other('IEC_62474 D19.00', {
      'Lead/lead compounds': { over: true, threshold: '0.1% of homogeneous material' },
    })
    await writeFolder(join(cwd, 'xml'), {
      a: { part: 'AB-1001', date: '2025-03-01', ...GOOD },
      b: { part: 'AB-1001', date: '2025-05-01', lists: [lead] },
    })
    await cli(['report', 'xml', '-o', 'x.json', '--requests', 'ask'], { cwd, nowMs: NOW })
    const letters = await readFile(join(cwd, 'ask', 'requests.csv'), 'utf8')
    expect(letters).toContain(
      'your declaration of 2025-05-01 states Lead/lead compounds as over in IEC_62474 D19.00; another declaration of the part has it as not over in EUROHS-1907. Which is right?',
    )
  })
})

test('in JUnit an assembly with a line that failed has failed', async () => {
  await withFolder(async (cwd) => {
    await writeFolder(join(cwd, 'xml'), DECLARED)
    await writeFile(
      join(cwd, 'bom.csv'),
      'Level,Part Number,Quantity\n0,AB-9000,1\n1,AB-1002,1\n1,AB-1008,1\n',
    )
    const options = ['--parts-file', 'bom.csv', '--fail-on', 'failed,doubtful', '--junit', 'j.xml']
    await cli(['report', 'xml', ...options], { cwd, nowMs: NOW })
    const xml = await readFile(join(cwd, 'j.xml'), 'utf8')
    expect(xml).toContain('<failure type="failed" message="lines in it: failed, doubtful">')
  })
})

test('declared parts that are not on the list are counted, neither shown nor gated, unless --all-parts', async () => {
  const list = { 'bom.csv': 'Part Number,Quantity\nAB-1001,1\n' }
  const without = await answer(DECLARED, list, '--fail-on', 'failed,doubtful')
  expect([without.code, without.rows.length]).toEqual([0, 1])
  const all = await answer(DECLARED, list, '--fail-on', 'failed,doubtful', '--all-parts')
  expect([all.code, all.rows.length]).toEqual([13, 3])
})

describe('a manufacturer on the list', () => {
  const list = (name: string): string => `Part Number,Manufacturer,Quantity\nAB-1001,${name},1\n`
  const declared: Folder = { a: { part: 'AB-1001', supplier: 'Texas Instruments Incorporated', ...GOOD } }

  test.each([
    ['Texas Instruments', 'clean', ''],
    ['TI', 'clean', ''],
    ['TEXAS INSTRUMENTS (Europe)', 'clean', ''],
    ['Murata', 'doubtful', 'other-manufacturer'],
  ])('%s beside a declaration of Texas Instruments Incorporated is %s', async (name, verdict, findings) => {
    const { rows } = await answer(declared, { 'bom.csv': list(name) })
    expect(rows).toEqual([expect.objectContaining({ verdict, findings })])
  })

  test('a file of aliases adds to the table', async () => {
    const lists = { 'bom.csv': list('Tex Parts'), 'w-names.csv': 'name,alias\nTexas Instruments,Tex Parts\n' }
    const { rows } = await answer(declared, lists, '--manufacturers', 'w-names.csv')
    expect(rows[0]).toMatchObject({ verdict: 'clean' })
  })
})

test('a waiver for the part of one supplier is for no other', async () => {
  const waivers = (supplier: string): string =>
    `part,rule,reason,owner,until,supplier\nAB-1002,not-compliant:lead,last time buy,Jo,2027-01-31,${supplier}\n`
  const files: Folder = { b: { part: 'AB-1002', supplier: 'Acme Ltd', ...BAD } }
  const run = (supplier: string) =>
    answer(
      files,
      { 'bom.csv': 'Part Number,Quantity\nAB-1002,1\n', 'w-1.csv': waivers(supplier) },
      '--waivers',
      'w-1.csv',
      '--fail-on',
      'failed',
    )
  expect((await run('ACME')).code).toBe(0)
  expect((await run('')).code).toBe(0)
  expect((await run('Other')).code).toBe(13)
})

test('--annotate writes the list back with the answers to the right', async () => {
  await withFolder(async (cwd) => {
    await writeFolder(join(cwd, 'xml'), DECLARED)
    const list = `My product,,\n\nPart Number,Quantity,Remark\nAB-1001,1,"a, b"\nTBD,2,\nAB-1002,1,x\n`
    await writeFile(join(cwd, 'bom.csv'), list)
    const options = ['--parts-file', 'bom.csv', '--annotate', '-o', 'checked.csv']
    const result = await cli(['report', 'xml', ...options], { cwd, nowMs: NOW })
    expect(result.code).toBe(0)
    const lines = (await readFile(join(cwd, 'checked.csv'), 'utf8')).split('\r\n')
    expect(lines[0]).toBe('My product,,')
    expect(lines[2]).toMatch(/^Part Number,Quantity,Remark,Verdict,Status,RoHS,REACH,/)
    expect(lines[3]).toMatch(/^AB-1001,1,"a, b",clean,declared,compliant,no SVHC,/)
    expect(lines[4]).toMatch(/^TBD,2,,doubtful,missing,/)
    expect(lines[5]).toMatch(/^AB-1002,1,x,failed,declared,not compliant,.*not-compliant/)
  })
})

test('--explain prints why, every statement with file, line and date, and the line of a waiver', async () => {
  await withFolder(async (cwd) => {
    await writeFolder(join(cwd, 'xml'), DECLARED)
    const { code, stdout } = await cli(['report', 'xml', '--explain', 'AB-1002'], {
      cwd,
      nowMs: NOW,
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/failed: .*Lead/)
    expect(stdout).toMatch(/RoHS Lead: over \([\w-]+, .*b\b.*:\d+, \d{4}-\d\d-\d\d\)/)
    expect(stdout).toContain('AB-1002,not-compliant')
    for (const part of ['NOPE', ''])
      expect((await cli(['report', 'xml', '--explain', part], { cwd, nowMs: NOW })).code).toBe(2)
  })
})
