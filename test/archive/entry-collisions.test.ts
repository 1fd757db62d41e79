import { describe, expect, it } from 'vitest'
import { collisionKey, createCollisionCheck } from '../../src/archive/entry-collisions.ts'

function check(...names: string[]): (string | undefined)[] {
  const collisions = createCollisionCheck()
  return names.map(collisions.add)
}

describe('createCollisionCheck', () => {
  it.each([
    [['a', 'b', 'c']],
    [['c', 'a', 'b']],
    [['a/', 'a/b/', 'a/b/c', 'a/d']],
    [['a/b/c', 'a/b/', 'a/']],
    [['a/b', 'b/a']],
    [['a', 'a.b', 'a-b/c', 'ab/c']],
    [['größe', 'grosse']],
  ])('accepts %j next to each other', (names) => {
    expect(check(...names)).toEqual(names.map(() => undefined))
  })

  it.each([
    [['a', 'a'], /twice/],
    [['b', 'a', 'b'], /twice/],
    [['a/', 'a/'], /twice/],
    [['a/b', 'a/', 'c', 'a/'], /twice/],
    [['A', 'a'], /"A" only by case/],
    [['a/B', 'a/b'], /only by case/],
    [['A/b', 'a/c'], /"A\/" only by case/],
    [['A/', 'a/c'], /only by case/],
    [['a/c', 'A/'], /only by case/],
    [['a/b/c', 'a/x', 'a/B/d'], /only by case/],
    [['\u00e9', 'e\u0301'], /Unicode form/],
    [['\u00e9/a', 'e\u0301/b'], /Unicode form/],
    [['\u1e9e', 'SS'], /only by case/],
    [['\ufb01', 'FI'], /only by case/],
    [['a', 'a/b'], /directory here and a file elsewhere/],
    [['a/b', 'a'], /file here and a directory elsewhere/],
    [['a', 'a/'], /directory here and a file elsewhere/],
    [['a/', 'a'], /file here and a directory elsewhere/],
    [['a/b', 'a/b/c/d'], /directory here and a file elsewhere/],
    [['a/b/c/d', 'a/b'], /file here and a directory elsewhere/],
    [['É', 'é/x'], /directory here and a file elsewhere/],
  ])('finds the last of %j in the way', (names, reason) => {
    const found = check(...names)
    expect(found.at(-1)).toMatch(reason)
    expect(found.slice(0, -1)).toEqual(names.slice(1).map(() => undefined))
  })
})

describe('collisionKey', () => {
  it('is the same for a directory and a file of the same name', () => {
    expect(collisionKey('A/b/')).toBe(collisionKey('a/B'))
  })

  it('keeps apart what every file system keeps apart', () => {
    const names = ['a', 'b', 'ab', 'a b', 'a/b', 'ä', 'ae', 'o', 'ö', '0', 'ı']
    expect(new Set(names.map(collisionKey)).size).toBe(names.length)
  })
})
