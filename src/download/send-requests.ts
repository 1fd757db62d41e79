import type { ArchiveLimits } from '../archive/archive-limits.ts'
import { type VerifiedArchive, verifyArchive } from '../archive/verify-archive.ts'
import { type Failure, isFailure } from '../base/failure.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import type { Pace } from '../http/pace.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { Service } from '../http/service.ts'
import { serviceRequest } from '../request/request.ts'
import { fetchArchive } from './fetch-archive.ts'
import type { Job } from './job-folder.ts'
import { halves, remainingRanges } from './journal.ts'
import type { PartRange, Plan } from './plan.ts'
import { failureOfRequest, leaveJob, partsNamed, tellAnswer, tellState } from './run-job-notices.ts'
import { type Lane, runPool } from './run-job-pool.ts'
import { createJobProgress } from './run-job-progress.ts'
import { emptyResult, failedResult, type JobRequest, pieceResult } from './run-job-results.ts'

export type { JobRequest } from './run-job-results.ts'

/** How a plan is to be carried out. */
export interface JobWish {
  readonly plan: Plan
  readonly service: Service
  readonly job: Job
  readonly userAgent: string
  /** v1 only. */
  readonly apiKey?: string | undefined
  readonly pace: Pace
  /** Requests at once. */
  readonly concurrency: number
  readonly retries: number
  readonly maxWaitMs: number
  readonly limits: ArchiveLimits
  /** Go on without the requests that fail for good. */
  readonly allowPartial: boolean
  /** Look for ProductIDs while answers are verified. */
  readonly scan: boolean
  readonly signal: AbortSignal
}

export interface JobResult {
  /** In the order of the parts. */
  readonly requests: readonly JobRequest[]
  /** What verifying the only archive found, when there is one and it came in this run. */
  readonly verified: VerifiedArchive | undefined
  /** With `scan`: the ProductIDs of all answers, earlier runs' too. */
  readonly products: readonly ProductId[]
  /** The server's date of the earliest answer, of an earlier run's too. */
  readonly serverDateMs: number | undefined
  readonly rateLimit: RateLimit | undefined
  /** Requests that left this machine in this run, retries included. */
  readonly sentCount: number
}

const TOO_LARGE: readonly (number | undefined)[] = [413, 414, 431]
// What one request can fail with while the next may succeed.
const OF_ONE_REQUEST: readonly string[] = ['rejected', 'unavailable', 'archive']

/**
 * Carries out what is still missing of a plan: several requests at once under one pace, each answer verified and entered in the
 * job's journal. A request that is too large for the service is asked for in halves. When a request fails for good the others
 * under way are let finish (they cost allowance) and nothing further is sent, unless the failure concerns them all: then they stop at
 * once. Rejects with the first Failure; what was verified stays in the job.
 */
export async function runJob(world: World, wish: JobWish, reporter: Reporter): Promise<JobResult> {
  const { plan, job } = wish
  const { pieces, empty, halved } = job.state
  const remaining = remainingRanges(plan.ranges, [...pieces, ...empty], halved)
  tellState(job, remaining.length, reporter)
  const run = createRun(world, wish, remaining.length + pieces.length + empty.length, reporter)
  // Earlier answers are looked through while the missing ones are waited for.
  const scanning = run.scanResumed()
  scanning.catch(() => undefined)
  try {
    await runPool(remaining, wish.concurrency, run.carryOut)
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
  /** Resolves with the halves when the request was too large, else with nothing. */
  readonly carryOut: (range: PartRange, lane: Lane) => Promise<readonly PartRange[]>
  /** Looks for the ProductIDs in what earlier runs brought. */
  readonly scanResumed: () => Promise<void>
  readonly results: () => readonly JobRequest[]
  readonly failures: () => readonly Failure[]
  readonly facts: () => Omit<JobResult, 'requests'>
}

function createRun(world: World, wish: JobWish, requestCount: number, reporter: Reporter): Run {
  const { plan, job, service, limits } = wish
  const stop = new AbortController()
  const signal = AbortSignal.any([wish.signal, stop.signal])
  const progress = createJobProgress(reporter, job.state.pieces.length + job.state.empty.length, requestCount)
  const results: JobRequest[] = [
    ...job.state.pieces.map((piece) => pieceResult(plan, job, piece, piece, true)),
    ...job.state.empty.map((answer) => emptyResult(plan, answer, answer, true)),
  ]
  const failures: Failure[] = []
  let dates = [...job.state.pieces, ...job.state.empty].flatMap(({ serverDateMs }) => serverDateMs ?? [])
  let rateLimit: RateLimit | undefined
  let verified: VerifiedArchive | undefined
  const products: ProductId[] = []
  let sentCount = 0

  async function carryOut(range: PartRange, lane: Lane): Promise<readonly PartRange[]> {
    const label = progress.begin(range)
    try {
      const fetched = await fetch(range, label, lane)
      if (fetched.serverDateMs !== undefined) dates = [Math.min(...dates, fetched.serverDateMs)]
      rateLimit = fetched.rateLimit ?? rateLimit
      const { status, attempts, seconds, serverDateMs } = fetched
      const facts = { status, attempts, seconds, serverDateMs }
      if (fetched.kind === 'archive' && fetched.verified.entries.length > 0) {
        const { path, bytes, sha256 } = fetched
        const piece = await job.verified(range, path, { ...facts, bytes, sha256 })
        results.push(pieceResult(plan, job, range, piece, false))
        keepProducts(fetched.verified)
        if (requestCount === 1) verified = fetched.verified
      } else {
        if (fetched.kind === 'archive') await world.disk.unlink(fetched.path)
        await job.empty(range, facts)
        results.push(emptyResult(plan, range, facts, false))
      }
      progress.end(range, true)
      tellAnswer(label, plan.request(range).parts, results.at(-1)!, reporter)
      return []
    } catch (error) {
      progress.end(range, false)
      return failed(range, error, label)
    }
  }

  async function fetch(
    range: PartRange,
    label: string,
    lane: Lane,
  ): ReturnType<typeof fetchArchive<VerifiedArchive>> {
    const { parts, criteria } = plan.request(range)
    const noted: Service = {
      ...service,
      async ask(request, options) {
        await lane.enter()
        await job.sent(range, new Date(world.clock.nowMs()).toISOString())
        sentCount += 1
        return service.ask(request, options)
      },
    }
    return fetchArchive(world, {
      service: noted,
      request: serviceRequest(plan.baseUrl, criteria, parts, wish.userAgent, wish.apiKey),
      draftPath: job.draftPath(range),
      verify(path) {
        lane.leave()
        return verify(path, progress.of(range))
      },
      retries: wish.retries,
      maxWaitMs: wish.maxWaitMs,
      pace: wish.pace,
      reporter: progress.of(range),
      signal,
      maxBytes: limits.maxBytes,
      label,
    })
  }

  function verify(path: string, listener: Reporter): Promise<VerifiedArchive> {
    const scan = wish.scan ? { scan: 'product-ids' as const } : {}
    return verifyArchive(world, path, { limits, reporter: listener, signal, ...scan })
  }

  function keepProducts(archive: VerifiedArchive): void {
    for (const ids of archive.products.values()) products.push(...ids)
  }

  async function scanResumed(): Promise<void> {
    if (!wish.scan) return
    for (const { file } of job.state.pieces) keepProducts(await verify(job.piecePath(file), SILENT))
  }

  async function failed(range: PartRange, error: unknown, label: string): Promise<readonly PartRange[]> {
    if (!isFailure(error) || signal.aborted) {
      stop.abort(error)
      throw wish.signal.aborted ? wish.signal.reason : stop.signal.reason
    }
    const { httpStatus, attempts = 1 } = error.details
    if (TOO_LARGE.includes(httpStatus) && range.to - range.from > 1) {
      await job.halved(range)
      const message = `${label}: ${plural(range.to - range.from, 'part')} are too many for the service (${httpStatus}); asking in halves`
      reporter.notice({ level: 'info', event: 'request.halved', message, data: { ...range, httpStatus } })
      progress.more(1)
      return halves(range)
    }
    const isOfThisRequest = OF_ONE_REQUEST.includes(error.kind)
    if (!isOfThisRequest) stop.abort(error)
    else await job.failed(range, error.kind, attempts)
    const which = `${label}${partsNamed(plan.request(range).parts)}`
    if (!isOfThisRequest) throw error
    if (!wish.allowPartial) throw requestCount === 1 ? error : failureOfRequest(which, error)
    const message = `${which} failed for good: ${error.message}; going on without it`
    reporter.notice({
      level: 'warning',
      event: 'request.failed',
      message,
      data: { ...range, code: error.kind },
    })
    failures.push(error)
    results.push(failedResult(plan, range, error))
    return []
  }

  return {
    carryOut,
    scanResumed,
    results: () => results.toSorted((a, b) => a.from - b.from),
    failures: () => failures,
    facts: () => ({
      verified,
      products,
      serverDateMs: dates.length === 0 ? undefined : Math.min(...dates),
      rateLimit,
      sentCount,
    }),
  }
}
