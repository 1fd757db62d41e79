import { expect, test } from 'vitest'
import { SEARCH_CRITERIA, type SearchCriteria } from '../../src/request/criteria.ts'

test.each<[unknown, Partial<SearchCriteria>]>([
  [
    { api: 'v2', supplier: '123456789' },
    { format: '1752A', partNumbers: [], query: [] },
  ],
  [{ api: 'v2', format: '1752B', partNumbers: [' a,b '] }, { partNumbers: [' a,b '] }],
  [{ api: 'v1' }, { format: 'XML', partNumbers: [] }],
  [
    { api: 'v1', format: 'CSV', formatClass: 'checkDthenC', startDate: '2024-02-29' },
    { startDate: '2024-02-29' },
  ],
])('%j is valid', (criteria, parsed) => {
  expect(SEARCH_CRITERIA.parse(criteria)).toMatchObject(parsed)
})

test.each([
  {},
  { api: 'v2' },
  { api: 'v3', supplier: '123456789' },
  { api: 'v2', partNumbers: [] },
  { api: 'v2', partNumbers: [''] },
  { api: 'v2', partNumbers: 'A' },
  { api: 'v2', partNumbers: null },
  { api: 'v2', supplier: 'a\nb' },
  { api: 'v2', supplier: '1', format: 'XML' },
  { api: 'v2', supplier: '1', formatClass: 'E' },
  { api: 'v2', supplier: '1', startDate: '2023-02-29' },
  { api: 'v1', format: '1752A' },
  { api: 'v1', partNumbers: ['a"b'] },
])('%j is invalid', (criteria) => {
  expect(SEARCH_CRITERIA.safeParse(criteria).success).toBe(false)
})
