import type { ProductId } from '../declaration/product-ids.ts'
import { nearKey } from '../parts/part-number.ts'

/** Which requested parts are in the archive. */
export interface Account {
  readonly foundCount: number
  /** Not in the archive although their request succeeded; in the order of the request. */
  readonly missing: readonly string[]
  /** Missing parts with a near match in the archive: other case, spaces or dashes. Never counted as found. */
  readonly near: readonly { readonly asked: string; readonly near: string }[]
  /** Not in the archive, because their request failed. */
  readonly unknown: readonly string[]
}

/** Adds the part numbers that products declare something about to `numbers`: the supplier's and the requester's. */
export function addDeclared(numbers: Set<string>, products: Iterable<ProductId>): void {
  for (const { itemNumber, requesterItemNumber, isOnlyRequested } of products) {
    if (isOnlyRequested) continue
    if (itemNumber !== undefined) numbers.add(itemNumber)
    if (requesterItemNumber !== undefined) numbers.add(requesterItemNumber)
  }
}

/** Matches the requested parts with the declared numbers of an archive, exactly. `failed` are the parts whose request failed. */
export function accountParts(
  requested: readonly string[],
  numbers: ReadonlySet<string>,
  failed: readonly string[] = [],
): Account {
  const withoutResponse = new Set(failed)
  const absent = requested.filter((part) => !numbers.has(part))
  const missing = absent.filter((part) => !withoutResponse.has(part))
  return {
    foundCount: requested.length - absent.length,
    missing,
    near: findNear(missing, numbers),
    unknown: absent.filter((part) => withoutResponse.has(part)),
  }
}

function findNear(missing: readonly string[], numbers: ReadonlySet<string>): Account['near'] {
  if (missing.length === 0) return []
  const byKey = new Map<string, string>()
  for (const number of numbers) {
    const key = nearKey(number)
    if (key !== '' && !byKey.has(key)) byKey.set(key, number)
  }
  return missing.flatMap((asked) => {
    const near = byKey.get(nearKey(asked))
    return near === undefined ? [] : [{ asked, near }]
  })
}

/**
 * The entries of an archive that declare nothing but parts that are no longer requested, by the products found in it. Entries that
 * name no such part stay.
 */
export function unwantedEntries(
  products: ReadonlyMap<string, readonly ProductId[]>,
  unwanted: readonly string[],
  isRequested: (part: string) => boolean,
): ReadonlySet<string> {
  const names = new Set<string>()
  const numbers = new Set(unwanted)
  for (const [name, ids] of products) {
    const declared = ids.flatMap(({ itemNumber, requesterItemNumber }) =>
      [itemNumber ?? [], requesterItemNumber ?? []].flat(),
    )
    if (declared.some((part) => numbers.has(part)) && !declared.some(isRequested)) names.add(name)
  }
  return names
}
