import { link, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SILENT } from '../../src/base/notice.ts'
import {
  checkOutput,
  makeOutputDirectories,
  type OutputOptions,
  renameOutput,
  resolveOutput,
} from '../../src/download/output-path.ts'

import { testWorld, withFolder } from '../support/world.ts'

const FACTS = {
  supplier: '123456789',
  format: '1752A',
  formatClass: undefined,
  startDate: undefined,
  nowMs: Date.parse('2026-03-04T05:06:07Z'),
}
const OPTIONS: OutputOptions = {
  output: undefined,
  overwrite: false,
  extract: undefined,
  manifest: undefined,
  others: [],
}
const DEFAULT = '123456789_1752A_2026-03-04T050607Z.zip'

const resolved = (options: Partial<OutputOptions>, cwd = '/w', isTTY = false, facts = FACTS) =>
  resolveOutput(testWorld({ cwd, isTTY }), { ...OPTIONS, ...options }, facts)

const shownAs = async (output: string | undefined, facts: object = {}) =>
  (await resolved({ output }, '/w', false, { ...FACTS, ...facts })).shown

describe('the name of the output', () => {
  test('is supplier, format and moment unless given', async () => {
    expect(await shownAs(undefined)).toBe(DEFAULT)
    expect(await shownAs(undefined, { supplier: undefined })).toBe('parts_1752A_2026-03-04T050607Z.zip')
  })

  test('has a placeholder for each criterion', async () => {
    const criteria = { formatClass: 'D', startDate: '2026-01-31' }
    expect(await shownAs('{class}-{start}-{time}', criteria)).toBe('D-2026-01-31-050607')
    expect(await shownAs('x{class}{start}.zip')).toBe('x.zip')
  })

  test('never gets a directory or a hidden name from a value', async () => {
    expect(await shownAs('{supplier}.zip', { supplier: '../../etc/x' })).toBe('--..-etc-x.zip')
    expect(await shownAs('{supplier}.zip', { supplier: 'a\\b:c' })).toBe('a-b-c.zip')
    expect(await shownAs('{supplier}', { supplier: 'ü'.repeat(500) })).toBe('ü'.repeat(60))
  })

  test('is a file also when the value is a dash', async () => {
    const facts = { ...FACTS, supplier: '..' }
    const paths = await resolved({ output: '{supplier}' }, '/w', false, facts)
    expect(paths).toMatchObject({ shown: './-', archivePath: '/w/-' })
  })

  test.each(['{suplier}.zip', '{constructor}.zip'])(
    'with %s is refused with the known ones',
    async (name) => {
      await expect(shownAs(name)).rejects.toMatchObject({
        kind: 'usage',
        message: `output name: unknown placeholder ${name.slice(0, -4)}; expected {supplier} {format} {class} {date} {time} {start}`,
      })
    },
  )
})

describe('resolveOutput', () => {
  test.each([
    [undefined, DEFAULT, `/w/${DEFAULT}`, true],
    ['a.zip', 'a.zip', '/w/a.zip', false],
    ['/b/a.zip', '/b/a.zip', '/b/a.zip', false],
    ['{supplier}/{date}.zip', '123456789/2026-03-04.zip', '/w/123456789/2026-03-04.zip', true],
    ['new/', `new/${DEFAULT}`, `/w/new/${DEFAULT}`, true],
  ])('%s is %s', async (output, shown, archivePath, holdsTime) => {
    expect(await resolved({ output })).toMatchObject({ shown, archivePath, holdsTime })
  })

  test('an existing directory gets the default name', () =>
    withFolder(async (folder) => {
      await mkdir(join(folder, 'out'))
      expect((await resolved({ output: 'out' }, folder)).shown).toBe(join('out', DEFAULT))
    }))

  test.each([
    ['a.zip', '/w/a'],
    ['a.ZIP', '/w/a'],
    ['a', '/w/a.extracted'],
    ['.zip', '/w/.zip.extracted'],
    ['sub/.zip', '/w/sub/.zip.extracted'],
    ['./sub/a.zip', '/w/sub/a'],
  ])('the archive %s is extracted to %s and has its manifest beside it', async (output, extractPath) => {
    const manifestPath = join('/w', `${output}.manifest.json`)
    const shownExtract = `${output.startsWith('./') ? './' : ''}${extractPath.slice(3)}`
    expect(await resolved({ output, extract: true, manifest: true })).toMatchObject({
      extractPath,
      shownExtract,
      manifestPath,
    })
  })

  test('standard output has no paths but those that were named', async () => {
    expect(
      await resolved({ output: '-', extract: 'x', manifest: '/m', others: [{ what: 'r', path: 'r.csv' }] }),
    ).toMatchObject({
      shown: '-',
      archivePath: undefined,
      extractPath: '/w/x',
      manifestPath: '/m',
      others: [{ what: 'r', path: '/w/r.csv' }],
    })
  })

  test.each([
    [{ output: '-' }, true, /not written to a terminal/],
    [{ output: '-', extract: true as const }, false, /extract directory must be named/],
    [{ output: '-', manifest: true as const }, false, /manifest must be named/],
    [{ output: '{suplier}.zip' }, false, /unknown placeholder \{suplier\}/],
  ])('%j on a terminal (%s) is a usage error', async (options, isTTY, message) => {
    await expect(resolved(options, '/w', isTTY)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(message),
    })
  })

  test.each([
    ['manifest', { manifest: 'a.zip' }],
    ['report', { others: [{ what: 'report', path: './a.zip' }] }],
    ['extract', { extract: 'a.zip' }],
    ['extract', { extract: 'a.zip.parts' }],
    ['missing', { manifest: 'm', others: [{ what: 'missing', path: 'm' }] }],
    ['manifest', { extract: 'd', manifest: 'd/m.json' }],
    ['output', { output: 'd/a.zip', extract: 'd' }],
  ])('two results cannot have one path: %s, %j', async (option, options) => {
    await expect(resolved({ output: 'a.zip', ...options })).rejects.toMatchObject({
      kind: 'usage',
      details: { options: expect.arrayContaining([option]) },
    })
  })

  test.each([
    ['manifest', { manifest: '-' }],
    ['missing', { others: [{ what: 'missing', path: '-' }] }],
  ])('no %s is written to standard output', async (what, options) => {
    await expect(resolved(options)).rejects.toMatchObject({
      kind: 'usage',
      message: `${what}: only the archive can be written to standard output`,
    })
  })

  test('an existing directory can get the extracted files and other results', async () => {
    const options = { output: 'd/a.zip', extract: 'd', manifest: 'd/m.json', overwrite: true }
    expect(await resolved(options)).toMatchObject({ archivePath: '/w/d/a.zip', extractPath: '/w/d' })
  })

  test('an unfinished run has the paths of its own name', async () => {
    const world = testWorld({ cwd: '/w' })
    const output = await resolved({ extract: true, manifest: true, overwrite: true })
    expect(await renameOutput(world, output, 'old.zip')).toMatchObject({
      archivePath: '/w/old.zip',
      extractPath: '/w/old',
      manifestPath: '/w/old.zip.manifest.json',
      overwrite: true,
    })
  })
})

test('no result replaces a file that the run reads, or another result, also through a link', () =>
  withFolder(async (folder) => {
    const world = testWorld({ cwd: folder })
    await writeFile(join(folder, 'bom.csv'), 'MPN\nA\n')
    await writeFile(join(folder, 'old.zip'), 'old')
    await symlink('old.zip', join(folder, 'link.json'))
    await link(join(folder, 'bom.csv'), join(folder, 'same.csv'))
    const inputs = [{ what: 'parts-file', path: 'bom.csv' }]
    const check = async (options: Partial<OutputOptions>): Promise<void> =>
      checkOutput(
        world,
        await resolved({ output: 'old.zip', overwrite: true, inputs, ...options }, folder),
        false,
      )
    await expect(check({})).resolves.toBeUndefined()
    for (const [others, named] of [
      [[{ what: 'missing', path: 'bom.csv' }], 'missing'],
      [[{ what: 'report', path: 'same.csv' }], 'report'],
    ] as const) {
      const refused = { kind: 'usage', details: { options: ['parts-file', named] } }
      await expect(check({ others })).rejects.toMatchObject(refused)
    }
    await expect(check({ manifest: 'link.json' })).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('are the same file'),
    })
  }))

test('directories that were made for results go again while they are empty', () =>
  withFolder(async (folder) => {
    const world = testWorld({ cwd: folder })
    await mkdir(join(folder, 'there'))
    const output = await resolved({ output: 'there/new/a.zip', manifest: 'used/m.json' }, folder)
    {
      await using _made = await makeOutputDirectories(world, output, SILENT)
      expect(await readdir(folder, { recursive: true })).toEqual(
        expect.arrayContaining([join('there', 'new'), 'used']),
      )
      await mkdir(join(folder, 'used', 'by-someone'))
    }
    expect((await readdir(folder, { recursive: true })).sort()).toEqual([
      'there',
      'used',
      join('used', 'by-someone'),
    ])
  }))

test('names that differ only in case are one file on Windows and macOS', async () => {
  const options = { ...OPTIONS, output: 'a.zip', others: [{ what: 'report', path: 'A.ZIP' }] }
  const inside = {
    ...OPTIONS,
    output: 'a.zip',
    extract: 'Out',
    others: [{ what: 'report', path: 'out/r.csv' }],
  }
  for (const platform of ['win32', 'darwin'] as const) {
    const world = testWorld({ cwd: '/w', host: { ...testWorld().host, platform } })
    await expect(resolveOutput(world, options, FACTS)).rejects.toMatchObject({
      kind: 'usage',
      message: 'output and report need the same path: /w/A.ZIP',
    })
    await expect(resolveOutput(world, inside, FACTS)).rejects.toMatchObject({
      message: 'extract and report would share the new directory /w/Out',
    })
  }
  const linux = testWorld({ cwd: '/w', host: { ...testWorld().host, platform: 'linux' } })
  expect((await resolveOutput(linux, options, FACTS)).archivePath).toBe('/w/a.zip')
  expect((await resolveOutput(linux, inside, FACTS)).extractPath).toBe('/w/Out')
})
