import { MADE_UP_COMPANY } from '../compliance/company-names.ts'
import type { PartFacts } from './facts.ts'
import { describePart } from './made-up.ts'
import { SITUATIONS } from './situations.ts'

/** The supplier of what the sandbox makes up for a number that is asked for. */
export const INVENTED_SUPPLIER = { id: '999999999', name: MADE_UP_COMPANY }

/** What is declared for how many of a hundred numbers; nothing at all for the rest. */
const SHARES: readonly (readonly [situation: string, perCent: number])[] = [
  ['compliant, full material', 74],
  ['lead exemption', 10],
  ['several exemptions', 3],
  ['lead without exemption', 2],
  ['incomplete', 2],
  ['two RoHS lists', 2],
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
  const index = SITUATIONS.findIndex((one) => one.situation === situation)
  // The first part with this situation, of the first supplier.
  const { supplier: _, numbers: __, ...part } = describePart(index * 8)
  return {
    ...part,
    massMg: (hash % 5_000) / 10 + 1,
    supplier: INVENTED_SUPPLIER,
    numbers: [{ number, name: 'made-up part' }],
  }
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
