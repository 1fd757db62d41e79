import { type XmlAttributes, XmlProblem } from '../base/xml.ts'
import {
  type ArticleDraft,
  type CategoryDraft,
  type ExemptionDraft,
  type IdentityDraft,
  identity,
  type ListDraft,
  type MaterialDraft,
  newArticle,
  newCategory,
  newExemption,
  newList,
  newMaterial,
  newProductIdentity,
  newSubstance,
  quantity,
  type SubstanceDraft,
  text,
} from './build.ts'

/** Receives the elements inside one Product. */
export interface ProductReader {
  readonly open: (name: string, attributes: XmlAttributes) => void
  readonly close: () => void
}

/** Where in a product the reader is, with what is being filled there. */
type Place =
  | { readonly in: 'article' | 'info'; readonly article: ArticleDraft }
  | { readonly in: 'id'; readonly id: IdentityDraft }
  | { readonly in: 'list'; readonly list: ListDraft }
  | { readonly in: 'category'; readonly category: CategoryDraft }
  | {
      readonly in: 'exemptions'
      readonly category: CategoryDraft
      readonly drafts: ExemptionDraft[]
      list: string
    }
  | { readonly in: 'exemption'; readonly exemption: ExemptionDraft }
  | { readonly in: 'materials'; readonly article: ArticleDraft }
  | { readonly in: 'material'; readonly material: MaterialDraft }
  | { readonly in: 'contents'; readonly material: MaterialDraft }
  | { readonly in: 'substance'; readonly substance: SubstanceDraft }
  | { readonly in: 'elsewhere' }

const ELSEWHERE: Place = { in: 'elsewhere' }

/** What a single product may hold at most; real ones have some thousands of elements, and some kilobytes to megabytes. */
const MAX_ELEMENTS = 250_000
const MAX_CHARACTERS = 32 * 1024 * 1024
const MAX_NUMBERS = 5_000

/**
 * Fills a product from its elements. Where a SubstanceCategoryList stands decides what it is: under MaterialInfo class C,
 * inside a HomogeneousMaterial class D. A Product inside a product is not entered.
 */
export function createProductReader(product: ArticleDraft): ProductReader {
  const places: Place[] = [{ in: 'article', article: product }]
  let elements = 0
  let characters = 0
  return {
    open(name, attributes) {
      const place = enter(places.at(-1)!, name, attributes)
      places.push(place)
      elements += 1
      // What is not read is not kept either.
      if (place !== ELSEWHERE || KEPT.has(name)) characters += attributes.length()
      if (elements > MAX_ELEMENTS) throw tooLarge(`${MAX_ELEMENTS} elements`)
      if (characters > MAX_CHARACTERS) throw tooLarge(`${MAX_CHARACTERS} characters`)
      if (product.ids.length > MAX_NUMBERS) throw tooLarge(`${MAX_NUMBERS} part numbers`)
    },
    close() {
      places.pop()
    },
  }
}

/** Elements whose attributes are kept although nothing inside them is read. */
const KEPT = new Set([
  'Amount',
  'Concentration',
  'ExemptionID',
  'ExemptionListID',
  'SubstanceCategoryID',
  'SubstanceCategoryListID',
  'SubstanceID',
  'Threshold',
  'UniqueID',
])

function tooLarge(limit: string): XmlProblem {
  return new XmlProblem(`a single product has more than ${limit}`)
}

function enter(place: Place, name: string, attributes: XmlAttributes): Place {
  switch (place.in) {
    case 'article':
      return enterArticle(place.article, name, attributes)
    case 'info':
      return enterInfo(place.article, name, attributes)
    case 'id':
      if (name === 'Amount') place.id.mass = quantity(attributes)
      return ELSEWHERE
    case 'list':
      return enterList(place.list, name, attributes)
    case 'category':
      return enterCategory(place.category, name, attributes)
    case 'exemptions':
      return enterExemptions(place, name, attributes)
    case 'materials':
      return name === 'HomogeneousMaterial' ? addMaterial(place.article, attributes) : ELSEWHERE
    case 'exemption':
      if (name === 'ExemptionID') place.exemption.identity ||= text(attributes, 'identity').trim()
      return ELSEWHERE
    case 'material':
      if (name === 'Amount') place.material.amount ??= quantity(attributes)
      return enterContents(place.material, name, attributes)
    case 'contents':
      return enterContents(place.material, name, attributes)
    case 'substance':
      return enterSubstance(place.substance, name, attributes)
    case 'elsewhere':
      return ELSEWHERE
  }
}

function enterArticle(article: ArticleDraft, name: string, attributes: XmlAttributes): Place {
  if (name === 'ProductID') {
    const id = newProductIdentity(attributes)
    article.ids.push(id)
    return { in: 'id', id }
  }
  if (name === 'SubProduct') {
    const part = newArticle(attributes)
    article.subProducts.push(part)
    return { in: 'article', article: part }
  }
  return name === 'MaterialInfo' ? { in: 'info', article } : ELSEWHERE
}

function enterInfo(article: ArticleDraft, name: string, attributes: XmlAttributes): Place {
  if (name === 'SubstanceCategoryList') {
    const list = newList()
    article.lists.push(list)
    return { in: 'list', list }
  }
  if (name === 'HomogeneousMaterialList') return { in: 'materials', article }
  if (name === 'HomogeneousMaterial') return addMaterial(article, attributes)
  if (name === 'SubProduct') return enterArticle(article, name, attributes)
  if (name === 'QueryList') article.hasQueries = true
  if (name === 'MaterialGroupList') article.hasMaterialGroups = true
  return ELSEWHERE
}

function enterList(list: ListDraft, name: string, attributes: XmlAttributes): Place {
  if (name === 'SubstanceCategoryListID') {
    list.identity ||= text(attributes, 'identity')
    list.authority ||= text(attributes, 'authority')
  }
  if (name !== 'SubstanceCategory') return ELSEWHERE
  const category = newCategory(attributes)
  list.categories.push(category)
  return { in: 'category', category }
}

function enterCategory(category: CategoryDraft, name: string, attributes: XmlAttributes): Place {
  switch (name) {
    case 'Threshold':
      category.over = worseThreshold(category.over, attributes.get('overThreshold'))
      break
    case 'SubstanceCategoryID':
      category.code ||= text(attributes, 'identity')
      break
    case 'Amount':
      category.amount ??= quantity(attributes)
      break
    case 'Concentration':
      category.concentration ||= text(attributes, 'value')
      break
    case 'Substance':
      return { in: 'category', category: substanceOfCategory(category) }
    case 'ExemptionList':
      return { in: 'exemptions', category, drafts: [], list: '' }
    case 'Exemption':
      return addExemption(category, attributes, '')
  }
  return ELSEWHERE
}

/** Two thresholds in one category: the one that says "over" counts. */
function worseThreshold(known: string | undefined, next: string | undefined): string | undefined {
  return known !== undefined && /^\s*(?:true|1)\s*$/i.test(known) ? known : (next ?? known)
}

/** A substance named inside a category may carry exemptions for it; its own amounts are not the category's. */
function substanceOfCategory(category: CategoryDraft): CategoryDraft {
  return {
    ...category,
    code: 'substance',
    amount: undefined,
    concentration: '-',
    exemptions: category.exemptions,
  }
}

function enterExemptions(
  place: Place & { in: 'exemptions' },
  name: string,
  attributes: XmlAttributes,
): Place {
  if (name === 'ExemptionListID') {
    place.list ||= text(attributes, 'identity').trim()
    for (const exemption of place.drafts) exemption.list ||= place.list
  }
  if (name !== 'Exemption' && name !== 'ExemptionID') return ELSEWHERE
  const added = addExemption(place.category, attributes, place.list)
  place.drafts.push(added.exemption)
  return added
}

function addExemption(
  category: CategoryDraft,
  attributes: XmlAttributes,
  list: string,
): Place & { in: 'exemption' } {
  const exemption = newExemption(attributes, list)
  category.exemptions.push(exemption)
  return { in: 'exemption', exemption }
}

function addMaterial(article: ArticleDraft, attributes: XmlAttributes): Place {
  const material = newMaterial(attributes)
  article.materials.push(material)
  return { in: 'material', material }
}

function enterContents(material: MaterialDraft, name: string, attributes: XmlAttributes): Place {
  if (name === 'SubstanceCategoryList' || name === 'SubstanceCategory') return { in: 'contents', material }
  if (name !== 'Substance') return ELSEWHERE
  const substance = newSubstance(attributes)
  material.substances.push(substance)
  return { in: 'substance', substance }
}

function enterSubstance(substance: SubstanceDraft, name: string, attributes: XmlAttributes): Place {
  if (name === 'SubstanceID' || name === 'UniqueID') substance.ids.push(identity(attributes))
  if (name === 'Amount') substance.amount ??= quantity(attributes)
  if (name === 'Concentration') substance.concentration ||= text(attributes, 'value')
  return ELSEWHERE
}
