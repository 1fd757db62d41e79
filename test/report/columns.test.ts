import { describe, expect, test } from 'vitest'
import { cellOf, rowName, supplierOf, valuesOf } from '../../src/report/columns.ts'
import { rowRank } from '../../src/report/row-findings.ts'
import { type JudgedRow, missingRow, unreadableRow } from '../../src/report/rows/report-row.ts'
import { finishedRows, partRowOf } from '../support/report-rows.ts'

describe('a column with several values', () => {
  const withIds = (companyIds: readonly string[]): JudgedRow => ({ ...partRowOf(), companyIds })

  test.each<[readonly string[], readonly string[]]>([
    [[], []],
    [
      ['a', '', 'b; c'],
      ['a', 'b, c'],
    ],
  ])('has %j as %j: no separator is within a value', (ids, values) => {
    expect(valuesOf(withIds(ids), 'company_id')).toEqual(values)
    expect(cellOf(withIds(ids), 'company_id')).toBe(values.join('; '))
  })

  test('has five hundred of them, and counts the rest', () => {
    const ids = Array.from({ length: 502 }, (_, index) => `n${index}`)
    expect(valuesOf(withIds(ids.slice(0, 500)), 'company_id')).toEqual(ids.slice(0, 500))
    expect(valuesOf(withIds(ids), 'company_id')).toEqual([...ids.slice(0, 500), 'and 2 more'])
  })
})

test.each<[Partial<JudgedRow>, string]>([
  [{ part: 'A\u0000', requesterPart: 'B' }, 'A\\u0000'],
  [{ part: '', requesterPart: 'B' }, 'B'],
  [{ part: '', requesterPart: '', sources: ['a.xml', 'b.xml'] }, 'a.xml; b.xml'],
  [{ part: '', requesterPart: '', sources: [] }, '(no part number)'],
])('a row with %j is called %j', (change, name) => {
  expect(rowName({ ...partRowOf(), ...change })).toBe(name)
})

test.each<[Partial<JudgedRow>, string]>([
  [{ supplier: 'S', otherManufacturers: ['M'] }, 'S'],
  [{ supplier: '', otherManufacturers: ['M', 'N'] }, 'M'],
  [{ supplier: '', otherManufacturers: [] }, ''],
])('who is asked about a row with %j is %j', (change, name) => {
  expect(supplierOf({ ...partRowOf(), ...change })).toBe(name)
})

test('the worst rows come first: what fails the gate, then by the worst finding', () => {
  const svhc = { svhc_count: 1, svhc_keys: ['00167'], svhc_names: ['Lead'], reach: 'SVHC' } as const
  const rows: readonly (readonly [string, JudgedRow])[] = [
    ['failing', partRowOf({ gate: 'svhc' })],
    ['not compliant', partRowOf({ rohs: 'not compliant', ...svhc })],
    ['missing', missingRow('P')],
    ['unreadable', unreadableRow('a.xml', 'broken')],
    ['incomplete', partRowOf({ rohs: 'incomplete', ...svhc })],
    ['with SVHC', partRowOf(svhc)],
    ['exempt', partRowOf({ rohs: 'compliant with exemptions', exemptions: '6(c) (EL, Lead)' })],
    ['compliant', partRowOf()],
    ['superseded', partRowOf({ status: 'superseded', ...svhc })],
  ]
  const finished = rows.map(([name, row]) => [name, finishedRows([row])[0]!] as const)
  const sorted = finished.reverse().sort(([, a], [, b]) => rowRank(a) - rowRank(b))
  expect(sorted.map(([name]) => name)).toEqual(rows.map(([name]) => name))
})
