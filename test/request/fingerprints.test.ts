import { describe, expect, test } from 'vitest'
import { requestFingerprint, searchFingerprint } from '../../src/request/fingerprints.ts'
import type { Criteria } from '../../src/request/request.ts'

const URL = 'https://api.example.com'
const CRITERIA: Criteria = { api: 'v2', format: '1752A', supplier: '123456789' }
const PARTS = ['A', 'B', 'C']

const identity = (criteria: Criteria = CRITERIA, parts = PARTS, startDate?: string): string =>
  requestFingerprint({ baseUrl: URL, criteria, groups: [{ parts, startDate }] })

describe('the identity of a request', () => {
  test('is the same for the same request', () => {
    expect(identity()).toBe(identity({ ...CRITERIA }, [...PARTS]))
  })

  test('stays the same in new versions, so that they resume the jobs of old ones', () => {
    expect(identity()).toBe('44a7355b56c4c73b34c97253e3973e7785b55832c61195d97aa0a976bc8818ba')
    expect(identity({ ...CRITERIA, added: undefined } as Criteria)).toBe(identity())
  })

  test.each<[string, string]>([
    ['another format', identity({ ...CRITERIA, format: '1752B' })],
    ['a class', identity({ ...CRITERIA, formatClass: 'C' })],
    ['no supplier', identity({ ...CRITERIA, supplier: undefined })],
    ['a query parameter', identity({ ...CRITERIA, query: [['a', 'b']] })],
    ['a parameter of a later version', identity({ ...CRITERIA, added: 'x' } as Criteria)],
    ['another order of the parts', identity(CRITERIA, ['B', 'A', 'C'])],
    ['parts joined differently', identity(CRITERIA, ['A,B', 'C'])],
    ['a start date', identity(CRITERIA, PARTS, '2026-03-04')],
  ])('differs with %s', (_, other) => expect(other).not.toBe(identity()))

  test('differs with the split into groups', () => {
    const split = { baseUrl: URL, criteria: CRITERIA, groups: [{ parts: ['A'] }, { parts: ['B', 'C'] }] }
    expect(requestFingerprint(split)).not.toBe(identity())
  })
})

test('the identity for the last run ignores parts and start date, but not whether parts are listed', () => {
  const watch = searchFingerprint(URL, CRITERIA, true)
  expect(searchFingerprint(URL, { ...CRITERIA, startDate: '2026-03-04' }, true)).toBe(watch)
  expect(searchFingerprint(URL, CRITERIA, false)).not.toBe(watch)
  expect(searchFingerprint('https://other.example.com', CRITERIA, true)).not.toBe(watch)
})
