import type {
  CategoryFacts,
  ListFacts,
  MaterialFacts,
  PartFacts,
  PartNumber,
  Quantity,
  SubProductFacts,
  SubstanceFacts,
} from './facts.ts'
import { type Attributes, decimal, element } from './xml-writer.ts'

export type Standard = '1752A' | '1752B'
export type DeclarationClass = 'C' | 'D'

/**
 * The declaration of a part as an IPC-1752A or IPC-1752B file: class C its lists, class D its materials. Undefined where
 * the supplier does not declare that class. The same facts always give the same text.
 */
export function declarationXml(
  facts: PartFacts,
  standard: Standard,
  declarationClass: DeclarationClass,
): string | undefined {
  const approved = approvalDate(facts, declarationClass)
  if (approved === undefined) return undefined
  const prefix = standard === '1752A' ? facts.style.prefix : undefined
  const e = prefix === undefined ? PLAIN : PREFIXED
  const both = declarationClass === 'D' && facts.material?.withRegulatory === true
  const classes: readonly DeclarationClass[] = both ? ['C', 'D'] : [declarationClass]
  const content = [
    businessInfo(e, facts, approved),
    include(e, classes),
    product(e, facts, standard, classes),
  ]
  const root = e(
    'MainDeclaration',
    { [prefix === undefined ? 'xmlns' : `xmlns:${prefix}`]: NAMESPACES[standard], version: '2.0' },
    standard === '1752B' ? [e('IPC-1752B', {}, content)] : content,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`
}

/** When this class of the part was last approved, `YYYY-MM-DD`; undefined where it is not declared. */
export function approvalDate(facts: PartFacts, declarationClass: DeclarationClass): string | undefined {
  return (declarationClass === 'C' ? facts.regulatory : facts.material)?.approved
}

type Writer = (name: string, attributes: Attributes, children?: readonly string[]) => string

const PLAIN: Writer = element
const PREFIXED: Writer = (name, attributes, children) => element(`ipc:${name}`, attributes, children)

// Most of a class C file are lists and categories that all parts have in common: their XML is kept.
const WRITTEN: ReadonlyMap<Writer, WeakMap<CategoryFacts | ListFacts, string>> = new Map([
  [PLAIN, new WeakMap()],
  [PREFIXED, new WeakMap()],
])

const NAMESPACES: Readonly<Record<Standard, string>> = {
  '1752A': 'http://webstds.ipc.org/175x/2.0',
  '1752B': 'https://webstds.ipc.org/175x/1752B/1752B',
}

const LEGAL =
  'Made-up data of a mock service: it describes no real product and must not be relied on.\nSupplier certifies nothing.'

function businessInfo(e: Writer, facts: PartFacts, approved: string): string {
  const { supplier, style, mode = 'Distribute', accepted = true } = facts
  const company = style.taxNumber
    ? { identity: 'XX 00 000 000', authority: 'VAT' }
    : { identity: supplier.id, authority: 'DUNS' }
  const person = [
    e('Email', { address: 'compliance@supplier.example' }),
    e('Phone', { number: '+00 00 000000' }),
  ]
  return e('BusinessInfo', { mode }, [
    e(
      mode === 'Request' ? 'Request' : 'Response',
      { date: style.oddDate ? `${approved}-00-00` : approved, fieldLock: 'false', comment: 'Made-up data' },
      [
        e('Authorizer', { name: 'Compliance desk' }, person),
        e('SupplyCompany', { name: supplier.name }, [e('CompanyID', company)]),
        e('Contact', { name: 'Compliance desk' }, person),
      ],
    ),
    e('Declaration', {
      legalType: 'Standard',
      supplierAcceptance: String(accepted),
      legalDef: LEGAL,
      uncertaintyStatement: '',
    }),
  ])
}

function include(e: Writer, classes: readonly DeclarationClass[]): string {
  const letters = classes.map((letter) => e('SubSectional', { name: letter }))
  return e('Include', {}, [e('Sectional', { name: 'MaterialInfo' }, letters)])
}

function product(
  e: Writer,
  facts: PartFacts,
  standard: Standard,
  classes: readonly DeclarationClass[],
): string {
  const { numbers, massMg, unitType = 'Each', regulatory, material } = facts
  const declared = classes.includes('D') ? material : undefined
  const subProducts = standard === '1752B' ? (declared?.subProducts ?? []) : []
  const lists = classes.includes('C') ? (regulatory?.lists ?? []) : []
  const materials = subProducts.length > 0 ? [] : (declared?.materials ?? [])
  const info = materialInfo(e, facts, lists, materials)
  return e('Product', { unitType, numberOfInstances: '1', comment: '' }, [
    ...numbers.map((number) => productId(e, number, massMg)),
    ...(lists.length + materials.length > 0 || subProducts.length === 0 ? [info] : []),
    ...subProducts.map((subProduct) => subProductXml(e, facts, subProduct)),
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

function subProductXml(e: Writer, facts: PartFacts, subProduct: SubProductFacts): string {
  const { number, name, massMg, materials } = subProduct
  return e('SubProduct', { unitType: 'Each', numberOfInstances: '1' }, [
    productId(e, { number, name }, massMg),
    materialInfo(e, facts, [], materials),
  ])
}

function materialInfo(
  e: Writer,
  facts: PartFacts,
  lists: readonly ListFacts[],
  materials: readonly MaterialFacts[],
): string {
  const homogeneous =
    materials.length === 0
      ? []
      : [
          e(
            'HomogeneousMaterialList',
            {},
            materials.map((material) => materialXml(e, facts, material)),
          ),
        ]
  return e('MaterialInfo', {}, [...lists.map((list) => listXml(e, list)), ...homogeneous])
}

function listXml(e: Writer, list: ListFacts): string {
  const { identity, authority, categories } = list
  const owner = authority === 'IPC' ? 'IPC' : 'IEC'
  return writtenOnce(e, list, () =>
    e('SubstanceCategoryList', {}, [
      e('SubstanceCategoryListID', { identity, authority }),
      ...categories.map((category) => writtenOnce(e, category, () => categoryXml(e, category, owner))),
    ]),
  )
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
  const children: string[] = []
  if (over !== undefined) children.push(e('Threshold', { overThreshold: String(over), threshold }))
  children.push(e('SubstanceCategoryID', { identity: code, authority }))
  if (amount !== undefined) children.push(e('Amount', quantity(amount)))
  if (concentrationPercent !== undefined) {
    children.push(e('Concentration', { value: decimal(concentrationPercent) }))
  }
  if (exemptions !== undefined) {
    children.push(
      e('ExemptionList', {}, [
        e('ExemptionListID', { identity: exemptions.list, authority: 'IPC' }),
        ...exemptions.items.map((identity) =>
          e('Exemption', { identity, description: `Exemption ${identity}` }),
        ),
      ]),
    )
  }
  return e('SubstanceCategory', { name, reportableApplication: application }, children)
}

function materialXml(
  e: Writer,
  { style }: PartFacts,
  { name, group, mass, substances }: MaterialFacts,
): string {
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
  const { name, cas, authority, mass, concentrationPercent } = substance
  return e('Substance', { name }, [
    e('SubstanceID', { identity: cas, authority }),
    ...(mass === undefined ? [] : [e('Amount', quantity(mass))]),
    ...(concentrationPercent === undefined
      ? []
      : [e('Concentration', { value: decimal(concentrationPercent) })]),
  ])
}

function quantity({ value, unit }: Quantity): Attributes {
  return { value: decimal(value), UOM: unit }
}
