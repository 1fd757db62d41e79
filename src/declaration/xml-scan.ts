import { createAttributes, type MutableAttributes } from './attributes.ts'
import { expandReference, FORBIDDEN, isSpace, nameEnd } from './xml-text.ts'

/** The attributes of the start tag at hand, valid only during the call that got them. */
export interface Attributes {
  /** The value of the attribute with this local name (any prefix), or undefined. */
  readonly get: (localName: string) => string | undefined
  /** The namespace this tag itself declares for a prefix (`''` for the default one), or undefined. */
  readonly namespace: (prefix: string) => string | undefined
}

/** Hears the elements of a document in order. Names are local names; element text carries no data in a declaration. */
export interface ElementHandler {
  readonly open: (name: string, attributes: Attributes, prefix: string) => void
  readonly close: (name: string) => void
}

/** A document that is not well-formed XML or goes beyond what is read. `message` says why and where. */
export class XmlProblem extends Error {
  override readonly name = 'XmlProblem'
}

/** Takes a document in pieces. After the first XmlProblem it must not be used any more. */
export interface XmlScanner {
  readonly write: (text: string) => void
  /** Says that the document has ended; throws when it is not whole. */
  readonly end: () => void
}

const MAX_DEPTH = 128
const MAX_MARKUP = 4 * 1024 * 1024

const NEED_MORE = -1
const LT = 0x3c
const GT = 0x3e
const SLASH = 0x2f
const AMP = 0x26

/**
 * A strict, streaming reader of XML 1.0 elements: everything that makes a document ill-formed is a problem, and so are
 * document type definitions (never read, so nothing is ever expanded), more than 128 levels, and a single tag or comment
 * of more than 4 Mi characters. Namespaces are not resolved: declarations are told apart by local names.
 */
export function createXmlScanner(handler: ElementHandler): XmlScanner {
  const open: string[] = []
  const attributes: MutableAttributes = createAttributes()
  let text = ''
  let at = 0
  let linesBefore = 0
  let retryLength = 0
  let isFinal = false
  let isStart = true
  let hasRoot = false

  return {
    write(piece) {
      if (piece === '') return
      if (FORBIDDEN.test(piece)) throw forbidden(piece)
      text = at >= text.length ? piece : text.slice(at) + piece
      if (at > 0) at = 0
      if (text.length >= retryLength) scan()
    },
    end() {
      isFinal = true
      scan()
      if (open.length > 0) fail(`ends inside <${open.at(-1)}>`)
      if (!hasRoot) fail('holds no element')
    },
  }

  function scan(): void {
    retryLength = 0
    if (isStart) {
      if (text.length < 6 && !isFinal) return
      isStart = false
      const end = declarationEnd()
      if (end === NEED_MORE) {
        isStart = true
        return wait()
      }
      at = end
    }
    while (at < text.length) {
      const found = text.indexOf('<', at)
      const end = found === -1 ? text.length : found
      if (end > at) {
        at = readText(at, end, found === -1)
        if (found === -1) return at < text.length ? wait() : forget()
      }
      const next = readMarkup(at)
      if (next === NEED_MORE) return wait()
      at = next
    }
    forget()
  }

  // Scanning starts again at an unfinished piece of markup only when the text has doubled: linear for any input.
  function wait(): void {
    if (isFinal) fail(open.length > 0 ? `is cut off inside <${open.at(-1)}>` : 'is cut off')
    const length = text.length - at
    if (length > MAX_MARKUP) fail(`a single tag or comment is longer than ${MAX_MARKUP} characters`)
    forget()
    retryLength = length * 2
  }

  function forget(): void {
    linesBefore += countLines(text, at)
    text = text.slice(at)
    at = 0
  }

  function readText(from: number, end: number, isOpenEnd: boolean): number {
    for (let index = from; index < end; index += 1) {
      const code = text.charCodeAt(index)
      if (isSpace(code)) continue
      if (open.length === 0)
        fail(hasRoot ? 'text after the last element' : 'text before the first element', index)
      if (code === AMP) {
        const after = readReference(index, end)
        if (after === NEED_MORE) {
          if (isOpenEnd && !isFinal) return index
          fail('"&" without ";"', index)
        }
        index = after - 1
      } else if (code === GT && text.startsWith(']]>', index - 2) && index - 2 >= from) {
        fail('"]]>" in text', index)
      }
    }
    // A "]]" at the very end may go on with ">" in the next piece.
    if (isOpenEnd && !isFinal && text.charCodeAt(end - 1) === 0x5d) {
      return text.charCodeAt(end - 2) === 0x5d && end - 2 >= from ? end - 2 : end - 1
    }
    return end
  }

  function readReference(from: number, limit: number): number {
    const semicolon = text.indexOf(';', from)
    if (semicolon === -1 || semicolon >= limit) return NEED_MORE
    const body = text.slice(from + 1, semicolon)
    if (expandReference(body) === undefined) {
      fail(`"&${body.slice(0, 40)};" is none of XML's own entities, and no other is expanded`, from)
    }
    return semicolon + 1
  }

  function readMarkup(from: number): number {
    const code = text.charCodeAt(from + 1)
    if (code === SLASH) return readEndTag(from)
    if (code === 0x21) return readDeclaration(from)
    if (code === 0x3f) return readInstruction(from)
    return from + 1 >= text.length ? NEED_MORE : readStartTag(from)
  }

  function readStartTag(from: number): number {
    const nameFrom = from + 1
    let index = nameEnd(text, nameFrom)
    if (index >= text.length) return NEED_MORE
    if (index === nameFrom) fail('"<" that starts no tag', from)
    const name = text.slice(nameFrom, index)
    if (open.length === 0 && hasRoot) fail(`a second root element <${name}>`, from)
    attributes.start(text)
    for (;;) {
      const spaceFrom = index
      while (isSpace(text.charCodeAt(index))) index += 1
      if (index >= text.length) return NEED_MORE
      const code = text.charCodeAt(index)
      if (code === GT) {
        enter(name, from)
        return index + 1
      }
      if (code === SLASH) {
        if (index + 1 >= text.length) return NEED_MORE
        if (text.charCodeAt(index + 1) !== GT) fail(`"/" inside <${name}>`, index)
        enter(name, from)
        leave()
        return index + 2
      }
      if (index === spaceFrom) fail(`no space before an attribute of <${name}>`, index)
      index = readAttribute(name, index)
      if (index === NEED_MORE) return NEED_MORE
    }
  }

  function readAttribute(tag: string, from: number): number {
    const nameTo = nameEnd(text, from)
    let index = nameTo
    while (isSpace(text.charCodeAt(index))) index += 1
    if (index >= text.length) return NEED_MORE
    if (nameTo === from || text.charCodeAt(index) !== 0x3d) fail(`a malformed attribute in <${tag}>`, from)
    index += 1
    while (isSpace(text.charCodeAt(index))) index += 1
    if (index >= text.length) return NEED_MORE
    const quote = text.charCodeAt(index)
    if (quote !== 0x22 && quote !== 0x27) fail(`an attribute without quotes in <${tag}>`, index)
    const valueFrom = index + 1
    let isPlain = true
    for (index = valueFrom; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      if (code === quote) {
        const problem = attributes.add(from, nameTo, valueFrom, index, isPlain)
        if (problem !== undefined) fail(`${problem} in <${tag}>`, from)
        return index + 1
      }
      if (code === AMP) {
        isPlain = false
        const after = readReference(index, text.length)
        if (after === NEED_MORE) return NEED_MORE
        index = after - 1
      } else if (code === LT) {
        fail(`"<" in an attribute of <${tag}>`, index)
      } else if (code < 0x20) {
        isPlain = false
      }
    }
    return NEED_MORE
  }

  function enter(qualifiedName: string, from: number): void {
    if (open.length >= MAX_DEPTH) fail(`more than ${MAX_DEPTH} levels of elements`, from)
    hasRoot = true
    open.push(qualifiedName)
    const colon = qualifiedName.indexOf(':')
    handler.open(
      colon === -1 ? qualifiedName : qualifiedName.slice(colon + 1),
      attributes,
      colon === -1 ? '' : qualifiedName.slice(0, colon),
    )
  }

  function leave(): void {
    const name = open.pop()!
    handler.close(name.slice(name.indexOf(':') + 1))
  }

  function readEndTag(from: number): number {
    const name = open.at(-1)
    if (name === undefined) fail('an end tag without a start tag', from)
    let index = from + 2 + name.length
    if (index >= text.length && name.startsWith(text.slice(from + 2))) return NEED_MORE
    if (!text.startsWith(name, from + 2)) fail(`<${name}> is closed by another name`, from)
    while (isSpace(text.charCodeAt(index))) index += 1
    if (index >= text.length) return NEED_MORE
    if (text.charCodeAt(index) !== GT) fail(`<${name}> is closed by another name`, from)
    leave()
    return index + 1
  }

  function readDeclaration(from: number): number {
    if (text.startsWith('<!--', from)) {
      const dashes = text.indexOf('--', from + 4)
      if (dashes === -1 || dashes + 2 >= text.length) return NEED_MORE
      if (text.charCodeAt(dashes + 2) !== GT) fail('"--" inside a comment', dashes)
      return dashes + 3
    }
    if (text.startsWith('<![CDATA[', from)) {
      if (open.length === 0) fail('text outside the elements', from)
      const end = text.indexOf(']]>', from + 9)
      return end === -1 ? NEED_MORE : end + 3
    }
    if (text.startsWith('<!DOCTYPE', from))
      fail('it has a document type definition, which is never read', from)
    const rest = text.slice(from)
    if ('<![CDATA['.startsWith(rest) || '<!DOCTYPE'.startsWith(rest) || '<!--'.startsWith(rest))
      return NEED_MORE
    return fail('markup that is no tag', from)
  }

  function readInstruction(from: number): number {
    const end = text.indexOf('?>', from + 2)
    if (end === -1) return NEED_MORE
    const targetEnd = nameEnd(text, from + 2)
    const target = text.slice(from + 2, targetEnd)
    if (target === '' || (targetEnd < end && !isSpace(text.charCodeAt(targetEnd)))) {
      fail('a malformed processing instruction', from)
    }
    if (target.toLowerCase() === 'xml') fail('an XML declaration that is not at the start', from)
    return end + 2
  }

  function declarationEnd(): number {
    if (!text.startsWith('<?xml') || !isSpace(text.charCodeAt(5))) return at
    const end = text.indexOf('?>')
    if (end === -1) return NEED_MORE
    if (!XML_DECLARATION.test(text.slice(0, end + 2))) fail('a malformed XML declaration', 0)
    return end + 2
  }

  function forbidden(piece: string): XmlProblem {
    const index = piece.search(FORBIDDEN)
    const line = linesBefore + countLines(text, text.length) + countLines(piece, index) + 1
    const code = piece.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')
    return new XmlProblem(`not well-formed XML: line ${line}: the character U+${code} is not allowed`)
  }

  function fail(reason: string, index = at): never {
    const line = linesBefore + countLines(text, index) + 1
    throw new XmlProblem(`not well-formed XML: line ${line}: ${reason}`)
  }
}

const XML_DECLARATION =
  /^<\?xml\s+version\s*=\s*(?:"1\.\d+"|'1\.\d+')(?:\s+encoding\s*=\s*(?:"[A-Za-z][\w.-]*"|'[A-Za-z][\w.-]*'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>$/

function countLines(text: string, end: number): number {
  let lines = 0
  for (let index = text.indexOf('\n'); index !== -1 && index < end; index = text.indexOf('\n', index + 1)) {
    lines += 1
  }
  return lines
}
