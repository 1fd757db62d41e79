import { cleanText } from '../base/clean-text.ts'
import type { Article, Material, Substance } from './declaration.ts'
import { articleName } from './part-record.ts'
import {
  absoluteMassMg,
  belowBound,
  concentrationPercent,
  isInPercent,
  isNotDetected,
  isUnreadRemark,
  lessReading,
  readDecimal,
  readingRemarks,
  relativePercent,
  tidy,
} from './quantity.ts'

/** A substance in a material, masses in milligrams for one unit of the complete part. */
export interface SubstanceShare {
  readonly substance: Substance
  readonly massMg: number | undefined
  readonly percentOfMaterial: number | undefined
  /** So much it is in every reading of what is written, in percent of the material. */
  readonly leastPercent: number
  /** So much it is at most, as far as that is written; undefined where it is not known. */
  readonly mostPercent: number | undefined
}

/** A homogeneous material of a part; `massMg` counts every instance of its sub-product. */
export interface MaterialShare {
  /** The material's name, after the names of the sub-products that contain it. */
  readonly name: string
  /** The line of its element. */
  readonly line: number
  readonly massMg: number | undefined
  readonly substances: readonly SubstanceShare[]
  /** What its substances' shares in `massPercent` are shares of; with `unknown`, nothing is computed from them. */
  readonly reading: ShareReading
  /** Share of the material that its substances account for, in percent; undefined where nothing can be computed. */
  readonly declaredPercent: number | undefined
  /** Its share of the article that it is in, in percent. */
  readonly percentOfArticle: number | undefined
  readonly article: ArticleShare
}

/** An article that materials are in: the part, or a sub-product. */
export interface ArticleShare {
  /** The names of the sub-products that contain it, and its own; empty for the part. */
  readonly path: string
  /** The mass of what its own materials are in: all its instances in one unit of the part, without its sub-products. */
  readonly totalMg: number | undefined
}

/** An article with everything in it: the part, or a sub-product. */
interface WholeArticle {
  readonly path: string
  /** The mass of all its instances in one unit of the part; undefined where none is stated. */
  readonly massMg: number | undefined
}

/** A class D declaration in masses. An Amount in an absolute unit has precedence over a share of the material. */
export interface Composition {
  readonly materials: readonly MaterialShare[]
  /** The part and its sub-products, at any depth. */
  readonly articles: readonly WholeArticle[]
  /** The mass of all materials; undefined when a material has none. */
  readonly materialsMassMg: number | undefined
  /** The mass of all substances that have one. */
  readonly substancesMassMg: number
  /** An amount, a concentration or a unit could not be read. */
  readonly hasUnread: boolean
  readonly notes: readonly string[]
}

/** The masses in one unit of a part; without the part's mass (undefined or 0), only those declared in absolute units. */
export function composition(article: Article, partMassMg: number | undefined): Composition {
  const notes = new Set<string>()
  const articles: WholeArticle[] = []
  const materials = [...materialsOf(article, partMassMg || undefined, 1, '', { notes, articles })]
  const masses = materials.map((material) => material.massMg)
  return {
    materials,
    articles,
    materialsMassMg: masses.includes(undefined) || masses.length === 0 ? undefined : tidy(sum(masses)),
    substancesMassMg: tidy(
      sum(materials.flatMap((material) => material.substances.map((share) => share.massMg))),
    ),
    hasUnread: [...notes].some(isUnreadRemark),
    notes: [...notes],
  }
}

function* materialsOf(
  article: Article,
  articleMassMg: number | undefined,
  instances: number,
  path: string,
  found: { readonly notes: Set<string>; readonly articles: WholeArticle[] },
): Generator<MaterialShare> {
  const { notes, articles } = found
  const isWhole = article.subProducts.length === 0
  const shares = article.materials.map((material) =>
    materialShare(material, articleMassMg, instances, path, notes),
  )
  const masses = shares.map(({ massMg }) => massMg)
  const ownMg = masses.includes(undefined) || masses.length === 0 ? undefined : sum(masses)
  const wholeMg = articleMassMg === undefined ? undefined : articleMassMg * instances
  // Beside sub-products, the materials of the article itself are what is around them.
  const whole = { path, totalMg: isWhole ? (wholeMg ?? ownMg) : (ownMg ?? wholeMg) }
  articles.push({ path, massMg: wholeMg })
  for (const share of shares) {
    // The only material is the article.
    const isAll = isWhole && shares.length === 1
    yield { ...share, percentOfArticle: share.percentOfArticle ?? (isAll ? 100 : undefined), article: whole }
  }
  for (const part of article.subProducts) {
    const id = part.ids[0]
    yield* materialsOf(
      part,
      absoluteMassMg(id?.mass) || undefined,
      instances * instanceCount(part, notes),
      `${path}${articleName(part)} / `,
      found,
    )
  }
}

function materialShare(
  material: Material,
  articleMassMg: number | undefined,
  instances: number,
  path: string,
  notes: Set<string>,
): Omit<MaterialShare, 'article'> {
  const share = relativePercent(material.amount)
  const absolute = absoluteMassMg(material.amount)
  addAll(notes, readingRemarks(material.amount, (absolute ?? share) !== undefined, 'mass', material.name))
  const unitMassMg = absolute ?? massOf(share, articleMassMg)
  const name = `${path}${cleanText(material.name)}`
  const materialPercent = share ?? tidied(percentOf(unitMassMg, articleMassMg))
  const reading = readShares(material, name, unitMassMg, materialPercent, notes)
  const whole = { massMg: unitMassMg === undefined ? undefined : unitMassMg * instances, instances }
  const scale = reading === 'product' ? 100 / materialPercent! : 1
  const substances = material.substances.map((substance) =>
    substanceShare(substance, whole, reading === 'unknown' ? undefined : scale, notes),
  )
  return {
    name,
    line: material.line,
    massMg: tidied(whole.massMg),
    substances,
    reading,
    declaredPercent: reading === 'unknown' ? undefined : declaredShare(substances, whole.massMg),
    percentOfArticle: materialPercent,
  }
}

/** Decides what the `massPercent` of a material's substances means, and says so where it is not the usual. */
function readShares(
  { substances }: Material,
  name: string,
  massMg: number | undefined,
  materialPercent: number | undefined,
  notes: Set<string>,
): ShareReading {
  if (!substances.some(isAmbiguous)) return 'material'
  const fixed = substances.map((substance) => fixedPercent(substance, massMg))
  const open = substances.map((substance) => relativePercent(substance.amount))
  // With a gap in it the sum shows nothing; the standard means the material.
  if (substances.some((_, index) => fixed[index] === undefined && open[index] === undefined))
    return 'material'
  const rest = sum(fixed)
  const shares = sum(open.filter((_, index) => fixed[index] === undefined))
  const reading = shareReading(
    tidy(shares + rest),
    materialPercent ? tidy((shares / materialPercent) * 100 + rest) : undefined,
  )
  const total = `${rounded(shares + rest)} %`
  const ofPart = materialPercent ? `${rounded(materialPercent)} % of the part` : ''
  if (reading === 'product') {
    notes.add(
      `material ${name}: massPercent read as share of the part: sum ${total}, the material is ${ofPart}`,
    )
  }
  if (reading === 'unknown') {
    const other = ofPart === '' ? 'not 100 %' : `neither 100 % nor the material's ${ofPart}`
    notes.add(`material ${name}: massPercent not recognized: sum ${total}, ${other}`)
  }
  return reading
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}

/** A share in percent that may be one of the material or of the product; a Concentration is always one of the material. */
function isAmbiguous(substance: Substance): boolean {
  return concentrationPercent(substance.concentration) === undefined && isInPercent(substance.amount)
}

/** The share of the material that does not depend on the reading: a concentration, or an absolute mass. */
function fixedPercent(substance: Substance, materialMassMg: number | undefined): number | undefined {
  const absolute = absoluteMassMg(substance.amount)
  return percentOf(absolute, materialMassMg) ?? concentrationPercent(substance.concentration)
}

/** `scale` makes a share in `massPercent` one of the material; undefined where what it is a share of is unknown. */
function substanceShare(
  substance: Substance,
  whole: { readonly massMg: number | undefined; readonly instances: number },
  scale: number | undefined,
  notes: Set<string>,
): SubstanceShare {
  const concentration = concentrationPercent(substance.concentration)
  const relative = relativePercent(substance.amount)
  const absolute = absoluteMassMg(substance.amount)
  const isRead = (absolute ?? relative) !== undefined
  addAll(notes, readingRemarks(substance.amount, isRead, 'amount', substance.name))
  addAll(
    notes,
    readingRemarks(substance.concentration, concentration !== undefined, 'concentration', substance.name),
  )
  const percent =
    concentration ?? (relative === undefined || scale === undefined ? undefined : tidy(relative * scale))
  // A share of the product would be more of the material.
  const least = [
    concentrationPercent(lessReading(substance.concentration)),
    relativePercent(lessReading(substance.amount)),
    percentOf(massTimes(absoluteMassMg(lessReading(substance.amount)), whole.instances), whole.massMg),
  ]
  const stated = [substance.amount, substance.concentration].filter((one) => one?.value.trim())
  const isAbsent = stated.length > 0 && stated.every((one) => isNotDetected(one!.value))
  const bound = isAbsent
    ? 0
    : (concentrationPercent(substance.concentration && belowBound(substance.concentration)) ??
      relativePercent(substance.amount && belowBound(substance.amount)))
  const massMg = absolute === undefined ? massOf(percent, whole.massMg) : absolute * whole.instances
  const percentOfMaterial = percent ?? tidied(percentOf(massMg, whole.massMg))
  return {
    substance,
    massMg: tidied(massMg),
    percentOfMaterial,
    leastPercent: percentOfMaterial ?? least.find((one) => one !== undefined) ?? 0,
    mostPercent: percentOfMaterial ?? bound,
  }
}

function massTimes(massMg: number | undefined, instances: number): number | undefined {
  return massMg === undefined ? undefined : massMg * instances
}

/** The mass of a share; undefined where either is not known. */
function massOf(percent: number | undefined, wholeMg: number | undefined): number | undefined {
  return percent === undefined || wholeMg === undefined ? undefined : (percent / 100) * wholeMg
}

/** The share of a mass; undefined where either is not known, or the whole has no mass. */
function percentOf(massMg: number | undefined, wholeMg: number | undefined): number | undefined {
  return massMg === undefined || !wholeMg ? undefined : (massMg / wholeMg) * 100
}

function tidied(value: number | undefined): number | undefined {
  return value === undefined ? undefined : tidy(value)
}

function addAll(notes: Set<string>, more: readonly string[]): void {
  for (const note of more) notes.add(note)
}

function declaredShare(
  substances: readonly SubstanceShare[],
  massMg: number | undefined,
): number | undefined {
  if (massMg) return percentOf(sum(substances.map((share) => share.massMg)), massMg)
  const percents = substances.map((share) => share.percentOfMaterial)
  return percents.some((percent) => percent !== undefined) ? sum(percents) : undefined
}

function instanceCount(article: Article, notes: Set<string>): number {
  if (article.instances.trim() === '') return 1
  const count = readDecimal(article.instances)
  if (count !== undefined && count > 0) return count
  notes.add(`number of instances "${article.instances}" taken as 1`)
  return 1
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0)
}

/**
 * What a substance's `massPercent` is a share of. Writers mean its material, or the whole product; `unknown` where the shares of a
 * material sum to neither.
 */
type ShareReading = 'material' | 'product' | 'unknown'

/** Sums that count as the whole, in percent of it: 5 % may stay undeclared, and numbers are rounded. */
const WHOLE = { from: 95, to: 100.5 }
/** Still the whole, with more undeclared or rounded more roughly; it is reported. */
const ROUGHLY_WHOLE = { from: 80, to: 105 }

/**
 * Reads the shares of a material by what its substances sum to, in percent of the material: once with the shares taken as those of
 * the material, once as those of the product (undefined where the material's own share of the product is unknown).
 */
function shareReading(asMaterial: number, asProduct: number | undefined): ShareReading {
  if (isWithin(asMaterial, WHOLE)) return 'material'
  if (asProduct !== undefined && isWithin(asProduct, WHOLE)) return 'product'
  return isWithin(asMaterial, ROUGHLY_WHOLE) ? 'material' : 'unknown'
}

function isWithin(value: number, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return value >= from && value <= to
}
