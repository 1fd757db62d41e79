import { declaredEncoding, decodeAttribute } from '../base/xml-bytes.ts'

/** The part numbers of one ProductID element: the supplier's own and the buyer's. */
export interface ProductId {
  readonly itemNumber?: string
  readonly requesterItemNumber?: string
}

/** Takes an XML file in pieces and finds its ProductIDs; holds no more than one start tag between pieces. */
export interface ProductScanner {
  readonly push: (chunk: Uint8Array) => void
  readonly end: () => readonly ProductId[]
}

/** The ProductIDs of an XML file: of any namespace and prefix, not those in comments, CDATA or processing instructions. */
export function scanProductIds(xml: Uint8Array | string): readonly ProductId[] {
  const scanner = createProductScanner(typeof xml === 'string' ? 'utf-8' : undefined)
  scanner.push(typeof xml === 'string' ? Buffer.from(xml) : xml)
  return scanner.end()
}

/** A longer start tag is passed over: real ones have some thousand bytes. */
const MAX_TAG_BYTES = 1024 ** 2

/** How many bytes of a file may be needed to know its encoding. */
const DECLARATION_BYTES = 256

/**
 * A scanner for one file. It is no parser and refuses nothing: it finds the elements by their local name and reads two
 * attributes, so that accounting costs next to nothing while an archive is verified. `encoding`: when it is known beforehand.
 */
export function createProductScanner(encoding?: string): ProductScanner {
  const found: ProductId[] = []
  let carried: Buffer = Buffer.alloc(0)
  let known = encoding
  let wide: InstanceType<typeof TextDecoder> | undefined
  // The closing mark of the comment, CDATA section or instruction that the last piece ended in.
  let until = ''

  const push = (chunk: Uint8Array): void => {
    const data = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (known === undefined) {
      const start = carried.length === 0 ? data : Buffer.concat([carried, data])
      // The piece belongs to whoever gave it: what must stay is copied.
      if (start.length >= DECLARATION_BYTES) begin(start)
      else carried = Buffer.from(start)
      return
    }
    scan(wide === undefined ? data : Buffer.from(wide.decode(data, { stream: true })), false)
  }
  const begin = (data: Buffer): void => {
    carried = Buffer.alloc(0)
    known = declaredEncoding(data)
    if (known.startsWith('utf-16')) {
      wide = new TextDecoder(known)
      known = 'utf-8'
    }
    push(data)
  }
  const scan = (data: Buffer, isLast: boolean): void => {
    const all = carried.length === 0 ? data : Buffer.concat([carried, data])
    const rest = scanPiece(all, isLast)
    carried =
      rest >= all.length || all.length - rest > MAX_TAG_BYTES
        ? Buffer.alloc(0)
        : Buffer.from(all.subarray(rest))
  }
  /** Scans one piece; the position from which bytes are needed again. */
  const scanPiece = (data: Buffer, isLast: boolean): number => {
    let position = 0
    const marks = createMarks(data)
    for (;;) {
      if (until !== '') {
        const end = data.indexOf(until, position, 'latin1')
        if (end === -1) return Math.max(position, data.length - until.length + 1)
        position = end + until.length
        until = ''
      }
      const hit = data.indexOf('ProductID', position, 'latin1')
      const mark = marks.next(position, hit === -1 ? data.length : hit)
      if (mark !== undefined) {
        until = mark.until
        position = mark.end
        continue
      }
      if (hit === -1) break
      const start = tagStart(data, hit, position)
      const isTag = start !== -1 && endsName(data, hit + NAME_BYTES, isLast)
      const tag = isTag ? readTag(data, hit + NAME_BYTES, known!) : undefined
      if (isTag && tag === undefined && !isLast) return start
      if (tag?.id !== undefined) found.push(tag.id)
      position = tag?.end ?? hit + NAME_BYTES
    }
    // What begins with the last "<" may go on in the next piece.
    return Math.max(position, data.lastIndexOf(0x3c))
  }
  const end = (): readonly ProductId[] => {
    if (known === undefined) begin(carried)
    scan(wide === undefined ? Buffer.alloc(0) : Buffer.from(wide.decode()), true)
    return found
  }
  return { push, end }
}

const NAME_BYTES = 'ProductID'.length

interface Mark {
  readonly end: number
  readonly until: string
}

/** Finds where comments, CDATA sections and instructions begin, by their rare second character. */
function createMarks(data: Buffer): { readonly next: (from: number, to: number) => Mark | undefined } {
  let bang = -2
  let question = -2
  const follow = (byte: number, known: number, from: number): number => {
    if (known === -1 || known >= from) return known
    for (let at = data.indexOf(byte, from); at !== -1; at = data.indexOf(byte, at + 1)) {
      if (data[at - 1] === 0x3c) return at
    }
    return -1
  }
  const next = (from: number, to: number): Mark | undefined => {
    for (let start = from; ; ) {
      bang = follow(0x21, bang, start)
      question = follow(0x3f, question, start)
      const isBang = bang !== -1 && (question === -1 || bang < question)
      const at = isBang ? bang : question
      if (at === -1 || at > to) return undefined
      if (!isBang) return { end: at + 1, until: '?>' }
      if (data.toString('latin1', at + 1, at + 3) === '--') return { end: at + 3, until: '-->' }
      if (data.toString('latin1', at + 1, at + 8) === '[CDATA[') return { end: at + 8, until: ']]>' }
      start = at + 1
    }
  }
  return { next }
}

/** Where the start tag begins whose local name is at `hit`: after `<`, or after `<` and a prefix. -1: it is none. */
function tagStart(data: Buffer, hit: number, from: number): number {
  if (data[hit - 1] === 0x3c) return hit - 1
  if (data[hit - 1] !== 0x3a) return -1
  for (let at = hit - 2; at >= from && hit - at < 256; at -= 1) {
    const byte = data[at]!
    if (byte === 0x3c) return at < hit - 2 ? at : -1
    if (isSpace(byte) || byte === 0x2f || byte === 0x3e || byte === 0x22 || byte === 0x27 || byte === 0x3d)
      return -1
  }
  return -1
}

function endsName(data: Buffer, at: number, isLast: boolean): boolean {
  const byte = data[at]
  if (byte === undefined) return !isLast
  return isSpace(byte) || byte === 0x2f || byte === 0x3e
}

/** The attributes of a start tag from the end of its name; undefined when it does not end in these bytes. */
function readTag(
  data: Buffer,
  from: number,
  encoding: string,
): { readonly id: ProductId | undefined; readonly end: number } | undefined {
  const id: { itemNumber?: string; requesterItemNumber?: string } = {}
  let at = from
  while (at < data.length) {
    const byte = data[at]!
    if (byte === 0x3e) {
      const isEmpty = id.itemNumber === undefined && id.requesterItemNumber === undefined
      return { id: isEmpty ? undefined : id, end: at + 1 }
    }
    if (isSpace(byte) || byte === 0x2f || byte === 0x22 || byte === 0x27 || byte === 0x3d) {
      at += 1
      continue
    }
    const nameStart = at
    while (
      at < data.length &&
      !isSpace(data[at]!) &&
      data[at] !== 0x3d &&
      data[at] !== 0x3e &&
      data[at] !== 0x2f
    )
      at += 1
    const name = data.toString('latin1', nameStart, at)
    while (at < data.length && isSpace(data[at]!)) at += 1
    if (data[at] !== 0x3d) continue
    at += 1
    while (at < data.length && isSpace(data[at]!)) at += 1
    const quote = data[at]
    if (quote !== 0x22 && quote !== 0x27) continue
    const end = data.indexOf(quote, at + 1)
    if (end === -1) return undefined
    const local = name.slice(name.indexOf(':') + 1)
    if ((local === 'itemNumber' || local === 'requesterItemNumber') && end > at + 1) {
      id[local] = decodeAttribute(data.subarray(at + 1, end), encoding)
    }
    at = end + 1
  }
  return undefined
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
