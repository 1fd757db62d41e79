import type { ExemptionDates, ExemptionLookup } from '../../compliance/exemption-dates.ts'
import type { JudgedRow } from './report-row.ts'

/** An exemption that declared parts rely on, with what the reference table knows about it. */
export interface ExemptionUse extends ExemptionDates {
  /** How the declarations write it, at most five spellings. */
  readonly declared: readonly string[]
  readonly parts: number
  /** The first parts that rely on it, at most ten. */
  readonly firstParts: readonly string[]
}

/** The exemptions in use of a report. */
export interface ExemptionsInUse {
  /** Earliest date first, those without a date last; at most two hundred. */
  readonly exemptions: readonly ExemptionUse[]
  /** How many exemptions were left out because of these bounds. */
  readonly moreExemptions: number
  /** Parts with an exemption in use that has no known date. */
  readonly withoutDate: number
}

/** Collects the exemptions of rows. */
export interface ExemptionCounter {
  readonly add: (row: JudgedRow) => void
  readonly result: () => ExemptionsInUse
}

const MAX_EXEMPTIONS = 2_000
const MAX_SHOWN = 200
const MAX_PARTS = 10
const MAX_SPELLINGS = 5

interface Counted {
  readonly dates: ExemptionDates
  readonly declared: Set<string>
  readonly firstParts: string[]
  parts: number
}

export function createExemptionCounter(lookup: ExemptionLookup): ExemptionCounter {
  const uses = new Map<string, Counted>()
  const left = new Set<string>()
  let withoutDate = 0
  return {
    add(row) {
      const { part, exemption_ids } = row
      if (exemption_ids.length === 0) return
      const found = exemption_ids.flatMap((id) => lookup(id).map((dates) => ({ id, dates })))
      if (found.some(({ dates }) => dates.earliest === '')) withoutDate += 1
      const counted = new Set<Counted>()
      for (const { id, dates } of found) {
        const name = dates.number === '' ? `as declared ${id.identity}` : `${dates.number} ${dates.annex}`
        const use = uses.get(name) ?? begin(uses, name, dates)
        if (use === undefined) {
          if (left.size < MAX_EXEMPTIONS) left.add(name)
          continue
        }
        if (use.declared.size < MAX_SPELLINGS) use.declared.add(id.identity)
        if (counted.has(use)) continue
        counted.add(use)
        use.parts += 1
        if (use.firstParts.length < MAX_PARTS) use.firstParts.push(part)
      }
    },
    result() {
      const all = [...uses.values()].map(
        ({ dates, declared, parts, firstParts }): ExemptionUse => ({
          ...dates,
          declared: [...declared],
          parts,
          firstParts: [...firstParts],
        }),
      )
      const exemptions = all.sort(soonestFirst).slice(0, MAX_SHOWN)
      return {
        exemptions,
        moreExemptions: all.length - exemptions.length + left.size,
        withoutDate,
      }
    },
  }
}

function begin(uses: Map<string, Counted>, key: string, dates: ExemptionDates): Counted | undefined {
  if (uses.size >= MAX_EXEMPTIONS) return undefined
  const use: Counted = { dates, declared: new Set(), firstParts: [], parts: 0 }
  uses.set(key, use)
  return use
}

function soonestFirst(a: ExemptionUse, b: ExemptionUse): number {
  const [first, second] = [a.earliest || '9999', b.earliest || '9999']
  return first < second ? -1 : first > second ? 1 : b.parts - a.parts
}
