import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, test } from 'vitest'
import { cli } from '../../support/cli.ts'
import { fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const GOOD = fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories())))
const REQUEST = GOOD.replace('mode="Distribute"', 'mode="Request"')

/** Sources without a declaration, as files of a directory. */
const NOTHING: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>> = {
  'no file': {},
  'hidden files': { '.hidden.xml': GOOD, '.DS_Store': 'x' },
  'other files': { 'readme.txt': 'text' },
  'an archive of other files': { 'a.zip': zip([{ name: 'readme.txt', data: 'text' }]) },
  'an empty archive': { 'a.zip': zip([]) },
}

async function inFolder(
  files: Readonly<Record<string, string | Buffer>>,
  body: (cwd: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (cwd) => {
    await mkdir(join(cwd, 'got'))
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, 'got', name)), { recursive: true })
      await writeFile(join(cwd, 'got', name), content)
    }
    await writeFile(join(cwd, 'dnp.csv'), 'MPN,Qty,Fitted\nP1,1,DNP\nP2,1,DNP\n')
    await writeFile(join(cwd, 'bom.csv'), 'MPN,Qty,Fitted\nP1,1,DNP\nP2,1,yes\n')
    await body(cwd)
  })
}

const GATE = ['--fail-on', 'failed,doubtful']

test.each([
  // There is no REACH list.
  [['--fail-on', 'failed'], 'the only part is doubtful; passes failed'],
  [['--fail-on', 'over:Prop65'], 'no declaration has the list "Prop65" of the rule over'],
  [[], ''],
])('report -q with %j says what the gate leaves out: %s', async (gate, said) => {
  await inFolder({ 'p.xml': GOOD }, async (cwd) => {
    const run = await cli(['report', 'got', ...gate, '-q', '-o', 'r.csv'], { cwd })
    expect([run.code, run.stdout]).toEqual([0, ''])
    if (said === '') expect(run.stderr).toBe('')
    else expect(run.stderr).toContain(said)
  })
})

describe.each(Object.keys(NOTHING))('a gate on %s', (name) => {
  test('does not pass', async () => {
    await inFolder(NOTHING[name]!, async (cwd) => {
      const run = await cli(['report', 'got', ...GATE, '--json'], { cwd })
      expect(run.code, run.stderr).toBe(13)
      expect(run.json()).toMatchObject({
        status: 'failed',
        verdict: 'nothing to judge',
        account: { lines: { in: 0, used: 0, named: [] } },
        failOn: { passed: false, matched: 0 },
        error: { code: 'policy', message: expect.stringContaining('nothing to judge') },
      })
      const shown = await cli(['report', 'got', ...GATE], { cwd, isTTY: true, columns: 80 })
      expect(shown.code).toBe(13)
      expect(shown.stdout).toContain('nothing to judge: no declarations')
      expect(shown.stdout).not.toContain('✓')
      // Without a gate it is said, and no error.
      const plain = await cli(['report', 'got', '--json'], { cwd })
      expect(plain.code).toBe(0)
      expect(plain.json()).toMatchObject({ status: 'ok', verdict: 'nothing to judge' })
      const diff = await cli(['diff', 'got', 'got', ...GATE], { cwd })
      expect(diff.code, diff.stdout).toBe(13)
      expect(diff.stderr).toContain('nothing to judge')
    })
  })
})

test('a list none of whose lines has a declaration passes no gate, also beside one that is clean', async () => {
  await inFolder({ 'p.xml': GOOD }, async (cwd) => {
    await writeFile(join(cwd, 'none.csv'), 'MPN,Qty\nP8,1\nP9,1\n')
    await writeFile(join(cwd, 'one.csv'), 'MPN,Qty\nP1,1\n')
    const lists = ['--parts-file', 'none.csv', '--parts-file', 'one.csv', '--fail-on', 'failed']
    const report = await cli(['report', 'got', ...lists], { cwd, isTTY: true, columns: 120 })
    expect(report.code, report.stderr).toBe(13)
    expect(report.stdout + report.stderr).not.toContain('gate passed')
    const argv = ['check', 'none.csv', 'one.csv', '--offline', '--library', 'got', '--fail-on', 'failed']
    const check = await cli(argv, { cwd, isTTY: true, columns: 120 })
    expect(check.code, check.stderr).toBe(13)
    expect(check.stdout).toContain('2 of 2 lines doubtful; fails: no line has a declaration (')
  })
})

test('a file that only asks for a declaration is nothing to judge', async () => {
  await inFolder({ 'ask.xml': REQUEST }, async (cwd) => {
    const run = await cli(['report', 'got', ...GATE, '--json'], { cwd })
    expect(run.code, run.stderr).toBe(13)
    expect(run.json()).toMatchObject({ verdict: 'nothing to judge', counts: { requests: 1 } })
  })
})

describe('a list whose lines are all not fitted', () => {
  const said = 'nothing to judge: all 2 lines are marked not fitted'

  test('does not pass a check, whatever the rules of the gate', async () => {
    await inFolder({ 'p.xml': GOOD }, async (cwd) => {
      const argv = ['check', 'dnp.csv', '--offline', '--library', 'got']
      for (const more of [[], ['--fail-on', 'not-compliant'], ['--fail-on', 'svhc']]) {
        const run = await cli([...argv, ...more], { cwd, isTTY: true, columns: 120 })
        expect(run.code, run.stderr).toBe(13)
        expect(run.stdout).toContain(`dnp.csv: ${said}`)
        expect(run.stdout).not.toContain('✓')
        expect(run.stdout).not.toContain('RoHS')
      }
      const json = await cli([...argv, '--json'], { cwd })
      expect(json.json()).toMatchObject({
        status: 'failed',
        account: { lines: { in: 2, used: 0, named: [{ reason: 'not fitted', count: 2 }] } },
        products: [{ list: 'dnp.csv', verdict: 'nothing to judge', passed: false }],
      })
      const quiet = await cli([...argv, '-q'], { cwd })
      expect(quiet.code).toBe(13)
      expect(quiet.stderr).toContain(said)
    })
  })

  test('does not let a check of several lists pass', async () => {
    await inFolder({ 'p.xml': GOOD.replaceAll('P1', 'P2') }, async (cwd) => {
      const argv = ['check', 'bom.csv', 'dnp.csv', '--offline', '--library', 'got', '--fail-on', 'svhc']
      const run = await cli([...argv, '-o', 'pages/'], { cwd, isTTY: true, columns: 120 })
      expect(run.code, run.stderr).toBe(13)
      const index = await readFile(join(cwd, 'pages', 'index.html'), 'utf8')
      expect(index).toContain('1 of 2 products does not pass')
      expect(index).toContain(said)
    })
  })

  test('is said so in every format, without a sign of success', async () => {
    await inFolder({ 'p.xml': GOOD }, async (cwd) => {
      const argv = ['report', 'got', '--parts-file', 'dnp.csv', ...GATE]
      const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'step.md') }
      for (const file of ['r.html', 'r.md', 'r.xlsx', 'r.json']) {
        const run = await cli([...argv, '-o', file, '--junit', 'r.xml', '--overwrite'], { cwd, env })
        expect(run.code, run.stderr).toBe(13)
        expect(run.stderr).not.toContain('✓')
      }
      const read = (name: string): Promise<string> => readFile(join(cwd, name), 'utf8')
      const answers = (await read('r.html')).match(/<div class="answers">[\s\S]*?<\/div>/)![0]
      expect(answers.replace(/<[^>]*>/g, '')).toContain(said)
      expect(answers).not.toContain('✓')
      for (const text of [await read('r.md'), await read('step.md')]) {
        expect(text).toContain(said)
        expect(text).not.toContain('✓')
      }
      const sheet = await readSheet(await readFile(join(cwd, 'r.xlsx')), 'Summary')
      const cells = JSON.stringify(sheet)
      expect(cells).toContain(said)
      expect(cells).not.toContain('✓')
      expect(await read('r.xml')).toContain(`<failure type="nothing to judge" message="${said}"/>`)
      expect(JSON.parse(await read('r.json'))).toMatchObject({
        status: 'failed',
        verdict: 'nothing to judge',
        failOn: { passed: false },
        products: [{ passed: false }],
      })
    })
  })
})

test('one line that is judged is enough, and the others are accounted for', async () => {
  await inFolder({ 'p.xml': GOOD.replaceAll('P1', 'P2') }, async (cwd) => {
    const argv = ['check', 'bom.csv', '--offline', '--library', 'got', '--fail-on', 'failed', '--json']
    const run = await cli(argv, { cwd })
    expect(run.code, run.stderr).toBe(0)
    expect(run.json().account).toMatchObject({
      lines: { in: 2, used: 1, named: [{ reason: 'not fitted', count: 1, places: ['bom.csv:2'] }] },
      files: { in: 1, used: 1, named: [] },
      entries: { in: 0, used: 0, named: [] },
    })
  })
})

describe('lines none of which has a declaration', () => {
  test.each(['failed', 'svhc', 'missing'])('do not pass a gate, whatever its rules: %s', async (rules) => {
    await inFolder({ 'p.xml': GOOD }, async (cwd) => {
      await writeFile(join(cwd, 'gone.csv'), 'MPN\nP8\nP9\n')
      const check = ['check', 'gone.csv', '--offline', '--library', 'got', '--fail-on', rules]
      const quiet = await cli([...check, '-q'], { cwd })
      expect([quiet.code, quiet.stdout]).toEqual([13, ''])
      expect(quiet.stderr).toContain('gone.csv does not pass')
      const report = ['report', 'got', '--parts-file', 'gone.csv', '--fail-on', rules]
      const run = await cli([...report, '--junit', 'r.xml'], { cwd, isTTY: true, columns: 120 })
      expect(run.code, run.stderr).toBe(13)
      expect(await readFile(join(cwd, 'r.xml'), 'utf8')).toMatch(/ (?:failures|errors)="[1-9]/)
      expect(`${run.stdout}${run.stderr}`).not.toContain('✓')
      expect((await cli([...report, '--json'], { cwd })).json()).toMatchObject({
        failOn: { passed: false },
        products: [{ passed: false }],
      })
    })
  })

  test('pass where their absence is waived', async () => {
    await inFolder({ 'p.xml': GOOD }, async (cwd) => {
      await writeFile(join(cwd, 'gone.csv'), 'MPN\nP9\n')
      const waiver = 'part,rule,reason,owner,until\nP9,missing,own make,me,2099-01-01\n'
      await writeFile(join(cwd, 'waivers.csv'), waiver)
      const argv = ['check', 'gone.csv', '--offline', '--library', 'got', '--waivers', 'waivers.csv']
      const run = await cli(argv, { cwd })
      expect(run.code, run.stderr).toBe(0)
    })
  })

  test('and a file that cannot be read is not a pass', async () => {
    await inFolder({ 'p.xml': '<MainDeclaration' }, async (cwd) => {
      const run = await cli(['report', 'got', '--fail-on', 'failed'], { cwd })
      expect(run.code, run.stderr).toBe(13)
      expect(run.stderr).not.toContain('✓')
    })
  })
})
