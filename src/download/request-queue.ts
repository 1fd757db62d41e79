import { largest } from '../base/extremes.ts'
import type { FailureScope } from '../http/outcome.ts'
import type { Search } from '../library/answers.ts'
import type { IncomingResponse } from '../library/incoming.ts'
import type { Plan } from './plan.ts'

/** What a run asks in one search. */
export interface SearchPlan {
  readonly search: Search
  readonly plan: Plan
  /** The positions in the plan that are answered already. */
  readonly done: ReadonlySet<number>
  /** Responses of an earlier run that are continued first; their parts are in the plan, and not done. */
  readonly begun: readonly IncomingResponse[]
  /** False when the run was given no criteria. */
  readonly isListed: boolean
}

/** One request to send. */
export interface PendingRequest {
  readonly of: SearchPlan
  /** The positions of its parts in the plan; one for a request without parts. */
  readonly positions: readonly number[]
  readonly parts: readonly string[]
  readonly startDate: string | undefined
  /** What an earlier run has of its response. */
  readonly begun: IncomingResponse | undefined
}

/** The parts of one search that are still to be requested: the positions in `all` from `next` on. */
interface Todo {
  readonly of: SearchPlan
  all: readonly number[]
  next: number
}

/** Every server accepts a URL of this length: the lowest limits are 2,048 bytes. */
const PROBE_URL_BYTES = 2_000

/** The requests that a run still has to send, packed when they are taken; first those that were begun. */
export class RequestQueue {
  readonly #maxLength: number
  #bound: LengthBound
  readonly #begun: PendingRequest[]
  readonly #todos: readonly Todo[]
  #inFlight = 0
  /** The request that tests the bound. */
  #test: PendingRequest | undefined
  #longestAnswered = 0
  /** A request was divided although the service gave no reason for its refusal. */
  #hasProbed = false

  constructor(plans: readonly SearchPlan[]) {
    this.#maxLength = Math.max(0, largest(plans.map(({ plan }) => plan.maxLength)))
    this.#bound = new LengthBound(this.#maxLength)
    this.#begun = plans.flatMap((of) => of.begun.map((begun) => begunRequest(of, begun)))
    const begun = new Map<SearchPlan, Set<number>>()
    for (const { of, positions } of this.#begun) {
      const set = begun.get(of) ?? new Set()
      for (const position of positions) set.add(position)
      begun.set(of, set)
    }
    this.#todos = plans.map((of) => {
      const all: number[] = []
      for (let position = 0; position < of.plan.positionCount; position += 1)
        if (!of.done.has(position) && !begun.get(of)?.has(position)) all.push(position)
      return { of, all, next: 0 }
    })
  }

  /** What rejected requests have shown about the maximum length; undefined unless one was rejected as too long. */
  get learned(): LearnedLength | undefined {
    return this.#bound.learned
  }

  /** The next request; undefined when there is none, or when it must wait for the response to another one. */
  take(): PendingRequest | undefined {
    if (this.#inFlight > 0 && this.#bound.isTesting) return undefined
    const pending = this.#begun.shift() ?? this.#takePacked()
    if (pending !== undefined) this.#inFlight += 1
    if (this.#bound.isTesting) this.#test = pending
    return pending
  }

  /** Call when a request got an archive or an empty response. */
  accepted(pending: PendingRequest): void {
    const { of, parts, startDate } = pending
    const length = of.plan.lengthOf(parts, startDate)
    this.#longestAnswered = Math.max(this.#longestAnswered, length)
    this.#bound.accepted(length, pending === this.#test)
  }

  /**
   * Call when a request was refused, with what that means: `divided` when its parts are taken back, to be sent in shorter requests, and
   * `alone` when it is too long and cannot be divided; undefined when its length is not the reason.
   */
  refused(scope: FailureScope, pending: PendingRequest): 'divided' | 'alone' | undefined {
    const { of, parts, startDate } = pending
    const length = of.plan.lengthOf(parts, startDate)
    const isLongest = length > this.#longestAnswered
    if (scope !== 'divide' && !(isLongest && scope.startsWith('divide-'))) return undefined
    const isUnexplained = scope === 'divide-once'
    if (isUnexplained && parts.length < 2) return undefined
    // What is as short as the probe, while nothing was answered, has another fault.
    if (isUnexplained && this.#hasProbed && this.#longestAnswered === 0 && length <= this.#bound.current) {
      this.#bound = new LengthBound(this.#maxLength)
      return undefined
    }
    const isProbe = isUnexplained && !this.#hasProbed && of.plan.criteria.api !== 'v1'
    this.#hasProbed ||= isUnexplained
    return this.#divide(pending, isProbe ? PROBE_URL_BYTES : length) ? 'divided' : 'alone'
  }

  // Takes the parts back, to be sent in requests of at most `most`, and of half the length; false when it cannot be divided.
  #divide({ of, parts, startDate, positions }: PendingRequest, most: number): boolean {
    const length = of.plan.lengthOf(parts, startDate)
    const middle = Math.ceil(parts.length / 2)
    const lengths = [parts.slice(0, middle), parts.slice(middle)].map((half) =>
      of.plan.lengthOf(half, startDate),
    )
    this.#bound.refused(length, parts.length < 2 ? length - 1 : Math.min(most, largest(lengths)))
    if (parts.length < 2) return false
    const todo = this.#todos.find((each) => each.of === of)!
    todo.all = [...positions, ...todo.all.slice(todo.next)].sort((a, b) => a - b)
    todo.next = 0
    return true
  }

  /** Call when a request is over, whether or not it succeeded. */
  settled(): void {
    this.#inFlight -= 1
  }

  /** How many requests are still to be taken, as far as it is known. */
  count(): number {
    let requests = this.#begun.length
    for (const { of, all, next } of this.#todos) {
      for (let at = next; at < all.length; at += this.#countFitting(of, all, at)) requests += 1
    }
    return requests
  }

  #takePacked(): PendingRequest | undefined {
    const todo = this.#todos.find(({ all, next }) => next < all.length)
    if (todo === undefined) return undefined
    const { of, all, next } = todo
    todo.next += this.#countFitting(of, all, next)
    const positions = all.slice(next, todo.next)
    const parts = of.plan.partCount === 0 ? [] : positions.map((at) => of.plan.parts[at]!)
    return { of, positions, parts, startDate: of.plan.startDateAt(positions[0]!), begun: undefined }
  }

  #countFitting({ plan }: SearchPlan, all: readonly number[], from: number): number {
    return plan.countFitting(all, from, this.#bound.current)
  }
}

function begunRequest(of: SearchPlan, begun: IncomingResponse): PendingRequest {
  const { parts, start } = begun.request
  return { of, positions: of.plan.positionsOf(parts), parts, startDate: start, begun }
}

// A bound this close below the shortest refused length is not raised further.
const CLOSE_ENOUGH = 1 / 8

/** What rejected requests have shown about the maximum length: in bytes of the URL, for v1 in parts. */
export interface LearnedLength {
  /** The longest accepted length; 0 when none is known. */
  readonly accepted: number
  /** The shortest length that was refused as too long. */
  readonly refused: number
}

/**
 * The longest request that is sent: a maximum at first, shortened by refusals, and raised again step by step below them. Lengths are in
 * any unit.
 */
export class LengthBound {
  readonly #most: number
  #current: number
  #isTesting = false
  #longest = 0
  #refusedAt = Number.POSITIVE_INFINITY

  constructor(most: number) {
    this.#most = most
    this.#current = most
  }

  get current(): number {
    return this.#current
  }

  /** True while the current length is a guess: the next request tests it alone. */
  get isTesting(): boolean {
    return this.#isTesting
  }

  /** Undefined unless the service refused a length. */
  get learned(): LearnedLength | undefined {
    if (this.#refusedAt === Number.POSITIVE_INFINITY) return undefined
    return { accepted: this.#longest, refused: this.#refusedAt }
  }

  /** The service accepted a request of this length: the one that tests the current length, or one that was sent before. */
  accepted(length: number, isTest = true): void {
    if (length >= this.#refusedAt) return
    const isLonger = length > this.#longest
    if (isLonger) this.#longest = length
    if (!this.#isTesting || (!isTest && length <= this.#current)) return
    if (isLonger) this.#raise()
    else {
      // There is no request of a length between the longest accepted one and the bound.
      this.#current = this.#longest
      this.#isTesting = false
    }
  }

  /** The service refused a request of this length as too long; the longer of its halves has the length `half`. */
  refused(length: number, half: number): void {
    this.#refusedAt = Math.min(this.#refusedAt, length)
    if (this.#longest >= this.#refusedAt) this.#longest = 0
    // What was accepted says nothing about a length more than twice its own.
    if (this.#longest >= half) {
      this.#raise()
      return
    }
    this.#current = Math.min(this.#current, half)
    this.#isTesting = true
  }

  #raise(): void {
    const [longest, refusedAt] = [this.#longest, this.#refusedAt]
    const isClose = refusedAt - longest <= refusedAt * CLOSE_ENOUGH
    this.#current = Math.min(this.#most, isClose ? longest : Math.floor((longest + refusedAt) / 2))
    this.#isTesting = this.#current > longest
  }
}
