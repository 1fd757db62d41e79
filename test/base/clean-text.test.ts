import { expect, test } from 'vitest'
import { cleanText, escapeUnsafe, quoteText } from '../../src/base/clean-text.ts'

test.each([
  ['a\u001b[31mb', 'a\\u001b[31mb'],
  ['a\u202eb', 'a\\u202eb'],
  ['a\u200bb', 'a\\u200bb'],
  ['a\nb', 'a\\u000ab'],
  ['\ud800', '\\ud800'],
  ['\u{e0041}', '\\u{e0041}'],
  ['Größe 😀 日本', 'Größe 😀 日本'],
])('%j is shown as %j', (text, shown) => expect(escapeUnsafe(text)).toBe(shown))

test('whitespace is collapsed, long text is truncated', () => {
  expect(cleanText(' a\r\n\t b\u2028c ')).toBe('a b c')
  expect(cleanText('x'.repeat(400))).toBe(`${'x'.repeat(299)}…`)
  expect(cleanText('x'.repeat(20), 5)).toBe('xxxx…')
})

test('quoted text is escaped and truncated', () => {
  expect(quoteText('a\nb')).toBe("'a\\u000ab'")
  expect(quoteText('x'.repeat(9), 5)).toBe("'xxxx…'")
})
