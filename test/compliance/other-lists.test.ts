import { describe, expect, it } from 'vitest'
import { type CategoryXml, fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { readRow } from '../support/read-text.ts'

const category = (over: string | undefined, name = 'Nickel'): CategoryXml => ({ name, code: name, over })

/** What is noted of a list by its categories, for each kind of list. */
const noteOf = (identity: string, categories: readonly CategoryXml[]): string =>
  readRow(fileA(productXml(['P1'], listXml(identity, categories)))).note

describe('a list that is neither RoHS nor REACH', () => {
  it.each<[string, readonly CategoryXml[], string]>([
    ['none over', [category('false'), category('0', 'Tin')], 'X: none over'],
    ['one over', [category('true'), category('false', 'Tin')], 'X: 1 over (Nickel)'],
    ['no categories', [], 'X: without categories'],
    ['no thresholds', [category(undefined)], 'X: 1 of 1 categories without a statement'],
    ['an empty threshold', [category(' ')], 'X: 1 of 1 categories without a statement'],
    ['an unknown word', [category('yes')], 'X: 1 of 1 categories with a statement not recognized: "yes"'],
    [
      'some statements',
      [category('false'), category(undefined, 'Tin')],
      'X: 1 of 2 categories without a statement, none of the others over',
    ],
    [
      'one over, and gaps',
      [category('true'), category(undefined, 'Tin'), category('yes', 'Zinc')],
      'X: 1 over (Nickel), 1 of 3 categories without a statement, 1 of 3 categories with a statement not recognized: "yes"',
    ],
  ])('with %s is described', (_, categories, note) => {
    expect(noteOf('X', categories).split('; ')).toContain(note)
    if (!note.includes('none over')) expect(noteOf('X', categories)).not.toContain('none over')
  })

  it('of a sub-product is described too', () => {
    const sub = `<SubProduct><ProductID itemNumber="S"/><MaterialInfo>${listXml('X', [category('true')])}</MaterialInfo></SubProduct>`
    expect(readRow(fileA(productXml(['P1'], '', { after: sub }))).note).toContain('S: X: 1 over (Nickel)')
  })
})

describe('a RoHS or REACH list with values that are not recognized', () => {
  it('says so, and is incomplete', () => {
    const rohs = readRow(
      fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'yes' } })))),
    )
    expect(rohs).toMatchObject({ rohs: 'incomplete', has_gaps: true })
    expect(rohs.note).toContain('RoHS: 1 of 10 categories with a statement not recognized: "yes"')
    expect(rohs.note).not.toContain('none over')
    const reach = readRow(fileA(productXml(['P1'], listXml('EUREACH-0624', [category('yes')]))))
    expect(reach).toMatchObject({ svhc_count: null, has_gaps: true, svhc_gaps: true, svhc_stated: 0 })
    expect(reach.note).toContain(
      'REACH list EUREACH-0624 (June 2024): 1 of 1 categories with a statement not recognized: "yes"',
    )
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
  const rowOf = (...lists: string[]): ReturnType<typeof readRow> =>
    readRow(fileA(productXml(['P1'], lists.join(''))))

  it('is noted beside what they state', () => {
    const row = rowOf(listXml('EUREACH-0624', [category('false')]))
    expect(row).toMatchObject({ svhc_count: 0, svhc_stated: 1, svhc_gaps: false, has_gaps: false })
    expect(row.note).toContain('no SVHC above 0.1 % per EUREACH-0624 (June 2024): 1 entry stated')
  })

  it('counts each entry once, and none without a statement', () => {
    const applications = { ...category('false'), code: '00001' }
    const row = rowOf(
      listXml('EUREACH-0624', [
        applications,
        applications,
        category('true', 'Lead'),
        category(undefined, 'Tin'),
      ]),
    )
    expect(row.svhc_stated).toBe(2)
    expect(row.note).toContain('1 of 4 categories without a statement, 2 entries stated')
  })

  it('is that of the sub-product with the fewest, and 0 without a list', () => {
    const sub = (categories: readonly CategoryXml[]): string =>
      `<SubProduct><MaterialInfo>${listXml('EUREACH-0624', categories)}</MaterialInfo></SubProduct>`
    const after = sub([category('false'), category('false', 'Tin')]) + sub([category('false')])
    expect(readRow(fileA(productXml(['P1'], '', { after }))).svhc_stated).toBe(1)
    expect(rowOf().svhc_stated).toBe(0)
  })
})
