import { businessInfo } from './business-info-xml.ts'
import type { MaterialFacts, PartFacts, PartNumber, SubProductFacts, XmlStyle } from './facts.ts'
import { materialXml } from './materials-xml.ts'
import { listXml, queryListXml } from './substance-lists-xml.ts'
import { decimal, PLAIN, PREFIXED, type Writer } from './xml-writer.ts'

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
  const declared = contentOf(facts, declarationClass)
  const content = [
    businessInfo(e, facts, approved),
    include(e, facts.mode === 'Request' ? [declarationClass] : letters(declared)),
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

const NAMESPACES: Readonly<Record<Standard, string>> = {
  '1752A': 'http://webstds.ipc.org/175x/2.0',
  '1752B': 'https://webstds.ipc.org/175x/1752B/1752B',
}

function include(e: Writer, classes: readonly string[]): string {
  const letters = classes.map((letter) => e('SubSectional', { name: letter }))
  return e('Include', {}, [e('Sectional', { name: 'MaterialInfo' }, letters)])
}

function product(e: Writer, facts: PartFacts, standard: Standard, content: Content): string {
  const { numbers, massMg, unitType = 'Each', style } = facts
  const hasSubProducts = standard === '1752B' || style.subProducts === true
  const subProducts = hasSubProducts ? (content.material?.subProducts ?? []) : []
  const statements = [
    ...(content.regulatory?.queries ?? []).map((list) => queryListXml(e, list)),
    ...(content.regulatory?.lists ?? []).map((list) => listXml(e, list)),
  ]
  const materials = subProducts.length > 0 ? [] : (content.material?.materials ?? [])
  const hasInfo = statements.length + materials.length > 0 || subProducts.length === 0
  return e('Product', { unitType, numberOfInstances: '1', comment: '' }, [
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
