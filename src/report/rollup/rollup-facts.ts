import { worstRohs } from '../../compliance/part-status.ts'
import type { RohsStatus } from '../../compliance/rohs.ts'
import { isPiece } from '../../parts/read-quantity.ts'

/** What one declaration says of one part of a product. */
export interface DeclaredPart {
  /** Declarations of one supplier's part have the same text here: together they are one statement. */
  readonly declarant: string
  readonly rohs: RohsStatus
  readonly exemptions: readonly RollupExemption[]
  /** The names of the substances of very high concern; null without a statement. */
  readonly svhcs: readonly string[] | null
  readonly massMg: number | null
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
  /** True when every supplier of the part has a REACH statement. */
  readonly hasReach: boolean
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

interface Statement {
  readonly rohs: Set<RohsStatus>
  hasReach: boolean
}

/** Collects what is declared of one part: of several suppliers the worst counts, and a silent one is missing data. */
export function createPartFacts(): PartFacts {
  const statements = new Map<string, Statement>()
  const exemptions = new Map<string, RollupExemption>()
  const svhcs = new Set<string>()
  const masses = new Set<number>()
  let otherUnit: string | undefined

  return {
    add({ declarant, rohs, exemptions: used, svhcs: names, massMg, unitType }) {
      const statement = statements.get(declarant) ?? { rohs: new Set(), hasReach: false }
      statements.set(declarant, statement)
      statement.rohs.add(rohs)
      statement.hasReach ||= names !== null
      for (const exemption of used) addExemption(exemptions, exemption)
      for (const name of names ?? []) svhcs.add(name)
      // A mass of 0 is a placeholder.
      if (massMg !== null && massMg > 0) masses.add(massMg)
      if (!isPiece(unitType)) otherUnit ??= unitType
    },
    summary() {
      const each = [...statements.values()]
      const massReason = whyNoMass(masses, otherUnit)
      return {
        rohs: worstRohs(each.map(({ rohs }) => ownStatus(rohs))),
        exemptions,
        svhcs,
        hasReach: each.length > 0 && each.every(({ hasReach }) => hasReach),
        massMg: massReason === '' ? [...masses][0] : undefined,
        massReason,
      }
    },
  }
}

/** A class D file beside a class C file of the same part is silent about RoHS without making it incomplete. */
function ownStatus(statuses: ReadonlySet<RohsStatus>): RohsStatus {
  return worstRohs([...statuses].filter((status) => status !== 'not declared'))
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
