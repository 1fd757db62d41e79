import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accountsIn, wrongAccounts } from '../support/accounts.ts'
import { cli } from '../support/cli.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const LIST = 'Item,MPN,Qty\n1,RC0603-1002,2\n2,NOT-THERE,1\n3,TBD,1\n4,,1\n'
const ROWS = {
  in: 5,
  used: 2,
  named: [
    { reason: 'placeholder', count: 1, places: ['row 4'] },
    { reason: 'no part number', count: 1, places: ['row 5'] },
    { reason: 'headings', count: 1, places: ['row 1'] },
  ],
}

async function inFolder(body: (cwd: string) => Promise<void>): Promise<void> {
  await withFolder(async (cwd) => {
    await writeFile(join(cwd, 'bom.csv'), LIST)
    await writeFile(join(cwd, 'parts.txt'), 'RC0603-1002\n\nTBD\nNOT-THERE\n')
    const entries = [
      { name: 'sub/' },
      { name: 'sub/a.xml', data: '<a/>' },
      { name: 'sub/b.xml', data: '<b/>' },
      { name: 'readme.txt', data: 'text' },
    ]
    await writeFile(join(cwd, 'a.zip'), zip(entries))
    await writeFile(join(cwd, 'torn.zip'), zip(entries).subarray(0, 90))
    await body(cwd)
  })
}

test('list and verify account for archives and entries', () =>
  inFolder(async (cwd) => {
    const listed = (await cli(['list', 'a.zip', 'a.zip', '--json'], { cwd })).json()
    expect(listed.account).toEqual({
      archives: { in: 2, used: 2, named: [] },
      entries: { in: 8, used: 8, named: [] },
    })
    const verified = (await cli(['verify', 'a.zip', 'torn.zip', '--json'], { cwd })).json()
    expect(verified.account).toEqual({
      archives: { in: 2, used: 1, named: [{ reason: 'not safe to use', count: 1, places: ['torn.zip'] }] },
      entries: { in: 4, used: 4, named: [] },
    })
  }))

test('extract accounts for entries that are not selected, in JSON and in its line', () =>
  inFolder(async (cwd) => {
    const globs = ['--include', '*.xml', '--exclude', 'sub/b*']
    const { account } = (await cli(['extract', 'a.zip', 'one', ...globs, '--json'], { cwd })).json()
    expect(account).toEqual({
      entries: {
        in: 4,
        used: 1,
        named: [
          { reason: 'not included', count: 2, places: ['sub/', 'readme.txt'] },
          { reason: 'excluded', count: 1, places: ['sub/b.xml'] },
        ],
      },
    })
    const shown = await cli(['extract', 'a.zip', 'two', ...globs], { cwd })
    expect(shown.stderr).toContain('from a.zip; 2 entries not included, 1 excluded')
    const whole = await cli(['extract', 'a.zip', 'three', '--json'], { cwd })
    expect(whole.json().account).toEqual({
      entries: { in: 4, used: 3, named: [{ reason: 'a directory', count: 1, places: ['sub/'] }] },
    })
  }))

test('download, sync, check, report and diff account for the parts, and for the rows of the list', () =>
  inFolder(async (cwd) => {
    const list = ['--parts-file', 'bom.csv', '--json']
    const results = {
      download: await cli(['download', '--sandbox', '-o', 'o.zip', ...list], { cwd }),
      sync: await cli(['sync', '--sandbox', '--library', 'lib', ...list], { cwd }),
      check: await cli(['check', 'bom.csv', '--sandbox', '--library', 'lib', '--json'], { cwd }),
      offline: await cli(['check', 'bom.csv', '--offline', '--library', 'lib', '--json'], { cwd }),
      report: await cli(['report', 'o.zip', ...list], { cwd }),
      diff: await cli(['diff', 'o.zip', 'o.zip', ...list], { cwd }),
    }
    for (const [name, run] of Object.entries(results)) {
      const result = run.json()
      expect(wrongAccounts(result), name).toEqual([])
      const accounts = accountsIn(result)
      expect(accounts.get('account.rows'), name).toEqual(ROWS)
      expect(accounts.has('account.tables') && accounts.has('account.cells'), name).toBe(true)
      if (name === 'report' || name === 'diff') continue
      expect(accounts.get('account.parts'), name).toEqual({
        in: 2,
        used: 1,
        named: [{ reason: 'missing', count: 1, places: ['NOT-THERE'] }],
      })
    }
    expect(accountsIn(results.check.json()).get('sync.account.parts')).toMatchObject({ in: 2, used: 1 })
    expect(results.report.json().account).toMatchObject({
      lines: { in: 4, used: 4 },
      files: { in: 1, used: 1 },
      entries: { in: 1, used: 1 },
    })
    expect(results.diff.json().account).toMatchObject({
      old: { files: { in: 1, used: 1 }, entries: { in: 1, used: 1 } },
      new: { files: { in: 1, used: 1 }, entries: { in: 1, used: 1 } },
    })
  }))

test('parts whose request failed, or that were never asked for, are unknown', () =>
  inFolder(async (cwd) => {
    const unknown = {
      in: 2,
      used: 0,
      named: [{ reason: 'unknown', count: 2, places: ['RC0603-1002', 'NOT-THERE'] }],
    }
    const offline = await cli(['check', 'bom.csv', '--offline', '--library', 'lib', '--json'], { cwd })
    expect(accountsIn(offline.json()).get('account.parts')).toEqual(unknown)
    const address = ['--base-url', 'http://127.0.0.1:9', '--retries', '0', '--json']
    for (const argv of [
      ['sync', '--parts-file', 'bom.csv', '--library', 'lib'],
      ['download', '--parts-file', 'bom.csv', '-o', 'p.zip', '--allow-partial'],
    ]) {
      const run = await cli([...argv, ...address], { cwd })
      expect(run.json().status).not.toBe('ok')
      expect(accountsIn(run.json()).get('account.parts'), run.stdout).toEqual(unknown)
    }
  }))

test('a text list has its line on standard error too', () =>
  inFolder(async (cwd) => {
    const run = await cli(['download', '--sandbox', '--parts-file', 'parts.txt', '-o', 'o.zip', '--json'], {
      cwd,
    })
    expect(run.stderr).toContain('parts.txt: 3 rows: 2 lines with a part number, 1 skipped')
    expect(accountsIn(run.json()).get('account.rows')).toEqual({
      in: 3,
      used: 2,
      named: [{ reason: 'placeholder', count: 1, places: ['row 3'] }],
    })
  }))
