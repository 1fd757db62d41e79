import type { ProductId } from '../declaration/product-ids.ts'
import type { EmptyResponse, JobState, PartList, ResponseArchive } from './journal.ts'
import type { Plan } from './plan.ts'
import { indexParts } from './request-queue.ts'

/** A response of an earlier run that this one uses. */
export interface ReusedResponse {
  readonly response: ResponseArchive | EmptyResponse
  /** Where the first of its parts is in the plan. */
  readonly at: number
  /** Those of its parts that the plan has and no response before it. */
  readonly parts: readonly string[]
  /** Those of its parts that the plan does not have. */
  readonly unwanted: readonly string[]
}

/**
 * Chooses the responses of earlier runs that this plan can use, part by part. A response that also has parts that are no longer
 * requested is used where its entries can be told apart, so not for CSV.
 */
export function reuseResponses(
  plan: Plan,
  { pieces, empty }: Pick<JobState, 'pieces' | 'empty'>,
): readonly ReusedResponse[] {
  const index = indexParts(plan)
  const taken = new Set<number>()
  const used: ReusedResponse[] = []
  for (const response of [...pieces, ...empty]) {
    const found = index.positions(response)
    const isMixed = found.length < response.parts.length
    if (isMixed && 'sha256' in response && plan.criteria.format === 'CSV') continue
    const positions = found.filter((position) => !taken.has(position)).sort((a, b) => a - b)
    if (positions.length === 0) continue
    for (const position of positions) taken.add(position)
    const known = isMixed ? new Set(found.map(index.partAt)) : undefined
    used.push({
      response,
      at: positions[0]!,
      parts: positions.flatMap((position) => index.partAt(position) ?? []),
      unwanted: known === undefined ? [] : response.parts.filter((part) => !known.has(part)),
    })
  }
  return used
}

/** The archives of which no entry, or not every one, is in the result: those with parts that are not requested any more. */
export function unusedPieces(
  plan: Plan,
  state: Pick<JobState, 'pieces' | 'empty'>,
): readonly ResponseArchive[] {
  const whole = new Set(
    reuseResponses(plan, state).flatMap(({ response, unwanted }) =>
      unwanted.length === 0 ? [response] : [],
    ),
  )
  return state.pieces.filter((piece) => !whole.has(piece))
}

/** True when at least half of what a job has responses for is requested by this plan. */
export function isMostlyWanted(plan: Plan, { pieces, empty }: Pick<JobState, 'pieces' | 'empty'>): boolean {
  const index = indexParts(plan)
  const answered: readonly PartList[] = [...pieces, ...empty]
  const wanted = answered.reduce((sum, list) => sum + index.positions(list).length, 0)
  return wanted > 0 && 2 * wanted >= answered.reduce((sum, { parts }) => sum + Math.max(1, parts.length), 0)
}

/**
 * The entries of an archive that declare nothing but parts that are no longer requested, by the products found in it. Entries that
 * name no such part stay.
 */
export function unwantedEntries(
  products: ReadonlyMap<string, readonly ProductId[]>,
  unwanted: readonly string[],
  requested: (part: string) => boolean,
): ReadonlySet<string> {
  const names = new Set<string>()
  const numbers = new Set(unwanted)
  for (const [name, ids] of products) {
    const declared = ids.flatMap(({ itemNumber, requesterItemNumber }) =>
      [itemNumber ?? [], requesterItemNumber ?? []].flat(),
    )
    if (declared.some((part) => numbers.has(part)) && !declared.some(requested)) names.add(name)
  }
  return names
}
