import { describe, expect, it } from 'vitest'
import { partColumns } from '../../../src/report/formats/formatter.ts'
import { jsonFormatter, ndjsonFormatter } from '../../../src/report/formats/report-json.ts'
import { formatAll, SHAPE, sampleRows } from '../../support/report-rows.ts'

/** The columns of a report without a parts list. */
const REPORT_COLUMNS = partColumns(false)

describe('JSON', () => {
  it('is one object with schema, rows and counts, the columns in their order', async () => {
    const read = JSON.parse((await formatAll(jsonFormatter(SHAPE), sampleRows())).toString())
    expect(read).toMatchObject({
      schema: 'matdecl.report/1',
      status: 'ok',
      kind: 'parts',
      columns: [...REPORT_COLUMNS],
    })
    expect(read.rows).toHaveLength(7)
    for (const row of read.rows) expect(Object.keys(row)).toEqual([...REPORT_COLUMNS, 'lists'])
    expect(read.rows[2].lists).toMatchObject({ svhc: ['Lead (00167, 0.25 %)', 'DEHP (00009)'], gate: [] })
    expect(read.rows[4]).toMatchObject({
      svhc_count: null,
      mass_mg: null,
      requester_part: '',
      declared_percent: 92.26,
    })
    expect(read.counts).toMatchObject({ rows: 7, declared: 5, missing: 1, unreadable: 1 })
    expect(read.counts.rohs).toEqual({
      compliant: 1,
      'compliant with exemptions': 1,
      'not compliant': 1,
      incomplete: 1,
      'not declared': 1,
    })
    expect(read).not.toHaveProperty('failOn')
  })

  it('is valid without rows', async () => {
    expect(JSON.parse((await formatAll(jsonFormatter(SHAPE), [])).toString())).toMatchObject({
      rows: [],
      status: 'ok',
    })
  })

  it('has the result of the gate', async () => {
    const read = JSON.parse(
      (await formatAll(jsonFormatter(SHAPE), sampleRows(), { failOn: 'svhc,missing' })).toString(),
    )
    expect(read.status).toBe('failed')
    expect(read.failOn).toEqual({
      rules: ['svhc', 'missing'],
      passed: false,
      matched: 2,
      rows: [
        {
          part: 'P,"3"',
          source: 'a.zip!p1.xml',
          rules: ['svhc'],
          findings: [
            'svhc: Lead (0.25 %) above 0.1 % per EUREACH-0624',
            'svhc: DEHP above 0.1 % per EUREACH-0624',
          ],
        },
        { part: 'P9', source: '', rules: ['missing'], findings: ['missing: requested, not declared'] },
      ],
    })
  })
})

it('NDJSON has one object per line', async () => {
  const text = (await formatAll(ndjsonFormatter(SHAPE), sampleRows())).toString()
  const lines = text.trimEnd().split('\n')
  expect(lines).toHaveLength(7)
  expect(lines.map((line) => JSON.parse(line).part)).toEqual(sampleRows().map((row) => row.part))
})
