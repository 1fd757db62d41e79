import type { Catalog, IndexedPart } from './catalog.ts'
import type { MockSearch } from './query.ts'
import { declaredOn, type RevisionFacts } from './revisions.ts'

/** The declarations that match a request, in the order of the catalog; generated one by one. */
export function* select(catalog: Catalog, search: MockSearch): Generator<RevisionFacts> {
  for (const { part } of candidates(catalog, search)) {
    const declared = declaredOn(part, search.formatClass, catalog.day)
    if (declared === undefined) continue
    if (search.startDate === undefined || declared.approved > search.startDate) yield declared
  }
}

function candidates(catalog: Catalog, { suppliers, parts }: MockSearch): Iterable<IndexedPart> {
  if (parts.length === 0) return listed(catalog, suppliers)
  const found = new Map<number, IndexedPart>()
  const invented: IndexedPart[] = []
  for (const number of new Set(parts)) {
    const own = catalog.find(number)
    for (const indexed of own) found.set(indexed.index, indexed)
    const part = own.length === 0 ? catalog.invent?.(number) : undefined
    if (part !== undefined) invented.push({ index: Number.POSITIVE_INFINITY, part })
  }
  const known = [...found.values()].sort((a, b) => a.index - b.index)
  const [chosen] = suppliers
  return chosen === undefined
    ? [...known, ...invented]
    : [
        ...known.filter(({ part }) => suppliers.includes(part.supplier.id)),
        // Whoever asks for a supplier of their own gets it under that number.
        ...invented.map(({ index, part }) => ({
          index,
          part: { ...part, supplier: { ...part.supplier, id: chosen } },
        })),
      ]
}

function* listed(catalog: Catalog, suppliers: readonly string[]): Generator<IndexedPart> {
  if (suppliers.length === 0) yield* catalog.list()
  for (const supplier of [...new Set(suppliers)].sort()) yield* catalog.list(supplier)
}
