import type { PartFacts } from './facts.ts'
import type { ReachIdentity } from './lists.ts'
import { SITUATIONS } from './situations.ts'
import { numbersOf, supplierFacts } from './suppliers.ts'

export interface MadeUpPart extends PartFacts {
  /** The situation that it shows, such as `lead exemption`. */
  readonly situation: string
}

/**
 * Part `n` (0, 1, 2 …) of the made-up catalog, computed from its number alone. Every supplier has every situation
 * among its first 24 parts.
 */
export function describePart(n: number): MadeUpPart {
  const turn = Math.floor(n / 8) + (n % 8) * 3
  const { situation, reach = 'EUREACH-0624', ...case_ } = SITUATIONS[turn % SITUATIONS.length]!
  const numbers = numbersOf(n, case_.packagings ?? 1)
  const massMg = case_.noMass === true ? 0 : 5 + (scatter(n, 1) % 50_000) / 10
  const lists = case_.lists?.(reach)
  const material = case_.material?.(massMg, numbers[0].number)
  return {
    situation,
    supplier: supplierFacts(n),
    numbers,
    massMg,
    style: case_.style ?? {},
    regulatory: lists && { approved: dayAfter(LIST_DAYS[reach], scatter(n, 2) % 120), lists },
    material: material && { approved: dayAfter('2018-01-08', scatter(n, 3) % 2_000), ...material },
  }
}

/** The day of the first declarations for a list. */
const LIST_DAYS: Readonly<Record<ReachIdentity, string>> = {
  'EUREACH-0119': '2019-02-04',
  'EUREACH-0120': '2020-02-03',
  'EUREACH-0620': '2020-07-06',
  'EUREACH-0721': '2021-08-02',
  'EUREACH-0622': '2022-07-04',
  'EUREACH-0624': '2024-07-15',
  'EUREACH-0226': '2026-02-09',
}

/** A hash of the part's number, so that neighboring parts differ (Knuth's multiplier). */
function scatter(n: number, salt: number): number {
  const mixed = Math.imul(n + 1 + salt * 7_919, 2_654_435_761) >>> 0
  return (mixed ^ (mixed >>> 15)) >>> 0
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}
