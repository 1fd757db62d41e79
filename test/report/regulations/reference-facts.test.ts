import { describe, expect, test } from 'vitest'
import {
  createExemptionCounter,
  createRowDates,
  type ExemptionsInUse,
} from '../../../src/report/regulations/reference-facts.ts'
import { finishRow } from '../../../src/report/rows/make-row.ts'
import { missingRow, unreadableRow } from '../../../src/report/rows/report-row.ts'
import { TABLES } from '../../support/reference-tables.ts'
import { cellsOf, NOW, partRowOf, type ReportRow, type RowChange } from '../../support/report-rows.ts'

const context = { nowMs: NOW, failOn: undefined, dates: createRowDates(TABLES, NOW) }
const dated = (change: RowChange): ReportRow =>
  cellsOf(finishRow(partRowOf({ note: '', ...change }), context))
const uses = (...identities: string[]): RowChange => ({
  exemption_ids: identities.map((identity) => ({ identity, list: 'EL2011/534/EU' })),
})

describe('a row with the reference tables', () => {
  test.each<[string, RowChange, string, string]>([
    ['no exemption', {}, '', ''],
    ['one exemption', uses('6c'), '2027-06-30', ''],
    ['several: the earliest of all categories', uses('6(c)', '6(b)-I'), '2026-12-11', ''],
    [
      'a passed date',
      uses('8b1'),
      '2021-07-21',
      'exemption 8(b)-I: nominal date passed 2021-07-21, in force',
    ],
    ['no known date', uses('8(b)', '8b'), '', 'no date known for exemption 8(b): not judged'],
    [
      'one known and two unknown',
      uses('6(c)', '99', 'Own code'),
      '2027-06-30',
      'no date known for exemption 99, Own code: not judged',
    ],
  ])('and %s', (_, change, expires, note) => {
    expect(dated(change)).toMatchObject({ exemption_expires: expires, note })
  })

  test.each([
    ['EUREACH-0624', 12, ''],
    ['EUREACH-0226', 0, ''],
    ['EUREACH-0624; EUREACH-0119', 56, ''],
    ['', null, ''],
    ['EUREACH-0626', null, 'EUREACH-0626 is not in the reference table: number of entries not known'],
    [
      'EUREACH-0624; EUREACH-0626',
      null,
      'EUREACH-0626 is not in the reference table: number of entries not known',
    ],
  ])('and the list %j is %j entries behind', (reach_list, behind, note) => {
    expect(dated({ reach_list })).toMatchObject({ svhc_list_behind: behind, note })
  })

  test.each(['EUREACH-0624', 'EUREACH-0624; EUREACH-0119', ''])(
    'and entries of %j leave their number to the reason of the status',
    (reach_list) => expect(dated({ reach_list }).note).toBe(''),
  )

  test('keeps its own note first', () => {
    expect(dated({ note: 'own', reach_list: 'EUREACH-0626' }).note).toMatch(/^own; EUREACH-0626 is not in/)
  })

  test('names at most ten exemptions in its note', () => {
    const { note } = dated(uses(...Array.from({ length: 40 }, (_, index) => `Code ${index}`)))
    expect(note).toMatch(/Code 9 and 30 more: not judged$/)
  })

  test('is unchanged without a declaration, and without tables', () => {
    for (const row of [missingRow('P1', ['x']), unreadableRow('a.xml', 'x')]) {
      expect(cellsOf(finishRow(row, context))).toMatchObject({
        note: 'x',
        exemption_expires: '',
        svhc_list_behind: null,
      })
    }
    expect(cellsOf(finishRow(partRowOf(uses('6c')), { nowMs: NOW, failOn: undefined }))).toMatchObject({
      exemption_expires: '',
      svhc_list_behind: null,
    })
  })
})

function count(rows: readonly (readonly string[])[]): ExemptionsInUse {
  const counter = createExemptionCounter(createRowDates(TABLES, NOW).exemption)
  for (const [index, identities] of rows.entries()) {
    const exemption_ids = identities.map((identity) => ({ identity, list: '' }))
    counter.add(partRowOf({ part: `P${index + 1}`, exemption_ids }))
  }
  return counter.result()
}

describe('the exemptions in use', () => {
  test('are one entry for each legal number, the earliest date first, without a date last', () => {
    const { exemptions, withoutDate, moreExemptions } = count([
      ['6(c)', 'Own code'],
      ['6c', '6(b)-I', 'III-6(c)'],
      ['8(b)-I'],
      [],
    ])
    expect(exemptions.map(({ number, earliest, parts }) => [number, earliest, parts])).toEqual([
      ['8(b)-I', '2021-07-21', 1],
      ['6(b)-I', '2026-12-11', 1],
      ['6(c)', '2027-06-30', 2],
      ['', '', 1],
    ])
    expect(exemptions[2]).toMatchObject({
      declared: ['6(c)', '6c', 'III-6(c)'],
      firstParts: ['P1', 'P2'],
      confidence: 'two agreeing summaries',
      source: 'Act of 2025',
    })
    expect([withoutDate, moreExemptions]).toEqual([1, 0])
  })

  test('count and name each part', () => {
    const counter = createExemptionCounter(createRowDates(TABLES, NOW).exemption)
    const exemption_ids = [
      { identity: '6(c)', list: '' },
      { identity: 'Own code', list: '' },
    ]
    for (const change of [
      { part: 'P1', classes: 'C' },
      { part: 'P1', company_id: '999999999' },
      { part: '' },
      { part: '' },
    ])
      counter.add(partRowOf({ ...change, exemption_ids }))
    const { exemptions, withoutDate } = counter.result()
    expect(exemptions[0]).toMatchObject({ parts: 4, firstParts: ['P1', 'P1', '', ''] })
    expect(withoutDate).toBe(4)
  })

  test('name a bounded number of parts, spellings and exemptions, and count the rest', () => {
    const codes = Array.from({ length: 2_100 }, (_, index) => `Code ${index}`)
    const { exemptions, moreExemptions, withoutDate } = count([
      ...Array.from({ length: 30 }, (_, index) => [`6(c) text ${index}`]),
      ...codes.map((code) => [code]),
    ])
    expect(exemptions).toHaveLength(200)
    expect(exemptions[0]).toMatchObject({ number: '6(c)', parts: 30 })
    expect(exemptions[0]!.firstParts).toHaveLength(10)
    expect(exemptions[0]!.declared).toHaveLength(5)
    expect(moreExemptions).toBe(2_101 - 200)
    expect(withoutDate).toBe(2_100)
  })
})
