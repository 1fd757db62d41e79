import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accountsIn, wrongAccounts } from '../support/accounts.ts'
import { type CliResult, cli } from '../support/cli.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { testService } from '../support/service.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

// "A yes needs evidence": what every command promises, sentence by sentence.

const ROHS = listXml('EUROHS-1907', rohsCategories())
const declaration = (part: string, lists = ROHS): string => fileA(productXml([part], lists))
const LIST = 'Item,MPN,Qty,Fitted\n1,P1,2,\n2,P2,1,DNP\n3,TBD,1,\n4,,1,\n,,,\nTotal,,4,\n'
const ARCHIVE = zip([
  { name: 'sub/' },
  { name: 'sub/P1.xml', data: declaration('P1') },
  { name: '__MACOSX/sub/._P1.xml', data: 'AppleDouble' },
  { name: 'broken.xml', data: '<a' },
  { name: 'readme.txt', data: 'text' },
])

async function inFolder(body: (cwd: string) => Promise<void>): Promise<void> {
  await withFolder(async (cwd) => {
    const files = {
      'bom.csv': LIST,
      'dnp.csv': 'MPN,Qty,Fitted\nP1,1,DNP\nP2,1,DNP\n',
      'zero.csv': 'MPN,Qty\nP1,0\nP2,0\n',
      'blank.csv': 'MPN,Qty\n,\n,\n',
      'one.csv': 'MPN\nP1\n',
      'none.txt': '\n\n',
      'a.zip': ARCHIVE,
      'no-entries.zip': zip([]),
      'no-xml.zip': zip([{ name: 'readme.txt', data: 'text' }, { name: 'sub/' }]),
      'torn.zip': ARCHIVE.subarray(0, 200),
      'text.zip': 'no archive',
      'lib/mail/P1.xml': declaration('P1'),
      'lib/mail/x.zip': 'no archive',
      'lib/mail/readme.pdf': 'x',
      'hidden/.P1.xml': declaration('P1'),
      'skipped/readme.txt': 'text',
    }
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, name)), { recursive: true })
      await writeFile(join(cwd, name), content)
    }
    await mkdir(join(cwd, 'empty'))
    await mkdir(join(cwd, 'new'))
    await body(cwd)
  })
}

const GATE = ['--fail-on', 'failed,doubtful']
/** What a service answers that has only P1. */
const service = () =>
  testService(({ target }) =>
    target.includes('P1')
      ? { body: zip([{ name: 'P1.xml', data: declaration('P1') }]) }
      : { status: 204, headers: {}, body: '' },
  )
const asking = (url: string): readonly string[] => ['--base-url', url, '--retries', '0']

describe('every run ends with a word', () => {
  test.each<readonly string[]>([
    ['check', 'bom.csv', '--offline', '--library', 'lib'],
    ['check', 'none.txt', '--offline', '--library', 'lib'],
    ['check', 'gone.csv', '--offline', '--library', 'lib'],
    ['check', 'bom.csv', '--library', 'new', '--base-url', 'http://127.0.0.1:9', '--retries', '0'],
    ['report', 'gone'],
    ['report', 'text.zip'],
    ['report', 'torn.zip'],
    ['report', 'empty', ...GATE],
    ['download', '--parts-file', 'bom.csv', '--base-url', 'http://127.0.0.1:9', '--retries', '0'],
    ['download', '--parts-file', 'none.txt', '--sandbox'],
    [
      'sync',
      '--parts-file',
      'bom.csv',
      '--library',
      'new',
      '--base-url',
      'http://127.0.0.1:9',
      '--retries',
      '0',
    ],
    ['parts', 'none.txt'],
    ['parts', 'a.zip'],
    ['extract', 'torn.zip'],
    ['extract', 'a.zip', 'out', '--include', 'none*'],
    ['list', 'text.zip'],
    ['verify', 'torn.zip'],
    ['verify', '--library', 'lib'],
    ['diff', 'a.zip', 'gone'],
  ])('%s %s %s %s', (...argv) =>
    inFolder(async (cwd) => {
      const shown = await cli(argv, { cwd })
      expect(shown.code).not.toBe(0)
      expect(shown.stderr).toMatch(/^matdecl: error: \S/m)
      const { error, status } = (await cli([...argv, '--json'], { cwd })).json() as {
        status: string
        error: { exitCode: number; message: string }
      }
      expect([status, error.exitCode]).toEqual(['failed', shown.code])
      expect(error.message).not.toBe('')
      const quiet = await cli([...argv, '--quiet'], { cwd })
      expect([quiet.code, quiet.stderr !== '']).toEqual([shown.code, true])
    }),
  )
})

describe('what comes in is accounted for', () => {
  const ROWS = ['row 4', 'row 5', 'row 7']

  test.each<readonly [name: string, argv: (url: string) => readonly string[], named: readonly string[]]>([
    ['parts', () => ['parts', 'bom.csv'], ROWS],
    [
      'report',
      () => ['report', 'a.zip', 'lib', '--parts-file', 'bom.csv'],
      [
        ...ROWS,
        'lib/mail/x.zip',
        'lib/mail/readme.pdf',
        'a.zip!readme.txt',
        'a.zip!broken.xml',
        'a.zip!__MACOSX/sub/._P1.xml',
        'bom.csv:3',
      ],
    ],
    [
      'check',
      () => ['check', 'bom.csv', '--offline', '--library', 'lib'],
      [...ROWS, 'x.zip', 'readme.pdf', 'bom.csv:3', 'P2'],
    ],
    [
      'download',
      (url) => ['download', '--parts-file', 'bom.csv', '-o', 'o.zip', ...asking(url)],
      [...ROWS, 'P2'],
    ],
    [
      'sync',
      (url) => ['sync', '--parts-file', 'bom.csv', '--library', 'new', ...asking(url)],
      [...ROWS, 'P2'],
    ],
    ['extract', () => ['extract', 'a.zip', 'out', '--exclude', '*.txt'], ['sub/', 'readme.txt']],
    ['list', () => ['list', 'a.zip', 'no-xml.zip'], []],
    ['verify', () => ['verify', 'a.zip', 'torn.zip', 'text.zip'], ['torn.zip', 'text.zip']],
    [
      'diff',
      () => ['diff', 'a.zip', 'lib', '--parts-file', 'bom.csv'],
      [...ROWS, 'lib/mail/x.zip', 'a.zip!readme.txt'],
    ],
  ])('by %s: it is used, or it is named, and the numbers add up', (_, argv, named) =>
    inFolder(async (cwd) => {
      await using served = await service()
      const run = await cli([...argv(served.url), '--json'], { cwd })
      const result = run.json()
      const accounts = accountsIn(result)
      expect(accounts.size, run.stdout.slice(0, 2000)).toBeGreaterThan(0)
      expect(wrongAccounts(result)).toEqual([])
      const places = [...accounts.values()].flatMap((one) => one.named.flatMap((each) => each.places))
      for (const place of named)
        expect(
          places.some((one) => one.endsWith(place)),
          `${place} in ${places}`,
        ).toBe(true)
      expect([...accounts.values()].some(({ used }) => used > 0)).toBe(true)
    }),
  )
})

describe('a pass is something found clean, not nothing found', () => {
  test.each<readonly string[]>([
    ['report', 'empty', ...GATE],
    ['report', 'hidden', ...GATE],
    ['report', 'skipped', ...GATE],
    ['report', 'no-entries.zip', ...GATE],
    ['report', 'no-xml.zip', ...GATE],
    ['report', 'lib', '--parts-file', 'dnp.csv', ...GATE],
    ['report', 'lib', '--parts-file', 'dnp.csv', '--fail-on', 'svhc'],
    ['report', '--library', 'empty', ...GATE],
    ['diff', 'empty', 'empty', ...GATE],
    ['check', 'dnp.csv', '--offline', '--library', 'lib'],
    ['check', 'zero.csv', '--offline', '--library', 'lib'],
    ['check', 'one.csv', 'dnp.csv', '--offline', '--library', 'lib', '--fail-on', 'failed'],
    ['check', 'one.csv', '--offline', '--library', 'empty'],
    ['check', 'one.csv', '--offline', '--library', 'gone'],
  ])('%s %s %s %s %s does not pass', (...argv) =>
    inFolder(async (cwd) => {
      const run = await cli(argv, { cwd, isTTY: true, columns: 100 })
      expect(run.code, run.stdout + run.stderr).toBe(13)
      expect(
        run.stdout.split('\n').filter((line) => line.includes('✓') && !line.includes('one.csv')),
      ).toEqual([])
      const { status, error } = (await cli([...argv, '--json'], { cwd })).json() as Record<
        string,
        { code: string }
      >
      expect([status, error!.code]).toEqual(['failed', 'policy'])
    }),
  )

  test.each([
    ['parts', 'none.txt'],
    ['parts', 'blank.csv'],
    ['check', 'none.txt', '--offline', '--library', 'lib'],
    ['sync', '--parts-file', 'blank.csv', '--sandbox', '--library', 'new'],
    ['download', '--parts-file', 'none.txt', '--sandbox'],
  ])('%s %s: a list without a part is an error', (...argv) =>
    inFolder(async (cwd) => {
      const run = await cli(argv, { cwd })
      expect([run.code, run.stdout]).toEqual([2, ''])
      expect(run.stderr).toContain('no part')
    }),
  )

  test('verify of a library without archives has nothing that passed', () =>
    inFolder(async (cwd) => {
      const { code, json } = await cli(['verify', '--library', 'empty', '--json'], { cwd })
      expect(code).toBe(13)
      expect(json()).toMatchObject({
        status: 'failed',
        error: { code: 'policy', message: 'nothing to verify: the library has no archives' },
        archives: [],
        account: { archives: { in: 0, used: 0, named: [] } },
      })
      expect((await cli(['verify', '--library', 'no-such-library'], { cwd })).code).toBe(2)
      const run = await cli(['verify', '--library', 'empty', '-q'], { cwd, isTTY: true })
      expect(run.stdout).not.toContain('✓')
      expect(run.stderr).toContain('run matdecl sync first, or check the path of --library')
    }))

  test('an archive without entries, and one of which nothing is selected, are said to be so', () =>
    inFolder(async (cwd) => {
      const nothing = await cli(['extract', 'no-entries.zip', 'out'], { cwd })
      expect(nothing.stderr).toContain('extracted 0 files')
      const verified = await cli(['verify', 'no-entries.zip'], { cwd })
      expect(verified.stdout).toContain('nothing to verify')
      const unselected = await cli(['extract', 'a.zip', 'out2', '--include', 'none*'], { cwd })
      expect(unselected.code).toBe(2)
      expect(await readdir(cwd)).not.toContain('out2')
    }))

  test('an empty answer is no archive', () =>
    inFolder(async (cwd) => {
      await using served = await testService({ status: 204, headers: {}, body: '' })
      const argv = ['download', '--supplier', '123456789', '-o', 'o.zip', ...asking(served.url)]
      const run = await cli([...argv, '--json'], { cwd })
      expect(run.json()).toMatchObject({ status: 'empty', archive: null })
      expect(await readdir(cwd)).not.toContain('o.zip')
    }))
})

describe('recognised, not counted', () => {
  const invented = rohsCategories({ Lead: { name: 'Leadium', code: '99999' } })

  test('ten categories of which one is not known are no ten groups', () =>
    inFolder(async (cwd) => {
      await writeFile(join(cwd, 'lib/mail/P1.xml'), declaration('P1', listXml('EUROHS-1907', invented)))
      const report = (await cli(['report', 'lib', '--parts-file', 'one.csv', '--json'], { cwd })).json() as {
        rows: readonly { rohs: string; note: string }[]
      }
      expect(report.rows[0]).toMatchObject({ rohs: 'incomplete', note: expect.stringContaining('Lead') })
      const check = await cli(
        ['check', 'one.csv', '--offline', '--library', 'lib', '--fail-on', 'incomplete'],
        { cwd },
      )
      expect(check.code, check.stdout).toBe(13)
    }))

  test('a number that differs is near, not found', () =>
    inFolder(async (cwd) => {
      await using served = await testService({ body: zip([{ name: 'a.xml', data: declaration('p-1') }]) })
      const argv = ['download', '--part', 'P1', '-o', 'o.zip', ...asking(served.url), '--json']
      const { account, nearParts } = (await cli(argv, { cwd })).json() as Record<string, unknown>
      expect(account).toMatchObject({ parts: { in: 1, used: 0, named: [{ reason: 'missing', count: 1 }] } })
      expect(nearParts).toEqual([{ asked: 'P1', near: 'p-1' }])
    }))
})

describe('silence with exit 0 means: nothing needs a look', () => {
  const expectWord = (run: CliResult): void => {
    expect(run.code, run.stderr).not.toBe(0)
    expect(run.stderr).not.toBe('')
  }

  test('download and sync end with 12, and name the column, where none of the parts was ever found', () =>
    inFolder(async (cwd) => {
      await using served = await testService({ status: 204, headers: {}, body: '' })
      for (const argv of [
        ['download', '--parts-file', 'bom.csv', '-o', 'o.zip'],
        ['sync', '--parts-file', 'bom.csv', '--library', 'new'],
        ['sync', '--library', 'new'],
      ]) {
        const run = await cli([...argv, ...asking(served.url), '--quiet'], { cwd })
        expect(run.code, argv.join(' ')).toBe(12)
        expect(run.stderr).toContain('none of the 2 requested parts')
        if (argv.includes('--parts-file')) expect(run.stderr).toContain('column "MPN" of bom.csv')
      }
      expectWord(
        await cli(['check', 'bom.csv', '--library', 'new', ...asking(served.url), '--quiet'], { cwd }),
      )
    }))

  test('where one was found, quiet runs are silent', () =>
    inFolder(async (cwd) => {
      await using served = await service()
      for (const argv of [
        ['download', '--part', 'P1', '-o', 'o.zip', ...asking(served.url)],
        ['sync', '--part', 'P1', '--library', 'new', ...asking(served.url)],
        ['verify', 'a.zip'],
        ['extract', 'a.zip', 'out'],
      ]) {
        const run = await cli([...argv, '--quiet'], { cwd })
        expect([run.code, run.stderr, run.stdout], argv.join(' ')).toEqual([0, '', ''])
      }
    }))
})
