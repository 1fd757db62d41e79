import type { JobState, LearnedLength, PartList } from './journal.ts'
import { createLengthBound, type LengthBound } from './length-bound.ts'
import type { PartialResponse } from './partial-responses.ts'
import { countFitting, criteriaOf, type Plan, requestLength } from './plan.ts'

/** One request to send. */
export interface PendingRequest extends PartList {
  /** The positions of its parts in the plan; empty for a request without parts. */
  readonly positions: readonly number[]
  /** The part of its response that an earlier run kept. */
  readonly kept?: PartialResponse
}

/** The requests that a job still has to send, packed when they are taken. */
export interface RequestQueue {
  /** The next request; undefined when there is none, or when it must wait for the response to another one. */
  readonly take: () => PendingRequest | undefined
  /** Call when a request got an archive or an empty response. */
  readonly accepted: (pending: PendingRequest) => void
  /** Takes the parts of a request back that was too long; false when it cannot be divided. */
  readonly divide: (pending: PendingRequest) => boolean
  /** Call when a request is over, whether or not it succeeded. */
  readonly settled: (pending: PendingRequest) => void
  /** How many requests are still to be taken, as far as it is known. */
  readonly count: () => number
  /** True when this partial response is continued. */
  readonly isBegun: (kept: PartialResponse) => boolean
  readonly learned: LengthBound['learned']
}

/** The requests for the parts of a plan that are not `answered`; first those with a partial response. */
export function createRequestQueue(
  plan: Plan,
  answered: readonly PartList[],
  kept: readonly PartialResponse[],
  learned?: JobState['learned'],
): RequestQueue {
  const { baseUrl, criteria, limits } = plan
  const most = criteria.api === 'v1' ? Number.POSITIVE_INFINITY : limits.maxUrlLength
  const known = learned === undefined ? undefined : withAnswered(plan, answered, learned)
  const bound = createLengthBound(most, known)
  const index = indexParts(plan)
  const isDone = new Set(answered.flatMap((list) => index.positions(list)))
  const begun: PendingRequest[] = []
  for (const each of kept) {
    const positions = index.positions(each)
    if (positions.length !== Math.max(1, each.parts.length) || positions.some((at) => isDone.has(at)))
      continue
    begun.push({ parts: each.parts, startDate: each.startDate, positions, kept: each })
    for (const at of positions) isDone.add(at)
  }
  const lists = index.groups.map(({ from, to, startDate }) => ({
    startDate,
    todo: remaining(from, to, isDone),
  }))
  const continued = new Set(begun.map(({ kept: each }) => each))
  let inFlight = 0

  const partOf = (position: number): string | undefined => index.partAt(position)

  function pack(startDate: string | undefined, todo: readonly number[], from: number): number {
    if (partOf(todo[from]!) === undefined) return 1
    const next = (at: number): string | undefined =>
      todo[from + at] === undefined ? undefined : partOf(todo[from + at]!)
    return countFitting(baseUrl, criteriaOf(criteria, { startDate }), next, bound.current(), limits.batchSize)
  }

  function take(): PendingRequest | undefined {
    if (inFlight > 0 && bound.isTesting()) return undefined
    const pending = begun.shift() ?? takePacked()
    if (pending !== undefined) inFlight += 1
    return pending
  }

  function takePacked(): PendingRequest | undefined {
    const list = lists.find(({ todo }) => todo.left() > 0)
    if (list === undefined) return undefined
    const positions = list.todo.take(pack(list.startDate, list.todo.all(), list.todo.at()))
    return pendingOf(positions, list.startDate)
  }

  function pendingOf(positions: readonly number[], startDate: string | undefined): PendingRequest {
    // `map` makes an array of just this length; results keep it.
    const parts = partOf(positions[0]!) === undefined ? [] : positions.map((at) => partOf(at)!)
    return { parts, startDate, positions }
  }

  function lengthOf({ startDate }: PartList, parts: readonly string[]): number {
    return requestLength(baseUrl, criteriaOf(criteria, { startDate }), parts)
  }

  function divide(pending: PendingRequest): boolean {
    const { parts } = pending
    const middle = Math.ceil(parts.length / 2)
    const length = lengthOf(pending, parts)
    const half =
      parts.length < 2
        ? length - 1
        : Math.max(lengthOf(pending, parts.slice(0, middle)), lengthOf(pending, parts.slice(middle)))
    bound.refused(length, half)
    if (parts.length < 2) return false
    lists.find(({ startDate }) => startDate === pending.startDate)!.todo.putBack(pending.positions)
    return true
  }

  function count(): number {
    let requests = begun.length
    for (const { startDate, todo } of lists) {
      const all = todo.all()
      for (let at = todo.at(); at < all.length; at += pack(startDate, all, at)) requests += 1
    }
    return requests
  }

  return {
    take,
    accepted: (pending) => bound.accepted(lengthOf(pending, pending.parts)),
    divide,
    settled: () => {
      inFlight -= 1
    },
    count,
    isBegun: (each) => continued.has(each),
    learned: bound.learned,
  }
}

// The longest accepted request that is shorter than the refused one.
function withAnswered(
  { baseUrl, criteria }: Plan,
  answered: readonly PartList[],
  { accepted, refused }: LearnedLength,
): LearnedLength {
  const lengths = answered.map((list) => requestLength(baseUrl, criteriaOf(criteria, list), list.parts))
  const longest = lengths.filter((length) => length < refused).reduce((a, b) => Math.max(a, b), accepted)
  return { accepted: longest, refused }
}

/** Finds parts of a plan by number and start date. A plan without parts has one position without a part. */
export function indexParts({ groups }: Pick<Plan, 'groups'>): {
  readonly groups: readonly {
    readonly from: number
    readonly to: number
    readonly startDate: string | undefined
  }[]
  readonly partAt: (position: number) => string | undefined
  readonly parts: () => readonly string[]
  /** The positions of those parts of a list that are in the plan. */
  readonly positions: (list: PartList) => readonly number[]
} {
  let from = 0
  const ranges = groups.map(({ parts, startDate }) => {
    const range = { from, to: from + Math.max(1, parts.length), startDate, parts }
    from = range.to
    return range
  })
  // By start date and part; made when it is first needed.
  let index: Map<string, Map<string, number>> | undefined
  const find = (): Map<string, Map<string, number>> => {
    const found = new Map<string, Map<string, number>>()
    for (const { from, parts, startDate = '' } of ranges) {
      const byPart = found.get(startDate) ?? new Map<string, number>()
      found.set(startDate, byPart)
      for (const [at, part] of parts.entries()) byPart.set(part, from + at)
    }
    return found
  }
  return {
    groups: ranges,
    partAt(position) {
      const range = ranges.find(({ to }) => position < to)!
      return range.parts[position - range.from]
    },
    parts: () => ranges.flatMap(({ parts }) => parts),
    positions({ parts, startDate = '' }) {
      if (parts.length === 0) {
        const whole = ranges.find(
          (range) => range.parts.length === 0 && (range.startDate ?? '') === startDate,
        )
        return whole === undefined ? [] : [whole.from]
      }
      index ??= find()
      const byPart = index.get(startDate)
      return byPart === undefined ? [] : parts.flatMap((part) => byPart.get(part) ?? [])
    },
  }
}

interface Remaining {
  readonly all: () => readonly number[]
  readonly at: () => number
  readonly left: () => number
  readonly take: (count: number) => readonly number[]
  readonly putBack: (positions: readonly number[]) => void
}

function remaining(from: number, to: number, isDone: ReadonlySet<number>): Remaining {
  let all: number[] = []
  for (let position = from; position < to; position += 1) if (!isDone.has(position)) all.push(position)
  let at = 0
  return {
    all: () => all,
    at: () => at,
    left: () => all.length - at,
    take(count) {
      at += count
      return all.slice(at - count, at)
    },
    putBack(positions) {
      all = [...positions, ...all.slice(at)].sort((a, b) => a - b)
      at = 0
    },
  }
}
