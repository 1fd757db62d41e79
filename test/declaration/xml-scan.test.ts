import { describe, expect, it } from 'vitest'
import { createXmlScanner, XmlProblem } from '../../src/declaration/xml-scan.ts'

/** What a scanner says of a text fed in pieces of `size` characters: one line an event, or why it refused. */
function scan(text: string, size = text.length || 1): string[] {
  const events: string[] = []
  const scanner = createXmlScanner({
    open: (name, attributes) => events.push(`<${name} ${attributes.get('a') ?? ''}`.trimEnd()),
    close: () => events.push('>'),
  })
  try {
    for (let at = 0; at < text.length; at += size) scanner.write(text.slice(at, at + size))
    scanner.end()
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
  [
    'line breaks in values as spaces, referenced ones as they are',
    '<r a="1\r\n2\t3&#xA;4"/>',
    '<r 1 2 3\n4 >',
  ],
  ['">" in a value', '<r a="a>b"/>', '<r a>b >'],
  ['an attribute by its local name', '<r xmlns:p="x" p:a="1"/>', '<r 1 >'],
  ['text, CDATA and references between elements', '<r>a &amp; b<![CDATA[<x>&y;]]><s/>]]</r>', '<r <s > >'],
  ['names beyond ASCII', '<rä.b-c a="ß"><日本/></rä.b-c>', '<rä.b-c ß <日本 > >'],
  ['characters beyond the basic plane', '<r a="𝒳"/>', '<r 𝒳 >'],
]

const BAD: readonly (readonly [string, string, RegExp])[] = [
  ['nothing', '', /holds no element/],
  ['only space', '  \n', /holds no element/],
  ['plain text', 'hello', /text before the first element/],
  ['a wrong end tag', '<r><s></r>', /<s> is closed by another name/],
  ['an end tag that goes on', '<r></rx>', /<r> is closed by another name/],
  ['an end tag alone', '</r>', /end tag without a start tag/],
  ['no end tag', '<r><s/>', /ends inside <r>/],
  ['a cut start tag', '<r><s a="1', /cut off inside <r>/],
  ['a cut comment', '<r/><!-- x', /cut off/],
  ['two roots', '<r/><s/>', /second root element <s>/],
  ['text after the root', '<r/>x', /text after the last element/],
  ['CDATA outside', '<![CDATA[x]]><r/>', /text outside/],
  ['a repeated attribute', '<r a="1" b="2" a="3"/>', /"a" twice/],
  ['an attribute without value', '<r a/>', /malformed attribute/],
  ['an attribute without quotes', '<r a=1/>', /without quotes/],
  ['no space between attributes', '<r a="1"b="2"/>', /no space before an attribute/],
  ['"<" in a value', '<r a="x<y"/>', /"<" in an attribute/],
  ['"<" in a cut value', '<r a="x<y', /"<" in an attribute/],
  ['"&" alone', '<r>a & b</r>', /"&"/],
  ['"&" alone in a value', '<r a="a & b"/>', /"&"/],
  ['an unknown entity', '<r>&nbsp;</r>', /"&nbsp;" is none of XML's own entities/],
  ['an unknown entity in a value', '<r a="&bomb;"/>', /"&bomb;" is none of XML's own/],
  ['a reference to no character', '<r>&#0;</r>', /"&#0;"/],
  ['a reference to a surrogate', '<r a="&#xD800;"/>', /"&#xD800;"/],
  ['a reference beyond Unicode', '<r>&#x110000;</r>', /"&#x110000;"/],
  ['"--" in a comment', '<!-- a -- b --><r/>', /"--" inside a comment/],
  ['"]]>" in text', '<r>a]]>b</r>', /"]]>" in text/],
  ['a control character', '<r>\u0001</r>', /U\+0001 is not allowed/],
  ['U+FFFF', '<r a="\uffff"/>', /U\+FFFF is not allowed/],
  ['a name that starts with a digit', '<1r/>', /starts no tag/],
  ['"<" alone', '<r>a < b</r>', /starts no tag/],
  ['an unknown declaration', '<r><!ELEMENT x></r>', /markup that is no tag/],
  ['a second XML declaration', '<r/><?xml version="1.0"?>', /not at the start/],
  ['an XML declaration after a line break', '\n<?xml version="1.0"?><r/>', /not at the start/],
  ['a malformed XML declaration', '<?xml vers="1.0"?><r/>', /malformed XML declaration/],
  ['a malformed instruction', '<r><??></r>', /malformed processing instruction/],
  ['a document type', '<!DOCTYPE r><r/>', /document type definition, which is never read/],
  [
    'an entity bomb',
    '<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><r>&b;</r>',
    /document type definition, which is never read/,
  ],
  ['an external entity', '<!DOCTYPE r SYSTEM "file:///etc/passwd"><r/>', /document type definition/],
]

describe('a well-formed document', () => {
  it.each(GOOD)('%s', (_, text, events) => {
    expect(scan(text).join(' ')).toBe(events)
  })

  it.each(GOOD)('%s: the same in pieces of any size', (_, text) => {
    for (let size = 1; size < text.length; size += 1) expect(scan(text, size)).toEqual(scan(text))
  })
})

describe('a document that is not well-formed', () => {
  it.each(BAD)('%s is refused', (_, text, reason) => {
    expect(scan(text).at(-1)).toMatch(reason)
  })

  it.each(BAD)('%s: refused in pieces of any size', (_, text, reason) => {
    for (let size = 1; size < text.length; size += 1) expect(scan(text, size).at(-1)).toMatch(reason)
  })

  it('is refused with the line where it shows', () => {
    expect(scan('<r>\n\n<s>\n</x></r>').at(-1)).toMatch(/line 4:/)
    expect(scan('<r>\n\n<s>\n</x></r>', 3).at(-1)).toMatch(/line 4:/)
  })

  it('is refused at every place where it can be cut', () => {
    const text = '<?xml version="1.0"?><r a="1&amp;2"><s>text<!-- c --><![CDATA[d]]><?p i?></s><t/></r>'
    for (let end = 0; end < text.length; end += 1) {
      expect(scan(text.slice(0, end)).at(-1), text.slice(0, end)).toMatch(/^problem/)
    }
    expect(scan(text).at(-1)).toBe('>')
  })
})

describe('bounds', () => {
  it('refuse more than 128 levels', () => {
    const deep = (levels: number): string => '<r>'.repeat(levels) + '</r>'.repeat(levels)
    expect(scan(deep(128)).at(-1)).toBe('>')
    expect(scan(deep(129)).at(-1)).toMatch(/more than 128 levels/)
  })

  it('refuse more than 256 attributes and values of more than a mebicharacter', () => {
    const many = (count: number): string =>
      `<r ${Array.from({ length: count }, (_, n) => `x${n}="1"`).join(' ')}/>`
    expect(scan(many(256)).at(-1)).toBe('>')
    expect(scan(many(257)).at(-1)).toMatch(/more than 256 attributes/)
    expect(scan(`<r a="${'x'.repeat(1_048_500)}"/>`).at(-1)).toBe('>')
    expect(scan(`<r a="${'x'.repeat(1_048_600)}"/>`).at(-1)).toMatch(/more than 1048576 characters/)
  })

  it('refuse a single piece of markup that does not end, after reading it a few times at most', () => {
    let pieces = 0
    const scanner = createXmlScanner({ open: () => undefined, close: () => undefined })
    scanner.write('<r><!--')
    const piece = 'x'.repeat(65_536)
    const feed = (): void => {
      for (; pieces < 1_000; pieces += 1) scanner.write(piece)
    }
    expect(feed).toThrow(/longer than 4194304 characters/)
    expect(pieces).toBeLessThan(160)
  })

  it('let text of any length pass without holding it', () => {
    const scanner = createXmlScanner({ open: () => undefined, close: () => undefined })
    scanner.write('<r>')
    const piece = 'x]]&amp;'.repeat(10_000)
    for (let count = 0; count < 100; count += 1) scanner.write(piece)
    scanner.write('</r>')
    expect(() => scanner.end()).not.toThrow()
  })
})
