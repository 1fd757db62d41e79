import { describe, expect, it, test } from 'vitest'
import type { Article, Identity, Substance } from '../../../src/compliance/declaration.ts'
import {
  partDeclaration,
  partFacts,
  type SubstanceRow,
  substancesOf,
} from '../../../src/report/rows/part-declaration.ts'
import { exemptionXml, fileA, listXml, productXml, rohsCategories } from '../../support/declarations.ts'
import { REACH_XML, ROHS_XML } from '../../support/part-declarations.ts'
import { readJudged, readRow, readText } from '../../support/read-text.ts'

const head = (inside: string, date = '2024-09-27'): string =>
  `<BusinessInfo><Response date="${date}">${inside}</Response></BusinessInfo>`
const rowWith = (text: string): ReturnType<typeof readRow> =>
  readRow(fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories())), { head: text }))

test.each([
  ['100', 20],
  ['500', 100],
])('%s of 500 mg in substances are %i percent declared', (amount, percent) => {
  const substance = `<Substance name="Tin"><SubstanceID identity="7440-31-5" authority="CAS"/><Amount value="${amount}" UOM="mg"/></Substance>`
  const material = `<HomogeneousMaterial name="M"><Amount value="500" UOM="mg"/><SubstanceCategoryList><SubstanceCategory name="Supplier">${substance}</SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial>`
  const info = `<HomogeneousMaterialList>${material}</HomogeneousMaterialList>`
  expect(readRow(fileA(productXml(['P1'], info))).declared_percent).toBe(percent)
})

describe('the row of a part', () => {
  it.each([
    ['2024-09-27', '2024-09-27', ''],
    ['2016-11-29-00-00', '2016-11-29', ''],
    ['2016-11-29T10:00:00Z', '2016-11-29', ''],
    [' 2016-11-29 ', '2016-11-29', ''],
    ['2024-02-30', '', 'response date "2024-02-30" is not a date'],
    ['29.11.2016', '2016-11-29', ''],
    ['20161129', '2016-11-29', ''],
    ['29-Nov-2016', '2016-11-29', ''],
    ['2016/11/9', '2016-11-09', ''],
    ['11/29/2016', '', 'response date "11/29/2016" is not a date'],
    ['', '', 'the file has no response date'],
  ])('reads the date %j as %j', (text, date, note) => {
    const row = rowWith(head('', text))
    expect(row.date).toBe(date)
    if (note === '') expect(row.note).not.toContain('response date')
    else expect(row.note).toContain(note)
  })

  it('puts the DUNS number of the company first', () => {
    const row = rowWith(
      head(
        '<SupplyCompany name="Acme"><CompanyID identity="DE 12" authority="VAT"/><CompanyID identity=""/><CompanyID identity="123456789" authority="DUNS"/></SupplyCompany>',
      ),
    )
    expect(row).toMatchObject({ supplier: 'Acme', company_id: '123456789; DE 12' })
  })

  it('has no separator within an identifier of the company', () => {
    const row = rowWith(head('<SupplyCompany name="Acme"><CompanyID identity="12;&#9;3"/></SupplyCompany>'))
    expect(row.company_id).toBe('12, 3')
  })

  it('notes a file that announces other classes than it contains', () => {
    const include = '<Include><Sectional name="MaterialInfo"><SubSectional name="D"/></Sectional></Include>'
    expect(rowWith(include).note).toContain('the file announces class D, but has elements of class C')
    expect(rowWith(include.replace('"D"', '"C"')).note).not.toContain('announces')
    // Only what is inside a section announces a class, and only by its own element.
    const elsewhere = include.replace(/<Sectional|<\/Sectional/g, (tag) => `${tag}s`)
    expect(rowWith(elsewhere).note).not.toContain('announces')
    expect(rowWith(include.replace('SubSectional', 'Remark')).note).not.toContain('announces')
  })

  it('has the part name of the supplier, or else of the buyer', () => {
    const id = (attributes: string): string =>
      readRow(fileA(`<Product><ProductID itemNumber="P" ${attributes}/></Product>`)).name
    expect(id('itemName="ours" requesterItemName="theirs"')).toBe('ours')
    expect(id('requesterItemName="theirs"')).toBe('theirs')
    expect(id('')).toBe('')
  })

  it('exists for a product without a number, and for one without ProductID', () => {
    const { rows } = readText(fileA('<Product><ProductID itemName="x"/></Product><Product/>'))
    expect(rows.map((row) => [row.part, row.status])).toEqual([
      ['', 'declared'],
      ['', 'declared'],
    ])
    expect(rows[1]!.note).toContain('no part number')
  })

  it('escapes control and direction characters, except in part numbers, which are matched first', () => {
    const row = readJudged(
      fileA('<Product><ProductID itemNumber="A&#x202E;B" itemName="x&#xA;y&#x202E;z"/></Product>', {
        head: head('<SupplyCompany name="evil&#x9B;31m"/>'),
      }),
    )
    expect(row.name).toBe('x y\\u202ez')
    expect(row.supplier).toBe('evil\\u009b31m')
    expect(row.part).toBe('A\u202eB')
  })

  it('joins several values unambiguously', () => {
    const lead = { name: 'Lead; compounds', code: '5', over: 'true' }
    const row = readRow(
      fileA(productXml(['P1'], listXml('EUREACH-0624', [lead, { ...lead, name: 'Other' }]))),
    )
    expect(row.svhc.split('; ')).toEqual(['Lead, compounds (5)', 'Other (5)'])
  })

  it('has a short note, whatever a file contains', () => {
    const lists = Array.from({ length: 200 }, (_, n) =>
      listXml(`LIST-${n}`, [{ over: 'true', name: 'x'.repeat(900) }]),
    )
    const { note, other_lists } = readRow(fileA(productXml(['P1'], lists.join(''))))
    expect(other_lists.length).toBeLessThan(50_000)
    expect(note.length).toBeLessThan(10_000)
  })

  it('keeps a bounded number of exemptions in use, each of bounded length', () => {
    const inside = Array.from({ length: 900 }, (_, n) => exemptionXml(`6(c): ${n}-${'x'.repeat(900)}`)).join(
      '',
    )
    const list = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true', inside } }))
    const { exemption_ids } = readRow(fileA(productXml(['P1'], list)))
    expect(exemption_ids).toHaveLength(500)
    expect(Math.max(...exemption_ids.map(({ identity }) => identity.length))).toBeLessThan(400)
  })
})

describe('a declaration', () => {
  const declared = (...lists: readonly string[]) => {
    const { products, header } = readText(fileA(productXml(['P1'], lists.join(''))))
    return partDeclaration(partFacts(products[0]!, undefined)[0]!, header, 'a.xml')!
  }

  it('is the same in whatever order its file has the lists', () => {
    const one = declared(ROHS_XML, REACH_XML)
    const other = declared(REACH_XML, ROHS_XML)
    expect(other).toEqual(one)
    expect(other.record.lists.map(({ plain }) => plain)).toEqual(one.record.lists.map(({ plain }) => plain))
    expect(other.digest).not.toBe(declared(ROHS_XML).digest)
  })
})

describe('the unit of a product', () => {
  const withUnit = (unit: string): ReturnType<typeof readRow> =>
    readRow(
      fileA(
        productXml(['P1'], '', { mass: '<Amount value="3" UOM="g"/>' }).replace(
          'unitType="Each"',
          unit === '' ? '' : `unitType="${unit}"`,
        ),
      ),
    )

  it.each(['Each', 'each', 'EA', 'Piece', 'pcs', ''])('%j is a piece', (unit) => {
    const row = withUnit(unit)
    expect(row).toMatchObject({ unit_type: unit, mass_mg: 3_000 })
    expect(row.note).not.toContain('piece')
  })

  it.each(['Meter', 'kg', 'Square meter'])('%j is none: the note says what the mass is for', (unit) => {
    const row = withUnit(unit)
    expect(row).toMatchObject({ unit_type: unit, mass_mg: 3_000 })
    expect(row.note).toContain(`the mass is per ${unit}, not per piece`)
  })
})

const mg = (value: string) => ({ value, unit: 'mg' })
const substance = (ids: readonly Identity[], amount = '2'): Substance => ({
  name: 'Lead\u0007',
  ids,
  amount: mg(amount),
  concentration: undefined,
})
const numbered = (itemNumber: string, mass: string) => ({
  itemNumber,
  itemName: '',
  requesterItemNumber: '',
  requesterItemName: '',
  mass: mg(mass),
})

function article(ids: Article['ids'], substances: readonly Substance[]): Article {
  const materials = [{ name: 'Solder', line: 2, amount: mg('10'), substances }]
  return {
    ids,
    instances: '',
    unitType: 'Each',
    comment: '',
    lists: [],
    materials,
    queryLists: [],
    hasMaterialGroups: false,
    otherClaims: [],
    unread: [],
    line: 1,
    subProducts: [],
  }
}

/** The rows of all its ProductIDs. */
function substanceRows(product: Article, source: string): SubstanceRow[] {
  const ofId = substancesOf(product, source)
  return (product.ids.length > 0 ? product.ids : [undefined]).flatMap((_, id) => [...ofId(id)])
}

test('a family has the substances of each of its parts, in ppm of that part', () => {
  const rows = [
    ...substanceRows(
      article(
        [numbered('A', '10'), numbered('B', '40')],
        [substance([{ identity: '7439-92-1', authority: 'CAS' }])],
      ),
      'a.xml',
    ),
  ]
  expect(rows.map(({ part, ppm_of_part }) => [part, ppm_of_part])).toEqual([
    ['A', 200_000],
    ['B', 50_000],
  ])
  expect(rows[0]).toMatchObject({
    material: 'Solder',
    material_mass_mg: 10,
    cas: '7439-92-1',
    cas_valid: true,
    mass_mg: 2,
    percent_of_material: 20,
    source: 'a.xml',
  })
  expect(rows[0]!.substance).not.toContain('\u0007')
})

test('a product without a number or a mass has rows without ppm', () => {
  const [row] = [...substanceRows(article([], [substance([])]), 'a.xml')]
  expect(row).toMatchObject({ part: '', ppm_of_part: null, cas: '', cas_valid: null })
})

test.each([
  [
    'a valid CAS number, whatever it is called',
    [
      ['x', 'CAS'],
      ['7439-92-1', 'Own'],
    ],
    '7439-92-1',
    true,
  ],
  [
    'what the file calls one',
    [
      ['own', 'Own'],
      ['7439-92-2', ' cas '],
    ],
    '7439-92-2',
    false,
  ],
  [
    'any identity',
    [
      [' ', 'CAS'],
      [' own ', 'Own'],
    ],
    'own',
    false,
  ],
])('a substance is identified by %s', (_, ids, cas, valid) => {
  const given = ids.map(([identity, authority]) => ({ identity: identity!, authority: authority! }))
  const [row] = [...substanceRows(article([numbered('A', '10')], [substance(given)]), 'a.xml')]
  expect([row!.cas, row!.cas_valid]).toEqual([cas, valid])
})
