import { createXmlReader, type XmlAttributes, type XmlReader } from '../base/xml.ts'
import {
  type Article,
  type DeclarationHeader,
  type Identity,
  isUnaccepted,
} from '../compliance/declaration.ts'
import {
  type ArticleDraft,
  createProductReader,
  identity,
  newArticle,
  type ProductReader,
  text,
} from './read-product.ts'

/** A file that is well-formed as far as it was read but no IPC-1752A/B declaration. `message` says what it is. */
export class NotADeclaration extends Error {
  override readonly name = 'NotADeclaration'
}

/** Reads one file in pieces: write its text, then call `end`. */
interface DeclarationReader extends XmlReader {
  /** What the file says outside its products; complete only after `end`, because it may come last. */
  readonly header: () => DeclarationHeader
}

/** A sender has a handful of identities, a file four classes; more are not kept. */
const MAX_IDENTITIES = 20

/** The element that is open outside a product. `wrapper`: any other element, which may hold products. */
type Section =
  | 'root'
  | 'wrapper'
  | 'business'
  | 'response'
  | 'company'
  | 'include'
  | 'sectional'
  | 'elsewhere'

/**
 * Reads an IPC-1752A or 1752B declaration by local names. A Product is a child of the root, or of elements in it that have nothing
 * else to say: `IPC-1752B`, or a list of products; one inside another product is a sub-product. Each product is handed over at its end tag and not kept, so memory follows the largest product, not the file.
 */
export function createDeclarationReader(onProduct: (product: Article) => void): DeclarationReader {
  const sections: Section[] = []
  const companyIds: Identity[] = []
  const announced = new Set<string>()
  let product: { readonly draft: ArticleDraft; readonly reader: ProductReader; depth: number } | undefined
  let namespace = ''
  let isB = false
  let responseDate = ''
  let supplier = ''
  let mode = ''
  let hasRequest = false
  let hasResponse = false
  let supplierAcceptance = ''
  let comment = ''
  let hasDeclaration = false

  const { write, end } = createXmlReader({ open, close })
  return {
    write,
    end,
    header: () => ({
      standard: isB ? '1752B' : '1752A',
      namespace,
      responseDate,
      supplier,
      companyIds,
      mode,
      hasRequest,
      hasResponse,
      supplierAcceptance,
      comment,
      hasDeclaration,
      announced: [...announced],
    }),
  }

  function open(name: string, attributes: XmlAttributes): void {
    const parent = sections.at(-1)
    if (product) {
      product.depth += 1
      product.reader.open(name, attributes)
    } else if (name === 'Product' && (parent === 'root' || parent === 'wrapper')) {
      const draft = newArticle(attributes)
      product = { draft, reader: createProductReader(draft), depth: 1 }
    } else {
      sections.push(parent === undefined ? enterRoot(name, attributes) : enter(parent, name, attributes))
    }
  }

  function close(): void {
    if (!product) {
      sections.pop()
      return
    }
    product.depth -= 1
    if (product.depth > 0) {
      product.reader.close()
      return
    }
    const { draft } = product
    product = undefined
    onProduct(draft)
  }

  function enterRoot(name: string, attributes: XmlAttributes): Section {
    namespace = attributes.namespace() ?? ''
    const foreign = foreignName(name, namespace, text(attributes, 'version'))
    if (foreign !== undefined) throw new NotADeclaration(foreign)
    isB = name === 'IPC-1752B' || /1752B/i.test(namespace)
    return 'root'
  }

  function enter(parent: Section, name: string, attributes: XmlAttributes): Section {
    if (parent === 'root' || parent === 'wrapper') {
      if (name === 'BusinessInfo') {
        mode ||= text(attributes, 'mode').trim()
        return 'business'
      }
      if (name === 'Include') return 'include'
      return enterWrapper(name)
    }
    if (parent === 'business' && name === 'Request') hasRequest = true
    if (parent === 'business' && name === 'Response') {
      hasResponse = true
      responseDate ||= text(attributes, 'date')
      comment ||= text(attributes, 'comment').trim()
      return 'response'
    }
    if ((parent === 'business' || parent === 'response') && name === 'Declaration') {
      hasDeclaration = true
      // Of several declarations of one file the one that is not accepted decides.
      if (isUnaccepted({ supplierAcceptance }) === false)
        supplierAcceptance = text(attributes, 'supplierAcceptance').trim() || supplierAcceptance
    }
    if ((parent === 'business' || parent === 'response') && name === 'SupplyCompany') {
      supplier ||= text(attributes, 'name')
      return 'company'
    }
    if (parent === 'company' && name === 'CompanyID' && companyIds.length < MAX_IDENTITIES) {
      companyIds.push(identity(attributes))
    }
    if (parent === 'include' && name === 'Sectional') {
      const section = text(attributes, 'name')
      // IPC-1751 is the part that all of the family have in common.
      if (!section.includes('1751')) refuseForeign(section)
      return 'sectional'
    }
    if (parent === 'sectional' && name === 'SubSectional' && announced.size < MAX_IDENTITIES) {
      announced.add(text(attributes, 'name').trim())
    }
    return 'elsewhere'
  }

  function enterWrapper(name: string): Section {
    if (name === 'IPC-1752B') isB = true
    refuseForeign(name)
    return 'wrapper'
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
  if (name === 'MainDeclaration') return /^\s*1(?:\.|$)/.test(version)
  return name !== 'IPC-1752B' && /^(?:ipc[-_]?)?1752/i.test(name)
}
