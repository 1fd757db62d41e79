import { describe, expect, test } from 'vitest'
import { createExemptionCounter, type ExemptionsInUse } from '../../../src/report/rows/exemption-use.ts'
import { createRowDates } from '../../../src/report/rows/row-dates.ts'
import { TABLES } from '../../support/reference-tables.ts'
import { NOW, partRowOf } from '../../support/report-rows.ts'

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
