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

/** One entry of a class C list. `over` is the text of `Threshold/@overThreshold`, undefined without one. */
export interface SubstanceCategory {
  readonly name: string
  readonly code: string
  readonly over: string | undefined
  readonly amount: Quantity | undefined
  readonly concentration: string
  readonly exemptions: readonly Exemption[]
}

/** A class C list: a direct child of `MaterialInfo`. */
export interface CategoryList {
  readonly identity: string
  readonly authority: string
  readonly categories: readonly SubstanceCategory[]
}

export interface Substance {
  readonly name: string
  readonly ids: readonly Identity[]
  readonly amount: Quantity | undefined
  readonly concentration: string
}

/** A class D homogeneous material and its substances. */
export interface Material {
  readonly name: string
  readonly amount: Quantity | undefined
  readonly substances: readonly Substance[]
}

/** A product, or a sub-product inside one. */
export interface Article {
  readonly ids: readonly ProductIdentity[]
  /** The text of `@numberOfInstances`; empty where the file has none. */
  readonly instances: string
  /** The text of `@unitType`, such as `Each` or `Meter`: what one unit is. Empty where the file has none. */
  readonly unitType: string
  readonly lists: readonly CategoryList[]
  readonly materials: readonly Material[]
  readonly hasQueries: boolean
  readonly hasMaterialGroups: boolean
  readonly subProducts: readonly Article[]
}
