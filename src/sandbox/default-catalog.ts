import { type Catalog, catalogOf, joinCatalogs, madeUpCatalog } from './catalog.ts'
import { inventedPart } from './invented.ts'
import { SPECIAL_PARTS, SPECIAL_SUPPLIER } from './special-parts.ts'

/** The catalog without settings: 240 families of the eight suppliers, the parts of the special one, and any other number as it is asked for. */
export function defaultCatalog(): Catalog {
  const listed = joinCatalogs(madeUpCatalog(240), catalogOf([SPECIAL_SUPPLIER], SPECIAL_PARTS, 'special'))
  return { ...listed, fingerprint: `${listed.fingerprint}, invented`, invent: inventedPart }
}
