import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withOptions } from '../../src/base/notice.ts'
import { cli } from '../support/cli.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { sheetXml, workbookOf } from '../support/workbook.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

interface Row {
  readonly title: string
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly code: number
  readonly says: string
  readonly hint: string
}

const SERVICE = { MATDECL_BASE_URL: 'https://api.example.com' }

test.each([
  ['download', '--part', 'P-1', '-o', 'x.zip'],
  ['sync', '--part', 'P-1'],
  ['check', 'bom.csv', '--fail-on', 'not-compliant'],
])('%s before the set-up names the option with which the same command works', (...argv) =>
  withFolder(async (cwd) => {
    await writeFile(join(cwd, 'bom.csv'), 'part number\nP-1\n')
    const { code, stderr } = await cli(argv, { cwd, env: { MATDECL_TOKEN: '' } })
    expect([code, stderr]).toEqual([3, expect.stringContaining('without an account, add --sandbox\n')])
    expect((await cli([...argv, '--sandbox'], { cwd, env: { MATDECL_TOKEN: '' } })).code).toBe(0)
  }),
)

const ROWS: readonly Row[] = [
  {
    title: 'a directory in the place of an archive: those in it are to be named',
    argv: ['list', 'folder'],
    code: 2,
    says: 'folder is a directory, not an archive',
    hint: 'name the archives in it',
  },
  ...[['list'], ['verify', '--quiet'], ['extract']].map(([command = '', ...options]) => ({
    title: `standard input in the place of the archive of ${command}`,
    argv: [command, '-', ...options],
    code: 2,
    says: 'error: an archive on standard input (-) is not supported here',
    hint: 'save it to a file first',
  })),
  {
    title: 'a source that is not there, as it was named',
    argv: ['report', 'none.zip'],
    code: 2,
    says: 'error: none.zip: no such file or directory',
    hint: 'name existing archives, directories or XML files',
  },
  {
    title: 'a word that sandbox does not take: it does not start to serve',
    argv: ['sandbox', 'download'],
    code: 2,
    says: "too many arguments for 'sandbox'",
    hint: 'matdecl sandbox --help',
  },
  {
    title: 'a stream in the place of the directory for requests to suppliers',
    argv: ['report', 'bom.zip', '--requests', '-'],
    code: 2,
    says: "invalid value '-' for --requests: expected a directory, such as ./-",
    hint: 'matdecl report --help lists the options',
  },
  {
    title: 'a stream in the place of the directory to extract to',
    argv: ['--supplier', '123456789', '-x', '-'],
    env: SERVICE,
    code: 2,
    says: "invalid value '-' for --extract: expected a directory, such as ./-",
    hint: 'matdecl download --help lists the options',
  },
  {
    title: 'a directory in the place of the config file',
    argv: ['--supplier', '123456789', '--config', 'folder'],
    code: 3,
    says: 'is a directory',
    hint: 'name the file in it',
  },
  {
    title: 'a quote that is not closed in the config file',
    argv: ['--supplier', '123456789', '--config', 'open.toml'],
    code: 3,
    says: 'open.toml:1: a string is not closed on its line',
    hint: 'fix the line',
  },
  {
    title: 'a token file that is still to be written',
    argv: ['--supplier', '123456789'],
    env: { ...SERVICE, MATDECL_TOKEN: '', MATDECL_TOKEN_FILE: 'my token' },
    code: 3,
    says: 'the secret file my token (from MATDECL_TOKEN_FILE) does not exist',
    hint: 'save it there: matdecl login',
  },
  {
    title: 'a token file of a config file that is still to be written',
    argv: ['--supplier', '123456789', '--config', 'my conf.toml', '--profile', 'lab'],
    env: { MATDECL_TOKEN: '' },
    code: 3,
    says: 'token-file) does not exist',
    hint: "save it there: matdecl login --config 'my conf.toml' --profile lab",
  },
  {
    title: 'a URL without https://',
    argv: ['--supplier', '123456789', '--base-url', 'api.example.com'],
    code: 2,
    says: 'invalid URL for --base-url',
    hint: 'write it as https://HOST, without the version',
  },
  {
    title: 'a CA file that does not exist',
    argv: ['--supplier', '123456789', '--ca-file', 'none.pem'],
    env: SERVICE,
    code: 2,
    says: 'none.pem does not exist',
    hint: 'check the path',
  },
  ...['list.csv', 'list.tsv', 'list.txt', 'my list.xlsx', 'list'].flatMap((name) =>
    ['report', 'diff'].map((command) => ({
      title: `a parts list as a source of ${command}: ${name}`,
      argv: [command, ...(command === 'diff' ? ['bom.zip'] : []), name],
      code: 2,
      says: `error: ${name} is a parts list\n`,
      hint: `name it as one: --parts-file ${name.includes(' ') ? `'${name}'` : name}\n`,
    })),
  ),
  ...['my list.xlsx', 'list.csv'].map((name) => ({
    title: `a parts list as an operand of download: ${name}`,
    argv: ['download', name],
    code: 2,
    says: `download does not take '${name}'`,
    hint: `for a parts list: --parts-file ${name.includes(' ') ? `'${name}'` : name}\n`,
  })),
  {
    title: 'a part number as an operand of download',
    argv: ['download', 'AB-1'],
    code: 2,
    says: "download does not take 'AB-1'",
    hint: 'give part numbers with --part, in a --parts-file, or after --',
  },
  ...['--apikey', '--apikey=K3Y'].map((given) => ({
    title: `the key of a v1 request: ${given}`,
    argv: ['download', given, 'K3Y', '--supplier', '123456789'],
    code: 2,
    says: 'there is no --apikey option',
    hint: 'v2 takes a token instead: matdecl migrate turns a v1 request into the v2 command',
  })),
  {
    title: 'a period that is none',
    argv: ['--supplier', '123456789', '--since', 'last-run'],
    env: SERVICE,
    code: 2,
    says: 'invalid period "last-run"',
    hint: 'matdecl sync asks for what is new since the last time; else use 7d',
  },
  {
    title: 'a glob that is blank',
    argv: ['extract', 'bom.zip', 'out', '--include', ''],
    code: 2,
    says: 'an include glob is blank',
    hint: "give a glob such as '*.xml', or leave it out",
  },
  {
    title: 'a glob that is too long to be compiled',
    argv: ['extract', 'bom.zip', 'out', '--exclude', 'x'.repeat(70_000)],
    code: 2,
    says: 'an exclude glob is longer than 10,000 characters',
    hint: 'give several shorter globs',
  },
]

test('a hint names no option that the command does not have', () =>
  withFolder(async (cwd) => {
    const parts = await cli(['parts', 'none.csv'], { cwd })
    expect(parts.stderr).toMatch(/hint: check the path\n$/)
    const download = await cli(['--parts-file', 'none.csv'], { cwd, env: SERVICE })
    expect(download.stderr).toContain('hint: check the path of --parts-file\n')
    const declared = fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories())))
    await writeFile(join(cwd, 'bom.zip'), zip([{ name: 'a.xml', data: declared }]))
    const report = await cli(['report', 'bom.zip', '--substances'], { cwd })
    expect(report.stderr).toContain('only class D declarations do: download them with format class D\n')
  }))

describe('an error names the cause and the next step', () => {
  test.each(ROWS)('$title', async ({ argv, env, code, says, hint }) => {
    await withFolder(async (cwd) => {
      await mkdir(join(cwd, 'folder'))
      await writeFile(join(cwd, 'open.toml'), 'base-url = "https://api.example.com\n')
      const conf = 'base-url = "https://api.example.com"\n[profiles.lab]\ntoken-file = "none"\n'
      await writeFile(join(cwd, 'my conf.toml'), conf, { mode: 0o600 })
      await writeFile(join(cwd, 'bom.zip'), zip([{ name: 'a.xml', data: 'x' }]))
      await writeFile(join(cwd, 'list.csv'), 'MPN,Qty\nAB-100,1\nAB-200,2\n')
      await writeFile(join(cwd, 'list.tsv'), 'MPN\tQty\nAB-100\t1\nAB-200\t2\n')
      for (const name of ['list.txt', 'list']) await writeFile(join(cwd, name), 'AB-100\nAB-200\n')
      const sheet = sheetXml([['MPN'], ['AB-100'], ['AB-200']])
      await writeFile(join(cwd, 'my list.xlsx'), workbookOf({ Parts: sheet }))
      const before = await readdir(cwd)
      const result = await cli(argv, { cwd, ...(env && { env }) })
      expect(result.stderr).toContain(says)
      expect(result.stderr).toContain(`hint: ${hint}`)
      expect(result.code).toBe(code)
      expect(result.stdout).toBe('')
      expect(await readdir(cwd)).toEqual(before)
    })
  })
})

test('what begins like XML, or is no list, is no parts list', () =>
  withFolder(async (cwd) => {
    const xml = fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories())))
    await writeFile(join(cwd, 'a.txt'), `\ufeff\n${xml}`)
    await writeFile(join(cwd, 'b.csv'), Buffer.from(`\ufeff${xml}`, 'utf16le'))
    await writeFile(join(cwd, 'c.txt'), '{"parts": ["AB-100"]}\n')
    await writeFile(join(cwd, 'd.xml'), 'AB-100\n')
    for (const name of ['a.txt', 'b.csv', 'c.txt', 'd.xml']) {
      const { code, stderr } = await cli(['report', name], { cwd })
      expect([name, code, stderr.includes('parts list')]).toEqual([name, 0, false])
    }
  }))

test('a library that cannot be made names the option for its path', () =>
  withFolder(async (cwd) => {
    await writeFile(join(cwd, 'list.csv'), 'MPN,Qty\nAB-100,1\nAB-200,2\n')
    const disk = failingDisk((call, _, path) =>
      call === 'mkdir' && path.includes('library') ? 'EACCES' : undefined,
    )
    for (const argv of [
      ['check', 'list.csv'],
      ['sync', '--part', 'A1'],
    ]) {
      const { code, stderr } = await cli([...argv, '--sandbox'], { cwd, disk })
      expect(code).toBe(9)
      expect(stderr).toMatch(/library-sandbox: permission denied .*\n {2}hint: .*another path: --library\n$/)
    }
  }))

test.each([
  ['check the path', ['parts-file'], 'check the path of --parts-file'],
  [
    'behind a proxy, set HTTPS_PROXY or use the option',
    ['proxy'],
    'behind a proxy, set HTTPS_PROXY or use --proxy',
  ],
  ['raise the timeout', ['connect-timeout'], 'raise the timeout: --connect-timeout'],
  ['raise the timeout', [], 'raise the timeout'],
])('%j with %j is %j', (hint, options, text) => {
  expect(withOptions(hint, options)).toBe(text)
})

test('says what a config file lacks, instead of asking for another one', () =>
  withFolder(async (cwd) => {
    await writeFile(join(cwd, 'config.toml'), 'rate = 50\n', { mode: 0o600 })
    const { code, stderr } = await cli(['--part', 'P1', '--config', 'config.toml'], { cwd })
    expect({ code, stderr }).toMatchObject({ code: 3 })
    expect(stderr).toContain('the service URL is not set\n')
    expect(stderr.replace(/\s+/g, ' ')).toMatch(/put base-url = \S+ into \S*config\.toml[;,]/)
    expect(stderr).not.toContain('run: matdecl login')
  }))

test.each(['report', 'diff', 'check'])('the help of %s has its own formats alone', async (command) => {
  const { stdout } = await cli([command, '--help'])
  const help = stdout.replace(/\s+/g, ' ')
  expect(help.includes('.parquet')).toBe(command !== 'diff')
  expect(help.includes('.md .html .xlsx .csv')).toBe(command === 'diff')
  expect(help.includes('a page of each list')).toBe(command === 'check')
})

test('a library is warned of once, and had nothing before it was filled', () =>
  withFolder(async (cwd) => {
    const synced = await cli(['sync', '--sandbox', '--part', 'P1', '--library', 'lib'], { cwd })
    expect(synced.stderr).toContain('made-up')
    const { code, stderr } = await cli(['diff', '--since', '2020-01-01', '--library', 'lib'], { cwd })
    expect(code).toBe(0)
    expect(stderr.split('the library has made-up data')).toHaveLength(2)
    expect(stderr).toContain('the library had nothing at the end of 2020-01-01 (UTC)')
    expect(stderr).not.toContain('no XML file')
  }))

test.each([[[]], [['--fail-on', 'failed,doubtful']]])('a report says at most eight lines with %j', (gate) =>
  withFolder(async (cwd) => {
    const parts = Array.from({ length: 40 }, (_, index) => `PN-${index}`)
    await writeFile(
      join(cwd, 'list.csv'),
      `part number,quantity\n${parts.map((part) => `${part},1\n`).join('')}`,
    )
    await cli(['--sandbox', '--parts-file', 'list.csv', '-o', 'a.zip'], { cwd })
    const argv = ['report', 'a.zip', '--parts-file', 'list.csv', '-o', 'r.csv', ...gate]
    const { stderr } = await cli(argv, { cwd })
    expect(stderr.trimEnd().split('\n').length, stderr).toBeLessThanOrEqual(8)
    expect(stderr).toContain('reference tables: ')
  }),
)
