import type { XmlAttributes } from '../base/xml.ts'
import type {
  Article,
  CategoryList,
  Exemption,
  Identity,
  Material,
  ProductIdentity,
  Quantity,
  Substance,
  SubstanceCategory,
} from '../compliance/declaration.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

export type ArticleDraft = Omit<Mutable<Article>, 'ids' | 'lists' | 'materials' | 'subProducts'> & {
  ids: IdentityDraft[]
  lists: ListDraft[]
  materials: MaterialDraft[]
  subProducts: ArticleDraft[]
}
export type IdentityDraft = Mutable<ProductIdentity>
export type ListDraft = Omit<Mutable<CategoryList>, 'categories'> & { categories: CategoryDraft[] }
export type ExemptionDraft = Mutable<Exemption>
export type CategoryDraft = Omit<Mutable<SubstanceCategory>, 'exemptions'> & { exemptions: ExemptionDraft[] }
export type MaterialDraft = Omit<Mutable<Material>, 'substances'> & { substances: SubstanceDraft[] }
export type SubstanceDraft = Mutable<Substance>

/** An article from its start tag, without its children. */
export function newArticle(attributes: XmlAttributes): ArticleDraft {
  return {
    ids: [],
    instances: text(attributes, 'numberOfInstances'),
    unitType: text(attributes, 'unitType').trim(),
    lists: [],
    materials: [],
    hasQueries: false,
    hasMaterialGroups: false,
    subProducts: [],
  }
}

export function newProductIdentity(attributes: XmlAttributes): IdentityDraft {
  return {
    itemNumber: text(attributes, 'itemNumber'),
    itemName: text(attributes, 'itemName'),
    requesterItemNumber: text(attributes, 'requesterItemNumber'),
    requesterItemName: text(attributes, 'requesterItemName'),
    mass: undefined,
  }
}

export function newList(): ListDraft {
  return { identity: '', authority: '', categories: [] }
}

export function newCategory(attributes: XmlAttributes): CategoryDraft {
  return {
    name: text(attributes, 'name'),
    code: '',
    over: undefined,
    amount: undefined,
    concentration: '',
    exemptions: [],
  }
}

export function newMaterial(attributes: XmlAttributes): MaterialDraft {
  return { name: text(attributes, 'name'), amount: quantity(attributes), substances: [] }
}

export function newSubstance(attributes: XmlAttributes): SubstanceDraft {
  return { name: text(attributes, 'name'), ids: [], amount: quantity(attributes), concentration: '' }
}

export function newExemption(attributes: XmlAttributes, list: string): ExemptionDraft {
  return {
    identity: text(attributes, 'identity').trim(),
    description: text(attributes, 'description').trim(),
    list,
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

/** The value of an attribute, to be kept; empty when it is not there. */
export function text(attributes: XmlAttributes, name: string): string {
  return detached(attributes.get(name) ?? '')
}

/** A copy: a slice of more than twelve characters keeps the piece of the file that it was cut from in memory (V8). */
function detached(value: string): string {
  return value.length <= 12 ? value : ` ${value}`.slice(1)
}
