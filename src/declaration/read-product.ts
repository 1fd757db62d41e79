import { type XmlAttributes, XmlProblem } from '../base/xml.ts'
import type { ArticleDraft } from './build.ts'
import { ELSEWHERE, enter, type Level } from './product-elements.ts'

/** Receives the elements inside one Product. */
export interface ProductReader {
  readonly open: (name: string, attributes: XmlAttributes) => void
  readonly close: () => void
}

/** Limits of a single product; real ones have some thousands of elements, and kilobytes to megabytes. */
const MAX_ELEMENTS = 250_000
const MAX_CHARACTERS = 32 * 1024 * 1024
const MAX_NUMBERS = 5_000

/**
 * Fills a product from its elements. A SubstanceCategoryList is class C under MaterialInfo, class D inside a
 * HomogeneousMaterial. A Product inside a product is not read.
 */
export function createProductReader(product: ArticleDraft): ProductReader {
  const levels: Level[] = [{ in: 'article', article: product }]
  let elements = 0
  let characters = 0
  return {
    open(name, attributes) {
      const level = enter(levels.at(-1)!, name, attributes)
      levels.push(level)
      elements += 1
      // What is not read is not kept either.
      if (level !== ELSEWHERE || KEPT.has(name)) characters += attributes.length()
      if (elements > MAX_ELEMENTS) throw tooLarge(`${MAX_ELEMENTS} elements`)
      if (characters > MAX_CHARACTERS) throw tooLarge(`${MAX_CHARACTERS} characters`)
      if (product.ids.length > MAX_NUMBERS) throw tooLarge(`${MAX_NUMBERS} part numbers`)
    },
    close() {
      levels.pop()
    },
  }
}

/** Elements whose attributes are kept although their children are not read. */
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
