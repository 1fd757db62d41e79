import { describe, expect, it, test } from 'vitest'
import {
  compareListAge,
  createListAges,
  listAgeMonths,
  listDate,
  listFirstDay,
  readListIdentity,
  type SvhcUpdate,
} from '../../src/compliance/list-identity.ts'
import { fileA, listXml, productXml } from '../support/declarations.ts'
import { readRow } from '../support/read-text.ts'

describe('a list identity', () => {
  it.each([
    ['EUREACH-0624', 'svhc', 'June 2024'],
    ['EUREACH-0119', 'svhc', 'January 2019'],
    ['EUROHS-0508', 'rohs', 'August 2005'],
    ['EUROHS-1907', 'rohs', 'July 2019'],
    ['eureach-0721', 'svhc', 'July 2021'],
    [' EUROHS_1506 ', 'rohs', 'June 2015'],
    ['EUREACH', 'svhc', undefined],
    ['EUREACH-1224', 'svhc', 'December 2024'],
    ['EUREACH-1324', 'svhc', undefined],
    ['EUREACH-0024', 'svhc', undefined],
    ['EUROHS-0501', 'rohs', 'January 2005'],
    ['EUROHS-0512', 'rohs', 'December 2005'],
    ['EUROHS-0500', 'rohs', undefined],
    ['EUREACH-2406', 'svhc', undefined],
    ['EUREACH-0624 Annex XIV', 'other', undefined],
    ['EUREACH-06241', 'other', undefined],
    ['EUROHS-2019/07', 'rohs', undefined],
    ['IEC_62474 D19.00', 'other', undefined],
    ['Prop_65_substances', 'other', undefined],
    ['', 'other', undefined],
  ] as const)('%j is of family %s and dates from %s', (identity, family, date) => {
    const list = readListIdentity(identity)
    expect(list.family).toBe(family)
    expect(listDate(list)).toBe(date)
  })

  it('is one of several names in a cell, whatever it contains', () => {
    const row = readRow(fileA(productXml(['P1'], listXml('EUROHS-1907;\t x', [{ over: 'false' }]))))
    expect(row.rohs_list).toBe('EUROHS-1907, x')
  })

  it('is ordered by date: MMYY for REACH, YYMM for RoHS', () => {
    const sorted = (names: string[]): string[] =>
      names
        .map((identity) => readListIdentity(identity))
        .sort(compareListAge)
        .map((list) => list.identity)
    expect(sorted(['EUREACH-0624', 'EUREACH-1219', 'EUREACH-0120', 'EUREACH'])).toEqual([
      'EUREACH',
      'EUREACH-1219',
      'EUREACH-0120',
      'EUREACH-0624',
    ])
    expect(sorted(['EUROHS-1907', 'EUROHS-0508', 'EUROHS-1506'])).toEqual([
      'EUROHS-0508',
      'EUROHS-1506',
      'EUROHS-1907',
    ])
  })
})

it.each([
  ['EUREACH-0326', 0, '2026-03-01'],
  ['EUREACH-0226', 1, '2026-02-01'],
  ['EUREACH-1225', 3, '2025-12-01'],
  ['EUROHS-0501', 254, '2005-01-01'],
  ['EUREACH', undefined, undefined],
])('%s is %s months old in March 2026, and not older than %s', (identity, months, day) => {
  expect(listAgeMonths(identity, Date.parse('2026-03-31T23:59:59Z'))).toBe(months)
  expect(listFirstDay(identity)).toBe(day)
})

describe('the revision of a list', () => {
  it.each([
    ['EUREACH', '2024-06-27', 'EUREACH-0624'],
    ['EUREACH', '2024-06', 'EUREACH-0624'],
    ['EUREACH', '20240627', 'EUREACH-0624'],
    ['EUREACH', '06/2024', 'EUREACH-0624'],
    ['EUREACH', '27.06.2024', 'EUREACH-0624'],
    ['EUREACH', '0624', 'EUREACH-0624'],
    ['EUREACH', 'EUREACH-0624', 'EUREACH-0624'],
    ['eurohs', '1907', 'EUROHS-1907'],
    ['EUROHS', '2019-07-22', 'EUROHS-1907'],
  ])('dates %s by %s: %s', (identity, revision, expected) => {
    const list = readListIdentity(identity, revision)
    expect(list).toEqual(readListIdentity(expected))
  })

  it.each([
    ['EUREACH', '3.0'],
    ['EUREACH', '1324'],
    ['EUREACH', 'June 2024'],
    ['EUREACH', ''],
  ])('does not date %s by %j', (identity, revision) => {
    expect(readListIdentity(identity, revision)).toEqual({ identity, family: 'svhc', month: undefined })
  })

  it('does not count where the identity has a date', () => {
    expect(readListIdentity('EUREACH-0624', '2019-01-01').identity).toBe('EUREACH-0624')
    expect(readListIdentity('JIG101', '2019-01-01').month).toBeUndefined()
  })

  it('is in the row of a part', () => {
    const revised = (identity: string, revision: string, over: string): string =>
      listXml(identity, [{ over }]).replace('authority=', `revision="${revision}" authority=`)
    const lists = revised('EUREACH', '2024-06-27', 'true') + revised('EUREACH', '2019-01-15', 'false')
    const row = readRow(fileA(productXml(['P1'], lists)))
    expect(row).toMatchObject({ reach_list: 'EUREACH-0624', svhc_count: 1 })
    expect(row.note).toContain('REACH list dated by its revision 2024-06-27')
    expect(row.note).toContain('older REACH list also declared: EUREACH-0119')
  })
})

const update = (date: string, entries: number): SvhcUpdate => ({
  date,
  entries,
  confidence: 'verified',
  source: '',
})
const ages = createListAges([update('2019-01-15', 197), update('2024-06-27', 241), update('2026-02-04', 253)])

describe('the age of a Candidate List', () => {
  test.each([
    ['EUREACH-0624', '2024-06-27', 241, 12],
    ['eureach 0119', '2019-01-15', 197, 56],
    ['EUREACH-0226', '2026-02-04', 253, 0],
  ])('%s is the update of %s', (identity, date, entries, behind) => {
    expect(ages(identity)).toMatchObject({ declared: { date, entries }, behind })
  })

  test.each(['EUREACH-0524', 'EUREACH-0626', 'EUREACH', 'EUROHS-1907', 'Own list', ''])(
    '%j fits no update: unknown',
    (identity) => {
      expect(ages(identity)).toBeUndefined()
    },
  )

  test('is unknown without a table', () => {
    expect(createListAges([])('EUREACH-0624')).toBeUndefined()
  })
})

test('of two lists of one month, neither is newer', () => {
  const [old, young] = [{ month: '2024-01' }, { month: '2024-06' }]
  const undated = { month: undefined }
  expect([compareListAge(old, young), compareListAge(young, old)]).toEqual([-1, 1])
  expect([compareListAge(young, young), compareListAge(undated, undated)]).toEqual([0, 0])
  expect(compareListAge(undated, old)).toBe(-1)
})
