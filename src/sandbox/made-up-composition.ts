import type {
  ExemptionFacts,
  MaterialFacts,
  QuantityFacts,
  SubProductFacts,
  SubstanceFacts,
} from './facts.ts'

/** How a supplier writes the masses of its materials; `ofProduct`: shares of the product instead of the material. */
export type Notation = 'absolute' | 'concentration' | 'units' | 'relative' | 'ofProduct'

interface Ingredient {
  readonly name: string
  readonly cas: string
  readonly share: number
  readonly authority?: string
  readonly category?: string
}

interface Recipe {
  readonly name: string
  readonly group: string
  readonly share: number
  readonly ingredients: readonly Ingredient[]
}

/** Lead in the terminals, as exemption 6(c) allows; without it they are plain copper. */
export type Variety = 'plain' | 'leaded' | 'plasticised' | 'flexible' | 'secret'

/**
 * The materials of a part of `massMg`, of which `declaredShare` (0 to 1) is declared: their masses add up to that
 * share, to a ten-thousandth of a milligram, and the substances to their material.
 */
export function materialsOf(
  massMg: number,
  variety: Variety,
  declaredShare = 1,
  notation: Notation = 'absolute',
): readonly MaterialFacts[] {
  const declaredMg = roundMg(massMg * declaredShare)
  const recipes = RECIPES[variety]
  const masses = split(
    declaredMg,
    recipes.map(({ share }) => share),
  )
  return recipes.map((recipe, index) => materialOf(recipe, masses[index]!, massMg, notation))
}

/** The same product as two articles, for a complex object: three quarters of its mass and the rest. */
export function subProductsOf(number: string, massMg: number): readonly SubProductFacts[] {
  const [body, cover] = split(massMg, [0.75, 0.25])
  return [
    { number: `${number}/1`, name: 'body', massMg: body!, materials: materialsOf(body!, 'plain') },
    { number: `${number}/2`, name: 'cover', massMg: cover!, materials: materialsOf(cover!, 'flexible') },
  ]
}

/** A cover, and a module of a board and two legs: sub-products of three fifths and two fifths of the mass, two levels deep. */
export function nestedSubProductsOf(number: string, massMg: number): readonly SubProductFacts[] {
  const [module, cover] = split(massMg, [0.6, 0.4])
  const [board, legs] = split(module!, [0.5, 0.5])
  const article = (name: string, mass: number): SubProductFacts => ({
    number: `${number}/${name}`,
    name,
    massMg: mass,
    materials: materialsOf(mass, 'plain'),
  })
  const inside = [article('board', board!), { ...article('leg', legs! / 2), instances: 2 }]
  return [{ ...article('module', module!), materials: [], subProducts: inside }, article('cover', cover!)]
}

/** Materials with lead in the terminals, by an exemption for the substance. */
export function leadedWithExemption(massMg: number, exemptions: ExemptionFacts): readonly MaterialFacts[] {
  return materialsOf(massMg, 'leaded').map((material) => ({
    ...material,
    substances: material.substances.map((substance) =>
      substance.name === 'Lead' ? { ...substance, exemptions } : substance,
    ),
  }))
}

const PLASTIC: Recipe = {
  name: 'Housing, glass-filled polyamide',
  group: 'Filled thermoplastics',
  share: 0.6,
  ingredients: [
    { name: 'Polyamide 66', cas: '32131-17-2', share: 0.7 },
    { name: 'Glass, oxide, chemicals', cas: '65997-17-3', share: 0.3 },
  ],
}

const PLATING: Recipe = {
  name: 'Plating',
  group: 'Other non-ferrous metals',
  share: 0.1,
  ingredients: [
    { name: 'Tin', cas: '7440-31-5', share: 0.65 },
    { name: 'Nickel', cas: '7440-02-0', share: 0.35 },
  ],
}

const COPPER: Recipe = {
  name: 'Terminals',
  group: 'Copper and its alloys',
  share: 0.3,
  ingredients: [{ name: 'Copper', cas: '7440-50-8', share: 1 }],
}

const LEADED: Recipe = {
  ...COPPER,
  ingredients: [
    { name: 'Copper', cas: '7440-50-8', share: 0.61 },
    { name: 'Zinc', cas: '7440-66-6', share: 0.36 },
    { name: 'Lead', cas: '7439-92-1', share: 0.03, category: 'Lead/lead compounds' },
  ],
}

const PLASTICISED: Recipe = {
  name: 'Soft PVC',
  group: 'PolyVinylChloride (PVC)',
  share: 0.6,
  ingredients: [
    { name: 'Polyvinyl chloride', cas: '9002-86-2', share: 0.65 },
    { name: 'Bis(2-ethylhexyl) phthalate', cas: '117-81-7', share: 0.35 },
  ],
}

/** The same with a phthalate that RoHS does not restrict. */
const FLEXIBLE: Recipe = {
  ...PLASTICISED,
  ingredients: [
    { name: 'Polyvinyl chloride', cas: '9002-86-2', share: 0.65 },
    { name: 'Dicyclohexyl phthalate', cas: '84-61-7', share: 0.35 },
  ],
}

// Values that suppliers write instead of a CAS number, and a number with a wrong check digit.
const SECRET: Recipe = {
  name: 'Coating',
  group: 'Inorganic materials',
  share: 0.6,
  ingredients: [
    { name: 'Polymer, not disclosed', cas: 'system', share: 0.5, authority: 'Supplier' },
    { name: 'Additives', cas: '-', share: 0.2, authority: 'Supplier' },
    { name: 'Misc., not to declare', cas: 'MISC., NOT TO DECLARE', share: 0.2, authority: 'Supplier' },
    { name: 'Silica, misspelt', cas: '7631-86-8', share: 0.1 },
  ],
}

const RECIPES: Readonly<Record<Variety, readonly Recipe[]>> = {
  plain: [PLASTIC, COPPER, PLATING],
  leaded: [PLASTIC, LEADED, PLATING],
  plasticised: [PLASTICISED, COPPER, PLATING],
  flexible: [FLEXIBLE, COPPER, PLATING],
  secret: [SECRET, COPPER, PLATING],
}

const UNITS_IN_TURN = ['mg', 'g', 'kg'] as const
const MG_IN = { mg: 1, g: 1_000, kg: 1_000_000 } as const

function materialOf(recipe: Recipe, massMg: number, productMg: number, notation: Notation): MaterialFacts {
  const { name, group, ingredients } = recipe
  const masses = split(
    massMg,
    ingredients.map(({ share }) => share),
  )
  const substances = ingredients.map((ingredient, index) =>
    substanceOf(ingredient, { massMg: masses[index]!, productMg }, index, notation),
  )
  return { name, group, mass: materialMass(massMg, productMg, notation), substances }
}

function materialMass(massMg: number, productMg: number, notation: Notation): QuantityFacts {
  return notation === 'relative'
    ? { value: (massMg / productMg) * 100, unit: 'massPercent' }
    : { value: massMg, unit: 'mg' }
}

function substanceOf(
  ingredient: Ingredient,
  { massMg, productMg }: { readonly massMg: number; readonly productMg: number },
  index: number,
  notation: Notation,
): SubstanceFacts {
  const { name, cas, share, authority = 'CAS', category = 'Supplier' } = ingredient
  const common = { name, cas, authority, category }
  if (notation === 'concentration') return { ...common, concentrationPercent: roundMg(share * 100) }
  if (notation === 'relative') return { ...common, mass: { value: Math.round(share * 1e6), unit: 'ppm' } }
  if (notation === 'ofProduct') {
    return { ...common, mass: { value: roundMg((massMg / productMg) * 100), unit: 'massPercent' } }
  }
  const unit = notation === 'units' ? UNITS_IN_TURN[index % UNITS_IN_TURN.length]! : 'mg'
  const mass: QuantityFacts = { value: massMg / MG_IN[unit], unit }
  return { ...common, mass, concentrationPercent: roundMg(share * 100) }
}

/** The last share includes the rounding errors, so that the sum is exact. */
function split(total: number, shares: readonly number[]): readonly number[] {
  const parts = shares.slice(0, -1).map((share) => roundMg(total * share))
  const rest = roundMg(total - parts.reduce((sum, part) => sum + part, 0))
  return [...parts, rest]
}

function roundMg(value: number): number {
  return Math.round(value * 1e4) / 1e4
}
