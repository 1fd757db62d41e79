import type {
  CategoryFacts,
  ExemptionFacts,
  ListFacts,
  MaterialFacts,
  PartFacts,
  PartNumber,
  QuantityFacts,
  QueryListFacts,
  SubProductFacts,
  SubstanceFacts,
  XmlStyle,
} from './facts.ts'

export type XmlStandard = '1752A' | '1752B'
export type DeclarationClass = 'C' | 'D'

/**
 * The declaration of a part as an IPC-1752A or IPC-1752B file: class C its lists, class D its materials. Undefined where
 * the supplier does not declare that class. The same facts always give the same text.
 */
export function declarationXml(
  facts: PartFacts,
  standard: XmlStandard,
  declarationClass: DeclarationClass,
): string | undefined {
  const approved = approvalDate(facts, declarationClass)
  if (approved === undefined) return undefined
  const prefix = standard === '1752A' ? facts.style.prefix : undefined
  const e = prefix === undefined ? PLAIN : PREFIXED
  const declared = contentOf(facts, declarationClass)
  const content = [
    businessInfo(e, facts, approved),
    include(e, facts.mode === 'Request' ? [declarationClass] : letters(declared)),
    ...(declared.regulatory?.beside === undefined ? [] : [besideXml(e, declared.regulatory.beside)]),
    product(e, facts, standard, declared),
  ]
  const root = e(
    'MainDeclaration',
    { [prefix === undefined ? 'xmlns' : `xmlns:${prefix}`]: NAMESPACES[standard], version: '2.0' },
    standard === '1752B' ? [e('IPC-1752B', {}, content)] : content,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`
}

/** What a file states. */
type Content = Pick<PartFacts, 'regulatory' | 'material'>

/** A request is a form with nothing in it. */
function contentOf({ mode, regulatory, material }: PartFacts, declarationClass: DeclarationClass): Content {
  if (mode === 'Request') return {}
  if (declarationClass === 'C') return { regulatory }
  return material?.withRegulatory === true ? { regulatory, material } : { material }
}

/** The classes that a file announces. */
function letters({ regulatory, material }: Content): readonly string[] {
  const { lists = [], queries = [] } = regulatory ?? {}
  return [
    ...(queries.length > 0 ? ['A'] : []),
    ...(lists.length > 0 ? ['C'] : []),
    ...(material === undefined ? [] : ['D']),
  ]
}

/** When this class of the part was last approved, `YYYY-MM-DD`; undefined where it is not declared. */
export function approvalDate(facts: PartFacts, declarationClass: DeclarationClass): string | undefined {
  return (declarationClass === 'C' ? facts.regulatory : facts.material)?.approved
}

const NAMESPACES: Readonly<Record<XmlStandard, string>> = {
  '1752A': 'http://webstds.ipc.org/175x/2.0',
  '1752B': 'https://webstds.ipc.org/175x/1752B/1752B',
}

function include(e: Writer, classes: readonly string[]): string {
  const letters = classes.map((letter) => e('SubSectional', { name: letter }))
  return e('Include', {}, [e('Sectional', { name: 'MaterialInfo' }, letters)])
}

function product(e: Writer, facts: PartFacts, standard: XmlStandard, content: Content): string {
  const { numbers, massMg, unitType = 'Each', style } = facts
  const hasSubProducts = standard === '1752B' || style.subProducts === true
  const subProducts = hasSubProducts ? (content.material?.subProducts ?? []) : []
  const statements = [
    ...(content.regulatory?.queries ?? []).map((list) => queryListXml(e, list)),
    ...(content.regulatory?.lists ?? []).map((list) => listXml(e, list)),
  ]
  const materials = subProducts.length > 0 ? [] : (content.material?.materials ?? [])
  const hasInfo = statements.length + materials.length > 0 || subProducts.length === 0
  return e('Product', { unitType, numberOfInstances: '1', comment: facts.comment ?? '' }, [
    ...numbers.map((number) => productId(e, number, massMg)),
    ...(hasInfo ? [materialInfo(e, style, statements, materials)] : []),
    ...subProducts.map((subProduct) => subProductXml(e, style, subProduct)),
  ])
}

function productId(e: Writer, { number, name, requesterNumber }: PartNumber, massMg: number): string {
  return e(
    'ProductID',
    {
      itemNumber: number,
      itemName: name,
      manufacturingSite: '',
      version: '',
      requesterItemName: requesterNumber === undefined ? '' : name,
      requesterItemNumber: requesterNumber ?? '',
    },
    [e('Amount', { value: decimal(massMg), UOM: 'mg' })],
  )
}

function subProductXml(e: Writer, style: XmlStyle, subProduct: SubProductFacts): string {
  const { number, name, massMg, materials, instances = 1, subProducts = [] } = subProduct
  return e('SubProduct', { unitType: 'Each', numberOfInstances: String(instances) }, [
    productId(e, { number, name }, massMg),
    ...(materials.length > 0 ? [materialInfo(e, style, [], materials)] : []),
    ...subProducts.map((inner) => subProductXml(e, style, inner)),
  ])
}

function materialInfo(
  e: Writer,
  style: XmlStyle,
  statements: readonly string[],
  materials: readonly MaterialFacts[],
): string {
  const list = materials.map((material) => materialXml(e, style, material))
  return e('MaterialInfo', {}, [
    ...statements,
    ...(list.length === 0 ? [] : [e('HomogeneousMaterialList', {}, list)]),
  ])
}

const LEGAL =
  'Made-up data of a mock service: it describes no real product and must not be relied on.\nSupplier certifies nothing.'

/** The head of a file: who declares and when, or in a request who asks. */
function businessInfo(e: Writer, facts: PartFacts, approved: string): string {
  const { mode = 'Distribute', accepted = mode !== 'Request' } = facts
  return e('BusinessInfo', { mode }, [
    mode === 'Request' ? request(e, approved) : response(e, facts, approved),
    e('Declaration', {
      legalType: 'Standard',
      supplierAcceptance: String(accepted),
      legalDef: LEGAL,
      uncertaintyStatement: '',
    }),
  ])
}

function response(e: Writer, { supplier, style }: PartFacts, approved: string): string {
  const company = style.taxNumber
    ? { identity: 'XX 00 000 000', authority: 'VAT' }
    : { identity: supplier.id, authority: 'DUNS' }
  const person = personXml(e, 'compliance@supplier.example')
  return e(
    'Response',
    {
      date: style.dateText ?? (style.oddDate ? `${approved}-00-00` : approved),
      fieldLock: 'false',
      comment: 'Made-up data',
    },
    [
      e('Authorizer', { name: 'Compliance desk' }, person),
      e('SupplyCompany', { name: supplier.name }, [e('CompanyID', company)]),
      e('Contact', { name: 'Compliance desk' }, person),
    ],
  )
}

function request(e: Writer, date: string): string {
  return e('Request', { date, comment: 'Made-up data' }, [
    e('RequestCompany', { name: 'Example Buyer' }, [
      e('CompanyID', { identity: '999999999', authority: 'DUNS' }),
    ]),
    e('Contact', { name: 'Purchasing' }, personXml(e, 'purchasing@buyer.example')),
  ])
}

function personXml(e: Writer, address: string): readonly string[] {
  return [e('Email', { address }), e('Phone', { number: '+00 00 000000' })]
}

/** A homogeneous material of class D, its substances grouped by category. */
function materialXml(e: Writer, style: XmlStyle, { name, group, mass, substances }: MaterialFacts): string {
  const categories = [...new Set(substances.map(({ category }) => category))]
  const list = e('SubstanceCategoryList', {}, [
    e('SubstanceCategoryListID', { identity: 'EUROHS-1907', authority: 'IPC' }),
    ...categories.map((regulated) =>
      e(
        'SubstanceCategory',
        { name: regulated },
        substances
          .filter(({ category }) => category === regulated)
          .map((substance) => substanceXml(e, substance)),
      ),
    ),
  ])
  return style.massAttributes
    ? e('HomogeneousMaterial', { name, materialGroupName: group, ...quantity(mass) }, [list])
    : e('HomogeneousMaterial', { name, materialGroupName: group }, [e('Amount', quantity(mass)), list])
}

function substanceXml(e: Writer, substance: SubstanceFacts): string {
  const { name, cas, authority, mass, concentrationPercent, exemptions } = substance
  return e('Substance', { name }, [
    e('SubstanceID', { identity: cas, authority }),
    ...(mass === undefined ? [] : [e('Amount', quantity(mass))]),
    ...(concentrationPercent === undefined
      ? []
      : [e('Concentration', { value: decimal(concentrationPercent) })]),
    ...(exemptions === undefined ? [] : [exemptionsXml(e, exemptions)]),
  ])
}

/** Attributes in their order; undefined ones are left out. */
type Attributes = Readonly<Record<string, string | undefined>>

/** Writes elements of one file, with or without a namespace prefix. */
type Writer = (name: string, attributes: Attributes, children?: readonly string[]) => string

const PLAIN: Writer = element
const PREFIXED: Writer = (name, attributes, children) => element(`ipc:${name}`, attributes, children)

/** An element on lines of its own. `name` may have a prefix. */
function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  let open = `<${name}`
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) open += ` ${attribute}="${escapeAttribute(value)}"`
  }
  return children.length === 0 ? `${open}/>\n` : `${open}>\n${children.join('')}</${name}>\n`
}

/** A number with a decimal point and without an exponent. */
function decimal(value: number): string {
  const short = String(value)
  return short.includes('e') ? value.toFixed(15).replace(/\.?0+$/, '') : short
}

function quantity({ value, unit }: QuantityFacts): Attributes {
  return { value: decimal(value), UOM: unit }
}

/** Line breaks and tabs are escaped, since a parser makes spaces of them. What XML 1.0 cannot hold becomes U+FFFD. */
function escapeAttribute(value: string): string {
  if (!/[<>&"\u0000-\u001f\ufffe\uffff\ud800-\udfff]/.test(value)) return value
  return value
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[<>&"\t\n\r]/g, (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`)
}

// Most of a class C file are lists and categories that all parts have in common: their XML is kept.
const WRITTEN: ReadonlyMap<Writer, WeakMap<CategoryFacts | ListFacts, string>> = new Map([
  [PLAIN, new WeakMap()],
  [PREFIXED, new WeakMap()],
])

/** A list of class C. */
function listXml(e: Writer, list: ListFacts): string {
  const { identity, authority, categories } = list
  const owner = authority === 'IPC' ? 'IPC' : 'IEC'
  return writtenOnce(e, list, () =>
    e('SubstanceCategoryList', {}, [
      e('SubstanceCategoryListID', { identity, authority }),
      ...categories.map((category) => writtenOnce(e, category, () => categoryXml(e, category, owner))),
      ...(list.groupOver === undefined ? [] : [groupXml(e, list.groupOver)]),
    ]),
  )
}

/** Threshold answers in places that readers do not know. */
function groupXml(e: Writer, name: string): string {
  return e('SubstanceCategoryGroup', { name }, [e('Threshold', { overThreshold: 'true', threshold: '' })])
}

function besideXml(e: Writer, identity: string): string {
  return e('SubstanceSummary', { name: identity, aboveThreshold: 'true' })
}

/** The class A statements about one list. */
function queryListXml(e: Writer, { identity, statements }: QueryListFacts): string {
  return e('QueryList', {}, [
    e('QueryListID', { identity, authority: 'IPC' }),
    ...statements.map(({ code, text, isTrue }) =>
      e('Query', { code, statement: text, response: String(isTrue) }),
    ),
  ])
}

/** The exemptions of a category or a substance. */
function exemptionsXml(e: Writer, { list, items, isUnusual }: ExemptionFacts): string {
  return e('ExemptionList', {}, [
    e('ExemptionListID', { identity: list, authority: 'IPC' }),
    ...items.map((identity) =>
      isUnusual
        ? e('ExemptionCode', { code: identity })
        : e('Exemption', { identity, description: `Exemption ${identity}` }),
    ),
  ])
}

function writtenOnce(e: Writer, facts: CategoryFacts | ListFacts, write: () => string): string {
  const written = WRITTEN.get(e)!
  const known = written.get(facts)
  if (known !== undefined) return known
  const xml = write()
  written.set(facts, xml)
  return xml
}

function categoryXml(e: Writer, category: CategoryFacts, authority: string): string {
  const { code, name, threshold, application, over, amount, concentrationPercent, exemptions } = category
  const { concentrationText } = category
  const children: string[] = []
  if (over !== undefined) children.push(e('Threshold', { overThreshold: String(over), threshold }))
  children.push(e('SubstanceCategoryID', { identity: code, authority }))
  if (amount !== undefined) children.push(e('Amount', quantity(amount)))
  if (concentrationPercent !== undefined) {
    children.push(e('Concentration', { value: decimal(concentrationPercent) }))
  }
  if (concentrationText !== undefined) {
    const { value, unit } = concentrationText
    children.push(e('Concentration', { value, UOM: unit }))
  }
  if (exemptions !== undefined) children.push(exemptionsXml(e, exemptions))
  return e('SubstanceCategory', { name, reportableApplication: application }, children)
}
