import { isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { XmlProblem } from './xml.ts'

/** Turns the bytes of an XML file into text, in pieces. */
export interface XmlDecoder {
  readonly write: (bytes: Uint8Array) => string
  readonly end: () => string
}

const PROLOG_BYTES = 256

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

/** The text of a complete file. */
export function decodeXml(bytes: Buffer): string {
  const decoder = createXmlDecoder()
  return decoder.write(bytes) + decoder.end()
}

/**
 * The encoding of a file by its first bytes (XML 1.0, appendix F): a byte order mark, the pattern of UTF-16, the XML
 * declaration, else UTF-8. A WHATWG label, except that `iso-8859-1` is not Windows-1252.
 */
export function xmlEncoding(bytes: Uint8Array): string {
  const [a, b, c, d] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'utf-32' : 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (a === 0x3c && b === 0) return 'utf-16le'
  if (a === 0 && b === 0x3c) return 'utf-16be'
  const head = Buffer.from(bytes.subarray(0, PROLOG_BYTES)).toString('latin1')
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(head)?.[1]?.toLowerCase()
  if (declared === undefined || declared === 'utf8') return 'utf-8'
  if (declared === 'latin1' || declared === 'iso_8859-1' || declared === 'l1') return 'iso-8859-1'
  // Some writers declare UTF-16 and save UTF-8: what was read so far has one byte for each character.
  return /^utf-?16/.test(declared) ? 'utf-8' : declared
}

function decoderFor(encoding: string): (bytes: Uint8Array, isLast: boolean) => string {
  if (encoding === 'iso-8859-1') {
    return (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
  let decoder: TextDecoder
  try {
    decoder = new TextDecoder(encoding, { fatal: true })
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
