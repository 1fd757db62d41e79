import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planMerge } from '../../src/archive/merge-plan.ts'
import { sourcesOf } from '../support/merge-sources.ts'
import { testWorld, withFolder } from '../support/world.ts'
import { type ZipEntry, zip } from '../support/zip.ts'

const never = new AbortController().signal

async function planned(archives: readonly (readonly ZipEntry[])[], signal = never) {
  return withFolder(async (folder) => {
    const paths = archives.map((_, index) => join(folder, `${index}.zip`))
    for (const [index, entries] of archives.entries()) await writeFile(paths[index]!, zip(entries))
    const { counts, names } = await planMerge(testWorld(), sourcesOf(paths), signal)
    expect(counts).toEqual(archives.map(({ length }) => length))
    return names
  })
}

test('a file is left out where the same name holds the same bytes, else it is numbered', async () => {
  const names = await planned([
    [
      { name: 'a', data: 'one' },
      { name: 'b', data: 'x' },
    ],
    [
      { name: 'a', data: 'one' },
      { name: 'b', data: 'y' },
    ],
    [
      { name: 'b', data: 'y' },
      { name: 'b (2)', data: 'z' },
    ],
  ])
  expect(names).toEqual(['a', 'b', undefined, 'b (3)', undefined, 'b (2)'])
})

test('a directory is kept once, in its first spelling', async () => {
  expect(await planned([[{ name: 'D/' }], [{ name: 'd/' }, { name: 'd/a', data: '' }]])).toEqual([
    'D/',
    undefined,
    'D/a',
  ])
})

test('a damaged input is an archive failure that names it', async () => {
  await expect(planned([[{ name: 'a', data: '' }], [{ name: '../a', data: '' }]])).rejects.toMatchObject({
    kind: 'archive',
    message: expect.stringContaining('1.zip'),
  })
})

test('a stopped plan ends with the reason', async () => {
  const reason = new Error('stopped')
  await expect(planned([[]], AbortSignal.abort(reason))).rejects.toBe(reason)
})
