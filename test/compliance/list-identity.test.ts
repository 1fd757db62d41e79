import { describe, expect, it } from 'vitest'
import { compareListAge, listDate, readListIdentity } from '../../src/compliance/list-identity.ts'

describe('a list identity', () => {
  it.each([
    ['EUREACH-0624', 'svhc', 'June 2024'],
    ['EUREACH-0119', 'svhc', 'January 2019'],
    ['EUROHS-0508', 'rohs', 'August 2005'],
    ['EUROHS-1907', 'rohs', 'July 2019'],
    ['eureach-0721', 'svhc', 'July 2021'],
    [' EUROHS_1506 ', 'rohs', 'June 2015'],
    ['EUREACH', 'svhc', undefined],
    ['EUREACH-2406', 'svhc', undefined],
    ['EUROHS-2019/07', 'rohs', undefined],
    ['IEC_62474 D19.00', 'other', undefined],
    ['Prop_65_substances', 'other', undefined],
    ['', 'other', undefined],
  ] as const)('%j is of family %s and dates from %s', (identity, family, date) => {
    const list = readListIdentity(identity)
    expect(list.family).toBe(family)
    expect(listDate(list)).toBe(date)
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
