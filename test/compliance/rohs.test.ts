import { describe, expect, it } from 'vitest'
import { named, worstRohs } from '../../src/compliance/rohs.ts'
import { exemptionXml, fileA, fileB, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { readRow } from '../support/read-text.ts'

const LEAD_OVER = { over: 'true', inside: '<Concentration value="0.35"/>' }
const LEAD_EXEMPT = { over: 'true', inside: exemptionXml('6(c)') }

function rowOf(...lists: string[]): ReturnType<typeof readRow> {
  return readRow(fileA(productXml(['P1'], lists.join(''))))
}

describe('the RoHS status of a part', () => {
  it('is not shown by what is stated for batteries only', () => {
    const all = listXml('EUROHS-1907', rohsCategories())
    const batteries = all.replace(/(name="Lead"[^>]* reportableApplication=)"All"/, '$1"Batteries"')
    expect(batteries).not.toBe(all)
    expect(rowOf(batteries).note).toContain('RoHS: Lead: "not over" for some uses only: "Batteries"')
    expect(rowOf(batteries).rohs).toBe('incomplete')
    expect(rowOf(batteries, all).rohs).toBe('compliant')
    const reach = listXml('EUREACH-0624', [{ name: 'Lead', over: 'false' }]).replace('"All"', '"Toys"')
    expect(rowOf(all, reach).note).toContain('REACH: Lead: "not over" for some uses only: "Toys"')
  })

  it.each([
    ['超标', 'incomplete'],
    ['٠٫٥', 'incomplete'],
    ['０．０５', 'compliant'],
    ['—', 'compliant'],
  ])('beside "not over", the concentration %s: %s', (value, status) => {
    const inside = `<Concentration value="${value}"/>`
    expect(rowOf(listXml('EUROHS-1907', rohsCategories({ Lead: { inside } }))).rohs).toBe(status)
  })

  it.each([
    ['no list at all', [], 'not declared'],
    ['a REACH list only', [listXml('EUREACH-0624', [{ over: 'false' }])], 'not declared'],
    ['ten categories, none over', [listXml('EUROHS-1907', rohsCategories())], 'compliant'],
    ['an identity in lower case', [listXml('eurohs-1907', rohsCategories())], 'compliant'],
    ['"0" for not over', [listXml('EUROHS-1907', rohsCategories({ Lead: { over: '0' } }))], 'compliant'],
    [
      'one over without exemption',
      [listXml('EUROHS-1907', rohsCategories({ Lead: LEAD_OVER }))],
      'not compliant',
    ],
    ['"1" for over', [listXml('EUROHS-1907', rohsCategories({ Lead: { over: '1' } }))], 'not compliant'],
    [
      '"TRUE" for over',
      [listXml('EUROHS-1907', rohsCategories({ Lead: { over: ' TRUE ' } }))],
      'not compliant',
    ],
    [
      'one over with an exemption',
      [listXml('EUROHS-1907', rohsCategories({ Lead: LEAD_EXEMPT }))],
      'compliant with exemptions',
    ],
    [
      'an exemption although nothing is over',
      [listXml('EUROHS-1907', rohsCategories({ Lead: { inside: exemptionXml('6(c)') } }))],
      'compliant with exemptions',
    ],
    [
      'two over, one of them exempt',
      [listXml('EUROHS-1907', rohsCategories({ Lead: LEAD_EXEMPT, Cadmium: { over: 'true' } }))],
      'not compliant',
    ],
    [
      'an exemption list that names no exemption',
      [
        listXml(
          'EUROHS-1907',
          rohsCategories({
            Lead: { over: 'true', inside: '<ExemptionList><ExemptionListID identity="X"/></ExemptionList>' },
          }),
        ),
      ],
      'not compliant',
    ],
    [
      'an exemption without identity and description',
      [
        listXml(
          'EUROHS-1907',
          rohsCategories({
            Lead: { over: 'true', inside: '<ExemptionList><Exemption identity=" "/></ExemptionList>' },
          }),
        ),
      ],
      'not compliant',
    ],
    [
      'a missing Threshold',
      [listXml('EUROHS-1907', rohsCategories({ PBB: { over: undefined } }))],
      'incomplete',
    ],
    [
      'a Threshold without a statement',
      [listXml('EUROHS-1907', rohsCategories({ PBB: { over: '' } }))],
      'incomplete',
    ],
    ['an unknown word', [listXml('EUROHS-1907', rohsCategories({ PBB: { over: 'unknown' } }))], 'incomplete'],
    [
      'a missing Threshold, and another category over without exemption',
      [listXml('EUROHS-1907', rohsCategories({ PBB: { over: undefined }, Lead: LEAD_OVER }))],
      'not compliant',
    ],
    [
      'a missing Threshold, and an exempt category',
      [listXml('EUROHS-1907', rohsCategories({ PBB: { over: undefined }, Lead: LEAD_EXEMPT }))],
      'incomplete',
    ],
    ['a list without categories', [listXml('EUROHS-1907', [])], 'incomplete'],
  ] as const)('%s: %s', (_, lists, expected) => {
    expect(rowOf(...lists).rohs).toBe(expected)
  })

  it('has its reason in the note', () => {
    expect(rowOf().note).toContain('no RoHS list declared')
    expect(rowOf(listXml('EUROHS-1907', rohsCategories())).note).toContain(
      'RoHS: all ten groups stated, none over',
    )
    const exempt = rowOf(listXml('EUROHS-1907', rohsCategories({ Lead: LEAD_EXEMPT })))
    expect(exempt.note).toContain(
      'all ten groups stated, 1 over, each with an exemption (validity not judged)',
    )
    const spare = rowOf(listXml('EUROHS-1907', rohsCategories({ Lead: { inside: exemptionXml('6(c)') } })))
    expect(spare.note).toContain(
      'all ten groups stated, none over; exemptions are listed nevertheless (validity not judged)',
    )
    const over = rowOf(listXml('EUROHS-1907', rohsCategories({ Lead: LEAD_OVER })))
    expect(over.note).toContain('Lead over the RoHS threshold (0.35 % in the material), no exemption')
    const gap = rowOf(listXml('EUROHS-1907', rohsCategories({ PBB: { over: undefined } })))
    expect(gap.note).toContain('RoHS: PBB without a statement')
    expect(gap.has_gaps).toBe(true)
  })

  it('lists each exemption with its list and category', () => {
    const row = rowOf(
      listXml(
        'EUROHS-1907',
        rohsCategories({
          Lead: LEAD_EXEMPT,
          Cadmium: { over: 'true', inside: exemptionXml('8(b)', 'EL2018/736') },
        }),
      ),
    )
    expect(row.exemptions).toBe('8(b) (EL2018/736, Cadmium); 6(c) (EL2011/534/EU, Lead)')
  })

  it('keeps each exemption in use once, for looking it up, and none without a number', () => {
    const row = rowOf(
      listXml(
        'EUROHS-1907',
        rohsCategories({
          Lead: LEAD_EXEMPT,
          Mercury: LEAD_EXEMPT,
          Cadmium: { over: 'true', inside: exemptionXml('8(b)', 'EL2018/736') },
          PBB: { over: 'true', inside: exemptionXml('', 'EL2018/736') },
        }),
      ),
    )
    expect(row.exemption_ids).toEqual([
      { identity: '8(b)', list: 'EL2018/736' },
      { identity: '6(c)', list: 'EL2011/534/EU' },
    ])
  })

  it('has no exemption in use where no RoHS list is declared', () => {
    expect(rowOf('').exemption_ids).toEqual([])
  })

  it('uses the newest of several lists and notes the others', () => {
    const row = rowOf(
      listXml('EUROHS-0508', rohsCategories({ Lead: { over: 'true' } })),
      listXml('EUROHS-1907', rohsCategories()),
      listXml('EUROHS-1506', rohsCategories({ Lead: { over: 'true' } })),
    )
    expect(row.rohs).toBe('compliant')
    expect(row.rohs_list).toBe('EUROHS-1907')
    expect(row.note).toContain('older RoHS list also declared: EUROHS-1506, EUROHS-0508')
  })

  it.each(['EUROHS', 'EUROHS-2024XX'])(
    'has the worse statement of %s, without a readable date',
    (undated) => {
      const newest = listXml('EUROHS-1907', rohsCategories())
      const row = rowOf(listXml(undated, rohsCategories({ Lead: { over: 'true' } })), newest)
      expect(row).toMatchObject({ rohs: 'not compliant', rohs_list: `${undated}; EUROHS-1907` })
      expect(row.note).not.toContain('older')
      expect(rowOf(listXml(undated, rohsCategories()), newest).rohs).toBe('compliant')
    },
  )

  it('is incomplete without the phthalates, and names them', () => {
    for (const list of ['EUROHS-0508', 'EUROHS-1907']) {
      const six = rowOf(listXml(list, rohsCategories().slice(0, 6)))
      expect(six).toMatchObject({ rohs: 'incomplete', has_gaps: true })
      expect(six.note).toContain('RoHS: DEHP, BBP, DBP, DIBP not stated')
    }
    expect(rowOf(listXml('EUROHS-0508', rohsCategories())).rohs).toBe('compliant')
  })

  it('counts groups, not entries', () => {
    const six = rohsCategories().slice(0, 6)
    expect(rowOf(listXml('EUROHS-1907', [...six, ...six])).rohs).toBe('incomplete')
  })

  it('ignores a class D list inside a material', () => {
    const inside = listXml('EUROHS-1907', rohsCategories())
    const row = rowOf(
      `<HomogeneousMaterialList><HomogeneousMaterial name="m">${inside}</HomogeneousMaterial></HomogeneousMaterialList>`,
    )
    expect(row.rohs).toBe('not declared')
    expect(row.rohs_list).toBe('')
    expect(row.classes).toBe('D')
  })
})

describe('the RoHS status of a part with sub-products', () => {
  const sub = (number: string, info: string): string =>
    `<SubProduct><ProductID itemNumber="${number}"/><MaterialInfo>${info}</MaterialInfo></SubProduct>`
  const good = listXml('EUROHS-1907', rohsCategories())
  const bad = listXml('EUROHS-1907', rohsCategories({ Lead: LEAD_OVER }))

  it('is the worst of all declared ones', () => {
    const row = readRow(fileB(productXml(['P1'], good, { after: sub('A', good) + sub('B', bad) })))
    expect(row.rohs).toBe('not compliant')
    expect(row.note).toContain('B: Lead over the RoHS threshold')
  })

  it('is incomplete if the part has no list and only some sub-products have one', () => {
    const row = readRow(fileB(productXml(['P1'], '', { after: sub('A', good) + sub('B', '') })))
    expect(row.rohs).toBe('incomplete')
    expect(row.note).toContain('B has no RoHS list; A states 10 entries')
  })

  it('is that of the sub-products if all of them declare one', () => {
    const row = readRow(fileB(productXml(['P1'], '', { after: sub('A', good) + sub('B', good) })))
    expect(row.rohs).toBe('compliant')
    expect(row.rohs_list).toBe('EUROHS-1907')
  })

  it('has no row for a sub-product', () => {
    expect(readRow(fileB(productXml(['P1'], good, { after: sub('A', good) }))).part).toBe('P1')
  })
})

describe('a concentration over the threshold', () => {
  const noteOf = (inside: string): string =>
    rowOf(listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true', inside } }))).note

  it('is noted if it has a decimal comma or is not recognized', () => {
    expect(noteOf('<Concentration value="0,35"/>')).toContain('decimal comma in the concentration of Lead')
    expect(noteOf('<Concentration value="0.3-0.4"/>')).toContain(
      'concentration "0.3-0.4" of Lead not recognized',
    )
    expect(noteOf('<Concentration value="0.35"/>')).not.toContain('concentration')
    expect(noteOf('<Concentration value=""/>')).not.toContain('concentration')
  })
})

describe('"not over" beside a value in a form that is not known', () => {
  it.each([
    ['<Concentration Value="5"/>', 'concentration "Value=5"'],
    ['<Amount percent="5"/>', 'amount "percent=5"'],
    ['<MassPercent value="5"/>', 'amount "MassPercent value=5"'],
    ['<MassPercent>5</MassPercent>', 'amount "MassPercent"'],
    ['<Substance name="Lead"><Concentration conc="5"/></Substance>', 'concentration "conc=5"'],
  ])('%s is incomplete', (inside, quoted) => {
    const row = rowOf(listXml('EUROHS-1907', rohsCategories({ Lead: { inside } })))
    expect(row.rohs).toBe('incomplete')
    expect(row.note).toContain(`Lead: "not over", with the ${quoted}, which cannot be read`)
  })

  it.each(['<Amount UOM="mg"/>', '<Comment text="5"/>'])('%s states no value', (inside) => {
    const row = rowOf(listXml('EUROHS-1907', rohsCategories({ Lead: { inside } })))
    expect(row.rohs).toBe('compliant')
  })
})

it('lists an exemption that a category states twice once', () => {
  const inside = exemptionXml('6(c)') + exemptionXml('6(c)')
  expect(rowOf(listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true', inside } }))).exemptions).toBe(
    rowOf(listXml('EUROHS-1907', rohsCategories({ Lead: LEAD_EXEMPT }))).exemptions,
  )
})

it.each([
  [['a', 'b', 'a'], 2, 'a, b'],
  [['a', 'b', 'c'], 2, 'a, b and 1 more'],
  [[...'abcdefghij'], undefined, 'a, b, c, d, e, f, g, h, i, j'],
  [[...'abcdefghijkl'], undefined, 'a, b, c, d, e, f, g, h, i, j and 2 more'],
])('%j are named, at most %s, as "%s"', (names, most, text) => expect(named(names, most)).toBe(text))

it.each([
  [3, '"x1", "x2", "x3"'],
  [4, '"x1", "x2", "x3", …'],
])('quotes the first three of %i words that are not recognized', (count, words) => {
  const names = ['Cadmium', 'PBB', 'PBDE', 'Lead'].slice(0, count)
  const odd = names.map((name, index) => [name, { over: `x${index + 1}` }] as const)
  expect(rowOf(listXml('EUROHS-1907', rohsCategories(Object.fromEntries(odd)))).note).toContain(
    `RoHS: statement not recognized (${words}): ${names.join(', ')}`,
  )
})

it.each([
  [[], 'not declared'],
  [['not declared'], 'not declared'],
  [['compliant', 'compliant'], 'compliant'],
  [['compliant', 'compliant with exemptions'], 'compliant with exemptions'],
  [['compliant', 'not declared'], 'incomplete'],
  [['incomplete', 'compliant'], 'incomplete'],
  [['not compliant', 'incomplete', 'not declared'], 'not compliant'],
] as const)('parts that are %j are together %s', (statuses, worst) => expect(worstRohs(statuses)).toBe(worst))

it('has the exemptions of class D in use beside its list', () => {
  const substance = `<Substance name="Lead"><SubstanceID identity="7439-92-1" authority="CAS"/><Concentration value="2"/>${exemptionXml('6(c)')}</Substance>`
  const material = `<HomogeneousMaterialList><HomogeneousMaterial name="M"><Amount value="5" UOM="mg"/><SubstanceCategoryList><SubstanceCategory name="Supplier">${substance}</SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial></HomogeneousMaterialList>`
  const none = listXml('EUROHS-1907', rohsCategories())
  expect(rowOf(none).exemptions).toBe('')
  expect(rowOf(none, material).exemptions).toContain('6(c)')
})
