import type { ArchiveLimits } from '../archive/problem.ts'
import { type VerifiedArchive, verifyArchive } from '../archive/verify-archive.ts'
import { type Failure, isFailure } from '../base/failure.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import { formatDuration, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { FileIdentity } from '../fs/draft.ts'
import { resumableTag } from '../http/content-range.ts'
import { scopeOf } from '../http/outcome.ts'
import type { RateLimit } from '../http/rate-headers.ts'
import type { RateLimiter } from '../http/rate-limiter.ts'
import type { Service } from '../http/service.ts'
import { serviceRequest } from '../request/request.ts'
import { addDeclared } from './accounting.ts'
import { type Fetched, fetchArchive } from './fetch-archive.ts'
import {
  failureOfRequest,
  type LostResponse,
  leaveJob,
  noticeResponse,
  noticeResume,
  partsNamed,
  tooLongAlone,
} from './job-notices.ts'
import type { Job } from './job-store.ts'
import { type LearnedLength, requestKey } from './journal.ts'
import { criteriaOf, type Plan } from './plan.ts'
import { runPool, type Slot } from './request-pool.ts'
import { createJobProgress, type JobProgress } from './request-progress.ts'
import { createRequestQueue, indexParts, type PendingRequest, type RequestQueue } from './request-queue.ts'
import { completedResult, failedRequestResult, type RequestResult } from './request-result.ts'
import { type ReusedResponse, reuseResponses, unusedPieces, unwantedEntries } from './reuse-responses.ts'
import { createSendPriority } from './send-priority.ts'

/** How the requests of a plan are sent. */
export interface SendOptions {
  readonly plan: Plan
  readonly service: Service
  readonly job: Job
  readonly userAgent: string
  /** v1 only. */
  readonly apiKey?: string | undefined
  readonly rateLimiter: RateLimiter
  /** Requests in flight at once. */
  readonly concurrency: number
  readonly retries: number
  readonly maxWaitMs: number
  /** How long responses that have begun may take when the run has to end. */
  readonly finishMs: number
  readonly limits: ArchiveLimits
  /** Continue without the requests that fail permanently. */
  readonly allowPartial: boolean
  /** Find ProductIDs while archives are verified. */
  readonly scan: boolean
  readonly signal: AbortSignal
}

export interface Responses {
  /** In the order of the parts. */
  readonly requests: readonly RequestResult[]
  /** The only archive, when there is one and it was received in this run. */
  readonly verified: (VerifiedArchive & { readonly identity: FileIdentity }) | undefined
  /** By the name of an archive in the job folder: its entries that declare only parts that are no longer requested. */
  readonly unwanted: ReadonlyMap<string, ReadonlySet<string>>
  /** Archives of earlier runs with parts that are no longer requested, by their names in the job directory. */
  readonly unusedFiles: readonly string[]
  /** With `scan`: the part numbers that the archives declare, including those of earlier runs. */
  readonly declared: ReadonlySet<string>
  /** The `Date` of the earliest response, including those of earlier runs. */
  readonly serverDateMs: number | undefined
  readonly rateLimit: RateLimit | undefined
  /** What rejected requests have shown about the maximum length. */
  readonly learned: LearnedLength | undefined
}

/**
 * Sends requests for the parts of a plan that have no response yet, several at once under one rate limit, and verifies and journals
 * each response. A request that is too long for the service is divided, and no longer one is sent. After a permanent failure no
 * request is started and those in flight finish, because they use allowance; a failure that affects all requests ends those without
 * a response. Rejects with the first Failure, whose hint says what stays in the job.
 */
export async function sendRequests(
  world: World,
  options: SendOptions,
  reporter: Reporter,
): Promise<Responses> {
  const run = new Run(world, options, reporter)
  // Archives of earlier runs are scanned while new requests run.
  const scanning = run.scanReused()
  scanning.catch(() => undefined)
  try {
    await run.sendAll()
    await scanning
    return run.responses()
  } catch (error) {
    await scanning.catch(() => undefined)
    throw await leaveJob(options.job, error, run.unfinished(), reporter)
  }
}

/** A request that was started. */
interface InFlight {
  readonly controller: AbortController
  /** Why its response would be lost if the run ended now; undefined when there is nothing to lose. */
  lost: LostResponse | undefined
  /** True while its response is received or verified. */
  isReceiving: boolean
}

/** Everything that the requests of one run share. */
class Run {
  readonly #world: World
  readonly #options: SendOptions
  readonly #reporter: Reporter
  readonly #reused: readonly ReusedResponse[]
  readonly #queue: RequestQueue
  readonly #unusedFiles: readonly string[]
  readonly #progress: JobProgress
  readonly #requestCount: number
  readonly #results: RequestResult[]
  readonly #failures: Failure[] = []
  readonly #inFlight = new Map<PendingRequest, InFlight>()
  /** Requests that ended without their response, which has to be paid for again. */
  readonly #lost: LostResponse[] = []
  /** Aborted when the run has to end: nothing is sent any more. */
  readonly #closing = new AbortController()
  readonly #over = new AbortController()
  readonly #priority = createSendPriority()
  readonly #declared = new Set<string>()
  readonly #unwanted = new Map<string, ReadonlySet<string>>()
  #verified: Responses['verified']
  #earliestDateMs = Number.POSITIVE_INFINITY
  #rateLimit: RateLimit | undefined

  /** Reports what the run resumes, and which requests may use allowance again. */
  constructor(world: World, options: SendOptions, reporter: Reporter) {
    const { plan, job } = options
    const { state } = job
    this.#world = world
    this.#options = options
    this.#reporter = reporter
    this.#reused = reuseResponses(plan, state)
    const answered = this.#reused.map(({ response }) => response)
    this.#queue = createRequestQueue(plan, answered, state.kept, state.learned)
    this.#unusedFiles = unusedPieces(plan, state).map(({ file }) => file)
    this.#results = this.#reused.map((answer) => completedResult(answer, answer.response, true))
    for (const { serverDateMs } of answered) this.#keepDate(serverDateMs)
    const toSend = this.#queue.count()
    this.#requestCount = answered.length + toSend
    const reusedBytes = this.#results.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#progress = createJobProgress(reporter, answered.length, this.#requestCount, reusedBytes)
    const begun = state.kept.filter((kept) => this.#queue.isBegun(kept))
    const begunKeys = new Set(begun.map(requestKey))
    const resumed = {
      answered: answered.length,
      begun,
      remaining: toSend - begun.length,
      unused: this.#unusedFiles.length,
      lost: state.unanswered.filter((key) => !begunKeys.has(key)).length,
    }
    noticeResume(job, resumed, reporter)
  }

  async sendAll(): Promise<void> {
    const { signal, concurrency } = this.#options
    const onAbort = (): void => this.#close(signal.reason, 'signal')
    signal.addEventListener('abort', onAbort)
    try {
      signal.throwIfAborted()
      const take = (): PendingRequest | undefined =>
        this.#closing.signal.aborted ? undefined : this.#queue.take()
      await runPool(take, concurrency, (pending, slot) => this.#send(pending, slot))
      // Everything in flight was finished, but not everything was sent.
      this.#closing.signal.throwIfAborted()
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#over.abort(new Error('all requests are over'))
    }
  }

  /** Finds the ProductIDs in the archives of earlier runs. */
  async scanReused(): Promise<void> {
    const { plan, job, scan } = this.#options
    const isMixed = this.#reused.some(({ unwanted }) => unwanted.length > 0)
    const requested = new Set(isMixed ? indexParts(plan).parts() : [])
    for (const { response, unwanted } of this.#reused) {
      if (!('sha256' in response) || (!scan && unwanted.length === 0)) continue
      const { file } = response
      const archive = await this.#verify(job.piecePath(file), SILENT, this.#options.signal, true)
      const names = unwantedEntries(archive.products, unwanted, (part) => requested.has(part))
      if (unwanted.length > 0) this.#unwanted.set(file, names)
      if (scan) this.#keepProducts(archive, names)
    }
  }

  responses(): Responses {
    const requests = this.#results.toSorted((a, b) => a.at - b.at)
    const [failure] = this.#failures
    if (failure !== undefined && requests.every(({ error }) => error !== undefined)) throw failure
    return {
      requests,
      verified: requests.length === 1 ? this.#verified : undefined,
      unwanted: this.#unwanted,
      unusedFiles: this.#unusedFiles,
      declared: this.#declared,
      serverDateMs: Number.isFinite(this.#earliestDateMs) ? this.#earliestDateMs : undefined,
      rateLimit: this.#rateLimit,
      learned: this.#queue.learned(),
    }
  }

  unfinished(): Parameters<typeof leaveJob>[2] {
    const inFlight = [...this.#inFlight.values()].flatMap(({ lost }) => lost ?? [])
    return {
      answered: this.#results.filter(({ error }) => error === undefined).length,
      total: Math.max(this.#requestCount, this.#results.length + this.#queue.count()),
      lost: [...this.#lost, ...inFlight],
    }
  }

  // Ends the run: nothing is sent any more. Responses that have begun were paid for, so they may finish.
  #close(reason: unknown, from: 'signal' | 'request'): void {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(reason)
    const { finishMs } = this.#options
    const begun = [...this.#inFlight.values()].filter((request) => mayFinish(request, reason, from))
    for (const request of this.#inFlight.values()) {
      if (!begun.includes(request)) request.controller.abort(reason)
    }
    if (begun.length === 0) return
    const message = `finishing ${plural(begun.length, 'response')} that ${begun.length === 1 ? 'has' : 'have'} begun, for up to ${formatDuration(finishMs)}`
    this.#reporter.notice({ level: 'info', event: 'job.finishing', message })
    const abort = (): void => {
      for (const { controller } of begun) controller.abort(reason)
    }
    void this.#world.clock.sleep(finishMs, this.#over.signal).then(abort, () => undefined)
  }

  async #send(pending: PendingRequest, slot: Slot): Promise<void> {
    const label = this.#progress.begin(pending)
    const request: InFlight = { controller: new AbortController(), lost: undefined, isReceiving: false }
    this.#inFlight.set(pending, request)
    this.#priority.begin(pending)
    try {
      await this.#answer(pending, request, label, slot)
      request.lost = undefined
    } catch (error) {
      this.#progress.end(pending, false)
      await this.#failed(pending, request, error, label)
    } finally {
      this.#priority.end(pending)
      this.#inFlight.delete(pending)
      if (request.lost !== undefined) this.#lost.push(request.lost)
      this.#queue.settled(pending)
    }
  }

  async #answer(pending: PendingRequest, request: InFlight, label: string, slot: Slot): Promise<void> {
    const { job } = this.#options
    const { parts, startDate } = pending
    const file = pending.kept?.file ?? job.newPiece(rangeOf(pending))
    const path = job.piecePath(file)
    const keeper = job.keeper(pending, path, pending.kept)
    const fetched = await this.#fetch(pending, request, label, slot, path, keeper)
    this.#keepDate(fetched.serverDateMs)
    this.#rateLimit = fetched.rateLimit ?? this.#rateLimit
    const { status, attempts, seconds, serverDateMs } = fetched
    const response = { parts: [...parts], startDate, status, attempts, seconds, serverDateMs }
    const place = { at: pending.positions[0]!, parts }
    if (fetched.kind === 'archive' && fetched.verified.entries.length > 0) {
      const { bytes, sha256, identity } = fetched
      const piece = { file, bytes, sha256, ...response }
      await job.verified(piece)
      this.#results.push(completedResult(place, piece, false))
      this.#keepProducts(fetched.verified)
      this.#verified = { identity, ...fetched.verified }
    } else {
      if (fetched.kind === 'archive') await this.#world.disk.unlink(path)
      await job.empty(response)
      this.#results.push(completedResult(place, response, false))
    }
    await keeper.forget()
    this.#progress.end(pending, true)
    noticeResponse(label, parts, this.#results.at(-1)!, this.#reporter)
  }

  #fetch(
    pending: PendingRequest,
    request: InFlight,
    label: string,
    slot: Slot,
    draftPath: string,
    keeper: ReturnType<Job['keeper']>,
  ): Promise<Fetched<VerifiedArchive>> {
    const { plan, userAgent, apiKey, retries, maxWaitMs, limits } = this.#options
    const criteria = criteriaOf(plan.criteria, pending)
    const { signal } = request.controller
    const reporter = this.#progress.of(pending)
    return fetchArchive(this.#world, {
      service: this.#journaled(pending, request, slot),
      request: serviceRequest(plan.baseUrl, criteria, pending.parts, userAgent, apiKey),
      draftPath,
      verify: async (path) => {
        slot.release()
        this.#priority.end(pending)
        await this.#priority.idle()
        return this.#verify(path, reporter, signal)
      },
      retries,
      maxWaitMs,
      rateLimiter: this.#rateLimiter,
      reporter,
      signal,
      closing: this.#closing.signal,
      maxBytes: limits.maxBytes,
      keeper,
      label,
    })
  }

  // Journals each request before it is sent, and notes what would be lost with its response.
  #journaled(pending: PendingRequest, request: InFlight, slot: Slot): Service {
    const { service, job } = this.#options
    return {
      ...service,
      send: async (what, options) => {
        request.isReceiving = false
        await slot.acquire()
        this.#closing.signal.throwIfAborted()
        await job.sent(pending, new Date(this.#world.clock.nowMs()).toISOString())
        request.lost = 'unanswered'
        const sent = service.send(what, {
          ...options,
          onPreparing(waitMs) {
            request.lost = 'preparing'
            options.onPreparing?.(waitMs)
          },
        })
        this.#priority.end(pending)
        const response = await sent
        const { status, headers } = response
        request.isReceiving = status === 200 || status === 206
        if (!request.isReceiving) request.lost = undefined
        else request.lost = resumableTag(headers) === undefined ? 'no-validator' : 'no-bytes'
        if (request.isReceiving || status === 204) {
          this.#queue.accepted(pending)
          if (this.#queue.learned() !== undefined) this.#progress.remaining(this.#queue.count())
        }
        return response
      },
    }
  }

  async #failed(pending: PendingRequest, request: InFlight, error: unknown, label: string): Promise<void> {
    const { job, allowPartial } = this.#options
    if (job.isKept(pending)) request.lost = undefined
    if (!isFailure(error) || this.#closing.signal.aborted) {
      this.#close(error, 'request')
      throw this.#closing.signal.reason
    }
    const { httpStatus, attempts = 1 } = error.details
    const range = rangeOf(pending)
    const scope = scopeOf(error)
    if (scope === 'divide') {
      const isDivided = this.#queue.divide(pending)
      await job.tooLong(pending, this.#queue.learned()!)
      if (isDivided) {
        const message = `${label}: ${plural(pending.parts.length, 'part')} are too many for the service (${httpStatus}); sending smaller requests`
        const data = { ...range, httpStatus }
        this.#reporter.notice({ level: 'info', event: 'request.halved', message, data })
        this.#progress.remaining(this.#queue.count())
        return
      }
    }
    // A proxy that refused the login: the service got nothing.
    if (error.kind === 'auth') request.lost = undefined
    const hasSucceeded = this.#results.some(({ error: failure }) => failure === undefined)
    if (scope === 'run' || (scope === 'request-of-many' && !hasSucceeded && !allowPartial)) {
      this.#close(error, 'request')
      throw error
    }
    if (error.kind !== 'unavailable' || request.lost === 'unanswered') request.lost = undefined
    // A lost response stays recorded as sent: requesting it again uses allowance again.
    if (request.lost === undefined) await job.failed(pending, error.kind, attempts)
    const which = `${label}${partsNamed(pending.parts)}`
    const final = scope === 'divide' ? tooLongAlone(error, pending.parts) : error
    if (!allowPartial) throw this.#requestCount === 1 ? final : failureOfRequest(which, final)
    const message = `${which} failed: ${error.message}; continuing without it`
    const data = { ...range, code: error.kind }
    this.#reporter.notice({ level: 'warning', event: 'request.failed', message, data })
    this.#failures.push(final)
    this.#results.push(failedRequestResult({ at: pending.positions[0]!, parts: pending.parts }, final))
  }

  readonly #rateLimiter: RateLimiter = {
    turn: (options) =>
      this.#options.rateLimiter.turn({
        ...options,
        onWait: (waitMs) => {
          this.#priority.held()
          options.onWait(waitMs)
        },
      }),
  }

  #verify(
    path: string,
    reporter: Reporter,
    signal: AbortSignal,
    isScanned = this.#options.scan,
  ): Promise<VerifiedArchive> {
    const scanned = isScanned ? { scan: 'product-ids' as const } : {}
    return verifyArchive(this.#world, path, { limits: this.#options.limits, reporter, signal, ...scanned })
  }

  #keepProducts({ products }: VerifiedArchive, without?: ReadonlySet<string>): void {
    for (const [name, ids] of products) if (!without?.has(name)) addDeclared(this.#declared, ids)
  }

  #keepDate(serverDateMs: number | undefined): void {
    if (serverDateMs !== undefined) this.#earliestDateMs = Math.min(this.#earliestDateMs, serverDateMs)
  }
}

// After Ctrl-C, a response that a later run can continue is not waited for. Other signals and the time limit end the run at once.
function mayFinish({ isReceiving, lost }: InFlight, reason: unknown, from: 'signal' | 'request'): boolean {
  if (!isReceiving || from === 'request') return isReceiving
  return (
    isFailure(reason) && reason.kind === 'interrupted' && reason.exitCode === 130 && lost === 'no-validator'
  )
}

// Where the parts of a request are in the list, for names and messages.
function rangeOf({ positions, parts }: PendingRequest): { readonly from: number; readonly to: number } {
  return { from: positions[0]!, to: parts.length === 0 ? positions[0]! : positions.at(-1)! + 1 }
}
