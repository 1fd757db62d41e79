/** Everything that a product family declares. A declaration file is a function of these facts, a standard and a class. */
export interface PartFacts {
  readonly supplier: SupplierFacts
  /** All part numbers of the family; the first is its own. */
  readonly numbers: readonly [PartNumber, ...PartNumber[]]
  /** The mass of one unit; 0 is a placeholder. */
  readonly massMg: number
  /** What one unit is, `Each` by default. */
  readonly unitType?: string | undefined
  /** The file asks for a declaration (`Request`); by default it is one. */
  readonly mode?: 'Distribute' | 'Request' | undefined
  /** False where the supplier does not accept the legal statement, by default in requests only; or another word. */
  readonly accepted?: boolean | string | undefined
  /** The lists of class C and their date of approval; undefined without class C. */
  readonly regulatory?: RegulatoryDeclarationFacts | undefined
  /** The materials of class D and their date of approval; undefined where they are confidential. */
  readonly material?: MaterialDeclarationFacts | undefined
  readonly comment?: string | undefined
  readonly style: XmlStyle
  /** What the part declared on other days, in any order: each with all its facts, and the same numbers. */
  readonly revisions?: readonly PartFacts[] | undefined
}

export interface SupplierFacts {
  /** Nine digits. */
  readonly id: string
  readonly name: string
}

export interface PartNumber {
  readonly number: string
  readonly name: string
  /** The buyer's own number for the same part. */
  readonly requesterNumber?: string | undefined
}

export interface RegulatoryDeclarationFacts {
  readonly approved: string
  readonly lists: readonly ListFacts[]
  /** Class A: statements about whole lists, in the same file. */
  readonly queries?: readonly QueryListFacts[] | undefined
  /** A list beside the product that says of the part that it is over a threshold: a place that readers do not know. */
  readonly beside?: string | undefined
}

/** The class A statements about one list. */
export interface QueryListFacts {
  readonly identity: string
  readonly statements: readonly { readonly code: string; readonly text: string; readonly isTrue: boolean }[]
}

/** A list of regulated substances that a class C declaration covers. */
export interface ListFacts {
  readonly identity: string
  readonly authority: string
  readonly categories: readonly CategoryFacts[]
  /** A group of categories that is over its threshold as a whole: an element that readers do not know. */
  readonly groupOver?: string | undefined
}

export interface CategoryFacts {
  readonly code: string
  readonly name: string
  readonly threshold: string
  readonly application: string
  /** Undefined where nothing is declared: the file has no `Threshold`. A text is written as it is. */
  readonly over: boolean | string | undefined
  /** Worst case in the part. */
  readonly amount?: QuantityFacts | undefined
  /** Worst case in a homogeneous material, mass per cent. */
  readonly concentrationPercent?: number | undefined
  /** The same as it is written, where it is no number or has a unit. */
  readonly concentrationText?: { readonly value: string; readonly unit: string } | undefined
  readonly exemptions?: ExemptionFacts | undefined
}

export interface ExemptionFacts {
  /** The list that numbers them. */
  readonly list: string
  readonly items: readonly string[]
  /** Stated as `ExemptionCode` rather than `Exemption`: a form that readers do not know. */
  readonly isUnusual?: boolean | undefined
}

export interface MaterialDeclarationFacts {
  readonly approved: string
  readonly materials: readonly MaterialFacts[]
  /** Articles inside the product. 1752B declares each as a sub-product, 1752A usually has their materials in one list. */
  readonly subProducts?: readonly SubProductFacts[] | undefined
  /** The class D file has the class C lists as well. */
  readonly withRegulatory?: boolean | undefined
}

export interface SubProductFacts {
  readonly number: string
  readonly name: string
  /** The mass of one. */
  readonly massMg: number
  readonly materials: readonly MaterialFacts[]
  /** How many the article above has; 1 by default. */
  readonly instances?: number | undefined
  readonly subProducts?: readonly SubProductFacts[] | undefined
}

export interface MaterialFacts {
  readonly name: string
  readonly group: string
  readonly mass: QuantityFacts
  readonly substances: readonly SubstanceFacts[]
}

export interface SubstanceFacts {
  readonly name: string
  /** A CAS number, or a supplier's text in its place (`system`, `-`). */
  readonly cas: string
  readonly authority: string
  /** `Supplier`, or the regulated group it belongs to. */
  readonly category: string
  readonly mass?: QuantityFacts | undefined
  readonly concentrationPercent?: number | undefined
  readonly exemptions?: ExemptionFacts | undefined
}

export interface QuantityFacts {
  readonly value: number
  readonly unit: 'mg' | 'g' | 'kg' | 'ppm' | 'massPercent'
}

/** How a file of this part is written. Readers must accept all of it. */
export interface XmlStyle {
  /** `ipc:MainDeclaration` rather than a default namespace; 1752A only. */
  readonly prefix?: 'ipc' | undefined
  /** Dates have an invalid time zone (`2024-05-06-00-00`). */
  readonly oddDate?: boolean | undefined
  /** The response date as it is written, where it is none of the usual forms. */
  readonly dateText?: string | undefined
  /** The supplier is identified by a tax number instead of its nine digits. */
  readonly taxNumber?: boolean | undefined
  /** 1752A has the articles inside the product as sub-products too. */
  readonly subProducts?: boolean | undefined
  /** Masses are attributes of the material, not in an `Amount`. */
  readonly massAttributes?: boolean | undefined
}
