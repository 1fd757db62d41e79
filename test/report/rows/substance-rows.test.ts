import { expect, test } from 'vitest'
import type { Article, Identity, Substance } from '../../../src/compliance/declaration.ts'
import type { SubstanceRow } from '../../../src/report/rows/report-row.ts'
import { substancesOf } from '../../../src/report/rows/substance-rows.ts'

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
  const materials = [{ name: 'Solder', amount: mg('10'), substances }]
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
