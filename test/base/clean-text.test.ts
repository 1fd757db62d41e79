import { describe, expect, test } from 'vitest'
import { cleanText, escapeUnsafe } from '../../src/base/clean-text.ts'

describe('escapeUnsafe', () => {
  test.each([
    ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
    ['a C1 control', 'a\u009bb', 'a\\u009bb'],
    ['a line break', 'a\r\nb', 'a\\u000d\\u000ab'],
    ['a bidirectional override', 'a\u202eb', 'a\\u202eb'],
    ['a zero-width space', 'a\u200bb', 'a\\u200bb'],
    ['a byte order mark', '\ufeffa', '\\ufeffa'],
    ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a lone surrogate', 'a\ud800b', 'a\\ud800b'],
  ])('escapes %s', (_, text, safe) => expect(escapeUnsafe(text)).toBe(safe))

  test.each(['EXC188R60000KA', 'IM-10µH', '部品', 'a b', '😀', ''])('keeps %j', (text) => {
    expect(escapeUnsafe(text)).toBe(text)
  })
})

describe('cleanText', () => {
  test('joins white space, also of several lines', () => {
    expect(cleanText('  one\r\n\ttwo\u2028three ')).toBe('one two three')
  })

  test('escapes what remains', () => expect(cleanText('a\u0007b')).toBe('a\\u0007b'))

  test('is never longer than asked', () => {
    expect(cleanText('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`)
    expect(cleanText('\u0001'.repeat(50), 10)).toHaveLength(10)
  })
})
