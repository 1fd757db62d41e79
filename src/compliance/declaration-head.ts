import type { Article, DeclarationHeader } from './declaration.ts'

/**
 * True for a file that asks for a declaration: its mode is `Request`, or it is not that of a distribution, or it has only a request,
 * and nobody responded. Its lists are a form to fill in.
 */
export function isRequest({
  mode,
  hasRequest,
  hasResponse,
}: Pick<DeclarationHeader, 'mode' | 'hasRequest' | 'hasResponse'>): boolean {
  // The response of such a file names the supplier who is asked.
  if (/^request$/i.test(mode)) return true
  if (hasResponse) return false
  return mode === '' ? hasRequest : !/^distribut/i.test(mode)
}

/** True when the supplier does not accept the legal statement; undefined for a word that is not recognized. */
export function isUnaccepted({ supplierAcceptance }: DeclarationHeader): boolean | undefined {
  if (supplierAcceptance === '' || /^(?:true|1|yes)$/i.test(supplierAcceptance)) return false
  return /^(?:false|0|no)$/i.test(supplierAcceptance) ? true : undefined
}

/** True for a product with nothing but materials whose substances have an amount, which requests do not have. */
export function statesOnlyMaterials(article: Article): boolean {
  return hasNoLists(article) && hasAmounts(article)
}

function hasNoLists(article: Article): boolean {
  return article.lists.length + article.queryLists.length === 0 && article.subProducts.every(hasNoLists)
}

function hasAmounts({ materials, subProducts }: Article): boolean {
  return (
    subProducts.some(hasAmounts) ||
    materials.some(({ substances }) =>
      substances.some(({ amount, concentration }) => amount !== undefined || concentration !== undefined),
    )
  )
}
