import { describe, expect, it } from 'vitest'
import { createProductScanner, markRequested, type ProductId } from '../../src/declaration/product-ids.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'

const product = (attributes: string): string =>
  `<Product unitType="Each"><ProductID ${attributes}/></Product>`

/** The ProductIDs of a whole XML file. */
function scanProductIds(xml: Uint8Array | string): readonly ProductId[] {
  const scanner = createProductScanner()
  scanner.push(typeof xml === 'string' ? Buffer.from(xml) : xml)
  return scanner.end()
}

describe('the product scanner', () => {
  it.each([
    [
      'the supplier’s and the buyer’s number',
      product('itemNumber="A-1" itemName="x" requesterItemNumber="B 2"'),
      [{ itemNumber: 'A-1', requesterItemNumber: 'B 2' }],
    ],
    [
      'single quotes, whitespace around the equals sign, a line break between',
      product(`itemName='">'\n\titemNumber = 'A"1'`),
      [{ itemNumber: 'A"1' }],
    ],
    [
      'any prefix of the element and of the attributes',
      '<ipc:ProductID ipc:itemNumber="A"></ipc:ProductID>',
      [{ itemNumber: 'A' }],
    ],
    [
      'references to characters, by number and by name',
      product('itemNumber="A&#x2F;&#66;&amp;&lt;&gt;&quot;&apos;&amp;lt;"'),
      [{ itemNumber: 'A/B&<>"\'&lt;' }],
    ],
    [
      'unknown references, unchanged',
      product('itemNumber="&foo;&constructor;&#xD800;&#0;&"'),
      [{ itemNumber: '&foo;&constructor;&#xD800;&#0;&' }],
    ],
    [
      'a line break in a value as a space, one by reference unchanged',
      product('itemNumber="A\r\nB&#10;C"'),
      [{ itemNumber: 'A B\nC' }],
    ],
    [
      'spaces at the ends of a number as part of it',
      product('itemNumber=" 007 "'),
      [{ itemNumber: ' 007 ' }],
    ],
    [
      'a value with > and < of another attribute',
      product('itemName="a > b" itemNumber="A"'),
      [{ itemNumber: 'A' }],
    ],
    [
      'several ProductIDs of one part family',
      '<ProductID itemNumber="A"/><ProductID itemNumber="B"><Amount/></ProductID>',
      [{ itemNumber: 'A' }, { itemNumber: 'B' }],
    ],
    [
      'nothing in a comment',
      '<a><!-- <ProductID itemNumber="no"/> --><ProductID itemNumber="A"/><!----></a>',
      [{ itemNumber: 'A' }],
    ],
    [
      'nothing in CDATA, in which a comment does not begin',
      '<a><![CDATA[<!--<ProductID itemNumber="no"/>]]><ProductID itemNumber="A"/></a>',
      [{ itemNumber: 'A' }],
    ],
    [
      'nothing in a processing instruction',
      '<?x <ProductID itemNumber="no"/>?><ProductID itemNumber="A"/>',
      [{ itemNumber: 'A' }],
    ],
    [
      'nothing of elements whose name is longer',
      '<ProductIDs itemNumber="no"/><MyProductID itemNumber="no"/><x:MyProductID itemNumber="no"/>',
      [],
    ],
    [
      'nothing of the words in text and values',
      '<a b="x:ProductID itemNumber=\'no\'">ProductID itemNumber="no"</a>',
      [],
    ],
    ['nothing of attributes whose name is longer', product('myitemNumber="no" itemNumbers="no"'), []],
    [
      'nothing of an element without numbers or with empty ones',
      '<ProductID/><ProductID itemNumber=""/>',
      [],
    ],
    [
      'what comes before a tag that never ends',
      '<ProductID itemNumber="A"/><ProductID itemNumber="B',
      [{ itemNumber: 'A' }],
    ],
    ['nothing of an empty file', '', []],
  ])('finds %s', (_title, xml, expected) => {
    expect(scanProductIds(xml)).toEqual(expected)
    expect(scanProductIds(Buffer.from(xml))).toEqual(expected)
  })

  const german = `<?xml version="1.0" encoding="ENCODING"?>\n${product('itemNumber="Größe-€"')}`
  it.each([
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${german.replace('ENCODING', 'utf-8')}`), 'Größe-€'],
    [
      'UTF-16, little end first',
      Buffer.from(`\ufeff${german.replace('ENCODING', 'utf-16')}`, 'utf16le'),
      'Größe-€',
    ],
    [
      'UTF-16, big end first',
      Buffer.from(`\ufeff${german.replace('ENCODING', 'utf-16')}`, 'utf16le').swap16(),
      'Größe-€',
    ],
    [
      'UTF-16 without a byte order mark',
      Buffer.from(german.replace('ENCODING', 'utf-16'), 'utf16le'),
      'Größe-€',
    ],
    [
      'Latin-1 by its declaration',
      Buffer.from(german.replace('ENCODING', 'ISO-8859-1').replace('€', ''), 'latin1'),
      'Größe-',
    ],
    ['UTF-8 declared as UTF-16', Buffer.from(german.replace('ENCODING', 'utf-16')), 'Größe-€'],
    ['an unknown encoding, as UTF-8', Buffer.from(german.replace('ENCODING', 'x-none')), 'Größe-€'],
  ])('reads %s', (_title, bytes, expected) => {
    expect(scanProductIds(bytes)).toEqual([{ itemNumber: expected }])
  })

  it('finds the same when the file comes in pieces of any size', () => {
    const xml = Buffer.from(
      `<?xml version="1.0"?><!-- <ProductID itemNumber="no"/> --><r>${'x'.repeat(300)}<![CDATA[ <ProductID itemNumber="no"/> ]]>${product('itemName="a>b" itemNumber="Ä&amp;1"')}<p:ProductID requesterItemNumber='R'/><?pi <ProductID itemNumber="no"/>?>${'y > '.repeat(100)}<ProductID itemNumber="Z"></ProductID></r>`,
    )
    const whole = scanProductIds(xml)
    expect(whole).toEqual([{ itemNumber: 'Ä&1' }, { requesterItemNumber: 'R' }, { itemNumber: 'Z' }])
    for (const size of [1, 2, 3, 5, 7, 11, 64, 255, 256, 257]) {
      const scanner = createProductScanner()
      // One buffer is reused for every piece, as a reader may do.
      const piece = Buffer.alloc(size)
      for (let at = 0; at < xml.length; at += size) {
        const length = xml.copy(piece, 0, at, at + size)
        scanner.push(piece.subarray(0, length))
        piece.fill(0)
      }
      expect(scanner.end(), `pieces of ${size}`).toEqual(whole)
    }
  })

  it.each([
    ['a file without a head', product('itemNumber="A"'), false],
    ['a distribution', `<BusinessInfo mode=" Distribute "><Response/></BusinessInfo>`, false],
    [
      'a distribution that repeats its request',
      '<BusinessInfo mode="Distribute"><Request/></BusinessInfo>',
      false,
    ],
    [
      'another mode, also after the products',
      `${product('itemNumber="A"')}<p:BusinessInfo mode='Request'/>`,
      true,
    ],
    ['a request and no mode', '<BusinessInfo><Request/></BusinessInfo>', true],
    ['the words elsewhere', '<!--<Request/>--><Requests/><x mode="Request" y="Request"/>', false],
  ])('knows from %s whether the file may be a request', (_title, xml, expected) => {
    for (const size of [1, 7, 4_096]) {
      const scanner = createProductScanner()
      const bytes = Buffer.from(xml)
      for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size))
      scanner.end()
      expect(scanner.mayBeRequest()).toBe(expected)
    }
  })

  it('takes constant time and memory for each piece of an endless tag', () => {
    const scanner = createProductScanner()
    scanner.push(Buffer.from('<r><ProductID itemNumber="'))
    for (let count = 0; count < 40; count += 1) scanner.push(Buffer.alloc(131_072, 'x'))
    scanner.push(Buffer.from('<ProductID itemNumber="A"/>'))
    expect(scanner.end()).toEqual([{ itemNumber: 'A' }])
  })
})

const FORM = productXml(['A'], listXml('EUROHS-1907', rohsCategories({})))
const MATERIAL =
  '<HomogeneousMaterialList><HomogeneousMaterial name="m"><Substance name="Tin"><Concentration value="100"/></Substance></HomogeneousMaterial></HomogeneousMaterialList>'
const requestHead = { head: '<BusinessInfo mode="Request"><Request/></BusinessInfo>' }

describe('products of a file that may be a request', () => {
  it.each([
    ['are marked in a request', fileA(FORM, requestHead), [true]],
    [
      'are not marked once the supplier responded',
      fileA(FORM, { head: '<BusinessInfo mode="Request/Reply"><Request/><Response/></BusinessInfo>' }),
      [undefined],
    ],
    [
      'are not marked where the product states its materials',
      fileA(`${FORM}${productXml(['B'], MATERIAL)}`, requestHead),
      [true, undefined],
    ],
    ['are not marked in a broken file', fileA(FORM, requestHead).replace('</', '<'), [undefined]],
    [
      'are not marked in a file of another standard',
      '<IPC-1754><ProductID itemNumber="A"/></IPC-1754>',
      [undefined],
    ],
  ])('%s', async (_title, xml, expected) => {
    const bytes = Buffer.from(xml)
    const pieces = [bytes.subarray(0, 100), bytes.subarray(100)]
    const ids = await markRequested(scanProductIds(xml), pieces)
    expect(ids.map(({ isOnlyRequested }) => isOnlyRequested)).toEqual(expected)
  })
})

it('a tag between two pieces is found however much there is before it', () => {
  const scanner = createProductScanner()
  const before = '<Note>of another part</Note>'.repeat(60_000)
  scanner.push(Buffer.from(`<MainDeclaration>${before}<Product><ProductID item`))
  scanner.push(Buffer.from('Number="A-1"/></Product></MainDeclaration>'))
  expect(scanner.end()).toMatchObject([{ itemNumber: 'A-1' }])
})
