import { escapeUnsafe } from '../base/clean-text.ts'
import { Failure } from '../base/failure.ts'
import { formatCount } from '../base/units.ts'
import { type Criteria, emptyUrlBytes, partParameterBytes, requestUrl } from '../request/request.ts'

/** One request of a plan. A v1 URL is the same for all: its criteria are in the body. */
interface PlannedRequest {
  readonly parts: readonly string[]
  readonly criteria: Criteria
  readonly url: string
}

export interface PlanLimits {
  /** The maximum length of the whole URL, in bytes. */
  readonly maxUrlLength: number
  /** The maximum number of parts in one request; unlimited unless given. */
  readonly batchSize?: number | undefined
}

/** The parts of a plan, each once, and their start dates where they differ: those without one first, then by date. */
interface PlanParts {
  readonly parts: readonly string[]
  /** One for each part, or for the request without parts; that of the criteria for all unless given. */
  readonly starts?: readonly (string | undefined)[] | undefined
}

/**
 * Every request of a run, in order, each part once: as few as the order of the parts and the limits allow; the same input gives the same
 * plan. Parts with and without a start date are in separate requests, and the start date of a request is the earliest of its parts':
 * that takes at most one request more than a plan without start dates. A part whose URL alone is too long is a Failure of kind `usage`
 * that names it. v1 requests are limited by the batch size only.
 */
export class Plan {
  readonly baseUrl: string
  readonly criteria: Criteria
  readonly parts: readonly string[]
  /** The longest request, as `lengthOf` counts. */
  readonly maxLength: number
  readonly #starts: readonly (string | undefined)[] | undefined
  readonly #limits: PlanLimits
  readonly #batchSize: number
  /** The position of the first part with a start date of its own. */
  readonly #firstDated: number
  /** The positions after each request. */
  readonly #ends: readonly number[]
  /** Positions by part; made when it is first needed. */
  #positions: Map<string, number> | undefined

  constructor(baseUrl: string, criteria: Criteria, { parts, starts }: PlanParts, limits: PlanLimits) {
    this.baseUrl = baseUrl
    this.criteria = criteria
    this.parts = parts
    this.maxLength = criteria.api === 'v1' ? Number.POSITIVE_INFINITY : limits.maxUrlLength
    this.#limits = limits
    this.#batchSize = limits.batchSize ?? Number.POSITIVE_INFINITY
    this.#starts = starts
    const firstDated = starts?.findIndex((start) => start !== undefined) ?? -1
    this.#firstDated = firstDated < 0 ? this.positionCount : this.#boundaryFrom(firstDated)
    this.#ends = this.#pack(this.#firstDated)
  }

  /** The same plan with another start date. */
  withStartDate(startDate: string): Plan {
    return new Plan(this.baseUrl, { ...this.criteria, startDate }, { parts: this.parts }, this.#limits)
  }

  get partCount(): number {
    return this.parts.length
  }

  /** A plan without parts has one position: that of the request for everything. */
  get positionCount(): number {
    return Math.max(1, this.parts.length)
  }

  get requestCount(): number {
    return this.#ends.length
  }

  /** The requests, each made when it is needed. */
  *requests(): Generator<PlannedRequest> {
    let from = 0
    for (const to of this.#ends) {
      const parts = this.parts.slice(from, to)
      const criteria = this.criteriaOf(this.startDateAt(from))
      yield { parts, criteria, url: requestUrl(this.baseUrl, criteria, parts) }
      from = to
    }
  }

  /** The criteria of requests with this start date. */
  criteriaOf(startDate: string | undefined): Criteria {
    const { startDate: _, ...rest } = this.criteria
    return startDate === undefined ? rest : { startDate, ...rest }
  }

  /** The start date of a request whose first part has this position. */
  startDateAt(position: number): string | undefined {
    return position < this.#firstDated ? this.criteria.startDate : this.#starts?.[position]
  }

  /** How long a request for these parts is, in the unit that services limit: bytes of the URL, for v1 parts. */
  lengthOf(parts: readonly string[], startDate: string | undefined): number {
    return parts.reduce((length, part) => length + this.#addedLength(part), this.#emptyLength(startDate))
  }

  /** How many of the parts at these positions, from `from` on, fit into one request of at most `most`: at least one. */
  countFitting(positions: readonly number[], from: number, most: number): number {
    return this.#countFitting((index) => positions[from + index], most, this.#firstDated)
  }

  /** The positions of those of these parts that are in the plan; without parts, that of the request for everything. */
  positionsOf(parts: readonly string[]): readonly number[] {
    if (parts.length === 0) return this.parts.length === 0 ? [0] : []
    this.#positions ??= new Map(this.parts.map((part, position) => [part, position]))
    const positions = this.#positions
    return parts.flatMap((part) => positions.get(part) ?? [])
  }

  // Requests end where parts with a start date of their own begin.
  #countFitting(positionAt: (index: number) => number | undefined, most: number, firstDated: number): number {
    const first = positionAt(0)
    if (first === undefined) return 1
    let length = this.#emptyLength(first < firstDated ? this.criteria.startDate : this.#starts?.[first])
    let count = 0
    for (let at = positionAt(0); at !== undefined; at = positionAt(count)) {
      if (count > 0 && first < firstDated !== at < firstDated) break
      const part = this.parts[at]
      if (part !== undefined) length += this.#addedLength(part)
      if (count > 0 && (length > most || count >= this.#batchSize)) break
      count += 1
    }
    return count
  }

  // The start date takes room in each URL. Where that costs more than one request, as few requests as possible are filled up with parts
  // that could have one.
  #boundaryFrom(firstDated: number): number {
    const plain = this.#pack(this.positionCount)
    const isWithin = (boundary: number): boolean => this.#pack(boundary).length <= plain.length + 1
    if (isWithin(firstDated)) return firstDated
    const full = plain.filter((end) => end >= firstDated)
    let [from, to] = [0, full.length - 1]
    while (from < to) {
      const middle = (from + to) >> 1
      if (isWithin(full[middle]!)) to = middle
      else from = middle + 1
    }
    return full[to]!
  }

  // The positions after each request.
  #pack(firstDated: number): number[] {
    const { positionCount } = this
    const ends: number[] = []
    for (let from = 0; from < positionCount; from = ends.at(-1)!) {
      const positionAt = (index: number): number | undefined =>
        from + index < positionCount ? from + index : undefined
      const count = this.#countFitting(positionAt, this.maxLength, firstDated)
      ends.push(from + count)
      if (count > 1) continue
      const part = this.parts[from]
      const start = from < firstDated ? this.criteria.startDate : this.#starts?.[from]
      const emptyLength = this.#emptyLength(start)
      if (emptyLength > this.maxLength) throw tooLong('the URL without parts', emptyLength, this.maxLength)
      const length = emptyLength + (part === undefined ? 0 : this.#addedLength(part))
      if (length > this.maxLength)
        throw tooLong(`the URL for part "${shorten(part ?? '')}" alone`, length, this.maxLength)
    }
    return ends
  }

  #emptyLength(startDate: string | undefined): number {
    return this.criteria.api === 'v1' ? 0 : emptyUrlBytes(this.baseUrl, this.criteriaOf(startDate))
  }

  #addedLength(part: string): number {
    return this.criteria.api === 'v1' ? 1 : partParameterBytes(part)
  }
}

/** What a plan costs: requests of the allowance, and seconds at `ratePerMinute`. */
export function planCost(
  { requestCount }: Pick<Plan, 'requestCount'>,
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
