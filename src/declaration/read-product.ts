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
import { isOver } from '../compliance/part-record.ts'

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

/** An open element inside a product, and what its children fill. */
export type Level =
  | { readonly in: 'article' | 'info'; readonly article: ArticleDraft }
  | { readonly in: 'id'; readonly id: IdentityDraft }
  | { readonly in: 'list'; readonly list: ListDraft }
  | CategoryLevel
  | { readonly in: 'materials'; readonly article: ArticleDraft }
  | { readonly in: 'material'; readonly article: ArticleDraft; readonly material: MaterialDraft }
  | { readonly in: 'contents'; readonly article: ArticleDraft; readonly material: MaterialDraft }
  | {
      readonly in: 'substance'
      readonly article: ArticleDraft
      readonly material: MaterialDraft
      readonly substance: SubstanceDraft
    }
  | ExemptionLevel
  | QueryLevel
  | { readonly in: 'elsewhere' }

/** What is not read, with all its children. */
export const ELSEWHERE: Level = { in: 'elsewhere' }

/** Takes a start tag inside an open element into the draft, and gives what its own children fill. */
export function enter(level: Level, name: string, attributes: XmlAttributes): Level {
  if (level.in === 'exemptions' || level.in === 'exemption') {
    return enterInsideExemption(level, name, attributes) ?? ELSEWHERE
  }
  if (isAboutExemptions(name)) {
    const claims = claimsAt(level)
    return (claims && enterExemption(claims, name, attributes)) ?? ELSEWHERE
  }
  switch (level.in) {
    case 'article':
      return enterArticle(level.article, name, attributes)
    case 'info':
      return enterInfo(level.article, name, attributes)
    case 'id':
      if (name === 'Amount') level.id.mass = quantity(attributes)
      return ELSEWHERE
    case 'list':
      return enterList(level.list, name, attributes)
    case 'category':
      return enterCategory(level, name, attributes) ?? ELSEWHERE
    case 'insideCategory':
      return enterInsideCategory(level, name, attributes) ?? ELSEWHERE
    case 'materials':
      return name === 'HomogeneousMaterial' ? addMaterial(level.article, attributes) : ELSEWHERE
    case 'material':
      if (name === 'Amount') level.material.amount ??= quantity(attributes)
      return enterContents(level, name, attributes)
    case 'contents':
      return enterContents(level, name, attributes)
    case 'substance':
      return enterSubstance(level.substance, name, attributes)
    case 'queries':
      return enterQueries(level.list, name, attributes) ?? ELSEWHERE
    case 'query':
      return enterQuery(level.statement, name, attributes)
    case 'elsewhere':
      return ELSEWHERE
  }
}

/** The article that an open element belongs to; undefined where it does not matter. */
function articleAt(level: Level): ArticleDraft | undefined {
  return 'article' in level ? level.article : undefined
}

/** True for an open element in which an exemption can be stated. */
function takesExemptions(level: Level): boolean {
  return !['id', 'queries', 'query', 'elsewhere'].includes(level.in)
}

/** What exemptions stated inside an open element are for; undefined where none can be stated. */
function claimsAt(level: Level): ClaimsDraft | undefined {
  switch (level.in) {
    case 'category':
    case 'insideCategory':
      return level.category
    case 'list':
      return level.list
    case 'exemptions':
    case 'exemption':
      return level.claims
    case 'substance':
      return otherClaims(level.article, `${level.substance.name} in ${level.material.name}`)
    case 'material':
    case 'contents':
      return otherClaims(level.article, level.material.name)
    case 'article':
    case 'info':
    case 'materials':
      return otherClaims(level.article, '')
    default:
      return undefined
  }
}

function otherClaims(article: ArticleDraft, subject: string): ClaimsDraft {
  const claims = { subject, exemptions: [], hasUnknownExemption: false }
  article.otherClaims.push(claims)
  return claims
}

/** The element names of a product in a product, and of lists of them. */
const PARTS = new Set(['SubProduct', 'Product'])
const PART_LISTS = new Set(['SubProductList', 'SubProducts', 'ProductList', 'Products'])

function enterArticle(article: ArticleDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'ProductID') {
    const id = newProductIdentity(attributes)
    article.ids.push(id)
    return { in: 'id', id }
  }
  if (PARTS.has(name)) {
    const part = newArticle(attributes)
    article.subProducts.push(part)
    return { in: 'article', article: part }
  }
  // What a list of sub-products holds belongs to the article, as if there were no list.
  if (PART_LISTS.has(name)) return { in: 'article', article }
  return name === 'MaterialInfo' ? { in: 'info', article } : ELSEWHERE
}

function enterInfo(article: ArticleDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceCategoryList') {
    const list = newList()
    article.lists.push(list)
    return { in: 'list', list }
  }
  if (name === 'HomogeneousMaterialList') return { in: 'materials', article }
  if (name === 'HomogeneousMaterial') return addMaterial(article, attributes)
  if (PARTS.has(name) || PART_LISTS.has(name)) return enterArticle(article, name, attributes)
  if (name === 'QueryList') return { in: 'queries', list: addQueryList(article) }
  if (name === 'MaterialGroupList') article.hasMaterialGroups = true
  return ELSEWHERE
}

function addQueryList(article: ArticleDraft): QueryListDraft {
  const list = { identity: '', statements: [] }
  article.queryLists.push(list)
  return list
}

function enterList(list: ListDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceCategoryListID') {
    list.identity ||= text(attributes, 'identity')
    list.authority ||= text(attributes, 'authority')
    list.revision ||= text(attributes, 'revision')
  }
  if (name !== 'SubstanceCategory') return ELSEWHERE
  const category = newCategory(attributes)
  list.categories.push(category)
  return { in: 'category', category, hasExemptionAttribute: hasExemptionAttribute(attributes) }
}

function addMaterial(article: ArticleDraft, attributes: XmlAttributes): Level {
  const material = newMaterial(attributes)
  article.materials.push(material)
  return { in: 'material', article, material }
}

function enterContents(
  { article, material }: Level & { in: 'material' | 'contents' },
  name: string,
  attributes: XmlAttributes,
): Level {
  if (name === 'SubstanceCategoryList' || name === 'SubstanceCategory') {
    return { in: 'contents', article, material }
  }
  if (name !== 'Substance') return ELSEWHERE
  const substance = newSubstance(attributes)
  material.substances.push(substance)
  const level = { in: 'substance', article, material, substance } as const
  if (hasExemptionAttribute(attributes)) claimsAt(level)!.hasUnknownExemption = true
  return level
}

function enterSubstance(substance: SubstanceDraft, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceID' || name === 'UniqueID') substance.ids.push(identity(attributes))
  if (name === 'Amount') substance.amount ??= quantity(attributes)
  if (name === 'Concentration') substance.concentration ??= quantity(attributes)
  return ELSEWHERE
}

/** An open element of a category of class C. */
type CategoryLevel =
  | { readonly in: 'category'; readonly category: CategoryDraft; readonly hasExemptionAttribute: boolean }
  | { readonly in: 'insideCategory'; readonly category: CategoryDraft }

/** Takes an element inside a SubstanceCategory. Undefined: its children are not read. */
function enterCategory(
  level: CategoryLevel & { in: 'category' },
  name: string,
  attributes: XmlAttributes,
): CategoryLevel | undefined {
  const { category } = level
  switch (name) {
    case 'Threshold':
      category.threshold ??= attributes.get('threshold')?.slice(0, 200)
      category.over = worseThreshold(category.over, text(attributes, 'overThreshold'))
      if (isOver(category) !== false && level.hasExemptionAttribute) category.hasUnknownExemption = true
      return insideCategory(category, attributes)
    case 'SubstanceCategoryID':
      category.code ||= text(attributes, 'identity')
      break
    case 'Amount':
      category.amount ??= quantity(attributes)
      break
    case 'Concentration':
      category.concentration ??= quantity(attributes)
      break
    case 'Substance':
      return insideCategory(category, attributes)
  }
  return undefined
}

/** A Threshold or a Substance of a category: what it states about exemptions is for the category. Its attributes matter where it is over. */
function insideCategory(category: CategoryDraft, attributes: XmlAttributes): CategoryLevel {
  if (isOver(category) !== false && hasExemptionAttribute(attributes)) category.hasUnknownExemption = true
  return { in: 'insideCategory', category }
}

/** A substance that is over its own threshold makes its category so; its amounts are not those of the category. */
function enterInsideCategory(
  { category }: CategoryLevel & { in: 'insideCategory' },
  name: string,
  attributes: XmlAttributes,
): CategoryLevel | undefined {
  if (name !== 'Threshold') return undefined
  const over = text(attributes, 'overThreshold')
  if (isOver({ over }) !== false && over.trim() !== '') category.over = worseThreshold(category.over, over)
  return insideCategory(category, attributes)
}

/** Of several thresholds in one category the worst counts: over, not recognized, without a statement, not over. */
function worseThreshold(known: string | undefined, next: string): string {
  return known === undefined || badness(next) > badness(known) ? next : known
}

function badness(over: string): number {
  const stated = isOver({ over })
  if (stated === undefined) return over.trim() === '' ? 1 : 2
  return stated ? 3 : 0
}

/** An open element about exemptions. */
type ExemptionLevel =
  | {
      readonly in: 'exemptions'
      readonly claims: ClaimsDraft
      readonly added: ExemptionDraft[]
      list: string
    }
  | {
      readonly in: 'exemption'
      readonly claims: ClaimsDraft
      readonly exemption: ExemptionDraft
      isNamed: boolean
    }

/** True for the name of an element or attribute that states something about exemptions. */
function isAboutExemptions(name: string): boolean {
  const first = name.charCodeAt(0) | 0x20
  return first === 0x65 && /^exemption/i.test(name)
}

/** True when a start tag itself states an exemption, in an attribute: no such form is known. */
function hasExemptionAttribute(attributes: XmlAttributes): boolean {
  return attributes.hasNamedLike('exemption')
}

/** Takes an element named `Exemption…` into what it is stated for. Undefined: its children are not read. */
function enterExemption(
  claims: ClaimsDraft,
  name: string,
  attributes: XmlAttributes,
): ExemptionLevel | undefined {
  if (name === 'ExemptionList') return { in: 'exemptions', claims, added: [], list: '' }
  if (name === 'Exemption' || name === 'ExemptionID') return addExemption(claims, attributes, '')
  // The name of a list alone claims nothing.
  if (name !== 'ExemptionListID') claims.hasUnknownExemption = true
  return undefined
}

/** Takes an element inside an ExemptionList, an Exemption or an ExemptionID. */
function enterInsideExemption(
  level: ExemptionLevel,
  name: string,
  attributes: XmlAttributes,
): ExemptionLevel | undefined {
  if (level.in === 'exemptions') {
    if (name === 'ExemptionListID') {
      level.list ||= text(attributes, 'identity').trim()
      for (const exemption of level.added) exemption.list ||= level.list
      return undefined
    }
    if (name === 'Exemption' || name === 'ExemptionID') {
      const added = addExemption(level.claims, attributes, level.list)
      level.added.push(added.exemption)
      return added
    }
    level.claims.hasUnknownExemption = true
    return undefined
  }
  if (name === 'ExemptionID') {
    level.exemption.identity ||= firstOf(attributes, ['identity', 'name'])
    level.isNamed = true
  } else if (name === 'ExemptionListID') {
    level.exemption.list ||= text(attributes, 'identity').trim()
  } else if (isAboutExemptions(name)) {
    level.claims.hasUnknownExemption = true
  }
  return undefined
}

/** At the end tag: an exemption that is named nowhere that is known may be named elsewhere, in its text for example. */
function leaveExemption(level: ExemptionLevel): void {
  if (level.in === 'exemption' && !level.isNamed) level.claims.hasUnknownExemption = true
}

const NAMES = ['identity', 'name', 'description']

function addExemption(
  claims: ClaimsDraft,
  attributes: XmlAttributes,
  list: string,
): ExemptionLevel & { in: 'exemption' } {
  const exemption = {
    identity: firstOf(attributes, ['identity', 'name']),
    description: text(attributes, 'description').trim(),
    list,
  }
  claims.exemptions.push(exemption)
  const isNamed = NAMES.some((name) => attributes.get(name) !== undefined)
  return { in: 'exemption', claims, exemption, isNamed }
}

function firstOf(attributes: XmlAttributes, names: readonly string[]): string {
  return names.map((name) => text(attributes, name).trim()).find((value) => value !== '') ?? ''
}

/** An open element of class A. */
type QueryLevel =
  | { readonly in: 'queries'; readonly list: QueryListDraft }
  | { readonly in: 'query'; readonly statement: StatementDraft }

/**
 * Takes an element inside a QueryList. The names of its attributes are not verified: no file with class A was to be had. So the
 * usual ones are all tried; `undefined` for an element whose children are not read.
 */
function enterQueries(list: QueryListDraft, name: string, attributes: XmlAttributes): QueryLevel | undefined {
  if (name === 'QueryListID') {
    list.identity ||= text(attributes, 'identity').trim()
    return undefined
  }
  const statement = {
    code: first(attributes, ['code', 'identity', 'id', 'number']),
    text: first(attributes, ['statement', 'text', 'question', 'description', 'name']),
    answer: answerOf(attributes),
  }
  list.statements.push(statement)
  return { in: 'query', statement }
}

/** Takes an element inside one statement: its code, its text or its answer. */
function enterQuery(statement: StatementDraft, name: string, attributes: XmlAttributes): QueryLevel {
  if (/(?:ID|Code)$/.test(name)) {
    statement.code ||= first(attributes, ['identity', 'code', 'id', 'value'])
  } else {
    statement.text ||= first(attributes, ['statement', 'text', 'question', 'description', 'name'])
    statement.answer ??= answerOf(attributes)
  }
  return { in: 'query', statement }
}

const ANSWERS = ['response', 'answer', 'value', 'selected', 'checked', 'isTrue', 'queryResponse']

function answerOf(attributes: XmlAttributes): string | undefined {
  const found = ANSWERS.map((name) => attributes.get(name)).find((value) => value !== undefined)
  return found?.slice(0, 100).trim()
}

function first(attributes: XmlAttributes, names: readonly string[]): string {
  return names.map((name) => text(attributes, name).trim()).find((value) => value !== '') ?? ''
}

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
type IdentityDraft = Mutable<ProductIdentity>
type ListDraft = Omit<Mutable<CategoryList>, 'categories'> & { categories: CategoryDraft[] }
type ExemptionDraft = Mutable<Exemption>
/** What takes the exemptions that are stated in one place. */
interface ClaimsDraft {
  readonly exemptions: ExemptionDraft[]
  hasUnknownExemption: boolean
}
type OtherClaimsDraft = ClaimsDraft & Pick<OtherClaims, 'subject'>
type CategoryDraft = Omit<Mutable<SubstanceCategory>, 'exemptions'> & { exemptions: ExemptionDraft[] }
type MaterialDraft = Omit<Mutable<Material>, 'substances'> & { substances: SubstanceDraft[] }
type SubstanceDraft = Mutable<Substance>
type QueryListDraft = Omit<Mutable<QueryList>, 'statements'> & { statements: StatementDraft[] }
type StatementDraft = Mutable<QueryStatement>

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

function newProductIdentity(attributes: XmlAttributes): IdentityDraft {
  return {
    itemNumber: exactText(attributes, 'itemNumber'),
    itemName: text(attributes, 'itemName'),
    requesterItemNumber: exactText(attributes, 'requesterItemNumber'),
    requesterItemName: text(attributes, 'requesterItemName'),
    mass: undefined,
  }
}

function newList(): ListDraft {
  return {
    identity: '',
    authority: '',
    revision: '',
    categories: [],
    exemptions: [],
    hasUnknownExemption: false,
  }
}

function newCategory(attributes: XmlAttributes): CategoryDraft {
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

function newMaterial(attributes: XmlAttributes): MaterialDraft {
  return { name: text(attributes, 'name'), amount: quantity(attributes), substances: [] }
}

function newSubstance(attributes: XmlAttributes): SubstanceDraft {
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
