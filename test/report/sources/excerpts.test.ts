import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_ARCHIVE_LIMITS } from '../../../src/archive/problem.ts'
import { readExcerpts } from '../../../src/report/sources/excerpts.ts'
import { testWorld, withFolder } from '../../support/world.ts'
import { zip } from '../../support/zip.ts'

const TEXT = ['<a>', '\t<b/>', '  <c/>', '<d/>\r', '<e/>', `<f x="${'y'.repeat(400)}"/>`, '</a>'].join('\n')
const hash = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

describe('excerpts', () => {
  const read = (
    cwd: string,
    sources: readonly string[],
    wanted: Readonly<Record<string, readonly number[]>>,
  ) =>
    readExcerpts(
      testWorld({ cwd }),
      { sources, limits: DEFAULT_ARCHIVE_LIMITS },
      new Map(Object.entries(wanted).map(([name, lines]) => [name, new Set(lines)])),
    )

  test('are the wanted lines of files, with those around them and the hashes', () =>
    withFolder(async (cwd) => {
      const archive = zip([
        { name: 'p.xml', data: TEXT },
        { name: 'other.xml', data: '<x/>' },
      ])
      await writeFile(join(cwd, 'a.zip'), archive)
      await writeFile(join(cwd, 'b.xml'), TEXT)
      const found = await read(cwd, ['a.zip', 'b.xml'], { 'a.zip!p.xml': [2], 'b.xml': [7], 'gone.xml': [1] })
      expect([...found.keys()]).toEqual(['a.zip!p.xml', 'b.xml'])
      const inside = found.get('a.zip!p.xml')!
      expect(inside.sha256).toBe(hash(TEXT))
      expect(inside.archive).toEqual({ name: 'a.zip', sha256: hash(await readFile(join(cwd, 'a.zip'))) })
      expect([...inside.lines]).toEqual([
        [1, '<a>'],
        [2, '  <b/>'],
        [3, '  <c/>'],
        [4, '<d/>'],
        [5, '<e/>'],
      ])
      const { lines, archive: none } = found.get('b.xml')!
      expect(none).toBeUndefined()
      expect([...lines.keys()]).toEqual([6, 7])
      expect(lines.get(6)).toMatch(/^<f x="y{294}… \(only the start of this line is shown\)$/)
    }))

  test('are not read where none are wanted, nor from standard input', () =>
    withFolder(async (cwd) => {
      expect((await read(cwd, ['missing.zip'], {})).size).toBe(0)
      expect((await read(cwd, ['-'], { 'stdin!p.xml': [1] })).size).toBe(0)
    }))
})
