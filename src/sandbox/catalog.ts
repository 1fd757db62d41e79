import type { PartFacts, SupplierFacts } from './facts.ts'
import { describePart } from './made-up.ts'
import { MADE_UP_SUPPLIERS, partsLike } from './suppliers.ts'

/** The suppliers of the mock service, and the parts of each in a fixed order. */
export interface Catalog {
  /** Changes with the content of the catalog. */
  readonly fingerprint: string
  /** Declarations approved after this day, `YYYY-MM-DD`, are not there yet; undefined for no bound. */
  readonly day?: string | undefined
  readonly suppliers: readonly SupplierSummary[]
  /** Makes up a part for a number that is not in the catalog; undefined in a catalog that has only its own. */
  readonly invent?: ((number: string) => PartFacts | undefined) | undefined
  /** The families with exactly this number, the supplier's or the buyer's. */
  readonly find: (number: string) => readonly IndexedPart[]
  /** The families of a supplier, or of all, in the order of the catalog; generated one by one. */
  readonly list: (supplierId?: string) => Iterable<IndexedPart>
}

/** A part with its index in the catalog. */
export interface IndexedPart {
  readonly index: number
  readonly part: PartFacts
}

export interface SupplierSummary extends SupplierFacts {
  readonly parts: number
  /** A few numbers to try. */
  readonly examples: readonly string[]
}

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

/** The catalog as it is on a day, `YYYY-MM-DD`. */
export function catalogOn(catalog: Catalog, day: string): Catalog {
  return { ...catalog, day, fingerprint: `${catalog.fingerprint} on ${day}` }
}

/** Two catalogs of different suppliers as one, the parts of `first` first. */
export function joinCatalogs(first: Catalog, second: Catalog): Catalog {
  const offset = first.suppliers.reduce((sum, { parts }) => sum + parts, 0)
  const moved = ({ index, part }: IndexedPart): IndexedPart => ({ index: index + offset, part })
  return {
    fingerprint: `${first.fingerprint}, ${second.fingerprint}`,
    suppliers: [...first.suppliers, ...second.suppliers],
    find: (number) => [...first.find(number), ...second.find(number).map(moved)],
    *list(supplierId) {
      yield* first.list(supplierId)
      for (const indexed of second.list(supplierId)) yield moved(indexed)
    },
  }
}

/** The made-up catalog of `parts` families. Each is computed when it is requested. */
export function madeUpCatalog(parts: number): Catalog {
  const count = MADE_UP_SUPPLIERS.length
  const at = (index: number): IndexedPart => ({ index, part: describePart(index) })
  function* list(supplierId?: string): Generator<IndexedPart> {
    const chosen = MADE_UP_SUPPLIERS.findIndex(({ id }) => id === supplierId)
    if (supplierId !== undefined && chosen < 0) return
    const first = supplierId === undefined ? 0 : chosen
    for (let index = first; index < parts; index += supplierId === undefined ? 1 : count) yield at(index)
  }
  return {
    fingerprint: `made-up ${parts}`,
    suppliers: MADE_UP_SUPPLIERS.map(({ id, name }, index) => {
      const own = Math.max(0, Math.ceil((parts - index) / count))
      const examples = Array.from(
        { length: Math.min(3, own) },
        (_, serial) => describePart(serial * count + index).numbers[0].number,
      )
      return { id, name, parts: own, examples }
    }).filter((supplier) => supplier.parts > 0),
    find: (number) =>
      partsLike(number)
        .filter((index) => index < parts)
        .map(at)
        .filter(({ part }) => hasNumber(part, number)),
    list,
  }
}

/** True when the family has exactly this number, the supplier's or the buyer's. */
function hasNumber(part: PartFacts, number: string): boolean {
  return part.numbers.some((own) => own.number === number || own.requesterNumber === number)
}
