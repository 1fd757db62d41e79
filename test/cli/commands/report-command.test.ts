import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { REPORT_COLUMNS } from '../../../src/report/columns.ts'
import { extensionsOf, FORMATS } from '../../../src/report/formats/choose-format.ts'
import { cli, tree } from '../../support/cli.ts'
import { fileA, fileB, HEAD, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const GOOD = listXml('EUROHS-1907', rohsCategories()) + listXml('EUREACH-0624', [{ over: 'false' }])
const BAD = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } }))
const SVHC = listXml('EUREACH-0624', [{ name: 'Lead', code: '00167', over: 'true' }])

const ENTRIES = [
  { name: 'good.xml', data: fileA(productXml(['P1', 'P2'], GOOD)) },
  { name: 'sub/bad.xml', data: fileB(productXml(['P3'], BAD + SVHC)) },
  { name: 'broken.xml', data: '<MainDeclaration><Product></MainDeclaration>' },
  { name: 'foreign.xml', data: '<x xmlns="http://std.iec.ch/iec62474"/>' },
  { name: 'readme.txt', data: 'not XML at all' },
]

const WITHOUT_LIST = REPORT_COLUMNS.slice(0, REPORT_COLUMNS.indexOf('line'))

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'bom.zip'), zip(ENTRIES))
    await body(folder)
  })
}

const rowsOf = (csv: string): Record<string, string>[] =>
  parse(csv, { columns: true }) as Record<string, string>[]

describe('matdecl report', () => {
  it('writes CSV to a pipe, a row for each part number, and broken and foreign files as rows', async () => {
    await inFolder(async (cwd) => {
      const { code, stdout, stderr } = await cli(['report', 'bom.zip'], { cwd })
      expect(code).toBe(0)
      expect(stdout.split('\r\n')[0]).toBe(WITHOUT_LIST.join(','))
      const rows = rowsOf(stdout)
      expect(rows.map((row) => [row.part, row.rohs, row.svhc_count, row.status, row.source])).toEqual([
        ['P1', 'compliant', '', 'declared', 'bom.zip!good.xml'],
        ['P2', 'compliant', '', 'declared', 'bom.zip!good.xml'],
        ['P3', 'not compliant', '1', 'declared', 'bom.zip!sub/bad.xml'],
        ['', 'not declared', '', 'unreadable', 'bom.zip!broken.xml'],
        ['', 'not declared', '', 'unreadable', 'bom.zip!foreign.xml'],
      ])
      expect(rows[3]!.note).toContain('not well-formed XML: line 1')
      expect(rows[4]!.note).toContain('an IEC 62474 declaration')
      expect(stderr).toContain('1 entry skipped, not XML: bom.zip!readme.txt')
      expect(stderr.match(/cannot be read/g)).toHaveLength(1)
      expect(stderr).toContain('2 doubtful; 2 files cannot be read: bom.zip!broken.xml, bom.zip!foreign.xml')
    })
  })

  it.each([[[]], [['--json']]])(
    'ends quietly when nobody reads its output, but never without the result of a gate: %j',
    async (more) => {
      await inFolder(async (cwd) => {
        const unread = { cwd, isReaderGone: true }
        expect(await cli(['report', 'bom.zip', ...more], unread)).toMatchObject({ code: 0 })
        const gated = await cli(['report', 'bom.zip', '--fail-on', 'svhc', ...more], unread)
        expect(gated.code).toBe(13)
        expect(gated.stderr).toContain('1 row matches --fail-on svhc')
        await cli(['report', 'bom.zip', '--junit', 'gate.xml', '--fail-on', 'stale:600m', ...more], unread)
        expect(await tree(cwd)).toContain('gate.xml')
        const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
        await cli(['report', 'bom.zip', ...more], { ...unread, env })
        expect(await readFile(join(cwd, 'summary.md'), 'utf8')).toContain('P3')
      })
    },
  )

  it('warns that a gate for missing parts matches nothing without a parts list', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'bom.txt'), 'P1\nP9\n')
      const blind = await cli(['report', 'bom.zip', '--fail-on', 'missing', '-o', 'blind.csv'], { cwd })
      expect(blind.code).toBe(0)
      expect(blind.stderr).toContain(
        'the rule "missing" matches nothing without the list of requested parts: --parts-file',
      )
      const asked = ['report', 'bom.zip', '--fail-on', 'missing', '--parts-file', 'bom.txt', '-o', 'seen.csv']
      const seeing = await cli(asked, { cwd })
      expect(seeing.code).toBe(13)
      expect(seeing.stderr).not.toContain('matches nothing')
    })
  })

  it('reads archives, directories and files together, in the order given', async () => {
    await inFolder(async (cwd) => {
      await mkdir(join(cwd, 'xml', 'deep'), { recursive: true })
      await writeFile(join(cwd, 'xml', 'b.XML'), fileA(productXml(['B'], GOOD)))
      await writeFile(join(cwd, 'xml', 'deep', 'c.xml'), fileA(productXml(['C'], GOOD)))
      await writeFile(join(cwd, 'xml', 'notes.txt'), 'ignored')
      await writeFile(
        join(cwd, 'xml', 'a.zip'),
        zip([{ name: 'a.xml', data: fileA(productXml(['A'], GOOD)) }]),
      )
      await writeFile(join(cwd, 'single'), fileA(productXml(['S'], GOOD)))
      const { stdout } = await cli(['report', 'single', 'xml'], { cwd })
      expect(rowsOf(stdout).map((row) => [row.part, row.source])).toEqual([
        ['S', 'single'],
        ['A', 'xml/a.zip!a.xml'],
        ['B', 'xml/b.XML'],
        ['C', 'xml/deep/c.xml'],
      ])
    })
  })

  it('gives a terminal a table that fits it', async () => {
    await inFolder(async (cwd) => {
      const { stdout } = await cli(['report', 'bom.zip', '--no-color'], { cwd, isTTY: true, columns: 70 })
      expect(stdout).toMatch(/^PART\s+VERDICT\s+ROHS\s+REACH\s+WHY/m)
      expect(stdout).toMatch(/^bom.zip!b~.xml\s+doubtful\s+unreadable$/m)
      expect(stdout).toContain('5 rows from 4 files: 3 declared, 2 unreadable')
      for (const line of stdout.split('\n').slice(0, 6)) expect(line.length).toBeLessThanOrEqual(70)
    })
  })

  it('with --json prints one object with rows and counts', async () => {
    await inFolder(async (cwd) => {
      const result = await cli(['report', 'bom.zip', '--json'], { cwd })
      expect(result.code).toBe(0)
      expect(result.json()).toMatchObject({ schema: 'matdecl.report/1', status: 'ok', kind: 'parts' })
      expect((result.json().rows as unknown[]).length).toBe(5)
      expect(result.json().counts).toMatchObject({
        rows: 5,
        declared: 3,
        unreadable: 2,
        files: 4,
        skipped: 1,
      })
    })
  })

  it.each(extensionsOf(FORMATS))(
    'writes %s whole under its name, and says where on standard output',
    async (ending) => {
      await inFolder(async (cwd) => {
        const file = join('new', `report${ending}`)
        const { code, stdout } = await cli(['report', 'bom.zip', '-o', file], { cwd })
        expect(code).toBe(0)
        expect(stdout).toBe(`${file}\n`)
        expect(await tree(cwd)).toEqual(['bom.zip', 'new', file])
        expect((await readFile(join(cwd, file))).length).toBeGreaterThan(200)
      })
    },
  )

  it('writes CSV to standard output, the same bytes as to a file', async () => {
    await inFolder(async (cwd) => {
      const out = await cli(['report', 'bom.zip'], { cwd })
      expect(out.code).toBe(0)
      expect((await cli(['report', 'bom.zip', '-o', 'any.csv'], { cwd })).stdout).toBe('any.csv\n')
      expect(out.stdoutBytes.equals(await readFile(join(cwd, 'any.csv')))).toBe(true)
      expect((await cli(['report', 'bom.zip', '-o', '-'], { cwd })).stdoutBytes.equals(out.stdoutBytes)).toBe(
        true,
      )
    })
  })

  it('reads an archive from standard input', async () => {
    await inFolder(async (cwd) => {
      const { code, stdout } = await cli(['report', '-'], { cwd, stdinText: zip(ENTRIES) })
      expect(code).toBe(0)
      expect(rowsOf(stdout).map((row) => row.source)).toContain('stdin!sub/bad.xml')
    })
  })

  it('reports on one shard, from the option or the environment', async () => {
    await inFolder(async (cwd) => {
      const shards = await Promise.all(
        [1, 2, 3].map((n) => cli(['report', '.', '--json'], { cwd, env: { MATDECL_SHARD: `${n}/3` } })),
      )
      expect(shards.map(({ code }) => code)).toEqual([0, 0, 0])
      expect(shards.map(({ json }) => json().shard)).toEqual([1, 2, 3].map((index) => ({ index, count: 3 })))
      const rows = shards.flatMap(({ json }) => json().rows as unknown[])
      expect(rows).toEqual((await cli(['report', '.', '--json'], { cwd })).json().rows)
      const summary = await cli(['report', '.', '--shard', '1/1', '-v', '-o', 'r.csv'], { cwd })
      expect(summary.stderr).toContain('shard 1/1 of the sources: the newest declarations within it')
    })
  })

  it.each([
    ['a terminal as a source', ['report', '-'], true, 'the source - is standard input, which is a terminal'],
    ['standard input twice', ['report', '-', '-'], false, 'standard input can be read only once'],
    ['a source and the parts', ['report', '-', '--parts-file', '-'], false, 'can be read only once'],
    ['nothing', ['report', '-'], false, 'standard input is empty'],
    ['an invalid shard', ['report', 'bom.zip', '--shard', '3/2'], false, 'invalid shard "3/2"'],
    [
      'a gate on missing parts',
      ['report', '.', '--shard', '1/2', '--fail-on', 'missing'],
      false,
      'a shard cannot',
    ],
  ])('%s is a mistake: nothing is printed or written', async (_, argv, isTTY, message) => {
    await inFolder(async (cwd) => {
      const stdin = Object.assign(new PassThrough(), { isTTY })
      stdin.end()
      const result = await cli([...argv, '-o', 'r.csv'], { cwd, stdin })
      expect(result.stderr).toContain(message)
      expect([result.code, result.stdout]).toEqual([2, ''])
      expect(await tree(cwd)).toEqual(['bom.zip'])
    })
  })

  it('refuses a name that is taken, unless it may be replaced', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'report.csv'), 'mine')
      const refused = await cli(['report', 'bom.zip', '-o', 'report.csv'], { cwd })
      expect(refused.code).toBe(9)
      expect(await readFile(join(cwd, 'report.csv'), 'utf8')).toBe('mine')
      expect((await cli(['report', 'bom.zip', '-o', 'report.csv', '--overwrite'], { cwd })).code).toBe(0)
      expect(await readFile(join(cwd, 'report.csv'), 'utf8')).toContain('P1')
    })
  })

  it('adds the requested parts that are missing, with near matches', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'parts.txt'), 'P1\np-2\nnowhere\n')
      const { stdout } = await cli(['report', 'bom.zip', '--parts-file', 'parts.txt'], { cwd })
      const missing = rowsOf(stdout).filter((row) => row.status === 'missing')
      expect(missing.map((row) => [row.part, row.rohs, row.note])).toEqual([
        ['p-2', 'not declared', 'requested, not declared; near: P2'],
        ['nowhere', 'not declared', 'requested, not declared'],
      ])
    })
  })

  it('shows the first fifty rows on a terminal, says how to get all, and writes all elsewhere', async () => {
    await inFolder(async (cwd) => {
      const parts = Array.from({ length: 60 }, (_, index) => `PART-${10 + index}`)
      await writeFile(join(cwd, 'many.xml'), fileA(productXml(parts, GOOD)))
      const argv = ['report', 'many.xml', '--no-color', '--no-progress']
      const onTerminal = await cli(argv, { cwd, isTTY: true, columns: 80 })
      expect(onTerminal.stdout.match(/^PART-\d+ /gm)).toHaveLength(50)
      expect(onTerminal.stdout).toContain('\nand 10 more rows: -o FILE writes all of them\n')
      const piped = await cli(argv, { cwd })
      expect(rowsOf(piped.stdout).map(({ part }) => part)).toEqual(parts)
    })
  })

  it('wraps the summary of a file on a terminal, and nowhere else', async () => {
    await inFolder(async (cwd) => {
      const argv = ['report', 'bom.zip', '-o', 'x.csv', '--overwrite', '--no-progress', '--no-color']
      const narrow = await cli(argv, { cwd, isTTY: true, columns: 40 })
      const lines = narrow.stderr.split('\n').filter((line) => line.length > 40 && !line.includes('warning'))
      expect(lines).toEqual([])
      expect(narrow.stderr).toContain('declared, 2\n  unreadable')
      const piped = await cli(argv, { cwd })
      expect(piped.stderr).toContain('5 rows from 4 files: 3 declared, 2 unreadable\n')
    })
  })

  it('is about the parts of the list, unless all are wanted', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'parts.txt'), 'P1\n')
      const argv = ['report', 'bom.zip', '--parts-file', 'parts.txt', '--fail-on', 'not-compliant']
      const listed = await cli([...argv, '-o', 'listed.csv'], { cwd })
      expect(listed.code).toBe(0)
      expect(listed.stderr).toContain(
        '3 rows from 4 files: 1 declared, 2 unreadable; not in the report: 2 declared parts not on the parts list',
      )
      const rows = rowsOf(await readFile(join(cwd, 'listed.csv'), 'utf8'))
      expect(rows.map((row) => row.part)).toEqual(['P1', '', ''])
      const all = await cli([...argv, '--all-parts', '--json'], { cwd })
      expect(all.code).toBe(13)
      expect(all.json()).toMatchObject({ counts: { rows: 5, notListed: 0 }, failOn: { matched: 1 } })
    })
  })

  it('reports the newest declaration of nightly archives, and the older ones with --history', async () => {
    await withFolder(async (cwd) => {
      await mkdir(join(cwd, 'incoming'))
      const nights = [
        ['2026-02-01', BAD],
        ['2026-02-02', BAD],
        ['2026-02-03', GOOD],
      ] as const
      for (const [date, lists] of nights) {
        const head = HEAD.replace('2024-09-27', date)
        const data = fileA(productXml(['P1'], lists), { head })
        await writeFile(join(cwd, 'incoming', `${date}.zip`), zip([{ name: 'p1.xml', data }]))
      }
      const argv = ['report', 'incoming', '--fail-on', 'not-compliant']
      const today = await cli([...argv, '-o', 'today.csv'], { cwd })
      expect(today.code).toBe(0)
      expect(today.stderr).toContain(
        '1 row from 3 files; not in the report: 2 superseded by newer declarations',
      )
      const history = await cli([...argv, '--history'], { cwd })
      expect(history.code).toBe(0)
      expect(rowsOf(history.stdout).map((row) => [row.date, row.rohs, row.status, row.gate])).toEqual([
        ['2026-02-01', 'not compliant', 'superseded', ''],
        ['2026-02-02', 'not compliant', 'superseded', ''],
        ['2026-02-03', 'compliant', 'declared', ''],
      ])
      const only = await cli(['report', 'incoming/2026-02-01.zip', '--fail-on', 'not-compliant'], { cwd })
      expect(only.code).toBe(13)
      expect(rowsOf(only.stdout).map((row) => row.gate)).toEqual(['not-compliant'])
    })
  })

  it('gives the flat table of substances', async () => {
    await withFolder(async (cwd) => {
      const info =
        '<HomogeneousMaterialList><HomogeneousMaterial name="Tin"><Amount value="2" UOM="mg"/><Substance name="Sn"><SubstanceID identity="7440-31-5" authority="CAS"/><Concentration value="100"/></Substance></HomogeneousMaterial></HomogeneousMaterialList>'
      await writeFile(
        join(cwd, 'd.xml'),
        fileA(productXml(['P1'], info, { mass: '<Amount value="4" UOM="mg"/>' })),
      )
      const { stdout } = await cli(['report', 'd.xml', '--substances'], { cwd })
      expect(stdout).toBe(
        'part,material,material_mass_mg,substance,cas,cas_valid,mass_mg,percent_of_material,ppm_of_part,source\r\n' +
          'P1,Tin,2,Sn,7440-31-5,true,2,100,500000,d.xml\r\n',
      )
      const file = await cli(['report', 'd.xml', '--substances', '-o', 'd.csv'], { cwd })
      expect(file.stderr).toContain('1 substance of 1 part from 1 file\n')
    })
  })

  it('says where class C files have no substances to tell', async () => {
    await inFolder(async (cwd) => {
      const { code, stderr } = await cli(['report', 'bom.zip', '--substances', '-o', 's.csv'], { cwd })
      expect(code).toBe(0)
      expect(stderr).toContain(
        'warning: no file declares substances; only class D declarations do: download them with format class D\n',
      )
      expect(stderr).toContain('0 substances')
    })
  })

  it('ends with 13 when a rule of --fail-on matches, and says which row by which rule', async () => {
    await inFolder(async (cwd) => {
      const { code, stdout, stderr } = await cli(['report', 'bom.zip', '--fail-on', 'not-compliant,svhc'], {
        cwd,
      })
      expect(code).toBe(13)
      expect(rowsOf(stdout)).toHaveLength(5)
      expect(stderr).toContain('1 row matches --fail-on not-compliant,svhc')
      expect(stderr).toContain(
        'P3: not-compliant: Lead over the RoHS threshold, no exemption; svhc: Lead above 0.1 % per EUREACH-0624 (bom.zip!sub/bad.xml)',
      )
      expect((await cli(['report', 'bom.zip', '--fail-on', 'missing'], { cwd })).code).toBe(0)
      expect((await cli(['report', 'bom.zip', '--fail-on', 'stale:EUREACH-0125'], { cwd })).code).toBe(13)
    })
  })

  it('puts the result of the gate into the JSON object', async () => {
    await inFolder(async (cwd) => {
      const result = await cli(['report', 'bom.zip', '--json', '--fail-on', 'svhc'], { cwd })
      expect(result.code).toBe(13)
      expect(result.json()).toMatchObject({
        schema: 'matdecl.report/1',
        status: 'failed',
        error: { code: 'policy', exitCode: 13 },
        failOn: { rules: ['svhc'], matched: 1, rows: [{ part: 'P3', rules: ['svhc'] }] },
      })
      const toFile = await cli(['report', 'bom.zip', '--json', '--fail-on', 'svhc', '-o', 'r.csv'], { cwd })
      expect(toFile.code).toBe(13)
      expect(toFile.json()).toMatchObject({ status: 'failed', output: 'r.csv', failOn: { matched: 1 } })
      expect(await readFile(join(cwd, 'r.csv'), 'utf8')).toContain('P3')
    })
  })

  it('writes JUnit and the summary of a GitHub step beside the report', async () => {
    await inFolder(async (cwd) => {
      const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
      const argv = ['report', 'bom.zip', '--fail-on', 'svhc', '--junit', 'junit.xml', '-o', 'r.csv']
      expect((await cli(argv, { cwd, env })).code).toBe(13)
      const junit = await readFile(join(cwd, 'junit.xml'), 'utf8')
      expect(junit).toContain('tests="5" failures="1" errors="0"')
      const summary = await readFile(join(cwd, 'summary.md'), 'utf8')
      expect(summary).toContain('**✗ gate failed: 1 row matches svhc**')
      expect(summary).toContain(
        '| P3 | failed | not compliant | SVHC | Lead over, 1 of 241 entries | Example Parts |',
      )
    })
  })

  it('refuses to replace what it reads, also through a link', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'list.csv'), 'part\nP1\n')
      await symlink('list.csv', join(cwd, 'link.csv'))
      await symlink('bom.zip', join(cwd, 'archive.csv'))
      await writeFile(join(cwd, 'waivers.csv'), 'part,rule,reason,owner,until\nP3,svhc,x,y,2027-01-01\n')
      const before = await Promise.all((await tree(cwd)).map((name) => readFile(join(cwd, name))))
      for (const [words, message] of [
        [['-o', 'list.csv'], 'parts-file and output are the same file'],
        [['-o', 'link.csv'], 'parts-file and output are the same file'],
        [['-o', 'waivers.csv'], 'waivers and output are the same file'],
        [['-o', 'r.csv', '--junit', 'list.csv'], 'parts-file and junit are the same file'],
        [['-o', 'archive.csv'], 'source and output are the same file'],
        [['-o', 'new.html', '--junit', './new.html'], 'output and junit are the same file'],
      ] as const) {
        const inputs = ['--parts-file', 'list.csv', '--waivers', 'waivers.csv', '--fail-on', 'svhc']
        const { code, stderr } = await cli(['report', 'bom.zip', ...inputs, '--overwrite', ...words], { cwd })
        expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
      }
      expect(await Promise.all((await tree(cwd)).map((name) => readFile(join(cwd, name))))).toEqual(before)
    })
  })

  it('prints no command of GitHub Actions but its own', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'parts.txt'), '::stop-commands::x\n##[add-mask]x\n')
      const argv = ['--parts-file', 'parts.txt', '--fail-on', 'missing', '-o', 'r.csv']
      const env = { GITHUB_ACTIONS: 'true' }
      const { code, stderr } = await cli(['report', 'bom.zip', ...argv], { cwd, env })
      expect(code).toBe(13)
      expect(stderr).toContain(
        '\n  \\::stop-commands::x: missing: requested, not declared\n  #\\#[add-mask]x: missing: requested, not declared\n',
      )
      expect(stderr.match(/^\s*::.*|^.*##\[.*/gm)).toEqual([
        '::error title=matdecl policy::2 lines match --fail-on missing%0A::stop-commands::x: missing: requested, not declared%0A##[add-mask]x: missing: requested, not declared',
      ])
      const plain = await cli(['report', 'bom.zip', ...argv, '--overwrite'], { cwd })
      expect(plain.stderr).toContain('\n  ::stop-commands::x: missing: requested, not declared\n')
    })
  })

  it('warns of a summary page that cannot be written', async () => {
    await inFolder(async (cwd) => {
      const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'no', 'such', 'file') }
      const { code, stdout, stderr } = await cli(['report', 'bom.zip', '-o', 'r.csv'], { cwd, env })
      expect([code, stdout]).toEqual([0, 'r.csv\n'])
      expect(stderr).toContain('warning: the step summary was not written')
    })
  })

  it('names a broken link in a directory as unreadable', async () => {
    await withFolder(async (cwd) => {
      await symlink('nothing', join(cwd, 'gone.xml'))
      const { code, stdout, stderr } = await cli(['report', '.'], { cwd })
      expect(code).toBe(0)
      expect(stdout).toContain('unreadable,"is a broken link, or was just removed",./gone.xml')
      expect(stderr).toContain('1 file cannot be read')
    })
  })

  it('warns when there is nothing to report', async () => {
    await withFolder(async (cwd) => {
      const { code, stdout, stderr } = await cli(['report', '.'], { cwd })
      expect(code).toBe(0)
      expect(stdout).toBe(`${WITHOUT_LIST.join(',')}\r\n`)
      expect(stderr).toContain('nothing to report')
    })
  })

  it('prints the summary and the reference tables to standard error beside rows in a pipe', async () => {
    await inFolder(async (cwd) => {
      const { stdout, stderr } = await cli(['report', 'bom.zip'], { cwd })
      expect(rowsOf(stdout)).toHaveLength(5)
      expect(stderr).toContain('5 rows from 4 files: 3 declared, 2 unreadable')
      expect(stderr).toMatch(/reference tables: svhc-updates\.csv .*newest date/)
    })
  })

  it('prints nothing but the rows with --quiet, and nothing at all beside a file', async () => {
    await inFolder(async (cwd) => {
      const rows = await cli(['report', 'bom.zip', '-q'], { cwd })
      expect(rowsOf(rows.stdout)).toHaveLength(5)
      expect(rows.stderr).toBe('')
      const file = await cli(['report', 'bom.zip', '-q', '-o', 'r.csv'], { cwd })
      expect(file.stdout + file.stderr).toBe('')
      expect(await tree(cwd)).toEqual(['bom.zip', 'r.csv'])
    })
  })

  it.each([
    ['no source and no library', ['report'], 2, 'there is no library at'],
    ['a source that is not there', ['report', 'nowhere.zip'], 2, 'no such file'],
    ['a second source that is not there', ['report', 'bom.zip', 'nowhere.zip'], 2, 'no such file'],
    ['an ending nobody knows', ['report', 'bom.zip', '-o', 'report.pdf'], 2, 'unknown file extension'],
    ['a wrong word', ['report', 'bom.zip', '--fail-on', 'not-complaint'], 2, 'did you mean not-compliant?'],
    ['an empty parts list', ['report', 'bom.zip', '--parts-file', 'empty.txt'], 2, 'empty.txt'],
  ])('%s is a mistake, and nothing is written', async (_, argv, code, message) => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'empty.txt'), '\n')
      const result = await cli(argv, { cwd })
      expect(result.code).toBe(code)
      expect(result.stderr).toContain(message)
      expect(result.stdout).toBe('')
      expect(await tree(cwd)).toEqual(['bom.zip', 'empty.txt'])
    })
  })

  it('refuses a damaged archive with 8 and leaves no file', async () => {
    await inFolder(async (cwd) => {
      const bytes = zip([
        { name: 'a.xml', data: fileA(productXml(['P1'], GOOD)), central: { crc32: 1 }, local: { crc32: 1 } },
      ])
      await writeFile(join(cwd, 'damaged.zip'), bytes)
      const result = await cli(['report', 'bom.zip', 'damaged.zip', '-o', 'r.csv'], { cwd })
      expect(result.code).toBe(8)
      expect(result.stderr).toContain('damaged.zip: "a.xml"')
      expect(result.stderr).toContain('CRC-32')
      expect(result.stdout).toBe('')
      expect(await tree(cwd)).toEqual(['bom.zip', 'damaged.zip'])
    })
  })

  it('keeps to one JSON object when an archive turns out damaged in the middle of the rows', async () => {
    await inFolder(async (cwd) => {
      const bytes = zip([
        { name: 'a.xml', data: fileA(productXml(['P1'], GOOD)), central: { crc32: 1 }, local: { crc32: 1 } },
      ])
      await writeFile(join(cwd, 'damaged.zip'), bytes)
      const result = await cli(['report', 'bom.zip', 'damaged.zip', '--json'], { cwd })
      expect(result.code).toBe(8)
      expect(result.json()).toMatchObject({
        schema: 'matdecl.report/1',
        status: 'failed',
        error: { code: 'archive', exitCode: 8 },
      })
    })
  })

  it('refuses an unsafe archive before a single row', async () => {
    await inFolder(async (cwd) => {
      await writeFile(
        join(cwd, 'unsafe.zip'),
        zip([{ name: '../evil.xml', data: fileA(productXml(['P1'], GOOD)) }]),
      )
      const result = await cli(['report', 'unsafe.zip'], { cwd })
      expect(result.code).toBe(8)
      expect(result.stdout).toBe('')
    })
  })
})
