import type { Failure } from '../base/failure.ts'
import type { PartGroup } from '../request/request.ts'
import { type EmptyResponse, type JobState, type ResponseArchive, requestId } from './journal.ts'
import type { PartialResponse } from './partial-responses.ts'
import type { Plan } from './plan.ts'

/** The state of a job's directory: its journal, and the partial responses in it. */
type Recorded = JobState & { readonly kept: readonly PartialResponse[] }

/** How the responses of earlier runs and the requests still to be sent make up a plan; made once in a run. */
export interface JobPlan {
  readonly plan: Plan
  readonly reused: readonly ReusedResponse[]
  /** Archives with parts that are no longer requested, by their names in the job directory. */
  readonly unusedFiles: readonly string[]
  /** How many parts that are no longer requested had an empty response. */
  readonly unusedEmptyParts: number
  /** What earlier runs have of the requests that are sent first. */
  readonly begun: readonly PendingRequest[]
  /** How many requests of this plan were sent, and have no response. */
  readonly lostCount: number
  readonly queue: RequestQueue
}

/** A response of an earlier run that this one uses. */
interface ReusedResponse {
  readonly response: ResponseArchive | EmptyResponse
  readonly result: RequestResult
  /** Those of its parts that the plan does not have. */
  readonly unwanted: readonly string[]
}

/** One request to send. */
export interface PendingRequest extends PartGroup {
  /** Its name in the journal. */
  readonly id: string
  /** The positions of its parts in the plan; one for a request without parts. */
  readonly positions: readonly number[]
  /** The part of its response that an earlier run kept. */
  readonly kept?: PartialResponse | undefined
}

/** Compares a plan with what earlier runs have done. */
export function planJob(plan: Plan, recorded: Recorded): JobPlan {
  const reused = reuseResponses(plan, recorded)
  const whole = new Set(reused.flatMap(({ response, unwanted }) => (unwanted.length === 0 ? response : [])))
  const done = new Set(reused.flatMap(({ response }) => plan.positionsOf(response)))
  const begun = begunRequests(plan, recorded, done)
  const begunIds = new Set(begun.map(({ id }) => id))
  const isLost = ({ id, parts, startDate }: JobState['withoutResponse'][number]): boolean =>
    !begunIds.has(id) && (parts === undefined || plan.positionsOf({ parts, startDate }).length > 0)
  const completed = reused.map(({ response }) => response)
  return {
    plan,
    reused,
    unusedFiles: recorded.archives.flatMap((archive) => (whole.has(archive) ? [] : archive.file)),
    unusedEmptyParts: recorded.empty.reduce(
      (sum, { parts, startDate }) => sum + parts.length - plan.positionsOf({ parts, startDate }).length,
      0,
    ),
    begun,
    lostCount: recorded.withoutResponse.filter(isLost).length,
    queue: new RequestQueue(plan, completed, begun),
  }
}

/** True when at least half of what a job has responses for is requested by this plan. */
export function isMostlyWanted(
  plan: Plan,
  { archives, empty }: Pick<JobState, 'archives' | 'empty'>,
): boolean {
  const completed: readonly PartGroup[] = [...archives, ...empty]
  const wanted = completed.reduce((sum, list) => sum + plan.positionsOf(list).length, 0)
  return wanted > 0 && 2 * wanted >= completed.reduce((sum, { parts }) => sum + Math.max(1, parts.length), 0)
}

/**
 * Chooses the responses of earlier runs that this plan can use, part by part. A response that also has parts that are no longer
 * requested is used where its entries can be told apart, so not for CSV.
 */
function reuseResponses(
  plan: Plan,
  { archives, empty }: Pick<JobState, 'archives' | 'empty'>,
): readonly ReusedResponse[] {
  const taken = new Set<number>()
  const used: ReusedResponse[] = []
  for (const response of [...archives, ...empty]) {
    const found = plan.positionsOf(response)
    const isMixed = found.length < response.parts.length
    if (isMixed && 'sha256' in response && plan.criteria.format === 'CSV') continue
    const positions = found.filter((position) => !taken.has(position)).sort((a, b) => a - b)
    if (positions.length === 0) continue
    for (const position of positions) taken.add(position)
    const known = isMixed ? new Set(found.map((position) => plan.partAt(position))) : undefined
    const parts = positions.flatMap((position) => plan.partAt(position) ?? [])
    used.push({
      response,
      result: completedResult({ positions, parts }, response, true),
      unwanted: known === undefined ? [] : response.parts.filter((part) => !known.has(part)),
    })
  }
  return used
}

// Requests of which a part is kept, that are in the plan as a whole. `done` gets their positions.
function begunRequests(plan: Plan, { kept }: Recorded, done: Set<number>): PendingRequest[] {
  const begun: PendingRequest[] = []
  for (const each of kept) {
    const { parts, startDate } = each
    const positions = plan.positionsOf({ parts, startDate })
    if (positions.length !== Math.max(1, parts.length) || positions.some((at) => done.has(at))) continue
    begun.push({ id: requestId(each), parts, startDate, positions, kept: each })
    for (const at of positions) done.add(at)
  }
  return begun
}

/** The outcome of one request. */
export interface RequestResult {
  /** Where the first of its parts is in the plan. */
  readonly at: number
  /** Those of its parts that the plan has. */
  readonly parts: readonly string[]
  /** The status of the last response; undefined without one. */
  readonly status: number | undefined
  readonly attempts: number
  readonly bytes: number
  readonly seconds: number
  readonly sha256: string | undefined
  /** The name of the verified archive in the job directory; undefined when the response was empty or there was none. */
  readonly file: string | undefined
  /** True when an earlier run completed it. */
  readonly isResumed: boolean
  /** Why it failed, in a run that continued without it. */
  readonly error?: { readonly code: string; readonly message: string }
}

type Requested = Pick<PendingRequest, 'positions' | 'parts'>

/** A request that succeeded, with or without an archive. */
export function completedResult(
  { positions, parts }: Requested,
  response: ResponseArchive | EmptyResponse,
  isResumed: boolean,
): RequestResult {
  const { status, attempts, seconds, bytes = 0 } = response
  const { sha256, file } = 'sha256' in response ? response : { sha256: undefined, file: undefined }
  // Not spread from smaller objects: V8 would give each of many thousand results a shape of its own.
  return { at: positions[0]!, parts, status, attempts, bytes, seconds, sha256, file, isResumed }
}

/** A request that failed permanently. */
export function failedResult(
  { positions, parts }: Requested,
  error: Failure,
  seconds: number,
): RequestResult {
  return {
    at: positions[0]!,
    parts,
    status: error.details.httpStatus,
    attempts: error.details.attempts ?? 1,
    seconds,
    bytes: 0,
    sha256: undefined,
    file: undefined,
    isResumed: false,
    error: { code: error.kind, message: error.message },
  }
}

/** The parts of one start date that are still to be requested: the positions in `all` from `next` on. */
interface Todo {
  readonly startDate: string | undefined
  all: readonly number[]
  next: number
}

/** The requests that a job still has to send, packed when they are taken; first those that were begun. */
class RequestQueue {
  readonly #plan: Plan
  readonly #bound: LengthBound
  readonly #begun: PendingRequest[]
  readonly #todos: readonly Todo[]
  #inFlight = 0

  constructor(plan: Plan, completed: readonly PartGroup[], begun: readonly PendingRequest[]) {
    this.#plan = plan
    this.#begun = [...begun]
    this.#bound = new LengthBound(plan.maxLength)
    const done = new Set([
      ...completed.flatMap((list) => plan.positionsOf(list)),
      ...begun.flatMap(({ positions }) => positions),
    ])
    this.#todos = plan.groups.map(({ startDate, from, to }) => {
      const all: number[] = []
      for (let position = from; position < to; position += 1) if (!done.has(position)) all.push(position)
      return { startDate, all, next: 0 }
    })
  }

  /** What rejected requests have shown about the maximum length. */
  get learned(): LearnedLength | undefined {
    return this.#bound.learned
  }

  /** The next request; undefined when there is none, or when it must wait for the response to another one. */
  take(): PendingRequest | undefined {
    if (this.#inFlight > 0 && this.#bound.isTesting) return undefined
    const pending = this.#begun.shift() ?? this.#takePacked()
    if (pending !== undefined) this.#inFlight += 1
    return pending
  }

  /** Call when a request got an archive or an empty response. */
  accepted(pending: PendingRequest): void {
    this.#bound.accepted(this.#plan.lengthOf(pending))
  }

  /** Takes the parts of a request back that was too long; false when it cannot be divided. */
  divide({ parts, startDate, positions }: PendingRequest): boolean {
    const length = this.#plan.lengthOf({ parts, startDate })
    const middle = Math.ceil(parts.length / 2)
    const halves = [parts.slice(0, middle), parts.slice(middle)]
    const lengths = halves.map((half) => this.#plan.lengthOf({ parts: half, startDate }))
    this.#bound.refused(length, parts.length < 2 ? length - 1 : Math.max(...lengths))
    if (parts.length < 2) return false
    const todo = this.#todos.find((each) => each.startDate === startDate)!
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
    for (const { startDate, all, next } of this.#todos) {
      for (let at = next; at < all.length; at += this.#countPacked(startDate, all, at)) requests += 1
    }
    return requests
  }

  #takePacked(): PendingRequest | undefined {
    const todo = this.#todos.find(({ all, next }) => next < all.length)
    if (todo === undefined) return undefined
    const { startDate, all, next } = todo
    todo.next += this.#countPacked(startDate, all, next)
    const positions = all.slice(next, todo.next)
    // `map` makes an array of just this length; results keep it.
    const parts = this.#plan.partCount === 0 ? [] : positions.map((at) => this.#plan.partAt(at)!)
    return { id: requestId({ parts, startDate }), parts, startDate, positions }
  }

  #countPacked(startDate: string | undefined, all: readonly number[], from: number): number {
    const partAt = (index: number): string | undefined => {
      const position = all[from + index]
      return position === undefined ? undefined : this.#plan.partAt(position)
    }
    return this.#plan.countFitting(startDate, partAt, this.#bound.current)
  }
}

/** What rejected requests have shown about the maximum length: in bytes of the URL, for v1 in parts. */
export interface LearnedLength {
  /** The longest accepted length; 0 when none is known. */
  readonly accepted: number
  /** The shortest length that was refused as too long. */
  readonly refused: number
}

// A bound this close below the shortest refused length is not raised further.
const CLOSE_ENOUGH = 1 / 8

/**
 * The longest request that is sent: a maximum at first, shortened by refusals, and raised again step by step below them. Lengths are in any unit.
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

  /** The service accepted a request of this length. */
  accepted(length: number): void {
    if (length >= this.#refusedAt) return
    if (length > this.#longest) {
      this.#longest = length
      if (this.#isTesting) this.#raise()
    } else if (this.#isTesting) {
      // There is no request of a length between the longest accepted one and the bound.
      this.#current = this.#longest
      this.#isTesting = false
    }
  }

  /** The service refused a request of this length as too long; the longer of its halves has the length `half`. */
  refused(length: number, half: number): void {
    this.#refusedAt = Math.min(this.#refusedAt, length)
    if (this.#longest >= this.#refusedAt) this.#longest = 0
    if (this.#longest > 0) {
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
