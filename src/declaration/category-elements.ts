import type { XmlAttributes } from '../base/xml.ts'
import { isOver } from '../compliance/part-record.ts'
import { type CategoryDraft, quantity, text } from './build.ts'
import { hasExemptionAttribute } from './exemption-elements.ts'

/** An open element of a category of class C. */
export type CategoryLevel =
  | { readonly in: 'category'; readonly category: CategoryDraft; readonly hasExemptionAttribute: boolean }
  | { readonly in: 'insideCategory'; readonly category: CategoryDraft }

/** Takes an element inside a SubstanceCategory. Undefined: its children are not read. */
export function enterCategory(
  level: CategoryLevel & { in: 'category' },
  name: string,
  attributes: XmlAttributes,
): CategoryLevel | undefined {
  const { category } = level
  switch (name) {
    case 'Threshold':
      category.threshold ??= attributes.get('threshold')?.slice(0, 200)
      category.over = worseThreshold(category.over, text(attributes, 'overThreshold'))
      if (isOver(category) !== false && level.hasExemptionAttribute) category.hasUnknownExemption = true
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
  if (isOver(category) !== false && hasExemptionAttribute(attributes)) category.hasUnknownExemption = true
  return { in: 'insideCategory', category }
}

/** A substance that is over its own threshold makes its category so; its amounts are not those of the category. */
export function enterInsideCategory(
  { category }: CategoryLevel & { in: 'insideCategory' },
  name: string,
  attributes: XmlAttributes,
): CategoryLevel | undefined {
  if (name !== 'Threshold') return undefined
  const over = text(attributes, 'overThreshold')
  if (isOver({ over }) !== false && over.trim() !== '') category.over = worseThreshold(category.over, over)
  return insideCategory(category, attributes)
}

/** Of several thresholds in one category the worst counts: over, not recognized, without a statement, not over. */
function worseThreshold(known: string | undefined, next: string): string {
  return known === undefined || badness(next) > badness(known) ? next : known
}

function badness(over: string): number {
  const stated = isOver({ over })
  if (stated === undefined) return over.trim() === '' ? 1 : 2
  return stated ? 3 : 0
}
