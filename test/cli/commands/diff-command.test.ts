import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSheet } from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { cli, tree } from '../../support/cli.ts'
import { exemptionXml, fileA, HEAD, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const good = (reach: string): string =>
  listXml('EUROHS-1907', rohsCategories()) + listXml(reach, [{ over: 'false' }])
const exempt = listXml(
  'EUROHS-1907',
  rohsCategories({ Lead: { over: 'true', inside: exemptionXml('6(c)') } }),
)
const bad = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } }))

const OLD = [
  { name: '1.xml', data: fileA(productXml(['same'], good('EUREACH-0622'))) },
  { name: '2.xml', data: fileA(productXml(['worse'], exempt)) },
  { name: '3.xml', data: fileA(productXml(['gone'], good('EUREACH-0622'))) },
  { name: '4.xml', data: fileA(productXml(['redated'], good('EUREACH-0622'))) },
]
const NEW = [
  { name: 'b.xml', data: fileA(productXml(['worse'], bad)) },
  { name: 'a.xml', data: fileA(productXml(['same'], good('EUREACH-0622'))) },
  { name: 'c.xml', data: fileA(productXml(['redated'], good('EUREACH-0624'))) },
  { name: 'd.xml', data: fileA(productXml(['new'], good('EUREACH-0624'))) },
]

async function inFolder(body: (cwd: string) => Promise<void>): Promise<void> {
  await withFolder(async (cwd) => {
    await writeFile(join(cwd, 'old.zip'), zip(OLD))
    await writeFile(join(cwd, 'new.zip'), zip(NEW))
    await body(cwd)
  })
}

describe('matdecl diff', () => {
  it('prints what was added, removed and changed', async () => {
    await inFolder(async (cwd) => {
      const { code, stdout } = await cli(['diff', 'old.zip', 'new.zip'], { cwd })
      expect(code).toBe(0)
      expect(stdout).toBe(
        [
          'x 1 part became worse; 1 part new, 1 of them not clean; 1 part not declared now',
          '1 added, 1 removed, 1 changed, 1 with only a list update, 1 unchanged',
          '',
          'Worse',
          '  worse  (Example Parts) verdict: doubtful -> failed; finding added: not-compliant: Lead; finding removed: exemption: 6(c); RoHS: compliant with exemptions -> not compliant; exemption no longer stated: 6(c) (EL2011/534/EU, Lead); EUROHS-1907 Lead: exemptions: 6(c) EL2011/534/EU -> no longer stated',
          '',
          'New parts',
          '  new  (Example Parts) verdict: doubtful; RoHS: compliant',
          '',
          'Parts that are not declared now',
          '  gone  (Example Parts) verdict: doubtful; RoHS: compliant',
          '',
          'Lists updated, nothing else changed',
          '  1 part (redated)  REACH list: EUREACH-0622 -> EUREACH-0624',
          '',
        ].join('\n'),
      )
    })
  })

  it('gives programs one object', async () => {
    await inFolder(async (cwd) => {
      const result = await cli(['diff', 'old.zip', 'new.zip', '--json'], { cwd })
      expect(result.json()).toMatchObject({
        schema: 'matdecl.diff/1',
        status: 'ok',
        old: 'old.zip',
        new: 'new.zip',
        counts: {
          old: 4,
          new: 4,
          added: 1,
          removed: 1,
          changed: 1,
          listUpdates: 1,
          redated: 0,
          unchanged: 1,
        },
        added: [{ part: 'new' }],
        removed: [{ part: 'gone' }],
        changed: [
          { part: 'worse', changes: { rohs: { old: 'compliant with exemptions', new: 'not compliant' } } },
        ],
      })
    })
  })

  it.each([
    ['changes.md', '## Worse', 'changes.md\n'],
    ['changes.json', '"schema":"matdecl.diff/1"', 'changes.json\n'],
  ])('writes %s', async (name, inside, stdout) => {
    await inFolder(async (cwd) => {
      const result = await cli(['diff', 'old.zip', 'new.zip', '-o', name], { cwd })
      expect(result.stdout).toBe(stdout)
      expect(await readFile(join(cwd, name), 'utf8')).toContain(inside)
      expect(result.stderr).toContain('1 added, 1 removed')
    })
  })

  it('says once what holds for both sides, and which side has nothing', async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, 'empty.zip'), zip([]))
      const { stderr } = await cli(['diff', 'empty.zip', 'new.zip'], { cwd, nowMs: Date.parse('2027-06-01') })
      expect(stderr).toContain('nothing to compare: no XML file in empty.zip\n')
      expect(stderr.match(/newest update of the Candidate List/g)).toHaveLength(1)
    })
  })

  it('ends with 13 when something new or changed matches --fail-on, and says what', async () => {
    await inFolder(async (cwd) => {
      const { code, stderr, stdout } = await cli(
        ['diff', 'old.zip', 'new.zip', '--fail-on', 'not-compliant,missing'],
        { cwd },
      )
      expect(code).toBe(13)
      expect(stdout).toMatch(/^ {2}gone +missing$/m)
      expect(stderr).toContain('2 parts match --fail-on not-compliant,missing')
      expect(stderr).toContain(
        'worse: not-compliant: Lead over the RoHS threshold, no exemption (new.zip!b.xml)',
      )
      expect(stderr).toContain('gone: missing')
      const same = await cli(['diff', 'new.zip', 'new.zip', '--fail-on', 'not-compliant'], { cwd })
      expect(same.code).toBe(0)
      // What matched before is no tick.
      expect(same.stdout).toContain('! nothing new matches not-compliant; 1 unchanged part or file does\n')
      const unread = { cwd, isReaderGone: true }
      expect((await cli(['diff', 'old.zip', 'new.zip', '--fail-on', 'missing'], unread)).code).toBe(13)
      const json = await cli(['diff', 'old.zip', 'new.zip', '--fail-on', 'missing', '--json'], { cwd })
      expect(json.code).toBe(13)
      expect(json.json()).toMatchObject({
        status: 'failed',
        error: { code: 'policy' },
        failOn: { matched: 1 },
      })
    })
  })

  it('compares the newest declarations of each side', async () => {
    await withFolder(async (cwd) => {
      const entry = (date: string, lists: string) => ({
        name: `${date}.xml`,
        data: fileA(productXml(['P'], lists), { head: HEAD.replace('2024-09-27', date) }),
      })
      const old = entry('2025-01-01', bad)
      const now = entry('2026-01-01', good('EUREACH-0624'))
      await writeFile(join(cwd, 'old.zip'), zip([now, old]))
      await writeFile(join(cwd, 'new.zip'), zip([old, now, entry('2024-01-01', bad)]))
      const argv = ['diff', 'old.zip', 'new.zip', '--json', '--fail-on', 'not-compliant']
      const { code, json } = await cli(argv, { cwd })
      expect(code).toBe(0)
      expect(json()).toMatchObject({
        counts: { old: 1, new: 1, unchanged: 1, superseded: { old: 1, new: 2 } },
      })
    })
  })

  it('writes the summary of a GitHub step', async () => {
    await inFolder(async (cwd) => {
      const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
      await cli(['diff', 'old.zip', 'new.zip'], { cwd, env })
      expect(await readFile(join(cwd, 'summary.md'), 'utf8')).toContain(
        '| worse | Example Parts | verdict: doubtful → failed; ',
      )
    })
  })

  it('writes a page, a workbook and CSV, with what became not compliant first', async () => {
    await inFolder(async (cwd) => {
      for (const name of ['d.html', 'd.xlsx', 'd.csv', 'd.md']) {
        expect((await cli(['diff', 'old.zip', 'new.zip', '-o', name], { cwd })).code, name).toBe(0)
      }
      const page = await readFile(join(cwd, 'd.html'), 'utf8')
      expect(page).toContain('1 part became worse')
      // All that changed in a part is in one line.
      expect(page).toContain(
        '<tr><td>worse</td><td>worse</td><td>Example Parts</td><td>verdict: doubtful → failed; ',
      )
      expect(page.indexOf('<td>worse</td>')).toBeLessThan(page.indexOf('<td>gone</td>'))
      expect(page).toContain(
        '<th scope="col">Part</th><th scope="col">Supplier</th><th scope="col">What changed</th>',
      )
      expect(page).toContain("default-src 'none'")
      const csv = (await readFile(join(cwd, 'd.csv'), 'utf8')).split('\r\n')
      expect(csv.slice(0, 2)).toEqual([
        'change,part,supplier,what,old,new',
        'worse,worse,Example Parts,verdict,doubtful,failed',
      ])
      expect(csv).toContain('list updated,1 part (redated),,REACH list,EUREACH-0622,EUREACH-0624')
      const changes = await readSheet(join(cwd, 'd.xlsx'), 'Changes')
      expect(changes.map((row) => row[0])).toEqual([
        'Change',
        ...Array.from({ length: 6 }, () => 'worse'),
        'added',
        'added',
        'removed',
        'removed',
        'list updated',
      ])
      const facts = Object.fromEntries(
        (await readSheet(join(cwd, 'd.xlsx'), 'Summary')).map((row) => [row[0], row[1]]),
      )
      expect(facts).toMatchObject({
        Status: '✗ 1 part became worse; 1 part new, 1 of them not clean; 1 part not declared now',
        added: 1,
        unchanged: 1,
        before: 'old.zip',
      })
    })
  })

  it('begins the Markdown with what became worse and what the gate matched', async () => {
    await inFolder(async (cwd) => {
      await cli(['diff', 'old.zip', 'new.zip', '-o', 'd.md', '--fail-on', 'not-compliant'], { cwd })
      const lines = (await readFile(join(cwd, 'd.md'), 'utf8')).split('\n')
      expect(lines[2]).toBe(
        '**✗ 1 part became worse; 1 part new, 1 of them not clean; 1 part not declared now**',
      )
      expect(lines[4]).toBe('**✗ gate failed: 1 row matches not-compliant**')
      const failed = lines.indexOf('## Failed')
      expect(lines.slice(failed + 2, failed + 5)).toEqual([
        '| Part | Gate | Source |',
        '| --- | --- | --- |',
        '| worse | not-compliant | new.zip\\!b.xml |',
      ])
      expect(failed).toBeLessThan(lines.indexOf('## Worse'))
    })
  })

  it('lists what the gate matched on the page', async () => {
    await inFolder(async (cwd) => {
      const argv = ['diff', 'old.zip', 'new.zip', '-o', 'd.html', '--fail-on', 'not-compliant,missing']
      expect((await cli(argv, { cwd })).code).toBe(13)
      const page = await readFile(join(cwd, 'd.html'), 'utf8')
      expect(page).toContain('gate failed: 2 rows match not-compliant, missing')
      expect(page).toContain(
        '<tr><th scope="row"><span class="short">worse</span></th><td class="prose">not-compliant</td>',
      )
      expect(page).toContain(
        '<tr><th scope="row"><span class="short">gone</span></th><td class="prose">missing</td>',
      )
    })
  })

  it('lists what the gate matched in a sheet of the workbook', async () => {
    await inFolder(async (cwd) => {
      const argv = ['diff', 'old.zip', 'new.zip', '-o', 'd.xlsx', '--fail-on', 'not-compliant']
      expect((await cli(argv, { cwd })).code).toBe(13)
      const failed = await readSheet(join(cwd, 'd.xlsx'), 'Failed')
      expect(failed.slice(1).map((row) => row.slice(0, 2))).toEqual([['worse', 'not-compliant']])
      const summary = await readSheet(join(cwd, 'd.xlsx'), 'Summary')
      expect(summary).toContainEqual(
        expect.arrayContaining(['Gate', '✗ gate failed: 1 row matches not-compliant']),
      )
    })
  })

  it.each([
    [['diff', 'old.zip'], 'diff compares two sources, or a library since a day'],
    [['diff', 'old.zip', 'new.zip', 'third.zip'], "too many arguments for 'diff'"],
    [['diff', 'old.zip', 'nowhere.zip'], 'no such file'],
    [
      ['diff', 'old.zip', 'new.zip', '-o', 'x.pdf'],
      '--output x.pdf: unknown file extension\n  hint: use .md, .html, .xlsx, .csv or .json',
    ],
  ])('%j is a mistake', async (argv, message) => {
    await inFolder(async (cwd) => {
      const result = await cli(argv, { cwd })
      expect(result.code).toBe(2)
      expect(result.stderr).toContain(message)
      expect(result.stdout).toBe('')
      expect(await tree(cwd)).toEqual(['new.zip', 'old.zip'])
    })
  })
})
