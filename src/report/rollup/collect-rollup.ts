import { type ExemptionLookup, NO_DATES } from '../../compliance/exemption-dates.ts'
import { svhcName } from '../../compliance/reach.ts'
import type { Bom } from '../../parts/bom.ts'
import type { Rollup } from '../report-result.ts'
import type { PartDeclaration } from '../rows/part-declaration.ts'
import type { JudgedRow } from '../rows/report-row.ts'
import { rollUp } from './rollup.ts'
import { createPartFacts, type PartFacts, type RollupExemption } from './rollup-facts.ts'

/** Collects the rows of a product's parts; memory grows with the different parts of the list. */
export interface RollupCollector {
  /** Takes every declaration, before the first row: a newer one may lack the number that is on the list. */
  readonly learn: (declaration: PartDeclaration) => void
  /** Takes a row that stays, with the part numbers as written; rows that are not about the product are ignored. */
  readonly see: (row: JudgedRow) => void
  readonly result: () => Rollup
}

/** Matches rows with the parts of a product, exactly, by the supplier's or the buyer's number. */
export function collectRollup(bom: Bom, lookup: ExemptionLookup | undefined): RollupCollector {
  const facts = new Map<string, PartFacts>()
  const listed = new Set([bom.top, ...bom.assemblies.values()].flatMap((pieces) => [...pieces.keys()]))
  const numbersOf = new Map<string, Set<string>>()
  const ownNumbers = (...numbers: readonly string[]): readonly string[] =>
    numbers.filter((number) => number !== '' && listed.has(number))
  let unreadable = 0
  return {
    learn(declaration) {
      const { key, part, requesterPart } = declaration
      const numbers = ownNumbers(part, requesterPart)
      if (key === undefined || numbers.length === 0) return
      const known = numbersOf.get(key) ?? new Set()
      numbersOf.set(key, known)
      for (const number of numbers) known.add(number)
    },
    see(row) {
      if (row.status === 'unreadable') unreadable += 1
      if (row.status !== 'declared') return
      const { key, judged } = row
      const others = key === undefined ? undefined : numbersOf.get(key)
      for (const part of new Set([...ownNumbers(row.part, row.requesterPart), ...(others ?? [])])) {
        const known = facts.get(part) ?? createPartFacts()
        facts.set(part, known)
        known.add({
          rohs: judged.rohs.status,
          exemptions: exemptionsOf(row, lookup),
          reach: judged.reach.status,
          svhcs: judged.reach.over.map(svhcName),
          massMg: row.massMg,
          unitType: row.unitType,
        })
      }
    },
    result() {
      const summaries = new Map([...facts].map(([part, known]) => [part, known.summary()]))
      return rollUp(bom, (part) => summaries.get(part), unreadable)
    },
  }
}

/** The exemptions in use of a row by their legal numbers, or as declared where none is understood. */
function exemptionsOf({ judged }: JudgedRow, lookup: ExemptionLookup = NO_DATES): readonly RollupExemption[] {
  return judged.rohs.exemptionIds.flatMap((id) =>
    lookup(id).map(({ number, earliest, status }) => ({
      identity: number === '' ? id.identity : number,
      expires: earliest,
      status,
    })),
  )
}
