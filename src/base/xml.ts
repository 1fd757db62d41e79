import { SaxesParser } from 'saxes'

/** The attributes of a start tag; they are valid until `open` returns. */
export interface XmlAttributes {
  /** The value of the attribute with this local name, whatever its prefix. */
  readonly get: (localName: string) => string | undefined
  /** The namespace that this tag itself declares for its own name. */
  readonly namespace: () => string | undefined
  /** How many characters all values have together. */
  readonly length: () => number
}

/** Receives the elements of a document in order, by local name. */
export interface XmlHandler {
  readonly open: (name: string, attributes: XmlAttributes) => void
  readonly close: (name: string) => void
  /** The text between two tags, CDATA sections apart. Without it, text of any length passes and is not kept. */
  readonly text?: (text: string) => void
}

/** Reads one document in pieces. After an XmlProblem it must not be used any more. */
export interface XmlReader {
  readonly write: (text: string) => void
  /** Throws when the document is not complete. */
  readonly end: () => void
}

/** A document that is not well-formed XML or exceeds a limit. `message` says why, and where. */
export class XmlProblem extends Error {
  override readonly name = 'XmlProblem'
}

const MAX_DEPTH = 128
const MAX_ATTRIBUTES = 256
const MAX_VALUE = 1024 ** 2
const MAX_MARKUP = 4 * 1024 ** 2

/**
 * A streaming reader of XML 1.0. Anything that is not well-formed is an XmlProblem, and so is a document type definition,
 * which is never read, so that no entity is ever expanded. At most 128 levels of elements, 256 attributes in a tag, 1 Mi
 * characters in a value and 4 Mi in a tag or comment. Prefixes are dropped, not resolved.
 */
export function createXmlReader({ open, close, text }: XmlHandler): XmlReader {
  const parser = new SaxesParser({
    xmlns: false,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  })
  const attributes = createAttributes()
  let depth = 0
  /** Where the last tag ended, and where markup began that had no end in the last piece. */
  let tagEnd = 0
  let openMarkup: number | undefined

  const fail = (reason: string): never => {
    throw new XmlProblem(`not well-formed XML: line ${parser.line}, column ${parser.column}: ${reason}`)
  }
  const limit = (reason: string): never => {
    throw new XmlProblem(`line ${parser.line}: ${reason}`)
  }
  const passTag = (): void => {
    tagEnd = parser.position
    openMarkup = undefined
  }

  // Not more than six handlers: saxes becomes six times slower with the seventh.
  parser.on('error', ({ message }) =>
    fail(message.replace(/^unclosed tag: (.*)$/s, 'ends inside <$1>').replace(/\.$/, '')),
  )
  parser.on('doctype', () => limit('it has a document type definition, which is never read'))
  parser.on('opentag', (tag) => {
    passTag()
    depth += 1
    if (depth > MAX_DEPTH) limit(`more than ${MAX_DEPTH} levels of elements`)
    const problem = attributes.take(tag.name, tag.attributes)
    if (problem !== undefined) limit(`${problem} in <${tag.name}>`)
    open(localName(tag.name), attributes)
  })
  parser.on('closetag', (tag) => {
    passTag()
    depth -= 1
    close(localName(tag.name))
  })
  if (text !== undefined) {
    parser.on('text', text)
    parser.on('cdata', text)
  }

  return {
    write(piece) {
      const start = parser.position
      parser.write(piece)
      openMarkup ??= unfinished(piece, start, Math.max(start, tagEnd), text !== undefined)
      if (openMarkup !== undefined && parser.position - openMarkup > MAX_MARKUP) {
        limit(`a single tag or comment is longer than ${MAX_MARKUP} characters`)
      }
    },
    end: () => void parser.close(),
  }
}

/** Where in a piece something begins that the parser keeps until it ends: markup, a reference, text that is asked for. */
function unfinished(piece: string, start: number, from: number, keepsText: boolean): number | undefined {
  if (keepsText) return from
  // The parser may hold back the last character of a piece: its positions are then one ahead.
  const index = Math.max(0, from - start - 1)
  const tag = piece.indexOf('<', index)
  if (tag !== -1) return start + tag
  const reference = piece.lastIndexOf('&')
  return reference >= index && piece.indexOf(';', reference) === -1 ? start + reference : undefined
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** One object for all tags of a document. `take` gives what exceeds a limit. */
function createAttributes(): XmlAttributes & {
  readonly take: (tag: string, values: Readonly<Record<string, string>>) => string | undefined
} {
  let name = ''
  let values: Readonly<Record<string, string>> = {}
  let length = 0
  let hasPrefixes = false
  return {
    take(tag, taken) {
      name = tag
      values = taken
      length = 0
      hasPrefixes = false
      let count = 0
      for (const key in taken) {
        const size = taken[key]!.length
        if (size > MAX_VALUE) return `a value of more than ${MAX_VALUE} characters`
        length += size
        count += 1
        hasPrefixes ||= key.includes(':')
      }
      return count > MAX_ATTRIBUTES ? `more than ${MAX_ATTRIBUTES} attributes` : undefined
    },
    get(wanted) {
      const value = values[wanted]
      if (value !== undefined || !hasPrefixes) return value
      const key = Object.keys(values).find((each) => localName(each) === wanted)
      return key === undefined ? undefined : values[key]
    },
    namespace() {
      const colon = name.indexOf(':')
      return values[colon === -1 ? 'xmlns' : `xmlns:${name.slice(0, colon)}`]
    },
    length: () => length,
  }
}
