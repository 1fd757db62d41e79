import { isAscii } from 'node:buffer'
import { createXmlDecoder, type TextPieces, textDecoder, XmlProblem, xmlEncoding } from '../base/xml.ts'
import { isRequest, statesOnlyMaterials } from '../compliance/declaration.ts'
import { createDeclarationReader, NotADeclaration } from './read-declaration.ts'

/** The part numbers of one ProductID element: the supplier's own and the buyer's. */
export interface ProductId {
  readonly itemNumber?: string
  readonly requesterItemNumber?: string
  /** The file asks for a declaration of this part, and declares nothing about it. */
  readonly isOnlyRequested?: true
}

/** Real start tags have some thousand bytes; a longer one is skipped. */
const MAX_TAG_BYTES = 1024 ** 2
/** How many bytes of a file may be needed to know its encoding. */
const PROLOG_BYTES = 256

const COMMENT = /<!--|<!\[CDATA\[|<\?/
const ENDS: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>', '<?': '?>' }
const TAG = /<(?:[^\s<>/="':]*:)?(?:ProductID|BusinessInfo|Request)(?=[\s/>])/
const MARKUP = new RegExp(`${COMMENT.source}|${TAG.source}`, 'g')
const ATTRIBUTE = /\s*([^\s=<>/"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y
/** What the next piece may complete to more attributes or to the end of the tag. */
const TORN = /\s*(?:\/|[^\s=<>/"']+\s*(?:=\s*(?:"[^"]*|'[^']*)?)?)?$/y
/** The longest prefix and name that are recognised across two pieces. */
const MAX_NAME = 256

/**
 * A scanner that takes an XML file in pieces and finds its ProductIDs, quick enough to run over every download; between pieces it keeps
 * no more than one start tag. It is no parser and refuses nothing: it finds the elements by their local name, whatever their prefix,
 * outside comments, CDATA sections and processing instructions, and reads two attributes.
 */
export function createProductScanner() {
  const found: ProductId[] = []
  let prolog: Buffer | undefined = Buffer.alloc(0)
  let wide: TextPieces | undefined
  let decode = (bytes: Buffer): string => bytes.toString('latin1')
  let decodeValue = (value: string): string => value
  let carried = ''
  // What ends the comment, CDATA section or instruction that the last piece ended in.
  let until = ''
  let mode = ''
  let hasRequest = false

  function begin(bytes: Buffer): void {
    prolog = undefined
    const encoding = xmlEncoding(bytes)
    if (/^utf-(?:16|32)/.test(encoding)) {
      wide = textDecoder(encoding, { fatal: false })
      decode = (piece) => wide!.decode(piece, { stream: true })
    } else if (encoding !== 'iso-8859-1') {
      decodeValue = (value) => decodeBytes(value, encoding)
    }
    scan(decode(bytes))
  }

  function scan(piece: string): void {
    const text = carried + piece
    const rest = scanText(text)
    carried = text.length - rest > MAX_TAG_BYTES ? '' : text.slice(rest)
  }

  /** Scans as far as the text goes; the index from which it is needed again. */
  function scanText(text: string): number {
    let at = 0
    for (;;) {
      if (until !== '') {
        const end = text.indexOf(until, at)
        if (end === -1) return Math.max(at, text.length - until.length + 1)
        at = end + until.length
        until = ''
      }
      MARKUP.lastIndex = at
      const markup = MARKUP.exec(text)
      if (markup === null) return Math.max(at, tornStart(text))
      at = MARKUP.lastIndex
      until = ENDS[markup[0]] ?? ''
      if (until !== '') continue
      const tag = readTag(text, at, decodeValue)
      if (tag === undefined) return markup.index
      take(markup[0], tag)
      at = tag.end
    }
  }

  function take(start: string, { id, mode: tagMode }: Tag): void {
    if (start.endsWith('ProductID')) {
      if (id.itemNumber !== undefined || id.requesterItemNumber !== undefined) found.push(id)
    } else if (start.endsWith('BusinessInfo')) mode ||= tagMode.trim()
    else hasRequest = true
  }

  return {
    /** After `end`: false for a file that cannot be a request, which has to be read to know. */
    mayBeRequest: () => isRequest({ mode, hasRequest, hasResponse: false }),
    push(chunk: Uint8Array): void {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      if (prolog === undefined) scan(decode(bytes))
      else {
        prolog = Buffer.concat([prolog, bytes])
        if (prolog.length >= PROLOG_BYTES) begin(prolog)
      }
    },
    end(): readonly ProductId[] {
      if (prolog !== undefined) begin(prolog)
      if (wide !== undefined) scan(wide.decode(new Uint8Array(0), { stream: false }))
      return found
    },
  }
}

/** Where a tag or comment may begin that the next piece completes. */
function tornStart(text: string): number {
  const start = text.lastIndexOf('<')
  return start === -1 || text.length - start > MAX_NAME ? text.length : start
}

/** A value that was read byte by byte, in its encoding, or in UTF-8 where that is unknown. */
function decodeBytes(value: string, encoding: string): string {
  const bytes = Buffer.from(value, 'latin1')
  if (isAscii(bytes)) return value
  try {
    return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

interface Tag {
  readonly id: ProductId
  readonly mode: string
  readonly end: number
}

/** The attributes of a start tag from the end of its name, as far as it is well-formed; undefined when the text ends inside it. */
function readTag(text: string, from: number, decodeValue: (value: string) => string): Tag | undefined {
  const id: { itemNumber?: string; requesterItemNumber?: string } = {}
  let mode = ''
  let at = from
  for (;;) {
    ATTRIBUTE.lastIndex = at
    const attribute = ATTRIBUTE.exec(text)
    if (attribute === null) break
    at = ATTRIBUTE.lastIndex
    const [, name = '', double, single] = attribute
    const value = double ?? single ?? ''
    const local = name.slice(name.indexOf(':') + 1)
    if ((local === 'itemNumber' || local === 'requesterItemNumber') && value !== '') {
      id[local] = attributeValue(decodeValue(value))
    } else if (local === 'mode') mode = attributeValue(decodeValue(value))
  }
  TORN.lastIndex = at
  return TORN.test(text) ? undefined : { id, mode, end: at }
}

const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

/** Whitespace as spaces, references resolved; unknown ones stay. */
function attributeValue(raw: string): string {
  return raw
    .replace(/\r\n?|[\t\n]/g, ' ')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return NAMED.get(name) ?? whole
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      return isCharacter ? String.fromCodePoint(code) : whole
    })
}

/**
 * The ProductIDs found in a file, marked where the file asks for the declaration of the part and declares nothing about it. `pieces`
 * is the whole file; one that cannot be read marks none.
 */
export async function markRequested(
  ids: readonly ProductId[],
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<readonly ProductId[]> {
  const declared = new Set<string>()
  const reader = createDeclarationReader((product) => {
    if (!statesOnlyMaterials(product)) return
    for (const { itemNumber, requesterItemNumber } of product.ids) {
      declared.add(itemNumber).add(requesterItemNumber)
    }
  })
  const decoder = createXmlDecoder()
  try {
    for await (const piece of pieces) reader.write(decoder.write(piece))
    reader.write(decoder.end())
    reader.end()
  } catch (error) {
    if (error instanceof XmlProblem || error instanceof NotADeclaration) return ids
    throw error
  }
  if (!isRequest(reader.header())) return ids
  return ids.map((id) =>
    declared.has(id.itemNumber ?? id.requesterItemNumber ?? '') ? id : { ...id, isOnlyRequested: true },
  )
}
