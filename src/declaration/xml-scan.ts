import { type Attributes, createTagReader, referenceProblem, type Tag, type TagReader } from './tag.ts'
import { FORBIDDEN, isSpace, nameEnd } from './xml-text.ts'

export type { Attributes }

/** Hears the elements of a document in order, by local name. Element text carries no data in a declaration. */
export interface ElementHandler {
  readonly open: (name: string, attributes: Attributes, prefix: string) => void
  readonly close: () => void
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
/** No reference that is built in is longer, leading zeros apart. */
const MAX_REFERENCE = 64

const NEED_MORE = -1
const GT = 0x3e

/**
 * A strict, streaming reader of XML 1.0 elements: everything that makes a document ill-formed is a problem, and so are
 * document type definitions (never read, so nothing is ever expanded), more than 128 levels, and a single tag or comment
 * of more than 4 Mi characters. Namespaces are not resolved: declarations are told apart by local names.
 */
export function createXmlScanner(handler: ElementHandler, tags: TagReader = createTagReader()): XmlScanner {
  const open: Tag[] = []
  let text = ''
  let at = 0
  let linesBefore = 0
  let retryLength = 0
  let isFinal = false
  let isStart = true
  let hasRoot = false

  return {
    write(piece) {
      if (FORBIDDEN.test(piece)) throw forbidden(piece)
      forget()
      text += piece
      if (text.length >= retryLength) scan()
    },
    end() {
      isFinal = true
      scan()
      if (open.length > 0) fail(`ends inside <${open.at(-1)!.name}>`)
      if (!hasRoot) fail('holds no element')
    },
  }

  function scan(): void {
    retryLength = 0
    const isComplete = (!isStart || readDeclaration()) && readOn()
    if (!isComplete) wait()
  }

  /** Reads as far as the text goes; false when it ends inside a piece of markup. */
  function readOn(): boolean {
    while (at < text.length) {
      const found = text.indexOf('<', at)
      const end = found === -1 ? text.length : found
      if (end > at) {
        at = readText(at, end, found === -1)
        if (found === -1) return at === text.length
      }
      const next = readMarkup(at)
      if (next === NEED_MORE) return false
      at = next
    }
    return true
  }

  // Scanning starts again at an unfinished piece of markup only when the text has doubled: linear for any input.
  function wait(): void {
    if (isFinal) fail(open.length > 0 ? `is cut off inside <${open.at(-1)!.name}>` : 'is cut off')
    const length = text.length - at
    if (length > MAX_MARKUP) fail(`a single tag or comment is longer than ${MAX_MARKUP} characters`)
    retryLength = length * 2
  }

  function forget(): void {
    if (at === 0) return
    linesBefore += countLines(text, at)
    text = text.slice(at)
    at = 0
  }

  function readText(from: number, end: number, isOpenEnd: boolean): number {
    let index = from
    while (index < end && isSpace(text.charCodeAt(index))) index += 1
    if (index === end) return end
    if (open.length === 0)
      fail(hasRoot ? 'text after the last element' : 'text before the first element', index)
    const limit = isOpenEnd && !isFinal ? safeEnd(index, end) : end
    const piece = text.slice(index, limit)
    const problem = piece.includes(']]>') ? '"]]>" in text' : referenceProblem(piece)
    if (problem !== undefined) fail(problem, index)
    return limit
  }

  /** Where text can be cut so that neither a reference nor `]]>` is torn apart. */
  function safeEnd(from: number, end: number): number {
    const tail = Math.max(from, end - MAX_REFERENCE)
    const reference = text.lastIndexOf('&', end - 1)
    const isTorn = reference >= tail && text.indexOf(';', reference) === -1
    let limit = isTorn ? reference : end
    while (limit > from && limit > end - 2 && text.charCodeAt(limit - 1) === 0x5d) limit -= 1
    return limit
  }

  function readMarkup(from: number): number {
    const code = text.charCodeAt(from + 1)
    if (code === 0x2f) return readEndTag(from)
    if (code === 0x21) return readCommentOrData(from)
    if (code === 0x3f) return readInstruction(from)
    return from + 1 >= text.length ? NEED_MORE : readStartTag(from)
  }

  function readStartTag(from: number): number {
    const result = tags.read(text, from)
    if (result === 'more') return NEED_MORE
    if ('problem' in result) return fail(result.problem, result.at)
    const { tag, end } = result
    if (open.length === 0 && hasRoot) fail(`a second root element <${tag.name}>`, from)
    if (open.length >= MAX_DEPTH) fail(`more than ${MAX_DEPTH} levels of elements`, from)
    hasRoot = true
    handler.open(tag.local, tag.attributes, tag.prefix)
    if (tag.isEmpty) handler.close()
    else open.push(tag)
    return end
  }

  function readEndTag(from: number): number {
    const name = open.at(-1)?.name
    if (name === undefined) return fail('an end tag without a start tag', from)
    let index = from + 2 + name.length
    if (index >= text.length && name.startsWith(text.slice(from + 2, index))) return NEED_MORE
    if (!text.startsWith(name, from + 2)) fail(`<${name}> is closed by another name`, from)
    while (isSpace(text.charCodeAt(index))) index += 1
    if (index >= text.length) return NEED_MORE
    if (text.charCodeAt(index) !== GT) fail(`<${name}> is closed by another name`, from)
    open.pop()
    handler.close()
    return index + 1
  }

  function readCommentOrData(from: number): number {
    if (text.startsWith('<!--', from)) {
      const dashes = text.indexOf('--', from + 4)
      if (dashes === -1 || dashes + 2 >= text.length) return NEED_MORE
      return text.charCodeAt(dashes + 2) === GT ? dashes + 3 : fail('"--" inside a comment', dashes)
    }
    if (text.startsWith('<![CDATA[', from)) {
      if (open.length === 0) fail('text outside the elements', from)
      const end = text.indexOf(']]>', from + 9)
      return end === -1 ? NEED_MORE : end + 3
    }
    if (text.startsWith('<!DOCTYPE', from))
      fail('it has a document type definition, which is never read', from)
    const start = text.slice(from, from + 9)
    const isTorn = ['<![CDATA[', '<!DOCTYPE', '<!--'].some((markup) => markup.startsWith(start))
    return isTorn ? NEED_MORE : fail('markup that is no tag', from)
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

  /** Reads `<?xml …?>` where the document begins with it; false when more text is needed. */
  function readDeclaration(): boolean {
    if (text.length < 6 && !isFinal) return false
    const isThere = text.startsWith('<?xml') && isSpace(text.charCodeAt(5))
    const end = isThere ? text.indexOf('?>') : -2
    if (end === -1) return false
    isStart = false
    at = end + 2
    if (isThere && !XML_DECLARATION.test(text.slice(0, at))) fail('a malformed XML declaration', 0)
    return true
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
