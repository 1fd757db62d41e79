import { describe, expect, it } from 'vitest'
import { fileA, fileB, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { readRow, readText } from '../support/read-text.ts'

const GOOD = listXml('EUROHS-1907', rohsCategories())
const BAD = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' } }))
const REACH = listXml('EUREACH-0624', [{ over: 'false' }])
const sub = (info: string, after = ''): string =>
  `<SubProduct><ProductID itemNumber="S"/><MaterialInfo>${info}</MaterialInfo>${after}</SubProduct>`
const rowOf = (info: string, after: string): ReturnType<typeof readRow> =>
  readRow(fileB(productXml(['P1'], info, { after })))

describe('products inside a product are read', () => {
  it.each([
    ['as a Product', productXml(['P2'], BAD)],
    ['in a SubProductList', `<SubProductList>${sub(BAD)}</SubProductList>`],
    ['in a list of Products', `<Products>${productXml(['P2'], BAD)}</Products>`],
    ['on a third level', sub(GOOD, sub(BAD))],
    ['on a third level of Products', productXml(['P2'], GOOD, { after: productXml(['P3'], BAD) })],
    [
      'in lists on each level',
      `<SubProductList>${sub(GOOD, `<SubProductList>${sub(BAD)}</SubProductList>`)}</SubProductList>`,
    ],
  ])('%s', (_, after) => {
    const row = rowOf(GOOD, after)
    expect(row).toMatchObject({ part: 'P1', rohs: 'not compliant' })
    expect(row.note).toContain('Lead over the RoHS threshold, no exemption')
  })

  it('also inside MaterialInfo', () => {
    expect(rowOf(`${GOOD}<SubProductList>${sub(BAD)}</SubProductList>`, '').rohs).toBe('not compliant')
    expect(rowOf(GOOD + productXml(['P2'], BAD), '').rohs).toBe('not compliant')
  })

  it('with their materials', () => {
    const materials =
      '<HomogeneousMaterialList><HomogeneousMaterial name="Tin"><Amount value="2" UOM="g"/><Substance name="Tin"><Amount value="2" UOM="g"/></Substance></HomogeneousMaterial></HomogeneousMaterialList>'
    const nested = `<SubProductList>${sub(materials)}</SubProductList>`
    const { substances } = readText(fileA(productXml(['P1'], '', { after: nested })))
    expect(substances).toMatchObject([{ part: 'P1', material: 'S / Tin', mass_mg: 2_000 }])
  })
})

describe('a statement in an unknown place makes the part incomplete', () => {
  it.each([
    ['a SubProduct', `<Assembly>${sub(BAD)}</Assembly>`, 'a SubProduct in an unknown place is not read'],
    [
      'a Product',
      `<ManufacturingInfo>${productXml(['P2'], '')}</ManufacturingInfo>`,
      'a Product in an unknown place is not read',
    ],
    ['a list', BAD, 'a SubstanceCategoryList in an unknown place is not read'],
    ['a Substance', '<Substance name="Lead"/>', 'a Substance in an unknown place is not read'],
    [
      'a Substance of a material that is called otherwise',
      '<Materials><Material name="Solder"><Substance name="Lead"/></Material></Materials>',
      'a Substance in an unknown place is not read',
    ],
    ['an element in lower case', '<subproduct/>', 'a subproduct in an unknown place is not read'],
  ])('%s', (_, after, reason) => {
    const row = rowOf(GOOD + REACH, after)
    expect(row).toMatchObject({ rohs: 'incomplete', has_gaps: true, reach: 'incomplete' })
    expect(row.note).toContain(`incomplete: ${reason}`)
    expect(row.note).not.toContain('no SVHC')
  })

  it('but not compliant and not declared stay unchanged', () => {
    const after = `<Assembly>${sub(GOOD)}</Assembly>`
    expect(rowOf(BAD, after)).toMatchObject({ rohs: 'not compliant', has_gaps: true })
    const none = rowOf('', after)
    expect(none).toMatchObject({ rohs: 'not declared', has_gaps: true })
    expect(none.note).toContain('a SubProduct in an unknown place is not read')
  })

  it('in a sub-product too', () => {
    expect(rowOf(GOOD, sub(GOOD, `<Assembly>${sub(BAD)}</Assembly>`))).toMatchObject({ rohs: 'incomplete' })
  })
})
