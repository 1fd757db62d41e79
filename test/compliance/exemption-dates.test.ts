import { describe, expect, test } from 'vitest'
import {
  createExemptionLookup,
  type ExemptionDates,
  type ExemptionRow,
} from '../../src/compliance/exemption-dates.ts'

const row = (exemption: string, expires: string, more: Partial<ExemptionRow> = {}): ExemptionRow => ({
  exemption,
  annex: 'III',
  categories: 'all',
  expires,
  status: 'in force',
  confidence: 'two agreeing summaries',
  source: 'Act A ; https://a.example/',
  note: '',
  ...more,
})

const ROWS = [
  row('6(c)', '2027-06-30', { status: 'in force (renewal announced)' }),
  row('6(b)-I', '2026-12-11', { categories: '1-7, 10', note: 'first' }),
  row('6(b)-I', '2027-06-30', { categories: '9, 11', confidence: 'one summary', source: 'Act B' }),
  row('7(c)-I', '2027-06-30'),
  row('7(c)-II', '2027-12-31'),
  row('8(b)', '', { status: 'not determined', confidence: 'no date seen' }),
  row('13(a)', '2021-07-21', { status: 'expired' }),
  row('13(a)', '2024-07-21', { status: 'expired' }),
  row('39(b)', '2027-12-31', { status: 'Expired soon' }),
  row('34', '2021-07-21'),
  row('34', '2028-01-01', { annex: 'IV' }),
  row('31a', '2023-07-21', { annex: 'IV' }),
]

const find = (identity: string, list = '', today = '2026-11-22'): ExemptionDates => {
  const found = createExemptionLookup(ROWS, today)({ identity, list })
  expect(found).toHaveLength(1)
  return found[0]!
}

describe('the dates of an exemption', () => {
  test('are those of its legal number, whatever the spelling and the list', () => {
    for (const spelling of ['6(c)', '6c', 'III-6(c)', 'Exemption 6(c)']) {
      expect(find(spelling, 'EL2011/534/EU')).toEqual({
        number: '6(c)',
        annex: 'III',
        earliest: '2027-06-30',
        latest: '2027-06-30',
        status: 'in force (renewal announced)',
        confidence: 'two agreeing summaries',
        source: 'Act A; https://a.example/',
        remark: '',
        substances: [],
      })
    }
  })

  test('are the earliest and the latest over product categories, with all confidences and sources', () => {
    expect(find('6(b)-I')).toMatchObject({
      earliest: '2026-12-11',
      latest: '2027-06-30',
      status: 'in force',
      confidence: 'two agreeing summaries; one summary',
      source: 'Act A; https://a.example/; Act B',
      remark: 'first',
    })
  })

  test.each([
    ['before all dates', '6(b)-I', '2026-12-11', 'in force'],
    ['between them', '6(b)-I', '2026-12-12', 'nominal date passed, in force (for some product categories)'],
    ['after all', '6(b)-I', '2027-07-01', 'nominal date passed, in force'],
    ['long after all', '13(a)', '2026-11-22', 'nominal date passed, renewal status unknown'],
    ['before a date that the table calls an end', '39(b)', '2026-11-22', 'nominal date ahead'],
  ])('%s: %s is never called expired', (_, identity, today, status) => {
    expect(find(identity, '', today).status).toBe(status)
  })

  test.each([
    ['8(b)', '8(b)', ''],
    ['99(z)', '99(z)', 'the table does not have this exemption'],
    ['7(c)', '7(c)', 'ambiguous: the table has 7(c)-I, 7(c)-II'],
    ['13', '13', 'ambiguous: the table has 13(a)'],
    ['IV-6(c)', 'IV-6c', 'the table does not have this exemption'],
    ['RoHS_0259', '', 'not an exemption number that is understood'],
  ])('%s is not judged', (identity, number, remark) => {
    expect(find(identity)).toMatchObject({ number, earliest: '', latest: '', status: 'not judged', remark })
  })

  test('are of the annex that the declaration or its list names; of both where neither does', () => {
    expect(find('34', 'EU-RoHS-AnnexIII')).toMatchObject({
      annex: 'III',
      earliest: '2021-07-21',
      latest: '2021-07-21',
    })
    expect(find('IV-34')).toMatchObject({ annex: 'IV', earliest: '2028-01-01' })
    expect(find('34')).toMatchObject({
      annex: '',
      earliest: '2021-07-21',
      latest: '2028-01-01',
      remark: 'the declaration does not name the annex: III and IV each have a 34',
    })
    expect(find('31(a)')).toMatchObject({ number: '31a', annex: 'IV', earliest: '2023-07-21' })
  })

  test('are one result for each number of a declared text', () => {
    const found = createExemptionLookup(ROWS, '2026-11-22')({ identity: '6(c), 7(c)-I', list: '' })
    expect(found.map(({ number }) => number)).toEqual(['6(c)', '7(c)-I'])
  })
})
