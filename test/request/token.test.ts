import { describe, expect, test } from 'vitest'
import { checkToken } from '../../src/request/token.ts'

describe('a secret for a header', () => {
  test.each([
    ['abc.DEF-123_~+/=', 'abc.DEF-123_~+/='],
    ['  abc\r\n', 'abc'],
    ['Bearer abc', 'abc'],
    ['bearer   abc\n', 'abc'],
  ])('%j is read as %s', (text, token) => {
    expect(checkToken(text)).toEqual({ token })
  })

  test.each([
    '',
    ' \n',
    'Bearer ',
    'bearer',
    '"quoted"',
    'sec\nret',
    'sec\r\nX-Evil: 1',
    'sec ret',
    'sec\u0000ret',
    'sécret',
    'sec\u200bret',
    'secret'.repeat(3000),
  ])('%j is refused without being quoted', (text) => {
    const result = checkToken(text)
    expect(result).toHaveProperty('reason')
    expect(JSON.stringify(result)).not.toContain('ret')
  })
})
