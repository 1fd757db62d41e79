import { describe, expect, it } from 'vitest'
import { fileWord } from '../../src/sandbox/archive-source.ts'

describe('fileWord', () => {
  it.each(['ABC-123', '0040000', 'NM.10000_A', '1-20000-0'])('does not change %s', (number) => {
    expect(fileWord(number)).toBe(number)
  })

  it('is a safe name on every file system', () => {
    const numbers = [
      'a/b',
      '..',
      '../..',
      'a b',
      'a\\b',
      'C:',
      'µ',
      'é',
      'e\u0301',
      "it's",
      '*',
      'x'.repeat(300),
      'µ'.repeat(90),
      '\ud800',
      '',
    ]
    for (const number of numbers) {
      const word = fileWord(number)
      expect([number, word]).toEqual([
        number,
        expect.stringMatching(/^[A-Za-z0-9._-]*(%[0-9A-F]{2}[A-Za-z0-9._-]*)*$/),
      ])
      expect(word.length).toBeLessThanOrEqual(120)
      expect(() => decodeURIComponent(word)).not.toThrow(RangeError)
    }
  })

  it('differs for names that a file system could confuse', () => {
    const numbers = [
      'ABC',
      'abc',
      'Abc',
      'é',
      'e\u0301',
      'É',
      'x'.repeat(300),
      'x'.repeat(301),
      'a b',
      'a%20b',
    ]
    const folded = numbers.map((number) => fileWord(number).normalize('NFC').toLowerCase())
    expect(new Set(folded).size).toBe(numbers.length)
  })
})
