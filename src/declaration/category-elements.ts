import type { XmlAttributes } from '../base/xml.ts'
import { isOver } from '../compliance/category-list.ts'
import { type CategoryDraft, type ListDraft, newCategory, quantity, text } from './build.ts'
import { hasExemptionAttribute } from './exemption-elements.ts'

/** An open element of class C. */
export type CategoryLevel =
  | { readonly in: 'list'; readonly list: ListDraft }
  | { readonly in: 'category'; readonly category: CategoryDraft }
  | { readonly in: 'insideCategory'; readonly category: CategoryDraft }

/** Takes an element inside a SubstanceCategoryList of class C. Undefined: its children are not read. */
export function enterList(
  list: ListDraft,
  name: string,
  attributes: XmlAttributes,
): CategoryLevel | undefined {
  if (name === 'SubstanceCategoryListID') {
    list.identity ||= text(attributes, 'identity')
    list.authority ||= text(attributes, 'authority')
    list.revision ||= text(attributes, 'revision')
  }
  if (name !== 'SubstanceCategory') return undefined
  const category = newCategory(attributes)
  list.categories.push(category)
  return { in: 'category', category }
}

/** Takes an element inside a category. */
export function enterCategory(
  category: CategoryDraft,
  name: string,
  attributes: XmlAttributes,
): CategoryLevel | undefined {
  switch (name) {
    case 'Threshold':
      category.over = worseThreshold(category.over, text(attributes, 'overThreshold'))
      return insideCategory(category, attributes)
    case 'SubstanceCategoryID':
      category.code ||= text(attributes, 'identity')
      break
    case 'Amount':
      category.amount ??= quantity(attributes)
      break
    case 'Concentration':
      category.concentration ??= quantity(attributes)
      break
    case 'Substance':
      return insideCategory(category, attributes)
  }
  return undefined
}

/** A Threshold or a Substance of a category: what it states about exemptions is for the category. Its attributes matter where it is over. */
function insideCategory(category: CategoryDraft, attributes: XmlAttributes): CategoryLevel {
  if (category.over !== 'false' && hasExemptionAttribute(attributes)) category.hasUnknownExemption = true
  return { in: 'insideCategory', category }
}

/** A substance that is over its own threshold makes its category so; its amounts are not those of the category. */
export function enterInsideCategory(
  category: CategoryDraft,
  name: string,
  attributes: XmlAttributes,
): CategoryLevel | undefined {
  if (name !== 'Threshold') return undefined
  const over = text(attributes, 'overThreshold')
  if (isOver({ over }) !== false && over.trim() !== '') category.over = worseThreshold(category.over, over)
  return insideCategory(category, attributes)
}

/** Of several thresholds in one category the worst counts: over, not understood, without a statement, not over. */
function worseThreshold(known: string | undefined, next: string): string {
  return known === undefined || badness(next) > badness(known) ? next : known
}

function badness(over: string): number {
  const stated = isOver({ over })
  if (stated === undefined) return over.trim() === '' ? 1 : 2
  return stated ? 3 : 0
}
