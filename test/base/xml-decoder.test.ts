import { describe, expect, it } from 'vitest'
import { XmlProblem } from '../../src/base/xml.ts'
import { createXmlDecoder, decodeXml } from '../../src/base/xml-decoder.ts'

const declared = (encoding: string): string =>
  `<?xml version="1.0" encoding="${encoding}"?><r a="Größe ≥ 1"/>`
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const utf32 = (text: string, isLittleEndian: boolean): Buffer =>
  Buffer.concat(
    [...text].map((character) => {
      const bytes = Buffer.alloc(4)
      if (isLittleEndian) bytes.writeUInt32LE(character.codePointAt(0)!)
      else bytes.writeUInt32BE(character.codePointAt(0)!)
      return bytes
    }),
  )
const BOM = '\ufeff'
const FAR = declared('UTF-32').replace('1', '𝒳')

function inPieces(bytes: Buffer, size: number): string {
  const decoder = createXmlDecoder()
  let text = ''
  for (let at = 0; at < bytes.length; at += size) text += decoder.write(bytes.subarray(at, at + size))
  return text + decoder.end()
}

describe('the encoding of a file', () => {
  const plain = '<r a="Größe ≥ 1"/>'
  const latin = '<?xml version="1.0" encoding="ISO-8859-1"?><r a="Größe"/>'
  it.each([
    ['UTF-8 by default', Buffer.from(plain), plain],
    ['UTF-8 with a byte order mark', Buffer.from(BOM + plain), plain],
    ['UTF-8 as declared', Buffer.from(declared('UTF-8')), declared('UTF-8')],
    ['UTF-8 as declared in another case', Buffer.from(declared('utf8')), declared('utf8')],
    ['UTF-16 LE with a mark', Buffer.from(BOM + declared('UTF-16'), 'utf16le'), declared('UTF-16')],
    ['UTF-16 BE with a mark', utf16be(BOM + declared('UTF-16')), declared('UTF-16')],
    ['UTF-16 LE without a mark', Buffer.from(declared('UTF-16'), 'utf16le'), declared('UTF-16')],
    ['UTF-16 BE without a mark', utf16be(declared('UTF-16')), declared('UTF-16')],
    ['UTF-32 LE with a mark', utf32(BOM + FAR, true), FAR],
    ['UTF-32 BE with a mark', utf32(BOM + FAR, false), FAR],
    ['UTF-32 LE without a mark', utf32(FAR, true), FAR],
    ['UTF-32 BE without a mark', utf32(FAR, false), FAR],
    ['UTF-8 under a UTF-32 declaration', Buffer.from(FAR), FAR],
    ['Latin-1 as declared', Buffer.from(latin, 'latin1'), latin],
    ['UTF-8 under a UTF-16 declaration', Buffer.from(declared('utf-16')), declared('utf-16')],
    ['a byte order mark against the declaration', Buffer.from(BOM + latin), latin],
    [
      'Windows-1252 as declared',
      Buffer.concat([
        Buffer.from('<?xml version="1.0" encoding="windows-1252"?><r a="'),
        Buffer.from([0x80]),
        Buffer.from('"/>'),
      ]),
      '<?xml version="1.0" encoding="windows-1252"?><r a="€"/>',
    ],
  ])('%s', (_, bytes, text) => {
    expect(decodeXml(bytes)).toBe(text)
    for (const size of [1, 2, 3, 7, 300]) expect(inPieces(bytes, size)).toBe(text)
  })

  it.each([
    ['bytes that are not UTF-8', Buffer.from([0x3c, 0x72, 0x2f, 0x3e, 0xff, 0xfd]), /not UTF-8/],
    ['UTF-8 that is cut', Buffer.from('<r/>≥').subarray(0, 6), /not UTF-8/],
    ['an unknown encoding', Buffer.from(declared('EBCDIC-XX')), /"ebcdic-xx" is not supported/],
    ['UTF-32 that is cut', utf32(`${BOM}<r/>`, true).subarray(0, 18), /not UTF-32LE/],
    ['UTF-32 beyond Unicode', Buffer.from([0xff, 0xfe, 0, 0, 0, 0, 0x11, 0]), /not UTF-32LE/],
    ['UTF-32 with a surrogate', Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0xd8, 0]), /not UTF-32BE/],
  ])('%s are refused', (_, bytes, reason) => {
    expect(() => decodeXml(bytes)).toThrow(XmlProblem)
    expect(() => decodeXml(bytes)).toThrow(reason)
    expect(() => inPieces(bytes, 2)).toThrow(reason)
  })

  it('reads ASCII again after a letter beyond it, and keeps a later U+FEFF', () => {
    const text = `<r a="ö"/>${' '.repeat(400)}<s b="\ufeff€"/>`
    for (const size of [1, 2, 3, 300]) expect(inPieces(Buffer.from(text), size)).toBe(text)
  })
})
