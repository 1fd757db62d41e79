import { describe, expect, it } from 'vitest'
import { createDeclarationReader } from '../../src/declaration/read-declaration.ts'
import { judgedRow } from '../../src/report/rows/make-row.ts'
import {
  type PartDeclaration,
  partDeclaration,
  partFacts,
  type ReadPart,
} from '../../src/report/rows/part-declaration.ts'
import { declarationXml, type XmlStandard } from '../../src/sandbox/declaration-xml.ts'
import { SPECIAL_PARTS } from '../../src/sandbox/special-parts.ts'
import { readText } from '../support/read-text.ts'
import { judgingContext } from '../support/reference-tables.ts'
import { all, parsedXml } from '../support/sandbox.ts'
import { EXPECTED } from '../support/special-parts.ts'

const xmlOf = (number: string, standard: XmlStandard, letter: 'C' | 'D'): string => {
  const part = SPECIAL_PARTS.find(({ numbers }) => numbers[0].number === number)!
  return declarationXml(part, standard, letter)!
}
const STANDARDS = ['1752A', '1752B'] as const

describe.each(STANDARDS)('the special parts as %s', (standard) => {
  it('are well-formed, and announce the classes that they have', () => {
    for (const part of SPECIAL_PARTS) {
      for (const letter of ['C', 'D'] as const) {
        const xml = declarationXml(part, standard, letter)
        if (xml === undefined) continue
        expect(all(parsedXml(xml), 'Product')).toHaveLength(1)
        for (const { note } of readText(xml).rows) expect(note).not.toContain('announces')
      }
    }
  })

  it('have a request that states nothing, from a buyer, about the class it asks for', () => {
    const xml = xmlOf('HA-REQUEST', standard, 'C')
    const root = parsedXml(xml)
    expect(all(root, 'Request')).toHaveLength(1)
    expect(all(root, 'Response')).toHaveLength(0)
    expect(all(root, 'SubSectional').map(({ attributes }) => attributes.name)).toEqual(['C'])
    expect(all(root, 'MaterialInfo')[0]?.children).toEqual([])
    expect(readText(xml).rows).toEqual([])
  })

  it('have sub-products in sub-products, whose masses add up', () => {
    const { products, rows } = readText(xmlOf('HA-NESTED', standard, 'D'))
    const [module] = products[0]!.subProducts
    expect(module?.subProducts.map(({ instances }) => instances)).toEqual(['1', '2'])
    expect(rows).toMatchObject([{ classes: 'CD', rohs: 'compliant', declared_percent: 100 }])
  })

  it('have shares of the part, and of the material nowhere', () => {
    const xml = xmlOf('HA-SHARES', standard, 'D')
    const { rows, substances } = readText(xml)
    expect(all(parsedXml(xml), 'Concentration')).toEqual([])
    expect(rows[0]?.declared_percent).toBe(100)
    expect(rows[0]?.note).toContain('massPercent read as share of the part')
    expect(substances.find(({ substance }) => substance === 'Copper')).toMatchObject({
      mass_mg: 600,
      percent_of_material: 100,
    })
  })

  it('have class A statements with their codes', () => {
    const [row] = readText(xmlOf('HA-CLASS-A', standard, 'C')).rows
    expect(row).toMatchObject({ classes: 'A', rohs: 'not declared', svhc_count: null })
    expect(row?.note).toContain('class A, EUROHS-1907: states A-3 "')
  })

  it('have notes on what is stated for few entries, or for none', () => {
    const note = (number: string): string => readText(xmlOf(number, standard, 'C')).rows[0]!.note
    expect(note('HA-FEW')).toContain('3 entries of EUREACH')
    expect(note('HA-UNSTATED')).toContain('IEC_62474 D19.00: 4 of 4 categories without a statement')
  })
})

const NOW = Date.parse('2026-11-23T12:00:00Z')
const context = await judgingContext(NOW)

function declarationsIn(xml: string, source: string): readonly PartDeclaration[] {
  const facts: ReadPart[] = []
  const reader = createDeclarationReader((product) => facts.push(...partFacts(product, context.substances)))
  reader.write(xml)
  reader.end()
  return facts.flatMap((part) => partDeclaration(part, reader.header(), source) ?? [])
}

describe.each(STANDARDS)('a report on the special parts as %s', (standard) => {
  it.each(SPECIAL_PARTS.map((part) => [part.numbers[0].number, part] as const))(
    'has the expected statuses and findings for %s',
    (number, part) => {
      const files = [part, ...(part.revisions ?? [])].flatMap((state, index) => {
        const xml = declarationXml(state, standard, 'D') ?? declarationXml(state, standard, 'C')
        return xml === undefined ? [] : declarationsIn(xml, `${index}.xml`)
      })
      const row = files.length === 0 ? undefined : judgedRow(files, context)
      const rules = [...new Set(row?.findings.map(({ rule }) => rule))].sort()
      const found = row && [row.judged.rohs.status, row.judged.reach.status, ...rules]
      expect(found).toEqual(EXPECTED[number])
      for (const { place } of row?.findings ?? []) expect(place?.source).toMatch(/^\d\.xml$/)
    },
  )
})
