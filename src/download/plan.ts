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

/** Consecutive parts, counted over all groups: from `from` up to, not including, `to`. */
export interface PartRange {
  readonly from: number
  readonly to: number
}

/** One request of a plan. A v1 URL is the same for all: its criteria are in the body. */
export interface PlannedRequest extends PartRange {
  readonly parts: readonly string[]
  readonly criteria: Criteria
  readonly url: string
}

/** Every request of a run, in order, each part once. Requests are built on demand. */
export interface Plan {
  readonly baseUrl: string
  readonly criteria: Criteria
  readonly groups: readonly PartGroup[]
  readonly limits: PlanLimits
  readonly requestCount: number
  readonly partCount: number
  /** The ranges of the requests, in order. */
  readonly ranges: Iterable<PartRange>
  /** The request for a range of the plan, or for a subrange. */
  readonly request: (range: PartRange) => PlannedRequest
}

export interface PlanLimits {
  /** The maximum length of the whole URL, in bytes. */
  readonly maxUrlLength: number
  /** The maximum number of parts in one request; unlimited unless given. */
  readonly batchSize?: number | undefined
}

/**
 * Packs parts into as few requests as their order and the limits allow; the same input gives the same plan. A part whose URL alone
 * is too long is a Failure of kind `usage` that names it. v1 requests are limited by the batch size only.
 */
export function planRequests(
  baseUrl: string,
  criteria: Criteria,
  groups: readonly PartGroup[],
  limits: PlanLimits,
): Plan {
  const filled = groups.filter(({ parts }) => parts.length > 0)
  const used = filled.length > 0 ? filled : [groups[0] ?? { parts: [], startDate: criteria.startDate }]
  const ends: number[] = []
  const firsts: number[] = []
  let first = 0
  for (const group of used) {
    firsts.push(first)
    for (const end of packGroup(baseUrl, criteriaOf(criteria, group), group.parts, limits))
      ends.push(first + end)
    first += group.parts.length
  }
  return {
    baseUrl,
    criteria,
    groups: used,
    limits,
    requestCount: ends.length,
    partCount: first,
    ranges: { [Symbol.iterator]: () => rangesOf(ends) },
    request: (range) => requestFor(baseUrl, criteria, used, firsts, range),
  }
}

/** What a plan costs: requests of the allowance, and seconds at `ratePerMinute`. */
export function planCost(
  plan: Plan,
  ratePerMinute: number,
): { readonly requests: number; readonly seconds: number } {
  const seconds = Number.isFinite(ratePerMinute) ? (plan.requestCount * 60) / Math.max(1, ratePerMinute) : 0
  return { requests: plan.requestCount, seconds: Math.round(seconds * 10) / 10 }
}

/**
 * How long a request for these parts is, in the unit that services limit: bytes of the URL, for v1 parts.
 */
export function requestLength(baseUrl: string, criteria: Criteria, parts: Iterable<string>): number {
  let length = criteria.api === 'v1' ? 0 : emptyUrlBytes(baseUrl, criteria)
  for (const part of parts) length += addedLength(criteria, part)
  return length
}

/** How many of the parts that `next` returns fit into one request of at most `most` (as `requestLength` counts): at least one. */
export function countFitting(
  baseUrl: string,
  criteria: Criteria,
  next: (index: number) => string | undefined,
  most: number,
  batchSize = Number.POSITIVE_INFINITY,
): number {
  let length = requestLength(baseUrl, criteria, [])
  let count = 0
  for (let part = next(0); part !== undefined; part = next(count)) {
    length += addedLength(criteria, part)
    if (count > 0 && (length > most || count >= batchSize)) break
    count += 1
  }
  return count
}

/** The criteria of the requests for a group of parts: with its start date. */
export function criteriaOf(criteria: Criteria, { startDate }: Pick<PartGroup, 'startDate'>): Criteria {
  const { startDate: _, ...rest } = criteria
  return startDate === undefined ? rest : { startDate, ...rest }
}

function addedLength(criteria: Criteria, part: string): number {
  return criteria.api === 'v1' ? 1 : partParameterBytes(part)
}

// Where each request of the group ends, counted in parts.
function packGroup(
  baseUrl: string,
  criteria: Criteria,
  parts: readonly string[],
  { maxUrlLength, batchSize }: PlanLimits,
): number[] {
  const most = criteria.api === 'v1' ? Number.POSITIVE_INFINITY : maxUrlLength
  const emptyBytes = requestLength(baseUrl, criteria, [])
  if (emptyBytes > most) throw tooLong('the URL without parts', emptyBytes, most)
  if (parts.length === 0) return [0]
  const ends: number[] = []
  for (let from = 0; from < parts.length; from = ends.at(-1)!) {
    ends.push(from + countFitting(baseUrl, criteria, (index) => parts[from + index], most, batchSize))
    if (ends.at(-1)! - from > 1) continue
    const bytes = requestLength(baseUrl, criteria, [parts[from]!])
    if (bytes > most) throw tooLong(`the URL for part "${shorten(parts[from]!)}" alone`, bytes, most)
  }
  return ends
}

function* rangesOf(ends: readonly number[]): Generator<PartRange> {
  let from = 0
  for (const to of ends) {
    yield { from, to }
    from = to
  }
}

function requestFor(
  baseUrl: string,
  criteria: Criteria,
  groups: readonly PartGroup[],
  firsts: readonly number[],
  { from, to }: PartRange,
): PlannedRequest {
  const at = firsts.findLastIndex((first) => first <= from)
  const group = groups[at]!
  const parts = group.parts.slice(from - firsts[at]!, to - firsts[at]!)
  const own = criteriaOf(criteria, group)
  return { from, to, parts, criteria: own, url: requestUrl(baseUrl, own, parts) }
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
