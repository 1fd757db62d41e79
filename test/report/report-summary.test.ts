import { describe, expect, test } from 'vitest'
import { createSummary } from '../../src/report/report-summary.ts'
import { missingRow } from '../../src/report/rows/report-row.ts'
import { NOW, partRowOf, sampleRows, summaryOf } from '../support/report-rows.ts'

describe('createSummary', () => {
  test('counts each row once, and RoHS and REACH of declared rows only', () => {
    const { counts } = summaryOf(sampleRows())
    expect(counts).toMatchObject({ rows: 7, declared: 5, missing: 1, unreadable: 1 })
    expect(counts.rohs).toEqual({
      compliant: 1,
      'compliant with exemptions': 1,
      'not compliant': 1,
      incomplete: 1,
      'not declared': 1,
    })
    expect(counts.reach).toEqual({ withSvhc: 1, withoutSvhc: 3, incomplete: 0, notDeclared: 1 })
  })

  test('counts a REACH list with gaps as without SVHC never, as with SVHC where it states one', () => {
    const gaps = { reach: 'incomplete', has_gaps: true } as const
    const { counts } = summaryOf([
      partRowOf(gaps),
      partRowOf({ ...gaps, svhc_count: null }),
      partRowOf({ ...gaps, reach: 'SVHC', svhc_count: 1 }),
      partRowOf({ svhc_count: null, reach_list: '' }),
    ])
    expect(counts.reach).toEqual({ withSvhc: 1, withoutSvhc: 0, incomplete: 2, notDeclared: 1 })
  })

  test('adds up files, skipped entries and substances', () => {
    const summary = createSummary({ nowMs: NOW, failOn: undefined })
    for (const count of [2, 3]) {
      summary.add([], { files: count, skipped: count * 10, substances: count * 100 })
    }
    expect(summary.result().counts).toMatchObject({ files: 5, skipped: 50, substances: 500, rows: 0 })
  })

  test('lists the most frequent SVHCs first, then by name, at most fifty', () => {
    const many = Array.from({ length: 60 }, (_, index) => `S${String(index).padStart(2, '0')}`)
    const { svhcs } = summaryOf([partRowOf({ svhc_names: many }), partRowOf({ svhc_names: ['S30', ''] })])
    expect(svhcs.slice(0, 3)).toEqual([
      { name: 'S30', parts: 2 },
      { name: 'S00', parts: 1 },
      { name: 'S01', parts: 1 },
    ])
    expect(svhcs).toHaveLength(50)
  })

  test('lists the newest list first with its age in months, undated ones last', () => {
    const rows = [
      partRowOf({ rohs_list: 'Own list', reach_list: 'EUREACH-0119' }),
      partRowOf({ rohs_list: 'EUROHS-1907', reach_list: 'EUREACH-0126; EUREACH-0119' }),
    ]
    expect(summaryOf(rows).lists).toEqual([
      { name: 'EUREACH-0126', parts: 1, ageMonths: 2 },
      { name: 'EUROHS-1907', parts: 1, ageMonths: 80 },
      { name: 'EUREACH-0119', parts: 2, ageMonths: 86 },
      { name: 'Own list', parts: 1, ageMonths: undefined },
    ])
  })

  test('counts the rows of suppliers, those with most to look at first, unknown ones last', () => {
    const rows = [
      missingRow('P9'),
      partRowOf({ supplier: 'A' }),
      partRowOf({ supplier: 'A' }),
      partRowOf({ supplier: 'C', rohs: 'not compliant' }),
      partRowOf({ supplier: 'B', rohs: 'incomplete' }),
      partRowOf({ supplier: 'B' }),
      partRowOf({ supplier: 'B', status: 'superseded' }),
      partRowOf({ supplier: 'D', status: 'superseded' }),
    ]
    expect(summaryOf(rows).suppliers).toEqual([
      { name: 'B', rows: 2, open: 1, rules: { incomplete: 1 } },
      { name: 'C', rows: 1, open: 1, rules: { 'not-compliant': 1 } },
      { name: 'A', rows: 2, open: 0, rules: {} },
      { name: '', rows: 1, open: 1, rules: { missing: 1 } },
    ])
    const many = Array.from({ length: 51 }, (_, index) => partRowOf({ supplier: `S${index + 10}` }))
    expect(summaryOf(many).suppliers.map(({ name }) => name)).toEqual(
      Array.from({ length: 50 }, (_, index) => `S${index + 10}`),
    )
  })

  test('counts parts whose statements contradict each other once', () => {
    const { counts } = summaryOf([partRowOf({ contradictions: ['a', 'b'] }), partRowOf()])
    expect([counts.contradictory, counts.indicated]).toEqual([1, 0])
  })
})
