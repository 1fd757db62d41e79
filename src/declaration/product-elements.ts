import type { XmlAttributes } from '../base/xml.ts'
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

/** An open element inside a product, and what its children fill. */
export type Level =
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

/** What is not read, with all its children. */
export const ELSEWHERE: Level = { in: 'elsewhere' }

/** Takes a start tag inside an open element into the draft, and gives what its own children fill. */
export function enter(level: Level, name: string, attributes: XmlAttributes): Level {
  switch (level.in) {
    case 'article':
      return enterArticle(level.article, name, attributes)
    case 'info':
      return enterInfo(level.article, name, attributes)
    case 'id':
      if (name === 'Amount') level.id.mass = quantity(attributes)
      return ELSEWHERE
    case 'list':
      return enterList(level.list, name, attributes)
    case 'category':
      return enterCategory(level.category, name, attributes)
    case 'exemptions':
      return enterExemptions(level, name, attributes)
    case 'materials':
      return name === 'HomogeneousMaterial' ? addMaterial(level.article, attributes) : ELSEWHERE
    case 'exemption':
      if (name === 'ExemptionID') level.exemption.identity ||= text(attributes, 'identity').trim()
      return ELSEWHERE
    case 'material':
      if (name === 'Amount') level.material.amount ??= quantity(attributes)
      return enterContents(level.material, name, attributes)
    case 'contents':
      return enterContents(level.material, name, attributes)
    case 'substance':
      return enterSubstance(level.substance, name, attributes)
    case 'elsewhere':
      return ELSEWHERE
  }
}

function enterArticle(article: ArticleDraft, name: string, attributes: XmlAttributes): Level {
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

function enterInfo(article: ArticleDraft, name: string, attributes: XmlAttributes): Level {
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

function enterList(list: ListDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceCategoryListID') {
    list.identity ||= text(attributes, 'identity')
    list.authority ||= text(attributes, 'authority')
  }
  if (name !== 'SubstanceCategory') return ELSEWHERE
  const category = newCategory(attributes)
  list.categories.push(category)
  return { in: 'category', category }
}

function enterCategory(category: CategoryDraft, name: string, attributes: XmlAttributes): Level {
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

/** Of two thresholds in one category, the one that is over counts. */
function worseThreshold(known: string | undefined, next: string | undefined): string | undefined {
  return known !== undefined && /^\s*(?:true|1)\s*$/i.test(known) ? known : (next ?? known)
}

/** A substance inside a category may carry exemptions for it; its amounts are not those of the category. */
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
  level: Level & { in: 'exemptions' },
  name: string,
  attributes: XmlAttributes,
): Level {
  if (name === 'ExemptionListID') {
    level.list ||= text(attributes, 'identity').trim()
    for (const exemption of level.drafts) exemption.list ||= level.list
  }
  if (name !== 'Exemption' && name !== 'ExemptionID') return ELSEWHERE
  const added = addExemption(level.category, attributes, level.list)
  level.drafts.push(added.exemption)
  return added
}

function addExemption(
  category: CategoryDraft,
  attributes: XmlAttributes,
  list: string,
): Level & { in: 'exemption' } {
  const exemption = newExemption(attributes, list)
  category.exemptions.push(exemption)
  return { in: 'exemption', exemption }
}

function addMaterial(article: ArticleDraft, attributes: XmlAttributes): Level {
  const material = newMaterial(attributes)
  article.materials.push(material)
  return { in: 'material', material }
}

function enterContents(material: MaterialDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceCategoryList' || name === 'SubstanceCategory') return { in: 'contents', material }
  if (name !== 'Substance') return ELSEWHERE
  const substance = newSubstance(attributes)
  material.substances.push(substance)
  return { in: 'substance', substance }
}

function enterSubstance(substance: SubstanceDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceID' || name === 'UniqueID') substance.ids.push(identity(attributes))
  if (name === 'Amount') substance.amount ??= quantity(attributes)
  if (name === 'Concentration') substance.concentration ||= text(attributes, 'value')
  return ELSEWHERE
}
