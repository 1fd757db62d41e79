import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { FILLED_IN, shellWords } from '../../src/base/shell-words.ts'

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
  it.each(lines)('splits %j as bash does', (line) => {
    const first = line.replace(/ # a comment\nnext$| \| sh$|; b$| && b$| > out\.zip$|\nb$/, '')
    const shown = execFileSync('bash', ['-c', `curl() { printf '%s\\0' "$@"; }\n${first}`], {
      encoding: 'utf8',
    })
    expect(words(line)).toEqual(['curl', ...shown.split('\0').slice(0, -1)])
  })

  it('goes on after the line ends of the Windows shells', () => {
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
  ])('runs and fills in nothing: %s', (line, source) => {
    expect(words(line)).toEqual(['curl', `${FILLED_IN.start}${source}${FILLED_IN.end}`])
  })

  it('leaves a dollar alone that begins nothing, and everything in single quotes', () => {
    expect(words(`curl a$ "5$" '$KEY' \\$KEY "\\$KEY"`)).toEqual(['curl', 'a$', '5$', '$KEY', '$KEY', '$KEY'])
  })

  it.each(["curl 'a", 'curl "a', "curl $'a\\'", 'curl `a', 'curl $(a', 'curl "$(a'])(
    'says of %j what is never closed',
    (line) => {
      expect(shellWords(line)).toEqual({ reason: expect.stringContaining('never closed') })
    },
  )

  it('has no words for nothing', () => {
    expect(words('')).toEqual([])
    expect(words(' \n # only a comment\n')).toEqual([])
  })
})
