import { cleanText, escapeUnsafe } from '../../base/clean-text.ts'
import { isValidCas } from '../../compliance/cas.ts'
import { composition, memoizedByMass, type SubstanceShare } from '../../compliance/composition.ts'
import type { Article, Identity } from '../../compliance/declaration.ts'
import { absoluteMassMg, tidy } from '../../compliance/quantity.ts'
import type { SubstanceRow } from './report-row.ts'

/** The class D substances of a product for the ProductID with this index, in the order of the file; generated one by one. */
export function substancesOf(
  product: Article,
  source: string,
): (idIndex: number) => Generator<SubstanceRow, void, void> {
  const composed = memoizedByMass((massMg) => composition(product, massMg))
  return function* (idIndex) {
    const id = product.ids[idIndex]
    const partMassMg = absoluteMassMg(id?.mass)
    const part = escapeUnsafe(id?.itemNumber ?? '')
    for (const material of composed(partMassMg).materials) {
      for (const share of material.substances) {
        yield {
          part,
          material: material.name,
          material_mass_mg: material.massMg ?? null,
          ...substanceCells(share),
          mass_mg: share.massMg ?? null,
          percent_of_material: share.percentOfMaterial ?? null,
          ppm_of_part:
            partMassMg && share.massMg !== undefined ? tidy((share.massMg / partMassMg) * 1e6) : null,
          source,
        }
      }
    }
  }
}

function substanceCells({
  substance,
}: SubstanceShare): Pick<SubstanceRow, 'substance' | 'cas' | 'cas_valid'> {
  const id = bestIdentity(substance.ids)
  return {
    substance: cleanText(substance.name),
    cas: cleanText(id ?? ''),
    cas_valid: id === undefined ? null : isValidCas(id),
  }
}

/** Prefers a valid CAS number, then what the file calls one, then any identity. */
function bestIdentity(ids: readonly Identity[]): string | undefined {
  const given = ids
    .map((id) => ({ text: id.identity.trim(), isCas: id.authority.trim().toUpperCase() === 'CAS' }))
    .filter((id) => id.text !== '')
  const best = given.find((id) => isValidCas(id.text)) ?? given.find((id) => id.isCas) ?? given[0]
  return best?.text
}
