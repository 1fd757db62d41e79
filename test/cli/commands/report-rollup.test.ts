import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Rollup } from '../../../src/report/report-result.ts'
import { type CliResult, cli } from '../../support/cli.ts'
import { exemptionXml, fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { testService } from '../../support/service.ts'
import { sheetXml, workbookOf } from '../../support/workbook.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const REACH = listXml('EUREACH-0624', [{ over: 'false' }])
const SVHC = listXml('EUREACH-0624', [{ name: 'Lead', code: '00167', over: 'true' }])
const GOOD = listXml('EUROHS-1907', rohsCategories()) + REACH
const EXEMPT =
  listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true', inside: exemptionXml('6c') } })) + SVHC
const mass = '<Amount value="10" UOM="mg"/>'

const ARCHIVE = zip([
  { name: 'p1.xml', data: fileA(productXml(['P1'], GOOD, { mass })) },
  { name: 'p2.xml', data: fileA(productXml(['P2'], EXEMPT, { mass })) },
  { name: 'p3.xml', data: fileA(productXml(['P3'], GOOD)) },
  { name: 'wire.xml', data: fileA(productXml(['W1'], GOOD, { mass }).replace('"Each"', '"Meter"')) },
])

const NESTED = [
  ['Level', 'Part number', 'Qty'],
  ['0', 'PRODUCT', '1'],
  ['1', 'BOARD', '2'],
  ['2', 'P1', '3'],
  ['2', 'P2', '1'],
  ['1', 'P1', '4'],
]

const asText = (rows: readonly (readonly string[])[], delimiter: string): string =>
  rows.map((row) => `${row.join(delimiter)}\n`).join('')

/** Reports on the archive with a list. */
async function reported(
  list: string | Buffer,
  argv: readonly string[] = [],
  {
    name = 'bom.csv',
    more = {},
  }: { readonly name?: string; readonly more?: Readonly<Record<string, string>> } = {},
): Promise<CliResult & { readonly rollup: Rollup | undefined }> {
  return withFolder(async (cwd) => {
    await writeFile(join(cwd, 'got.zip'), ARCHIVE)
    await writeFile(join(cwd, name), list)
    for (const [file, content] of Object.entries(more)) await writeFile(join(cwd, file), content)
    const result = await cli(
      ['report', 'got.zip', ...Object.keys(more), '--parts-file', name, '--json', ...argv],
      { cwd },
    )
    return { ...result, rollup: result.json().rollup as Rollup | undefined }
  })
}

describe('the roll-up of a product', () => {
  const expected = {
    rohs: 'compliant with exemptions',
    parts: 2,
    pieces: 12,
    withoutData: { parts: [], missing: 0, notDeclared: 0, unreadable: 0 },
    exemptions: [{ exemption: '6(c)', expires: '2027-06-30', parts: ['P2'], count: 1 }],
    svhcs: [{ substance: 'Lead', parts: ['P2'], count: 1 }],
    mass: { mg: 120 },
    assemblies: {
      count: 2,
      lines: [
        { part: 'PRODUCT', quantity: 1, massMg: 120 },
        { part: 'BOARD', quantity: 2, massMg: 40 },
      ],
    },
  }

  it.each([
    ['bom.csv', ';'],
    ['bom.tsv', '\t'],
  ])('of the nested list %s', async (name, delimiter) => {
    const { code, rollup } = await reported(asText(NESTED, delimiter), [], { name })
    expect(code).toBe(0)
    expect(rollup).toMatchObject(expected)
  })

  it('of a workbook with numbers in its cells', async () => {
    const cell = (text: string): string | number => (/^\d+$/.test(text) ? Number(text) : text)
    const book = workbookOf({ Sheet1: sheetXml(NESTED.map((row) => row.map(cell))) })
    const { rollup } = await reported(book, [], { name: 'bom.xlsx' })
    expect(rollup).toMatchObject(expected)
  })

  it('takes its columns by name', async () => {
    const list = 'MPN,Pos,Per board,Qty\nP1,1,2,9\nP2,1.1,3,9\n'
    const { rollup } = await reported(list, ['--quantity-column', 'Per board', '--level-column', '2'])
    expect(rollup?.assemblies.lines).toMatchObject([{ part: 'P1', quantity: 2, declared: true }])
    expect(rollup?.pieces).toBe(6)
  })

  it('is not there without quantities', async () => {
    for (const list of ['MPN\nP1\n', 'MPN,Level\nP1,1\n']) {
      const { rollup, stderr } = await reported(list)
      expect(rollup).toBeUndefined()
      expect(stderr).not.toContain('Product')
    }
  })

  it('is absent if two columns could be the quantity; a warning names the option to use', async () => {
    const { code, rollup, stderr } = await reported('MPN,Qty,Menge\nP1,1,2\n')
    expect(code).toBe(0)
    expect(rollup).toBeUndefined()
    expect(stderr).toContain('2 "Qty", 3 "Menge"')
    expect(stderr).toContain('--quantity-column')
  })

  it('refuses a column that is not there, and reports nothing', async () => {
    const result = await reported('MPN,Qty\nP1,1\n', ['--quantity-column', 'Count'])
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('bom.csv has no column "Count" for the quantity')
    expect(result.json().rows).toBeUndefined()
  })

  it('never reassures: parts without data and rows without a number make it incomplete', async () => {
    const missing = await reported('MPN,Qty\nP1,1\nX-1,1\n')
    expect(missing.rollup).toMatchObject({
      rohs: 'incomplete',
      withoutData: { missing: 1 },
      mass: { mg: null },
    })
    const nameless = await reported('MPN,Qty,Name\nP1,1,x\n,2,screw\n')
    expect(nameless.rollup).toMatchObject({ rohs: 'incomplete', withoutData: { parts: [{ part: 'screw' }] } })
    const unreadable = await reported('MPN,Qty\nP1,1\n', [], { more: { 'broken.xml': '<MainDeclaration>' } })
    expect(unreadable.rollup).toMatchObject({ rohs: 'compliant', withoutData: { unreadable: 1 } })
    expect((await reported('MPN,Qty\nP1,1\n')).rollup?.rohs).toBe('compliant')
  })

  it.each<[string, string, string]>([
    ['P1,1\nP3,1', 'P3', 'no mass is declared'],
    ['P1,1\nW1,0.5', 'W1', 'its mass is per Meter, not per piece'],
    ['P1,1\nP2,', 'P2', 'the quantity is blank'],
    ['P1,1\nP2,2 m', 'P2', 'the quantity is in m, not in pieces'],
  ])('has no total mass for %j', async (rows, part, reason) => {
    const { rollup } = await reported(`MPN,Qty\n${rows}\n`)
    expect(rollup?.mass).toEqual({ mg: null, knownMg: 10, unknown: [{ part, reason }], unknownCount: 1 })
  })

  it('is of today: the newest declaration decides, also one without the number that is on the list', async () => {
    const dated = (date: string, requester: string, info: string): string =>
      fileA(productXml(['N1'], info))
        .replaceAll('2024-09-27', date)
        .replace('<ProductID ', `<ProductID requesterItemNumber="${requester}" `)
    const bad = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } })) + REACH
    const more = {
      'a.xml': dated('2025-01-01', 'R1', GOOD),
      'b.xml': dated('2025-02-01', '', bad),
      'c.xml': dated('2025-01-15', 'R1', GOOD),
    }
    const { rollup } = await reported('MPN,Qty\nR1,1\n', [], { more })
    expect(rollup).toMatchObject({ rohs: 'not compliant', notCompliant: { parts: ['R1'], count: 1 } })
  })

  it('warns of quantities with file and line; strict lists refuse them', async () => {
    const list = 'MPN;Qty\nP1;1,5\nP2;\n'
    const { stderr, rollup } = await reported(list)
    expect(stderr).not.toContain('bom.csv:2: ')
    expect(stderr).toContain('bom.csv:3: the quantity is blank')
    expect(rollup?.mass.knownMg).toBe(15)
    const strict = await reported(list, ['--strict-parts'])
    expect(strict.code).toBe(2)
    expect(strict.rollup).toBeUndefined()
  })

  it('ends the table of a terminal, and is on standard error where the rows go to a pipe or a file', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'got.zip'), ARCHIVE)
      await writeFile(join(cwd, 'bom.csv'), asText(NESTED, ','))
      const argv = ['report', 'got.zip', '--parts-file', 'bom.csv']
      const block = 'bom.csv: 5 of 5 lines doubtful (RoHS compliant with exemptions; REACH: SVHC)'
      const section = 'Product bom.csv (2 parts, 12 pieces)'
      const terminal = await cli(argv, { cwd, isTTY: true, columns: 100 })
      const piped = await cli(argv, { cwd })
      expect(piped.stdout).not.toContain(section)
      expect(piped.stderr).toContain(block)
      expect(`${terminal.stdout}${terminal.stderr}`).toContain(block)
      expect(terminal.stdout).toContain(section)
      expect((await cli([...argv, '-v'], { cwd })).stderr).toContain(section)
      const file = await cli([...argv, '-o', 'r.md'], { cwd })
      expect(file.stderr).toContain(block)
      const page = await readFile(join(cwd, 'r.md'), 'utf8')
      expect(page).toContain(`## ${section}\n\n- `)
      await cli([...argv, '-o', 'r.json'], { cwd })
      expect(JSON.parse(await readFile(join(cwd, 'r.json'), 'utf8')).rollup).toMatchObject(expected)
    })
  })

  it('answers the question in docs/report.md as shown there', async () => {
    const page = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'report.md'), 'utf8')
    const section = page.slice(page.indexOf('## The status of a product'))
    const [, list] = /```csv\n([^`]+)```/.exec(section)!
    const [, command] = /```sh\nmatdecl ([^`]+)```/.exec(section)!
    const [, answer] = /```text\n([^`]+)```/.exec(section)!
    await withFolder(async (cwd) => {
      await mkdir(join(cwd, 'incoming'))
      await writeFile(join(cwd, 'product.csv'), list!)
      const got = await cli(['download', '--sandbox', '--supplier', '100200300', '-o', 'incoming/a.zip'], {
        cwd,
      })
      expect(got.code, got.stderr).toBe(0)
      const { stderr, stdout } = await cli(command!.trim().split(' '), { cwd })
      // Parts without a REACH statement are counted once, in the line on REACH.
      expect(stderr).toContain(answer!.replace(/ {2}no REACH statement.*\n/, ''))
      expect(stdout).toContain('assembly,evaluated from its lines')
    })
  })

  it('names the parts that a gate matches before the assemblies that they are in', async () => {
    await withFolder(async (cwd) => {
      await writeFile(join(cwd, 'got.zip'), ARCHIVE)
      const lines = [
        [0, 'DEVICE'],
        [1, 'BOARD'],
        [2, 'P2'],
        [1, 'NOWHERE-1'],
      ].map(([level, part]) => `${level},${part},1`)
      await writeFile(join(cwd, 'bom.csv'), ['level,part number,quantity', ...lines].join('\n'))
      const argv = ['report', 'got.zip', '--parts-file', 'bom.csv', '--fail-on', 'exemption,missing']
      const { code, stderr } = await cli(argv, { cwd })
      expect(code).toBe(13)
      const [, ...named] = stderr.slice(stderr.indexOf('4 lines match')).split('\n')
      expect(named.slice(0, 2).map((line) => line.trim().split(':', 1)[0])).toEqual(['P2', 'NOWHERE-1'])
      const json = await cli([...argv, '--json'], { cwd })
      expect(JSON.parse(json.stdout).error.problems.slice(2)).toEqual([
        'DEVICE: in its lines: missing, exemption',
        'BOARD: in its lines: exemption',
      ])
    })
  })

  it('comes with the report of a download', async () => {
    await withFolder(async (cwd) => {
      await using service = await testService({ body: ARCHIVE })
      await writeFile(join(cwd, 'bom.csv'), asText(NESTED, ','))
      const argv = ['download', '--base-url', service.url, '--parts-file', 'bom.csv', '-o', 'x.zip']
      const { code, stderr, json } = await cli([...argv, '--report', 'r.json', '--json'], { cwd })
      expect(code, stderr).toBe(0)
      expect(stderr).toContain('Product bom.csv (2 parts, 12 pieces)\n')
      expect(json().report).toMatchObject({ rollup: expected })
      expect(JSON.parse(await readFile(join(cwd, 'r.json'), 'utf8')).rollup).toMatchObject(expected)
    })
  })

  it('does not stop a download without a report, whatever the quantities', async () => {
    await withFolder(async (cwd) => {
      await using service = await testService({ body: ARCHIVE })
      await writeFile(join(cwd, 'bom.csv'), 'MPN,Qty,Menge,Level\nP1,x,,nine\n')
      const argv = ['download', '--base-url', service.url, '--parts-file', 'bom.csv', '-o', 'x.zip']
      const { code, stderr } = await cli([...argv, '--strict-parts'], { cwd })
      expect(code, stderr).toBe(0)
      expect(stderr).not.toMatch(/roll-up|level/)
    })
  })
})
