import { describe, expect, test } from 'vitest'
import { checkToken } from '../../src/request/token.ts'

describe('a secret for a header', () => {
  test.each([
    ['abc.DEF-123_~+/=', 'abc.DEF-123_~+/='],
    ['  abc\r\n', 'abc'],
    ['Bearer abc', 'abc'],
    ['bearer   abc\n', 'abc'],
    ['token', 'token'],
    ['tok=abc', 'tok=abc'],
    ['tokenabc==', 'tokenabc=='],
    ['api_key_live_abc=', 'api_key_live_abc='],
  ])('%j is read as %s', (text, token) => {
    expect(checkToken(text)).toEqual({ token })
  })

  test.each([
    ['', 'is empty'],
    [' \n', 'is empty'],
    ['Bearer ', 'is empty'],
    ['bearer', 'is empty'],
    ['"quoted"', 'is in quotes: remove them'],
    ["'quoted'", 'is in quotes: remove them'],
    ...(
      [
        ['MATDECL_TOKEN=secret', 'MATDECL_TOKEN'],
        ['export MATDECL_TOKEN="secret"', 'MATDECL_TOKEN'],
        ["$env:MATDECL_TOKEN = 'secret'", 'MATDECL_TOKEN'],
        ['setx MATDECL_TOKEN "secret"', 'MATDECL_TOKEN'],
        ['MATDECL_API_KEY=secret\nOTHER=1', 'MATDECL_API_KEY'],
        ['token = "secret"', 'token'],
        ['api-key: secret', 'api-key'],
        ['Authorization: Bearer secret', 'Authorization'],
      ] as const
    ).map(([text, name]): [string, string] => [
      text,
      `has the name ${name} before its value: keep only the value`,
    ]),
    ['{"access_token":"secret"}', 'is a JSON object: keep only the value'],
    ['sec\nret', 'has more than one line'],
    ['sec\r\nX-Evil: 1', 'has more than one line'],
    ['sec ret', 'contains whitespace'],
    ['sec\tret', 'contains whitespace'],
    ['sec\u0000ret', 'contains a control character'],
    ['sec\u007fret', 'contains a control character'],
    ['sécret', 'contains a character that is not ASCII'],
    ['sec\u200bret', 'contains a character that is not ASCII'],
    ['x'.repeat(16_385), 'is longer than 16,384 characters'],
  ])('%j is refused without being quoted: it %s', (text, reason) => {
    expect(checkToken(text)).toEqual({ reason })
  })

  test('may have 16,384 characters, and a quote of its own', () => {
    const longest = `"${'x'.repeat(16_383)}`
    expect(checkToken(longest)).toEqual({ token: longest })
  })
})
