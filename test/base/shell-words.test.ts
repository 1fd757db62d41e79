import { execFileSync } from 'node:child_process'
import { describe, expect, it, test } from 'vitest'
import {
  powershellQuote,
  quoteFor,
  SUBSTITUTION,
  shellQuote,
  shellWords,
  visibleQuote,
} from '../../src/base/shell-words.ts'
import { needs, posixTest } from '../support/programs.ts'

const words = (text: string): readonly string[] => {
  const split = shellWords(text)
  if ('reason' in split) throw new Error(split.reason)
  return split.words
}

describe('shellWords', () => {
  const lines = [
    `curl -d '{"a": "b c"}' https://x.example/y`,
    `curl "a\\"b\\\\c\\xd" e\\ f\\'g`,
    `curl 'it'"'"'s' ''  "" x`,
    `curl $'a\\'b\\n\\t\\x41\\u00e9\\101\\\\' $"plain"`,
    `curl a \\\n  b \\\n  c`,
    `curl a # a comment\nnext`,
    'curl a#b "c # d"',
    'curl a | sh',
    'curl a; b',
    'curl a && b',
    'curl a > out.zip',
    '\n\n  curl a\nb',
    `curl "line one\nline two" 'three\nfour'`,
  ]
  it.skipIf(!needs('bash')).each(lines)('splits %j as bash does', (line) => {
    const first = line.replace(/ # a comment\nnext$| \| sh$|; b$| && b$| > out\.zip$|\nb$/, '')
    const shown = execFileSync('bash', ['-c', `curl() { printf '%s\\0' "$@"; }\n${first}`], {
      encoding: 'utf8',
    })
    expect(words(line)).toEqual(['curl', ...shown.split('\0').slice(0, -1)])
  })

  it('continues lines as the Windows shells do', () => {
    expect(words('curl a ^\r\n b')).toEqual(['curl', 'a', 'b'])
    expect(words('curl a `\n b')).toEqual(['curl', 'a', 'b'])
  })

  it.each([
    ['curl $KEY', '$KEY'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's variable
    ['curl "${KEY:-x}"', '${KEY:-x}'],
    ['curl "$(cat f | head -1)"', '$(cat f | head -1)'],
    ['curl $(a $(b))', '$(a $(b))'],
    ['curl `cat f`', '`cat f`'],
  ])('evaluates nothing: %s', (line, source) => {
    expect(words(line)).toEqual(['curl', `${SUBSTITUTION.start}${source}${SUBSTITUTION.end}`])
  })

  it("reads every escape in $'…', and shows what is no character as U+FFFD", () => {
    expect(words(String.raw`$'\a\b\e\E\f\n\r\t\v\0\7\\\'\"\?\x4\u41\U10ffff\U110000\q'`)).toEqual([
      '\u0007\b\u001b\u001b\f\n\r\t\v\u0000\u0007\\\'"?\u0004A\u{10ffff}\ufffd\\q',
    ])
  })

  it('preserves a dollar without a substitution, and everything in single quotes', () => {
    expect(words(`curl a$ "5$" '$KEY' \\$KEY "\\$KEY"`)).toEqual(['curl', 'a$', '5$', '$KEY', '$KEY', '$KEY'])
  })

  it.each(["curl 'a", 'curl "a', "curl $'a\\'", 'curl `a', 'curl $(a', 'curl "$(a'])(
    'reports what %j does not close',
    (line) => {
      expect(shellWords(line)).toEqual({ reason: expect.stringContaining('not closed') })
    },
  )

  it('finds no words in an empty text', () => {
    expect(words('')).toEqual([])
    expect(words(' \n # only a comment\n')).toEqual([])
  })
})

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
