import { describe, expect, it } from 'vitest'
import { createDeclarationReader, NotADeclaration } from '../../src/declaration/read-declaration.ts'
import {
  exemptionXml,
  fileA,
  fileB,
  HEAD,
  listXml,
  productXml,
  rohsCategories,
} from '../support/declarations.ts'
import { readRow, readText } from '../support/read-text.ts'
import { soakTest } from '../support/soak.ts'

const LIST = listXml('EUROHS-1907', rohsCategories())

describe('a declaration file', () => {
  it('is read by local names, whatever the prefix', () => {
    const plain = fileA(productXml(['P1'], LIST))
    const prefixed = plain.replace(/<(\/?)([A-Z])/g, '<$1ipc:$2').replace('xmlns=', 'xmlns:ipc=')
    expect(readRow(prefixed)).toEqual(readRow(plain))
    expect(readRow(plain)).toMatchObject({ standard: '1752A', part: 'P1', rohs: 'compliant' })
  })

  it('is 1752B by its namespace or by the element inside its root', () => {
    expect(readRow(fileB(productXml(['P1'], LIST)))).toMatchObject({
      standard: '1752B',
      part: 'P1',
      rohs: 'compliant',
      supplier: 'Example Parts',
    })
    const bare = `<MainDeclaration><IPC-1752B>${productXml(['P1'], LIST)}</IPC-1752B></MainDeclaration>`
    expect(readRow(bare)).toMatchObject({ standard: '1752B', rohs: 'compliant' })
    const shallow = fileA(productXml(['P1'], LIST)).replace(
      'http://webstds.ipc.org/175x/2.0',
      'https://webstds.ipc.org/175x/1752B/1752B',
    )
    expect(readRow(shallow).standard).toBe('1752B')
  })

  it('has a row for every ProductID of every product', () => {
    const { rows } = readText(fileA(productXml(['A1', 'A2'], LIST) + productXml(['B1'], '')))
    expect(rows.map((row) => [row.part, row.rohs])).toEqual([
      ['A1', 'compliant'],
      ['A2', 'compliant'],
      ['B1', 'not declared'],
    ])
  })

  it('does not change part numbers', () => {
    const { rows } = readText(fileA(productXml(['007', ' A  B ', 'x&amp;y', '=1+1'], LIST)))
    expect(rows.map((row) => row.part)).toEqual(['007', ' A  B ', 'x&y', '=1+1'])
  })

  it('has products at any depth, but not in the head of the file', () => {
    const deep = fileA(`<a><b>${productXml(['P1'], LIST)}</b></a>`)
    expect(readText(deep).rows.map((row) => row.part)).toEqual(['P1'])
    const asked = HEAD.replace('<Response', `<Request>${productXml(['P2'], LIST)}</Request><Response`)
    expect(readText(fileA(productXml(['P1'], LIST), { head: asked })).rows.map((row) => row.part)).toEqual([
      'P1',
    ])
  })

  it('may have its sender after its products', () => {
    expect(readRow(fileA(productXml(['P1'], LIST) + HEAD, { head: '' }))).toMatchObject({
      supplier: 'Example Parts',
      company_id: '123456789',
      date: '2024-09-27',
    })
  })

  it('has the person to write to, wherever its response names them', () => {
    const contact = '<Contact name="Ann"><Email address="ann@example.com"/><Phone number="1"/></Contact>'
    const company = '<SupplyCompany name="Example Parts"/>'
    for (const inside of [contact + company, company + contact]) {
      const head = `<BusinessInfo mode="Distribute"><Response date="2024-09-27">${inside}</Response></BusinessInfo>`
      expect(readText(fileA(productXml(['P1'], LIST), { head })).header).toMatchObject({
        supplier: 'Example Parts',
        contact: { name: 'Ann', email: 'ann@example.com', phone: '1' },
      })
    }
  })

  it('does not confuse the requester with the supplier', () => {
    const head =
      '<BusinessInfo><Request date="2020-01-01"><RequestCompany name="Buyer"><CompanyID identity="1"/></RequestCompany></Request><Response/></BusinessInfo>'
    expect(readRow(fileA(productXml(['P1'], LIST), { head }))).toMatchObject({
      supplier: '',
      company_id: '',
      date: '',
    })
  })

  it('may contain class C and class D, distinguished by their position', () => {
    const material = `<HomogeneousMaterialList><HomogeneousMaterial name="m"><SubstanceCategoryList><SubstanceCategoryListID identity="EUREACH-0624"/><SubstanceCategory name="Supplier"><Substance name="s"/></SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial></HomogeneousMaterialList>`
    const row = readRow(fileA(productXml(['P1'], LIST + material)))
    expect(row).toMatchObject({ classes: 'CD', rohs: 'compliant', svhc_count: null, reach_list: '' })
  })

  it('has the line of each statement, of a tag over several lines that of its first attribute', () => {
    const list = LIST.replaceAll('<SubstanceCategory ', '\n<SubstanceCategory\n  ')
    const { products } = readText(fileA(`\n${productXml(['P1'], `\n${list}`)}`))
    const [one] = products[0]!.lists
    expect([products[0]!.line, one!.line]).toEqual([2, 3])
    expect(one!.categories.slice(0, 2).map(({ line }) => line)).toEqual([5, 7])
  })

  it('has class A and B by their elements', () => {
    expect(readRow(fileA(productXml(['P1'], '<QueryList/><MaterialGroupList/>'))).classes).toBe('AB')
  })

  it.each([
    ['with its list id first', exemptionXml('6(c)'), '6(c) (EL2011/534/EU, Lead)'],
    [
      'with its list id last',
      '<ExemptionList><Exemption identity="6(c)"/><ExemptionListID identity="L"/></ExemptionList>',
      '6(c) (L, Lead)',
    ],
    [
      'with its id as a child',
      '<ExemptionList><Exemption description="text"><ExemptionID identity="7(a)"/></Exemption></ExemptionList>',
      '7(a) (Lead)',
    ],
    ['with its id alone', '<ExemptionList><ExemptionID identity="7(a)"/></ExemptionList>', '7(a) (Lead)'],
    ['without a list around it', '<Exemption identity="7(a)"/>', '7(a) (Lead)'],
    ['with a description alone', '<Exemption description="6(c) in solder"/>', '6(c) in solder (Lead)'],
    [
      'on a substance of the category',
      '<Substance name="PbO"><ExemptionList><Exemption identity="6(a)"/></ExemptionList></Substance>',
      '6(a) (Lead)',
    ],
  ])('finds an exemption %s', (_, inside, expected) => {
    const row = readRow(
      fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'true', inside } })))),
    )
    expect(row).toMatchObject({ exemptions: expected, rohs: 'compliant with exemptions' })
  })

  it('uses the threshold that is over if a category has two', () => {
    const inside = '<Threshold overThreshold="true"/><Threshold overThreshold="false"/>'
    const row = readRow(
      fileA(productXml(['P1'], listXml('EUROHS-1907', rohsCategories({ Lead: { over: 'false', inside } })))),
    )
    expect(row.rohs).toBe('not compliant')
  })

  it('takes the amounts of the substances of a category for those of the category', () => {
    const inside =
      '<Amount value="0.01" UOM="%"/><Substance name="Lead"><Amount value="2" UOM="%"/><Concentration value="5"/></Substance>'
    const list = listXml('EUROHS-1907', rohsCategories({ Lead: { inside } }))
    const { lists } = readText(fileA(productXml(['P1'], list))).products[0]!
    const lead = lists[0]!.categories.find(({ name }) => name === 'Lead')
    expect(lead).toMatchObject({
      amounts: [{ value: '0.01' }, { value: '2' }],
      concentrations: [{ value: '5' }],
    })
    expect(readRow(fileA(productXml(['P1'], list))).note).toContain('contradictory: Lead: concentration 5 %')
  })

  it('may say in an element that it is IPC-1752A', () => {
    expect(readRow(fileA(`<IPC-1752A>${productXml(['P1'], LIST)}</IPC-1752A>`)).rohs).toBe('compliant')
  })

  soakTest('may embed documents of several MiB, which are not kept', () => {
    const long = 'QUJD'.repeat(2 * 1024 ** 2)
    const text = fileA(
      `<Attachment data="${long}">${long}<!-- ${long} --><![CDATA[${long}]]></Attachment>${productXml(['P1'], LIST)}`,
      { head: HEAD.replace('<Response', `<Response comment="${long}"`) },
    ).replace('<Product ', `<Product comment="${long}" `)
    const { rows, products } = readText(text, 16 * 1024)
    expect(rows).toMatchObject([{ part: 'P1', rohs: 'compliant', supplier: 'Example Parts' }])
    expect(JSON.stringify(products).length).toBeLessThan(100_000)
  })

  it('is refused for a part number of more than 1 Mi characters, which cannot be cut', () => {
    expect(() => readText(fileA(productXml(['9'.repeat(1024 ** 2 + 1)], LIST)))).toThrow(
      'itemNumber has more than 1048576 characters',
    )
  })

  it('is read the same in pieces of any size', () => {
    const text = fileB(productXml(['P1', 'P2'], LIST, { mass: '<Amount value="1" UOM="g"/>' }))
    for (const size of [1, 7, 64, 1_000]) expect(readText(text, size)).toEqual(readText(text))
  })
})

it('is a 1752B file by its namespace, whatever its own version', () => {
  const text = fileB(productXml(['P1'], LIST)).replace('1752B/1752B"', '1752B/1752B" version="1.0"')
  expect(readRow(text)).toMatchObject({ part: 'P1', standard: '1752B' })
})

describe('a file that is no IPC-1752A/B declaration', () => {
  it.each([
    ['<Main xmlns="http://std.iec.ch/iec62474"/>', 'an IEC 62474 declaration'],
    ['<iec:MainDeclaration xmlns:iec="http://std.iec.ch/iec62474"/>', 'an IEC 62474 declaration'],
    ['<MainDeclaration version="1.1"/>', 'an IPC-1752 version 1 form'],
    ['<MainDeclaration xmlns="http://webstds.ipc.org/175x/1.1"/>', 'an IPC-1752 version 1 form'],
    ['<IPC-1752 version="1.1"/>', 'an IPC-1752 version 1 form'],
    ['<MainDeclaration xmlns="http://webstds.ipc.org/175x/1754/1754"/>', 'an IPC-1754 file'],
    ['<MainDeclaration><IPC-1754/></MainDeclaration>', 'an IPC-1754 file'],
    [
      '<MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0"><IPC-1754><Product/></IPC-1754></MainDeclaration>',
      'an IPC-1754 file',
    ],
    [
      '<MainDeclaration xmlns="https://webstds.ipc.org/175x/1752B/1752B"><IPC-1754><Product/></IPC-1754></MainDeclaration>',
      'an IPC-1754 file',
    ],
    [
      '<MainDeclaration xmlns="http://webstds.ipc.org/175x/2.0"><Include><Sectional name="IPC-1754"/></Include></MainDeclaration>',
      'an IPC-1754 file',
    ],
    ['<html/>', 'not an IPC-1752A/B declaration: the root element is <html>'],
    ['<feed xmlns="http://www.w3.org/2005/Atom"/>', 'the root element is <feed>'],
  ])('%s is reported as such', (text, name) => {
    expect(() => readText(text)).toThrow(NotADeclaration)
    expect(() => readText(text)).toThrow(name)
  })

  soakTest('is refused when one product alone has a quarter of a million elements', () => {
    const reader = createDeclarationReader(() => undefined)
    reader.write('<MainDeclaration><Product><MaterialInfo>')
    const many = '<SubstanceCategoryList><SubstanceCategory/></SubstanceCategoryList>'.repeat(1_000)
    const feed = (): void => {
      for (let count = 0; count < 300; count += 1) reader.write(many)
    }
    expect(feed).toThrow(/more than 250000 elements/)
  })
})
