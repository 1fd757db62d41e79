import { describe, expect, it } from 'vitest'
import { fileB } from '../support/declarations.ts'
import { readRow } from '../support/read-text.ts'
import { pick, seeded } from '../support/seeded.ts'
import { sweep } from '../support/soak.ts'

type Random = () => number
/** A statement as XML, and the best status that is true with it. */
interface Statement {
  readonly xml: string
  readonly best: number
}

const STATUSES = ['compliant', 'compliant with exemptions', 'incomplete', 'not compliant']
const GROUPS = ['Cadmium', 'PBB', 'PBDE', 'Cr(VI)', 'Lead', 'Mercury', 'DEHP', 'BBP', 'DBP', 'DIBP']
const KNOWN = '<ExemptionList><Exemption identity="6(c)"/></ExemptionList>'
const UNKNOWN = '<ExemptionCode value="6(c)"/>'

/** What can be inside a category. */
const STATED: readonly Statement[] = [
  { xml: '<Threshold overThreshold="false"/>', best: 0 },
  { xml: '<Threshold overThreshold="0"/>', best: 0 },
  { xml: `<Threshold overThreshold="true"/>${KNOWN}`, best: 1 },
  { xml: `<Threshold overThreshold="false"/>${KNOWN}`, best: 1 },
  { xml: `<Threshold overThreshold="true"/>${UNKNOWN}`, best: 2 },
  { xml: '<Threshold overThreshold="yes"/>', best: 2 },
  { xml: '<Threshold/>', best: 2 },
  { xml: '', best: 2 },
  { xml: '<Threshold overThreshold="1"/>', best: 3 },
]

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

/** Ten categories, mostly without a finding; their order is that of `order`. */
function listOf(random: Random, order: Random): Statement {
  const categories = GROUPS.map((name, index) => {
    const { xml, best } = random() < 0.85 ? STATED[0]! : pick(random, STATED)
    const id = `<SubstanceCategoryID identity="${index}" authority="IPC"/>`
    return { xml: `<SubstanceCategory name="${name}">${id}${xml}</SubstanceCategory>`, best }
  })
  const inside = shuffled(order, [
    '<SubstanceCategoryListID identity="EUROHS-1907"/>',
    ...categories.map(({ xml }) => xml),
  ])
  return {
    xml: `<SubstanceCategoryList>${inside.join('')}</SubstanceCategoryList>`,
    best: Math.max(...categories.map(({ best }) => best)),
  }
}

/** A product with a list of its own and up to three in it, each with its list, in one of the ways to nest them. */
function productOf(random: Random, order: Random, tag = 'Product', depth = 0): Statement {
  const list = listOf(random, order)
  const count = depth < 2 ? Math.floor(random() * 3) : 0
  const parts = Array.from({ length: count }, () =>
    productOf(random, order, pick(random, ['SubProduct', 'Product']), depth + 1),
  )
  const isHidden = random() < 0.1 && count > 0
  const nest = shuffled(
    order,
    parts.map(({ xml }) => xml),
  ).join('')
  const wrapped = isHidden
    ? `<Assembly>${nest}</Assembly>`
    : pick(random, [nest, `<SubProductList>${nest}</SubProductList>`])
  const children = shuffled(order, [
    '<ProductID itemNumber="P"/>',
    `<MaterialInfo>${list.xml}</MaterialInfo>`,
    wrapped,
  ])
  return {
    xml: `<${tag}>${children.join('')}</${tag}>`,
    best: Math.max(list.best, ...(isHidden ? [2] : parts.map(({ best }) => best))),
  }
}

const SEEDS = Array.from({ length: sweep(60, 300) }, (_, seed) => seed)

describe('the RoHS status of generated products', () => {
  it('is never better or worse than the worst that is stated', () => {
    const seen = new Set<string>()
    for (const seed of SEEDS) {
      const { xml, best } = productOf(seeded(seed), seeded(1))
      const { rohs } = readRow(fileB(xml))
      seen.add(rohs)
      expect([seed, rohs]).toEqual([seed, STATUSES[best]])
    }
    expect([...seen].sort()).toEqual([...STATUSES].sort())
  })

  it('is the same, with the same exemptions and gaps, whatever the order of the elements', () => {
    for (const seed of SEEDS) {
      const facts = [1, 2].map((order) => {
        const { rohs, exemptions, has_gaps } = readRow(fileB(productOf(seeded(seed), seeded(order)).xml))
        return { seed, rohs, exemptions: exemptions.split('; ').sort(), has_gaps }
      })
      expect(facts[1]).toEqual(facts[0])
    }
  })
})
