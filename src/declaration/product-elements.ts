import type { XmlAttributes } from '../base/xml.ts'
import {
  type ArticleDraft,
  type ClaimsDraft,
  type IdentityDraft,
  identity,
  type MaterialDraft,
  newArticle,
  newList,
  newMaterial,
  newProductIdentity,
  newSubstance,
  type QueryListDraft,
  quantity,
  type SubstanceDraft,
} from './build.ts'
import { type CategoryLevel, enterCategory, enterInsideCategory, enterList } from './category-elements.ts'
import {
  type ExemptionLevel,
  enterExemption,
  enterInsideExemption,
  hasExemptionAttribute,
  isAboutExemptions,
} from './exemption-elements.ts'
import { enterQueries, enterQuery, type QueryLevel } from './query-elements.ts'

/** An open element inside a product, and what its children fill. */
export type Level =
  | { readonly in: 'article' | 'info'; readonly article: ArticleDraft }
  | { readonly in: 'id'; readonly id: IdentityDraft }
  | CategoryLevel
  | { readonly in: 'materials'; readonly article: ArticleDraft }
  | { readonly in: 'material'; readonly article: ArticleDraft; readonly material: MaterialDraft }
  | { readonly in: 'contents'; readonly article: ArticleDraft; readonly material: MaterialDraft }
  | {
      readonly in: 'substance'
      readonly article: ArticleDraft
      readonly material: MaterialDraft
      readonly substance: SubstanceDraft
    }
  | ExemptionLevel
  | QueryLevel
  | { readonly in: 'elsewhere' }

/** What is not read, with all its children. */
export const ELSEWHERE: Level = { in: 'elsewhere' }

/** Takes a start tag inside an open element into the draft, and gives what its own children fill. */
export function enter(level: Level, name: string, attributes: XmlAttributes): Level {
  if (level.in === 'exemptions' || level.in === 'exemption') {
    return enterInsideExemption(level, name, attributes) ?? ELSEWHERE
  }
  if (isAboutExemptions(name)) {
    const claims = claimsAt(level)
    return (claims && enterExemption(claims, name, attributes)) ?? ELSEWHERE
  }
  switch (level.in) {
    case 'article':
      return enterArticle(level.article, name, attributes)
    case 'info':
      return enterInfo(level.article, name, attributes)
    case 'id':
      if (name === 'Amount') level.id.mass = quantity(attributes)
      return ELSEWHERE
    case 'list':
      return enterList(level.list, name, attributes) ?? ELSEWHERE
    case 'category':
      return enterCategory(level.category, name, attributes) ?? ELSEWHERE
    case 'insideCategory':
      return enterInsideCategory(level.category, name, attributes) ?? ELSEWHERE
    case 'materials':
      return name === 'HomogeneousMaterial' ? addMaterial(level.article, attributes) : ELSEWHERE
    case 'material':
      if (name === 'Amount') level.material.amount ??= quantity(attributes)
      return enterContents(level, name, attributes)
    case 'contents':
      return enterContents(level, name, attributes)
    case 'substance':
      return enterSubstance(level.substance, name, attributes)
    case 'queries':
      return enterQueries(level.list, name, attributes) ?? ELSEWHERE
    case 'query':
      return enterQuery(level.statement, name, attributes)
    case 'elsewhere':
      return ELSEWHERE
  }
}

/** The article that an open element belongs to; undefined where it does not matter. */
export function articleAt(level: Level): ArticleDraft | undefined {
  return 'article' in level ? level.article : undefined
}

/** True for an open element in which an exemption can be stated. */
export function takesExemptions(level: Level): boolean {
  return !['id', 'queries', 'query', 'elsewhere'].includes(level.in)
}

/** What exemptions stated inside an open element are for; undefined where none can be stated. */
export function claimsAt(level: Level): ClaimsDraft | undefined {
  switch (level.in) {
    case 'category':
    case 'insideCategory':
      return level.category
    case 'list':
      return level.list
    case 'exemptions':
    case 'exemption':
      return level.claims
    case 'substance':
      return otherClaims(level.article, `${level.substance.name} in ${level.material.name}`)
    case 'material':
    case 'contents':
      return otherClaims(level.article, level.material.name)
    case 'article':
    case 'info':
    case 'materials':
      return otherClaims(level.article, '')
    default:
      return undefined
  }
}

function otherClaims(article: ArticleDraft, subject: string): ClaimsDraft {
  const claims = { subject, exemptions: [], hasUnknownExemption: false }
  article.otherClaims.push(claims)
  return claims
}

/** The element names of a product in a product, and of lists of them. */
const PARTS = new Set(['SubProduct', 'Product'])
const PART_LISTS = new Set(['SubProductList', 'SubProducts', 'ProductList', 'Products'])

function enterArticle(article: ArticleDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'ProductID') {
    const id = newProductIdentity(attributes)
    article.ids.push(id)
    return { in: 'id', id }
  }
  if (PARTS.has(name)) {
    const part = newArticle(attributes)
    article.subProducts.push(part)
    return { in: 'article', article: part }
  }
  // What a list of sub-products holds belongs to the article, as if there were no list.
  if (PART_LISTS.has(name)) return { in: 'article', article }
  return name === 'MaterialInfo' ? { in: 'info', article } : ELSEWHERE
}

function enterInfo(article: ArticleDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceCategoryList') {
    const list = newList()
    article.lists.push(list)
    return { in: 'list', list }
  }
  if (name === 'HomogeneousMaterialList') return { in: 'materials', article }
  if (name === 'HomogeneousMaterial') return addMaterial(article, attributes)
  if (PARTS.has(name) || PART_LISTS.has(name)) return enterArticle(article, name, attributes)
  if (name === 'QueryList') return { in: 'queries', list: addQueryList(article) }
  if (name === 'MaterialGroupList') article.hasMaterialGroups = true
  return ELSEWHERE
}

function addQueryList(article: ArticleDraft): QueryListDraft {
  const list = { identity: '', statements: [] }
  article.queryLists.push(list)
  return list
}

function addMaterial(article: ArticleDraft, attributes: XmlAttributes): Level {
  const material = newMaterial(attributes)
  article.materials.push(material)
  return { in: 'material', article, material }
}

function enterContents(
  { article, material }: Level & { in: 'material' | 'contents' },
  name: string,
  attributes: XmlAttributes,
): Level {
  if (name === 'SubstanceCategoryList' || name === 'SubstanceCategory') {
    return { in: 'contents', article, material }
  }
  if (name !== 'Substance') return ELSEWHERE
  const substance = newSubstance(attributes)
  material.substances.push(substance)
  const level = { in: 'substance', article, material, substance } as const
  if (hasExemptionAttribute(attributes)) claimsAt(level)!.hasUnknownExemption = true
  return level
}

function enterSubstance(substance: SubstanceDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceID' || name === 'UniqueID') substance.ids.push(identity(attributes))
  if (name === 'Amount') substance.amount ??= quantity(attributes)
  if (name === 'Concentration') substance.concentration ??= quantity(attributes)
  return ELSEWHERE
}
