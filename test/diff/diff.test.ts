import { describe, expect, it } from 'vitest'
import { createComparison } from '../../src/diff/diff.ts'
import type { DeclarationDiff } from '../../src/diff/diff-result.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { type JudgedRow, unreadableRow } from '../../src/report/rows/report-row.ts'
import { comparedRowOf, finishedRows, NOW, type RowChange } from '../support/report-rows.ts'
import { soakTest } from '../support/soak.ts'

function diff(before: readonly JudgedRow[], after: readonly JudgedRow[], failOn?: string): DeclarationDiff {
  const comparison = createComparison({
    nowMs: NOW,
    failOn: failOn === undefined ? undefined : parseFailOn(failOn),
  })
  finishedRows(before, failOn).forEach(comparison.old)
  finishedRows(after, failOn).forEach(comparison.new)
  return comparison.result({ old: 0, new: 0 })
}

/** What changed, without the verdict and the findings that follow from it. */
const changesOf = (before: RowChange, after: RowChange): unknown => {
  const [one] = diff([comparedRowOf(before)], [comparedRowOf(after)]).changed
  if (one === undefined) return undefined
  const { verdict: _, findings: __, acceptance: ___, ...changes } = one.changes
  return changes
}

describe('the difference between two downloads', () => {
  it('is empty for the same parts in another order, from other files, with other whitespace', () => {
    const rows = [comparedRowOf({ part: 'A', exemptions: '6(c) (L, Lead)' }), comparedRowOf({ part: 'B' })]
    const other = { source: 'other.zip!x.xml', name: 'renamed', note: 'other' }
    const same = [
      comparedRowOf({ part: 'B', ...other }),
      comparedRowOf({ part: 'A', exemptions: '6(c) (L,  Lead)', ...other }),
    ]
    expect(diff(rows, same)).toMatchObject({
      added: [],
      removed: [],
      changed: [],
      listUpdates: [],
      redated: 0,
      unchanged: 2,
    })
  })

  it('lists added and removed parts, in order', () => {
    const before = ['C', 'A', 'B'].map((part) => comparedRowOf({ part }))
    const after = ['Z', 'B', 'D'].map((part) => comparedRowOf({ part, svhc_count: 1 }))
    const found = diff(before, after)
    expect(found.added.map(({ part }) => part)).toEqual(['D', 'Z'])
    expect(found.removed.map(({ part }) => part)).toEqual(['A', 'C'])
    expect(found.added[0]).toEqual({
      part: 'D',
      supplier: 'Example Parts',
      verdict: 'clean',
      rohs: 'compliant',
      svhc_count: 1,
      date: '2024-09-27',
    })
    expect(found.counts).toMatchObject({ old: 3, new: 3 })
  })

  it('distinguishes parts of two suppliers, by number rather than name', () => {
    const two = [
      comparedRowOf({ company_id: '804735132' }),
      comparedRowOf({ company_id: '804735133', rohs: 'not compliant' }),
    ]
    expect(diff(two, [...two].reverse())).toMatchObject({ unchanged: 2 })
    expect(
      diff([comparedRowOf({ supplier: 'Acme' })], [comparedRowOf({ supplier: 'ACME Ltd.' })]),
    ).toMatchObject({
      unchanged: 1,
    })
  })

  it.each([
    [{ rohs: 'compliant' }, { rohs: 'not compliant' }, { rohs: { old: 'compliant', new: 'not compliant' } }],
    [{ classes: 'C' }, { classes: 'CD' }, { classes: { old: 'C', new: 'CD' } }],
    [
      { exemptions: '6(c) (L, Lead); 7(a) (L, Lead)' },
      { exemptions: '7(a) (L, Lead); 8(b) (L, Cadmium)' },
      { exemptions: { added: ['8(b) (L, Cadmium)'], removed: ['6(c) (L, Lead)'] } },
    ],
    [
      { svhc_count: 1, svhc_keys: ['00001'], svhc_names: ['DEHP'] },
      { svhc_count: 2, svhc_keys: ['00002', '00003'], svhc_names: ['Lead', 'Cadmium'] },
      { svhc: { gained: ['Lead', 'Cadmium'], lost: ['DEHP'], noLongerStated: ['DEHP'], grown: [] } },
    ],
    [{ mass_mg: 1 }, { mass_mg: null }, { mass_mg: { old: 1, new: null } }],
    [{ declared_percent: 90 }, { declared_percent: 100 }, { declared_percent: { old: 90, new: 100 } }],
    [
      { svhc_count: null, reach_list: '' },
      { svhc_count: 0, reach_list: 'EUREACH-0624' },
      {
        reach: { old: 'not declared', new: 'no SVHC' },
        svhc_count: { old: null, new: 0 },
        reach_list: { old: '', new: 'EUREACH-0624' },
      },
    ],
  ] as const)('%j to %j', (before, after, expected) => {
    expect(changesOf(before as never, after as never)).toEqual(expected)
  })

  it('matches a substance by its code, despite a different name', () => {
    const one = { svhc_count: 1, svhc_keys: ['00009'], svhc_names: ['Bis (2-ethylhexyl) phthalate (DEHP)'] }
    const same = { ...one, svhc_names: ['Bis(2-ethylhexyl) phthalate (DEHP)'] }
    expect(changesOf(one, same)).toBeUndefined()
    const nameless = { svhc_count: 1, svhc_keys: ['Bis (2-ethylhexyl) phthalate'], svhc_names: ['x'] }
    expect(changesOf(nameless, { ...nameless, svhc_keys: ['bis(2-ethylhexyl) Phthalate'] })).toBeUndefined()
  })

  soakTest('reports a list update of thousands of parts as one line', () => {
    const rows = (change: RowChange) =>
      Array.from({ length: 5_000 }, (_, n) => comparedRowOf({ part: `P${n}`, ...change }))
    const before = rows({ reach_list: 'EUREACH-0622', date: '2022-07-04' })
    const newer = { reach_list: 'EUREACH-0624', date: '2024-07-15' }
    const after = rows(newer)
    const worse = comparedRowOf({
      part: 'P7',
      ...newer,
      svhc_count: 1,
      svhc_keys: ['1'],
      svhc_names: ['Lead'],
    })
    const found = diff(before, [...after.slice(0, 7), worse, ...after.slice(8)])
    expect(found.listUpdates).toEqual([
      {
        rohs_list: null,
        reach_list: { old: 'EUREACH-0622', new: 'EUREACH-0624' },
        parts: 4_999,
        examples: ['P0', 'P1', 'P2'],
      },
    ])
    expect(found.changed).toHaveLength(1)
    expect(found.changed[0]).toMatchObject({
      part: 'P7',
      changes: {
        svhc: { gained: ['Lead'], lost: [], noLongerStated: [], grown: [] },
        reach_list: { new: 'EUREACH-0624' },
        date: { new: '2024-07-15' },
      },
    })
  })

  it('counts a part that only has another date', () => {
    const found = diff([comparedRowOf({ date: '2024-01-01' })], [comparedRowOf({ date: '2024-02-02' })])
    expect(found).toMatchObject({ redated: 1, changed: [], unchanged: 0 })
  })

  it('lists unreadable files, on either side', () => {
    const found = diff(
      [unreadableRow('old.xml', 'broken')],
      [comparedRowOf(), unreadableRow('new.xml', 'foreign')],
    )
    expect(found.unreadable).toEqual({
      old: [{ source: 'old.xml', reason: 'broken' }],
      new: [{ source: 'new.xml', reason: 'foreign' }],
    })
    expect(found.counts.unreadable).toEqual({ old: 1, new: 1 })
  })
})

describe('the gate of a diff', () => {
  const bad = comparedRowOf({ part: 'BAD', rohs: 'not compliant' })
  it('ignores earlier matches, and matches new or changed parts', () => {
    expect(diff([bad], [bad], 'not-compliant').gate).toMatchObject({ matched: 0, unchanged: 1 })
    expect(diff([], [bad], 'not-compliant').gate).toMatchObject({
      matched: 1,
      rows: [{ part: 'BAD', rules: ['not-compliant'] }],
    })
    expect(diff([comparedRowOf({ part: 'BAD' })], [bad], 'not-compliant').gate).toMatchObject({ matched: 1 })
    expect(diff([bad], [comparedRowOf({ part: 'BAD' })], 'not-compliant').gate).toMatchObject({ matched: 0 })
  })

  it('treats a removed part as missing', () => {
    expect(diff([bad], [], 'missing').gate).toMatchObject({
      matched: 1,
      rows: [{ part: 'BAD', rules: ['missing'] }],
    })
    expect(diff([bad], [], 'not-compliant').gate).toMatchObject({ matched: 0 })
  })

  it('lists a hundred unreadable files of a side, and counts all', () => {
    const files = Array.from({ length: 101 }, (_, index) => unreadableRow(`${index}.xml`, 'broken'))
    const { unreadable, counts } = diff(files.slice(1), files)
    expect([unreadable.old.length, unreadable.new.length]).toEqual([100, 100])
    expect(counts.unreadable).toEqual({ old: 100, new: 101 })
  })

  it('catches a file that became unreadable', () => {
    expect(diff([], [unreadableRow('x.xml', 'broken')], 'unreadable').gate).toMatchObject({ matched: 1 })
    expect(diff([unreadableRow('x.xml', 'broken')], [], 'unreadable').gate).toMatchObject({ matched: 0 })
    const broken = [unreadableRow('x.xml', 'broken')]
    expect(diff(broken, broken, 'unreadable').gate).toMatchObject({ matched: 0, unchanged: 1 })
    expect(
      diff(
        [unreadableRow('old.zip!a/x.xml', 'broken')],
        ['a/x.xml', 'b/x.xml', 'y.xml'].map((name) => unreadableRow(`new.zip!${name}`, 'broken')),
        'unreadable',
      ).gate,
    ).toMatchObject({ matched: 2, rows: [{ source: 'new.zip!b/x.xml' }, { source: 'new.zip!y.xml' }] })
  })

  it('is absent without rules', () => {
    expect(diff([bad], [bad]).gate).toBeUndefined()
  })
})

describe('the rules to fail on', () => {
  const good = comparedRowOf()
  const gateOf = (...args: Parameters<typeof diff>) => diff(...args).gate?.rows

  it('apply to each product without a part number', () => {
    const nameless = (rohs: 'compliant' | 'not compliant') =>
      ['one', 'two'].map((name) => comparedRowOf({ part: '', name, rohs }))
    expect(gateOf(nameless('compliant'), nameless('not compliant'), 'not-compliant')).toHaveLength(2)
  })

  it.each([
    ['incomplete', { has_gaps: true }, 'incomplete: RoHS', {}],
    ['unaccepted', { unaccepted: true }, 'unaccepted', { acceptance: { old: 'yes', new: 'no' } }],
  ] as const)('find what is now %s', (rule, change, finding, others) => {
    const now = comparedRowOf(change)
    expect(gateOf([good], [now], rule)).toMatchObject([{ part: 'P1', rules: [rule] }])
    expect(gateOf([now], [now], rule)).toEqual([])
    expect(diff([good], [now]).changed[0]!.changes).toEqual({
      [Object.keys(change)[0]!]: { old: false, new: true },
      findings: { added: [finding], removed: [] },
      verdict: { old: 'clean', new: 'doubtful' },
      ...others,
    })
  })

  it('are listed in their order, and find nothing in what was so before', () => {
    const worse = comparedRowOf({ rohs: 'not compliant', svhc_count: 1 })
    expect(gateOf([], [worse], 'svhc,not-compliant')).toMatchObject([{ rules: ['svhc', 'not-compliant'] }])
    expect(gateOf([worse], [worse], 'svhc,not-compliant')).toEqual([])
  })
})
