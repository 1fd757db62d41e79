import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expandWildcards } from '../../src/cli/wildcards.ts'
import { cli } from '../support/cli.ts'
import { testWorld, windowsWorld, withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const NAMES = [
  'B1.zip',
  'a1.zip',
  'a22.zip',
  '.hidden.zip',
  'notes.txt',
  'lit*eral.zip',
  'x/a1.zip',
  'y/a1.zip',
  'y/b+.zip',
]

async function withNames(body: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    for (const name of NAMES) {
      await mkdir(join(folder, name, '..'), { recursive: true })
      await writeFile(join(folder, name), zip([{ name: 'a.xml', data: '<a/>' }]))
    }
    await body(folder)
  })
}

describe('wildcards in operands', () => {
  test.each([
    ['*.zip', ['B1.zip', 'a1.zip', 'a22.zip', 'lit*eral.zip']],
    ['A?.ZIP', ['a1.zip']],
    ['.h*', ['.hidden.zip']],
    ['?/a*.zip', ['x/a1.zip', 'y/a1.zip']],
    ['y\\*', ['y\\a1.zip', 'y\\b+.zip']],
    ['y/*+.zip', ['y/b+.zip']],
    ['*/b+.zip', ['y/b+.zip']],
    ['lit*eral.zip', ['lit*eral.zip']],
    ['notes.txt', ['notes.txt']],
    ['[ab]1.zip', ['[ab]1.zip']],
    ['-', ['-']],
  ])('%s on Windows', (pattern, expected) =>
    withNames(async (folder) => {
      const disk = backslashes(windowsWorld().disk)
      const world = { ...windowsWorld({ cwd: folder }), disk }
      expect(await expandWildcards(world, { command: 'verify', operands: ['first', pattern] })).toEqual([
        'first',
        ...expected,
      ])
    }),
  )

  test('are not in a directory, in an option, or where one file is meant', () =>
    withNames(async (folder) => {
      const world = windowsWorld({ cwd: folder })
      const extract = (...operands: string[]): Promise<readonly string[]> =>
        expandWildcards(world, { command: 'extract', operands })
      expect(await extract('a2*.zip', 'new*')).toEqual(['a22.zip', 'new*'])
      await expect(extract('a*.zip')).rejects.toMatchObject({
        kind: 'usage',
        message: "'a*.zip' matches 2 files, but extract takes one there",
        hint: "name the file, for example 'a1.zip'",
      })
    }))

  test('that match nothing are wrong, and nothing is printed', () =>
    withNames(async (folder) => {
      const { disk, syncDisk, host } = windowsWorld()
      const { code, stdout, stderr } = await cli(['verify', 'z*.zip'], { cwd: folder, disk, syncDisk, host })
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain("no file matches 'z*.zip'")
      const all = await cli(['verify', 'a*.zip', '-q', '--json'], { cwd: folder, disk, syncDisk, host })
      expect(all.json().archives).toMatchObject([{ path: 'a1.zip' }, { path: 'a22.zip' }])
    }))

  test('are as the shell left them elsewhere', () =>
    withNames(async (folder) => {
      const world = { cwd: folder, host: { ...testWorld().host, platform: 'linux' } } as const
      const { code, stderr } = await cli(['verify', '?1.zip'], world)
      expect([code, stderr]).toEqual([2, expect.stringContaining('error: ?1.zip does not exist')])
      expect((await cli(['verify', 'lit*eral.zip'], world)).code).toBe(0)
    }))
})

// The disk of this test separates directories with slashes alone.
function backslashes(disk: ReturnType<typeof windowsWorld>['disk']): typeof disk {
  const slashed = (path: unknown): string => String(path).replaceAll('\\', '/')
  return {
    ...disk,
    lstat: ((path: string) => disk.lstat(slashed(path))) as typeof disk.lstat,
    readdir: ((path: string) => disk.readdir(slashed(path))) as typeof disk.readdir,
  }
}
