import type { ArchiveLimits } from '../archive/problem.ts'
import { type VerifiedArchive, verifyArchive } from '../archive/verify-archive.ts'
import { cleanText } from '../base/clean-text.ts'
import { type Failure, isFailure } from '../base/failure.ts'
import { type Progress, type Reporter, SILENT } from '../base/notice.ts'
import { redactUrl } from '../base/redact.ts'
import { formatBytes, formatCount, formatDuration, plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { FileIdentity } from '../fs/draft.ts'
import { resumableTag } from '../http/content-range.ts'
import type { ServiceResponse } from '../http/exchange.ts'
import { scopeOf } from '../http/outcome.ts'
import type { RateLimit } from '../http/rate-headers.ts'
import { RateLimiter } from '../http/rate-limiter.ts'
import type { RequestOptions, Service } from '../http/service.ts'
import { type ServiceRequest, serviceRequest } from '../request/request.ts'
import { addDeclared, unwantedEntries } from './accounting.ts'
import { type Fetched, fetchArchive } from './fetch-archive.ts'
import {
  completedResult,
  failedResult,
  type JobPlan,
  type PendingRequest,
  type RequestResult,
} from './job-plan.ts'
import type { Job } from './job-store.ts'
import type { LearnedLength } from './journal.ts'
import type { KeptBytes, ResponseKeeper } from './partial-responses.ts'
import type { Plan } from './plan.ts'
import { runPool, type Slot } from './request-pool.ts'

/** The checked options of a run that its requests depend on. */
export interface RequestSettings {
  readonly plan: Plan
  readonly service: Service
  readonly userAgent: string
  /** v1 only. */
  readonly apiKey: string | undefined
  readonly limits: ArchiveLimits
  /** Find the ProductIDs in the archives. */
  readonly reconcile: boolean
  /** Continue without the requests that fail permanently. */
  readonly allowPartial: boolean
  /** Requests in flight at once. */
  readonly concurrency: number
  readonly retries: number
  readonly maxWaitMs: number
  /** How long responses that have begun may take when the run has to end. */
  readonly finishMs: number
  readonly ratePerMinute: number
  /** The file of the rate that runs with the same token share; undefined for a rate of this run's own. */
  readonly rateKey?: string | undefined
  readonly signal: AbortSignal
}

/** What every step of a run shares. */
export interface RunContext extends RequestSettings {
  readonly world: World
  readonly reporter: Reporter
}

export interface Responses {
  /** In the order of the parts. */
  readonly requests: readonly RequestResult[]
  /** The only archive, when there is one and it was received in this run. */
  readonly verified: (VerifiedArchive & { readonly identity: FileIdentity }) | undefined
  /** By the name of an archive in the job directory: its entries that declare only parts that are no longer requested. */
  readonly unwanted: ReadonlyMap<string, ReadonlySet<string>>
  /** With `reconcile`: the part numbers that the archives declare, including those of earlier runs. */
  readonly declared: ReadonlySet<string>
  /** The `Date` of the earliest response, including those of earlier runs. */
  readonly serverDateMs: number | undefined
  readonly rateLimit: RateLimit | undefined
  /** What rejected requests have shown about the maximum length. */
  readonly learned: LearnedLength | undefined
  /** The first failure when every request failed, with a hint that says what stays in the job. */
  readonly failure: Failure | undefined
}

/**
 * Sends requests for the parts of a plan that have no response yet, several at once under one rate limit, and verifies and journals
 * each response. A request that is too long for the service is divided, and no longer one is sent. After a permanent failure no
 * request is started and those in flight finish, because they use allowance; a failure that affects all requests ends those without
 * a response. Rejects with the first Failure, whose hint says what stays in the job.
 */
export async function sendRequests(context: RunContext, job: Job, jobPlan: JobPlan): Promise<Responses> {
  const run = new Run(context, job, jobPlan)
  // Archives of earlier runs are scanned while new requests run.
  const scanning = run.scanReused()
  scanning.catch(() => undefined)
  try {
    await run.sendAll()
    await scanning
  } catch (error) {
    await scanning.catch(() => undefined)
    throw await run.leave(error)
  }
  return run.responses()
}

/** A request that was started. */
interface InFlight {
  readonly pending: PendingRequest
  /** Its name in messages. */
  readonly label: string
  readonly slot: Slot
  readonly controller: AbortController
  readonly startedMs: number
  /** Why its response would be lost if the run ended now; undefined when there is nothing to lose. */
  lost: LostResponse | undefined
  /** True while its response is received or verified. */
  isReceiving: boolean
  /** When its last bytes arrived; undefined unless more of them are to come. */
  arrivedMs: number | undefined
  /** Where the service prepares its archive, as the job directory has it. */
  preparedAt: string | undefined
}

/** Everything that the requests of one run share. */
class Run {
  readonly #context: RunContext
  readonly #job: Job
  readonly #jobPlan: JobPlan
  readonly #rateLimiter: RateLimiter
  readonly #progress: JobProgress
  readonly #requestCount: number
  readonly #results: RequestResult[]
  readonly #failures: Failure[] = []
  readonly #inFlight = new Set<InFlight>()
  /** Requests that ended without their response, which has to be paid for again. */
  readonly #lost: LostResponse[] = []
  /** Aborted when the run has to end: nothing is sent any more. */
  readonly #closing = new AbortController()
  readonly #over = new AbortController()
  readonly #declared = new Set<string>()
  readonly #unwanted = new Map<string, ReadonlySet<string>>()
  #verified: Responses['verified']
  #earliestDateMs = Number.POSITIVE_INFINITY
  #rateLimit: RateLimit | undefined

  /** Reports what the run resumes, and which requests may use allowance again. */
  constructor(context: RunContext, job: Job, jobPlan: JobPlan) {
    const { world, reporter, ratePerMinute, concurrency, maxWaitMs, rateKey: sharedKey } = context
    const { reused, queue } = jobPlan
    this.#context = context
    this.#job = job
    this.#jobPlan = jobPlan
    this.#rateLimiter = new RateLimiter(world, { ratePerMinute, concurrency, maxWaitMs, sharedKey })
    this.#results = reused.map(({ result }) => result)
    for (const { response } of reused) this.#keepDate(response.serverDateMs)
    this.#requestCount = reused.length + queue.count()
    const reusedBytes = this.#results.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#progress = new JobProgress(reporter, reused.length, this.#requestCount, reusedBytes)
    this.#progress.paced(world.clock.monotonicMs(), ratePerMinute)
    noticeResume(job, jobPlan, reporter)
  }

  async sendAll(): Promise<void> {
    const { signal, concurrency } = this.#context
    const { queue } = this.#jobPlan
    const onAbort = (): void => this.#close(signal.reason, 'signal')
    signal.addEventListener('abort', onAbort)
    try {
      signal.throwIfAborted()
      const take = (): PendingRequest | undefined => (this.#closing.signal.aborted ? undefined : queue.take())
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
    const { plan, reconcile, signal } = this.#context
    for (const { response, unwanted } of this.#jobPlan.reused) {
      if (!('sha256' in response) || (!reconcile && unwanted.length === 0)) continue
      const { file } = response
      const archive = await this.#verify(this.#job.archivePath(file), SILENT, signal, true)
      const names = unwantedEntries(archive.products, unwanted, (part) => plan.hasPart(part))
      if (unwanted.length > 0) this.#unwanted.set(file, names)
      if (reconcile) this.#keepProducts(archive, names)
    }
  }

  async responses(): Promise<Responses> {
    const requests = this.#results.toSorted((a, b) => a.at - b.at)
    const [first] = this.#failures
    return {
      requests,
      verified: requests.length === 1 ? this.#verified : undefined,
      unwanted: this.#unwanted,
      declared: this.#declared,
      serverDateMs: Number.isFinite(this.#earliestDateMs) ? this.#earliestDateMs : undefined,
      rateLimit: this.#rateLimit,
      learned: this.#jobPlan.queue.learned,
      failure: first && this.#failures.length === requests.length ? await this.leave(first) : undefined,
    }
  }

  /**
   * Keeps an unfinished job if the next run can use it, and removes it otherwise. Returns the failure with a hint that says what is
   * kept.
   */
  async leave<E>(error: E): Promise<E | Failure> {
    const job = this.#job
    const lost = this.#lost
    const completed = this.#results.filter((result) => result.error === undefined).length
    const total = Math.max(this.#requestCount, this.#results.length + this.#jobPlan.queue.count())
    const begun = job.keptBytes()
    const words = [
      ...(completed > 0 ? [`${formatCount(completed)} of ${plural(total, 'request')}`] : []),
      ...begunWords(begun, job.preparingCount()),
    ].join(', and ')
    const sentAgain = `${plural(lost.length, 'request')} in flight will be sent again, which may use allowance twice`
    if (job.isWorthKeeping()) {
      const bytes = begun.map((each) => each.bytes)
      const data = { folder: job.directory, answered: completed, requests: total, bytes }
      const message = `kept in ${job.directory}: ${words}`
      this.#context.reporter.notice({ level: 'info', event: 'job.kept', message, data })
      const again = lost.length > 0 ? `; ${sentAgain}` : ''
      return withHint(error, `run the same command again to resume: ${words} kept${again}`)
    }
    await job.remove().catch(() => undefined)
    const why = WHY_LOST.find(([reason]) => lost.includes(reason))?.[1]
    if (why === undefined) return error
    return withHint(error, `run the same command again; nothing is kept: ${why}; ${sentAgain}`)
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
    const message = `finishing ${plural(begun.length, 'response')} that ${begun.length === 1 ? 'has' : 'have'} begun, for up to ${formatDuration(finishMs)}`
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

  async #send(pending: PendingRequest, slot: Slot): Promise<void> {
    const label = this.#progress.begin(pending)
    const request: InFlight = {
      pending,
      label,
      slot,
      controller: new AbortController(),
      startedMs: this.#context.world.clock.monotonicMs(),
      lost: undefined,
      isReceiving: false,
      arrivedMs: undefined,
      preparedAt: pending.preparedAt,
    }
    this.#inFlight.add(request)
    try {
      await this.#receive(request)
      request.lost = undefined
    } catch (error) {
      this.#progress.end(pending, false)
      await this.#failed(request, error)
    } finally {
      this.#inFlight.delete(request)
      if (request.lost !== undefined) this.#lost.push(request.lost)
      this.#jobPlan.queue.settled()
    }
  }

  async #receive(request: InFlight): Promise<void> {
    const { pending, label } = request
    const { parts, startDate } = pending
    const job = this.#job
    const file = pending.kept?.file ?? job.newArchive(rangeOf(pending))
    const path = job.archivePath(file)
    const keeper = job.keeper(pending, path)
    const fetched = await this.#fetch(request, path, keeper)
    this.#keepDate(fetched.serverDateMs)
    this.#rateLimit = fetched.rateLimit ?? this.#rateLimit
    const { world, ratePerMinute } = this.#context
    this.#progress.paced(world.clock.monotonicMs(), ratePerMinute, fetched.rateLimit)
    const { status, attempts, seconds, serverDateMs } = fetched
    const response = { parts: [...parts], startDate, status, attempts, seconds, serverDateMs }
    let result: RequestResult
    if (fetched.archive !== undefined && fetched.archive.verified.entries.length > 0) {
      const { bytes, sha256, identity, verified } = fetched.archive
      const archive = { file, bytes, sha256, ...response }
      await job.verified(archive)
      result = completedResult(pending, archive, false)
      this.#keepProducts(verified)
      this.#verified = { identity, ...verified }
    } else {
      if (fetched.archive !== undefined) await this.#context.world.disk.unlink(path)
      const empty = { ...response, bytes: fetched.archive?.bytes ?? 0 }
      await job.empty(empty)
      result = completedResult(pending, empty, false)
    }
    this.#results.push(result)
    await keeper.forget()
    this.#progress.end(pending, true)
    const what = result.file === undefined ? `nothing (${status})` : formatBytes(result.bytes)
    this.#context.reporter.notice({
      level: 'detail',
      event: 'request.done',
      message: `${label}${partsNamed(parts)}: ${what} in ${formatDuration(seconds * 1000)}`,
      data: { parts: parts.length, status, bytes: result.bytes, seconds, attempts },
    })
  }

  #fetch(request: InFlight, draftPath: string, keeper: ResponseKeeper): Promise<Fetched<VerifiedArchive>> {
    const { pending, label, slot } = request
    const { world, plan, service, userAgent, apiKey, retries, maxWaitMs, limits } = this.#context
    const { signal } = request.controller
    const { notice, progress } = this.#progress.of(pending)
    const reporter: Reporter = {
      notice,
      progress: (one) => {
        request.arrivedMs = one.phase === 'receiving' ? world.clock.monotonicMs() : undefined
        progress(one)
      },
    }
    return fetchArchive(world, {
      service: { ...service, send: (what, options) => this.#sendOnce(request, what, options) },
      request: serviceRequest(plan.baseUrl, plan.criteriaOf(pending), pending.parts, userAgent, apiKey),
      draftPath,
      verify: async (path) => {
        await slot.release()
        try {
          return await this.#verify(path, reporter, signal)
        } catch (error) {
          // The archive that the service has prepared may be damaged: the next attempt requests another one.
          if (isFailure(error) && error.kind === 'archive') request.preparedAt = undefined
          throw error
        }
      },
      retries,
      maxWaitMs,
      rateLimiter: this.#rateLimiter,
      onRateLimited: slot.held,
      reporter,
      signal,
      closing: this.#closing.signal,
      maxBytes: limits.maxBytes,
      keeper,
      label,
    })
  }

  // Journals the request before it is sent and what came of it, and notes what would be lost with its response.
  async #sendOnce(
    request: InFlight,
    what: ServiceRequest,
    options: RequestOptions,
  ): Promise<ServiceResponse> {
    const { service, world } = this.#context
    const { pending, slot, preparedAt } = request
    const { queue } = this.#jobPlan
    request.isReceiving = false
    await slot.acquire()
    this.#closing.signal.throwIfAborted()
    if (preparedAt === undefined) await this.#job.sent(pending, new Date(world.clock.nowMs()).toISOString())
    request.lost = 'no-response'
    const sent = service.send(what, {
      ...options,
      preparedAt,
      onPreparing: async (waitMs, url) => {
        request.lost = 'preparing'
        await this.#keepAddress(request, url)
        await options.onPreparing?.(waitMs)
      },
    })
    slot.sent()
    const response = await sent
    const { status, headers } = response
    if (preparedAt !== undefined && (status === 404 || status === 410)) {
      await response.drain()
      this.#noticeGone(request, status)
      request.preparedAt = undefined
      return this.#sendOnce(request, what, options)
    }
    request.isReceiving = status === 200 || status === 206
    if (!request.isReceiving) request.lost = undefined
    else request.lost = resumableTag(headers) === undefined ? 'no-validator' : 'no-bytes'
    if (request.isReceiving || status === 204) {
      queue.accepted(pending)
      if (queue.learned !== undefined) this.#progress.remaining(queue.count())
    } else {
      // Nothing is lost when the run ends before the next attempt.
      await this.#job.failed(pending, `status ${status}`, 1)
    }
    return response
  }

  // Not an address with a secret, such as a signature: it would be written to disk.
  async #keepAddress(request: InFlight, url: string | undefined): Promise<void> {
    if (url === undefined || url === request.preparedAt) return
    if (redactUrl(url) !== url || this.#context.service.redact(url) !== url) return
    await this.#job.preparing(request.pending, url)
    request.preparedAt = url
  }

  #noticeGone({ label }: InFlight, httpStatus: number): void {
    const message = `${label}: the archive that the service was preparing is no longer there (status ${httpStatus}); requesting it again, which may use allowance twice`
    const data = { label, httpStatus }
    this.#context.reporter.notice({ level: 'warning', event: 'request.gone', message, data, costs: true })
  }

  async #failed(request: InFlight, error: unknown): Promise<void> {
    const { plan, allowPartial, reporter } = this.#context
    const { pending, label } = request
    const { queue } = this.#jobPlan
    if (this.#job.isKept(pending)) request.lost = undefined
    if (!isFailure(error) || this.#closing.signal.aborted) {
      this.#close(error, 'request')
      throw this.#closing.signal.reason
    }
    request.isReceiving = false
    const { httpStatus, attempts = 1 } = error.details
    const range = rangeOf(pending)
    const scope = scopeOf(error)
    if (scope === 'divide') {
      const isDivided = queue.divide(pending)
      await this.#job.tooLong(pending, queue.learned!)
      if (isDivided) {
        const message = `${label}: ${plural(pending.parts.length, 'part')} are too many for the service (${httpStatus}); sending smaller requests`
        const data = { ...range, httpStatus }
        reporter.notice({ level: 'info', event: 'request.halved', message, data })
        this.#progress.remaining(queue.count())
        return
      }
    }
    // A response that was cut short stays recorded as sent: requesting it again uses allowance again. A proxy that refused the login
    // sent nothing to the service.
    const isOver =
      scope === 'run' ? error.kind === 'auth' : error.kind !== 'unavailable' || request.lost === 'no-response'
    if (isOver) {
      request.lost = undefined
      await this.#job.failed(pending, error.kind, attempts)
    }
    const hasSucceeded = this.#results.some(({ error: failure }) => failure === undefined)
    if (scope === 'run' || (scope === 'request-of-many' && !hasSucceeded && !allowPartial)) {
      this.#close(error, 'request')
      throw error
    }
    const which = `${label}${partsNamed(pending.parts)}`
    const final = scope === 'divide' ? tooLongAlone(error, pending.parts) : error
    const others = this.#inFlight.size - 1
    const next = allowPartial ? 'continuing without it' : `waiting for ${plural(others, 'request')} in flight`
    if (allowPartial || others > 0) {
      const message = `${which} failed: ${error.message}; ${next}`
      const data = { ...range, code: error.kind }
      reporter.notice({ level: 'warning', event: 'request.failed', message, data })
    }
    const isWhole = this.#requestCount === 1 && pending.parts.length === plan.partCount
    if (!allowPartial) throw isWhole ? final : failureOfRequest(which, final)
    this.#failures.push(final)
    const seconds = (this.#context.world.clock.monotonicMs() - request.startedMs) / 1000
    this.#results.push(failedResult(pending, final, seconds))
  }

  #verify(
    path: string,
    reporter: Reporter,
    signal: AbortSignal,
    isScanned = this.#context.reconcile,
  ): Promise<VerifiedArchive> {
    const { world, limits } = this.#context
    const scanned = isScanned ? { scan: 'product-ids' as const } : {}
    return verifyArchive(world, path, { limits, reporter, signal, ...scanned })
  }

  #keepProducts({ products }: VerifiedArchive, without?: ReadonlySet<string>): void {
    for (const [name, ids] of products) if (!without?.has(name)) addDeclared(this.#declared, ids)
  }

  #keepDate(serverDateMs: number | undefined): void {
    if (serverDateMs !== undefined) this.#earliestDateMs = Math.min(this.#earliestDateMs, serverDateMs)
  }
}

/** Whoever pressed Ctrl-C does not wait for a response that stands still for this time. */
const STANDSTILL_MS = 2_000

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

/** Combines the progress of many requests into that of one job, and names the requests. */
export class JobProgress {
  readonly #reporter: Reporter
  readonly #inFlight = new Map<object, Progress>()
  #requestsDone: number
  #requestsTotal: number
  #begun: number
  /** A request that was divided was sent too. */
  #sendTotal: number
  #receivedBytes: number
  #lastStartMs: number | undefined

  /** Of a job of `total` requests, of which earlier runs did `done`, with responses of `doneBytes`. */
  constructor(reporter: Reporter, done: number, total: number, doneBytes: number) {
    this.#reporter = reporter
    this.#requestsDone = done
    this.#requestsTotal = total
    this.#begun = done
    this.#sendTotal = total
    this.#receivedBytes = doneBytes
  }

  /** Call before a request is sent; returns its name in messages. */
  begin(request: object): string {
    this.#begun += 1
    // The rate limiter has not let it start yet.
    this.#inFlight.set(request, { phase: 'waiting' })
    this.#reporter.progress(this.#isSingle() ? { phase: 'asking', ...this.#counts() } : this.#whole())
    return `request ${this.#begun} of ${this.#sendTotal}`
  }

  /** Call when a request succeeded or failed. */
  end(request: object, isSuccess: boolean): void {
    if (isSuccess) {
      this.#receivedBytes += this.#inFlight.get(request)?.bytes ?? 0
      this.#requestsDone += 1
    }
    this.#inFlight.delete(request)
    if (!this.#isSingle()) this.#reporter.progress(this.#whole())
  }

  /** Call when the number of requests has changed: with those still to be sent. */
  remaining(count: number): void {
    this.#requestsTotal = this.#requestsDone + this.#inFlight.size + count
    this.#sendTotal = this.#begun + count
  }

  /** Call when it is known how fast requests may start: at most so many a minute, and as the service has said of its own limit. */
  paced(nowMs: number, perMinute: number, { limit, remaining = 0, resetMs = 0 }: RateLimit = {}): void {
    const waiting = [...this.#inFlight.values()].filter(({ phase }) => phase === 'waiting').length
    const unsent = this.#requestsTotal - this.#requestsDone - this.#inFlight.size + waiting
    const left = limit === undefined ? 0 : unsent - remaining
    const windows = left > 0 ? resetMs + (Math.ceil(left / Math.max(1, limit!)) - 1) * MINUTE_MS : 0
    this.#lastStartMs = nowMs + Math.max((unsent * MINUTE_MS) / Math.max(1, perMinute), windows)
  }

  /** The reporter for one request. */
  of(request: object): Reporter {
    return {
      notice: this.#reporter.notice,
      progress: (progress) => {
        if (this.#isSingle()) return this.#reporter.progress({ ...progress, ...this.#counts() })
        // The bytes of a broken transfer count until it starts over.
        if (progress.phase === 'verifying') return
        const { bytes = 0, totalBytes } = this.#inFlight.get(request) ?? {}
        this.#inFlight.set(request, { bytes, totalBytes, ...progress })
        this.#reporter.progress(this.#whole())
      },
    }
  }

  /** The whole job, while its requests are in different phases. */
  #whole(): Progress {
    const all = [...this.#inFlight.values()]
    const bytes = all.reduce((sum, one) => sum + (one.bytes ?? 0), this.#receivedBytes)
    const begunShare = all.reduce((sum, one) => sum + shareOf(one), 0)
    const share = (this.#requestsDone + begunShare) / this.#requestsTotal
    const sums = { bytes, share, lastStartMs: this.#lastStartMs, ...this.#counts() }
    // A response that is complete waits for its turn to be verified.
    if (all.some((one) => one.phase === 'receiving' && shareOf(one) < 1))
      return { phase: 'receiving', ...sums }
    if (all.some(({ phase }) => phase === 'asking')) return { phase: 'asking', ...sums }
    const [next] = all
      .filter(({ phase, waitUntilMs }) => phase === 'waiting' && waitUntilMs !== undefined)
      .sort((a, b) => a.waitUntilMs! - b.waitUntilMs!)
    return next === undefined ? { phase: 'asking', ...sums } : { ...next, ...sums }
  }

  #counts(): Pick<Progress, 'requestsDone' | 'requestsTotal'> {
    return { requestsDone: this.#requestsDone, requestsTotal: this.#requestsTotal }
  }

  #isSingle(): boolean {
    return this.#requestsTotal === 1
  }
}

const MINUTE_MS = 60_000

function shareOf({ bytes = 0, totalBytes }: Progress): number {
  return totalBytes ? Math.min(1, bytes / totalBytes) : 0
}

/** Reports what an earlier run left in the job directory, and, before anything is sent, which requests may use allowance again. */
function noticeResume(job: Job, jobPlan: JobPlan, reporter: Reporter): void {
  const { found, damagedArchives, directory, setAside } = job
  const { reused, begun, queue, unusedFiles, unusedEmptyParts, lostCount } = jobPlan
  const [completed, remaining] = [reused.length, queue.count() - begun.length]
  const notice = (level: 'info' | 'warning', event: string, message: string, costs = false): void =>
    reporter.notice({
      level,
      event,
      message,
      data: { folder: directory, answered: completed, remaining },
      ...(costs && { costs }),
    })
  if (setAside !== undefined) {
    const message = `moved an unfinished run of another request to ${setAside}; starting over`
    notice('warning', 'job.changed', message, true)
  }
  if (completed + begun.length > 0) {
    const total = plural(completed + begun.length + remaining, 'request')
    const kept = begunWords(
      begun.flatMap((request) => request.kept ?? []),
      begun.filter(({ preparedAt }) => preparedAt !== undefined).length,
    )
    const rest = kept.length === 0 ? '' : `, ${kept.join(', and ')} kept`
    const message = `resuming an unfinished run: ${formatCount(completed)} of ${total} done${rest}`
    notice('info', 'job.resumed', message)
  }
  if (found === 'related') {
    const archives = plural(unusedFiles.length, 'archive')
    const parts = plural(unusedEmptyParts, 'part')
    const unused = [
      unusedFiles.length > 0 && `; ${archives} with parts no longer on the list will be kept separately`,
      unusedEmptyParts > 0 && `; empty responses for ${parts} no longer on the list will not be kept`,
    ].filter((text) => text !== false)
    const message = `the parts list has changed: responses are reused part by part${unused.join('')}`
    notice('info', 'job.other-parts', message)
  }
  if (damagedArchives.length > 0) {
    const message = `${plural(damagedArchives.length, 'archive')} of the unfinished run cannot be used and will be requested again, which uses allowance again`
    notice('warning', 'job.damaged', message, true)
  }
  if (lostCount > 0) {
    const message = `${plural(lostCount, 'request')} of the unfinished run had no complete response; sending again, which may use allowance twice`
    notice('warning', 'job.unanswered', message, true)
  }
}

/** Why nothing of a response is kept: there was none yet, none of its bytes, or they could not be continued. */
type LostResponse = 'no-response' | 'preparing' | 'no-bytes' | 'no-validator'

/** The reasons in messages; of several, the first one here is named. */
const WHY_LOST: readonly (readonly [LostResponse, string])[] = [
  ['no-validator', 'the service gave no strong validator (ETag) with Accept-Ranges: bytes'],
  ['no-bytes', 'none of its bytes had been synced to disk yet'],
  [
    'preparing',
    'the service was still preparing the archive; it may have it ready when it is requested again',
  ],
  ['no-response', 'the service had not responded yet'],
]

/** The failure of one of several requests, with its name and how to continue without it. */
function failureOfRequest(which: string, error: Failure): Failure {
  const { hint, details } = error
  const without = 'keep the other archives without it'
  return error.with({
    message: `${which}: ${error.message}`,
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

// `100 MB of 500 MB of 1 request`, without the total where the service did not say it, and the addresses of archives.
function begunWords(begun: readonly KeptBytes[], preparingCount: number): string[] {
  const bytes = formatBytes(begun.reduce((sum, each) => sum + each.bytes, 0))
  const isTotalKnown = begun.every(({ total }) => total !== undefined)
  const total = formatBytes(begun.reduce((sum, each) => sum + (each.total ?? 0), 0))
  const addresses = preparingCount === 1 ? 'the address' : 'the addresses'
  return [
    ...(begun.length > 0
      ? [`${bytes}${isTotalKnown ? ` of ${total}` : ''} of ${plural(begun.length, 'request')}`]
      : []),
    ...(preparingCount > 0 ? [`${addresses} of ${plural(preparingCount, 'archive')} being prepared`] : []),
  ]
}

// The hint of the signal only says to run the command again.
function withHint<E>(error: E, hint: string): E | Failure {
  if (!isFailure(error)) return error
  const own = error.kind === 'interrupted' ? undefined : error.hint
  return error.with({ hint: own === undefined ? hint : `${hint}; ${own}` })
}

function quoted(part: string): string {
  return `'${cleanText(part, 60)}'`
}

/** The failure of a request that is refused as too long and cannot be divided. */
function tooLongAlone(error: Failure, parts: readonly string[]): Failure {
  const what =
    parts.length === 0 ? 'this request, which has no parts' : 'even the request for this part alone'
  const hint = `${what} is too long for the service or a gateway before it: report it to the provider`
  return error.with({ hint, options: undefined })
}
