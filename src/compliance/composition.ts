import { cleanText } from '../base/clean-text.ts'
import type { Article, Material, Substance } from './declaration.ts'
import { absoluteMassMg, readDecimal, relativePercent, tidy } from './quantity.ts'

/** A substance in a material, masses in milligrams for one unit of the complete part. */
export interface SubstanceShare {
  readonly substance: Substance
  readonly massMg: number | undefined
  readonly percentOfMaterial: number | undefined
}

/** A homogeneous material of a part; `massMg` counts every instance of its sub-product. */
export interface MaterialShare {
  /** The material's name, after the names of the sub-products that contain it. */
  readonly name: string
  readonly massMg: number | undefined
  readonly substances: readonly SubstanceShare[]
  /** Share of the material that its substances account for, in percent; undefined where nothing can be computed. */
  readonly declaredPercent: number | undefined
}

/** A class D declaration in masses. An Amount in an absolute unit has precedence over a share of the material. */
export interface Composition {
  readonly materials: readonly MaterialShare[]
  /** The mass of all materials; undefined when a material has none. */
  readonly materialsMassMg: number | undefined
  /** The mass of all substances that have one. */
  readonly substancesMassMg: number
  readonly notes: readonly string[]
}

/** The masses in one unit of a part; without the part's mass (undefined or 0), only those declared in absolute units. */
export function composition(article: Article, partMassMg: number | undefined): Composition {
  const notes = new Set<string>()
  const materials = [...materialsOf(article, partMassMg || undefined, 1, '', notes)]
  const masses = materials.map((material) => material.massMg)
  return {
    materials,
    materialsMassMg: masses.includes(undefined) || masses.length === 0 ? undefined : tidy(sum(masses)),
    substancesMassMg: tidy(
      sum(materials.flatMap((material) => material.substances.map((share) => share.massMg))),
    ),
    notes: [...notes],
  }
}

/** Computes once for each mass: the parts of a family usually have the same. */
export function memoizedByMass<T>(
  compute: (massMg: number | undefined) => T,
): (massMg: number | undefined) => T {
  const known = new Map<number | undefined, T>()
  return (massMg) => {
    if (!known.has(massMg)) known.set(massMg, compute(massMg))
    return known.get(massMg)!
  }
}

function* materialsOf(
  article: Article,
  articleMassMg: number | undefined,
  instances: number,
  path: string,
  notes: Set<string>,
): Generator<MaterialShare> {
  for (const material of article.materials) {
    yield materialShare(material, articleMassMg, instances, path, notes)
  }
  for (const part of article.subProducts) {
    const id = part.ids[0]
    const label = cleanText(id?.itemNumber || id?.itemName || 'sub-product', 60)
    yield* materialsOf(
      part,
      absoluteMassMg(id?.mass) || undefined,
      instances * instanceCount(part, notes),
      `${path}${label} / `,
      notes,
    )
  }
}

function materialShare(
  material: Material,
  articleMassMg: number | undefined,
  instances: number,
  path: string,
  notes: Set<string>,
): MaterialShare {
  if (material.amount?.value.includes(',')) notes.add(`decimal comma in the mass of ${material.name}`)
  const share = relativePercent(material.amount)
  const unitMassMg =
    absoluteMassMg(material.amount) ??
    (share !== undefined && articleMassMg !== undefined ? (share / 100) * articleMassMg : undefined)
  const massMg = unitMassMg === undefined ? undefined : unitMassMg * instances
  const substances = material.substances.map((substance) =>
    substanceShare(substance, massMg, instances, notes),
  )
  return {
    name: `${path}${cleanText(material.name)}`,
    massMg: massMg === undefined ? undefined : tidy(massMg),
    substances,
    declaredPercent: declaredShare(substances, massMg),
  }
}

function substanceShare(
  substance: Substance,
  materialMassMg: number | undefined,
  instances: number,
  notes: Set<string>,
): SubstanceShare {
  const concentration = readDecimal(substance.concentration)
  if (concentration?.hadComma || substance.amount?.value.includes(',')) {
    notes.add(`decimal comma in the share of ${substance.name}`)
  }
  const percent = concentration?.value ?? relativePercent(substance.amount)
  const absolute = absoluteMassMg(substance.amount)
  const massMg =
    absolute !== undefined
      ? absolute * instances
      : percent !== undefined && materialMassMg !== undefined
        ? (percent / 100) * materialMassMg
        : undefined
  const derived = massMg !== undefined && materialMassMg ? (massMg / materialMassMg) * 100 : undefined
  return {
    substance,
    massMg: massMg === undefined ? undefined : tidy(massMg),
    percentOfMaterial: percent ?? (derived === undefined ? undefined : tidy(derived)),
  }
}

function declaredShare(
  substances: readonly SubstanceShare[],
  massMg: number | undefined,
): number | undefined {
  if (massMg) return (sum(substances.map((share) => share.massMg)) / massMg) * 100
  const percents = substances.map((share) => share.percentOfMaterial)
  return percents.some((percent) => percent !== undefined) ? sum(percents) : undefined
}

function instanceCount(article: Article, notes: Set<string>): number {
  if (article.instances.trim() === '') return 1
  const count = readDecimal(article.instances)?.value
  if (count !== undefined && count > 0) return count
  notes.add(`number of instances "${article.instances}" taken as 1`)
  return 1
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0)
}
