import { describe, expect, it } from 'vitest'
import { scanProductIds } from '../../src/declaration/product-ids.ts'
import { markRequested } from '../../src/declaration/requested-products.ts'
import { fileA, listXml, productXml, rohsCategories } from '../support/declarations.ts'

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
