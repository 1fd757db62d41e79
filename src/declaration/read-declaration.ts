import { detached } from '../base/detached.ts'
import { createXmlReader, type XmlAttributes, XmlProblem } from '../base/xml.ts'
import {
  type Article,
  acceptanceOf,
  type CategoryList,
  type DeclarationHeader,
  type Exemption,
  type ExemptionClaims,
  type Identity,
  type Material,
  type ProductIdentity,
  type Quantity,
  type QueryList,
  type QueryStatement,
  type Substance,
  type SubstanceCategory,
  type Unread,
  worstAcceptance,
} from '../compliance/declaration.ts'
import { isOver } from '../compliance/part-record.ts'
import { absoluteMassMg, concentrationPercent } from '../compliance/quantity.ts'
import { casNumber } from '../compliance/substance-identity.ts'

/** A file that is well-formed as far as it was read but no IPC-1752A/B declaration. `message` says what it is. */
export class NotADeclaration extends Error {
  override readonly name = 'NotADeclaration'
}

/** A sender has a handful of identities, a file four classes; more are not kept. */
const MAX_IDENTITIES = 20
/** Limits of a single product; real ones have some thousands of elements, and kilobytes to megabytes. */
const MAX_ELEMENTS = 250_000
const MAX_CHARACTERS = 32 * 1024 * 1024
const MAX_NUMBERS = 5_000
/** The longest part of a start tag that may be kept: six values of a bounded length. */
const KEPT_OF_TAG = 384 * 1024

const ACCEPTANCE = /^supplierAcceptance$/i

/** The element that is open outside a product. `wrapper`: any other element, which may hold products. */
type Section =
  | 'root'
  | 'wrapper'
  | 'business'
  | 'response'
  | 'company'
  | 'contact'
  | 'include'
  | 'sectional'
  | 'elsewhere'

/**
 * Reads an IPC-1752A or 1752B declaration in pieces, by local names: write its text, then call `end`. A Product is a child of the root, or of elements in it that have nothing
 * else to say: `IPC-1752B`, or a list of products; one inside another product is a sub-product. Each product is handed over at its end tag and not kept, so memory follows the largest product, not the file.
 */
export function createDeclarationReader(onProduct: (product: Article) => void) {
  const header: Draft<DeclarationHeader> = {
    standard: '1752A',
    namespace: '',
    responseDate: '',
    supplier: '',
    companyIds: [],
    mode: '',
    hasRequest: false,
    hasResponse: false,
    supplierAcceptance: '',
    comment: '',
    hasDeclaration: false,
    announced: [],
    contact: { name: '', email: '', phone: '' },
    unread: [],
  }
  const sections: Section[] = []
  let product: OpenProduct | undefined

  const { write, end } = createXmlReader({ open, close, usual: USUAL, noted: ANSWER_NAME })
  return {
    write,
    end,
    /** What the file says outside its products; complete only after `end`, because it may come last. */
    header: (): DeclarationHeader => header,
  }

  function open(name: string, attributes: XmlAttributes): void {
    const parent = sections.at(-1)
    if (attributes.hasOthers()) readAcceptance(attributes)
    if (ACCEPTANCE.test(name)) readAcceptanceElement(name, attributes)
    if (product) openInside(product, name, attributes)
    else if (name === 'Product' && (parent === 'root' || parent === 'wrapper')) {
      const article = newArticle(attributes)
      product = { article, levels: [{ in: 'article', article }], elements: 0, characters: 0 }
      if (isUnusual(attributes)) addUnread(article.unread, answersIn(name, attributes))
    } else {
      sections.push(
        parent === undefined ? enterRoot(name, attributes) : enterSection(parent, name, attributes),
      )
      if (isUnusual(attributes)) addUnread(header.unread, answersIn(name, attributes))
    }
  }

  function close(): void {
    if (!product) {
      sections.pop()
      return
    }
    const { article, levels } = product
    const level = levels.pop()!
    // An exemption that is named nowhere that is known may be named elsewhere, in its text for example.
    if (level.in === 'exemption' && !level.isNamed) level.claims.hasUnknownExemption = true
    if (levels.length > 0) return
    product = undefined
    onProduct(article)
  }

  /** Wherever the file says it; of several answers the one that is not accepted decides. */
  function readAcceptance(attributes: XmlAttributes): void {
    for (const [name, value] of attributes.all()) if (ACCEPTANCE.test(name)) addAcceptance(value)
  }

  /** The text of an element is not read. */
  function readAcceptanceElement(name: string, attributes: XmlAttributes): void {
    const value = attributes.get('value')
    if (value !== undefined) addAcceptance(value)
    else addUnread(header.unread, [{ text: `the text of ${name} is not read`, line: attributes.line() }])
  }

  function addAcceptance(value: string): void {
    const next = detached(value.slice(0, KEPT_CHARACTERS)).trim()
    if (next === '') return
    const both = [acceptanceOf(header), acceptanceOf({ supplierAcceptance: next })]
    const isWorse = header.supplierAcceptance === '' || worstAcceptance(both) === both[1]
    if (isWorse) header.supplierAcceptance = next
  }

  function enterRoot(name: string, attributes: XmlAttributes): Section {
    header.namespace = attributes.namespace() ?? ''
    const foreign = foreignName(name, header.namespace, text(attributes, 'version'))
    if (foreign !== undefined) throw new NotADeclaration(foreign)
    if (name === 'IPC-1752B' || /1752B/i.test(header.namespace)) header.standard = '1752B'
    return 'root'
  }

  function enterSection(parent: Section, name: string, attributes: XmlAttributes): Section {
    if (parent === 'root' || parent === 'wrapper') {
      if (name === 'BusinessInfo') {
        header.mode ||= text(attributes, 'mode').trim()
        return 'business'
      }
      if (name === 'Include') return 'include'
      if (name === 'IPC-1752B') header.standard = '1752B'
      refuseForeign(name)
      return 'wrapper'
    }
    if (parent === 'business' && name === 'Request') header.hasRequest = true
    if (parent === 'business' && name === 'Response') {
      header.hasResponse = true
      header.responseDate ||= text(attributes, 'date')
      header.comment ||= text(attributes, 'comment').trim()
      return 'response'
    }
    if ((parent === 'business' || parent === 'response') && name === 'Declaration') {
      header.hasDeclaration = true
    }
    if ((parent === 'business' || parent === 'response') && name === 'SupplyCompany') {
      header.supplier ||= text(attributes, 'name')
      return 'company'
    }
    if (parent === 'response' && name === 'Contact') {
      header.contact.name ||= text(attributes, 'name').trim()
      return 'contact'
    }
    if (parent === 'contact' && name === 'Email') header.contact.email ||= text(attributes, 'address').trim()
    if (parent === 'contact' && name === 'Phone') header.contact.phone ||= text(attributes, 'number').trim()
    if (parent === 'company' && name === 'CompanyID' && header.companyIds.length < MAX_IDENTITIES) {
      header.companyIds.push(identity(attributes))
    }
    if (parent === 'include' && name === 'Sectional') {
      const section = text(attributes, 'name')
      // IPC-1751 is the part that all of the family have in common.
      if (!section.includes('1751')) refuseForeign(section)
      return 'sectional'
    }
    if (parent === 'sectional' && name === 'SubSectional' && header.announced.length < MAX_IDENTITIES) {
      const letter = text(attributes, 'name').trim()
      if (!header.announced.includes(letter)) header.announced.push(letter)
    }
    return 'elsewhere'
  }
}

/** A file of another standard may use the namespace of IPC-1752: its elements and sections then name it. */
function refuseForeign(name: string): void {
  const foreign = foreignStandard(name)
  if (foreign !== undefined) throw new NotADeclaration(foreign)
}

/** What a file is by its root element (or a child of it) when it is no IPC-1752A/B declaration; undefined when it may be one. */
function foreignName(name: string, namespace: string, version: string): string | undefined {
  if (/iec_?62474/i.test(namespace) || /iec_?62474/i.test(name))
    return 'an IEC 62474 declaration, not IPC-1752A/B'
  const other = foreignStandard(`${namespace} ${name}`)
  if (other !== undefined) return other
  if (isFirstGeneration(name, namespace, version)) return 'an IPC-1752 version 1 form, not IPC-1752A/B'
  return name === 'MainDeclaration' || name === 'IPC-1752B'
    ? undefined
    : `not an IPC-1752A/B declaration: the root element is <${name}>`
}

/** Names another standard of the family when a text, such as the name of an element, has its number. */
function foreignStandard(text: string): string | undefined {
  const other = /(?:ipc[-_ ]?|175x\/)(17(?:51|5[3-9]))/i.exec(text)
  return other === null ? undefined : `an IPC-${other[1]} file, not IPC-1752A/B`
}

/** The PDF forms of 2006 to 2010, with another vocabulary and a version 1.x. */
function isFirstGeneration(name: string, namespace: string, version: string): boolean {
  if (/175x\/1\.\d|1752[-_/]?(?:v?1\.\d)/i.test(namespace)) return true
  // A namespace of a later version decides; the version beside it may be that of the file.
  if (/175x\/(?:[2-9]|1752)/i.test(namespace)) return false
  if (name === 'MainDeclaration') return /^\s*1(?:\.|$)/.test(version)
  return name !== 'IPC-1752B' && /^(?:ipc[-_]?)?1752/i.test(name)
}

/** A product whose end tag is not read yet, with its open elements. */
interface OpenProduct {
  readonly article: Draft<Article>
  readonly levels: Level[]
  elements: number
  characters: number
}

/**
 * Fills a product from an element in it. A SubstanceCategoryList is class C under MaterialInfo, class D inside a HomogeneousMaterial.
 * What states something in a place that is not known is not read, and the article says so.
 */
function openInside(product: OpenProduct, name: string, attributes: XmlAttributes): void {
  const { levels } = product
  const level = enter(levels.at(-1)!, name, attributes)
  if (attributes.hasOthers() || (attributes.hasNoted() && !isThreshold(level, name))) {
    notUnderstood(product, level, name, attributes)
  }
  const matter = level === ELSEWHERE ? matterOf(name) : 'kept'
  // What is not read is not kept either.
  if (matter === 'kept') product.characters += Math.min(attributes.length(), KEPT_OF_TAG)
  else if (matter === 'statements') overlook(levels, name, attributes.line())
  else if (isAboutExemptions(name)) overlookExemption(levels)
  else if (level === ELSEWHERE) overlookAnswer(product, name, attributes)
  levels.push(level)
  product.elements += 1
  if (product.elements > MAX_ELEMENTS) throw tooLarge(`${MAX_ELEMENTS} elements`)
  if (product.characters > MAX_CHARACTERS) throw tooLarge(`${MAX_CHARACTERS} characters`)
  if (product.article.ids.length > MAX_NUMBERS) throw tooLarge(`${MAX_NUMBERS} part numbers`)
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
    'Substance',
    'QueryList',
  ].flatMap((name) => [[name, 'statements'] as const, [name.toLowerCase(), 'statements'] as const]),
])

/** What states something does so in any case. */
function matterOf(name: string): 'kept' | 'statements' | undefined {
  return MATTERS.get(name) ?? MATTERS.get(name.toLowerCase())
}

const MAX_REASONS = 20

function overlook(levels: readonly Level[], name: string, line: number): void {
  const { article } = levels.findLast((level) => 'article' in level)!
  addUnread(article.unread, [{ text: `a ${name} in an unknown place is not read`, line }])
}

function addUnread(known: Draft<Unread>[], more: readonly Unread[]): void {
  for (const one of more) {
    if (known.length < MAX_REASONS && !known.some(({ text }) => text === one.text)) known.push(one)
  }
}

/** The usual attributes of what a product states; a tag with any other one is looked at again. */
const USUAL: ReadonlySet<string> = new Set(
  'name identity authority value UOM reportableApplication threshold comment revision materialGroupName description itemNumber itemName requesterItemNumber requesterItemName manufacturingSite version unitType numberOfInstances'.split(
    ' ',
  ),
)

/** The attribute whose answer is understood, in a Threshold of a category. */
const ANSWER_NAME = 'overThreshold'

function isThreshold(level: Level, name: string): boolean {
  return level.in === 'insideCategory' && name === 'Threshold'
}

function isUnusual(attributes: XmlAttributes): boolean {
  return attributes.hasOthers() || attributes.hasNoted()
}

/** A threshold answer that none of the known places has belongs to the list that it is in, else to the product. */
function notUnderstood(product: OpenProduct, level: Level, name: string, attributes: XmlAttributes): void {
  const answers = answersIn(name, attributes, isThreshold(level, name) ? ANSWER_NAME : undefined)
  if (answers.length > 0) addUnread(unreadAt([...product.levels, level]), answers)
}

/** The same for an element that is an answer by its name or its value. */
function overlookAnswer({ levels }: OpenProduct, name: string, attributes: XmlAttributes): void {
  const value = attributes.get('value') ?? (ANSWER.test(name) ? 'over' : '')
  if (!saysOver(name, value)) return
  addUnread(unreadAt(levels), [{ text: `<${name}> is not understood`, line: attributes.line() }])
}

function unreadAt(levels: readonly Level[]): Draft<Unread>[] {
  const list = levels.findLast((level) => level.in === 'list')
  return (list?.list ?? levels.findLast((level) => 'article' in level)!.article).unread
}

/** Names that answer whether something is over its threshold, and those that answer whether it is not. */
const ANSWER =
  /^(?:is|has|was)?_?-?(?:over(?!all|ride|view)|above|exceed|beyond|greater)|threshold.|exceed(?:s|ed)?$|^(?:is|has)?_?-?(?:present|contain(?:s|ed)?|detected|non_?-?complian(?:t|ce))$/i
const REVERSED =
  /^(?:is|was)?_?-?(?:below|under|within|less)|^(?:is|was)?_?-?not(?:over|above|exceed)|(?<!non_?-?)(?:complian(?:t|ce)|compl(?:y|ies)|conform(?:s|ant|ity)?)$/i

/** The threshold answers of a tag, without the attribute that is understood; "not over" needs no attention. */
function answersIn(name: string, attributes: XmlAttributes, known?: string): readonly Unread[] {
  return attributes.all().flatMap(([key, value]) =>
    key === known || USUAL.has(key) || !saysOver(key, value)
      ? []
      : [
          {
            text: `${key}="${value.trim().slice(0, 40)}" of a ${name} is not understood`,
            line: attributes.line(),
          },
        ],
  )
}

/** True where an answer that is not understood may say "over": by its name, or by its value whatever the name. */
function saysOver(name: string, value: string): boolean {
  if (REVERSED.test(name)) return SAYS_NO.test(value) || SAYS_OVER.test(value)
  return ANSWER.test(name) ? !SAYS_NOT_OVER.test(value) : SAYS_OVER.test(value)
}

const SAYS_NO = /^\s*(?:false|0|no|n)\s*$/i
const LIMIT = '(?: (?:the )?(?:threshold|limit)s?)?'
const SAYS_NOT_OVER = new RegExp(
  `^\\s*(?:false|0|no|n|none|(?:not (?:over|above|exceed\\w*)|below|under)${LIMIT}|)\\s*$`,
  'i',
)
const SAYS_OVER = new RegExp(
  `^\\s*(?:is )?(?:(?:over|above|exceed(?:s|ed|ing)?)${LIMIT}|(?:non?|not)[- _]?(?:complian(?:t|ce)|conform\\w*)|fail(?:s|ed)?)\\s*$`,
  'i',
)

/** An exemption where none is expected belongs to the nearest element that may have one. */
function overlookExemption(levels: readonly Level[]): void {
  if (takesExemptions(levels.at(-1)!)) return
  claimsAt(levels.findLast(takesExemptions)!)!.hasUnknownExemption = true
}

function tooLarge(limit: string): XmlProblem {
  return new XmlProblem(`a single product has more than ${limit}`)
}

/** What is being read: the same without `readonly`. */
type Draft<T> = T extends readonly (infer E)[]
  ? Draft<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Draft<T[K]> }
    : T

/** An open element inside a product, and what its children fill. */
type Level =
  | { readonly in: 'article' | 'info' | 'materials'; readonly article: Draft<Article> }
  | { readonly in: 'id'; readonly id: Draft<ProductIdentity> }
  | { readonly in: 'list'; readonly list: Draft<CategoryList> }
  | {
      readonly in: 'category'
      readonly category: Draft<SubstanceCategory>
      readonly hasExemptionAttribute: boolean
    }
  | {
      readonly in: 'insideCategory'
      readonly category: Draft<SubstanceCategory>
      readonly isSubstance: boolean
    }
  | {
      readonly in: 'material' | 'contents'
      readonly article: Draft<Article>
      readonly material: Draft<Material>
      /** The category of a list of substances, and what is stated of it as a whole. */
      readonly category?:
        | { readonly name: string; substance: Draft<Substance> | 'others' | undefined }
        | undefined
    }
  | {
      readonly in: 'substance'
      readonly article: Draft<Article>
      readonly material: Draft<Material>
      readonly substance: Draft<Substance>
    }
  | {
      readonly in: 'exemptions'
      readonly claims: Draft<ExemptionClaims>
      readonly added: Draft<Exemption>[]
      list: string
    }
  | {
      readonly in: 'exemption'
      readonly claims: Draft<ExemptionClaims>
      readonly exemption: Draft<Exemption>
      isNamed: boolean
    }
  | { readonly in: 'queries'; readonly list: Draft<QueryList> }
  | { readonly in: 'query'; readonly statement: Draft<QueryStatement> }
  | { readonly in: 'elsewhere' }
type LevelIn<In extends Level['in']> = Extract<Level, { readonly in: In }>

/** What is not read, with all its children. */
const ELSEWHERE: Level = { in: 'elsewhere' }

/** Takes a start tag inside an open element into the draft, and gives what its own children fill. */
function enter(level: Level, name: string, attributes: XmlAttributes): Level {
  if (level.in === 'exemptions') return enterExemptions(level, name, attributes)
  if (level.in === 'exemption') return enterExemption(level, name, attributes)
  if (isAboutExemptions(name)) {
    const claims = claimsAt(level)
    return claims === undefined ? ELSEWHERE : enterClaims(claims, name, attributes)
  }
  switch (level.in) {
    case 'article':
      return enterArticle(level.article, name, attributes)
    case 'info':
      return enterInfo(level.article, name, attributes)
    case 'id':
      if (name === 'Amount') level.id.mass = statedValue(name, attributes)
      return ELSEWHERE
    case 'list':
      return enterList(level.list, name, attributes)
    case 'category':
      return enterCategory(level, name, attributes)
    case 'insideCategory':
      return enterInsideCategory(level, name, attributes)
    case 'materials':
      return name === 'HomogeneousMaterial' ? addMaterial(level.article, attributes) : ELSEWHERE
    case 'material':
      if (name === 'Amount') level.material.amount ??= statedValue(name, attributes)
      return enterContents(level, name, attributes)
    case 'contents':
      return enterContents(level, name, attributes)
    case 'substance':
      return enterSubstance(level, name, attributes)
    case 'queries':
      return enterQueries(level.list, name, attributes)
    case 'query':
      return enterQuery(level.statement, name, attributes)
    case 'elsewhere':
      return ELSEWHERE
  }
}

/** True for an open element in which an exemption can be stated. */
function takesExemptions(level: Level): boolean {
  return !['id', 'queries', 'query', 'elsewhere'].includes(level.in)
}

/** What exemptions stated inside an open element are for; undefined where none can be stated. */
function claimsAt(level: Level): Draft<ExemptionClaims> | undefined {
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

function otherClaims(article: Draft<Article>, subject: string): Draft<ExemptionClaims> {
  const claims = { subject, exemptions: [], hasUnknownExemption: false }
  article.otherClaims.push(claims)
  return claims
}

/** The element names of a product in a product, and of lists of them. */
const PARTS = new Set(['SubProduct', 'Product'])
const PART_LISTS = new Set(['SubProductList', 'SubProducts', 'ProductList', 'Products'])

function enterArticle(article: Draft<Article>, name: string, attributes: XmlAttributes): Level {
  if (name === 'ProductID') {
    const id = {
      itemNumber: exactText(attributes, 'itemNumber'),
      itemName: text(attributes, 'itemName'),
      requesterItemNumber: exactText(attributes, 'requesterItemNumber'),
      requesterItemName: text(attributes, 'requesterItemName'),
      mass: undefined,
    }
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

/** An article from its start tag, without its children. */
function newArticle(attributes: XmlAttributes): Draft<Article> {
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
    line: attributes.line(),
    subProducts: [],
  }
}

function enterInfo(article: Draft<Article>, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceCategoryList') {
    const list: Draft<CategoryList> = {
      identity: '',
      authority: '',
      revision: '',
      categories: [],
      exemptions: [],
      hasUnknownExemption: false,
      unread: [],
      line: attributes.line(),
    }
    article.lists.push(list)
    return { in: 'list', list }
  }
  if (name === 'HomogeneousMaterialList') return { in: 'materials', article }
  if (name === 'HomogeneousMaterial') return addMaterial(article, attributes)
  if (PARTS.has(name) || PART_LISTS.has(name)) return enterArticle(article, name, attributes)
  if (name === 'QueryList') {
    const list: Draft<QueryList> = { identity: '', statements: [], line: attributes.line() }
    article.queryLists.push(list)
    return { in: 'queries', list }
  }
  if (name === 'MaterialGroupList') article.hasMaterialGroups = true
  return ELSEWHERE
}

/** Most categories state nothing more: they share one empty list, which is replaced by the first value. */
const NONE: never[] = []

function enterList(list: Draft<CategoryList>, name: string, attributes: XmlAttributes): Level {
  if (name === 'SubstanceCategoryListID') {
    list.identity ||= text(attributes, 'identity')
    list.authority ||= text(attributes, 'authority')
    list.revision ||= text(attributes, 'revision')
  }
  if (name !== 'SubstanceCategory') return ELSEWHERE
  const category: Draft<SubstanceCategory> = {
    name: text(attributes, 'name'),
    code: '',
    authority: '',
    substances: NONE,
    over: undefined,
    threshold: '',
    application: applicationIn(attributes),
    amounts: NONE,
    concentrations: NONE,
    exemptions: NONE,
    hasUnknownExemption: false,
    line: attributes.line(),
  }
  list.categories.push(category)
  return { in: 'category', category, hasExemptionAttribute: hasExemptionAttribute(attributes) }
}

/** What an entry is about, where that is not all; most are. */
function applicationIn(attributes: XmlAttributes): string {
  const written = attributes.get('reportableApplication') ?? 'All'
  return written === 'All' ? '' : detached(written.slice(0, 200)).trim()
}

function addMaterial(article: Draft<Article>, attributes: XmlAttributes): Level {
  const material = {
    name: text(attributes, 'name'),
    line: attributes.line(),
    amount: quantity(attributes),
    substances: [],
  }
  article.materials.push(material)
  return { in: 'material', article, material }
}

/** What holds the substances of a material, beside their category; the standard has the first. */
const CONTENTS = new Set(['SubstanceCategoryList', 'SubstanceList', 'Substances'])

function enterContents(
  { article, material, category }: LevelIn<'material' | 'contents'>,
  name: string,
  attributes: XmlAttributes,
): Level {
  if (name === 'SubstanceCategory') {
    const inside = { name: text(attributes, 'name'), substance: undefined }
    return { in: 'contents', article, material, category: inside }
  }
  if (CONTENTS.has(name)) return { in: 'contents', article, material, category }
  if (category !== undefined && VALUES.has(name)) {
    // What is stated of a category alone is that of a substance of its name; beside substances, it is their sum.
    if (category.substance === undefined) {
      category.substance = { name: category.name, ids: [], amount: undefined, concentration: undefined }
      material.substances.push(category.substance)
    }
    if (category.substance !== 'others') addValue(category.substance, name, attributes)
    return ELSEWHERE
  }
  if (name !== 'Substance') return ELSEWHERE
  if (category !== undefined && category.substance !== 'others') {
    const { substance } = category
    if (substance !== undefined) material.substances.splice(material.substances.indexOf(substance), 1)
    category.substance = 'others'
  }
  const substance = {
    name: text(attributes, 'name'),
    ids: numbersIn(attributes),
    amount: quantity(attributes),
    concentration: undefined,
    ...(category === undefined || category.name === '' ? {} : { category: category.name }),
  }
  material.substances.push(substance)
  const level = { in: 'substance', article, material, substance } as const
  if (hasExemptionAttribute(attributes)) claimsAt(level)!.hasUnknownExemption = true
  return level
}

/** Of two amounts of a substance the higher one, as far as they can be compared; else the first. */
function higher(first: Quantity | undefined, next: Quantity | undefined): Quantity | undefined {
  if (first === undefined || next === undefined) return first ?? next
  const isHigher = [absoluteMassMg, concentrationPercent].some(
    (read) => (read(next) ?? 0) > (read(first) ?? Infinity),
  )
  return isHigher ? next : first
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** The CAS numbers in attributes that have none by the standard, such as `cas`. */
function numbersIn(attributes: XmlAttributes, usual: ReadonlySet<string> = USUAL): Identity[] {
  if (usual === USUAL && !attributes.hasOthers()) return []
  return attributes
    .all()
    .filter(([name, value]) => !usual.has(name) && casNumber(value) !== undefined)
    .map(([name]) => ({ identity: text(attributes, name), authority: 'CAS' }))
}

function enterSubstance(
  { article, substance }: LevelIn<'substance'>,
  name: string,
  attributes: XmlAttributes,
): Level {
  if (name === 'SubstanceID' || name === 'UniqueID') substance.ids.push(substanceIdentity(attributes))
  else if (!VALUES.has(name)) {
    const numbers = numbersIn(attributes, NO_NAMES)
    for (const id of numbers) substance.ids.push(id)
    if (numbers.length === 0 && NAMES_CAS.test(name))
      addUnread(article.unread, [
        { text: `a number in the text of ${name} is not read`, line: attributes.line() },
      ])
  }
  addValue(substance, name, attributes)
  return ELSEWHERE
}

const NAMES_CAS = /cas|^(?:substance|unique)id$/i

function addValue(substance: Draft<Substance>, name: string, attributes: XmlAttributes): void {
  const value = statedValue(name, attributes)
  if (name === 'Concentration') substance.concentration = higher(substance.concentration, value)
  else substance.amount = higher(substance.amount, value)
}

function enterCategory(level: LevelIn<'category'>, name: string, attributes: XmlAttributes): Level {
  const { category } = level
  switch (name) {
    case 'Threshold':
      category.threshold ||= detached((attributes.get('threshold') ?? '').slice(0, 200))
      category.over = worseThreshold(category.over, text(attributes, 'overThreshold'))
      if (isOver(category) !== false && level.hasExemptionAttribute) category.hasUnknownExemption = true
      return insideCategory(category, attributes)
    case 'SubstanceCategoryID':
      if (category.code === '') {
        category.code = text(attributes, 'identity')
        category.authority = text(attributes, 'authority')
      } else addSubstance(category, attributes)
      return ELSEWHERE
    case 'SubstanceID':
    case 'UniqueID':
      addSubstance(category, attributes)
      return ELSEWHERE
    case 'Substance':
      category.amounts = withQuantity(category.amounts, quantity(attributes))
      return insideCategory(category, attributes, true)
    default:
      addCategoryValue(category, name, attributes)
      return ELSEWHERE
  }
}

const MAX_VALUES = 50

function addCategoryValue(category: Draft<SubstanceCategory>, name: string, attributes: XmlAttributes): void {
  const value = statedValue(name, attributes)
  if (value === undefined) return
  if (name === 'Concentration') category.concentrations = withQuantity(category.concentrations, value)
  else category.amounts = withQuantity(category.amounts, value)
}

function withQuantity(known: readonly Quantity[], next: Quantity | undefined): Quantity[] {
  return next === undefined || known.length >= MAX_VALUES ? [...known] : [...known, next]
}

function addSubstance(category: Draft<SubstanceCategory>, attributes: XmlAttributes): void {
  if (category.substances.length >= MAX_VALUES) return
  category.substances = [...category.substances, substanceIdentity(attributes).identity]
}

/** A Threshold or a Substance of a category: what it states about exemptions is for the category. Its attributes matter where it is over. */
function insideCategory(
  category: Draft<SubstanceCategory>,
  attributes: XmlAttributes,
  isSubstance = false,
): Level {
  if (isOver(category) !== false && hasExemptionAttribute(attributes)) category.hasUnknownExemption = true
  return { in: 'insideCategory', category, isSubstance }
}

/** A substance that is over its own threshold makes its category so; its amounts are among those of the category. */
function enterInsideCategory(
  { category, isSubstance }: LevelIn<'insideCategory'>,
  name: string,
  attributes: XmlAttributes,
): Level {
  if (name === 'SubstanceID' || name === 'UniqueID') addSubstance(category, attributes)
  if (isSubstance) addCategoryValue(category, name, attributes)
  if (name !== 'Threshold') return ELSEWHERE
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

/** True for the name of an element or attribute that states something about exemptions. */
function isAboutExemptions(name: string): boolean {
  const first = name.charCodeAt(0) | 0x20
  return first === 0x65 && /^exemption/i.test(name)
}

/** True when a start tag itself states an exemption, in an attribute: no such form is known. */
function hasExemptionAttribute(attributes: XmlAttributes): boolean {
  return (
    attributes.hasOthers() &&
    attributes.all().some(([name, value]) => /^exemption/i.test(name) && value.trim() !== '')
  )
}

/** Takes an element named `Exemption…` into what it is stated for. */
function enterClaims(claims: Draft<ExemptionClaims>, name: string, attributes: XmlAttributes): Level {
  if (name === 'ExemptionList') return { in: 'exemptions', claims, added: [], list: '' }
  if (name === 'Exemption' || name === 'ExemptionID') return addExemption(claims, attributes, '')
  // The name of a list alone claims nothing.
  if (name !== 'ExemptionListID') claims.hasUnknownExemption = true
  return ELSEWHERE
}

function enterExemptions(level: LevelIn<'exemptions'>, name: string, attributes: XmlAttributes): Level {
  if (name === 'Exemption' || name === 'ExemptionID') {
    const added = addExemption(level.claims, attributes, level.list)
    level.added.push(added.exemption)
    return added
  }
  if (name === 'ExemptionListID') {
    level.list ||= text(attributes, 'identity').trim()
    for (const exemption of level.added) exemption.list ||= level.list
  } else level.claims.hasUnknownExemption = true
  return ELSEWHERE
}

/** Takes an element inside an Exemption or an ExemptionID. */
function enterExemption(level: LevelIn<'exemption'>, name: string, attributes: XmlAttributes): Level {
  if (name === 'ExemptionID') {
    level.exemption.identity ||= firstText(attributes, EXEMPTION_IDS)
    level.isNamed = true
  } else if (name === 'ExemptionListID') {
    level.exemption.list ||= text(attributes, 'identity').trim()
  } else if (isAboutExemptions(name)) {
    level.claims.hasUnknownExemption = true
  }
  return ELSEWHERE
}

const EXEMPTION_IDS = ['identity', 'name']

/** What else a tag says, in attributes that are not of the standard: `status=rejected`. A date informs. */
function oddTexts(attributes: XmlAttributes): readonly string[] {
  if (!attributes.hasOthers()) return []
  const others = attributes
    .all()
    .filter(([name, value]) => !USUAL.has(name) && !/^\s*\d[\d./-]{5,}/.test(value))
  return others.map(([name, value]) => `${name}=${value.trim()}`.slice(0, 200))
}

function addExemption(
  claims: Draft<ExemptionClaims>,
  attributes: XmlAttributes,
  list: string,
): LevelIn<'exemption'> {
  const exemption = {
    identity: firstText(attributes, EXEMPTION_IDS),
    description: [text(attributes, 'description'), text(attributes, 'comment'), ...oddTexts(attributes)]
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .join('; '),
    list,
  }
  claims.exemptions = [...claims.exemptions, exemption]
  const isNamed = [...EXEMPTION_IDS, 'description'].some((name) => attributes.get(name) !== undefined)
  return { in: 'exemption', claims, exemption, isNamed }
}

/**
 * Takes an element inside a QueryList of class A. The names of its attributes are not verified: no file with class A was to be had. So
 * the usual ones are all tried.
 */
function enterQueries(list: Draft<QueryList>, name: string, attributes: XmlAttributes): Level {
  if (name === 'QueryListID') {
    list.identity ||= text(attributes, 'identity').trim()
    return ELSEWHERE
  }
  const statement = {
    code: firstText(attributes, ['code', 'identity', 'id', 'number']),
    text: firstText(attributes, STATEMENT_TEXTS),
    answer: answerOf(attributes),
  }
  list.statements.push(statement)
  return { in: 'query', statement }
}

/** Takes an element inside one statement: its code, its text or its answer. */
function enterQuery(statement: Draft<QueryStatement>, name: string, attributes: XmlAttributes): Level {
  if (/(?:ID|Code)$/.test(name)) {
    statement.code ||= firstText(attributes, ['identity', 'code', 'id', 'value'])
  } else {
    statement.text ||= firstText(attributes, STATEMENT_TEXTS)
    statement.answer ??= answerOf(attributes)
  }
  return { in: 'query', statement }
}

const STATEMENT_TEXTS = ['statement', 'text', 'question', 'description', 'name']
const ANSWERS = ['response', 'answer', 'value', 'selected', 'checked', 'isTrue', 'queryResponse']

function answerOf(attributes: XmlAttributes): string | undefined {
  const found = ANSWERS.map((name) => attributes.get(name)).find((value) => value !== undefined)
  return found?.slice(0, 100).trim()
}

function identity(attributes: XmlAttributes): Identity {
  return { identity: text(attributes, 'identity'), authority: text(attributes, 'authority') }
}

/** That of a substance: some writers swap a CAS number with who gave it, or write it in another attribute. */
function substanceIdentity(attributes: XmlAttributes): Identity {
  const usual = identity(attributes)
  if (casNumber(usual.identity) !== undefined) return usual
  return numbersIn(attributes, NO_NAMES)[0] ?? usual
}

/** An amount: a child's `@value` and `@UOM`, or the same two on the element itself. Undefined without a value. */
function quantity(attributes: XmlAttributes): Quantity | undefined {
  return attributes.get('value') === undefined
    ? undefined
    : { value: text(attributes, 'value'), unit: text(attributes, 'UOM') }
}

/** The elements that state how much something is. */
const VALUES = new Set(['Amount', 'Concentration'])
/** Others that say so by their names. */
const SAYS_VALUE = /concentration|mass|weight|percent|ppm|amount|content/i

/** How much an element states. What is not written as by the standard is quoted, and cannot be read. */
function statedValue(name: string, attributes: XmlAttributes): Quantity | undefined {
  const isUsual = VALUES.has(name)
  if (isUsual) {
    const value = quantity(attributes)
    if (value !== undefined || !attributes.hasOthers()) return value
  } else if (!SAYS_VALUE.test(name)) return undefined
  const odd = attributes.all().filter(([key, value]) => (!isUsual || !USUAL.has(key)) && /\d/.test(value))
  const written = odd.map(([key, value]) => `${key}=${value.trim()}`).join(' ')
  if (isUsual && written === '') return undefined
  return { value: detached(`${isUsual ? '' : `${name} `}${written}`.slice(0, 100)).trim(), unit: '' }
}

/** Far more than any report shows of a value; what is beyond is not kept. */
const KEPT_CHARACTERS = 64 * 1024
/** Part numbers are kept whole: they are matched exactly. */
const MAX_NUMBER = 1024 ** 2

/** The value of an attribute, to be kept; empty when it is not there. */
function text(attributes: XmlAttributes, name: string): string {
  return detached((attributes.get(name) ?? '').slice(0, KEPT_CHARACTERS))
}

/** The first of these attributes that is not blank, trimmed. */
function firstText(attributes: XmlAttributes, names: readonly string[]): string {
  return names.map((name) => text(attributes, name).trim()).find((value) => value !== '') ?? ''
}

function exactText(attributes: XmlAttributes, name: string): string {
  const value = attributes.get(name) ?? ''
  if (value.length > MAX_NUMBER) throw new XmlProblem(`${name} has more than ${MAX_NUMBER} characters`)
  return detached(value)
}
