import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { formatCount } from '../base/units.ts'
import {
  type Criteria,
  emptyUrlBytes,
  type PartGroup,
  partParameterBytes,
  requestUrl,
} from '../request/request.ts'

/** One request of a plan. A v1 URL is the same for all: its criteria are in the body. */
interface PlannedRequest {
  readonly parts: readonly string[]
  readonly criteria: Criteria
  readonly url: string
}

interface PlanLimits {
  /** The maximum length of the whole URL, in bytes. */
  readonly maxUrlLength: number
  /** The maximum number of parts in one request; unlimited unless given. */
  readonly batchSize?: number | undefined
}

/** Parts with their positions in a plan: from `from` up to, not including, `to`. A plan without parts has one position. */
interface PlanGroup extends PartGroup {
  readonly from: number
  readonly to: number
}

/**
 * Every request of a run, in order, each part once: as few as the order of the parts and the limits allow; the same input gives the same
 * plan. A part whose URL alone is too long is a Failure of kind `usage` that names it. v1 requests are limited by the batch size only.
 */
export class Plan {
  readonly baseUrl: string
  readonly criteria: Criteria
  readonly groups: readonly PlanGroup[]
  readonly partCount: number
  /** The longest request, as `lengthOf` counts. */
  readonly maxLength: number
  readonly #batchSize: number
  /** The positions after each request. */
  readonly #ends: readonly number[]
  /** Positions by start date and part; made when it is first needed. */
  #positions: Map<string, Map<string, number>> | undefined

  constructor(baseUrl: string, criteria: Criteria, groups: readonly PartGroup[], limits: PlanLimits) {
    this.baseUrl = baseUrl
    this.criteria = criteria
    this.maxLength = criteria.api === 'v1' ? Number.POSITIVE_INFINITY : limits.maxUrlLength
    this.#batchSize = limits.batchSize ?? Number.POSITIVE_INFINITY
    const filled = groups.filter(({ parts }) => parts.length > 0)
    const used = filled.length > 0 ? filled : [groups[0] ?? { parts: [], startDate: criteria.startDate }]
    let from = 0
    this.groups = used.map(({ parts, startDate }) => {
      const group = { parts, startDate, from, to: from + Math.max(1, parts.length) }
      from = group.to
      return group
    })
    this.partCount = filled.reduce((sum, { parts }) => sum + parts.length, 0)
    this.#ends = this.groups.flatMap((group) => this.#pack(group))
  }

  get requestCount(): number {
    return this.#ends.length
  }

  /** The requests, each made when it is needed. */
  *requests(): Generator<PlannedRequest> {
    let from = 0
    for (const to of this.#ends) {
      const group = this.#groupAt(from)
      const parts = group.parts.slice(from - group.from, to - group.from)
      const criteria = this.criteriaOf(group)
      yield { parts, criteria, url: requestUrl(this.baseUrl, criteria, parts) }
      from = to
    }
  }

  /** The criteria of requests with this start date. */
  criteriaOf({ startDate }: Pick<PartGroup, 'startDate'>): Criteria {
    const { startDate: _, ...rest } = this.criteria
    return startDate === undefined ? rest : { startDate, ...rest }
  }

  /** How long a request for these parts is, in the unit that services limit: bytes of the URL, for v1 parts. */
  lengthOf({ parts, startDate }: PartGroup): number {
    return parts.reduce((length, part) => length + this.#addedLength(part), this.#emptyLength(startDate))
  }

  /** How many of the parts that `next` returns fit into one request of at most `most`: at least one. */
  countFitting(
    startDate: string | undefined,
    next: (index: number) => string | undefined,
    most: number,
  ): number {
    let length = this.#emptyLength(startDate)
    let count = 0
    for (let part = next(0); part !== undefined; part = next(count)) {
      length += this.#addedLength(part)
      if (count > 0 && (length > most || count >= this.#batchSize)) break
      count += 1
    }
    return Math.max(1, count)
  }

  /** Undefined in a plan without parts. */
  partAt(position: number): string | undefined {
    const { parts, from } = this.#groupAt(position)
    return parts[position - from]
  }

  /** The positions of those of these parts that are in the plan; without parts, that of the request for everything. */
  positionsOf({ parts, startDate = '' }: PartGroup): readonly number[] {
    if (parts.length === 0) {
      const isSame = this.partCount === 0 && (this.groups[0]!.startDate ?? '') === startDate
      return isSame ? [0] : []
    }
    this.#positions ??= this.#indexParts()
    const byPart = this.#positions.get(startDate)
    return byPart === undefined ? [] : parts.flatMap((part) => byPart.get(part) ?? [])
  }

  /** True when this part is requested, with any start date. */
  hasPart(part: string): boolean {
    this.#positions ??= this.#indexParts()
    return [...this.#positions.values()].some((byPart) => byPart.has(part))
  }

  #groupAt(position: number): PlanGroup {
    return this.groups.find(({ to }) => position < to)!
  }

  #indexParts(): Map<string, Map<string, number>> {
    const index = new Map<string, Map<string, number>>()
    for (const { from, parts, startDate = '' } of this.groups) {
      const byPart = index.get(startDate) ?? new Map<string, number>()
      index.set(startDate, byPart)
      for (const [at, part] of parts.entries()) byPart.set(part, from + at)
    }
    return index
  }

  // The positions after each request of a group.
  #pack({ parts, startDate, from: first, to }: PlanGroup): number[] {
    const emptyLength = this.#emptyLength(startDate)
    if (emptyLength > this.maxLength) throw tooLong('the URL without parts', emptyLength, this.maxLength)
    const ends: number[] = []
    for (let from = first; from < to; from = ends.at(-1)!) {
      const at = from - first
      const count = this.countFitting(startDate, (index) => parts[at + index], this.maxLength)
      ends.push(from + count)
      const part = parts[at]
      if (count > 1 || part === undefined) continue
      const length = emptyLength + this.#addedLength(part)
      if (length > this.maxLength)
        throw tooLong(`the URL for part "${shorten(part)}" alone`, length, this.maxLength)
    }
    return ends
  }

  #emptyLength(startDate: string | undefined): number {
    return this.criteria.api === 'v1' ? 0 : emptyUrlBytes(this.baseUrl, this.criteriaOf({ startDate }))
  }

  #addedLength(part: string): number {
    return this.criteria.api === 'v1' ? 1 : partParameterBytes(part)
  }
}

/** What a plan costs: requests of the allowance, and seconds at `ratePerMinute`. */
export function planCost(
  { requestCount }: Plan,
  ratePerMinute: number,
): { readonly requests: number; readonly seconds: number } {
  const seconds = Number.isFinite(ratePerMinute) ? (requestCount * 60) / Math.max(1, ratePerMinute) : 0
  return { requests: requestCount, seconds: Math.round(seconds * 10) / 10 }
}

function tooLong(what: string, bytes: number, maxBytes: number): Failure {
  return new Failure(
    'usage',
    `${what} has ${formatCount(bytes)} bytes, more than the maximum of ${formatCount(maxBytes)}`,
    {
      hint: 'allow longer URLs, if the service accepts them',
      options: ['max-url-length'],
    },
  )
}

function shorten(part: string): string {
  return escapeUnsafe(part.length > 60 ? `${part.slice(0, 59)}…` : part)
}
