import { companyIdentity } from '../../src/compliance/company-names.ts'
import { digestOf } from '../../src/compliance/shared-entries.ts'
import { type PartDeclaration, partDeclaration, partFacts } from '../../src/report/rows/part-declaration.ts'
import { numberKey, partKey } from '../../src/report/rows/part-key.ts'
import { fileA, listXml, productXml, rohsCategories } from './declarations.ts'
import { readText } from './read-text.ts'

/** The ten groups of RoHS, none over. */
export const ROHS_XML = listXml('EUROHS-1907', rohsCategories())
/** One entry of the Candidate List, not over. */
export const REACH_XML = listXml('EUREACH-0624', [{ name: 'Lead', code: '00188', over: 'false' }])
/** One material of one substance. */
export const MATERIAL_XML =
  '<HomogeneousMaterialList><HomogeneousMaterial name="Body"><Amount value="1" UOM="g"/><SubstanceCategoryList><SubstanceCategory name="Supplier"><Substance name="Tin"><SubstanceID identity="7440-31-5" authority="CAS"/><Concentration value="100"/></Substance></SubstanceCategory></SubstanceCategoryList></HomogeneousMaterial></HomogeneousMaterialList>'

const known = new Map<string, PartDeclaration>()

/** The declaration of a part with this content of its MaterialInfo, and with these changes. Each has a digest of its own. */
export function declarationOf(change: Partial<PartDeclaration> = {}, info = ROHS_XML): PartDeclaration {
  const first = known.get(info) ?? read(info)
  known.set(info, first)
  const changed = { ...first, ...change }
  const whole = {
    ...changed,
    key: partKey(changed),
    numberKey: numberKey(changed),
    company: companyIdentity(changed),
  }
  return { ...whole, digest: digestOf([change.digest ?? JSON.stringify(whole)]) }
}

function read(info: string): PartDeclaration {
  const { products, header } = readText(fileA(productXml(['P1'], info)))
  const [facts] = partFacts(products[0]!, undefined)
  return partDeclaration(facts!, header, 'a.zip!p1.xml')!
}

/** Seeded declarations, all different, for tests of size. */
export function manyDeclarations(count: number): PartDeclaration[] {
  return Array.from({ length: count }, (_, index) =>
    declarationOf({
      part: `PART-${String(index).padStart(6, '0')}`,
      name: `Thing ${(index * 7919) % count}`,
      source: `bom.zip!part-${index}.xml`,
    }),
  )
}
