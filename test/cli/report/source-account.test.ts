import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { AccountEntry } from '../../../src/base/account-entry.ts'
import { cli } from '../../support/cli.ts'
import { posixTest } from '../../support/programs.ts'
import { seeded } from '../../support/seeded.ts'
import { sweep } from '../../support/soak.ts'
import { withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const declaration = (part: string): string =>
  `<?xml version="1.0"?><MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0"><Product><ProductID itemNumber="${part}" itemName="x"/></Product></MainDeclaration>`

async function inFolder(
  files: Readonly<Record<string, string | Buffer>>,
  body: (cwd: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (cwd) => {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, name)), { recursive: true })
      await writeFile(join(cwd, name), content)
    }
    await body(cwd)
  })
}

const GOOD = zip([{ name: 'P2.xml', data: declaration('P2') }])

/** An archive whose entry is damaged: its structure is right. */
function withDamagedEntry(): Buffer {
  const bytes = zip([
    { name: 'P3.xml', data: declaration('P3'), method: 0 },
    { name: 'P4.xml', data: declaration('P4'), method: 0 },
  ])
  bytes[bytes.indexOf('itemName')] = 0x49
  return bytes
}

interface Result {
  readonly account: Readonly<Record<'files' | 'entries' | 'lines', AccountEntry>>
  readonly counts: { readonly declared: number; readonly unreadable: number }
  readonly rows: readonly { readonly part: string; readonly status: string; readonly source: string }[]
}

test('one bad file of a directory is named, and the others are read', () =>
  inFolder(
    {
      'd/P1.xml': declaration('P1'),
      'd/good.zip': GOOD,
      'd/x.zip': 'no archive',
      'd/damaged.zip': withDamagedEntry(),
      'd/torn.zip': GOOD.subarray(0, 100),
      'd/broken.xml': '<a',
    },
    async (cwd) => {
      const run = await cli(['report', 'd', '--json'], { cwd })
      expect(run.code, run.stderr).toBe(0)
      const { account, rows } = run.json() as unknown as Result
      expect(
        rows
          .filter(({ status }) => status === 'declared')
          .map(({ part }) => part)
          .toSorted(),
      ).toEqual(['P1', 'P2', 'P4'])
      expect(
        rows
          .filter(({ status }) => status === 'unreadable')
          .map(({ source }) => source)
          .toSorted(),
      ).toEqual(['d/broken.xml', 'd/damaged.zip!P3.xml', 'd/torn.zip', 'd/x.zip'])
      expect(account.files).toMatchObject({ in: 6, used: 3, named: [{ reason: 'cannot be read', count: 3 }] })
      expect(account.entries).toMatchObject({
        in: 3,
        used: 2,
        named: [{ reason: 'cannot be read', count: 1 }],
      })
    },
  ))

test('a damaged archive of a library makes its recorded parts unreadable, and verify names a damaged record', () =>
  inFolder({ 'one.csv': 'MPN\nRC0603-1002\n', 'two.csv': 'MPN\nRC0603-1003\n' }, async (cwd) => {
    const check = (list: string, ...more: string[]) =>
      cli(['check', list, '--library', 'lib', '--sandbox', '--json', ...more], { cwd })
    await check('one.csv')
    await check('two.csv')
    const first = (await readdir(join(cwd, 'lib'))).filter((name) => name.endsWith('-1.zip'))[0]!
    const path = join(cwd, 'lib', first)
    const { atime, mtime } = await stat(path)
    const bytes = await readFile(path)
    bytes[bytes.length - 30]! ^= 0xff
    await writeFile(path, bytes)
    await utimes(path, atime, mtime)
    const one = await check('one.csv', '--offline')
    expect(one.code).toBe(13)
    expect(JSON.stringify(one.json())).toContain(`${first} cannot be read`)
    const two = await check('two.csv', '--offline')
    const { products } = two.json() as { products: { findings: { rule: string; line: number | null }[] }[] }
    expect(products[0]!.findings.filter(({ line, rule }) => line !== null && rule === 'unreadable')).toEqual(
      [],
    )

    const record = join(cwd, 'lib/.matdecl/answers.jsonl')
    const lines = (await readFile(record, 'utf8')).split('\n')
    await writeFile(record, [`x${lines[0]}`, ...lines.slice(1)].join('\n'))
    const verified = await cli(['verify', '--library', 'lib'], { cwd })
    expect(verified.code).toBe(8)
    expect(verified.stderr).toMatch(/answers\.jsonl: 1 record cannot be read, from line 1 on/)
    expect(verified.stderr).toContain('matdecl sync asks')
    expect(verified.stderr).toContain('1 of 2 archives did not pass\n')
    // The record is none of the archives.
    await writeFile(path, bytes.fill(bytes[bytes.length - 30]! ^ 0xff, bytes.length - 30, bytes.length - 29))
    const whole = await cli(['verify', '--library', 'lib', '--json'], { cwd })
    expect(whole.code).toBe(8)
    expect(whole.json()).toMatchObject({
      error: { file: record },
      account: { archives: { in: 2, used: 2, named: [] } },
    })
    const planned = await cli(['sync', '--parts-file', 'two.csv', '--library', 'lib', '--sandbox', '-n'], {
      cwd,
    })
    expect(planned.stderr).toContain('1 record of the library cannot be read')
  }))

test.each([
  ['x.zip', Buffer.from('no archive')],
  ['damaged.zip', withDamagedEntry()],
])('%s that is the only source still ends with 8', (name, bytes) =>
  inFolder({ [name]: bytes }, async (cwd) => {
    const run = await cli(['report', name], { cwd })
    expect([run.code, run.stdout]).toEqual([8, ''])
  }),
)

test('every file of a directory is used or named, and so is every entry', () =>
  inFolder(
    {
      'd/P1.xml': declaration('P1'),
      'd/._P1.xml': 'AppleDouble',
      'd/__MACOSX/P1.xml': declaration('P9'),
      'd/.hidden.xml': declaration('P9'),
      'd/readme.pdf': 'x',
      'd/old.parts/P9.xml': declaration('P9'),
      'd/.matdecl/rows/x': 'own',
      'd/a.zip': zip([
        { name: 'sub/' },
        { name: 'sub/P2.xml', data: declaration('P2') },
        { name: '__MACOSX/sub/._P2.xml', data: 'AppleDouble' },
        { name: 'readme.txt', data: 'text' },
        { name: 'inner.zip', data: GOOD },
      ]),
    },
    async (cwd) => {
      const run = await cli(['report', 'd', '--json'], { cwd })
      const { account, rows } = run.json() as unknown as Result
      expect(rows.map(({ part }) => part).toSorted()).toEqual(['P1', 'P2'])
      expect(account.files).toMatchObject({ in: 7, used: 2 })
      expect(Object.fromEntries(account.files.named.map(({ reason, count }) => [reason, count]))).toEqual({
        'added by macOS': 2,
        'a hidden file or directory': 1,
        'neither .xml nor .zip': 1,
        'a job directory of matdecl': 1,
      })
      expect(account.entries).toMatchObject({ in: 5, used: 1 })
      expect(Object.fromEntries(account.entries.named.map(({ reason, count }) => [reason, count]))).toEqual({
        'a directory': 1,
        'added by macOS': 1,
        'not XML': 1,
        'an archive inside an archive': 1,
      })
      expect(run.stderr).toContain('5 files not read: ')
      expect(run.stderr).toContain('3 entries skipped: ')
    },
  ))

posixTest('a broken link and a link to a directory are named', () =>
  inFolder({ 'd/P1.xml': declaration('P1'), 'other/P2.xml': declaration('P2') }, async (cwd) => {
    await symlink('nowhere', join(cwd, 'd/P5.xml'))
    await symlink('../other', join(cwd, 'd/more'))
    const run = await cli(['report', 'd', '--json'], { cwd })
    const { account } = run.json() as unknown as Result
    expect(account.files).toMatchObject({ in: 3, used: 1 })
    expect(account.files.named.map(({ places }) => places)).toEqual([['d/more'], ['d/P5.xml']])
  }),
)

test('random and damaged directories: what came in is used or named, and every intact declaration is read', async () => {
  const random = seeded(20)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  for (let index = 0; index < sweep(15, 120); index += 1) {
    const files: Record<string, string | Buffer> = {}
    const intact = new Set<string>()
    for (let at = 0; at < 1 + random() * 5; at += 1) {
      const part = `N${index}-${at}`
      const kind = pick(['xml', 'zip', 'cut', 'flipped', 'text', 'hidden'] as const)
      if (kind === 'xml') files[`d/${part}.xml`] = declaration(part)
      else if (kind === 'text') files[`d/${part}.txt`] = 'text'
      else if (kind === 'hidden') files[`d/.${part}.xml`] = declaration(part)
      else {
        const bytes = zip([{ name: `${part}.xml`, data: declaration(part) }])
        if (kind === 'flipped') bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8)
        files[`d/${part}.zip`] = kind === 'cut' ? bytes.subarray(0, random() * bytes.length) : bytes
      }
      if (kind === 'xml' || kind === 'zip') intact.add(part)
    }
    await inFolder(files, async (cwd) => {
      const run = await cli(['report', 'd', '--json'], { cwd })
      expect(run.code, run.stderr).toBe(0)
      const { account, rows } = run.json() as unknown as Result
      expect(account.files.in).toBe(Object.keys(files).length)
      for (const one of Object.values(account)) {
        expect(one.in).toBe(one.used + one.named.reduce((sum, each) => sum + each.count, 0))
      }
      const declared = new Set(rows.map(({ part }) => part))
      expect([...intact].filter((part) => !declared.has(part))).toEqual([])
    })
  }
})
