import type { Catalog, IndexedPart } from './catalog.ts'
import { approvalDate, type DeclarationClass } from './declaration-xml.ts'
import type { PartFacts } from './facts.ts'
import { classFor, type Search } from './query.ts'

/** A declaration that matches a request. */
export interface Selected {
  readonly part: PartFacts
  readonly declarationClass: DeclarationClass
  readonly approved: string
}

/** The declarations that match a request, in the order of the catalogue; generated one by one. */
export function* select(catalog: Catalog, search: Search): Generator<Selected> {
  for (const { part } of candidates(catalog, search)) {
    const declarationClass = classFor(part, search.formatClass)
    if (declarationClass === undefined) continue
    const approved = approvalDate(part, declarationClass)!
    if (search.startDate === undefined || approved > search.startDate)
      yield { part, declarationClass, approved }
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
