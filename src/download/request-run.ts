import { setMaxListeners } from 'node:events'
import { type VerifiedArchive, verifyArchive } from '../archive/verify-archive.ts'
import { Failure, isFailure } from '../base/failure.ts'
import { type Reporter, SILENT } from '../base/notice.ts'
import { plural } from '../base/units.ts'
import type { World } from '../base/world.ts'
import type { ProductId } from '../declaration/product-ids.ts'
import { resumableTag } from '../http/content-range.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { Service } from '../http/service.ts'
import { serviceRequest } from '../request/request.ts'
import { fetchArchive } from './fetch-archive.ts'
import type { Job } from './job-folder.ts'
import {
  failureOfRequest,
  type LostResponse,
  type leaveJob,
  noticeResponse,
  noticeResume,
  partsNamed,
} from './job-notices.ts'
import { requestKey } from './journal.ts'
import { criteriaOf } from './plan.ts'
import type { Slot } from './request-pool.ts'
import { createJobProgress } from './request-progress.ts'
import { type Ask, indexParts, type RequestQueue } from './request-queue.ts'
import { completedResult, failedRequestResult, type RequestResult } from './request-result.ts'
import { type ReusedResponse, unwantedEntries } from './reuse-responses.ts'

import type { Responses, SendOptions } from './send-options.ts'

const TOO_LARGE: readonly (number | undefined)[] = [413, 414, 431]
// Failures of one request after which the next may succeed.
const OF_ONE_REQUEST: readonly string[] = ['rejected', 'unavailable', 'archive']

/** What a run starts with. */
export interface RunState {
  readonly reused: readonly ReusedResponse[]
  readonly queue: RequestQueue
  readonly unusedCount: number
}

/** The requests of one run. */
export interface Run {
  readonly send: (ask: Ask, slot: Slot) => Promise<void>
  /** Finds the ProductIDs in the archives of earlier runs. */
  readonly scanResumed: () => Promise<void>
  readonly results: () => readonly RequestResult[]
  readonly failures: () => readonly Failure[]
  readonly facts: () => Omit<Responses, 'requests' | 'unusedFiles' | 'learned'>
  readonly unfinished: () => Parameters<typeof leaveJob>[2]
}

/** Creates the run, and reports what it resumes and which requests may use allowance again. */
export function createRun(
  world: World,
  options: SendOptions,
  { reused, queue, unusedCount }: RunState,
  reporter: Reporter,
): Run {
  const { plan, job, service, limits } = options
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  // Every request in flight listens to it; Node would warn of a leak at eleven.
  setMaxListeners(0, signal)
  const results = reused.map((answer) => completedResult(answer, job, answer.response, true))
  const failures: Failure[] = []
  const begun = job.state.kept.filter((kept) => queue.isBegun(kept))
  const requestCount = reused.length + queue.count()
  const reusedBytes = reused.reduce(
    (sum, { response }) => sum + ('bytes' in response ? response.bytes : 0),
    0,
  )
  const progress = createJobProgress(reporter, reused.length, requestCount, reusedBytes)
  let dates = reused.flatMap(({ response }) => response.serverDateMs ?? [])
  let rateLimit: RateLimit | undefined
  let verified: Responses['verified']
  const products: ProductId[] = []
  const unwanted = new Map<string, ReadonlySet<string>>()
  // The requests whose response was lost, or is not there yet.
  const inFlight = new Map<Ask, LostResponse>()
  const begunKeys = new Set(begun.map(requestKey))
  const resumed = {
    answered: reused.length,
    begun,
    remaining: queue.count() - begun.length,
    unused: unusedCount,
    lost: job.state.unanswered.filter((key) => !begunKeys.has(key)).length,
  }
  noticeResume(job, resumed, reporter)

  async function send(ask: Ask, slot: Slot): Promise<void> {
    const label = progress.begin(ask)
    try {
      await answer(ask, label, slot)
    } catch (error) {
      progress.end(ask, false)
      await failed(ask, error, label)
    } finally {
      queue.settled(ask)
    }
  }

  async function answer(ask: Ask, label: string, slot: Slot): Promise<void> {
    const { parts, startDate } = ask
    const path = ask.kept === undefined ? job.draftPath(rangeOf(ask)) : job.piecePath(ask.kept.file)
    const keeper = job.keeper(ask, path, ask.kept)
    const fetched = await fetch(ask, label, slot, path, keeper)
    inFlight.delete(ask)
    if (fetched.serverDateMs !== undefined) dates = [Math.min(...dates, fetched.serverDateMs)]
    rateLimit = fetched.rateLimit ?? rateLimit
    const { status, attempts, seconds, serverDateMs } = fetched
    const response = { parts: [...parts], startDate, status, attempts, seconds, serverDateMs }
    const place = { at: ask.positions[0]!, parts }
    if (fetched.kind === 'archive' && fetched.verified.entries.length > 0) {
      const { bytes, sha256, identity } = fetched
      const piece = await job.verified(path, { ...response, bytes, sha256 })
      results.push(completedResult(place, job, piece, false))
      keepProducts(fetched.verified.products)
      verified = { ...fetched.verified, identity }
    } else {
      if (fetched.kind === 'archive') await world.disk.unlink(path)
      await job.empty(response)
      results.push(completedResult(place, job, response, false))
    }
    await keeper.forget()
    progress.end(ask, true)
    noticeResponse(label, parts, results.at(-1)!, reporter)
  }

  async function fetch(
    ask: Ask,
    label: string,
    slot: Slot,
    draftPath: string,
    keeper: ReturnType<Job['keeper']>,
  ): ReturnType<typeof fetchArchive<VerifiedArchive>> {
    const criteria = criteriaOf(plan.criteria, ask)
    const journaled: Service = {
      ...service,
      async send(request, requestOptions) {
        await slot.acquire()
        await job.sent(ask, new Date(world.clock.nowMs()).toISOString())
        inFlight.set(ask, 'unanswered')
        const response = await service.send(request, requestOptions)
        const isBody = response.status === 200 || response.status === 206
        if (isBody)
          inFlight.set(ask, resumableTag(response.headers) === undefined ? 'no-validator' : 'no-bytes')
        else inFlight.delete(ask)
        if (isBody || response.status === 204) noticeAccepted(ask)
        return response
      },
    }
    return fetchArchive(world, {
      service: journaled,
      request: serviceRequest(plan.baseUrl, criteria, ask.parts, options.userAgent, options.apiKey),
      draftPath,
      verify(path) {
        slot.release()
        return verify(path, progress.of(ask), options.scan)
      },
      retries: options.retries,
      maxWaitMs: options.maxWaitMs,
      rateLimiter: options.rateLimiter,
      reporter: progress.of(ask),
      signal,
      maxBytes: limits.maxBytes,
      keeper,
      label,
    })
  }

  function noticeAccepted(ask: Ask): void {
    queue.accepted(ask)
    if (queue.learned() !== undefined) progress.remaining(queue.count())
  }

  function verify(path: string, listener: Reporter, isScanned: boolean): Promise<VerifiedArchive> {
    const scan = isScanned ? { scan: 'product-ids' as const } : {}
    return verifyArchive(world, path, { limits, reporter: listener, signal, ...scan })
  }

  function keepProducts(found: VerifiedArchive['products'], without?: ReadonlySet<string>): void {
    for (const [name, ids] of found) if (!without?.has(name)) products.push(...ids)
  }

  async function scanResumed(): Promise<void> {
    const requested = new Set(
      reused.some((answer) => answer.unwanted.length > 0) ? indexParts(plan).parts() : [],
    )
    for (const { response, unwanted: others } of reused) {
      if (!('sha256' in response) || (!options.scan && others.length === 0)) continue
      const path = job.piecePath(response.file)
      const { products: found } = await verify(path, SILENT, true)
      const names = unwantedEntries(found, others, (part) => requested.has(part))
      if (others.length > 0) unwanted.set(path, names)
      if (options.scan) keepProducts(found, names)
    }
  }

  async function failed(ask: Ask, error: unknown, label: string): Promise<void> {
    if (job.isKept(ask)) inFlight.delete(ask)
    if (!isFailure(error) || signal.aborted) {
      stop.abort(error)
      throw options.signal.aborted ? options.signal.reason : stop.signal.reason
    }
    const { httpStatus, attempts = 1 } = error.details
    const range = rangeOf(ask)
    if (TOO_LARGE.includes(httpStatus)) {
      const isDivided = queue.divide(ask)
      await job.tooLong(ask, queue.learned()!)
      if (isDivided) {
        const message = `${label}: ${plural(ask.parts.length, 'part')} are too many for the service (${httpStatus}); sending smaller requests`
        reporter.notice({ level: 'info', event: 'request.halved', message, data: { ...range, httpStatus } })
        progress.remaining(queue.count())
        return
      }
    }
    // A proxy that refused the login: the service got nothing.
    if (error.kind === 'auth') inFlight.delete(ask)
    if (!OF_ONE_REQUEST.includes(error.kind)) {
      stop.abort(error)
      throw error
    }
    if (error.kind !== 'unavailable') inFlight.delete(ask)
    else if (inFlight.get(ask) === 'unanswered') inFlight.delete(ask)
    // A lost response stays recorded as sent: requesting it again uses allowance again.
    if (!inFlight.has(ask)) await job.failed(ask, error.kind, attempts)
    const which = `${label}${partsNamed(ask.parts)}`
    const final = TOO_LARGE.includes(httpStatus) ? tooLongAlone(error, ask) : error
    if (!options.allowPartial) throw requestCount === 1 ? final : failureOfRequest(which, final)
    const message = `${which} failed: ${error.message}; continuing without it`
    reporter.notice({
      level: 'warning',
      event: 'request.failed',
      message,
      data: { ...range, code: error.kind },
    })
    failures.push(final)
    results.push(failedRequestResult({ at: ask.positions[0]!, parts: ask.parts }, final))
  }

  return {
    send,
    scanResumed,
    results: () => results.toSorted((a, b) => a.at - b.at),
    failures: () => failures,
    facts: () => ({
      verified: results.length === 1 ? verified : undefined,
      unwanted,
      products,
      serverDateMs: dates.length === 0 ? undefined : Math.min(...dates),
      rateLimit,
    }),
    unfinished: () => {
      const answered = results.filter(({ error }) => error === undefined).length
      return {
        answered,
        total: Math.max(requestCount, results.length + queue.count()),
        lost: [...inFlight.values()],
      }
    },
  }
}

// Where the parts of a request are in the list, for names and messages.
function rangeOf({ positions, parts }: Ask): { readonly from: number; readonly to: number } {
  return { from: positions[0]!, to: parts.length === 0 ? positions[0]! : positions.at(-1)! + 1 }
}

function tooLongAlone(error: Failure, { parts }: Ask): Failure {
  const { options: _, ...details } = error.details
  const what =
    parts.length === 0 ? 'this request, which has no parts' : 'even the request for this part alone'
  return new Failure(error.kind, error.message, {
    ...details,
    hint: `${what} is too long for the service or a gateway in front of it: report it to the provider`,
    cause: error.cause ?? error,
  })
}
