import { describe, expect, test } from 'vitest'
import { parseCriteria } from '../../src/sandbox/query.ts'

const parsed = (query: string): unknown => parseCriteria(new URLSearchParams(query))

describe('parseCriteria', () => {
  test('reads every parameter', () => {
    const query =
      'format=1752B&formatClass=checkDthenC&supplier=123456789&partNumbers[]=A%20B&partNumbers[]=C&startDate=2024-02-29'
    expect(parsed(query)).toEqual({
      standard: '1752B',
      formatClass: 'checkDthenC',
      suppliers: ['123456789'],
      parts: ['A B', 'C'],
      startDate: '2024-02-29',
    })
  })

  test('takes class C by default and drops blank values', () => {
    expect(parsed('format=1752A&supplier=&partNumbers[]=%20&partNumbers[]=A&other=1')).toEqual({
      standard: '1752A',
      formatClass: 'C',
      suppliers: [],
      parts: ['A'],
    })
  })

  test.each([
    ['format=1752A&supplier=123456789&apikey=k', 401, 'apikey'],
    ['format=1752A&format=1752B&supplier=123456789', 400, 'format may be given once'],
    ['format=1752A&partNumbers=A', 400, 'partNumbers[]'],
    ['format=1752A&supplier=123456789&startdate=2024-01-01', 400, 'startDate'],
    ['supplier=123456789', 400, 'format must be'],
    ['format=XML&supplier=123456789', 400, 'format must be'],
    ['format=1752A&formatClass=d&supplier=123456789', 400, 'formatClass must be'],
    ['format=1752A&supplier=12345678', 400, 'nine-digit'],
    ['format=1752A&supplier=%20&partNumbers[]=', 400, 'at least one'],
    ['format=1752A&supplier=123456789&startDate=2023-02-29', 400, 'YYYY-MM-DD'],
  ])('refuses %s with %d', (query, status, words) => {
    expect(parsed(query)).toEqual({ status, message: expect.stringContaining(words) })
  })
})
