import { describe, expect, test } from 'vitest'
import { composition } from '../../src/compliance/composition.ts'
import { screen } from '../../src/compliance/indications.ts'
import { createSubstanceTables } from '../../src/compliance/recognize.ts'
import { fileA, productXml } from '../support/declarations.ts'
import { readText } from '../support/read-text.ts'

const TABLES = createSubstanceTables(
  [
    { group: 'Lead', cas: '7439-92-1', share: 1, name: 'Lead' },
    { group: 'Lead', cas: '1317-36-8', share: 0.9283 },
    { group: 'Lead', cas: '12626-81-2', share: undefined },
    { group: 'Cadmium', cas: '7440-43-9', share: 1 },
  ],
  [
    { entry: '188', cas: '7439-92-1', name: 'Lead', entryName: 'Lead' },
    { entry: '9', cas: '117-81-7', name: 'DEHP', entryName: 'Bis (2-ethylhexyl) phthalate (DEHP)' },
  ],
)

const substance = (cas: string, percent: number | undefined): string =>
  `<Substance name="${cas}"><SubstanceID identity="${cas}" authority="CAS"/>${percent === undefined ? '' : `<Concentration value="${percent}"/>`}</Substance>`
const material = (name: string, mg: number, ...substances: readonly string[]): string =>
  `<HomogeneousMaterial name="${name}"><Amount value="${mg}" UOM="mg"/><SubstanceCategoryList><SubstanceCategory name="Supplier">${substances.join('')}</SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial>`
const list = (...materials: readonly string[]): string =>
  `<HomogeneousMaterialList>${materials.join('')}</HomogeneousMaterialList>`

function found(info: string, massMg = 1_000, after = '') {
  const [product] = readText(fileA(productXml(['P'], info, { after }))).products
  const { indications, open, notScreened, covers } = screen(composition(product!, massMg), TABLES)
  return {
    notScreened: notScreened.reduce((sum, { count }) => sum + count, 0),
    covers,
    open: open.map((one) => one.substance),
    texts: indications.map(({ about, group, percent, where }) =>
      `${about} ${group} ${percent} % ${where}`.trim(),
    ),
  }
}

describe('an indication', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'is above the limit of the material, not at it',
      list(material('M', 1, substance('7439-92-1', 0.1))),
      [],
    ],
    ['is that of the material', list(material('M', 1, substance('7439-92-1', 0.11))), ['rohs Lead 0.11 % M']],
    [
      'has the limit of cadmium',
      list(material('M', 1, substance('7440-43-9', 0.011))),
      ['rohs Cadmium 0.011 % M'],
    ],
    ['counts the share of the metal', list(material('M', 1, substance('1317-36-8', 0.107))), []],
    [
      'adds up a group',
      list(material('M', 1, substance('1317-36-8', 0.08), substance('7439-92-1', 0.05))),
      ['rohs Lead 0.124264 % M'],
    ],
    [
      'takes a varying compound as a whole',
      list(material('M', 1, substance('12626-81-2', 0.2))),
      ['rohs Lead 0.2 % M'],
    ],
    ['is above 0.1 % of the article for an SVHC', list(material('M', 10, substance('117-81-7', 10))), []],
    [
      'is that of the article',
      list(material('M', 20, substance('117-81-7', 10))),
      ['svhc Bis (2-ethylhexyl) phthalate (DEHP) 0.2 %'],
    ],
    [
      'adds up an SVHC over materials',
      list(material('M', 6, substance('117-81-7', 10)), material('N', 6, substance('117-81-7', 10))),
      ['svhc Bis (2-ethylhexyl) phthalate (DEHP) 0.12 %'],
    ],
    ...[
      '<SubstanceID identity="CAS" authority="7439-92-1"/>',
      '<SubstanceID value="7439-92-1" authority="CAS"/>',
      '<SubstanceId identity="7439-92-1" authority="CAS"/>',
      '<CASNumber value="7439-92-1"/>',
    ].map((id): [string, string, readonly string[]] => [
      `is of the CAS number in ${id}`,
      list(material('M', 1, `<Substance name="X">${id}<Concentration value="2"/></Substance>`)),
      ['rohs Lead 2 % M'],
    ]),
    ...[
      '<Substance name="Proprietary"><Concentration value="2"/></Substance>',
      '<Concentration value="2"/>',
      '<Concentration value="2"/><Substance name="Proprietary"><Concentration value="2"/></Substance>',
      '<Substance name="Proprietary"><Concentration value="2"/></Substance><Concentration value="2"/>',
    ].map((inside): [string, string, readonly string[]] => [
      `is of the category of what is not known: ${inside}`,
      list(
        `<HomogeneousMaterial name="M"><Amount value="1" UOM="mg"/><SubstanceCategoryList><SubstanceCategory name="Lead">${inside}</SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial>`,
      ),
      ['rohs Lead 2 % M'],
    ]),
  ])('%s', (_, info, expected) => expect(found(info).texts).toEqual(expected))

  test('of a substance that is known by its category names both', () => {
    const info = `<HomogeneousMaterialList><HomogeneousMaterial name="M"><Amount value="1" UOM="mg"/><SubstanceCategoryList><SubstanceCategory name="Lead"><Substance name="Proprietary"><Concentration value="2"/></Substance></SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial></HomogeneousMaterialList>`
    const [product] = readText(fileA(productXml(['P'], info))).products
    const { indications } = screen(composition(product!, 1_000), TABLES)
    expect(indications.map(({ substance: name }) => name)).toEqual(['Proprietary (Lead)'])
  })

  test.each([
    '<Amount amount="5" UOM="mg"/>',
    '<Concentration Value="5"/>',
    '<MassPercent value="5"/>',
    '<Concentration value="5" UOM="per million"/>',
  ])('is left open by an amount that is written in another way: %s', (written) => {
    const lead = `<Substance name="Lead">${written}</Substance>`
    expect(found(list(material('M', 1, lead)))).toMatchObject({ texts: [], open: ['Lead'] })
  })

  test('a CAS number in the text of an element is said not to be read', () => {
    const info = list(material('M', 1, '<Substance name="X"><CASNumber>7439-92-1</CASNumber></Substance>'))
    const [product] = readText(fileA(productXml(['P'], info))).products
    expect(product!.unread.map(({ text }) => text)).toEqual(['a number in the text of CASNumber is not read'])
  })

  test('is per sub-product for an SVHC, whatever the number of its instances', () => {
    const part = `<SubProduct numberOfInstances="4"><ProductID itemNumber="S"><Amount value="10" UOM="mg"/></ProductID><MaterialInfo>${list(material('M', 10, substance('117-81-7', 0.2)))}</MaterialInfo></SubProduct>`
    expect(found('', 100_000, part).texts).toEqual(['svhc Bis (2-ethylhexyl) phthalate (DEHP) 0.2 % S'])
  })

  test('has the names by which a list may call it', () => {
    const [product] = readText(
      fileA(productXml(['P'], list(material('M', 20, substance('117-81-7', 10))))),
    ).products
    const [one] = screen(composition(product!, 1_000), TABLES).indications
    expect(one!.names).toEqual(expect.arrayContaining(['dehp', 'bis2ethylhexylphthalate']))
  })
})

test('substances without a CAS number are counted as not screened, restricted ones without a share are named', () => {
  const info = list(
    material(
      'M',
      1,
      substance('system', 5),
      substance('7439-92-2', 5),
      substance('7439-92-1', undefined),
      substance('7440-31-5', undefined),
    ),
  )
  expect(found(info)).toEqual({ notScreened: 2, covers: [], texts: [], open: ['7439-92-1'] })
})

const named = (name: string, cas: string, inside: string): string =>
  `<Substance name="${name}"><SubstanceID identity="${cas}" authority="CAS"/>${inside}</Substance>`
const share = (value: string): string => `<Concentration value="${value}"/>`
const amount = (value: string, unit: string): string => `<Amount value="${value}" UOM="${unit}"/>`

describe('a restricted substance', () => {
  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    [
      'is known by its CAS number without dashes',
      [named('X', '7439921', share('50'))],
      ['rohs Lead 50 % M'],
      [],
    ],
    ['is known by its name', [named('Lead', 'system', share('50'))], ['rohs Lead 50 % M'], []],
    ['is known in another language', [named('Blei', '', share('50'))], ['rohs Lead 50 % M'], []],
    [
      'is known by one of several CAS numbers',
      [named('X', '7440-31-5; 7439-92-1', share('50'))],
      ['rohs Lead 50 % M'],
      [],
    ],
    [
      'is known by a CAS number in its name',
      [named('X [CAS 7439-92-1]', '', share('50'))],
      ['rohs Lead 50 % M'],
      [],
    ],
    [
      'is no doubt where it is not detected',
      [named('X', '7439-92-1', amount('n.d.', 'ppm')), named('Y', '7440-43-9', share('not detected'))],
      [],
      [],
    ],
    [
      'is not screened where only its amount is not detected',
      [named('X', '7439-92-1', amount('n.d.', 'ppm') + share('trace'))],
      [],
      ['X'],
    ],
    ['is none by a piece of a name', [named('Lead-free solder', 'system', share('50'))], [], []],
    ['is not screened without a share', [named('X', '7439-92-1', '')], [], ['X']],
    [
      'is not screened with an amount that is not read',
      [named('X', '7439-92-1', amount('&lt;5', 'mg'))],
      [],
      ['X'],
    ],
    [
      'is no doubt with an upper bound within the limit',
      [named('X', '7439-92-1', share('&lt;0.05'))],
      [],
      [],
    ],
    [
      'is not screened with an upper bound above the limit',
      [named('X', '7439-92-1', share('&lt;5'))],
      [],
      ['X'],
    ],
    [
      'is above the limit in both readings of a number',
      [named('X', '7440-43-9', share('1,500'))],
      ['rohs Cadmium 1.5 % M'],
      [],
    ],
    [
      'is not screened where one reading is below',
      [named('X', '7439-92-1', amount('1,500', 'ppm'))],
      [],
      ['X'],
    ],
    [
      'is above the limit whatever its share is of',
      [
        named('X', '7440-43-9', amount('30', 'massPercent')),
        named('Y', '7440-31-5', amount('20', 'massPercent')),
      ],
      ['rohs Cadmium 30 % M'],
      [],
    ],
  ])('%s', (_, substances, indicated, open) => {
    const { texts, open: names } = found(list(material('M', 1, ...substances)), 1_000_000)
    expect([texts, names]).toEqual([indicated, open])
  })

  const bare = (name: string, inside: string): string =>
    material(name, 0, inside).replace(/<Amount[^>]*>/, '')
  const dehp = substance('117-81-7', 30)

  test('is of the part where its only material has no mass, and not screened where there are several', () => {
    const [one, several] = [
      list(bare('M', dehp)),
      list(bare('M', dehp), bare('N', substance('7440-31-5', 1))),
    ]
    expect(found(one, 0)).toMatchObject({
      texts: ['svhc Bis (2-ethylhexyl) phthalate (DEHP) 30 %'],
      open: [],
    })
    expect(found(several, 0)).toMatchObject({ texts: [], open: ['117-81-7'] })
  })
})

test.each([
  ['Blei', ['rohs Lead 50 % M', 'svhc Lead 50 %']],
  ['鉛 (Pb)', ['rohs Lead 50 % M', 'svhc Lead 50 %']],
  ['Bleiverbindungen', ['rohs Lead 50 % M']],
  ['Blei und seine Verbindungen', ['rohs Lead 50 % M']],
  ['Di(2-ethylhexyl) phthalate', ['svhc Bis (2-ethylhexyl) phthalate (DEHP) 50 %']],
])('%s is the entry of the Candidate List whose substance it names', (name, texts) => {
  expect(found(list(material('M', 1_000, named(name, '', share('50'))))).texts).toEqual(texts)
})

test('what is not detected is no remark', () => {
  const info = list(material('M', 1, named('X', '7439-92-1', amount('n.d.', 'ppm'))))
  const [product] = readText(fileA(productXml(['P'], info))).products
  expect(composition(product!, 1).notes).toEqual([])
})

test('a list of the user is screened for by CAS number and by name', () => {
  const own = { name: 'Ours', substances: [{ cas: '', name: 'Copper', percent: 1, of: 'material' as const }] }
  const [product] = readText(
    fileA(productXml(['P'], list(material('M', 1, named('Copper', 'system', share('50')))))),
  ).products
  const { indications } = screen(composition(product!, 1), createSubstanceTables([], [], [own]))
  expect(indications.map(({ about, group, percent }) => `${about} ${group} ${percent}`)).toEqual([
    'list Ours 50',
  ])
})

test.each([
  ['95 % of the mass, with CAS numbers', true, [substance('7440-31-5', 95), substance('system', 5)]],
  ['94 %', false, [substance('7440-31-5', 94), substance('system', 6)]],
  ['a substance without a share', false, [substance('7440-31-5', undefined)]],
  ['a restricted one with a share', true, [substance('7439-92-1', 100)]],
  ['nothing', false, []],
])('a composition that declares and names %s covers the part: %s', (_, isWhole, substances) => {
  expect(found(list(material('M', 1_000, ...substances))).covers).toEqual(isWhole ? [''] : [])
})

test('a composition covers the sub-products whose mass it declares and names', () => {
  const part = (number: string, percent: number): string =>
    `<SubProduct><ProductID itemNumber="${number}"><Amount value="10" UOM="mg"/></ProductID><MaterialInfo>${list(material('M', 10, substance('7440-31-5', percent)))}</MaterialInfo></SubProduct>`
  expect(found('', 20, part('S', 100) + part('T', 50)).covers).toEqual(['S / '])
  expect(found('', 20, part('S', 100) + part('T', 95)).covers).toEqual(['', 'S / ', 'T / '])
})

test('the first fifty indications of a group hide none of another one', () => {
  const lead = Array.from({ length: 51 }, (_, index) => material(`M${index}`, 1, substance('7439-92-1', 5)))
  const { texts } = found(list(...lead, material('N', 1, substance('7440-43-9', 5))), 1_000_000)
  expect(texts.filter((text) => text.startsWith('rohs Lead'))).toHaveLength(50)
  expect(texts.at(-1)).toBe('rohs Cadmium 5 % N')
})

describe('a list of the user', () => {
  const ours = (of: 'material' | 'article' | 'any', percent: number | 'any amount' = 0.1) =>
    createSubstanceTables(
      [],
      [],
      [
        {
          name: 'Ours',
          substances: [
            { cas: '7440-50-8', name: '', percent: percent === 'any amount' ? undefined : percent, of },
          ],
        },
      ],
    )
  const tenth = list(
    material('M', 100, substance('7440-50-8', 0.5)),
    material('N', 900, substance('7440-31-5', 99)),
  )
  const weightless = tenth.replace(/<Amount[^>]*>/g, '')
  const screened = (info: string, tables: ReturnType<typeof ours>) => {
    const [product] = readText(fileA(productXml(['P'], info))).products
    const { indications, open } = screen(composition(product!, info === weightless ? 0 : 1_000), tables)
    return [
      indications.map(({ group, percent, where }) => `${group} ${percent} % ${where}`.trim()),
      open.map(({ lists }) => lists),
    ]
  }

  test.each([
    ['of the material', tenth, ours('material'), [['Ours 0.5 % M'], []]],
    ['of the article, below its limit', tenth, ours('article'), [[], []]],
    ['of the article, above its limit', tenth, ours('article', 0.01), [['Ours 0.05 %'], []]],
    ['of either', tenth, ours('any'), [['Ours 0.5 % M'], []]],
    ['of the article, any amount', tenth, ours('article', 'any amount'), [['Ours 0.05 %'], []]],
    // A share of the material that may be within the limit of the article, or above it.
    ['of the article that has no mass', weightless, ours('article'), [[], [['Ours']]]],
    [
      'of the article that has no mass, but within the limit of each material',
      weightless,
      ours('article', 0.6),
      [[], []],
    ],
    ['of the material that has no mass', weightless, ours('material'), [['Ours 0.5 % M'], []]],
  ])('%s', (_, info, tables, wanted) => {
    expect(screened(info, tables)).toEqual(wanted)
  })
})

test.each([
  '<Substance name="x" cas="7439-92-1"><Concentration value="5"/></Substance>',
  '<Substance name="x"><SubstanceID CASNumber="7439-92-1"/><Concentration value="5"/></Substance>',
])('a CAS number counts in whatever attribute it is: %s', (xml) => {
  expect(found(list(material('M', 1_000, xml))).texts[0]).toBe('rohs Lead 5 % M')
})

test.each([
  '<Amount value="0.1" UOM="mg"/><Amount value="50" UOM="mg"/>',
  '<Concentration value="5"/><Concentration value="0.01"/>',
])('of two values of a substance the higher one counts: %s', (values) => {
  const xml = `<Substance name="Lead"><SubstanceID identity="7439-92-1"/>${values}</Substance>`
  expect(found(list(material('M', 1_000, xml))).texts[0]).toBe('rohs Lead 5 % M')
})
