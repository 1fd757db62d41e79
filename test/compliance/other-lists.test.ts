import { describe, expect, it } from 'vitest'
import { type CategoryXml, fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { readRow } from '../support/read-text.ts'

const category = (over: string | undefined, name = 'Nickel'): CategoryXml => ({ name, code: name, over })

const rowOf = (identity: string, categories: readonly CategoryXml[]): ReturnType<typeof readRow> =>
  readRow(fileA(productXml(['P1'], listXml(identity, categories))))

describe('a list that is neither RoHS nor REACH', () => {
  it.each<[string, readonly CategoryXml[], string, string]>([
    ['none over', [category('false'), category('0', 'Tin')], 'none over', ''],
    ['one over', [category('true'), category('false', 'Tin')], 'over: Nickel', ''],
    ['no categories', [], 'incomplete', 'without categories'],
    ['no thresholds', [category(undefined)], 'incomplete', '1 of 1 categories without a statement'],
    ['an empty threshold', [category(' ')], 'incomplete', '1 of 1 categories without a statement'],
    [
      'an unknown word',
      [category('yes')],
      'incomplete',
      'categories: statement not recognized ("yes"): Nickel',
    ],
    [
      'some statements',
      [category('false'), category(undefined, 'Tin')],
      'incomplete',
      '1 of 2 categories without a statement',
    ],
    [
      'one over, and gaps',
      [category('true'), category(undefined, 'Tin'), category('yes', 'Zinc')],
      'over: Nickel',
      '1 of 3 categories without a statement, categories: statement not recognized ("yes"): Zinc',
    ],
  ])('with %s is described', (_, categories, cell, note) => {
    const row = rowOf('X', categories)
    expect(row.other_lists).toBe(`X: ${cell}`)
    if (note !== '') expect(row.note.split('; ')).toContain(`X: ${note}`)
    expect(row.note).not.toContain('none over')
  })

  it('of a sub-product is described too', () => {
    const sub = `<SubProduct><ProductID itemNumber="S"/><MaterialInfo>${listXml('X', [category('true')])}</MaterialInfo></SubProduct>`
    expect(readRow(fileA(productXml(['P1'], '', { after: sub }))).other_lists).toBe('X: over: S: Nickel')
  })
})

describe('a RoHS or REACH list with values that are not recognized', () => {
  it('says so, and is incomplete', () => {
    const rohs = rowOf('EUROHS-1907', rohsCategories({ Lead: { over: 'yes' } }))
    expect(rohs).toMatchObject({ rohs: 'incomplete', has_gaps: true })
    expect(rohs.note).toContain('RoHS: statement not recognized ("yes"): Lead')
    expect(rohs.note).not.toContain('none over')
    const reach = rowOf('EUREACH-0624', [category('yes')])
    expect(reach).toMatchObject({ reach: 'incomplete', svhc_count: null, has_gaps: true, svhc_stated: 0 })
    expect(reach.note).toContain('REACH: statement not recognized ("yes"): Nickel')
    expect(reach.note).not.toContain('no SVHC')
  })

  it('uses the worst of two thresholds, in any order', () => {
    const two = (a: string, b: string): string =>
      readRow(
        fileA(
          productXml(
            ['P1'],
            listXml(
              'EUROHS-1907',
              rohsCategories({ Lead: { over: a, inside: `<Threshold overThreshold="${b}"/>` } }),
            ),
          ),
        ),
      ).rohs
    for (const [a, b, rohs] of [
      ['true', 'yes', 'not compliant'],
      ['yes', 'false', 'incomplete'],
      ['false', '', 'incomplete'],
    ] as const) {
      expect([two(a, b), two(b, a)]).toEqual([rohs, rohs])
    }
  })

  it('counts a substance that is over its own threshold as its category', () => {
    const inside = '<Substance name="PbO"><Threshold overThreshold="true"/></Substance>'
    const list = listXml('EUROHS-1907', rohsCategories({ Lead: { inside } }))
    expect(readRow(fileA(productXml(['P1'], list))).rohs).toBe('not compliant')
  })
})

describe('the number of stated entries of the Candidate List', () => {
  it('is noted beside what they state', () => {
    const row = rowOf('EUREACH-0624', [category('false')])
    expect(row).toMatchObject({ svhc_count: 0, svhc_stated: 1, reach: 'no SVHC', has_gaps: false })
    expect(row.note).toContain('no SVHC of the 1 entry of EUREACH-0624 (June 2024)')
  })

  it('counts each entry once, and none without a statement', () => {
    const applications = { ...category('false'), code: '00001' }
    const row = rowOf('EUREACH-0624', [
      applications,
      applications,
      category('true', 'Lead'),
      category(undefined, 'Tin'),
    ])
    expect(row.svhc_stated).toBe(2)
    expect(row.note).toContain(
      '2 entries of EUREACH-0624 (June 2024); REACH: 1 of 3 entries without a statement',
    )
  })

  it('is that of the sub-product with the fewest, and 0 without a list', () => {
    const sub = (categories: readonly CategoryXml[]): string =>
      `<SubProduct><MaterialInfo>${listXml('EUREACH-0624', categories)}</MaterialInfo></SubProduct>`
    const after = sub([category('false'), category('false', 'Tin')]) + sub([category('false')])
    expect(readRow(fileA(productXml(['P1'], '', { after }))).svhc_stated).toBe(1)
    expect(rowOf('EUROHS-1907', []).svhc_stated).toBe(0)
  })
})
