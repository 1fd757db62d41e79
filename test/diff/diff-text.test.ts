import { expect, test } from 'vitest'
import type { DeclarationDiff } from '../../src/diff/diff-result.ts'
import { countsLine, diffMarkdown, diffText, PLAIN_DIFF } from '../../src/diff/diff-text.ts'

const NOTHING: DeclarationDiff = {
  added: [],
  removed: [],
  changed: [],
  listUpdates: [],
  redated: 0,
  unchanged: 0,
  unreadable: { old: [], new: [] },
  counts: { old: 0, new: 0, unreadable: { old: 0, new: 0 }, superseded: { old: 0, new: 0 } },
  gate: undefined,
}
const lone = { part: 'P|1', supplier: 'Acme', rohs: 'compliant', svhc_count: 2, date: '2026-01-01' }
const DIFF: DeclarationDiff = {
  ...NOTHING,
  added: [lone],
  removed: [{ ...lone, part: 'P2', supplier: '', svhc_count: 0 }],
  changed: [
    {
      part: 'P3',
      supplier: '',
      changes: {
        rohs: { old: 'compliant', new: 'not compliant' },
        exemptions: { added: ['7(a)'], removed: [] },
        svhc: { gained: ['Lead'], lost: [], noLongerStated: [], grown: [] },
        svhc_count: { old: null, new: 1 },
      },
    },
  ],
  listUpdates: [
    {
      rohs_list: null,
      reach_list: { old: 'EUREACH-0119', new: 'EUREACH-0624' },
      parts: 1200,
      examples: ['A', 'B'],
    },
  ],
  redated: 3,
  unchanged: 4000,
  unreadable: { old: [], new: [{ source: 'b.xml', reason: 'not XML' }] },
  counts: { old: 1, new: 1, unreadable: { old: 0, new: 1 }, superseded: { old: 2, new: 3 } },
}

test('no difference is one line of counts', () => {
  expect([...diffText(NOTHING, PLAIN_DIFF)].join('')).toBe('0 added, 0 removed, 0 changed, 0 unchanged\n')
})

test('the counts name what there is', () => {
  expect(countsLine(DIFF)).toBe(
    '1 added, 1 removed, 1 changed, 1,200 with only a list update, 3 with no compared value changed, 4,000 unchanged, 2 superseded before, 3 superseded now, 1 unreadable now',
  )
})

test('the text has every difference on a separate line', () => {
  expect([...diffText(DIFF, PLAIN_DIFF)].join('').split('\n').slice(1)).toEqual([
    '',
    'lists updated, nothing else changed',
    '  REACH EUREACH-0119 -> EUREACH-0624: 1,200 parts (A, B …)',
    '',
    'added',
    '  + P|1 (Acme): compliant, 2 SVHC',
    '',
    'removed',
    '  - P2: compliant',
    '',
    'changed',
    '  ~ P3',
    '      RoHS: compliant -> not compliant',
    '      exemption added: 7(a)',
    '      SVHC gained: Lead',
    '      SVHC: none -> 1',
    '  ! new side unreadable: b.xml: not XML',
    '',
  ])
})

test('Markdown has the same, with cells that break no table', () => {
  const text = [...diffMarkdown(DIFF)].join('')
  expect(text).toContain('| P\\|1 | Acme | compliant | 2 | 2026-01-01 |\n')
  expect(text).toContain('RoHS: compliant → not compliant<br>exemption added: 7')
  expect(text).toContain('## Unreadable\n\n- b.xml: not XML\n')
  expect([...diffMarkdown(NOTHING)].join('')).not.toContain('##')
})
