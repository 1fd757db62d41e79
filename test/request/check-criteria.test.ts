import { describe, expect, test } from 'vitest'
import { withOptions } from '../../src/base/notice.ts'
import { type CriteriaInput, checkCriteria } from '../../src/request/check-criteria.ts'

const NOW = Date.parse('2026-03-04T05:06:07Z')
const NOTHING: CriteriaInput = {
  api: 'v2',
  format: undefined,
  formatClass: undefined,
  supplier: undefined,
  startDate: undefined,
  since: undefined,
  query: [],
  parts: [],
}

function check(asked: Partial<CriteriaInput>): ReturnType<typeof checkCriteria> {
  return checkCriteria({ ...NOTHING, ...asked }, NOW)
}

describe('valid criteria', () => {
  test('the format is 1752A unless given', () => {
    expect(check({ supplier: '123456789' })).toMatchObject({ criteria: { format: '1752A' }, notices: [] })
  })

  test('parts alone are sufficient and unchanged', () => {
    expect(check({ parts: [' a,b ', '0'] })).toHaveProperty('criteria')
  })

  test('a supplier that is not nine digits is a warning, never an error', () => {
    expect(check({ supplier: ' ACME 1' })).toMatchObject({
      criteria: { supplier: ' ACME 1' },
      notices: [{ event: 'criteria.supplier-form' }],
    })
  })

  test('a start date in the future is a warning', () => {
    expect(check({ supplier: '123456789', startDate: '2026-03-05' })).toMatchObject({
      notices: [{ event: 'criteria.start-date-future', needsLook: true }],
    })
    expect(check({ supplier: '123456789', startDate: '2026-03-04' })).toMatchObject({ notices: [] })
  })

  test('a query parameter may be repeated, for services with lists', () => {
    expect(check({ parts: ['a'], query: ['x[]=1', 'x[]=2'] })).toMatchObject({
      criteria: {
        query: [
          ['x[]', '1'],
          ['x[]', '2'],
        ],
      },
    })
  })

  test('query parameters are added, and format replaces the format', () => {
    expect(check({ parts: ['a'], query: ['x=1=2', 'format=CSV', 'y='] })).toMatchObject({
      criteria: {
        format: 'CSV',
        query: [
          ['x', '1=2'],
          ['y', ''],
        ],
      },
    })
  })

  test('v1 may search for everything', () => {
    expect(check({ api: 'v1' })).toMatchObject({ criteria: { api: 'v1', format: 'XML' } })
    expect(check({ api: 'v1', format: 'CSV' })).toMatchObject({ criteria: { format: 'CSV' } })
  })
})

describe('invalid criteria', () => {
  test.each<[Partial<CriteriaInput>, RegExp]>([
    [{}, /no supplier and no part number/],
    [{ supplier: '' }, /^supplier is blank/],
    [{ supplier: ' \t' }, /^supplier is blank/],
    [{ supplier: '123\u00074' }, /control character/],
    [{ parts: ['ok', ''] }, /^part number is blank/],
    [{ parts: ['a\nb'] }, /control character/],
    [{ parts: ['a\ufffd'] }, /not valid Unicode/],
    [{ parts: ['a'], format: 'XML' }, /'XML' is not a v2 format.*use 1752A or 1752B/],
    [{ parts: ['a'], format: 'CSV' }, /'CSV' is not a v2 format.*matdecl report.* format=CSV: --query$/],
    [{ parts: ['a'], format: '1752a' }, /not a v2 format.*1752A or 1752B/],
    [{ api: 'v1', format: '1752A' }, /not a v1 format.*XML or CSV/],
    [{ api: 'v1', parts: ['a"b'] }, /double quote/],
    [{ api: 'v1', query: ['a=b'] }, /no query string/],
    [{ parts: ['a'], startDate: '2026-02-30' }, /invalid start date '2026-02-30'/],
    [{ parts: ['a'], formatClass: 'E' }, /invalid format class 'E'/],
    [{ format: 'PDF' }, /not a v2 format[\s\S]*no supplier/],
    [{ parts: ['a'], startDate: '2026-01-01', since: '7d' }, /cannot be combined/],
    [{ parts: ['a'], query: ['supplier=1'] }, /parameter 'supplier' is reserved.*--supplier/],
    [{ parts: ['a'], query: ['partNumbers[]=1'] }, /'partNumbers\[\]' is reserved.*--part/],
    [{ parts: ['a'], query: ['startDate=1'] }, /reserved.*--start-date/],
    [{ parts: ['a'], query: ['apikey=1'] }, /MATDECL_TOKEN/],
    [{ parts: ['a'], query: ['noequals'] }, /not NAME=VALUE/],
    [{ parts: ['a'], query: ['=x'] }, /not NAME=VALUE/],
    [{ parts: ['a'], query: ['format=1', 'format=2'] }, /twice/],
  ])('%j', (asked, words) => {
    const result = check(asked)
    if (!('problems' in result)) throw new Error('expected problems')
    expect(
      result.problems
        .map(({ message, hint, options }) => withOptions(`${message}: ${hint}`, options))
        .join('\n'),
    ).toMatch(words)
  })

  test('all problems are reported at once', () => {
    const result = check({ supplier: '', parts: ['', 'x\u0000'], format: 'XML', query: ['q'] })
    expect(result).toHaveProperty('problems.length', 5)
  })

  test('unsafe characters are escaped in messages', () => {
    expect(JSON.stringify(check({ parts: ['a\u001b[31m\u202eb'] }))).not.toMatch(/\u001b|\u202e/)
  })
})
