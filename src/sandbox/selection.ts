import type { Catalog, IndexedPart } from './catalog.ts'
import type { Search } from './query.ts'
import { type Declared, declaredOn } from './revisions.ts'

/** The declarations that match a request, in the order of the catalog; generated one by one. */
export function* select(catalog: Catalog, search: Search): Generator<Declared> {
  for (const { part } of candidates(catalog, search)) {
    const declared = declaredOn(part, search.formatClass, catalog.day)
    if (declared === undefined) continue
    if (search.startDate === undefined || declared.approved > search.startDate) yield declared
  }
}

function candidates(catalog: Catalog, { suppliers, parts }: Search): Iterable<IndexedPart> {
  if (parts.length === 0) return listed(catalog, suppliers)
  const found = new Map(
    parts.flatMap((number) => catalog.find(number).map((indexed) => [indexed.index, indexed])),
  )
  return [...found.values()]
    .filter(({ part }) => suppliers.length === 0 || suppliers.includes(part.supplier.id))
    .sort((a, b) => a.index - b.index)
}

function* listed(catalog: Catalog, suppliers: readonly string[]): Generator<IndexedPart> {
  if (suppliers.length === 0) yield* catalog.list()
  for (const supplier of [...new Set(suppliers)].sort()) yield* catalog.list(supplier)
}
