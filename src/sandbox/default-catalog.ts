import { type Catalog, catalogOf, joinCatalogs, madeUpCatalog } from './catalog.ts'
import { SPECIAL_PARTS, SPECIAL_SUPPLIER } from './special-parts.ts'

/** The catalog without settings: 240 families of the eight suppliers, and the parts of the special one. */
export function defaultCatalog(): Catalog {
  return joinCatalogs(madeUpCatalog(240), catalogOf([SPECIAL_SUPPLIER], SPECIAL_PARTS, 'special'))
}
