import { isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { cleanText } from './clean-text.ts'

/** The attributes of a start tag; they are valid until `open` returns. */
export interface XmlAttributes {
  /** The value of the attribute with this local name, whatever its prefix. */
  readonly get: (localName: string) => string | undefined
  /** True when the tag has an attribute with another name than those that need no second look. */
  readonly hasOthers: () => boolean
  /** True when the tag has the attribute that is to be noted. */
  readonly hasNoted: () => boolean
  /** The attributes by local name, in the order of the file. */
  readonly all: () => readonly (readonly [localName: string, value: string])[]
  /** The line that the tag begins on, or its first attribute. */
  readonly line: () => number
  /** The namespace that this tag itself declares for its own name. */
  readonly namespace: () => string | undefined
  /** About how many characters the tag has. */
  readonly length: () => number
}

/** Receives the elements of a document in order, by local name. */
export interface XmlHandler {
  readonly open: (name: string, attributes: XmlAttributes) => void
  readonly close: (name: string) => void
  /** The text between two tags; a CDATA section is reported on its own. Without this handler, text of any length is skipped. */
  readonly text?: (text: string) => void
  /** Names of attributes that need no second look: `hasOthers` says whether a tag has more. Not with `text`. */
  readonly usual?: ReadonlySet<string>
  /** The name of an attribute that `hasNoted` tells, and `hasOthers` does not. Not with `text`. */
  readonly noted?: string
}

/** Reads one document in pieces. Not usable after an XmlProblem. */
interface XmlReader {
  readonly write: (text: string) => void
  /** Throws when the document is not complete. */
  readonly end: () => void
}

/** A document that is not well-formed XML or exceeds a limit. `message` has the reason and the position. */
export class XmlProblem extends Error {
  override readonly name = 'XmlProblem'
}

const MAX_DEPTH = 128
const MAX_ATTRIBUTES = 256
/** Documents may be embedded in attributes and comments; the parser holds these in memory. */
const MAX_MARKUP = 32 * 1024 ** 2
/** The same, and a text between two tags, where a handler wants texts. */
const MAX_WITH_TEXT = 4 * 1024 ** 2
/** In a longer line the column alone does not show the place. */
const LONG_LINE = 200
const CHARACTERS_AROUND = 20
/** No shorter tag can exceed a limit. */
const SHORT_TAG = 4 * MAX_ATTRIBUTES

/**
 * A streaming reader of XML 1.0. Anything that is not well-formed is an XmlProblem, and so is a document type definition:
 * none is read, so no entity is ever expanded. At most 128 levels of elements, 256 attributes in a tag and 32 Mi characters in a
 * tag or comment (4 Mi with a handler for text, and in a text). Prefixes are dropped, not resolved.
 */
export function createXmlReader({ open, close, text, usual, noted }: XmlHandler): XmlReader {
  const parser = new SaxesParser({
    xmlns: false,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  })
  const maxMarkup = text === undefined ? MAX_MARKUP : MAX_WITH_TEXT
  const attributes = createAttributes(maxMarkup)
  const hasDoctype = createDoctypeWatch()
  const openNames: string[] = []
  let tagEnd = 0
  let kept: Kept | undefined
  let attributeCount = 0

  /** The piece that is read, the end of the one before it, and the characters before it: between pieces, the parser counts wrong. */
  let piece = ''
  let before = ''
  let start = 0

  const fail = (reason: string): never => {
    const at = before.length + parser.position - start
    const around = `${before}${piece}`.slice(Math.max(0, at - CHARACTERS_AROUND), at + CHARACTERS_AROUND)
    const near = parser.column > LONG_LINE && around !== '' ? `, near "${cleanText(around)}"` : ''
    throw new XmlProblem(
      `not well-formed XML: line ${parser.line}, column ${parser.column}${near}: ${reason}`,
    )
  }
  const limit = (reason: string): never => {
    throw new XmlProblem(`line ${parser.line}: ${reason}`)
  }
  let hasOthers = false
  let hasNoted = false
  let tagLine = 0
  const passTag = (): void => {
    tagEnd = parser.position
    kept = undefined
    attributeCount = 0
    hasOthers = false
    hasNoted = false
  }

  // At most six handlers: with a seventh, saxes is six times slower.
  parser.on('error', ({ message }) =>
    fail(message.replace(/^unclosed tag: (.*)$/s, 'ends inside <$1>').replace(/\.$/, '')),
  )
  const refuseDoctype = (): never => limit('it has a document type definition, which is not allowed')
  parser.on('doctype', refuseDoctype)
  parser.on('opentag', (tag) => {
    const size = parser.position - tagEnd
    attributes.place(attributeCount > 0 ? tagLine : parser.line, hasOthers, hasNoted)
    passTag()
    const name = localName(tag.name)
    if (openNames.push(name) > MAX_DEPTH) limit(`more than ${MAX_DEPTH} levels of elements`)
    const problem = attributes.take(tag, size)
    if (problem !== undefined) limit(`${problem} in <${tag.name}>`)
    open(name, attributes)
  })
  parser.on('closetag', () => {
    passTag()
    close(openNames.pop() ?? '')
  })
  if (text === undefined) {
    // This is checked before saxes has built the whole tag: millions of attributes would take a gigabyte.
    parser.on('attribute', ({ name }) => {
      if (attributeCount === 0) tagLine = parser.line
      if (name === noted) hasNoted = true
      else if (usual !== undefined && !usual.has(name)) hasOthers = true
      attributeCount += 1
      if (attributeCount > MAX_ATTRIBUTES) limit(`more than ${MAX_ATTRIBUTES} attributes in a tag`)
    })
  } else {
    parser.on('text', text)
    parser.on('cdata', text)
  }

  return {
    write(next) {
      // This is checked before saxes has read it to its end, because it keeps 20 bytes for each character.
      if (tagEnd === 0 && hasDoctype(next)) refuseDoctype()
      start += piece.length
      before = piece.slice(-CHARACTERS_AROUND)
      piece = next
      parser.write(piece)
      if (kept?.until !== undefined && piece.includes(kept.until)) kept = undefined
      kept ??= unfinished(piece, start, Math.max(start, tagEnd), text !== undefined)
      if (kept !== undefined && start + piece.length - kept.from > maxMarkup) {
        limit(`${kept.what()} is longer than ${maxMarkup} characters`)
      }
    },
    end() {
      before = piece = ''
      parser.close()
    },
  }
}

/** What the parser buffers until it ends: markup, a reference, text that a handler wants. */
interface Kept {
  readonly from: number
  /** What it is, for a message. */
  readonly what: () => string
  /** What ends a reference; everything else ends with the next tag at the latest. */
  readonly until?: string
}

function unfinished(piece: string, start: number, from: number, keepsText: boolean): Kept | undefined {
  if (keepsText) return { from, what: () => 'a single text or tag' }
  const index = from - start
  const tag = piece.indexOf('<', index)
  if (tag !== -1) return { from: start + tag, what: () => markupName(piece.slice(tag, tag + 100)) }
  const reference = piece.lastIndexOf('&')
  const isTorn = reference >= index && piece.indexOf(';', reference) === -1
  return isTorn ? { from: start + reference, what: () => 'a reference', until: ';' } : undefined
}

/** Names markup by its first characters. */
function markupName(start: string): string {
  const [, mark] = /^<(!--|!\[|!|\?)/.exec(start) ?? []
  if (mark !== undefined) return MARKUP_NAMES[mark]!
  const name = /^<\/?([^\s/>=]{1,60})(?=[\s/>])/.exec(start)?.[1]
  return name === undefined ? 'a single tag' : `the tag <${name}>`
}

const MARKUP_NAMES: Readonly<Record<string, string>> = {
  '!--': 'a comment',
  '![': 'a CDATA section',
  '!': 'a declaration',
  '?': 'a processing instruction',
}

/** Tells for the pieces of a text whether its first tag is the start of a document type definition. */
function createDoctypeWatch(): (piece: string) => boolean {
  let rest = ''
  let wanted = '<'
  let isPast = false
  return (piece) => {
    if (isPast) return false
    rest += piece
    for (let at = rest.indexOf(wanted); at !== -1; at = rest.indexOf(wanted)) {
      if (wanted !== '<') {
        rest = rest.slice(at + wanted.length)
        wanted = '<'
        continue
      }
      rest = rest.slice(at)
      if (rest.length < 4) return false
      if (!/^<(?:!--|\?)/.test(rest)) {
        isPast = true
        return rest.startsWith('<!D')
      }
      wanted = rest.startsWith('<?') ? '?>' : '-->'
      rest = rest.slice(wanted.length === 2 ? 2 : 4)
    }
    // What ends a comment may begin in this piece.
    rest = rest.slice(-2)
    return false
  }
}

function longest(values: Readonly<Record<string, string>>): string {
  const [name] = Object.entries(values).reduce((best, next) =>
    next[1].length > best[1].length ? next : best,
  )
  return `attribute "${name}" and the others of its tag have`
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** The attributes of the current tag: one object for all tags of a document. */
function createAttributes(maxLength: number): XmlAttributes & {
  /** Takes the tag just read; `size` is at least its length. Returns the limit that it exceeds. */
  readonly take: (tag: SaxesTagPlain, size: number) => string | undefined
  /** Takes where the tag is, and whether it has unusual attributes. */
  readonly place: (line: number, hasOthers: boolean, hasNoted: boolean) => void
} {
  let name = ''
  let values: Readonly<Record<string, string>> = {}
  let length = 0
  let line = 0
  let hasOthers = false
  let hasNoted = false
  return {
    place(tagLine, others, isNoted) {
      line = tagLine
      hasOthers = others
      hasNoted = isNoted
    },
    take(tag, size) {
      name = tag.name
      values = tag.attributes
      length = size
      if (size < SHORT_TAG) return undefined
      const all = Object.values(values)
      length = all.reduce((sum, value) => sum + value.length, 0)
      if (length > maxLength) return `${longest(values)} more than ${maxLength} characters`
      return all.length > MAX_ATTRIBUTES ? `more than ${MAX_ATTRIBUTES} attributes` : undefined
    },
    get(wanted) {
      const value = values[wanted]
      if (value !== undefined) return value
      const prefixed = Object.keys(values).find((key) => localName(key) === wanted)
      return prefixed === undefined ? undefined : values[prefixed]
    },
    hasOthers: () => hasOthers,
    hasNoted: () => hasNoted,
    all: () => Object.entries(values).map(([key, value]) => [localName(key), value] as const),
    line: () => line,
    namespace() {
      const colon = name.indexOf(':')
      return values[colon === -1 ? 'xmlns' : `xmlns:${name.slice(0, colon)}`]
    },
    length: () => length,
  }
}

/** Turns the bytes of an XML file into text, in pieces. */
interface XmlDecoder {
  readonly write: (bytes: Uint8Array) => string
  readonly end: () => string
}

const PROLOG_BYTES = 256

/** Decodes pieces of text; with `fatal`, bytes that are not valid throw. */
export interface TextPieces {
  readonly decode: (bytes: Uint8Array, options: { readonly stream: boolean }) => string
}

/** A decoder for an encoding as `xmlEncoding` names it. Unlike TextDecoder it knows UTF-32. */
export function textDecoder(encoding: string, { fatal }: { readonly fatal: boolean }): TextPieces {
  return encoding.startsWith('utf-32')
    ? utf32Decoder(encoding === 'utf-32le', fatal)
    : new TextDecoder(encoding, { fatal })
}

/** A decoder for the encoding of the file. Bytes that are not valid in it are an XmlProblem, never a replacement character. */
export function createXmlDecoder(): XmlDecoder {
  let prolog: Buffer | undefined = Buffer.alloc(0)
  let decode: (bytes: Uint8Array, isLast: boolean) => string = () => ''
  const start = (bytes: Buffer): string => {
    prolog = undefined
    decode = decoderFor(xmlEncoding(bytes))
    return decode(bytes, false)
  }
  return {
    write(bytes) {
      if (!prolog) return decode(bytes, false)
      prolog = Buffer.concat([prolog, bytes])
      return prolog.length < PROLOG_BYTES ? '' : start(prolog)
    },
    end() {
      const head = prolog ? start(prolog) : ''
      return head + decode(new Uint8Array(0), true)
    },
  }
}

/**
 * The encoding of a file by its first bytes (XML 1.0, appendix F): a byte order mark, the pattern of UTF-16, the XML
 * declaration, else UTF-8. A WHATWG label, except that `iso-8859-1` is not Windows-1252, and for `utf-32le` and `utf-32be`.
 */
export function xmlEncoding(bytes: Uint8Array): string {
  const [a, b, c, d] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'utf-32le' : 'utf-16le'
  if (a === 0 && b === 0 && ((c === 0xfe && d === 0xff) || (c === 0 && d === 0x3c))) return 'utf-32be'
  if (a === 0x3c && b === 0 && c === 0 && d === 0) return 'utf-32le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (a === 0x3c && b === 0) return 'utf-16le'
  if (a === 0 && b === 0x3c) return 'utf-16be'
  const head = Buffer.from(bytes.subarray(0, PROLOG_BYTES)).toString('latin1')
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(head)?.[1]?.toLowerCase()
  if (declared === undefined || declared === 'utf8') return 'utf-8'
  if (declared === 'latin1' || declared === 'iso_8859-1' || declared === 'l1') return 'iso-8859-1'
  // Some writers declare UTF-16 and save UTF-8: what was read so far has one byte for each character.
  return /^utf-?(?:16|32)/.test(declared) ? 'utf-8' : declared
}

function decoderFor(encoding: string): (bytes: Uint8Array, isLast: boolean) => string {
  if (encoding === 'iso-8859-1') {
    return (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
  let decoder: TextPieces
  try {
    decoder = textDecoder(encoding, { fatal: true })
  } catch (cause) {
    throw new XmlProblem(`its encoding "${encoding}" is not supported`, { cause })
  }
  // ASCII is by far the most common, and ten times faster to decode as latin1.
  const isUtf8 = encoding === 'utf-8'
  let isTorn = false
  return (bytes, isLast) => {
    if (isUtf8 && !isTorn && isAscii(bytes)) {
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    }
    isTorn = (bytes.at(-1) ?? 0) > 0x7f
    try {
      return decoder.decode(bytes, { stream: !isLast })
    } catch (cause) {
      throw new XmlProblem(`not well-formed XML: contains bytes that are not ${encoding.toUpperCase()}`, {
        cause,
      })
    }
  }
}

function utf32Decoder(isLittleEndian: boolean, fatal: boolean): TextPieces {
  let torn = Buffer.alloc(0)
  let isStart = true
  return {
    decode(bytes, { stream }) {
      const all = Buffer.concat([torn, bytes])
      const whole = all.length - (all.length % 4)
      torn = all.subarray(whole)
      if (!stream && torn.length > 0 && fatal) throw new TypeError('UTF-32 that is cut')
      const characters: string[] = []
      for (let at = 0; at < whole; at += 4) {
        const code = isLittleEndian ? all.readUInt32LE(at) : all.readUInt32BE(at)
        const isMark = isStart && code === 0xfeff
        isStart = false
        if (isMark) continue
        const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        if (!isCharacter && fatal) throw new TypeError('not a code point')
        characters.push(isCharacter ? String.fromCodePoint(code) : '\ufffd')
      }
      return characters.join('')
    },
  }
}
