import { describe, expect, test } from 'vitest'
import { jsonText } from '../../src/base/clean-text.ts'
import { parseJson } from '../../src/base/json-text.ts'

describe('parseJson', () => {
  test.each(['{}', ' { "a" : [ 1 , -2.5e+3 , true , null , "x\\u00e9\\n" ] } \n', '"text"', '0', '{"": ""}'])(
    'parses %j',
    (text) => {
      expect(parseJson(text)).toEqual({ value: JSON.parse(text) })
    },
  )

  test.each([
    ['', 1, 1, 'value expected'],
    ['{"a"}', 1, 5, 'colon expected'],
    ['{\n"a":1,\n}', 3, 1, 'property name expected'],
    ['[1 2]', 1, 4, 'comma expected'],
    ['{} {}', 1, 4, 'end of file expected'],
    ["{'a':1}", 1, 2, 'invalid symbol'],
    ['{"a":"\n"}', 1, 6, 'unexpected end of string'],
    ['{"a":"\\x"}', 1, 6, 'invalid escape character'],
    ['[1.]', 1, 2, 'unexpected end of number'],
    ['[NaN]', 1, 2, 'invalid symbol'],
    ['// no\n{}', 1, 1, 'invalid comment token'],
  ])('reports the position of the error in %j', (text, line, column, message) => {
    expect(parseJson(text)).toEqual({ problem: { message, line, column } })
  })

  test('never quotes the text', () => {
    expect(JSON.stringify(parseJson('{"apikey": s3cret}'))).not.toContain('s3cret')
  })

  test('agrees with the engine on random sequences of JSON tokens', () => {
    const alphabet = ['{', '}', '[', ']', ',', ':', '"a"', '"', '1', '-', '.', 'e', 'true', 'null', ' ', '\\']
    let seed = 7
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return (seed >>> 8) % below
    }
    for (let round = 0; round < 2_000; round += 1) {
      const text = Array.from({ length: 1 + next(9) }, () => alphabet[next(alphabet.length)]).join('')
      const parsed = parseJson(text)
      if ('value' in parsed) expect(parsed.value).toEqual(JSON.parse(text))
      else expect([text, parsed.problem.line]).toEqual([text, 1])
    }
  })

  test('handles deeply nested text', () => {
    expect(parseJson('['.repeat(100_000))).toMatchObject({ problem: { line: 1, column: 1 } })
    expect(parseJson(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toHaveProperty('value')
  })
})

describe('jsonText', () => {
  const hidden =
    '\u007f\u0085\u00ad\u061c\u180e\u200b\u200f\u2028\u2029\u202e\u2066\ufeff\ufffa\u{e0041}\ud800'

  test('shows everything, and is read back as it was', () => {
    const value = { [`a${hidden}`]: [`${hidden}z`, 'Ünïcode 漢字 😀 …', 1, null] }
    const text = jsonText(value)
    expect(text).toMatch(/^[ -~\u00a1-\u00ac\u00ae-\u0600\u2010-\u2027\u3400-\u9fff😀]+$/u)
    expect(text).toContain('\\u202e')
    expect(text).toContain('\\udb40\\udc41')
    expect(text).toContain('Ünïcode 漢字 😀 …')
    expect(JSON.parse(text)).toEqual(value)
    expect(JSON.parse(jsonText(value, 2))).toEqual(value)
  })
})
