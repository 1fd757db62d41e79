import { type VerifiedArchive, verifyArchive } from '../archive/verify-archive.ts'
import { cleanText } from '../base/clean-text.ts'
import { type Failure, isFailure } from '../base/failure.ts'
import type { Progress, Reporter } from '../base/notice.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../base/units.ts'
import type { FileIdentity } from '../fs/draft.ts'
import { Admission, type AdmittedRequest } from '../http/admission.ts'
import { scopeOf } from '../http/outcome.ts'
import type { RateLimit } from '../http/rate-headers.ts'
import type { Answer } from '../library/answers.ts'
import type { IncomingResponse, LostResponse } from '../library/incoming.ts'
import { declaredNumbers, type Kept, type Library } from '../library/library.ts'
import { serviceRequest } from '../request/request.ts'
import { fetchArchive } from './fetch-archive.ts'
import { JobProgress } from './job-progress.ts'
import { type LearnedLength, type PendingRequest, RequestQueue, type SearchPlan } from './request-queue.ts'
import type { RunContext } from './run-context.ts'

/** The outcome of one request. */
export interface RequestResult {
  /** Where the first of its parts is in the plans. */
  readonly at: number
  readonly parts: readonly string[]
  /** The status of the last response; undefined without one. */
  readonly status: number | undefined
  readonly attempts: number
  readonly bytes: number
  readonly seconds: number
  readonly sha256: string | undefined
  /** What the library has of it; undefined when the request failed. */
  readonly answer: Answer | undefined
  /** True when an earlier run completed it. */
  readonly isResumed: boolean
  /** Why it failed, in a run that continued without it. */
  readonly error?: Failure | undefined
}

/** What came of the requests of a run: what is known, also when the run failed. */
export interface Responses {
  /** Those that are over, in the order of the parts. */
  readonly requests: readonly RequestResult[]
  /** The last archive that was received in this run. */
  readonly verified: (VerifiedArchive & { readonly identity: FileIdentity }) | undefined
  /** With `reconcile`: the part numbers that the archives declare, including those of earlier runs. */
  readonly declared: ReadonlySet<string>
  readonly rateLimit: RateLimit | undefined
  /** What rejected requests have shown about the maximum length. */
  readonly learned?: LearnedLength | undefined
  /** Why the run ended early, or the first failure when every request failed; its hint says what is kept. */
  readonly failure: unknown
}

/** An answer of an earlier run, as the result of a request. */
export function answeredResult(
  at: number,
  parts: readonly string[],
  answer: Answer,
  isResumed: boolean,
): RequestResult {
  const { status, attempts, seconds, bytes, sha256 } = answer
  return { at, parts, status, attempts, seconds, bytes, sha256, answer, isResumed }
}

/** A request that failed permanently. */
function failedRequest(
  { of, positions, parts }: PendingRequest,
  error: Failure,
  seconds: number,
  offset: number,
): RequestResult {
  const { httpStatus: status, attempts = 1 } = error.details
  const at = offset + (positions[0] ?? of.plan.positionCount)
  return {
    at,
    parts,
    status,
    attempts,
    seconds,
    bytes: 0,
    sha256: undefined,
    answer: undefined,
    isResumed: false,
    error,
  }
}

/**
 * Sends the requests of some plans, several at once under one rate limit, and records each answer in the library when its archive is
 * verified. `reused` are the answers of earlier runs that belong to the result. After a failure of one request no other is started and
 * those in flight finish, because they use allowance, unless the run may continue without it; a failure that affects all requests
 * ends those without a response. Never rejects with a Failure: the failure is in the result.
 */
export async function sendRequests(
  context: RunContext,
  library: Library,
  plans: readonly SearchPlan[],
  reused: readonly RequestResult[] = [],
): Promise<Responses> {
  const run = new Run(context, library, plans, reused)
  // Archives of earlier runs are scanned while new requests run.
  const scanning = run.scanReused()
  scanning.catch(() => undefined)
  let failure: unknown
  try {
    await run.sendAll()
    await scanning
  } catch (error) {
    failure = error
    await scanning.catch(() => undefined)
  }
  return run.responses(failure)
}

/** A request that was started. */
interface InFlight {
  readonly pending: PendingRequest
  readonly incoming: IncomingResponse
  /** Its name in messages. */
  readonly label: string
  readonly admitted: AdmittedRequest
  readonly controller: AbortController
  readonly startedMs: number
  /** What it is doing. */
  phase: Progress['phase']
  /** When its last bytes arrived; undefined unless more of them are to come. */
  arrivedMs: number | undefined
}

/** Everything that the requests of one run share. */
class Run {
  readonly #context: RunContext
  readonly #library: Library
  readonly #queue: RequestQueue
  readonly #plans: readonly SearchPlan[]
  readonly #admission: Admission
  readonly #progress: JobProgress
  readonly #requestCount: number
  readonly #reused: readonly RequestResult[]
  readonly #results: RequestResult[]
  readonly #failures: Failure[] = []
  readonly #inFlight = new Set<InFlight>()
  /** Requests that ended without their response, which has to be paid for again. */
  readonly #lost: LostResponse[] = []
  /** Aborted when the run has to end: nothing is sent any more. */
  readonly #closing = new AbortController()
  readonly #over = new AbortController()
  readonly #declared = new Set<string>()
  #verified: Responses['verified']
  #rateLimit: RateLimit | undefined

  constructor(
    context: RunContext,
    library: Library,
    plans: readonly SearchPlan[],
    reused: readonly RequestResult[],
  ) {
    const { world, reporter, ratePerMinute, concurrency, maxWaitMs, rateKey: sharedKey } = context
    this.#context = context
    this.#library = library
    this.#plans = plans
    this.#queue = new RequestQueue(plans)
    this.#admission = new Admission(world, { ratePerMinute, concurrency, maxWaitMs, sharedKey })
    this.#reused = reused
    this.#results = [...reused]
    this.#requestCount = reused.length + this.#queue.count()
    const reusedBytes = reused.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#progress = new JobProgress(reporter, {
      done: reused.length,
      total: this.#requestCount,
      doneBytes: reusedBytes,
      nowMs: world.clock.monotonicMs,
      pace: () => this.#admission.pace(),
    })
  }

  async sendAll(): Promise<void> {
    const { signal } = this.#context
    const onAbort = (): void => this.#close(signal.reason, 'signal')
    signal.addEventListener('abort', onAbort)
    try {
      signal.throwIfAborted()
      const take = (): PendingRequest | undefined =>
        this.#closing.signal.aborted ? undefined : this.#queue.take()
      await this.#admission.run(take, (pending, admitted) => this.#send(pending, admitted))
      // Everything in flight was finished, but not everything was sent.
      this.#closing.signal.throwIfAborted()
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#over.abort(new Error('all requests are over'))
    }
  }

  /** Finds the ProductIDs in the archives of earlier runs. */
  async scanReused(): Promise<void> {
    if (!this.#context.reconcile) return
    const names = new Set(this.#reused.flatMap(({ answer }) => answer?.archive ?? []))
    let damage: unknown
    for (const name of names) {
      const path = this.#library.archivePath(name)
      const verified = await verifyResponse(this.#context, path).catch(async (error: unknown) => {
        if (!isFailure(error) || error.kind !== 'archive') throw error
        damage ??= error
        await this.#library.suspect(path)
      })
      if (verified !== undefined) this.#keepProducts(verified)
    }
    if (damage !== undefined) throw damage
  }

  responses(thrown: unknown): Responses {
    const requests = this.#results.toSorted((a, b) => a.at - b.at)
    const [first] = this.#failures
    const failure = thrown ?? (first && this.#failures.length === requests.length ? first : undefined)
    return {
      requests,
      verified: this.#verified,
      declared: this.#declared,
      rateLimit: this.#rateLimit,
      learned: this.#queue.learned,
      failure: failure && this.#withWhatIsKept(failure),
    }
  }

  // The failure with a hint that says what is kept.
  #withWhatIsKept(error: unknown): unknown {
    if (!isFailure(error)) return error
    const lost = this.#lost
    const total = Math.max(this.#requestCount, this.#results.length + this.#queue.count())
    const { completed, words, notes } = whatIsKept(this.#library, this.#results, total)
    const sentAgain = `${plural(lost.length, 'request')} in flight will be sent again, which may use allowance twice`
    if (words !== '') {
      const data = {
        folder: this.#library.directory,
        answered: completed,
        requests: total,
        bytes: this.#library.kept().map(({ bytes }) => bytes),
      }
      const message = `kept in ${this.#library.directory}: ${words}`
      this.#context.reporter.notice({ level: 'info', event: 'job.kept', message, data })
      return error.with({
        again: { kept: words, notes: [...notes, ...(lost.length > 0 ? [sentAgain] : [])] },
      })
    }
    const why = WHY_LOST.find(([reason]) => lost.includes(reason))?.[1]
    if (why === undefined) return notes.length === 0 ? error : error.with({ again: { notes } })
    const message = `nothing is kept: ${why}`
    if (error.kind === 'interrupted') return error.with({ again: { notes: [message, sentAgain] } })
    this.#context.reporter.notice({ level: 'detail', event: 'job.not-kept', message })
    return error.with({ again: { notes: [sentAgain] } })
  }

  // Ends the run: nothing is sent any more. Responses that have begun were paid for, so they may finish.
  #close(reason: unknown, from: 'signal' | 'request'): void {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(reason)
    const { finishMs, reporter, world } = this.#context
    const begun = [...this.#inFlight].filter((request) => mayFinish(request, reason, from))
    for (const request of this.#inFlight) {
      if (!begun.includes(request)) request.controller.abort(reason)
    }
    if (begun.length === 0) return
    const message = `finishing ${plural(begun.length, 'response')} that ${begun.length === 1 ? 'has' : 'have'} begun, for up to ${formatDuration(finishMs)}${from === 'signal' ? '; Ctrl-C again stops at once' : ''}`
    reporter.notice({ level: 'info', event: 'job.finishing', message })
    const abort = (): void => {
      for (const { controller } of begun) controller.abort(reason)
    }
    void world.clock.sleep(finishMs, this.#over.signal).then(abort, () => undefined)
    if (from === 'request') return
    const stopWatching = world.clock.every(STANDSTILL_MS / 2, () => {
      const nowMs = world.clock.monotonicMs()
      for (const { controller, arrivedMs } of begun) {
        if (arrivedMs !== undefined && nowMs - arrivedMs >= STANDSTILL_MS) controller.abort(reason)
      }
    })
    this.#over.signal.addEventListener('abort', stopWatching)
  }

  async #send(pending: PendingRequest, admitted: AdmittedRequest): Promise<void> {
    const { search, isListed } = pending.of
    const request: InFlight = {
      pending,
      incoming: pending.begun ?? this.#library.request(search, pending.parts, pending.startDate, isListed),
      label: this.#progress.begin(pending),
      admitted,
      controller: new AbortController(),
      startedMs: this.#context.world.clock.monotonicMs(),
      phase: 'asking',
      arrivedMs: undefined,
    }
    this.#inFlight.add(request)
    try {
      await this.#receive(request)
    } catch (error) {
      this.#progress.end(pending, false)
      this.#inFlight.delete(request)
      await this.#failed(request, error)
    } finally {
      this.#inFlight.delete(request)
      this.#queue.settled()
    }
  }

  async #receive(request: InFlight): Promise<void> {
    const { pending, label, incoming } = request
    const fetched = await this.#fetch(request)
    this.#rateLimit = fetched.rateLimit ?? this.#rateLimit
    const { reconcile } = this.#context
    const { archive, ...received } = fetched
    const answer = await this.#library.commit(incoming, {
      ...received,
      archive: archive && { ...archive, isScanned: reconcile },
    })
    if (archive !== undefined && answer.archive !== undefined) {
      this.#keepProducts(archive.verified)
      this.#verified = { ...archive.verified, identity: archive.identity }
    }
    const result = answeredResult(this.#at(pending), pending.parts, answer, false)
    this.#results.push(result)
    this.#progress.end(pending, true)
    const { status, seconds, attempts } = fetched
    const what = answer.archive === undefined ? `nothing (${status})` : formatBytes(answer.bytes)
    this.#context.reporter.notice({
      level: 'detail',
      event: 'request.done',
      message: `${label}${partsNamed(pending.parts)}: ${what} in ${formatDuration(seconds * 1000)}`,
      data: { parts: pending.parts.length, status, bytes: result.bytes, seconds, attempts },
    })
  }

  #fetch(request: InFlight) {
    const { pending, label, admitted, incoming } = request
    const { world, userAgent, apiKey } = this.#context
    const { signal } = request.controller
    const { plan } = pending.of
    const { notice, progress } = this.#progress.of(pending)
    const reporter: Reporter = {
      notice,
      progress: (one) => {
        request.phase = one.phase
        request.arrivedMs = one.phase === 'receiving' ? world.clock.monotonicMs() : undefined
        progress(one)
      },
    }
    const criteria = plan.criteriaOf(pending.startDate)
    return fetchArchive(this.#context, {
      startDate: criteria.startDate,
      request: serviceRequest(plan.baseUrl, criteria, pending.parts, userAgent, apiKey),
      incoming,
      verify: (path) => verifyResponse({ ...this.#context, reporter, signal }, path),
      admitted,
      onAccepted: () => {
        this.#queue.accepted(pending)
        if (this.#queue.learned !== undefined) this.#progress.remaining(this.#queue.count())
      },
      reporter,
      signal,
      closing: this.#closing.signal,
      label,
    })
  }

  async #failed(request: InFlight, thrown: unknown): Promise<void> {
    const { allowPartial, reporter } = this.#context
    const { pending, label, incoming } = request
    const mayDivide = pending.parts.length > 1
    const error = mayDivide || !isFailure(thrown) ? thrown : thrown.with({ fewerParts: false })
    const { lost } = incoming
    if (!isFailure(error) || this.#closing.signal.aborted) {
      if (lost !== undefined) this.#lost.push(lost)
      if (lost !== undefined || incoming.isVerified || incoming.kept > 0) await incoming.close()
      else await this.#library.abandon(incoming)
      this.#close(error, 'request')
      throw this.#closing.signal.reason
    }
    const { httpStatus } = error.details
    const scope = scopeOf(error)
    const tooLong = this.#queue.refused(scope, pending)
    if (tooLong !== undefined) await this.#library.abandon(incoming)
    if (tooLong === 'divided') {
      const why = scope === 'divide-once' ? 'may be too many' : 'are too many'
      const message = `${label}: ${plural(pending.parts.length, 'part')} ${why} for the service (${httpStatus}); sending smaller requests`
      const data = { ...this.#rangeOf(pending), httpStatus }
      reporter.notice({ level: 'info', event: 'request.halved', message, data })
      this.#progress.remaining(this.#queue.count())
      return
    }
    // What was refused, or never reached the service, costs nothing. A response that was cut short does, when it is requested again.
    const isFree =
      scope === 'run' ? error.kind === 'auth' : error.kind !== 'unavailable' || lost === 'no-response'
    if (!isFree && lost !== undefined) this.#lost.push(lost)
    const isOfUse = incoming.isVerified || incoming.kept > 0
    if (!isOfUse && (isFree || lost === undefined)) await this.#library.abandon(incoming)
    else await incoming.close()
    const hasSucceeded = this.#results.some(({ error: failure }) => failure === undefined)
    if (scope === 'run' || (scope === 'request-of-many' && !hasSucceeded && !allowPartial)) {
      this.#close(error, 'request')
      throw error
    }
    const which = `${label}${partsNamed(pending.parts)}`
    const final = tooLong === 'alone' ? tooLongAlone(error, pending.parts) : error
    const others = this.#inFlight.size
    const next = allowPartial ? 'continuing without it' : `waiting for ${plural(others, 'request')} in flight`
    // The only one is the failure of the run.
    if (others > 0 || (allowPartial && this.#requestCount > 1)) {
      const message = `${which} failed: ${error.message}; ${next}`
      const data = { ...this.#rangeOf(pending), code: error.kind }
      reporter.notice({ level: 'warning', event: 'request.failed', message, data })
    }
    const isWhole = this.#requestCount === 1 && pending.parts.length === pending.of.plan.partCount
    if (!allowPartial)
      throw isWhole ? final : failureOfRequest(which, final, error.kind !== 'unavailable' || hasSucceeded)
    this.#failures.push(final)
    const seconds = (this.#context.world.clock.monotonicMs() - request.startedMs) / 1000
    this.#results.push(failedRequest(pending, final, seconds, this.#offset(pending)))
  }

  #keepProducts({ products }: VerifiedArchive): void {
    for (const ids of products.values()) for (const number of declaredNumbers(ids)) this.#declared.add(number)
  }

  /** Where the parts of its plan begin among those of all plans. */
  #offset({ of }: PendingRequest): number {
    const before = this.#plans.slice(0, this.#plans.indexOf(of))
    return before.reduce((sum, { plan }) => sum + plan.positionCount, 0)
  }

  #at(pending: PendingRequest): number {
    return this.#offset(pending) + pending.positions[0]!
  }

  // Where the parts of a request are in the list, for messages.
  #rangeOf(pending: PendingRequest): { readonly from: number; readonly to: number } {
    const from = this.#at(pending)
    return { from, to: from + pending.parts.length }
  }
}

/** Verifies a response, and looks for its ProductIDs where the run needs them. */
export function verifyResponse(
  {
    world,
    limits,
    reporter,
    signal,
    reconcile,
  }: Pick<RunContext, 'world' | 'limits' | 'reporter' | 'signal' | 'reconcile'>,
  path: string,
): Promise<VerifiedArchive> {
  const scanned = reconcile ? { scan: 'product-ids' as const } : {}
  return verifyArchive(world, path, { limits, reporter, signal, ...scanned })
}

/** Whoever pressed Ctrl-C does not wait for a response that stands still for this time. */
const STANDSTILL_MS = 2_000

// After Ctrl-C, a response that a later run can continue is not waited for. Other signals and the time limit end the run at once.
// One that waits for its retry has nothing to finish.
function mayFinish({ incoming, phase }: InFlight, reason: unknown, from: 'signal' | 'request'): boolean {
  const isReceiving = incoming.isReceiving && phase !== 'waiting'
  if (!isReceiving || from === 'request') return isReceiving
  const isInterrupted = isFailure(reason) && reason.kind === 'interrupted' && reason.exitCode === 130
  return isInterrupted && incoming.body?.etag === undefined
}

/** The reasons in messages; of several, the first one here is named. */
const WHY_LOST: readonly (readonly [LostResponse, string])[] = [
  ['no-validator', 'the service gave no strong validator (ETag) with Accept-Ranges: bytes'],
  ['no-range', 'the server does not resume transfers as requested'],
  ['no-bytes', 'none of its bytes had been synced to disk yet'],
  [
    'preparing',
    'the service was still preparing the archive; it may have it ready when it is requested again',
  ],
  ['no-response', 'the service had not responded yet'],
]

/** The failure of one of several requests, with its name, and how to continue without it where others bring an archive. */
function failureOfRequest(which: string, error: Failure, haveOthers: boolean): Failure {
  const { hint, details } = error
  const message = `${which}: ${error.message}`
  if (!haveOthers) return error.with({ message, cause: error })
  const without = 'keep the other archives without it'
  return error.with({
    message,
    hint: hint === undefined ? without : `${hint}; or ${without}`,
    options: [...(details.options ?? []), 'allow-partial'],
    cause: error,
  })
}

/** The parts of a request in parentheses, for a message; empty without parts. */
function partsNamed(parts: readonly string[]): string {
  const [first] = parts
  if (first === undefined) return ''
  if (parts.length === 1) return ` (part ${quoted(first)})`
  return ` (${plural(parts.length, 'part')}, ${quoted(first)} to ${quoted(parts.at(-1)!)})`
}

/** How many of these requests the next run need not send, what is kept in words, and what is to be known of the others. */
export function whatIsKept(library: Library, requests: readonly RequestResult[], total: number) {
  const answered = requests.filter(({ error }) => error === undefined)
  const lost = answered.filter(({ answer }) => answer !== undefined && library.isLost(answer)).length
  const completed = answered.length - lost
  const cost = `${plural(lost, 'response')} will be requested again, which uses allowance again`
  return {
    completed,
    words: keptWords(library.kept(), completed, total),
    notes: lost === 0 ? [] : [cost],
  }
}

/** What is kept of a run, in words: `3 of 7 requests, and 100 MB of 500 MB of 1 request`; empty when nothing is. */
export function keptWords(begun: readonly Kept[], completed: number, total: number): string {
  const bytes = formatBytes(begun.reduce((sum, each) => sum + each.bytes, 0))
  const isTotalKnown = begun.every((each) => each.total !== undefined)
  const totalBytes = formatBytes(begun.reduce((sum, each) => sum + (each.total ?? 0), 0))
  return [
    ...(completed > 0 ? [`${formatCount(completed)} of ${plural(total, 'request')}`] : []),
    ...(begun.length > 0
      ? [`${bytes}${isTotalKnown ? ` of ${totalBytes}` : ''} of ${plural(begun.length, 'request')}`]
      : []),
  ].join(', and ')
}

function quoted(part: string): string {
  return `'${cleanText(part, 60)}'`
}

/** The failure of a request that is refused as too long and cannot be divided. */
function tooLongAlone(error: Failure, parts: readonly string[]): Failure {
  const what =
    parts.length === 0 ? 'this request, which has no parts' : 'even the request for this part alone'
  const hint = `${what} is too long for the service or a gateway before it: report it to the provider`
  return error.with({ hint, options: undefined, fewerParts: false })
}
