import { describe, expect, test } from 'vitest'
import { finishRow } from '../../../src/report/rows/finish-row.ts'
import { type JudgedRow, missingRow, unreadableRow } from '../../../src/report/rows/report-row.ts'
import { createRowDates } from '../../../src/report/rows/row-dates.ts'
import { TABLES } from '../../support/reference-tables.ts'
import { NOW, partRowOf } from '../../support/report-rows.ts'

const context = { nowMs: NOW, failOn: undefined, dates: createRowDates(TABLES, NOW) }
const dated = (change: Partial<JudgedRow>): JudgedRow =>
  finishRow(partRowOf({ note: '', ...change }), context)
const uses = (...identities: string[]): Partial<JudgedRow> => ({
  exemption_ids: identities.map((identity) => ({ identity, list: 'EL2011/534/EU' })),
})

describe('a row with the reference tables', () => {
  test.each<[string, Partial<JudgedRow>, string, string]>([
    ['no exemption', {}, '', ''],
    ['one exemption', uses('6c'), '2027-06-30', ''],
    ['several: the earliest of all categories', uses('6(c)', '6(b)-I'), '2026-12-11', ''],
    [
      'a passed date',
      uses('8b1'),
      '2021-07-21',
      'exemption 8(b)-I (2021-07-21): nominal date passed, in force',
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

  test.each([
    [1, 'EUREACH-0624', '1 of 241 entries of EUREACH-0624 stated'],
    [241, 'EUREACH-0624', ''],
    [0, 'EUREACH-0624', ''],
    [1, 'EUREACH-0624; EUREACH-0119', ''],
    [1, '', ''],
  ])('and %j stated entries of %j has the note %j', (svhc_stated, reach_list, note) => {
    expect(dated(Object.assign({ reach_list }, { svhc_stated })).note).toBe(note)
  })

  test('keeps its own note first', () => {
    expect(dated({ note: 'own', reach_list: 'EUREACH-0626' }).note).toMatch(/^own; EUREACH-0626 is not in/)
  })

  test('names at most ten exemptions in its note', () => {
    const { note } = dated(uses(...Array.from({ length: 40 }, (_, index) => `Code ${index}`)))
    expect(note).toMatch(/Code 9 and 30 more: not judged$/)
  })

  test('is unchanged without a declaration, and without tables', () => {
    for (const row of [missingRow('P1', 'x'), unreadableRow('a.xml', 'x')]) {
      expect(finishRow(row, context)).toMatchObject({
        note: 'x',
        exemption_expires: '',
        svhc_list_behind: null,
      })
    }
    expect(finishRow(partRowOf(uses('6c')), { nowMs: NOW, failOn: undefined })).toMatchObject({
      exemption_expires: '',
      svhc_list_behind: null,
    })
  })
})
