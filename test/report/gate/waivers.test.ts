import { describe, expect, test } from 'vitest'
import { parseFailOn } from '../../../src/report/gate/fail-on.ts'
import { createWaivers } from '../../../src/report/gate/waivers.ts'
import type { Waiver } from '../../../src/report/report-result.ts'
import { createSummary } from '../../../src/report/report-summary.ts'
import { finishRow } from '../../../src/report/rows/make-row.ts'
import { cellsOf, NOW, partRowOf, type RowChange } from '../../support/report-rows.ts'

const waiver = (part: string, rule: string, until: string, reason = 'agreed'): Waiver => ({
  part,
  rule,
  reason,
  owner: 'Jo',
  until,
})
const BAD = { rohs: 'not compliant', svhc_count: 1, reach_list: 'EUREACH-0119' } as const

function gate(all: readonly Waiver[], change: RowChange, rules = 'not-compliant,svhc') {
  const context = { nowMs: NOW, failOn: parseFailOn(rules), waivers: createWaivers('w.csv', all, NOW) }
  const row = finishRow(partRowOf({ ...BAD, ...change }), context)
  const summary = createSummary(context)
  summary.add([row])
  return { row: cellsOf(row), open: row.gate.open, ...summary.result() }
}

test('several waivers for one finding all match it', () => {
  const all = [waiver('P1', 'svhc', '2026-12-31'), waiver('P1', 'svhc', '2027-12-31')]
  expect(gate(all, {}).waivers).toMatchObject({ findings: 1, used: all, unmatched: [] })
})

describe('a waiver', () => {
  // The report is created on 2026-03-04.
  test.each<[string, readonly Waiver[], string, readonly string[]]>([
    ['nothing', [], 'not-compliant; svhc', ['not-compliant', 'svhc']],
    [
      'its finding until its day',
      [waiver('P1', 'svhc', '2026-03-04')],
      'not-compliant; svhc (waived until 2026-03-04: agreed)',
      ['not-compliant'],
    ],
    [
      'nothing from the next day on',
      [waiver('P1', 'svhc', '2026-03-03')],
      'not-compliant; svhc',
      ['not-compliant', 'svhc'],
    ],
    ['no other part', [waiver('p1', 'svhc', '2027-01-01')], 'not-compliant; svhc', ['not-compliant', 'svhc']],
    [
      'with a reason that has separators',
      [waiver('P1', 'not-compliant', '2027-01-01', 'a; b (waived)'), waiver('P1', 'svhc', '2027-01-01')],
      'not-compliant (waived until 2027-01-01: a, b (waived)); svhc (waived until 2027-01-01: agreed)',
      [],
    ],
    [
      'by the latest day of several',
      [
        waiver('P1', 'svhc', '2026-12-31'),
        waiver('P1', 'svhc', '2027-12-31'),
        waiver('P1', 'svhc', '2026-12-30'),
      ],
      'not-compliant; svhc (waived until 2027-12-31: agreed)',
      ['not-compliant'],
    ],
  ])('takes %s out of the gate', (_, all, cell, open) => {
    const { row, open: words } = gate(all, {})
    expect(row.gate).toBe(cell)
    expect(words).toEqual(open)
  })

  test("matches the buyer's number too, as it is written in the file", () => {
    expect(gate([waiver('OUR-1', 'svhc', '2027-01-01')], { requester_part: 'OUR-1' }).open).toEqual([
      'not-compliant',
    ])
    expect(gate([waiver('A\u202eB', 'svhc', '2027-01-01')], { part: 'A\u202eB' }).open).toEqual([
      'not-compliant',
    ])
  })

  test.each([
    ['stale', []],
    ['stale:EUREACH-0624', []],
    ['stale:EUREACH-0120', ['stale:EUREACH-0624']],
  ])('for %s leaves %j', (rule, open) => {
    expect(gate([waiver('P1', rule, '2027-01-01')], {}, 'stale:EUREACH-0624').open).toEqual(open)
  })

  test('leaves the finding in the row and in the counts', () => {
    const {
      row,
      counts,
      gate: result,
    } = gate([waiver('P1', 'not-compliant', '2027-01-01')], {}, 'not-compliant')
    expect(row.rohs).toBe('not compliant')
    expect(counts.rohs['not compliant']).toBe(1)
    expect(result).toMatchObject({ matched: 0, rows: [] })
  })

  test('is reported as used, expired or without a finding', () => {
    const used = waiver('P1', 'svhc', '2027-01-01')
    const runOut = waiver('P1', 'not-compliant', '2026-01-01')
    const unmatched = waiver('P2', 'svhc', '2027-01-01')
    const { waivers, gate: result } = gate([used, runOut, unmatched], {})
    expect(waivers).toEqual({
      file: 'w.csv',
      findings: 1,
      used: [used],
      runOut: [runOut],
      unmatched: [unmatched],
    })
    expect(result).toMatchObject({ matched: 1, rows: [{ rules: ['not-compliant'] }] })
  })
})
