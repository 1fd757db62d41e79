import { describe, expect, test } from 'vitest'
import {
  cleanText,
  cutToWidth,
  displayWidth,
  escapeUnsafe,
  joinTexts,
  nearest,
  quoteText,
  withoutCommands,
  wrapSummary,
  wrapText,
} from '../../src/base/clean-text.ts'

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
  expect(cleanText('x'.repeat(300))).toBe('x'.repeat(300))
  expect(cleanText('x'.repeat(20), 5)).toBe('xxxx…')
})

test('only the first characters of a long text are examined, four times as many as are shown', () => {
  expect(cleanText(`${' '.repeat(19)}a`, 5)).toBe('a')
  expect(cleanText(`a${' '.repeat(20)}`, 5)).toBe('a…')
})

test.each([
  ['abc', 3, '…', 'abc'],
  ['abcd', 3, '…', 'ab…'],
  ['abcd', 1, '…', '…'],
  ['abcd', 0, '…', ''],
  ['abcd', 3, '...', '...'],
  ['abcd', 2, '...', 'ab'],
  ['電電電', 6, '…', '電電電'],
  ['電電電', 5, '…', '電電…'],
  ['電電電', 4, '…', '電…'],
  ['a👩‍🔧b', 3, '…', 'a…'],
])('%j in %i columns is cut with %j to %j', (text, width, ellipsis, cut) => {
  expect(cutToWidth(text, width, ellipsis)).toBe(cut)
  expect(displayWidth(cut)).toBeLessThanOrEqual(width)
})

test('quoted text is escaped and truncated', () => {
  expect(quoteText('a\nb')).toBe("'a\\u000ab'")
  expect(quoteText('x'.repeat(5), 5)).toBe("'xxxxx'")
  expect(quoteText('x'.repeat(9), 5)).toBe("'xxxx…'")
})

describe('the nearest word', () => {
  test.each([
    ['suplier', ['part', 'supplier'], 'supplier'],
    ['quite', ['query', 'quiet'], 'quiet'],
    ['shwo', ['show', 'path', 'init'], 'show'],
    ['PROFILE', ['proxy', 'profile'], 'profile'],
    ['bogus', ['supplier', 'quiet'], undefined],
    ['v3', ['v2', 'v1'], 'v2'],
    ['abxyef', ['abcdef'], 'abcdef'],
    ['axyzef', ['abcdef'], undefined],
    ['supp', ['supplier', 'part'], 'supplier'],
    ['supp', ['supplier', 'supplement'], undefined],
    ['sup', ['supplier', 'part'], undefined],
  ] as const)('to %s of %j is %s', (word, known, expected) => {
    expect(nearest(word, known)).toBe(expected)
  })

  test('shares at least one letter', () => {
    expect(nearest('E', ['C', 'D', 'checkDthenC'])).toBeUndefined()
  })
})

describe('wrapText', () => {
  test.each([
    ['', 10, ['']],
    ['one two', 10, ['one two']],
    ['one two three', 8, ['one two', 'three']],
    ['a longerthanthis b', 5, ['a', 'longerthanthis', 'b']],
    ['電電 電電 電', 6, ['電電', '電電', '電']],
  ])('%j in %i columns', (text, width, lines) => {
    expect(wrapText(text, width)).toEqual(lines)
  })
})

describe('wrapSummary', () => {
  test.each([
    ['short, line', 40, ['short, line']],
    [
      'List: 241 entries of June 2024 (24 parts), 224 entries of June 2022 (2 parts)',
      60,
      ['List: 241 entries of June 2024 (24 parts), 224 entries of', '  June 2022 (2 parts)'],
    ],
    ['  7(a)  in force; 1 part: EXC1, EXC2', 20, ['  7(a)  in force; 1', '    part: EXC1, EXC2']],
    ['  averylongword next', 8, ['  averylongword', '    next']],
    [
      '  hint: run: matdecl login; without an account, try: matdecl download --sandbox --supplier 1',
      60,
      ['  hint: run: matdecl login; without an account, try:', '    matdecl download --sandbox --supplier 1'],
    ],
    [
      '  hint: save it with matdecl login, or not',
      24,
      ['  hint: save it with', '    matdecl login, or', '    not'],
    ],
    ["  hint: run: chmod 600 '/a b/c'", 16, ['  hint: run:', "    chmod 600 '/a b/c'"]],
  ])('indents what follows the first line: %j in %i columns', (line, width, lines) => {
    expect(wrapSummary(line, width)).toEqual(lines)
  })
})

test.each([
  [['a', 'b', 'c'], 2, ['ab', 'c']],
  [['abc', 'd', ''], 2, ['abc', 'd']],
  [['', '', 'a'], 1, ['a']],
  [['a', 'bc'], 65_536, ['abc']],
  [[], 2, []],
])('%j are joined to texts of at least %i characters: %j', (texts, length, joined) => {
  expect([...joinTexts(texts, length)]).toEqual(joined)
})

test('texts are joined to 64 Ki characters', () => {
  const texts = Array.from({ length: 130 }, () => 'x'.repeat(1024))
  expect([...joinTexts(texts)].map((text) => text.length)).toEqual([65_536, 65_536, 2_048])
})

test.each([
  ['::error::x', '\\::error::x'],
  ['a\n \t::x\n::y', 'a\n \t\\::x\n\\::y'],
  ['a ##[x] ##[y] ## [z]', 'a #\\#[x] #\\#[y] ## [z]'],
  ['a,##vso[x] ##teamcity[y] ##v[z]', 'a,#\\#vso[x] #\\#teamcity[y] ##v[z]'],
  ['a::b : :c #[d]', 'a::b : :c #[d]'],
])('%j contains no command as %j', (text, shown) => expect(withoutCommands(text)).toBe(shown))
