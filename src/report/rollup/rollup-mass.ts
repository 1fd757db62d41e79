import { tidy } from '../../compliance/quantity.ts'
import { addPieces, type Bom, nameIn, type PartPieces } from '../../parts/bom.ts'
import { MOST_LISTED, type Rollup } from '../report-result.ts'
import type { FactsOf } from './rollup-facts.ts'

/** The pieces of every part and assembly in the product: quantities multiply down the levels. Undefined where unknown. */
export function productPieces({ top, assemblies }: Bom): PartPieces {
  const pieces = new Map(top)
  for (const [assembly, contents] of assemblies) {
    const count = pieces.get(assembly)
    for (const [part, each] of contents) addPieces(pieces, part, times(count, each))
  }
  return pieces
}

/** The mass of one of each assembly in milligrams, from its parts; undefined where anything is unknown. */
export function assemblyMasses({ assemblies }: Bom, facts: FactsOf): ReadonlyMap<string, number | undefined> {
  const masses = new Map<string, number | undefined>()
  for (const [assembly, contents] of [...assemblies].reverse()) {
    let mass: number | undefined = 0
    for (const [part, pieces] of contents) {
      const each = assemblies.has(part) ? masses.get(part) : facts(part)?.massMg
      const more = times(pieces, each)
      mass = mass === undefined || more === undefined ? undefined : mass + more
    }
    masses.set(assembly, mass)
  }
  return masses
}

/** The mass of the product: a total only where every piece has a known mass. */
export function productMass(
  bom: Bom,
  leaves: readonly string[],
  pieces: PartPieces,
  facts: FactsOf,
): Rollup['mass'] {
  const unknown: { part: string; reason: string }[] = []
  let unknownCount = 0
  let knownMg = 0
  for (const part of leaves) {
    const known = facts(part)
    const mass = times(pieces.get(part), known?.massMg)
    if (mass !== undefined) knownMg += mass
    else {
      unknownCount += 1
      const massReason = known === undefined ? 'it has no declaration' : known.massReason
      const reason = massReason || bom.reasons.get(part) || 'an assembly with it has an unknown quantity'
      if (unknown.length < MOST_LISTED) unknown.push({ part: nameIn(bom, part), reason })
    }
  }
  return { mg: unknownCount === 0 ? tidy(knownMg) : null, knownMg: tidy(knownMg), unknown, unknownCount }
}

/** Zero pieces weigh nothing, whatever the mass of one. */
function times(count: number | undefined, each: number | undefined): number | undefined {
  if (count === 0 || each === 0) return 0
  return count === undefined || each === undefined ? undefined : count * each
}
