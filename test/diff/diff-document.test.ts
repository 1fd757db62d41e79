import { expect, test } from 'vitest'
import { createComparison } from '../../src/diff/diff.ts'
import { diffRows, diffVerdict } from '../../src/diff/diff-document.ts'
import { type JudgedRow, unreadableRow } from '../../src/report/rows/report-row.ts'
import { finishedRows, NOW, partRowOf } from '../support/report-rows.ts'

const lead = { svhc_count: 1, svhc_keys: ['00167'], svhc_names: ['Lead'] }

test.each<[string, JudgedRow, 'good' | 'warn' | 'bad', string]>([
  ['nothing', partRowOf(), 'good', 'no part became worse'],
  ['a status', partRowOf({ rohs: 'not compliant' }), 'bad', '1 part became worse'],
  ['an SVHC', partRowOf(lead), 'warn', '1 part became worse'],
  ['a contradiction', partRowOf({ contradictions: ['over and not over'] }), 'warn', '1 part became worse'],
  ['what is stated of RoHS', partRowOf({ rohs: 'incomplete' }), 'warn', '1 part became worse'],
  [
    'what is stated of REACH',
    partRowOf({ reach: 'incomplete', svhc_count: null }),
    'warn',
    '1 part became worse',
  ],
  ['the acceptance', partRowOf({ unaccepted: true }), 'warn', '1 part became worse'],
  [
    'a file that cannot be read',
    unreadableRow('a.xml', 'broken'),
    'warn',
    'no part became worse; 1 part not declared now; 1 file cannot be read now',
  ],
])('the verdict of a diff in which %s is worse', (_, now, tone, text) => {
  const comparison = createComparison({ nowMs: NOW, failOn: undefined })
  comparison.old(finishedRows([partRowOf()])[0]!)
  comparison.new(finishedRows([now])[0]!)
  expect(diffVerdict(comparison.result({ old: 0, new: 0 }))).toEqual({ tone, text })
})

test.each([
  ['nothing', undefined, 'nothing to compare with: nothing was declared before'],
  ['a clean part', partRowOf(), 'nothing to compare with: nothing was declared before; 1 part new'],
])('a diff of nothing with %s is no good news', (_, now, text) => {
  const comparison = createComparison({ nowMs: NOW, failOn: undefined })
  if (now !== undefined) comparison.new(finishedRows([now])[0]!)
  expect(diffVerdict(comparison.result({ old: 0, new: 0 }))).toEqual({ tone: 'none', text })
})

test.each<[string, { verdict: 'clean' | 'doubtful'; rohs: string; reach: string }, readonly string[]]>([
  ['nothing but the verdict', {}, ['verdict']],
  ['RoHS', { rohs: 'incomplete' }, ['verdict', 'RoHS: compliant, now incomplete']],
  ['REACH', { reach: 'SVHC' }, ['verdict', 'REACH: no SVHC, now SVHC']],
] as never)('a product has a row for what changed: %s', (_, change, wanted) => {
  const old = { verdict: 'clean', rohs: 'compliant', reach: 'no SVHC' } as const
  const comparison = createComparison({ nowMs: NOW, failOn: undefined })
  const diff = comparison.result({ old: 0, new: 0 })
  const rows = [
    ...diffRows({ ...diff, products: [{ list: 'board.csv', old, new: { ...old, ...change } }] } as never),
  ]
  expect(
    rows
      .filter(({ change: what }) => what === 'product')
      .map((row) => (row.what === 'verdict' ? 'verdict' : `${row.what}: ${row.old}, now ${row.new}`)),
  ).toEqual(wanted)
})
