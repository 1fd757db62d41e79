import { describe, expect, it } from 'vitest'
import { parseFailOn } from '../../../src/report/gate/fail-on.ts'
import { finishRow } from '../../../src/report/rows/finish-row.ts'
import { cellsOf, NOW, partRowOf } from '../../support/report-rows.ts'

const gateOf = (words: string | undefined, change: Parameters<typeof partRowOf>[0]): string =>
  cellsOf(
    finishRow(partRowOf(change), {
      nowMs: NOW,
      failOn: words === undefined ? undefined : parseFailOn(words),
    }),
  ).gate

describe('a finished row', () => {
  it.each([
    [undefined, { rohs: 'not compliant' }, ''],
    ['not-compliant', {}, ''],
    ['not-compliant', { rohs: 'not compliant' }, 'not-compliant'],
    ['svhc,missing,not-compliant', { rohs: 'not compliant', svhc_count: 1 }, 'svhc; not-compliant'],
    ['stale:eureach-0125', {}, 'stale:EUREACH-0125'],
  ] as const)('of the gate %s has the words that match it: %j is %j', (words, change, expected) => {
    expect(gateOf(words, change)).toBe(expected)
  })

  it('has part numbers that are safe to print', () => {
    const row = partRowOf({ part: 'A\u202eB', requester_part: 'C\nD' })
    expect(cellsOf(row)).toMatchObject({
      part: 'A\\u202eB',
      requester_part: 'C\\u000aD',
    })
  })
})
