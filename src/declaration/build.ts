import { type XmlAttributes, XmlProblem } from '../base/xml.ts'
import type {
  Article,
  CategoryList,
  Exemption,
  Identity,
  Material,
  OtherClaims,
  ProductIdentity,
  Quantity,
  QueryList,
  QueryStatement,
  Substance,
  SubstanceCategory,
} from '../compliance/declaration.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

export type ArticleDraft = Omit<
  Mutable<Article>,
  'ids' | 'lists' | 'materials' | 'subProducts' | 'queryLists' | 'otherClaims'
> & {
  ids: IdentityDraft[]
  lists: ListDraft[]
  materials: MaterialDraft[]
  subProducts: ArticleDraft[]
  queryLists: QueryListDraft[]
  otherClaims: OtherClaimsDraft[]
}
export type IdentityDraft = Mutable<ProductIdentity>
export type ListDraft = Omit<Mutable<CategoryList>, 'categories'> & { categories: CategoryDraft[] }
export type ExemptionDraft = Mutable<Exemption>
/** What takes the exemptions that are stated in one place. */
export interface ClaimsDraft {
  readonly exemptions: ExemptionDraft[]
  hasUnknownExemption: boolean
}
export type OtherClaimsDraft = ClaimsDraft & Pick<OtherClaims, 'subject'>
export type CategoryDraft = Omit<Mutable<SubstanceCategory>, 'exemptions'> & { exemptions: ExemptionDraft[] }
export type MaterialDraft = Omit<Mutable<Material>, 'substances'> & { substances: SubstanceDraft[] }
export type SubstanceDraft = Mutable<Substance>
export type QueryListDraft = Omit<Mutable<QueryList>, 'statements'> & { statements: StatementDraft[] }
export type StatementDraft = Mutable<QueryStatement>

/** An article from its start tag, without its children. */
export function newArticle(attributes: XmlAttributes): ArticleDraft {
  return {
    ids: [],
    instances: text(attributes, 'numberOfInstances'),
    unitType: text(attributes, 'unitType').trim(),
    comment: text(attributes, 'comment').trim(),
    lists: [],
    materials: [],
    queryLists: [],
    hasMaterialGroups: false,
    otherClaims: [],
    unread: [],
    subProducts: [],
  }
}

export function newProductIdentity(attributes: XmlAttributes): IdentityDraft {
  return {
    itemNumber: exactText(attributes, 'itemNumber'),
    itemName: text(attributes, 'itemName'),
    requesterItemNumber: exactText(attributes, 'requesterItemNumber'),
    requesterItemName: text(attributes, 'requesterItemName'),
    mass: undefined,
  }
}

export function newList(): ListDraft {
  return {
    identity: '',
    authority: '',
    revision: '',
    categories: [],
    exemptions: [],
    hasUnknownExemption: false,
  }
}

export function newCategory(attributes: XmlAttributes): CategoryDraft {
  return {
    name: text(attributes, 'name'),
    code: '',
    over: undefined,
    amount: undefined,
    concentration: undefined,
    exemptions: [],
    hasUnknownExemption: false,
  }
}

export function newMaterial(attributes: XmlAttributes): MaterialDraft {
  return { name: text(attributes, 'name'), amount: quantity(attributes), substances: [] }
}

export function newSubstance(attributes: XmlAttributes): SubstanceDraft {
  return {
    name: text(attributes, 'name'),
    ids: [],
    amount: quantity(attributes),
    concentration: undefined,
  }
}

export function identity(attributes: XmlAttributes): Identity {
  return { identity: text(attributes, 'identity'), authority: text(attributes, 'authority') }
}

/** An amount: a child's `@value` and `@UOM`, or the same two on the element itself. Undefined without a value. */
export function quantity(attributes: XmlAttributes): Quantity | undefined {
  return attributes.get('value') === undefined
    ? undefined
    : { value: text(attributes, 'value'), unit: text(attributes, 'UOM') }
}

/** Far more than any report shows of a value; what is beyond is not kept. */
const KEPT_CHARACTERS = 64 * 1024
/** Part numbers are kept whole: they are matched exactly. */
const MAX_NUMBER = 1024 ** 2

/** The value of an attribute, to be kept; empty when it is not there. */
export function text(attributes: XmlAttributes, name: string): string {
  return detached((attributes.get(name) ?? '').slice(0, KEPT_CHARACTERS))
}

function exactText(attributes: XmlAttributes, name: string): string {
  const value = attributes.get(name) ?? ''
  if (value.length > MAX_NUMBER) throw new XmlProblem(`${name} has more than ${MAX_NUMBER} characters`)
  return detached(value)
}

/** A copy: a slice of more than twelve characters keeps the piece of the file that it was cut from in memory (V8). */
function detached(value: string): string {
  return value.length <= 12 ? value : ` ${value}`.slice(1)
}
