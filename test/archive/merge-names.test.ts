import { describe, expect, test } from 'vitest'
import { createMergeNames } from '../../src/archive/merge-names.ts'

function reserved(...names: string[]) {
  const merged = createMergeNames()
  for (const name of names) merged.reserve(name)
  return merged
}

describe('numbered', () => {
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
    expect(reserved(...names).numbered(name)).toBe(numbered)
  })

  test('never gives a name twice', () => {
    const names = reserved('a.xml')
    expect([names.numbered('a.xml'), names.numbered('a.xml')]).toEqual(['a (2).xml', 'a (3).xml'])
  })

  test('shortens a name at the limit without cutting a character', () => {
    const name = reserved().numbered(`${'ü'.repeat(125)}.xml`)
    expect(name).toBe(`${'ü'.repeat(123)} (2).xml`)
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
  expect([names.first('a'), names.first('c')]).toEqual(['a (2)', 'c'])
})
