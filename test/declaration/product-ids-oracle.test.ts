import { describe, expect, it } from 'vitest'
import { createXmlReader, XmlProblem } from '../../src/base/xml.ts'
import { createProductScanner, type ProductId } from '../../src/declaration/product-ids.ts'
import { exemptionXml, fileA, fileB, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { decodeXml } from '../support/read-text.ts'
import { seeded } from '../support/seeded.ts'
import { sweep } from '../support/soak.ts'

/** The ProductIDs by the XML reader; undefined for a document that is not well-formed. */
function byReader(bytes: Buffer): readonly ProductId[] | undefined {
  const ids: ProductId[] = []
  const reader = createXmlReader({
    open(name, { get }) {
      if (name !== 'ProductID') return
      const [itemNumber, requesterItemNumber] = [get('itemNumber'), get('requesterItemNumber')]
      if (itemNumber || requesterItemNumber) {
        ids.push({ ...(itemNumber && { itemNumber }), ...(requesterItemNumber && { requesterItemNumber }) })
      }
    },
    close: () => undefined,
  })
  try {
    reader.write(decodeXml(bytes))
    reader.end()
    return ids
  } catch (error) {
    if (error instanceof XmlProblem) return undefined
    throw error
  }
}

function byScanner(bytes: Buffer, size: number): readonly ProductId[] {
  const scanner = createProductScanner()
  for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size))
  return scanner.end()
}

const GLYPHS = [
  ...'<>&"\'=/!-[]?;#x: \n\t\rA0_.é',
  ...[']]>', '--', '<!--', '-->', '<?', '?>', '&amp;', '&#10;', '<![CDATA[', '</', '/>'],
  ...['<ProductID itemNumber="X"/>', "<p:ProductID\nitemNumber = 'Y'>", '</p:ProductID>', 'ProductID'],
]

function mutate(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length)
  const length = 1 + Math.floor(random() * 6)
  const glyph = GLYPHS[Math.floor(random() * GLYPHS.length)]!
  const kind = Math.floor(random() * 4)
  if (kind === 0) return text.slice(0, at) + text.slice(at + length)
  if (kind === 1) return text.slice(0, at) + glyph + text.slice(at)
  if (kind === 2) return text.slice(0, at) + glyph + text.slice(at + 1)
  return text.slice(0, at + length) + text.slice(at)
}

const list = listXml(
  'EUROHS-1907',
  rohsCategories({ Lead: { over: 'true', inside: exemptionXml('6(c)') } }).slice(3, 5),
)
const DOCUMENTS = [
  fileA(productXml(['A &amp; B', '&#x41;&lt;'], list)),
  fileB(productXml(['P1'], list)),
  `<?xml version='1.0' encoding="utf-8"?>\n<!-- <ProductID itemNumber="no"/> --><?pi <ProductID itemNumber="no"/>?>\n<r a='>'>text ]] &gt; <![CDATA[<ProductID itemNumber="no"/>]]><p:ProductID\n p:itemNumber = "Ä&#xA;2"\r\n requesterItemNumber='"7>"'\n/><ä/><ProductID\titemName="<?"\nitemNumber="é"></ProductID></r>\n<!-- end -->`.replace(
    '"<?"',
    '"&lt;?"',
  ),
]

const ENCODE: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-16 with a byte order mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'Latin-1': (text) => Buffer.from(text.replace(/encoding="utf-8"/i, 'encoding="ISO-8859-1"'), 'latin1'),
}

describe.each(Object.keys(ENCODE))('the ProductIDs found in %s', (encoding) => {
  it('match the XML reader in every well-formed document of seeded mutations', () => {
    const random = seeded(encoding.length * 7919)
    const different: string[] = []
    let compared = 0
    for (let round = 0; round < sweep(500, 5_000); round += 1) {
      let text = DOCUMENTS[round % DOCUMENTS.length]!
      for (let count = 1 + Math.floor(random() * 2); count > 0; count -= 1) text = mutate(text, random)
      const bytes = ENCODE[encoding]!(text)
      const expected = byReader(bytes)
      if (expected === undefined) continue
      compared += 1
      const found = byScanner(bytes, round % 2 === 0 ? bytes.length : 1 + Math.floor(random() * 99))
      if (JSON.stringify(found) !== JSON.stringify(expected)) different.push(text)
    }
    expect(different).toEqual([])
    expect(compared).toBeGreaterThan(sweep(100, 1_000))
  })
})
