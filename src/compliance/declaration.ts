/** The standards that are read: IPC-1752A and IPC-1752B. */
export type Standard = '1752A' | '1752B'

/** A number as written in the file, with its unit; text, so that a report can show invalid values. */
export interface Quantity {
  readonly value: string
  readonly unit: string
}

/** An identity with the authority that issued it, such as `7439-92-1` of `CAS`. */
export interface Identity {
  readonly identity: string
  readonly authority: string
}

/** The head of a file: itself and its sender, outside the products. */
export interface DeclarationHeader {
  readonly standard: Standard
  readonly namespace: string
  /** The text of `Response/@date`; some writers add more than a date. */
  readonly responseDate: string
  readonly supplier: string
  readonly companyIds: readonly Identity[]
  /** The text of `BusinessInfo/@mode`, such as `Distribute` or `Request`. */
  readonly mode: string
  readonly hasRequest: boolean
  readonly hasResponse: boolean
  /** The text of `Declaration/@supplierAcceptance`; empty where the file has none. */
  readonly supplierAcceptance: string
  /** The text of `Response/@comment`. */
  readonly comment: string
  readonly hasDeclaration: boolean
  /** The class letters that the file announces in `SubSectional/@name`; its elements decide. */
  readonly announced: readonly string[]
}

/** One `ProductID`: a product has several when it is a family of parts. */
export interface ProductIdentity {
  readonly itemNumber: string
  readonly itemName: string
  readonly requesterItemNumber: string
  readonly requesterItemName: string
  readonly mass: Quantity | undefined
}

export interface Exemption {
  readonly identity: string
  readonly description: string
  readonly list: string
}

/** What one place of a file states about exemptions. */
export interface ExemptionClaims {
  readonly exemptions: readonly Exemption[]
  /** An exemption is also stated there in a form that is not known. */
  readonly hasUnknownExemption: boolean
}

/** Exemptions outside class C, with what they are stated for, such as `Lead in Brass`; empty for the whole article. */
export interface OtherClaims extends ExemptionClaims {
  readonly subject: string
}

/** One entry of a class C list. `over` is the text of `Threshold/@overThreshold`, undefined without one. */
export interface SubstanceCategory extends ExemptionClaims {
  readonly name: string
  readonly code: string
  readonly over: string | undefined
  /** The text of `Threshold/@threshold`. */
  readonly threshold?: string | undefined
  readonly amount: Quantity | undefined
  /** The share of the homogeneous material; in percent where it has no unit. */
  readonly concentration: Quantity | undefined
}

/** A class C list: a direct child of `MaterialInfo`. Its own exemptions are stated for the list, not for a category. */
export interface CategoryList extends ExemptionClaims {
  readonly identity: string
  readonly authority: string
  /** The text of `@revision`; it dates a list whose identity has no date. */
  readonly revision: string
  readonly categories: readonly SubstanceCategory[]
}

export interface Substance {
  readonly name: string
  readonly ids: readonly Identity[]
  readonly amount: Quantity | undefined
  /** The share of the material; in percent where it has no unit. */
  readonly concentration: Quantity | undefined
}

/** A class D homogeneous material and its substances. */
export interface Material {
  readonly name: string
  readonly amount: Quantity | undefined
  readonly substances: readonly Substance[]
}

/** One class A statement. `answer` is undefined where it is not found. */
export interface QueryStatement {
  readonly code: string
  readonly text: string
  readonly answer: string | undefined
}

/** The class A statements about one list. */
export interface QueryList {
  readonly identity: string
  readonly statements: readonly QueryStatement[]
}

/** A product, or a sub-product inside one. */
export interface Article {
  readonly ids: readonly ProductIdentity[]
  /** The text of `@numberOfInstances`; empty where the file has none. */
  readonly instances: string
  /** The text of `@unitType`, such as `Each` or `Meter`: what one unit is. Empty where the file has none. */
  readonly unitType: string
  /** The text of `@comment`. */
  readonly comment: string
  readonly lists: readonly CategoryList[]
  readonly materials: readonly Material[]
  readonly queryLists: readonly QueryList[]
  readonly hasMaterialGroups: boolean
  readonly otherClaims: readonly OtherClaims[]
  /** What is in the article but is not read, each as a reason; usually empty. */
  readonly unread: readonly string[]
  readonly subProducts: readonly Article[]
}

/**
 * True for a file that asks for a declaration: its mode is `Request`, or it is not that of a distribution, or it has only a request,
 * and nobody responded. Its lists are a form to fill in.
 */
export function isRequest(header: Pick<DeclarationHeader, 'mode' | 'hasRequest' | 'hasResponse'>): boolean {
  // The response of such a file names the supplier who is asked.
  if (/^request$/i.test(header.mode)) return true
  if (header.hasResponse) return false
  return header.mode === '' ? header.hasRequest : !/^distribut/i.test(header.mode)
}

/** True when the supplier does not accept the legal statement; undefined for a word that is not recognized. */
export function isUnaccepted({
  supplierAcceptance,
}: Pick<DeclarationHeader, 'supplierAcceptance'>): boolean | undefined {
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
