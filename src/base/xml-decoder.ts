import { isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { XmlProblem } from './xml.ts'

/** Turns the bytes of an XML file into text, in pieces. */
export interface XmlDecoder {
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

/** The text of a complete file. */
export function decodeXml(bytes: Buffer): string {
  const decoder = createXmlDecoder()
  return decoder.write(bytes) + decoder.end()
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
