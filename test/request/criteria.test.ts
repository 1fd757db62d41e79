import { describe, expect, test } from 'vitest'
import { type AskedFor, checkCriteria } from '../../src/request/criteria.ts'

const NOW = Date.parse('2026-03-04T05:06:07Z')
const NOTHING: AskedFor = {
  api: 'v2',
  format: undefined,
  formatClass: undefined,
  supplier: undefined,
  startDate: undefined,
  since: undefined,
  query: [],
  parts: [],
}

function check(asked: Partial<AskedFor>): ReturnType<typeof checkCriteria> {
  return checkCriteria({ ...NOTHING, ...asked }, NOW)
}

describe('criteria that may be sent', () => {
  test('the format is 1752A unless given', () => {
    expect(check({ supplier: '123456789' })).toMatchObject({ criteria: { format: '1752A' }, notices: [] })
  })

  test('parts alone are enough, and are taken as they are', () => {
    expect(check({ parts: [' a,b ', '0'] })).toHaveProperty('criteria')
  })

  test('a supplier that is not nine digits is a hint, never a refusal', () => {
    expect(check({ supplier: ' ACME 1' })).toMatchObject({
      criteria: { supplier: ' ACME 1' },
      notices: [{ event: 'criteria.supplier-form' }],
    })
  })

  test('a start date in the future is a warning', () => {
    expect(check({ supplier: '123456789', startDate: '2026-03-05' })).toMatchObject({
      notices: [{ event: 'criteria.start-date-future' }],
    })
    expect(check({ supplier: '123456789', startDate: '2026-03-04' })).toMatchObject({ notices: [] })
  })

  test('--query adds parameters, and format takes the place of the format', () => {
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

  test('v1 may ask for everything', () => {
    expect(check({ api: 'v1' })).toMatchObject({ criteria: { api: 'v1', format: 'XML' } })
    expect(check({ api: 'v1', format: 'CSV' })).toMatchObject({ criteria: { format: 'CSV' } })
  })
})

describe('criteria that are refused', () => {
  test.each<[Partial<AskedFor>, RegExp]>([
    [{}, /neither a supplier nor a part/],
    [{ supplier: '' }, /--supplier is blank/],
    [{ supplier: ' \t' }, /--supplier is blank/],
    [{ supplier: '123\u00074' }, /control character/],
    [{ parts: ['ok', ''] }, /--part is blank/],
    [{ parts: ['a\nb'] }, /control character/],
    [{ parts: ['a\ufffd'] }, /not valid Unicode/],
    [{ parts: ['a'], format: 'XML' }, /'XML' is no v2 format.*--format 1752A/],
    [{ parts: ['a'], format: 'CSV' }, /'CSV' is no v2 format.*matdecl report/],
    [{ parts: ['a'], format: '1752a' }, /no v2 format.*1752A and 1752B/],
    [{ api: 'v1', format: '1752A' }, /no v1 format/],
    [{ api: 'v1', parts: ['a"b'] }, /double quote/],
    [{ api: 'v1', query: ['a=b'] }, /no query string/],
    [{ parts: ['a'], startDate: '2026-01-01', since: '7d' }, /can not both be given/],
    [{ parts: ['a'], query: ['supplier=1'] }, /may not set 'supplier'.*use --supplier/],
    [{ parts: ['a'], query: ['partNumbers[]=1'] }, /may not set 'partNumbers\[\]'/],
    [{ parts: ['a'], query: ['startDate=1'] }, /use --start-date/],
    [{ parts: ['a'], query: ['apikey=1'] }, /MATDECL_TOKEN/],
    [{ parts: ['a'], query: ['noequals'] }, /no NAME=VALUE/],
    [{ parts: ['a'], query: ['=x'] }, /no NAME=VALUE/],
    [{ parts: ['a'], query: ['x=1', 'x=2'] }, /twice/],
  ])('%j', (asked, words) => {
    const result = check(asked)
    if (!('problems' in result)) throw new Error('expected problems')
    expect(result.problems.map(({ message, hint }) => `${message}: ${hint}`).join('\n')).toMatch(words)
  })

  test('every mistake is told at once', () => {
    const result = check({ supplier: '', parts: ['', 'x\u0000'], format: 'XML', query: ['q'] })
    expect(result).toHaveProperty('problems.length', 5)
  })

  test('nothing unsafe is repeated as it is', () => {
    expect(JSON.stringify(check({ parts: ['a\u001b[31m\u202eb'] }))).not.toMatch(/\u001b|\u202e/)
  })
})
