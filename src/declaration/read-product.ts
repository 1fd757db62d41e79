import { type XmlAttributes, XmlProblem } from '../base/xml.ts'
import type { ArticleDraft } from './build.ts'
import { isAboutExemptions, leaveExemption } from './exemption-elements.ts'
import { articleAt, claimsAt, ELSEWHERE, enter, type Level, takesExemptions } from './product-elements.ts'

/** Receives the elements inside one Product. */
export interface ProductReader {
  readonly open: (name: string, attributes: XmlAttributes) => void
  readonly close: () => void
}

/** Limits of a single product; real ones have some thousands of elements, and kilobytes to megabytes. */
const MAX_ELEMENTS = 250_000
const MAX_CHARACTERS = 32 * 1024 * 1024
const MAX_NUMBERS = 5_000

/** The longest part of a start tag that may be kept: six values of a bounded length. */
const KEPT_OF_TAG = 384 * 1024

/**
 * Fills a product from its elements. A SubstanceCategoryList is class C under MaterialInfo, class D inside a
 * HomogeneousMaterial. What states something in a place that is not known is not read, and the article says so.
 */
export function createProductReader(product: ArticleDraft): ProductReader {
  const levels: Level[] = [{ in: 'article', article: product }]
  let elements = 0
  let characters = 0
  return {
    open(name, attributes) {
      const level = enter(levels.at(-1)!, name, attributes)
      const matter = level === ELSEWHERE ? MATTERS.get(name) : 'kept'
      // What is not read is not kept either.
      if (matter === 'kept') characters += Math.min(attributes.length(), KEPT_OF_TAG)
      else if (matter === 'statements') overlook(levels, name)
      else if (isAboutExemptions(name)) overlookExemption(levels)
      levels.push(level)
      elements += 1
      if (elements > MAX_ELEMENTS) throw tooLarge(`${MAX_ELEMENTS} elements`)
      if (characters > MAX_CHARACTERS) throw tooLarge(`${MAX_CHARACTERS} characters`)
      if (product.ids.length > MAX_NUMBERS) throw tooLarge(`${MAX_NUMBERS} part numbers`)
    },
    close() {
      const level = levels.pop()!
      if (level.in === 'exemption') leaveExemption(level)
    },
  }
}

/** Elements that matter although their children are not read: their attributes are kept, or they should have been read. */
const MATTERS: ReadonlyMap<string, 'kept' | 'statements'> = new Map([
  ...[
    'Amount',
    'Concentration',
    'ExemptionID',
    'ExemptionListID',
    'SubstanceCategoryID',
    'SubstanceCategoryListID',
    'SubstanceID',
    'UniqueID',
  ].map((name) => [name, 'kept'] as const),
  ...[
    'Product',
    'SubProduct',
    'SubProductList',
    'MaterialInfo',
    'SubstanceCategoryList',
    'SubstanceCategory',
    'HomogeneousMaterialList',
    'HomogeneousMaterial',
  ].map((name) => [name, 'statements'] as const),
])

const MAX_REASONS = 20

function overlook(levels: readonly Level[], name: string): void {
  const article = articleAt(levels.findLast((level) => articleAt(level) !== undefined)!)!
  const reason = `a ${name} in an unknown place is not read`
  if (article.unread.length < MAX_REASONS && !article.unread.includes(reason)) article.unread.push(reason)
}

/** An exemption where none is expected belongs to the nearest element that may have one. */
function overlookExemption(levels: readonly Level[]): void {
  if (takesExemptions(levels.at(-1)!)) return
  claimsAt(levels.findLast(takesExemptions)!)!.hasUnknownExemption = true
}

function tooLarge(limit: string): XmlProblem {
  return new XmlProblem(`a single product has more than ${limit}`)
}
