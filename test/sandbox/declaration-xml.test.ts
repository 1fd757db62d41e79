import { describe, expect, it } from 'vitest'
import { declarationXml } from '../../src/sandbox/declaration-xml.ts'
import { describePart, type MadeUpPart } from '../../src/sandbox/made-up.ts'
import { all, parsedXml, type Seen } from '../support/sandbox.ts'
import { sweep } from '../support/soak.ts'

const parts = Array.from({ length: sweep(24, 192) }, (_, n) => describePart(n))
const each = (situation: string): MadeUpPart => parts.find((part) => part.situation === situation)!
const childrenNamed = (seen: Seen, local: string): readonly Seen[] =>
  seen.children.filter((child) => child.local === local)

describe('a declaration file', () => {
  it('is well-formed XML in the namespace of its standard', () => {
    for (const part of parts) {
      for (const standard of ['1752A', '1752B'] as const) {
        for (const letter of ['C', 'D'] as const) {
          const xml = declarationXml(part, standard, letter)
          expect(xml === undefined).toBe((letter === 'C' ? part.regulatory : part.material) === undefined)
          if (xml === undefined) continue
          const root = parsedXml(xml)
          expect([root.local, root.attributes.version]).toEqual(['MainDeclaration', '2.0'])
          const uris = new Set(
            [root, ...all(root, 'Product'), ...all(root, 'Substance')].map(({ uri }) => uri),
          )
          expect([...uris]).toEqual([
            standard === '1752A'
              ? 'http://webstds.ipc.org/175x/2.0'
              : 'https://webstds.ipc.org/175x/1752B/1752B',
          ])
        }
      }
    }
  })

  it('has its product below the root in 1752A, and below IPC-1752B in 1752B', () => {
    const part = each('compliant, full material')
    const a = parsedXml(declarationXml(part, '1752A', 'C')!)
    const b = parsedXml(declarationXml(part, '1752B', 'C')!)
    expect(childrenNamed(a, 'Product')).toHaveLength(1)
    expect(b.children.map(({ local }) => local)).toEqual(['IPC-1752B'])
    expect(childrenNamed(b.children[0]!, 'Product')).toHaveLength(1)
  })

  it('has one ProductID for each number of a family, with the buyer’s number and the mass', () => {
    const part = each('family of four numbers')
    const root = parsedXml(declarationXml(part, '1752A', 'D')!)
    const ids = all(root, 'ProductID').map(({ attributes }) => [
      attributes.itemNumber,
      attributes.requesterItemNumber,
    ])
    expect(ids).toEqual(part.numbers.map(({ number, requesterNumber }) => [number, requesterNumber]))
    expect(ids).toHaveLength(4)
    const amounts = all(root, 'ProductID').flatMap((id) => childrenNamed(id, 'Amount'))
    expect(amounts.map(({ attributes }) => Number(attributes.value))).toEqual(
      [0, 0, 0, 0].map(() => part.massMg),
    )
  })

  it('has only lists in class C, only materials in class D', () => {
    const part = each('compliant, full material')
    const c = parsedXml(declarationXml(part, '1752A', 'C')!)
    const d = parsedXml(declarationXml(part, '1752A', 'D')!)
    const [infoC] = all(c, 'MaterialInfo')
    const [infoD] = all(d, 'MaterialInfo')
    expect(childrenNamed(infoC!, 'SubstanceCategoryList')).toHaveLength(2)
    expect(all(c, 'HomogeneousMaterial')).toHaveLength(0)
    expect(childrenNamed(infoD!, 'SubstanceCategoryList')).toHaveLength(0)
    expect(all(d, 'HomogeneousMaterial')).toHaveLength(3)
    expect(all(c, 'SubSectional').map(({ attributes }) => attributes.name)).toEqual(['C'])
    expect(all(d, 'SubSectional').map(({ attributes }) => attributes.name)).toEqual(['D'])
  })

  it('has both classes if the supplier declares both in one file', () => {
    const root = parsedXml(declarationXml(each('both classes in one file'), '1752B', 'D')!)
    const [info] = all(root, 'MaterialInfo')
    expect(all(root, 'SubSectional').map(({ attributes }) => attributes.name)).toEqual(['C', 'D'])
    expect(childrenNamed(info!, 'SubstanceCategoryList')).toHaveLength(2)
    expect(all(root, 'HomogeneousMaterial')).toHaveLength(3)
  })

  it('has exemptions in the category above the threshold, with their list', () => {
    const root = parsedXml(declarationXml(each('several exemptions'), '1752A', 'C')!)
    const over = all(root, 'SubstanceCategory').filter((category) => all(category, 'Exemption').length > 0)
    expect(
      over.map((category) => [
        category.attributes.name,
        all(category, 'Threshold')[0]?.attributes.overThreshold,
        all(category, 'Concentration')[0]?.attributes.value,
        all(category, 'ExemptionListID')[0]?.attributes.identity,
        all(category, 'Exemption').map(({ attributes }) => attributes.identity),
      ]),
    ).toEqual([
      ['Cadmium/cadmium compounds', 'true', '0.5', 'EL2011/534/EU', ['8(b)']],
      ['Lead/lead compounds', 'true', '85.5', 'EL2011/534/EU', ['7(a)', '7(c)-I']],
    ])
  })

  it('has no threshold if the declaration is incomplete', () => {
    const root = parsedXml(declarationXml(each('incomplete'), '1752A', 'C')!)
    const silent = all(root, 'SubstanceCategory').filter(
      (category) => all(category, 'Threshold').length === 0,
    )
    expect(silent.map(({ attributes }) => attributes.name)).toEqual(['Bis(2-ethylhexyl) phthalate (DEHP)'])
  })

  it('declares the articles of a complex object as sub-products in 1752B, as one list in 1752A', () => {
    const part = each('complex object')
    const a = parsedXml(declarationXml(part, '1752A', 'D')!)
    const b = parsedXml(declarationXml(part, '1752B', 'D')!)
    expect(all(a, 'SubProduct')).toHaveLength(0)
    expect(all(a, 'HomogeneousMaterial')).toHaveLength(6)
    const subProducts = all(b, 'SubProduct')
    expect(subProducts.map((sub) => all(sub, 'HomogeneousMaterial').length)).toEqual([3, 3])
    const masses = subProducts.map((sub) => Number(all(sub, 'Amount')[0]?.attributes.value))
    expect(masses[0]! + masses[1]!).toBeCloseTo(part.massMg, 4)
  })

  it('has a namespace prefix for some parts, in 1752A', () => {
    const part = each('namespace prefix')
    expect(parsedXml(declarationXml(part, '1752A', 'D')!).prefix).toBe('ipc')
    expect(parsedXml(declarationXml(part, '1752B', 'D')!).prefix).toBe('')
  })

  it('has masses as attributes, in other units, as shares or not at all, like real suppliers', () => {
    const materials = (situation: string): readonly Seen[] =>
      all(parsedXml(declarationXml(each(situation), '1752A', 'D')!), 'HomogeneousMaterial')
    const units = (seen: readonly Seen[]): readonly string[] => [
      ...new Set(
        seen.flatMap((material) => all(material, 'Amount').map(({ attributes }) => attributes.UOM!)),
      ),
    ]
    expect(materials('grams and kilograms')[0]?.attributes).toMatchObject({ UOM: 'mg' })
    expect(units(materials('grams and kilograms'))).toEqual(['mg', 'g'])
    expect(units(materials('per cent and ppm'))).toEqual(['massPercent', 'ppm'])
    const substances = materials('concentrations only').flatMap((material) => all(material, 'Substance'))
    expect(substances.every((substance) => childrenNamed(substance, 'Amount').length === 0)).toBe(true)
    expect(substances.every((substance) => childrenNamed(substance, 'Concentration').length === 1)).toBe(true)
  })

  it('escapes markup and whitespace', () => {
    const odd = `<&>"'\t\n\r\u0000\ud800 Ω`
    const plain = each('compliant, full material')
    const root = parsedXml(declarationXml({ ...plain, numbers: [{ number: odd, name: odd }] }, '1752A', 'C')!)
    expect(all(root, 'ProductID')[0]?.attributes.itemNumber).toBe(`<&>"'\t\n\r\ufffd\ufffd Ω`)
  })

  it('writes numbers without an exponent', () => {
    const plain = each('placeholders')
    const root = parsedXml(declarationXml({ ...plain, massMg: 0.000_000_25 }, '1752A', 'C')!)
    expect(all(root, 'Amount')[0]?.attributes.value).toBe('0.00000025')
  })
})
