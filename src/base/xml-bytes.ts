/** The encoding of an XML file by its first bytes (XML 1.0, appendix F), as a label for TextDecoder. */
export function declaredEncoding(head: Uint8Array): string {
  const [first, second, third, fourth] = head
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0x3c && second === 0 && third !== 0 && fourth === 0) return 'utf-16le'
  if (first === 0 && second === 0x3c && third === 0 && fourth !== 0) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 256)).toString('latin1')
  const label = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][\w.:-]*)["']/.exec(text)?.[1]?.toLowerCase()
  // A declaration that is readable as single bytes is not in UTF-16, whatever it says.
  if (label === undefined || /^(utf-(8$|16)|ucs-)/.test(label)) return 'utf-8'
  try {
    return new TextDecoder(label).encoding
  } catch {
    return 'utf-8'
  }
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decoders = new Map<string, InstanceType<typeof TextDecoder>>()

/** Decodes the raw bytes of an attribute value: white space becomes spaces, known references are resolved. */
export function decodeAttribute(bytes: Uint8Array, encoding: string): string {
  let decoder = decoders.get(encoding)
  if (decoder === undefined) {
    decoder = new TextDecoder(encoding, { ignoreBOM: true })
    decoders.set(encoding, decoder)
  }
  const text = decoder.decode(bytes).replace(/\r\n?|[\t\n]/g, ' ')
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi,
    (whole: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
        ? String.fromCodePoint(code)
        : whole
    },
  )
}
