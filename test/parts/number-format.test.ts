import { describe, expect, test } from 'vitest'
import { readNumberFormat, showDigits } from '../../src/parts/number-format.ts'

describe('number formats', () => {
  test.each([
    ['00000', '123', '00123'],
    ['000;@', '7', '007'],
    ['000-0000', '1234567', '123-4567'],
    ['000-0000', '12345678', '1234-5678'],
    ['000-0000', '1', '000-0001'],
    ['"PN-"0000\\/00', '12', 'PN-0000/12'],
    ['0" pcs"', '15', '15 pcs'],
  ])('%s shows %s as %s', (code, digits, shown) => {
    const format = readNumberFormat(code)
    expect(Array.isArray(format) && showDigits(digits, format)).toBe(shown)
  })

  test.each([['0.00E+00'], ['##0.0E+0'], ['0e-0']])('%s is scientific notation', (code) =>
    expect(readNumberFormat(code)).toBe('scientific'),
  )

  test.each([
    ['mmm-yy'],
    ['yyyy\\-mm\\-dd'],
    ['[$-414]mmmm\\ yyyy;@'],
    ['[h]:mm'],
    ['mm:ss.0'],
    ['d "de" mmm'],
    ['0;m/d'],
  ])('%s is a date', (code) => expect(readNumberFormat(code)).toBe('date'))

  test.each([['General'], ['0'], ['0.00'], ['#,##0'], ['@'], ['[Red]00'], ['"E+"#'], ['']])(
    '%s is none that part numbers are shown with',
    (code) => expect(readNumberFormat(code)).toBeUndefined(),
  )
})
