import { type ReachStatus, worstReach } from '../../compliance/reach.ts'
import { type RohsStatus, worstRohs } from '../../compliance/rohs.ts'
import { isPiece } from '../../parts/read-quantity.ts'

/** What one supplier says of one part of a product. */
export interface DeclaredPart {
  readonly rohs: RohsStatus
  readonly exemptions: readonly RollupExemption[]
  readonly reach: ReachStatus
  /** The names of the substances of very high concern. */
  readonly svhcs: readonly string[]
  readonly massMg: number | undefined
  readonly unitType: string
}

/** An exemption in use, with the earliest date known for it as YYYY-MM-DD, empty where none is, and what is known of its status. */
export interface RollupExemption {
  readonly identity: string
  readonly expires: string
  readonly status: string
}

/** What all declarations together say of a part. */
export interface PartSummary {
  readonly rohs: RohsStatus
  /** Each exemption once, by its identity. */
  readonly exemptions: ReadonlyMap<string, RollupExemption>
  readonly svhcs: ReadonlySet<string>
  /** The worst REACH status of its suppliers; `not declared` where one of them states nothing. */
  readonly reach: ReachStatus
  /** Milligrams of one piece; undefined with the reason. */
  readonly massMg: number | undefined
  readonly massReason: string
}

/** What is declared of a part, by its number as listed; undefined for nothing. */
export type FactsOf = (part: string) => PartSummary | undefined

/** Collects the declarations of one part. */
export interface PartFacts {
  readonly add: (declared: DeclaredPart) => void
  readonly summary: () => PartSummary
}

/** Collects what is declared of one part: of several suppliers the worst counts, and a silent one is missing data. */
export function createPartFacts(): PartFacts {
  const rohsStatuses = new Set<RohsStatus>()
  const reachStatuses = new Set<ReachStatus>()
  const exemptions = new Map<string, RollupExemption>()
  const svhcs = new Set<string>()
  const masses = new Set<number>()
  let otherUnit: string | undefined

  return {
    add({ rohs, reach, exemptions: used, svhcs: names, massMg, unitType }) {
      rohsStatuses.add(rohs)
      reachStatuses.add(reach)
      for (const exemption of used) addExemption(exemptions, exemption)
      for (const name of names) svhcs.add(name)
      // A mass of 0 is a placeholder.
      if (massMg !== undefined && massMg > 0) masses.add(massMg)
      if (!isPiece(unitType)) otherUnit ??= unitType
    },
    summary() {
      const massReason = whyNoMass(masses, otherUnit)
      return {
        rohs: worstRohs(rohsStatuses),
        exemptions,
        svhcs,
        reach:
          reachStatuses.has('not declared') && !reachStatuses.has('SVHC')
            ? 'not declared'
            : worstReach(reachStatuses),
        massMg: massReason === '' ? [...masses][0] : undefined,
        massReason,
      }
    },
  }
}

/** Keeps the earliest date of each exemption. */
export function addExemption(exemptions: Map<string, RollupExemption>, exemption: RollupExemption): void {
  const known = exemptions.get(exemption.identity)
  const isEarlier = known === undefined || (exemption.expires || '9999') < (known.expires || '9999')
  if (isEarlier) exemptions.set(exemption.identity, exemption)
}

function whyNoMass(masses: ReadonlySet<number>, otherUnit: string | undefined): string {
  if (otherUnit !== undefined) return `its mass is per ${otherUnit}, not per piece`
  if (masses.size > 1) return 'different masses are declared'
  return masses.size === 0 ? 'no mass is declared' : ''
}
