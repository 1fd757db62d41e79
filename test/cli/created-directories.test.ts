import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli, tree } from '../support/cli.ts'
import { fileA, productXml } from '../support/declarations.ts'
import { withFolder } from '../support/world.ts'
import { zip } from '../support/zip.ts'

const ARCHIVE = zip([{ name: 'a.xml', data: fileA(productXml(['P1'], '')) }])
const DAMAGED = ARCHIVE.subarray(0, -10)

async function withArchives(body: (cwd: string) => Promise<void>): Promise<void> {
  await withFolder(async (cwd) => {
    await writeFile(join(cwd, 'a.zip'), ARCHIVE)
    await writeFile(join(cwd, 'damaged.zip'), DAMAGED)
    await mkdir(join(cwd, 'old'))
    await body(cwd)
  })
}

describe('a directory that a command creates', () => {
  test.each([
    ['extract', ['extract', 'a.zip', 'new/sub/x'], ['new/sub']],
    ['report', ['report', 'a.zip', '-o', 'new/sub/x.csv'], ['new/sub']],
    ['report with two files', ['report', 'a.zip', '-o', 'n1/x.csv', '--junit', 'n2/j.xml'], ['n1', 'n2']],
    ['diff', ['diff', 'a.zip', 'a.zip', '-o', 'new/x.csv'], ['new']],
    ['into a directory that exists', ['extract', 'a.zip', 'old/x'], []],
  ])('is printed: %s', async (_, argv, created) => {
    await withArchives(async (cwd) => {
      const { code, stderr } = await cli(argv, { cwd })
      expect(code).toBe(0)
      const lines = stderr.split('\n').filter((line) => line.startsWith('created directory '))
      expect(lines).toEqual(created.map((path) => `created directory ${join(cwd, path)}`))
      const quiet = await cli([...argv, '--overwrite', '-q'], { cwd })
      expect(quiet.stderr).toBe('')
    })
  })

  test.each([
    ['extract', ['extract', 'damaged.zip', 'new/sub/x']],
    ['report', ['report', 'a.zip', 'nowhere.zip', '-o', 'new/sub/x.csv']],
    ['diff', ['diff', 'a.zip', 'nowhere.zip', '-o', 'new/x.csv']],
    ['report to a name that is too long', ['report', 'a.zip', '-o', `new/${'x'.repeat(300)}.csv`]],
  ])('is removed when the command fails: %s', async (_, argv) => {
    await withArchives(async (cwd) => {
      const { code, stderr } = await cli(argv, { cwd })
      expect(code).not.toBe(0)
      expect(stderr).not.toContain('created directory')
      expect(await tree(cwd)).toEqual(['a.zip', 'damaged.zip', 'old'])
    })
  })
})

describe('an argument that is not UTF-8, as Node gives it', () => {
  test('is refused: it would name another directory', async () => {
    await withArchives(async (cwd) => {
      for (const target of ['Erkl\ufffdrung', 'Erkl\ufffdrung/out', 'old/Erkl\ufffdrung/out']) {
        const { code, stderr } = await cli(['extract', 'a.zip', target], { cwd })
        expect([code, stderr]).toEqual([2, expect.stringContaining(`the argument '${target}' is not UTF-8`)])
      }
      expect(await tree(cwd)).toEqual(['a.zip', 'damaged.zip', 'old'])
    })
  })

  test('is used where that is its name', async () => {
    await withArchives(async (cwd) => {
      await mkdir(join(cwd, 'Erkl\ufffdrung'))
      expect((await cli(['extract', 'a.zip', 'Erkl\ufffdrung/out'], { cwd })).code).toBe(0)
    })
  })
})
