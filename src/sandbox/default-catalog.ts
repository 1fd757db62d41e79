import { MADE_UP_COMPANY } from '../compliance/company-names.ts'
import { type Catalog, catalogOf, joinCatalogs, madeUpCatalog } from './catalog.ts'
import type { PartFacts } from './facts.ts'
import { describePart } from './made-up.ts'
import { SITUATIONS } from './situations.ts'
import { SPECIAL_PARTS, SPECIAL_SUPPLIER } from './special-parts.ts'

/** The catalog without settings: 240 families of the eight suppliers, the parts of the special one, and any other number as it is asked for. */
export function defaultCatalog(): Catalog {
  const listed = joinCatalogs(madeUpCatalog(240), catalogOf([SPECIAL_SUPPLIER], SPECIAL_PARTS, 'special'))
  return { ...listed, fingerprint: `${listed.fingerprint}, invented`, invent: inventedPart }
}

/** The supplier of what the sandbox makes up for a number that is asked for. */
const INVENTED_SUPPLIER = { id: '999999999', name: MADE_UP_COMPANY }

/** What is declared for how many of a hundred numbers; nothing at all for the rest. */
const SHARES: readonly (readonly [situation: string, perCent: number])[] = [
  ['compliant, full material', 74],
  ['lead exemption', 10],
  ['several exemptions', 3],
  ['lead without exemption', 2],
  ['incomplete', 2],
  ['contradiction', 2],
]

/**
 * A part for a number that no catalog has, computed from the number alone, so that the first run with one's own list has something to
 * show. Undefined for some numbers, which are missing then, and for those without a digit.
 */
export function inventedPart(number: string): PartFacts | undefined {
  if (!/\d/.test(number)) return undefined
  const hash = hashOf(number)
  const situation = situationAt(hash % 100)
  if (situation === undefined) return undefined
  const { supplier: _, numbers: __, ...part } = exampleOf(situation)
  return {
    ...part,
    massMg: (hash % 5_000) / 10 + 1,
    supplier: INVENTED_SUPPLIER,
    numbers: [{ number, name: 'made-up part' }],
  }
}

/** A listed part with this situation: the first of the first supplier, or one of the difficult supplier. */
function exampleOf(situation: string): PartFacts {
  if (situation === 'contradiction') {
    return SPECIAL_PARTS.find(({ numbers }) => numbers[0]!.number === 'HA-VALUE')!
  }
  return describePart(SITUATIONS.findIndex((one) => one.situation === situation) * 8)
}

function situationAt(place: number): string | undefined {
  let end = 0
  for (const [situation, perCent] of SHARES) {
    end += perCent
    if (place < end) return situation
  }
  return undefined
}

/** FNV-1a, which scatters numbers that differ in their last digit. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return (hash ^ (hash >>> 15)) >>> 0
}
