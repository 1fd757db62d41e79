/** The standards that are read: IPC-1752A and IPC-1752B. */
type Standard = '1752A' | '1752B'

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
  readonly contact: Contact
  /** What is outside the products, concerns them and is not understood. */
  readonly unread: readonly Unread[]
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

/** The person to write to, of the supplier's own file. */
export interface Contact {
  readonly name: string
  readonly email: string
  readonly phone: string
}

/** What is in a file but is not understood, as a reason, and the line that it is on. */
export interface Unread {
  readonly text: string
  readonly line: number
}

/** What one place of a file states about exemptions. */
export interface ExemptionClaims {
  readonly exemptions: readonly Exemption[]
  /** An exemption is also stated there in a form that is not known. */
  readonly hasUnknownExemption: boolean
}

/** Exemptions outside class C, with what they are stated for, such as `Lead in Brass`; empty for the whole article. */
interface OtherClaims extends ExemptionClaims {
  readonly subject: string
}

/** One entry of a class C list. `over` is the text of `Threshold/@overThreshold`, undefined without one. */
export interface SubstanceCategory extends ExemptionClaims {
  readonly name: string
  readonly code: string
  /** Who issued the code, such as `IPC`. */
  readonly authority: string
  /** The identities of its substances: CAS numbers where they are some. */
  readonly substances: readonly string[]
  readonly over: string | undefined
  /** The text of `Threshold/@threshold`. */
  readonly threshold: string
  /** The text of `@reportableApplication`; empty for all of them. */
  readonly application: string
  /** All that are stated: the highest decides. */
  readonly amounts: readonly Quantity[]
  /** The shares of the homogeneous material; in percent where they have no unit. */
  readonly concentrations: readonly Quantity[]
  readonly line: number
}

/** A class C list: a direct child of `MaterialInfo`. Its own exemptions are stated for the list, not for a category. */
export interface CategoryList extends ExemptionClaims {
  readonly identity: string
  readonly authority: string
  /** The text of `@revision`; it dates a list whose identity has no date. */
  readonly revision: string
  readonly categories: readonly SubstanceCategory[]
  /** Answers in it that are not understood. */
  readonly unread: readonly Unread[]
  readonly line: number
}

export interface Substance {
  readonly name: string
  /** The category that it stands in, where that has a name. */
  readonly category?: string
  readonly ids: readonly Identity[]
  readonly amount: Quantity | undefined
  /** The share of the material; in percent where it has no unit. */
  readonly concentration: Quantity | undefined
}

/** A class D homogeneous material and its substances. */
export interface Material {
  readonly name: string
  readonly line: number
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
  readonly line: number
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
  /** What is in the article but is not read; usually empty. */
  readonly unread: readonly Unread[]
  /** The line of its start tag. */
  readonly line: number
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

/** Whether the supplier stands by a declaration: yes, no, not yet, or the file does not say. */
export type Acceptance = 'yes' | 'not said' | 'not yet' | 'no'

/** What a file says about its acceptance; a word that is neither yes nor no says that it is not given yet. */
export function acceptanceOf({
  supplierAcceptance,
}: Pick<DeclarationHeader, 'supplierAcceptance'>): Acceptance {
  if (supplierAcceptance === '') return 'not said'
  if (/^(?:true|1|yes|y|accepted)$/i.test(supplierAcceptance)) return 'yes'
  return /^(?:false|0|no|n|rejected|refused|declined|not accepted)$/i.test(supplierAcceptance)
    ? 'no'
    : 'not yet'
}

const WORST_LAST: readonly Acceptance[] = ['yes', 'not said', 'not yet', 'no']

/** The worst of several. */
export function worstAcceptance(all: readonly Acceptance[]): Acceptance {
  return WORST_LAST.findLast((one) => all.includes(one)) ?? 'not said'
}

/** True for a supplier who says no, or not yet. */
export function isUnaccepted(acceptance: Acceptance): boolean {
  return acceptance === 'no' || acceptance === 'not yet'
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
