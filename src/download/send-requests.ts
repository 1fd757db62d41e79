import { setMaxListeners } from 'node:events'
import type { ArchiveLimits } from '../archive/archive-limits.ts'
import { type VerifiedArchive, verifyArchive } from '../archive/verify-archive.ts'
import { type Failure, isFailure } from '../base/failure.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { RateLimiter } from '../http/rate-limiter.ts'
import type { Service } from '../http/service.ts'
import { serviceRequest } from '../request/request.ts'
import { fetchArchive } from './fetch-archive.ts'
import type { Job } from './job-folder.ts'
import { failureOfRequest, leaveJob, noticeResponse, noticeResume, partsNamed } from './job-notices.ts'
import { halves, remainingRanges } from './journal.ts'
import type { PartRange, Plan } from './plan.ts'
import { runPool, type Slot } from './request-pool.ts'
import { createJobProgress } from './request-progress.ts'
import { completedResult, failedRequestResult, type RequestResult } from './request-result.ts'

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
  readonly verified: VerifiedArchive | undefined
  /** With `scan`: the ProductIDs in all archives, including those of earlier runs. */
  readonly products: readonly ProductId[]
  /** The `Date` of the earliest response, including those of earlier runs. */
  readonly serverDateMs: number | undefined
  readonly rateLimit: RateLimit | undefined
}

const TOO_LARGE: readonly (number | undefined)[] = [413, 414, 431]
// Failures of one request after which the next may succeed.
const OF_ONE_REQUEST: readonly string[] = ['rejected', 'unavailable', 'archive']

/**
 * Sends the requests of a plan that have no response yet, several at once under one rate limit, and verifies and journals each
 * response. A request that is too large for the service is split in two. After a permanent failure no request is started and those
 * in flight finish, because they cost allowance; a failure that affects all requests aborts them. Rejects with the first Failure;
 * verified archives stay in the job.
 */
export async function sendRequests(
  world: World,
  options: SendOptions,
  reporter: Reporter,
): Promise<Responses> {
  const { plan, job } = options
  const { pieces, empty, halved } = job.state
  const remaining = remainingRanges(plan.ranges, [...pieces, ...empty], halved)
  noticeResume(job, remaining.length, reporter)
  const run = createRun(world, options, remaining.length + pieces.length + empty.length, reporter)
  // Archives of earlier runs are scanned while new requests run.
  const scanning = run.scanResumed()
  scanning.catch(() => undefined)
  try {
    await runPool(remaining, options.concurrency, run.send)
    await scanning
    const requests = run.results()
    const failed = run.failures()
    if (failed.length > 0 && requests.every(({ error }) => error !== undefined)) throw failed[0]
    return { requests, ...run.facts() }
  } catch (error) {
    await scanning.catch(() => undefined)
    await leaveJob(job, reporter)
    throw error
  }
}

interface Run {
  /** Resolves with the halves when the request was too large. */
  readonly send: (range: PartRange, slot: Slot) => Promise<readonly PartRange[]>
  /** Finds the ProductIDs in the archives of earlier runs. */
  readonly scanResumed: () => Promise<void>
  readonly results: () => readonly RequestResult[]
  readonly failures: () => readonly Failure[]
  readonly facts: () => Omit<Responses, 'requests'>
}

function createRun(world: World, options: SendOptions, requestCount: number, reporter: Reporter): Run {
  const { plan, job, service, limits } = options
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  // Every request in flight listens to it; Node would warn of a leak at eleven.
  setMaxListeners(0, signal)
  const resumed = [...job.state.pieces, ...job.state.empty]
  const results = resumed.map((response) => completedResult(plan, job, response, true))
  const failures: Failure[] = []
  const progress = createJobProgress(reporter, resumed.length, requestCount)
  let dates = resumed.flatMap(({ serverDateMs }) => serverDateMs ?? [])
  let rateLimit: RateLimit | undefined
  let verified: VerifiedArchive | undefined
  const products: ProductId[] = []

  async function send(range: PartRange, slot: Slot): Promise<readonly PartRange[]> {
    const label = progress.begin(range)
    try {
      const fetched = await fetch(range, label, slot)
      if (fetched.serverDateMs !== undefined) dates = [Math.min(...dates, fetched.serverDateMs)]
      rateLimit = fetched.rateLimit ?? rateLimit
      const { status, attempts, seconds, serverDateMs } = fetched
      const response = { ...range, status, attempts, seconds, serverDateMs }
      if (fetched.kind === 'archive' && fetched.verified.entries.length > 0) {
        const { path, bytes, sha256 } = fetched
        const piece = await job.verified(path, { ...response, bytes, sha256 })
        results.push(completedResult(plan, job, piece, false))
        keepProducts(fetched.verified)
        if (requestCount === 1) verified = fetched.verified
      } else {
        if (fetched.kind === 'archive') await world.disk.unlink(fetched.path)
        await job.empty(response)
        results.push(completedResult(plan, job, response, false))
      }
      progress.end(range, true)
      noticeResponse(label, plan.request(range).parts, results.at(-1)!, reporter)
      return []
    } catch (error) {
      progress.end(range, false)
      return failed(range, error, label)
    }
  }

  async function fetch(
    range: PartRange,
    label: string,
    slot: Slot,
  ): ReturnType<typeof fetchArchive<VerifiedArchive>> {
    const { parts, criteria } = plan.request(range)
    const journaled: Service = {
      ...service,
      async send(request, requestOptions) {
        await slot.acquire()
        await job.sent(range, new Date(world.clock.nowMs()).toISOString())
        return service.send(request, requestOptions)
      },
    }
    return fetchArchive(world, {
      service: journaled,
      request: serviceRequest(plan.baseUrl, criteria, parts, options.userAgent, options.apiKey),
      draftPath: job.draftPath(range),
      verify(path) {
        slot.release()
        return verify(path, progress.of(range))
      },
      retries: options.retries,
      maxWaitMs: options.maxWaitMs,
      rateLimiter: options.rateLimiter,
      reporter: progress.of(range),
      signal,
      maxBytes: limits.maxBytes,
      label,
    })
  }

  function verify(path: string, listener: Reporter): Promise<VerifiedArchive> {
    const scan = options.scan ? { scan: 'product-ids' as const } : {}
    return verifyArchive(world, path, { limits, reporter: listener, signal, ...scan })
  }

  function keepProducts(archive: VerifiedArchive): void {
    for (const ids of archive.products.values()) products.push(...ids)
  }

  async function scanResumed(): Promise<void> {
    if (!options.scan) return
    for (const { file } of job.state.pieces) keepProducts(await verify(job.piecePath(file), SILENT))
  }

  async function failed(range: PartRange, error: unknown, label: string): Promise<readonly PartRange[]> {
    if (!isFailure(error) || signal.aborted) {
      stop.abort(error)
      throw options.signal.aborted ? options.signal.reason : stop.signal.reason
    }
    const { httpStatus, attempts = 1 } = error.details
    if (TOO_LARGE.includes(httpStatus) && range.to - range.from > 1) {
      await job.halved(range)
      const message = `${label}: ${plural(range.to - range.from, 'part')} are too many for the service (${httpStatus}); sending two halves`
      reporter.notice({ level: 'info', event: 'request.halved', message, data: { ...range, httpStatus } })
      progress.more(1)
      return halves(range)
    }
    const isOfThisRequest = OF_ONE_REQUEST.includes(error.kind)
    if (!isOfThisRequest) stop.abort(error)
    else await job.failed(range, error.kind, attempts)
    const which = `${label}${partsNamed(plan.request(range).parts)}`
    if (!isOfThisRequest) throw error
    if (!options.allowPartial) throw requestCount === 1 ? error : failureOfRequest(which, error)
    const message = `${which} failed: ${error.message}; continuing without it`
    reporter.notice({
      level: 'warning',
      event: 'request.failed',
      message,
      data: { ...range, code: error.kind },
    })
    failures.push(error)
    results.push(failedRequestResult(plan, range, error))
    return []
  }

  return {
    send,
    scanResumed,
    results: () => results.toSorted((a, b) => a.from - b.from),
    failures: () => failures,
    facts: () => ({
      verified,
      products,
      serverDateMs: dates.length === 0 ? undefined : Math.min(...dates),
      rateLimit,
    }),
  }
}
