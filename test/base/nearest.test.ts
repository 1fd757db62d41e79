import { describe, expect, test } from 'vitest'
import { nearest } from '../../src/base/nearest.ts'

describe('the nearest word', () => {
  test.each([
    ['suplier', ['part', 'supplier'], 'supplier'],
    ['quite', ['query', 'quiet'], 'quiet'],
    ['shwo', ['show', 'path', 'init'], 'show'],
    ['PROFILE', ['proxy', 'profile'], 'profile'],
    ['bogus', ['supplier', 'quiet'], undefined],
    ['v3', ['v2', 'v1'], 'v2'],
  ] as const)('to %s of %j is %s', (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected)
  })

  test('shares at least one letter', () => {
    expect(nearest('E', ['C', 'D', 'checkDthenC'])).toBeUndefined()
  })
})
