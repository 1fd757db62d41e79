/** The two standards that are read. */
export type Standard = '1752A' | '1752B'

/** A number as the file writes it, with its unit; text, because what can't be understood is told, not dropped. */
export interface Quantity {
  readonly value: string
  readonly unit: string
}

/** An identity with the authority that issued it, such as `7439-92-1` of `CAS`. */
export interface Identity {
  readonly identity: string
  readonly authority: string
}

/** What a file says about itself and its sender, before and beside the products. */
export interface DeclarationHeader {
  readonly standard: Standard
  readonly namespace: string
  /** The text of `Response/@date`, which need not be a date. */
  readonly responseDate: string
  readonly supplier: string
  readonly companyIds: readonly Identity[]
  /** The class letters the file announces in `SubSectional/@name`; the elements decide. */
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

/** One line of a class C list. `over` is the text of `Threshold/@overThreshold`, undefined where the file states none. */
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

/** A class D homogeneous material with what it is made of. */
export interface Material {
  readonly name: string
  readonly amount: Quantity | undefined
  readonly substances: readonly Substance[]
}

/** Something with a composition: a product, or an article inside one. */
export interface Article {
  readonly ids: readonly ProductIdentity[]
  /** The text of `@numberOfInstances`; empty where the file has none. */
  readonly instances: string
  readonly lists: readonly CategoryList[]
  readonly materials: readonly Material[]
  readonly hasQueries: boolean
  readonly hasMaterialGroups: boolean
  readonly subProducts: readonly Article[]
}
