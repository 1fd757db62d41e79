import { describe, expect, it } from 'vitest'
import { acceptanceOf, isRequest, isUnaccepted } from '../../src/compliance/declaration.ts'
import { parseFailOn } from '../../src/report/gate/fail-on.ts'
import { fileA, HEAD, listXml, productXml, rohsCategories } from '../support/declarations.ts'
import { readRow, readText } from '../support/read-text.ts'

const BODY = productXml(['P1'], listXml('EUROHS-1907', rohsCategories()))
const headed = (head: string): ReturnType<typeof readText> => readText(fileA(BODY, { head }))

describe('a file is a request', () => {
  it.each([
    ['<BusinessInfo mode="Distribute"/>', false],
    ['<BusinessInfo mode=" distribution "/>', false],
    ['<BusinessInfo/>', false],
    ['', false],
    ['<BusinessInfo mode="Request"/>', true],
    ['<BusinessInfo mode=" request "><Response date="2026-01-01"/></BusinessInfo>', true],
    ['<BusinessInfo mode="Request/Reply"><Request date="2026-01-01"/></BusinessInfo>', true],
    ['<BusinessInfo mode="Request/Reply"><Request/><Response date="2026-01-01"/></BusinessInfo>', false],
    ['<BusinessInfo mode="Reply"><Response/></BusinessInfo>', false],
    ['<BusinessInfo><Request/></BusinessInfo>', true],
    ['<BusinessInfo><Request/><Response/></BusinessInfo>', false],
  ])('%s: %s', (head, expected) => {
    const { header, rows } = headed(head)
    expect(isRequest(header)).toBe(expected)
    expect(rows.length).toBe(expected ? 0 : 1)
  })

  it('also with its head at the end', () => {
    expect(readText(fileA(`${BODY}<BusinessInfo mode="Request"/>`, { head: '' })).rows).toEqual([])
  })

  it('but its materials are a declaration where it has nothing else', () => {
    const substance = '<Substance name="Tin"><Concentration value="100"/></Substance>'
    const materials = (inside: string): string =>
      `<HomogeneousMaterialList><HomogeneousMaterial name="M">${inside}</HomogeneousMaterial></HomogeneousMaterialList>`
    const head = '<BusinessInfo mode="requesting"/>'
    const row = readRow(fileA(productXml(['P1'], materials(substance)), { head }))
    expect(row).toMatchObject({ classes: 'D', rohs: 'not declared' })
    expect(row.note).toContain('mode "requesting": a request')
    const blank = productXml(['P1'], materials('<Substance name="Tin"/>'))
    expect(readText(fileA(blank, { head })).rows).toEqual([])
  })
})

describe('a declaration that its supplier has not accepted', () => {
  const accepted = (value: string): string =>
    HEAD.replace('</BusinessInfo>', `<Declaration supplierAcceptance="${value}"/></BusinessInfo>`)

  it('is noted, and matches the rule', () => {
    const [row] = headed(accepted('false')).rows
    expect(row).toMatchObject({ unaccepted: true, rohs: 'compliant' })
    expect(row!.note).toContain(
      'the supplier has not accepted this declaration (supplierAcceptance is "false")',
    )
    const [rule] = parseFailOn('unaccepted')
    const isMatched = (value: string) => headed(accepted(value)).judged[0]!.findings.some(rule!.matches)
    expect([isMatched('false'), isMatched('true')]).toEqual([true, false])
  })

  it.each([
    ['false', 'no', true],
    ['0', 'no', true],
    ['Rejected', 'no', true],
    ['pending', 'not yet', true],
    ['perhaps', 'not yet', true],
    ['true', 'yes', false],
    ['1', 'yes', false],
    ['', 'not said', false],
  ])('%j: %s', (value, expected, isOpen) => {
    const acceptance = acceptanceOf(headed(accepted(value)).header)
    expect(acceptance).toBe(expected)
    expect(isUnaccepted(acceptance)).toBe(isOpen)
  })

  it.each([
    ['at the end of the file', `${productXml(['P1'], '')}<Declaration supplierAcceptance="false"/>`],
    ['in an element of any name', `${productXml(['P1'], '')}<End><Sign supplierAcceptance="false"/></End>`],
    ['in a product', productXml(['P1'], '<Declaration supplierAcceptance="false"/>')],
    ['in another spelling', `${productXml(['P1'], '')}<Declaration SupplierAcceptance="no"/>`],
    ['as an element', `${productXml(['P1'], '')}<SupplierAcceptance value="false"/>`],
  ])('says no %s, whatever it says in the usual place', (_, body) => {
    expect(acceptanceOf(readText(fileA(body, { head: accepted('true') })).header)).toBe('no')
  })

  it('may say so in a text, which is not read', () => {
    const body = `${productXml(['P1'], '')}<SupplierAcceptance>false</SupplierAcceptance>`
    expect(readText(fileA(body)).header.unread).toMatchObject([
      { text: 'the text of SupplierAcceptance is not read' },
    ])
  })

  it('of which a file says nothing is noted only', () => {
    const [row] = headed(accepted('')).rows
    expect(row!.unaccepted).toBe(false)
    expect(row!.note).toContain('the file does not say whether its supplier accepts it')
  })
})
