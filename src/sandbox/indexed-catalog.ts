import type { Catalog, IndexedPart } from './catalog.ts'
import type { PartFacts, SupplierFacts } from './facts.ts'

/** A catalog of these suppliers and parts, in this order. */
export function catalogOf(
  suppliers: readonly SupplierFacts[],
  parts: readonly PartFacts[],
  fingerprint: string,
): Catalog {
  const indexed: readonly IndexedPart[] = parts.map((part, index) => ({ index, part }))
  const byNumber = new Map<string, IndexedPart[]>()
  const bySupplier = new Map<string, IndexedPart[]>()
  for (const one of indexed) {
    append(bySupplier, one.part.supplier.id, one)
    for (const number of new Set(
      one.part.numbers.flatMap((own) => [own.number, own.requesterNumber ?? own.number]),
    )) {
      append(byNumber, number, one)
    }
  }
  return {
    fingerprint,
    suppliers: suppliers.map(({ id, name }) => {
      const own = bySupplier.get(id) ?? []
      const examples = own.slice(0, 3).map(({ part }) => part.numbers[0].number)
      return { id, name, parts: own.length, examples }
    }),
    find: (number) => byNumber.get(number) ?? [],
    list: (supplierId) => (supplierId === undefined ? indexed : (bySupplier.get(supplierId) ?? [])),
  }
}

function append(map: Map<string, IndexedPart[]>, key: string, value: IndexedPart): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}
