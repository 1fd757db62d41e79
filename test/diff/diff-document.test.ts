import { expect, test } from 'vitest'
import { createComparison } from '../../src/diff/diff.ts'
import { diffVerdict } from '../../src/diff/diff-document.ts'
import { type JudgedRow, unreadableRow } from '../../src/report/rows/report-row.ts'
import { NOW, partRowOf } from '../support/report-rows.ts'

function withContradiction(row: JudgedRow): JudgedRow {
  return {
    ...row,
    judged: {
      ...row.judged!,
      contradictions: [{ text: 'lead is over and not over', subject: 'Lead', names: [] }],
    },
  }
}

const lead = { svhc_count: 1, svhc_keys: ['00167'], svhc_names: ['Lead'] }

const WORSE = 'no part became not compliant; 1 part became worse in another respect'

test.each<[string, JudgedRow, 'good' | 'warn' | 'bad', string]>([
  ['nothing', partRowOf(), 'good', 'no part became not compliant'],
  ['a status', partRowOf({ rohs: 'not compliant' }), 'bad', '1 part became not compliant'],
  ['an SVHC', partRowOf(lead), 'warn', 'no part became not compliant; 1 part gained an SVHC'],
  ['a contradiction', withContradiction(partRowOf()), 'warn', WORSE],
  ['what is stated of RoHS', partRowOf({ rohs: 'incomplete' }), 'warn', WORSE],
  ['what is stated of REACH', partRowOf({ reach: 'incomplete', svhc_count: null }), 'warn', WORSE],
  ['the acceptance', { ...partRowOf(), acceptance: 'no' }, 'warn', WORSE],
  [
    'a file that cannot be read',
    unreadableRow('a.xml', 'broken'),
    'warn',
    'no part became not compliant; 1 part not declared now; 1 file cannot be read now',
  ],
])('the verdict of a diff in which %s is worse', (_, now, tone, text) => {
  const comparison = createComparison({ nowMs: NOW, failOn: undefined })
  comparison.old(partRowOf())
  comparison.new(now)
  expect(diffVerdict(comparison.result({ old: 0, new: 0 }))).toEqual({ tone, text })
})
