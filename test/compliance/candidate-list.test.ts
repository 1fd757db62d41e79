import { describe, expect, test } from 'vitest'
import { BUILT_IN_TABLES } from '../../src/compliance/built-in-tables.ts'
import { createListAges, type SvhcUpdate } from '../../src/compliance/candidate-list.ts'

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
    expect(ages(identity)).toMatchObject({
      declared: { date, entries },
      newest: { date: '2026-02-04', entries: 253 },
      behind,
    })
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

test('the built-in tables never say that an exemption has ended', () => {
  for (const text of Object.values(BUILT_IN_TABLES)) expect(text).not.toMatch(/expired/i)
})
