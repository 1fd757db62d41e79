import { describe, expect, it } from 'vitest'
import { createXmlDecoder, createXmlReader, XmlProblem } from '../../src/base/xml.ts'
import { decodeXml } from '../support/read-text.ts'
import { soakTest, sweep } from '../support/soak.ts'

/** The events of a text read in pieces of `size` characters, one per line, or the reason for its refusal. */
function read(text: string, size = text.length || 1): string[] {
  const events: string[] = []
  const reader = createXmlReader({
    open: (name, attributes) => events.push(`<${name} ${attributes.get('a') ?? ''}`.trimEnd()),
    close: () => events.push('>'),
  })
  try {
    for (let at = 0; at < text.length; at += size) reader.write(text.slice(at, at + size))
    reader.end()
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error
    events.push(`problem ${error.message}`)
  }
  return events
}

const GOOD: readonly (readonly [string, string, string])[] = [
  ['an empty element', '<r/>', '<r >'],
  ['a declaration', '<?xml version="1.0" encoding="UTF-8" standalone=\'no\'?>\n<r></r>', '<r >'],
  ['comments, instructions and space around the root', '<!-- a - b --><?pi x?>\n<r/>\n<!---->\n', '<r >'],
  ['prefixes, dropped', '<p:r xmlns:p="x"><p:s/></p:r>', '<r <s > >'],
  ['single quotes and space in tags', "<r  a = 'x'\n></r >", '<r x >'],
  ['references in values', '<r a="&lt;&#65;&#x42;&amp;&quot;&apos;&gt;"/>', '<r <AB&"\'> >'],
  ['line breaks in values as spaces, referenced ones unchanged', '<r a="1\r\n2\t3&#xA;4"/>', '<r 1 2 3\n4 >'],
  ['">" in a value', '<r a="a>b"/>', '<r a>b >'],
  ['an attribute by its local name', '<r xmlns:p="x" p:a="1"/>', '<r 1 >'],
  ['text, CDATA and references between elements', '<r>a &amp; b<![CDATA[<x>&y;]]><s/>]]</r>', '<r <s > >'],
  ['names beyond ASCII', '<rä.b-c a="ß"><日本/></rä.b-c>', '<rä.b-c ß <日本 > >'],
  ['characters beyond the basic plane', '<r a="𝒳"/>', '<r 𝒳 >'],
]

const BAD: readonly (readonly [string, string, RegExp])[] = [
  ['nothing', '', /must contain a root element/],
  ['only space', '  \n', /must contain a root element/],
  ['plain text', 'hello', /text data outside of root/],
  ['a wrong end tag', '<r><s></r>', /unexpected close tag/],
  ['an end tag with another name', '<r></rx>', /unexpected close tag/],
  ['an end tag alone', '</r>', /unmatched closing tag: r/],
  ['no end tag', '<r><s/>', /ends inside <r>/],
  ['a cut start tag', '<r><s a="1', /ends inside <r>/],
  ['a cut comment', '<r/><!-- x', /unexpected end/],
  ['two roots', '<r/><s/>', /only one root/],
  ['text after the root', '<r/>x', /text data outside of root/],
  ['CDATA outside', '<![CDATA[x]]><r/>', /text data outside of root/],
  ['a repeated attribute', '<r a="1" b="2" a="3"/>', /duplicate attribute: a/],
  ['an attribute without value', '<r a/>', /disallowed character in attribute name/],
  ['an attribute without quotes', '<r a=1/>', /unquoted attribute value/],
  ['no space between attributes', '<r a="1"b="2"/>', /no whitespace between attributes/],
  ['"<" in a value', '<r a="x<y"/>', /disallowed character/],
  ['"<" in a cut value', '<r a="x<y', /disallowed character/],
  ['"&" alone', '<r>a & b</r>', /ends inside <r>/],
  ['"&" alone in a value', '<r a="a & b"/>', /unexpected end/],
  ['an unknown entity', '<r>&nbsp;</r>', /undefined entity/],
  ['an unknown entity in a value', '<r a="&bomb;"/>', /undefined entity/],
  ['a reference to no character', '<r>&#0;</r>', /malformed character entity/],
  ['a reference to a surrogate', '<r a="&#xD800;"/>', /malformed character entity/],
  ['a reference beyond Unicode', '<r>&#x110000;</r>', /malformed character entity/],
  ['"--" in a comment', '<!-- a -- b --><r/>', /malformed comment/],
  ['"]]>" in text', '<r>a]]>b</r>', /"]]>" is disallowed/],
  ['a control character', '<r>\u0001</r>', /disallowed character/],
  ['U+FFFF', '<r a="\uffff"/>', /disallowed character/],
  ['a name that starts with a digit', '<1r/>', /disallowed character in tag name/],
  ['"<" alone', '<r>a < b</r>', /disallowed character in tag name/],
  ['an unknown declaration', '<r><!ELEMENT x></r>', /incorrect syntax/],
  ['a second XML declaration', '<r/><?xml version="1.0"?>', /must be at the start/],
  ['an XML declaration after a line break', '\n<?xml version="1.0"?><r/>', /must be at the start/],
  ['a malformed XML declaration', '<?xml vers="1.0"?><r/>', /expected one of version/],
  ['a malformed instruction', '<r><??></r>', /processing instruction without a target/],
  ['a document type', '<!DOCTYPE r><r/>', /document type definition, which is not allowed/],
  [
    'an entity bomb',
    '<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><r>&b;</r>',
    /document type definition, which is not allowed/,
  ],
  ['an external entity', '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>', /document type definition/],
]

describe('a well-formed document', () => {
  it.each(GOOD)('%s', (_, text, events) => {
    expect(read(text).join(' ')).toBe(events)
  })

  it.each(GOOD)('%s, in pieces of any size', (_, text) => {
    for (let size = 1; size < text.length; size += 1) expect(read(text, size)).toEqual(read(text))
  })
})

describe('a document that is not well-formed', () => {
  it.each(BAD)('%s is refused', (_, text, reason) => {
    expect(read(text).at(-1)).toMatch(reason)
  })

  it.each(BAD)('%s is refused in pieces of any size', (_, text, reason) => {
    for (let size = 1; size < text.length; size += 1) expect(read(text, size).at(-1)).toMatch(reason)
  })

  it('is refused with its line and column', () => {
    expect(read('<r>\n\n<s>\n</x></r>').at(-1)).toMatch(/line 4, column \d+:/)
    expect(read('<r>\n\n<s>\n</x></r>', 3).at(-1)).toMatch(/line 4, column \d+:/)
  })

  it.each([undefined, 64, 300])('shows the place in a long line, in pieces of %s', (size) => {
    const text = `<r>${'<s/>'.repeat(200)}<A b="\u202e" c=d/>${'<t/>'.repeat(200)}</r>`
    const problem = String(read(text, size).at(-1))
    expect(problem).toMatch(
      /line 1, column 81\d, near "[^"]{0,30}<s\/><A b="\\u202e" c=d[^"]{0,20}": unquoted attribute value/,
    )
    expect(read(`<r>${'<s/>'.repeat(200)}`).at(-1)).toMatch(/line 1, column 8\d\d: ends inside <r>/)
  })

  it('is refused wherever it is cut off', () => {
    const text = '<?xml version="1.0"?><r a="1&amp;2"><s>text<!-- c --><![CDATA[d]]><?p i?></s><t/></r>'
    for (let end = 0; end < text.length; end += 1) {
      expect(read(text.slice(0, end)).at(-1), text.slice(0, end)).toMatch(/^problem/)
    }
    expect(read(text).at(-1)).toBe('>')
  })
})

describe('bounds', () => {
  it('refuse more than 128 levels', () => {
    const deep = (levels: number): string => '<r>'.repeat(levels) + '</r>'.repeat(levels)
    expect(read(deep(128)).at(-1)).toBe('>')
    expect(read(deep(129)).at(-1)).toMatch(/more than 128 levels/)
  })

  it('refuse more than 256 attributes', () => {
    const many = (count: number): string =>
      `<r ${Array.from({ length: count }, (_, n) => `x${n}="1"`).join(' ')}/>`
    expect(read(many(256)).at(-1)).toBe('>')
    expect(read(many(257)).at(-1)).toMatch(/more than 256 attributes/)
    // Before the end of the tag, which the parser holds in memory.
    const reader = createXmlReader({ open: () => expect.unreachable(), close: () => undefined })
    const attributes = Array.from({ length: 257 }, (_, index) => `a${index}="" `).join('')
    expect(() => reader.write(`<r ${attributes}`)).toThrow(/more than 256 attributes in a tag/)
  })

  soakTest(
    'allow attributes of many MiB, and refuse a tag of more than 32 Mi characters, which they name',
    () => {
      const long = (mi: number): string => `<r><s b="1" a="${'x'.repeat(mi * 1024 ** 2)}"/></r>`
      expect(read(long(20), 1024 ** 2).at(-1)).toBe('>')
      expect(read(long(33)).at(-1)).toContain(
        'attribute "a" and the others of its tag have more than 33554432',
      )
      expect(read(long(33), 1024 ** 2).at(-1)).toContain('the tag <s> is longer than 33554432 characters')
    },
  )

  const endless = [
    ['a start tag', '<s a="', 'the tag <s>'],
    ['a comment', '<!--', 'a comment'],
    ['a processing instruction', '<?pi ', 'a processing instruction'],
    ['a CDATA section', '<![CDATA[', 'a CDATA section'],
    ['a reference', '&', 'a reference'],
    ['a carried character before a comment', '\r<!--', 'a comment'],
  ]
  it.each(endless.slice(0, sweep(1, endless.length)))('refuse %s without an end', (_, start, name) => {
    let pieces = 0
    const reader = createXmlReader({ open: () => undefined, close: () => undefined })
    reader.write(`<r>${start}`)
    const piece = 'x'.repeat(256 * 1024)
    const feed = (): void => {
      for (; pieces < 200; pieces += 1) reader.write(piece)
    }
    expect(feed).toThrow(`${name} is longer than 33554432 characters`)
    expect(pieces).toBeLessThan(150)
  })

  // The parser would keep all of it in memory, 20 bytes for each character.
  it.each(['', '<?xml version="1.0"?>\n', '<!-- <!DOCTYPE -> -->', '<?a <!DOCTYPE ?> <!----> <!--<?-->'])(
    'refuse a document type definition after %j where it begins',
    (before) => {
      const refusal = 'it has a document type definition, which is not allowed'
      for (const size of [1, 2, 3, 1000]) {
        const reader = createXmlReader({ open: () => undefined, close: () => undefined })
        for (let at = 0; at < before.length; at += size) reader.write(before.slice(at, at + size))
        expect(() => {
          for (const character of '<!DOCTYPE r [') reader.write(character)
        }).toThrow(refusal)
      }
    },
  )

  it('allow long text without a text handler', () => {
    const reader = createXmlReader({ open: () => undefined, close: () => undefined })
    reader.write('<r>')
    const piece = 'x]]&amp;'.repeat(10_000)
    for (let count = 0; count < 100; count += 1) reader.write(piece)
    reader.write('</r>')
    expect(() => reader.end()).not.toThrow()
  })

  soakTest('allow text of any length behind a tag, without a text handler', () => {
    const reader = createXmlReader({ open: () => undefined, close: () => undefined })
    for (const start of ['<r>', '<s/>']) reader.write(`${start}${' '.repeat(100)}`)
    const piece = ' '.repeat(1024 ** 2)
    for (let count = 0; count < 33; count += 1) reader.write(piece)
    reader.write('</r>')
    expect(() => reader.end()).not.toThrow()
  })

  it('allow long text whose references are split between two pieces', () => {
    const reader = createXmlReader({ open: () => undefined, close: () => undefined })
    reader.write('<r>&am')
    for (let count = 0; count < 100; count += 1) reader.write(`p;${'x'.repeat(65_536)}&am`)
    reader.write('p;</r>')
    expect(() => reader.end()).not.toThrow()
  })

  it('refuse text of more than 4 Mi characters with a text handler', () => {
    const reader = createXmlReader({ open: () => undefined, close: () => undefined, text: () => undefined })
    reader.write('<r>')
    const feed = (): void => {
      for (let count = 0; count < 100; count += 1) reader.write('x'.repeat(65_536))
    }
    expect(feed).toThrow(/longer than 4194304 characters/)
  })
})

describe('a handler receives', () => {
  it('the namespace that a tag declares for its own name', () => {
    const namespaces: (string | undefined)[] = []
    const reader = createXmlReader({
      open: (_, attributes) => void namespaces.push(attributes.namespace()),
      close: () => undefined,
    })
    reader.write('<p:r xmlns:p="A" xmlns="B"><r xmlns:p="A" xmlns="B"/><s/></p:r>')
    expect(namespaces).toEqual(['A', 'B', undefined])
  })

  it('the name of each end tag, text with its references resolved, and CDATA sections unchanged', () => {
    const events: string[] = []
    const reader = createXmlReader({
      open: () => undefined,
      close: (name) => void events.push(`</${name}>`),
      text: (text) => void events.push(text),
    })
    reader.write('<a:r>x &amp; y<![CDATA[&amp;]]><b/></a:r>')
    reader.end()
    expect(events).toEqual(['x & y', '&amp;', '</b>', '</r>'])
  })

  it('an attribute without a prefix before one with the same local name', () => {
    expect(read('<r xmlns:p="x" p:a="1" a="2"/>')).toEqual(['<r 2', '>'])
    expect(read('<r xmlns:p="x" a="2" p:a="1"/>')).toEqual(['<r 2', '>'])
  })

  it('no attribute from Object.prototype', () => {
    const values: (string | undefined)[] = []
    const reader = createXmlReader({
      open: (_, { get }) => void values.push(get('constructor'), get('__proto__')),
      close: () => undefined,
    })
    reader.write('<r/><!-- -->')
    expect(values).toEqual([undefined, undefined])
  })
})

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
