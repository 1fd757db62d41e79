import type { ExemptionLookup } from '../compliance/exemption-dates.ts'
import { exemptionLabel, exemptionNumbers } from '../compliance/exemption-number.ts'
import type { Bom } from '../parts/bom.ts'
import type { JudgedRow } from './report-row.ts'
import { rollUp } from './rollup.ts'
import { createPartFacts, type PartFacts, type RollupExemption } from './rollup-facts.ts'
import type { Rollup } from './rollup-result.ts'

/** Collects the rows of a product's parts; memory grows with the different parts of the list. */
export interface RollupCollector {
  /** Takes a row with the part numbers as written; rows that are not about the product are ignored. */
  readonly see: (row: JudgedRow) => void
  readonly result: () => Rollup
}

/**
 * The exemptions in use of a row by their legal numbers, or as declared where none is understood; with a `lookup` also the earliest
 * date that is known.
 */
export function exemptionsOf(
  { exemption_ids }: JudgedRow,
  lookup?: ExemptionLookup,
): readonly RollupExemption[] {
  if (lookup !== undefined) {
    return exemption_ids.flatMap((id) =>
      lookup(id).map(({ number, earliest }) => ({ identity: number || id.identity, expires: earliest })),
    )
  }
  return exemption_ids.flatMap(({ identity, list }) => {
    const numbers = exemptionNumbers(identity, list).map(exemptionLabel)
    return (numbers.length > 0 ? numbers : [identity]).map((number) => ({ identity: number, expires: '' }))
  })
}

/** Matches rows with the parts of a product, exactly, by the supplier's or the buyer's number. */
export function collectRollup(
  bom: Bom,
  exemptionsOf: (row: JudgedRow) => readonly RollupExemption[],
): RollupCollector {
  const facts = new Map<string, PartFacts>()
  const listed = new Set([bom.top, ...bom.assemblies.values()].flatMap((pieces) => [...pieces.keys()]))
  let unreadable = 0
  return {
    see(row) {
      if (row.status === 'unreadable') unreadable += 1
      if (row.status !== 'declared') return
      for (const part of new Set([row.part, row.requester_part])) {
        if (part === '' || !listed.has(part)) continue
        const known = facts.get(part) ?? createPartFacts()
        facts.set(part, known)
        known.add({
          declarant: `${row.company_id}\n${row.supplier}\n${row.part}`,
          rohs: row.rohs,
          exemptions: exemptionsOf(row),
          svhcs: row.svhc_count === null ? null : row.svhc_names,
          massMg: row.mass_mg,
          unitType: row.unit_type,
        })
      }
    },
    result() {
      const summaries = new Map([...facts].map(([part, known]) => [part, known.summary()]))
      return rollUp(bom, (part) => summaries.get(part), unreadable)
    },
  }
}
