import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { powershellQuote, quoteFor, shellQuote, visibleQuote } from '../../src/base/shell-words.ts'
import { needs, posixTest } from '../support/programs.ts'

const WORDS = [
  'A-1',
  "it's",
  'a b',
  '$(exit 3)',
  '`id`',
  '\\',
  '*',
  '~',
  '-x',
  '',
  'a"b',
  '!x',
  '#c',
  'µ部品',
]

const readBy = (shell: string, words: readonly string[]): string[] =>
  execFileSync(shell, ['-c', `printf '%s\\0' ${words.join(' ')}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

posixTest('a shell reads quoted words back as they were', () => {
  expect(readBy('sh', WORDS.map(shellQuote))).toEqual(WORDS)
})

describe.skipIf(!needs('bash'))('words with characters that a terminal hides', () => {
  const HIDDEN = ['a\u202eb', 'tab\there', 'line\nbreak', "it's\u200b", '\\n\u0001', 'tag\u{e0041}']

  test('are read back by bash', () => {
    expect(readBy('bash', [...HIDDEN, ...WORDS].map(visibleQuote))).toEqual([...HIDDEN, ...WORDS])
  })

  test('make invisible characters visible', () => {
    for (const word of HIDDEN) expect(visibleQuote(word)).toMatch(/^\$'[ -~]*'$/)
  })
})

describe('quoted for PowerShell', () => {
  test.each([
    ['A-1', 'A-1'],
    [String.raw`C:\a\b.zip`, String.raw`C:\a\b.zip`],
    ["it's", "'it''s'"],
    ['a b', "'a b'"],
    ['$env:X', "'$env:X'"],
    ['a`b"c', "'a`b\"c'"],
    ['’typographic‘', "'’’typographic‘‘'"],
    ['', "''"],
    ['@x', "'@x'"],
    ['%x', "'%x'"],
    ['a,b', "'a,b'"],
    ['a;b|c&d', "'a;b|c&d'"],
    ['$x "\u202e', '"`$x `"$([char]0x202e)"'],
    ['\n', '"$([char]0x000a)"'],
  ])('%j is %s', (text, quoted) => {
    expect(powershellQuote(text)).toBe(quoted)
  })

  test.each([
    ['A-1', 'A-1'],
    ['a b', '"a b"'],
    ["it's", `"it's"`],
    ['a;b|c&d', '"a;b|c&d"'],
    ['C:\\a b\\', "'C:\\a b\\'"],
    ['a %X%', "'a %X%'"],
    ['$env:X', "'$env:X'"],
    ['a"b', `'a"b'`],
    ['', "''"],
    ['\u202e', '"$([char]0x202e)"'],
  ])('%j is %s for the Command Prompt too, where it can be', (text, quoted) => {
    expect(quoteFor('win32')(text)).toBe(quoted)
  })

  test('are only words for Windows', () => {
    expect(quoteFor('linux')("it's")).toBe(visibleQuote("it's"))
  })
})
