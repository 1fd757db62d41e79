import { describe, expect, test } from 'vitest'
import { wrapSummary, wrapText } from '../../src/base/wrap-text.ts'

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
  ])('indents what follows the first line: %j in %i columns', (line, width, lines) => {
    expect(wrapSummary(line, width)).toEqual(lines)
  })
})
