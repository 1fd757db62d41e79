import { tidy } from '../compliance/quantity.ts'

/** Pieces of each part, of one or of everything; undefined where the number is unknown. */
export type PartPieces = ReadonlyMap<string, number | undefined>

/** A bill of materials: what a product is made of. A row without a part number is the part ''. */
export interface Bom {
  /** The pieces of the product that are in no assembly. */
  readonly top: PartPieces
  /** What one piece of each assembly is made of. An assembly comes before those in it. */
  readonly assemblies: ReadonlyMap<string, PartPieces>
  /** Why the quantity of a part is unknown; the first reason of each. */
  readonly reasons: ReadonlyMap<string, string>
  /** Why the levels of the list could not be used: every part is then in `top`, its quantity unknown. */
  readonly flattened: string | undefined
}

/** Adds a quantity to those of the same part: one unknown makes the sum unknown. */
export function addPieces(
  pieces: Map<string, number | undefined>,
  part: string,
  more: number | undefined,
): void {
  const known = pieces.has(part) ? pieces.get(part) : 0
  pieces.set(part, known === undefined || more === undefined ? undefined : known + more)
}

/**
 * Puts two listings of one assembly together: the parts of both, the quantity unknown where they differ. Undefined when they are
 * equal.
 */
export function mergeListings(a: PartPieces, b: PartPieces): PartPieces | undefined {
  const differing = [...new Set([...a.keys(), ...b.keys()])].filter((part) => !samePieces(part, a, b))
  if (differing.length === 0) return undefined
  const merged = new Map([...a, ...b])
  for (const part of differing) merged.set(part, undefined)
  return merged
}

function samePieces(part: string, a: PartPieces, b: PartPieces): boolean {
  if (!a.has(part) || !b.has(part)) return false
  const [one, other] = [a.get(part), b.get(part)]
  return one === undefined || other === undefined ? one === other : tidy(one) === tidy(other)
}

/** The assemblies sorted so that each comes before those in it; undefined when one is inside itself. */
export function sortAssemblies(
  assemblies: ReadonlyMap<string, PartPieces>,
): ReadonlyMap<string, PartPieces> | undefined {
  const users = new Map<string, number>()
  const used = (parts: PartPieces): readonly string[] =>
    [...parts.keys()].filter((part) => assemblies.has(part))
  for (const parts of assemblies.values()) {
    for (const part of used(parts)) users.set(part, (users.get(part) ?? 0) + 1)
  }
  const ready = [...assemblies.keys()].filter((part) => !users.has(part))
  const sorted = new Map<string, PartPieces>()
  for (const assembly of ready) {
    const parts = assemblies.get(assembly)!
    sorted.set(assembly, parts)
    for (const part of used(parts)) {
      const left = users.get(part)! - 1
      users.set(part, left)
      if (left === 0) ready.push(part)
    }
  }
  return sorted.size === assemblies.size ? sorted : undefined
}
