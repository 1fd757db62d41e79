import type { Article, DeclarationHeader, Identity } from '../compliance/declaration.ts'
import { type ArticleDraft, identity, newArticle, text } from './build.ts'
import { foreignName } from './foreign.ts'
import { createProductReader, type ProductReader } from './read-product.ts'
import type { TagReader } from './tag.ts'
import { type Attributes, createXmlScanner, type XmlScanner } from './xml-scan.ts'

/** A file that is well-formed as far as it was read but no IPC-1752A/B declaration. `message` says what it is. */
export class NotADeclaration extends Error {
  override readonly name = 'NotADeclaration'
}

/** Reads one file as it comes: write its text, then `end`, then ask for the head. */
export interface DeclarationReader extends XmlScanner {
  /** What the file says outside its products; whole only after `end`, for it may stand anywhere. */
  readonly header: () => DeclarationHeader
}

// Where in the document the reader is.
const ROOT = 1
const WRAPPER = 2
const BUSINESS = 3
const RESPONSE = 4
const COMPANY = 5
const INCLUDE = 6
const SECTIONAL = 7
const ELSEWHERE = 8

/** A sender has a handful of identities, a file four classes; more are not kept. */
const MOST_IDENTITIES = 20

type Place =
  | typeof ROOT
  | typeof WRAPPER
  | typeof BUSINESS
  | typeof RESPONSE
  | typeof COMPANY
  | typeof INCLUDE
  | typeof SECTIONAL
  | typeof ELSEWHERE

/**
 * Reads an IPC-1752A or 1752B declaration by local names: products stand under the root or under a child of it. Each product
 * is handed over at its end tag and not kept, so memory follows the largest product, not the file. `tags` may serve many files,
 * one after the other.
 */
export function createDeclarationReader(
  onProduct: (product: Article) => void,
  tags?: TagReader,
): DeclarationReader {
  const places: Place[] = []
  const companyIds: Identity[] = []
  const announced = new Set<string>()
  let product: { readonly draft: ArticleDraft; readonly reader: ProductReader; depth: number } | undefined
  let namespace = ''
  let isB = false
  let responseDate = ''
  let supplier = ''

  const scanner = createXmlScanner({ open, close }, tags)
  return {
    write: scanner.write,
    end: scanner.end,
    header: () => ({
      standard: isB ? '1752B' : '1752A',
      namespace,
      responseDate,
      supplier,
      companyIds,
      announced: [...announced],
    }),
  }

  function open(name: string, attributes: Attributes, prefix: string): void {
    if (product) {
      product.depth += 1
      product.reader.open(name, attributes)
      return
    }
    const parent = places.at(-1)
    if (parent === undefined) {
      enterRoot(name, attributes, prefix)
      return
    }
    if (name === 'Product' && (parent === ROOT || parent === WRAPPER)) {
      const draft = newArticle(attributes)
      product = { draft, reader: createProductReader(draft), depth: 1 }
      return
    }
    places.push(enter(parent, name, attributes))
  }

  function close(): void {
    if (!product) {
      places.pop()
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

  function enterRoot(name: string, attributes: Attributes, prefix: string): void {
    namespace = attributes.namespace(prefix) ?? ''
    const foreign = foreignName(name, namespace, text(attributes, 'version'))
    if (foreign !== undefined) throw new NotADeclaration(foreign)
    isB = name === 'IPC-1752B' || /1752B/i.test(namespace)
    places.push(ROOT)
  }

  function enter(parent: Place, name: string, attributes: Attributes): Place {
    if (parent === ROOT || parent === WRAPPER) {
      if (name === 'BusinessInfo') return BUSINESS
      if (name === 'Include') return INCLUDE
      if (parent === WRAPPER) return ELSEWHERE
      return enterWrapper(name)
    }
    if (parent === BUSINESS && name === 'Response') {
      responseDate ||= text(attributes, 'date')
      return RESPONSE
    }
    if ((parent === BUSINESS || parent === RESPONSE) && name === 'SupplyCompany') {
      supplier ||= text(attributes, 'name')
      return COMPANY
    }
    if (parent === COMPANY && name === 'CompanyID' && companyIds.length < MOST_IDENTITIES) {
      companyIds.push(identity(attributes))
    }
    if (parent === INCLUDE && name === 'Sectional') return SECTIONAL
    if (parent === SECTIONAL && name === 'SubSectional' && announced.size < MOST_IDENTITIES) {
      announced.add(text(attributes, 'name').trim())
    }
    return ELSEWHERE
  }

  function enterWrapper(name: string): Place {
    if (name === 'IPC-1752B') isB = true
    const foreign = /^IPC-?17/i.test(name) ? foreignName(name, '', '') : undefined
    if (foreign !== undefined && !isB) throw new NotADeclaration(foreign)
    return WRAPPER
  }
}
