import { candidatesOf } from '../../support/candidate-list.ts'

/** Small declarations for the cases of this directory: what a file states as data, and its XML as several programs write it. */

/** What `overThreshold` says, as its text when it is no boolean; undefined leaves the Threshold out. */
export type Over = boolean | string | undefined
/** A value and its unit; no unit leaves `UOM` out. */
export type Quantity = readonly [value: number | string, unit?: string]

export interface Category {
  readonly name: string
  readonly code?: string | undefined
  readonly over?: Over
  readonly threshold?: string
  readonly amount?: Quantity
  readonly concentration?: Quantity
  /** Their identities, or also what describes them. */
  readonly exemptions?: readonly (string | { readonly identity: string; readonly description: string })[]
}

export interface List {
  readonly identity: string
  readonly authority?: string
  readonly revision?: string
  readonly categories: readonly Category[]
  /** Those of the list as a whole. */
  readonly exemptions?: readonly string[]
}

export interface Substance {
  readonly name: string
  /** The CAS number, or what stands in its place; undefined leaves the SubstanceID out. */
  readonly cas?: string | undefined
  readonly authority?: string
  readonly amount?: Quantity
  readonly concentration?: Quantity
  readonly exemptions?: readonly string[]
}

export interface Material {
  readonly name: string
  readonly amount?: Quantity
  readonly substances: readonly Substance[]
}

/** A class A statement and its answer. */
export type Query = readonly [statement: string, answer: boolean | string]

export interface Article {
  readonly lists?: readonly List[]
  readonly materials?: readonly Material[]
  readonly queries?: readonly { readonly list: string; readonly statements: readonly Query[] }[]
  readonly subProducts?: readonly (Article & { readonly part: string; readonly mass?: Quantity })[]
}

export interface Product extends Article {
  /** The numbers of the product: the supplier's, and the buyer's beside it. */
  readonly parts: readonly (string | { readonly number?: string; readonly buyer?: string })[]
  readonly mass?: Quantity
  readonly unitType?: string
  readonly comment?: string
}

export interface Declaration extends Article {
  /** The lists stand in an element that no writer is known to use. */
  readonly isMisplaced?: boolean
  /** The part, unless `products` or `parts` names several. */
  readonly part?: string
  readonly parts?: Product['parts']
  readonly mass?: Quantity
  readonly unitType?: string
  readonly products?: readonly Product[]
  readonly supplier?: string
  /** Company identifiers; by default one that is the supplier's own. */
  readonly ids?: readonly (readonly [identity: string, authority?: string])[]
  /** The response date; undefined leaves it out. */
  readonly date?: string | undefined
  readonly accepted?: string | undefined
  readonly comment?: string
  readonly productComment?: string
  readonly mode?: string
  readonly without?: readonly ('Response' | 'Declaration' | 'SupplyCompany')[]
}

export const DATE = '2026-03-02'
const SUPPLIER = 'Northern Resistors'
/** The identifiers of the suppliers in these cases. */
const COMPANY_IDS: Readonly<Record<string, string>> = {
  [SUPPLIER]: '804735132',
  'Southern Resistors': '561930274',
}

const GROUPS = {
  Cd: 'Cadmium/cadmium compounds',
  PBB: 'Polybrominated biphenyls (PBBs)',
  PBDE: 'Polybrominated diphenyl ethers (PBDEs)',
  CrVI: 'Chromium VI compounds',
  Pb: 'Lead/lead compounds',
  Hg: 'Mercury/mercury compounds',
  DEHP: 'Bis(2-ethylhexyl) phthalate (DEHP)',
  BBP: 'Butyl benzyl phthalate (BBP)',
  DBP: 'Dibutyl phthalate (DBP)',
  DIBP: 'Diisobutyl phthalate (DIBP)',
} as const

export type Group = keyof typeof GROUPS
export const ALL_GROUPS = Object.keys(GROUPS) as Group[]
export const METALS_AND_FLAME_RETARDANTS: readonly Group[] = ['Cd', 'PBB', 'PBDE', 'CrVI', 'Pb', 'Hg']
export const PHTHALATES: readonly Group[] = ['DEHP', 'BBP', 'DBP', 'DIBP']

type Stated = Over | (Omit<Category, 'name'> & { readonly name?: string })

/** A RoHS list that states these groups, none over its threshold but for the changes. */
export function rohs(
  changes: Partial<Record<Group, Stated>> = {},
  { list = 'EUROHS-1907', groups = ALL_GROUPS }: { list?: string; groups?: readonly Group[] } = {},
): List {
  return {
    identity: list,
    categories: groups.map((group) => {
      const change = group in changes ? changes[group] : false
      return {
        name: GROUPS[group],
        code: String(ALL_GROUPS.indexOf(group) + 1).padStart(5, '0'),
        threshold: `${group === 'Cd' ? '0.01% by weight (100 ppm)' : '0.1% by weight (1 000 ppm)'} of homogenous materials`,
        over: false,
        ...(typeof change === 'object' ? change : { over: change }),
      }
    }),
  }
}

/** Over the threshold, with these exemptions. */
export function exempt(...exemptions: NonNullable<Category['exemptions']>): Stated {
  return { over: true, exemptions }
}

const ENTRIES = {
  arsenate: { name: 'Triethyl arsenate', code: '00001' },
  dehp: { name: 'Bis (2-ethylhexyl) phthalate (DEHP)', code: '00009' },
  lead: { name: 'Lead', code: '00188' },
  bpa: { name: "4,4'-isopropylidenediphenol (bisphenol A)", code: '00174' },
} as const

export type Entry = keyof typeof ENTRIES
export const ALL_ENTRIES = Object.keys(ENTRIES) as Entry[]

/**
 * A Candidate List that states these entries, none over its threshold but for the changes; without `entries` all that the update has.
 */
export function reach(
  changes: Partial<Record<Entry, Stated>> = {},
  { list = 'EUREACH-0624', entries }: { list?: string; entries?: readonly Entry[] } = {},
): List {
  const named = (entries ?? ALL_ENTRIES).map((entry) => {
    const change = entry in changes ? changes[entry] : false
    return { ...ENTRIES[entry], over: false, ...(typeof change === 'object' ? change : { over: change }) }
  })
  const isNamed = ({ name }: { readonly name: string }): boolean =>
    ALL_ENTRIES.some((entry) => name === TABLE_NAMES[entry])
  const others = (entries === undefined && /\d{4}$/.test(list) ? candidatesOf(list) : [])
    .filter((one) => !isNamed(one))
    .map(({ name, code }) => ({ name, code: String(1_000 + Number(code)).padStart(5, '0'), over: false }))
  const threshold = '0.1% by weight (1 000 ppm) of any article'
  return { identity: list, categories: [...named, ...others].map((one) => ({ threshold, ...one })) }
}

/** How the table of the tool calls them. */
const TABLE_NAMES: Readonly<Record<Entry, string>> = {
  arsenate: 'Triethyl arsenate',
  dehp: 'Bis (2-ethylhexyl)phthalate (DEHP)',
  lead: 'Lead',
  bpa: "4,4'-isopropylidenediphenol",
}

/** Another list: names of its categories with what they state. */
export function other(identity: string, statements: Readonly<Record<string, Stated>>): List {
  return {
    identity,
    authority: 'Example',
    categories: Object.entries(statements).map(([name, stated], index) => ({
      name,
      code: `X${index + 1}`,
      threshold: '0.1% by weight (1 000 ppm)',
      ...(typeof stated === 'object' ? stated : { over: stated }),
    })),
  }
}

/** Class A statements on RoHS, in the words of the standard's second version. */
export const MEETS_ROHS = 'Product(s) meets EU RoHS requirements without any exemptions'
export const MEETS_WITH_EXEMPTIONS =
  'Product(s) meets EU RoHS requirements by application of the selected exemption(s)'
export const DOES_NOT_MEET_ROHS =
  'Product(s) does not meet EU RoHS requirements and is not under exemption(s)'

/** Class A answers on RoHS: the statement that is true, the two others false. */
export function classA(made: string): NonNullable<Article['queries']>[number] {
  const statements = [MEETS_ROHS, MEETS_WITH_EXEMPTIONS, DOES_NOT_MEET_ROHS]
  return { list: 'EUROHS-1907', statements: statements.map((statement) => [statement, statement === made]) }
}

/** A material with one substance of interest and a filler that has a CAS number of no concern. */
export function material(
  name: string,
  milligrams: number,
  cas: string,
  percent: number,
  substance = `Substance ${cas}`,
): Material {
  return {
    name,
    amount: [milligrams, 'mg'],
    substances: [
      { name: substance, cas, concentration: [percent] },
      { name: 'Copper', cas: '7440-50-8', concentration: [Number((100 - percent).toFixed(6))] },
    ],
  }
}

/** An element before it is text. */
interface Element {
  readonly name: string
  readonly attributes: readonly (readonly [string, string])[]
  readonly children: readonly Element[]
}

type Value = string | number | undefined

function element(
  name: string,
  attributes: Readonly<Record<string, Value>>,
  children: readonly (Element | undefined)[] = [],
): Element {
  const set = Object.entries(attributes).filter(([, value]) => value !== undefined)
  return {
    name,
    attributes: set.map(([key, value]) => [key, String(value)]),
    children: children.filter((child) => child !== undefined),
  }
}

function amountElement(name: string, quantity: Quantity | undefined): Element | undefined {
  return quantity && element(name, { value: quantity[0], UOM: quantity[1] })
}

function categoryElement({
  name,
  code,
  over,
  threshold,
  amount,
  concentration,
  exemptions = [],
}: Category): Element {
  return element('SubstanceCategory', { name, reportableApplication: 'All' }, [
    over === undefined ? undefined : element('Threshold', { overThreshold: String(over), threshold }),
    code === undefined ? undefined : element('SubstanceCategoryID', { identity: code, authority: 'IPC' }),
    amountElement('Amount', amount),
    amountElement('Concentration', concentration),
    exemptionList(exemptions),
  ])
}

function exemptionList(exemptions: NonNullable<Category['exemptions']>): Element | undefined {
  return exemptions.length === 0
    ? undefined
    : element('ExemptionList', {}, [
        element('ExemptionListID', { identity: 'EL2011/534/EU', authority: 'IPC' }),
        ...exemptions.map((one) =>
          element('Exemption', typeof one === 'string' ? { identity: one, description: '' } : { ...one }),
        ),
      ])
}

function listElement({ identity, authority = 'IPC', revision, categories, exemptions = [] }: List): Element {
  return element('SubstanceCategoryList', {}, [
    element('SubstanceCategoryListID', { identity, authority, revision }),
    ...categories.map(categoryElement),
    exemptionList(exemptions),
  ])
}

function substanceElement(substance: Substance): Element {
  const { name, cas, authority = 'CAS', amount, concentration, exemptions = [] } = substance
  return element('Substance', { name }, [
    cas === undefined ? undefined : element('SubstanceID', { identity: cas, authority }),
    amountElement('Amount', amount),
    amountElement('Concentration', concentration),
    exemptionList(exemptions),
  ])
}

function materialElement({ name, amount, substances }: Material): Element {
  return element('HomogeneousMaterial', { name }, [
    amountElement('Amount', amount),
    element('SubstanceCategoryList', {}, [
      element('SubstanceCategoryListID', { identity: 'JIG101-3', authority: 'JIG' }),
      element('SubstanceCategory', { name: 'Supplier' }, substances.map(substanceElement)),
    ]),
  ])
}

function materialInfo(
  { lists = [], materials = [], queries = [], subProducts = [] }: Article,
  isMisplaced = false,
): Element[] {
  const info = element('MaterialInfo', {}, [
    ...queries.map(({ list, statements }) =>
      element('QueryList', {}, [
        element('QueryListID', { identity: list, authority: 'IPC' }),
        ...statements.map(([statement, answer]) => element('Query', { statement, response: String(answer) })),
      ]),
    ),
    ...(isMisplaced ? [element('Special', {}, lists.map(listElement))] : lists.map(listElement)),
    materials.length === 0
      ? undefined
      : element('HomogeneousMaterialList', {}, materials.map(materialElement)),
  ])
  return [
    info,
    ...subProducts.map((sub) =>
      element('SubProduct', { numberOfInstances: '1' }, [
        element('ProductID', { itemNumber: sub.part, itemName: sub.part }, [
          amountElement('Amount', sub.mass),
        ]),
        ...materialInfo(sub),
      ]),
    ),
  ]
}

function productElement(product: Product, isMisplaced = false): Element {
  const { parts, mass, unitType = 'Each', comment } = product
  return element('Product', { unitType, comment }, [
    ...parts.map((part) => {
      const { number, buyer } = typeof part === 'string' ? { number: part, buyer: undefined } : part
      return element('ProductID', { itemNumber: number, itemName: 'a part', requesterItemNumber: buyer }, [
        amountElement('Amount', mass),
      ])
    }),
    ...materialInfo(product, isMisplaced),
  ])
}

function businessInfo(declaration: Declaration, legalDef: string): Element {
  const { supplier = SUPPLIER, comment, mode = 'Distribute', accepted = 'true', without = [] } = declaration
  const date = 'date' in declaration ? declaration.date : DATE
  const ids = declaration.ids ?? [[COMPANY_IDS[supplier] ?? supplier, 'DUNS']]
  return element('BusinessInfo', { mode }, [
    without.includes('Response')
      ? undefined
      : element('Response', { date, fieldLock: 'false', comment }, [
          element('Authorizer', { name: 'Quality' }, [element('Phone', { number: '0' })]),
          without.includes('SupplyCompany')
            ? undefined
            : element(
                'SupplyCompany',
                { name: supplier },
                ids.map(([identity, authority]) => element('CompanyID', { identity, authority })),
              ),
        ]),
    without.includes('Declaration')
      ? undefined
      : element('Declaration', { legalType: 'Standard', supplierAcceptance: accepted, legalDef }),
  ])
}

/** How a program writes its files. */
export interface Writer {
  readonly name: string
  readonly standard: '1752A' | '1752B'
  readonly prefix: string
  readonly quote: '"' | "'"
  readonly isReversed: boolean
  readonly hasEndTags: boolean
  /** Between elements, and between the attributes of an element. */
  readonly gap: string
  readonly attributeGap: string
  readonly isInfoInside: boolean
  readonly legalDef: string
  readonly start: string
}

const PLAIN: Writer = {
  name: '1752A in one line',
  standard: '1752A',
  prefix: '',
  quote: '"',
  isReversed: false,
  hasEndTags: false,
  gap: '',
  attributeGap: ' ',
  isInfoInside: true,
  legalDef: 'Supplier certifies.',
  start: '<?xml version="1.0" encoding="UTF-8"?>',
}

/** The shapes of files in which every case is written. */
export const WRITERS: readonly Writer[] = [
  PLAIN,
  {
    ...PLAIN,
    name: '1752A with a prefix, line breaks and reversed attributes',
    prefix: 'ipc:',
    quote: "'",
    isReversed: true,
    gap: '\n  ',
    attributeGap: '\n      ',
    legalDef: `${'Supplier certifies > everything;&#xA;'.repeat(60)}`,
    start: '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- <Product> in a comment -->\n',
  },
  {
    ...PLAIN,
    name: '1752B, nested, with end tags and CRLF',
    standard: '1752B',
    isReversed: true,
    hasEndTags: true,
    gap: '\r\n\t',
    start: '\ufeff<?xml version="1.0"?>\r\n',
  },
  {
    ...PLAIN,
    name: '1752B with a prefix and BusinessInfo beside the nested element',
    standard: '1752B',
    prefix: 'b:',
    isInfoInside: false,
    gap: '\n',
  },
]

const NAMESPACES = {
  '1752A': 'http://webstds.ipc.org/175x/2.0',
  '1752B': 'https://webstds.ipc.org/175x/1752B/1752B',
}

/** The XML of a declaration as a program writes it. */
export function xmlOf(declaration: Declaration, writer: Writer = PLAIN): string {
  const { part = 'P1', parts = [part], products, mass, unitType, productComment } = declaration
  const info = businessInfo(declaration, writer.legalDef)
  const single: Product = {
    ...declaration,
    parts,
    ...(mass === undefined ? {} : { mass }),
    ...(unitType === undefined ? {} : { unitType }),
    ...(productComment === undefined ? {} : { comment: productComment }),
  }
  const { comment: _, ...ownProduct } = single
  const body = (products ?? [productComment === undefined ? ownProduct : single]).map((one) =>
    productElement(one, declaration.isMisplaced),
  )
  const include = element('Include', {}, [element('Sectional', { name: 'MaterialInfo' })])
  const namespace = writer.prefix === '' ? 'xmlns' : `xmlns:${writer.prefix.slice(0, -1)}`
  const root = { [namespace]: NAMESPACES[writer.standard], version: '2.0' }
  if (writer.standard === '1752A') {
    return writer.start + text(element('MainDeclaration', root, [info, include, ...body]), writer)
  }
  const [beside, inside] = writer.isInfoInside ? [[], [info]] : [[info], []]
  const nested = element('IPC-1752B', {}, [...inside, include, ...body])
  return writer.start + text(element('MainDeclaration', root, [...beside, nested]), writer)
}

function text({ name, attributes, children }: Element, writer: Writer): string {
  const { prefix, quote, isReversed, gap, attributeGap, hasEndTags } = writer
  const ordered = isReversed ? attributes.toReversed() : attributes
  const written = ordered.map(([key, value]) => `${attributeGap}${key}=${quote}${escaped(value)}${quote}`)
  const open = `<${prefix}${name}${written.join('')}`
  if (children.length === 0 && !hasEndTags) return `${open}/>`
  // The order of these children is the writer's; of others it may carry meaning.
  const inOrder = isReversed && name === 'SubstanceCategory' ? children.toReversed() : children
  return `${open}>${inOrder.map((child) => gap + text(child, writer)).join('')}${gap}</${prefix}${name}>`
}

function escaped(value: string): string {
  return value
    .replace(/&(?!#xA;)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;')
}
