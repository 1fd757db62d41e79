import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MergeNames, planMerge } from '../../src/archive/merge-plan.ts'
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

function reserved(...names: string[]) {
  const merged = new MergeNames()
  for (const name of names) merged.reserve(name)
  return merged
}

describe('a later file of a name', () => {
  test.each([
    [['a.xml'], 'a.xml', 'a (2).xml'],
    [['a.xml', 'a (2).xml'], 'a.xml', 'a (3).xml'],
    [['a.xml', 'A (2).XML'], 'a.xml', 'a (3).xml'],
    [['a.xml', 'a (2).xml/b'], 'a.xml', 'a (3).xml'],
    [['a'], 'a', 'a (2)'],
    [['d.e/a'], 'd.e/a', 'd.e/a (2)'],
    [['a.tar.gz'], 'a.tar.gz', 'a.tar (2).gz'],
    [['.hidden'], '.hidden', '.hidden (2)'],
  ])('with %j in use, %s is %s', (names, name, numbered) => {
    const merged = reserved(...names)
    expect(merged.add(name, 0)).toBe(name)
    expect(merged.add(name, 1)).toBe(numbered)
  })

  test('never gives a name twice', () => {
    const names = reserved('a.xml')
    expect([0, 1, 2].map((place) => names.add('a.xml', place))).toEqual(['a.xml', 'a (2).xml', 'a (3).xml'])
  })

  test('shortens a name at the limit without cutting a character', () => {
    const long = `${'ü'.repeat(125)}.xml`
    const names = reserved(long)
    expect([names.add(long, 0), names.add(long, 1)][1]).toBe(`${'ü'.repeat(123)} (2).xml`)
  })

  test('keeps a character before an extension that fills the name', () => {
    const extension = `.${'x'.repeat(248)}`
    const names = reserved(`abcdef${extension}`)
    expect([0, 1].map((place) => names.add(`abcdef${extension}`, place))[1]).toBe(`ab (2)${extension}`)
    const longer = `.${'x'.repeat(253)}`
    const others = reserved(`a${longer}`)
    expect([0, 1].map((place) => others.add(`a${longer}`, place))[1]).toBe(`a (2)${longer}`)
  })
})

test.each([
  [['Dir/a'], 'dir/b', 'Dir/b'],
  [['A/B/x', 'a/b/y'], 'a/B/z', 'A/B/z'],
  [['a/x'], 'ab/y', 'ab/y'],
])('after %j, the file %s is spelled %s', (names, name, spelled) => {
  expect(reserved(...names).spelled(name)).toBe(spelled)
})

test('a first file that has the name of a directory is numbered, any other keeps its name', () => {
  const names = reserved('a', 'A/b', 'c')
  expect([names.add('a', 0), names.add('c', 1)]).toEqual(['a (2)', 'c'])
})
