import { describe, expect, test } from 'vitest'
import { createSelector } from '../../src/archive/select-entries.ts'

const NAMES = ['a.xml', '.b.xml', 'd/c.xml', 'd/e/f.txt', 'd/', 'dd/g.XML']

const selected = (include: readonly string[], exclude: readonly string[] = []): string[] => {
  const isWanted = createSelector({ include, exclude })
  return NAMES.filter((name) => isWanted({ name, isFolder: name.endsWith('/') }))
}

describe('createSelector', () => {
  test.each([
    [[], [], NAMES],
    [['*.xml'], [], ['a.xml', '.b.xml', 'd/c.xml']],
    [['d/*'], [], ['d/c.xml']],
    [['d/**'], [], ['d/c.xml', 'd/e/f.txt', 'd/']],
    [['d/'], [], ['d/c.xml', 'd/e/f.txt', 'd/']],
    [['/d/c.xml', './a.xml', './c.xml'], [], ['a.xml', 'd/c.xml']],
    [['*.{txt,XML}'], [], ['d/e/f.txt', 'dd/g.XML']],
    [['*.xml', '*.txt'], ['d/**'], ['a.xml', '.b.xml']],
    [[], ['*'], []],
  ])('include %j, exclude %j selects %j', (include, exclude, names) => {
    expect(selected(include, exclude)).toEqual(names)
  })

  test.each([
    ['include', ' ', /^an include glob is blank$/],
    ['exclude', '', /^an exclude glob is blank$/],
    ['exclude', '*'.repeat(10_001), /longer than 10,000 characters/],
  ])('an %s glob that cannot be used is a usage error', (option, glob, message) => {
    const selection = { include: [], exclude: [], [option]: [glob] }
    expect(() => createSelector(selection)).toThrowError(
      expect.objectContaining({
        kind: 'usage',
        message: expect.stringMatching(message),
        details: expect.objectContaining({ options: [option] }),
      }),
    )
  })
})
