import { describe, expect, it } from 'vitest'
import {
  type CategoryXml,
  exemptionXml,
  fileA,
  listXml,
  productXml,
  rohsCategories,
} from '../support/declarations.ts'
import { readRow } from '../support/read-text.ts'

const UNKNOWN = 'an exemption is stated in a form that is not recognized'

/** A part whose only category over is lead, with this inside it. */
function leadOver(
  inside: string,
  more: Readonly<Record<string, CategoryXml>> = {},
): ReturnType<typeof readRow> {
  const categories = rohsCategories({ Lead: { over: 'true', inside }, ...more })
  return readRow(fileA(productXml(['P1'], listXml('EUROHS-1907', categories))))
}

/** A part with lead over, and this inside its list, beside the categories. */
function inList(
  inside: string,
  more: Readonly<Record<string, CategoryXml>> = {},
): ReturnType<typeof readRow> {
  const list = listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true' }, ...more }))
  return readRow(
    fileA(productXml(['P1'], list.replace('</SubstanceCategoryList>', `${inside}</SubstanceCategoryList>`))),
  )
}

describe('an exemption is read', () => {
  it.each([
    ['named by @name', '<ExemptionList><Exemption name="6(c)"/></ExemptionList>', '6(c) (Lead)'],
    ['by an ExemptionID alone', '<ExemptionID identity="6(c)"/>', '6(c) (Lead)'],
    ['by an ExemptionID with @name', '<Exemption><ExemptionID name="6(c)"/></Exemption>', '6(c) (Lead)'],
    [
      'inside a Threshold',
      '<Threshold overThreshold="true"><ExemptionList><Exemption identity="6(c)"/></ExemptionList></Threshold>',
      '6(c) (Lead)',
    ],
    [
      'with its list inside',
      '<Exemption identity="6(c)"><ExemptionListID identity="L"/></Exemption>',
      '6(c) (L, Lead)',
    ],
  ])('%s', (_, inside, exemptions) => {
    const row = leadOver(inside)
    expect(row).toMatchObject({ rohs: 'compliant with exemptions', exemptions, has_gaps: false })
    expect(row.note).not.toContain(UNKNOWN)
  })

  it.each(['None', 'N/A', 'n.a.', '-', '0', 'Not applicable', 'no exemption', 'pending', 'see comment'])(
    'but %j is none: the status is incomplete, and quotes it',
    (identity) => {
      const row = leadOver(`<ExemptionList><Exemption identity="${identity}"/></ExemptionList>`)
      expect(row.rohs).toBe('incomplete')
      expect(row.note).toContain(`exemption "${identity}" of Lead has no number`)
    },
  )

  it.each(['status="rejected"', 'applies="false"', 'claimed="no"', 'comment="withdrawn"'])(
    'but with %s it is not in use: the status is incomplete, and quotes it',
    (said) => {
      const row = leadOver(`<ExemptionList><Exemption identity="6(c)" ${said}/></ExemptionList>`)
      expect(row).toMatchObject({ rohs: 'incomplete', exemptions: '' })
      expect(row.note).toContain(said.replaceAll('"', '').replace('comment=', ''))
    },
  )

  it.each(['expirationDate="2020-01-01"', 'status="active"', 'applies="true"'])(
    'with %s it is in use',
    (said) => {
      const row = leadOver(`<ExemptionList><Exemption identity="6(c)" ${said}/></ExemptionList>`)
      expect(row).toMatchObject({ rohs: 'compliant with exemptions', exemptions: '6(c) (Lead)' })
    },
  )

  it.each([
    ['ELV-2000/53/EC', true],
    ['China RoHS exemptions', true],
    ['EL2011/534/EU', false],
    ['EU-RoHS-AnnexIII', false],
    ['own list', false],
  ])('of the list %s it is one of another law: %s', (list, isOther) => {
    const row = leadOver(exemptionXml('6(c)', list))
    expect(row.rohs).toBe(isOther ? 'incomplete' : 'compliant with exemptions')
    if (isOther)
      expect(row.note).toContain(`exemption "6(c)" of Lead is from the list "${list}", not of RoHS`)
  })

  it('but not without a text', () => {
    const row = leadOver('<ExemptionList><Exemption identity=""/></ExemptionList>')
    expect(row).toMatchObject({ rohs: 'not compliant', exemptions: '' })
    expect(row.note).toContain('no exemption')
  })

  it('by its description where the identity is a placeholder', () => {
    expect(leadOver('<Exemption identity="-" description="6(c)"/>')).toMatchObject({
      rohs: 'compliant with exemptions',
      exemptions: '6(c) (Lead)',
    })
  })

  it('at the list, for its one category that is over', () => {
    expect(inList('<ExemptionList><Exemption identity="6(c)"/></ExemptionList>')).toMatchObject({
      rohs: 'compliant with exemptions',
      exemptions: '6(c)',
    })
  })

  it('at the list, but which of two categories it covers is not stated', () => {
    const row = inList('<Exemption identity="6(c)"/>', { Cadmium: { over: 'true' } })
    expect(row).toMatchObject({ rohs: 'incomplete', exemptions: '6(c)', has_gaps: true })
    expect(row.note).toContain(
      'incomplete: exemptions are stated for the whole RoHS list, and 2 categories are over',
    )
  })
})

describe('an exemption in an unknown form makes the status incomplete', () => {
  it.each([
    ['with its number in an unknown attribute', '<Exemption number="6(c)"/>'],
    ['with its number as text', '<ExemptionList><Exemption>6(c)</Exemption></ExemptionList>'],
    ['in an unknown element', '<ExemptionCode value="6(c)"/>'],
    ['in a list of another kind', '<Exemptions><Exemption identity="6(c)"/></Exemptions>'],
    ['in an unknown element of a list', '<ExemptionList><Item identity="6(c)"/></ExemptionList>'],
    ['inside an exemption', '<Exemption identity=""><ExemptionCode value="6(c)"/></Exemption>'],
    ['below an unknown element', '<Details><Exemption identity="6(c)"/></Details>'],
    ['in an attribute of the threshold', '<Threshold overThreshold="true" exemption="6(c)"/>'],
  ])('%s', (_, inside) => {
    const row = leadOver(inside)
    expect(row).toMatchObject({ rohs: 'incomplete', exemptions: '', has_gaps: true })
    expect(row.note).toContain(`incomplete: ${UNKNOWN}`)
  })

  it('in an attribute of the category, where it is over', () => {
    const withAttribute = (over: string) => {
      const list = listXml('EUROHS-1907', rohsCategories({ Lead: { over } }))
      const name = /<(?:\w+:)?SubstanceCategory [^>]*name="Lead"/
      return readRow(fileA(productXml(['P1'], list.replace(name, '$& exemption="6(c)"'))))
    }
    expect(withAttribute('true')).toMatchObject({ rohs: 'incomplete', exemptions: '', has_gaps: true })
    for (const over of ['false', '0', 'FALSE']) expect(withAttribute(over).rohs).toBe('compliant')
  })

  it('also with nothing over', () => {
    const row = leadOver('', { Lead: { over: 'false', inside: '<ExemptionCode value="6(c)"/>' } })
    expect(row).toMatchObject({ rohs: 'incomplete', has_gaps: true })
  })

  it('at its list, for all categories', () => {
    expect(inList('<ExemptionCode value="6(c)"/>', { Cadmium: { over: 'true' } })).toMatchObject({
      rohs: 'incomplete',
      has_gaps: true,
    })
  })

  it('but not better than not compliant, for another category', () => {
    const row = leadOver('<ExemptionCode value="6(c)"/>', { Cadmium: { over: 'true' } })
    expect(row.rohs).toBe('not compliant')
    expect(row.note).toContain('Cadmium over the RoHS threshold, no exemption')
    expect(row.note).not.toContain('Lead over')
    expect(row.note).toContain(UNKNOWN)
  })

  it('beside the product’s lists', () => {
    const list = listXml('EUROHS-1907', rohsCategories())
    for (const info of [`${list}<ExemptionCode value="6(c)"/>`, `<Extra><Exemption/></Extra>${list}`]) {
      const row = readRow(fileA(productXml(['P1'], info)))
      expect(row).toMatchObject({ rohs: 'incomplete', has_gaps: true })
      expect(row.note).toContain(`incomplete: ${UNKNOWN}`)
    }
  })

  it('of another list is only noted', () => {
    const other = listXml('IEC_62474', [{ over: 'false', inside: '<ExemptionCode value="6(c)"/>' }])
    const row = readRow(fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories()) + other)))
    expect(row.rohs).toBe('compliant')
    expect(row.note).toContain(`IEC_62474: ${UNKNOWN}`)
    expect(row.other_lists).toBe('IEC_62474: incomplete')
  })
})

describe('an exemption at a substance of class D', () => {
  const material = (inside: string): string =>
    `<HomogeneousMaterialList><HomogeneousMaterial name="Brass"><Amount value="1" UOM="g"/><SubstanceCategoryList><SubstanceCategory name="Supplier"><Substance name="Lead"><SubstanceID identity="7439-92-1" authority="CAS"/><Concentration value="100"/>${inside}</Substance></SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial></HomogeneousMaterialList>`
  const EXEMPT =
    '<ExemptionList><ExemptionListID identity="EL2011/534/EU"/><Exemption identity="6(c)"/></ExemptionList>'

  it('is listed, and RoHS stays not declared without class C', () => {
    const row = readRow(fileA(productXml(['P1'], material(EXEMPT))))
    expect(row).toMatchObject({
      rohs: 'not declared',
      classes: 'D',
      exemptions: '6(c) (EL2011/534/EU, Lead in Brass)',
      has_gaps: false,
    })
    expect(row.exemption_ids).toEqual([{ identity: '6(c)', list: 'EL2011/534/EU' }])
    expect(row.note).toContain('exemptions stated outside class C: 1')
  })

  it.each([
    ['compliant', rohsCategories(), 'compliant with exemptions'],
    ['not compliant', rohsCategories({ Lead: { over: 'true' } }), 'not compliant'],
    ['incomplete', rohsCategories({ Lead: { over: undefined } }), 'incomplete'],
  ])('beside class C that is %s', (_, categories, rohs) => {
    const row = readRow(fileA(productXml(['P1'], listXml('EUROHS-1907', categories) + material(EXEMPT))))
    expect(row).toMatchObject({ rohs, exemptions: '6(c) (EL2011/534/EU, Lead in Brass)' })
  })

  it('of an unknown form is noted', () => {
    const alone = readRow(fileA(productXml(['P1'], material('<ExemptionCode value="6(c)"/>'))))
    expect(alone).toMatchObject({ rohs: 'not declared', exemptions: '', has_gaps: true })
    expect(alone.note).toContain(UNKNOWN)
    const list = listXml('EUROHS-1907', rohsCategories())
    const both = readRow(fileA(productXml(['P1'], list + material('<ExemptionCode value="6(c)"/>'))))
    expect(both).toMatchObject({ rohs: 'incomplete', has_gaps: true })
  })
})
